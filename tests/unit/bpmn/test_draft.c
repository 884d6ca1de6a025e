/* SPDX-License-Identifier: Apache-2.0 */
/* Texts, references and severities of the draft. */
#include "bpmn/draft.h"

#include "base/mem.h"
#include "unit/bpmn/support.h"

STF_TEST(trimming_takes_xml_white_space_only)
{
    STF_CHECK_STR(stf__draft_trim(STF_STR(" \t\r\n a b \n")), "a b");
    STF_CHECK_STR(stf__draft_trim(STF_STR(" \n ")), "");
    STF_CHECK_STR(stf__draft_trim((stf_str){NULL, 0}), "");
    STF_CHECK_STR(stf__draft_trim(STF_STR("\xc2\xa0x")), "\xc2\xa0x");
}

STF_TEST(references_are_found_exactly_then_trimmed_then_without_prefix)
{
    stf__draft draft;
    stf__draft_init(&draft, NULL, NULL);
    stf__draft_entry entries[] = {
        {.id = STF_STR("a")}, {.id = STF_STR("x:a")}, {.id = STF_STR("b ")}};
    for (size_t i = 0; i < STF_COUNT_OF(entries); i++) {
        ck_assert_int_eq(stf__map_put(&draft.entries, entries[i].id, &entries[i]), STF_OK);
    }
    ck_assert_ptr_eq(stf__draft_find(&draft, STF_STR("a")), &entries[0]);
    ck_assert_ptr_eq(stf__draft_find(&draft, STF_STR("x:a")), &entries[1]);
    ck_assert_ptr_eq(stf__draft_find(&draft, STF_STR("y:a")), &entries[0]);
    ck_assert_ptr_eq(stf__draft_find(&draft, STF_STR(" a\n")), &entries[0]);
    ck_assert_ptr_eq(stf__draft_find(&draft, STF_STR("b ")), &entries[2]);
    ck_assert_ptr_null(stf__draft_find(&draft, STF_STR("b")));
    ck_assert_ptr_null(stf__draft_find(&draft, STF_STR("")));
    stf__draft_done(&draft);
}

STF_TEST(how_bad_a_fault_is_depends_on_the_process)
{
    static const struct {
        bool is_executable;
        bool has_unsupported;
        stf__fault fault;
        stf_severity severity;
    } rows[] = {
        {true, false, STF__FAULT_WRONG, STF_SEVERITY_ERROR},
        {true, true, STF__FAULT_WRONG, STF_SEVERITY_ERROR},
        {false, false, STF__FAULT_WRONG, STF_SEVERITY_WARNING},
        {true, false, STF__FAULT_MISSING, STF_SEVERITY_ERROR},
        {true, true, STF__FAULT_MISSING, STF_SEVERITY_WARNING},
        {false, false, STF__FAULT_MISSING, STF_SEVERITY_WARNING},
        {true, false, STF__FAULT_UNSUPPORTED, STF_SEVERITY_UNSUPPORTED},
        {false, false, STF__FAULT_UNSUPPORTED, STF_SEVERITY_UNSUPPORTED},
    };
    stf_diagnostics *list = NULL;
    ck_assert_int_eq(stf_diagnostics_new(NULL, &list, NULL), STF_OK);
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        stf__draft draft;
        stf__diagnostics_clear(list);
        stf__draft_init(&draft, NULL, list);
        stf__draft_process process = {.is_executable = rows[i].is_executable,
                                      .has_unsupported = rows[i].has_unsupported};
        stf__draft_report(&draft, &process, rows[i].fault, "r", (stf__place){.line = 5}, "later");
        stf__draft_report(&draft, &process, rows[i].fault, "r", (stf__place){.line = 3}, "early");
        ck_assert_uint_eq(stf_diagnostics_at(list, 0)->severity, (uint32_t)rows[i].severity);
        ck_assert_str_eq(process.blocked_by, "early");
        stf__draft_done(&draft);
    }
    stf_diagnostics_free(list);
}

static const stf_test_case cases[] = {
    STF_CASE(trimming_takes_xml_white_space_only),
    STF_CASE(references_are_found_exactly_then_trimmed_then_without_prefix),
    STF_CASE(how_bad_a_fault_is_depends_on_the_process),
};

STF_TEST_MAIN("bpmn/draft", cases)
