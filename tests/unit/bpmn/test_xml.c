/* SPDX-License-Identifier: Apache-2.0 */
/* The guarded reader: what arrives, and every limit from both sides. */
#include "bpmn/xml.h"

#include "base/mem.h"
#include "unit/bpmn/support.h"

#include <stepfast/limits.h>

/* What the handlers saw, as text: "<name@line a=v>text</>". */
typedef struct recording {
    stf_buf text;
    stf_status answer; /* to every start */
    stf_diagnostics *list;
    stf__xml *xml;
} recording;

static stf_status on_start(void *user, const stf__xml_element *element)
{
    recording *record = user;
    stf_status status = stf_buf_printf(&record->text, "<%d:%.*s@%u", (int)element->ns,
                                       STF_STR_ARG(element->name), (unsigned)element->line);
    for (size_t i = 0; i < element->attribute_count; i++) {
        const stf__xml_attribute *attribute = &element->attributes[i];
        status = status != STF_OK
                     ? status
                     : stf_buf_printf(&record->text, " %d:%.*s=%.*s", (int)attribute->ns,
                                      STF_STR_ARG(attribute->name), STF_STR_ARG(attribute->value));
    }
    status = status != STF_OK ? status : stf_buf_append_str(&record->text, STF_STR(">"));
    return status != STF_OK ? status : record->answer;
}

static stf_status on_end(void *user)
{
    recording *record = user;
    return stf_buf_append_str(&record->text, STF_STR("</>"));
}

static stf_status on_text(void *user, stf_str text)
{
    recording *record = user;
    return stf_buf_append_str(&record->text, text);
}

static void start_recording(recording *record, const stf_allocator *alloc)
{
    *record = (recording){.answer = STF_OK};
    stf_buf_init(&record->text, NULL);
    ck_assert_int_eq(stf_diagnostics_new(NULL, &record->list, NULL), STF_OK);
    stf__xml_handler handler = {.user = record, .start = on_start, .end = on_end, .text = on_text};
    ck_assert_int_eq(stf__xml_new(alloc, handler, record->list, &record->xml, NULL), STF_OK);
}

static void stop_recording(recording *record)
{
    stf__xml_free(record->xml);
    stf_diagnostics_free(record->list);
    stf_buf_done(&record->text);
}

static stf_status feed(recording *record, const char *text, bool is_final)
{
    return stf__xml_feed(record->xml, (stf_bytes){(const uint8_t *)text, strlen(text)}, is_final);
}

static const char *rule_of(const recording *record)
{
    const stf_diagnostic *item = stf_diagnostics_at(record->list, 0);
    return item != NULL ? item->rule.data : "";
}

static const char sample[] = "<?xml version='1.0'?>\n<b:x xmlns:b='" STF__NS_BPMN_URI
                             "' b:k='1' n='&#8364;&lt;'>\n a<!-- no -->b<![CDATA[<c>]]>"
                             "<y xmlns='urn:z'/></b:x>\n";

STF_TEST(elements_attributes_and_text_arrive_with_namespaces_and_lines)
{
    recording record;
    start_recording(&record, NULL);
    ck_assert_int_eq(feed(&record, sample, true), STF_OK);
    STF_CHECK_STR(stf_buf_str(&record.text),
                  "<2:x@2 2:k=1 0:n=\xe2\x82\xac<>\n ab<c><1:y@3></></>");
    stop_recording(&record);
}

STF_TEST(pieces_of_any_size_give_the_same)
{
    recording whole;
    start_recording(&whole, NULL);
    ck_assert_int_eq(feed(&whole, sample, true), STF_OK);
    for (size_t piece = 1; piece < sizeof(sample); piece++) {
        recording record;
        start_recording(&record, NULL);
        for (size_t at = 0; at < sizeof(sample) - 1; at += piece) {
            size_t left = sizeof(sample) - 1 - at;
            stf_bytes part = {(const uint8_t *)sample + at, left < piece ? left : piece};
            ck_assert_int_eq(stf__xml_feed(record.xml, part, false), STF_OK);
        }
        ck_assert_int_eq(stf__xml_feed(record.xml, (stf_bytes){NULL, 0}, true), STF_OK);
        ck_assert(stf_str_equal(stf_buf_str(&record.text), stf_buf_str(&whole.text)));
        stop_recording(&record);
    }
    stop_recording(&whole);
}

STF_TEST(a_document_type_declaration_ends_the_pass_at_its_line)
{
    recording record;
    start_recording(&record, NULL);
    ck_assert_int_eq(feed(&record, "<?xml version='1.0'?>\n<!DOCTYPE a [", false), STF_PARSE);
    ck_assert_str_eq(rule_of(&record), "xml.doctype");
    ck_assert_uint_eq(stf_diagnostics_at(record.list, 0)->line, 2);
    ck_assert_int_eq(feed(&record, "<!ENTITY x 'y'>]><a>&x;</a>", true), STF_PARSE);
    ck_assert_uint_eq(record.text.size, 0);
    ck_assert_uint_eq(stf_diagnostics_count(record.list), 1);
    stop_recording(&record);
}

static void append_times(stf_buf *buf, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++) {
        /* An assertion writes a mark for each call that passes; these are too many. */
        if (stf_buf_append_str(buf, stf_str_of(text)) != STF_OK) {
            ck_abort_msg("out of memory");
        }
    }
}

static stf_status feed_buf(recording *record, const stf_buf *buf)
{
    return stf__xml_feed(record->xml, stf_buf_bytes(buf), true);
}

STF_TEST(nesting_is_accepted_up_to_the_limit_and_refused_beyond)
{
    for (size_t depth = STF_LIMIT_XML_DEPTH; depth <= STF_LIMIT_XML_DEPTH + 1; depth++) {
        recording record;
        stf_buf buf;
        stf_buf_init(&buf, NULL);
        append_times(&buf, "<a>", depth);
        append_times(&buf, "</a>", depth);
        start_recording(&record, NULL);
        bool is_legal = depth == STF_LIMIT_XML_DEPTH;
        ck_assert_int_eq(feed_buf(&record, &buf), is_legal ? STF_OK : STF_LIMIT_EXCEEDED);
        ck_assert_str_eq(rule_of(&record), is_legal ? "" : "limit.depth");
        stop_recording(&record);
        stf_buf_done(&buf);
    }
}

STF_TEST(attributes_are_accepted_up_to_the_limit_and_refused_beyond)
{
    for (unsigned count = STF_LIMIT_XML_ATTRIBUTES; count <= STF_LIMIT_XML_ATTRIBUTES + 1;
         count++) {
        recording record;
        stf_buf buf;
        stf_buf_init(&buf, NULL);
        append_times(&buf, "<a", 1);
        for (unsigned i = 0; i < count; i++) {
            ck_assert_int_eq(stf_buf_printf(&buf, " a%u=''", i), STF_OK);
        }
        append_times(&buf, "/>", 1);
        start_recording(&record, NULL);
        bool is_legal = count == STF_LIMIT_XML_ATTRIBUTES;
        ck_assert_int_eq(feed_buf(&record, &buf), is_legal ? STF_OK : STF_LIMIT_EXCEEDED);
        ck_assert_str_eq(rule_of(&record), is_legal ? "" : "limit.attributes");
        stop_recording(&record);
        stf_buf_done(&buf);
    }
}

/* Tags and comments of an exact size, fed in odd pieces. */
STF_TEST(tags_and_comments_are_accepted_up_to_the_limit_and_refused_beyond)
{
    static const struct {
        const char *head;
        const char *tail;
        const char *end;
    } shapes[] = {{"<a b='", "'/>", ""}, {"<!--", "-->", "<a/>"}, {"<?p ", "?>", "<a/>"}};
    for (size_t i = 0; i < STF_COUNT_OF(shapes); i++) {
        for (size_t size = STF_LIMIT_XML_TOKEN_BYTES; size <= STF_LIMIT_XML_TOKEN_BYTES + 1;
             size++) {
            recording record;
            stf_buf buf;
            stf_buf_init(&buf, NULL);
            append_times(&buf, shapes[i].head, 1);
            append_times(&buf, "x", size - strlen(shapes[i].head) - strlen(shapes[i].tail));
            append_times(&buf, shapes[i].tail, 1);
            append_times(&buf, shapes[i].end, 1);
            start_recording(&record, NULL);
            bool is_legal = size == STF_LIMIT_XML_TOKEN_BYTES;
            ck_assert_int_eq(feed_buf(&record, &buf), is_legal ? STF_OK : STF_LIMIT_EXCEEDED);
            ck_assert_str_eq(rule_of(&record), is_legal ? "" : "limit.tag");
            stop_recording(&record);
            stf_buf_done(&buf);
        }
    }
}

STF_TEST(an_attribute_without_end_is_refused_early_and_in_bounded_memory)
{
    counting_alloc counting;
    counting_init(&counting);
    recording record;
    start_recording(&record, &counting.alloc);
    static char piece[64 * 1024];
    memset(piece, 'x', sizeof(piece));
    stf_status status = feed(&record, "<a b='", false);
    size_t fed = 0;
    while (status == STF_OK && fed < ((size_t)1 << 30)) {
        status =
            stf__xml_feed(record.xml, (stf_bytes){(const uint8_t *)piece, sizeof(piece)}, false);
        fed += sizeof(piece);
    }
    ck_assert_int_eq(status, STF_LIMIT_EXCEEDED);
    ck_assert_str_eq(rule_of(&record), "limit.tag");
    ck_assert_uint_lt(fed, 4u * STF_LIMIT_XML_TOKEN_BYTES);
    ck_assert_uint_lt(counting.peak_bytes, 16u * 1024 * 1024);
    stop_recording(&record);
    ck_assert_uint_eq(counting.live, 0);
}

STF_TEST(a_file_without_end_is_refused_at_the_limit_in_bounded_memory)
{
    counting_alloc counting;
    counting_init(&counting);
    recording record;
    start_recording(&record, &counting.alloc);
    static char piece[64 * 1024];
    memset(piece, ' ', sizeof(piece));
    stf_status status = feed(&record, "<a>", false);
    size_t fed = 0;
    while (status == STF_OK && fed < ((size_t)1 << 30)) {
        stf_buf_clear(&record.text);
        status =
            stf__xml_feed(record.xml, (stf_bytes){(const uint8_t *)piece, sizeof(piece)}, false);
        fed += sizeof(piece);
    }
    ck_assert_int_eq(status, STF_LIMIT_EXCEEDED);
    ck_assert_str_eq(rule_of(&record), "limit.file");
    ck_assert_uint_le(fed, STF_LIMIT_XML_BYTES + sizeof(piece));
    ck_assert_uint_lt(counting.peak_bytes, 4u * 1024 * 1024);
    stop_recording(&record);
}

STF_TEST(names_without_end_hit_the_memory_budget)
{
    counting_alloc counting;
    counting_init(&counting);
    recording record;
    start_recording(&record, &counting.alloc);
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    stf_status status = feed(&record, "<a>", false);
    for (unsigned i = 0; status == STF_OK && i < 300; i++) {
        stf_buf_clear(&buf);
        for (unsigned k = 0; k < 4000; k++) {
            if (stf_buf_printf(&buf, "<e%ux%u a%ux%u=''/>", i, k, i, k) != STF_OK) {
                ck_abort_msg("out of memory");
            }
        }
        stf_buf_clear(&record.text);
        status = stf__xml_feed(record.xml, stf_buf_bytes(&buf), false);
    }
    stf_buf_done(&buf);
    ck_assert_int_eq(status, STF_LIMIT_EXCEEDED);
    ck_assert_uint_lt(counting.peak_bytes, 32u * 1024 * 1024);
    stop_recording(&record);
}

STF_TEST(what_a_handler_answers_ends_the_pass_and_stays)
{
    recording record;
    start_recording(&record, NULL);
    record.answer = STF_CALLBACK;
    ck_assert_int_eq(feed(&record, "<a><b/></a>", true), STF_CALLBACK);
    STF_CHECK_STR(stf_buf_str(&record.text), "<0:a@1>");
    ck_assert_int_eq(feed(&record, "<a/>", true), STF_CALLBACK);
    ck_assert_uint_eq(stf_diagnostics_count(record.list), 0);
    stop_recording(&record);
}

STF_TEST(attributes_are_found_by_namespace_and_name)
{
    stf__xml_attribute attributes[] = {{STF__NS_NONE, STF_STR("topic"), STF_STR("plain")},
                                       {STF__NS_CAMUNDA, STF_STR("topic"), STF_STR("theirs")}};
    stf__xml_element element = {.attributes = attributes, .attribute_count = 2};
    stf_str value = {NULL, 0};
    ck_assert(stf__xml_get(&element, STF__NS_CAMUNDA, "topic", &value));
    STF_CHECK_STR(value, "theirs");
    ck_assert(!stf__xml_get(&element, STF__NS_ZEEBE, "topic", &value));
    ck_assert(!stf__xml_get(&element, STF__NS_NONE, "top", &value));
}

static const stf_test_case cases[] = {
    STF_CASE(elements_attributes_and_text_arrive_with_namespaces_and_lines),
    STF_CASE(pieces_of_any_size_give_the_same),
    STF_CASE(a_document_type_declaration_ends_the_pass_at_its_line),
    STF_CASE(nesting_is_accepted_up_to_the_limit_and_refused_beyond),
    STF_CASE(attributes_are_accepted_up_to_the_limit_and_refused_beyond),
    STF_CASE(tags_and_comments_are_accepted_up_to_the_limit_and_refused_beyond),
    STF_CASE(an_attribute_without_end_is_refused_early_and_in_bounded_memory),
    STF_CASE(a_file_without_end_is_refused_at_the_limit_in_bounded_memory),
    STF_CASE(names_without_end_hit_the_memory_budget),
    STF_CASE(what_a_handler_answers_ends_the_pass_and_stays),
    STF_CASE(attributes_are_found_by_namespace_and_name),
};

STF_TEST_MAIN("bpmn/xml", cases)
