/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of feature.def is answered, from the table itself. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

static const struct {
    const char *pattern;
    const char *label;
} features[] = {
#define STF_FEATURE(name, xml, label_text) {(xml), (label_text)},
#include "model/feature.def"
#undef STF_FEATURE
};

/* "@name=value" or "@name>1" as an attribute, anything else as a child. */
static void write_task(char *body, size_t size, const char *pattern)
{
    if (pattern[0] != '@') {
        (void)snprintf(body, size, "<startEvent id='s'/><userTask id='t'>\n<%s/></userTask>",
                       pattern);
        return;
    }
    size_t name_size = strcspn(pattern + 1, "=>");
    const char *value = pattern[1 + name_size] == '=' ? pattern + 2 + name_size : "2";
    (void)snprintf(body, size, "<startEvent id='s'/>\n<userTask id='t' %.*s='%s'/>", (int)name_size,
                   pattern + 1, value);
}

STF_TEST(every_feature_is_said_to_be_unsupported_with_element_and_line)
{
    for (size_t i = 0; i < STF_COUNT_OF(features); i++) {
        char body[300];
        char says[200];
        write_task(body, sizeof(body), features[i].pattern);
        (void)snprintf(says, sizeof(says), "not supported yet: %s at line 4", features[i].label);
        fixture file;
        fixture_load_body(&file, body);
        ck_assert_str_eq(fixture_expect(&file, STF_SEVERITY_UNSUPPORTED, 4, "t", "unsupported"),
                         says);
        const stf__process *process = fixture_process(&file, "p");
        ck_assert_uint_eq(process->flags, STF_PROCESS_EXECUTABLE);
        STF_CHECK_STR(process->first_unsupported, says);
        fixture_done(&file);
    }
}

STF_TEST(the_default_values_are_supported)
{
    fixture file;
    fixture_load_body(&file,
                      "<startEvent id='s'/><userTask id='t' startQuantity='1' "
                      "completionQuantity=' 1 ' isForCompensation='false' instantiate='false'/>"
                      "<sequenceFlow id='f' sourceRef='s' targetRef='t'/>");
    fixture_expect_silence(&file);
    fixture_done(&file);
}

STF_TEST(one_is_as_good_as_true)
{
    fixture file;
    fixture_load_body(&file, "<startEvent id='s'/>\n<task id='t' isForCompensation='1'/>");
    fixture_expect(&file, STF_SEVERITY_UNSUPPORTED, 4, "t", "unsupported");
    fixture_done(&file);
}

STF_TEST(the_first_in_the_file_is_the_one_that_is_named)
{
    fixture file;
    fixture_load_body(&file, "<startEvent id='s'/>\n<transaction id='a'/>\n<userTask id='t'>"
                             "<standardLoopCharacteristics/></userTask>");
    STF_CHECK_STR(fixture_process(&file, "p")->first_unsupported,
                  "not supported yet: transaction at line 4");
    fixture_done(&file);
}

static const stf_test_case cases[] = {
    STF_CASE(every_feature_is_said_to_be_unsupported_with_element_and_line),
    STF_CASE(the_default_values_are_supported),
    STF_CASE(one_is_as_good_as_true),
    STF_CASE(the_first_in_the_file_is_the_one_that_is_named),
};

STF_TEST_MAIN("bpmn/feature", cases)
