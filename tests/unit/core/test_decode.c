/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding is strict: whatever decodes encodes to the same bytes, and damage is told. */
#include "core_case.h"

static const char rich[] =
    "<startEvent id='s'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='u'/>"
    "<sequenceFlow id='f2' sourceRef='s' targetRef='w'/>"
    "<sequenceFlow id='f3' sourceRef='s' targetRef='c'/>"
    "<sequenceFlow id='f4' sourceRef='s' targetRef='j'/>"
    "<sequenceFlow id='f5' sourceRef='s' targetRef='w2'/>"
    "<userTask id='u'/><serviceTask id='w' stepfast:handler='h'/>"
    "<serviceTask id='w2' stepfast:handler='h2'/>"
    "<intermediateCatchEvent id='c'><timerEventDefinition><timeDuration>PT1H</timeDuration>"
    "</timerEventDefinition></intermediateCatchEvent>"
    "<boundaryEvent id='b' attachedToRef='u'><timerEventDefinition><timeDuration>PT2H"
    "</timeDuration></timerEventDefinition></boundaryEvent>"
    "<sequenceFlow id='f6' sourceRef='u' targetRef='j'/><parallelGateway id='j'/>";

/* A document with something in every list. */
static core_case *rich_case(void)
{
    core_case *c = core_case_load(rich);
    char json[700];
    int used = snprintf(json, sizeof(json), "{\"n\": 1.5, \"big\": \"%0600d\", \"l\": [1]}", 7);
    ck_assert_int_lt(used, (int)sizeof(json));
    core_case_start(c, json);
    core_case_answer(c, "w2", STF__WORK_BPMN_ERROR, "E");
    core_case_start_work(c, "w");
    stf__doc_note_save(c->doc, 7, (stf_attempt){.bytes = {1}}, stf_str_of("e1#1"), 3, c->now);
    return c;
}

static stf_status decode(const stf_buf *head, const stf_buf *bulk, stf__doc **ret_doc)
{
    stf_error error = STF_ERROR_INIT;
    return stf__doc_decode(NULL, stf_buf_bytes(head), stf_buf_bytes(bulk), ret_doc, &error);
}

/* Decodes; on success the bytes must come back. */
static stf_status decode_strictly(const stf_buf *head, const stf_buf *bulk)
{
    stf__doc *doc = NULL;
    stf_status status = decode(head, bulk, &doc);
    if (status == STF_OK) {
        core_case again = {.doc = doc};
        stf_buf head_again;
        stf_buf bulk_again;
        core_case_encode(&again, &head_again, &bulk_again);
        core_case_expect_same(head, &head_again);
        core_case_expect_same(bulk, &bulk_again);
        stf_buf_done(&head_again);
        stf_buf_done(&bulk_again);
        stf__doc_free(doc);
    }
    return status;
}

STF_TEST(every_list_comes_back)
{
    core_case *c = rich_case();
    stf_buf head;
    stf_buf bulk;
    core_case_encode(c, &head, &bulk);
    ck_assert_uint_gt(bulk.size, 600);
    stf__doc *doc = NULL;
    ck_assert_int_eq(decode(&head, &bulk, &doc), STF_OK);
    ck_assert_uint_eq(doc->activation_count, 4);
    ck_assert_uint_eq(doc->timer_count, 2);
    ck_assert_uint_eq(doc->parked_count, 1);
    ck_assert_uint_eq(doc->incident_count, 1);
    ck_assert_uint_eq(doc->scopes[0].variable_count, 3);
    ck_assert_int_eq(stf__doc_find_save(doc, 7, (stf_attempt){.bytes = {1}}), STF__RING_FOUND);
    ck_assert_int_eq(stf__doc_get_incarnation(doc), 3);
    stf__doc_free(doc);
    ck_assert_int_eq(decode_strictly(&head, &bulk), STF_OK);
    stf_buf_done(&head);
    stf_buf_done(&bulk);
    core_case_free(c);
}

STF_TEST(a_truncated_document_is_corrupt_at_every_length)
{
    core_case *c = rich_case();
    stf_buf head;
    stf_buf bulk;
    core_case_encode(c, &head, &bulk);
    size_t size = head.size;
    for (head.size = 0; head.size < size; head.size++) {
        ck_assert_int_eq(decode_strictly(&head, &bulk), STF_CORRUPT);
    }
    size_t bulk_size = bulk.size;
    for (bulk.size = 0; bulk.size < bulk_size; bulk.size++) {
        ck_assert_int_eq(decode_strictly(&head, &bulk), STF_CORRUPT);
    }
    stf_buf_done(&head);
    stf_buf_done(&bulk);
    core_case_free(c);
}

/* Every byte replaced by every other: refused, or a document that is written exactly so. */
STF_TEST(a_changed_byte_is_refused_or_means_what_it_says)
{
    core_case *c = rich_case();
    stf_buf head;
    stf_buf bulk;
    core_case_encode(c, &head, &bulk);
    size_t refused = 0;
    for (size_t i = 0; i < head.size; i++) {
        uint8_t kept = head.data[i];
        for (unsigned byte = 0; byte < 256; byte++) {
            head.data[i] = (uint8_t)byte;
            refused += decode_strictly(&head, &bulk) != STF_OK ? 1 : 0;
        }
        head.data[i] = kept;
    }
    ck_assert_uint_gt(refused, head.size * 100);
    stf_buf_done(&head);
    stf_buf_done(&bulk);
    core_case_free(c);
}

STF_TEST(bytes_after_the_end_are_corrupt)
{
    core_case *c = rich_case();
    stf_buf head;
    stf_buf bulk;
    core_case_encode(c, &head, &bulk);
    STF_CHECK_OK(stf_buf_append(&bulk, "", 1), (stf_error *)NULL);
    ck_assert_int_eq(decode_strictly(&head, &bulk), STF_CORRUPT);
    bulk.size--;
    STF_CHECK_OK(stf_buf_append(&head, "", 1), (stf_error *)NULL);
    ck_assert_int_eq(decode_strictly(&head, &bulk), STF_CORRUPT);
    stf_buf_done(&head);
    stf_buf_done(&bulk);
    core_case_free(c);
}

STF_TEST(bulk_holds_exactly_the_values_that_the_head_names)
{
    core_case *c = rich_case();
    stf_buf head;
    stf_buf bulk;
    core_case_encode(c, &head, &bulk);
    ck_assert_uint_eq(bulk.data[0], 0x81);
    bulk.data[0] = 0x82; /* says two, holds one */
    ck_assert_int_eq(decode_strictly(&head, &bulk), STF_CORRUPT);
    bulk.data[0] = 0x80;
    ck_assert_int_eq(decode_strictly(&head, &bulk), STF_CORRUPT);
    bulk.data[0] = 0x81;
    ck_assert_int_eq(decode_strictly(&head, &bulk), STF_OK);
    stf_buf_done(&head);
    stf_buf_done(&bulk);
    core_case_free(c);
}

STF_TEST(a_large_value_in_the_head_is_corrupt)
{
    char json[300];
    snprintf(json, sizeof(json), "{\"v\": \"%0254d\"}", 1);
    core_case *c = core_case_load("<startEvent id='s'/><userTask id='t'/>"
                                  "<sequenceFlow id='f' sourceRef='s' targetRef='t'/>");
    core_case_start(c, json);
    stf_buf head;
    stf_buf bulk;
    core_case_encode(c, &head, &bulk);
    ck_assert_uint_eq(bulk.size, 0);
    uint8_t *value = memmem(head.data, head.size, "\x78\xfe", 2);
    ck_assert_ptr_nonnull(value);
    size_t at = (size_t)(value - head.data);
    stf_buf longer;
    stf_buf_init(&longer, NULL);
    STF_CHECK_OK(stf_buf_append(&longer, head.data, at), (stf_error *)NULL);
    STF_CHECK_OK(stf_buf_append(&longer,
                                "\x78\xff"
                                "0",
                                3),
                 (stf_error *)NULL);
    STF_CHECK_OK(stf_buf_append(&longer, head.data + at + 2, head.size - at - 2),
                 (stf_error *)NULL);
    ck_assert_int_eq(decode_strictly(&longer, &bulk), STF_CORRUPT);
    stf_buf_done(&longer);
    stf_buf_done(&head);
    stf_buf_done(&bulk);
    core_case_free(c);
}

STF_TEST(a_newer_schema_is_a_mismatch_and_anything_else_corrupt)
{
    static const struct {
        const char *head;
        size_t size;
        stf_status status;
    } rows[] = {
        {"STFD\0\1", 6, STF_OK},
        {"STFD\0\2", 6, STF_OK},
        {"STFD\0\3", 6, STF_SCHEMA_MISMATCH},
        {"STFD\1\0", 6, STF_SCHEMA_MISMATCH},
        {"STFD\0\0", 6, STF_CORRUPT},
        {"STFD\0", 5, STF_CORRUPT},
        {"XTFD\0\1", 6, STF_CORRUPT},
        {"", 0, STF_CORRUPT},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        stf_error error = STF_ERROR_INIT;
        stf_bytes head = {(const uint8_t *)rows[i].head, rows[i].size};
        ck_assert_int_eq(stf__doc_check(head, &error), rows[i].status);
        if (rows[i].status != STF_OK) {
            stf__doc *doc = NULL;
            ck_assert_int_eq(stf__doc_decode(NULL, head, (stf_bytes){NULL, 0}, &doc, &error),
                             rows[i].status);
            ck_assert_ptr_null(doc);
        }
    }
}

/* The fields of later issues sit between the incidents and the caller of a fresh document: two
 * empty arrays and a zero. */
STF_TEST(what_this_version_does_not_know_is_refused_and_not_dropped)
{
    static const uint8_t reserved[] = {0x80, 0x80, 0x80, 0x00, 0xf6, 0xf6, 0x80, 0x83};
    core_case *c = core_case_load("<startEvent id='s'/>");
    stf_buf head;
    stf_buf bulk;
    core_case_encode(c, &head, &bulk);
    uint8_t *found = memmem(head.data, head.size, reserved, sizeof(reserved));
    ck_assert_ptr_nonnull(found); /* incidents, iterations, ledger, sweep, caller, ... */
    size_t at = (size_t)(found - head.data);
    for (size_t field = 1; field <= 3; field++) {
        stf_buf other;
        stf_buf_init(&other, NULL);
        STF_CHECK_OK(stf_buf_append(&other, head.data, head.size), (stf_error *)NULL);
        if (field == 3) {
            other.data[at + field] = 0x01;
        } else { /* an array with one zero in it */
            other.size = at + field;
            STF_CHECK_OK(stf_buf_append(&other, "\x81\0", 2), (stf_error *)NULL);
            STF_CHECK_OK(
                stf_buf_append(&other, head.data + at + field + 1, head.size - at - field - 1),
                (stf_error *)NULL);
        }
        ck_assert_int_eq(decode_strictly(&other, &bulk), STF_CORRUPT);
        stf_buf_done(&other);
    }
    stf_buf_done(&head);
    stf_buf_done(&bulk);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(every_list_comes_back),
    STF_CASE(a_truncated_document_is_corrupt_at_every_length),
    STF_CASE(a_changed_byte_is_refused_or_means_what_it_says),
    STF_CASE(bytes_after_the_end_are_corrupt),
    STF_CASE(bulk_holds_exactly_the_values_that_the_head_names),
    STF_CASE(a_large_value_in_the_head_is_corrupt),
    STF_CASE(a_newer_schema_is_a_mismatch_and_anything_else_corrupt),
    STF_CASE(what_this_version_does_not_know_is_refused_and_not_dropped),
};

STF_TEST_MAIN("core/decode", cases)
