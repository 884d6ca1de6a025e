/* SPDX-License-Identifier: Apache-2.0 */
/* Broken files: each is refused with the rule and the line, in a sentence. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

static const struct {
    const char *xml;
    uint32_t line;
    const char *rule;
    const char *says;
} broken[] = {
    {"", 0, "xml.empty", "the file is empty"},
    {"\n\n", 3, "xml.empty", "no XML element"},
    {"<definitions " BPMN_NS ">\n<process id='p'>\n", 3, "xml.truncated",
     "ends inside the element process of line 2"},
    {"<definitions " BPMN_NS ">\n<proc", 2, "xml.truncated", "ends inside a tag"},
    {"<definitions " BPMN_NS ">\n<![CDATA[ab", 2, "xml.truncated", "CDATA"},
    {"<definitions " BPMN_NS ">\n<a:b/></definitions>", 2, "xml.prefix-undeclared",
     "the namespace prefix \"a\" is not declared"},
    {"<definitions " BPMN_NS ">\n<process id='p' c:x='1'/></definitions>", 2,
     "xml.prefix-undeclared", "prefix \"c\""},
    {"<definitions " BPMN_NS ">\n<process id='p'></task></definitions>", 2, "xml.tag-mismatch",
     "the end tag task does not match process, opened in line 2"},
    {"<definitions " BPMN_NS ">\n&nbsp;</definitions>", 2, "xml.entity", "not declared"},
    {"<definitions " BPMN_NS ">\n&#0;</definitions>", 2, "xml.entity", "no character"},
    {"<definitions a='1'\n a='2'/>", 2, "xml.attribute-twice", "given twice"},
    {"<definitions " BPMN_NS "/>\n<more/>", 2, "xml.after-end", "follows the root"},
    {"\n<?xml version='1.0'?><definitions/>", 2, "xml.declaration", "not at the start"},
    {"<?xml version='1.0' encoding='klingon'?><definitions/>", 1, "xml.encoding",
     "the encoding \"klingon\" is not supported"},
    {"<?xml version='1.0' encoding='UTF-16'?><definitions/>", 1, "xml.encoding",
     "not in the encoding"},
    {"<definitions " BPMN_NS ">\n<!--\xfc--></definitions>", 2, "xml.encoding",
     "not valid in the encoding of the file, UTF-8"},
    {"<definitions " BPMN_NS ">\n< /></definitions>", 2, "xml.not-well-formed", "not allowed"},
    {"<!DOCTYPE x SYSTEM 'outside.dtd'><definitions/>", 1, "xml.doctype",
     "document type declarations are not accepted"},
};

STF_TEST(each_kind_of_broken_file_is_refused_with_its_reason)
{
    for (size_t i = 0; i < STF_COUNT_OF(broken); i++) {
        fixture file;
        fixture_load(&file, broken[i].xml);
        ck_assert_int_eq(file.status, STF_PARSE);
        const char *message =
            fixture_expect(&file, STF_SEVERITY_ERROR, broken[i].line, "", broken[i].rule);
        ck_assert_msg(strstr(message, broken[i].says) != NULL, "%s", message);
        ck_assert_str_eq(file.error.message, message);
        fixture_done(&file);
    }
}

STF_TEST(what_was_found_before_the_break_stays)
{
    fixture file;
    fixture_load(&file, "<definitions " BPMN_NS ">\n<process id='p'>\n<quantumTask id='q'/>\n"
                        "<task id='t'></process></definitions>");
    fixture_expect(&file, STF_SEVERITY_ERROR, 3, "q", "element.unknown");
    fixture_expect(&file, STF_SEVERITY_ERROR, 4, "", "xml.tag-mismatch");
    fixture_done(&file);
}

static const stf_test_case cases[] = {
    STF_CASE(each_kind_of_broken_file_is_refused_with_its_reason),
    STF_CASE(what_was_found_before_the_break_stays),
};

STF_TEST_MAIN("bpmn/xml_error", cases)
