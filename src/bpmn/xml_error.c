/* SPDX-License-Identifier: Apache-2.0 */
/* What expat says, in sentences for the person who drew the model. */
#include "base/mem.h"
#include "bpmn/xml_private.h"

typedef struct xml_sentence {
    enum XML_Error code;
    const char *rule;
    const char *text;
} xml_sentence;

static const xml_sentence sentences[] = {
    {XML_ERROR_UNCLOSED_TOKEN, "xml.truncated", "the file ends inside a tag"},
    {XML_ERROR_UNCLOSED_CDATA_SECTION, "xml.truncated", "the file ends inside a CDATA section"},
    {XML_ERROR_PARTIAL_CHAR, "xml.encoding", "the file ends inside a character"},
    {XML_ERROR_UNDEFINED_ENTITY, "xml.entity", "an entity that is not declared is used"},
    {XML_ERROR_BAD_CHAR_REF, "xml.entity", "a character reference names no character"},
    {XML_ERROR_DUPLICATE_ATTRIBUTE, "xml.attribute-twice", "an attribute is given twice"},
    {XML_ERROR_JUNK_AFTER_DOC_ELEMENT, "xml.after-end", "something follows the root element"},
    {XML_ERROR_MISPLACED_XML_PI, "xml.declaration",
     "the XML declaration is not at the start of the file"},
    {XML_ERROR_XML_DECL, "xml.declaration", "the XML declaration is not well-formed"},
    {XML_ERROR_INCORRECT_ENCODING, "xml.encoding",
     "the file is not in the encoding that its XML declaration names"},
};

static void report(stf__xml *xml, const char *rule, const char *text)
{
    STF__XML_FAIL(xml, STF_PARSE, rule, "%s", text);
}

/* What stands at the current position, from expat's own buffer. */
static stf_str peek_input(const stf__xml *xml)
{
    int offset = 0;
    int size = 0;
    const char *input = XML_GetInputContext(xml->parser, &offset, &size);
    if (input == NULL || offset < 0 || offset >= size) {
        return (stf_str){NULL, 0};
    }
    return (stf_str){input + offset, (size_t)(size - offset)};
}

static void fail_no_elements(stf__xml *xml)
{
    uint32_t line = 0;
    stf_str open = stf__ns_peek_open(&xml->names, &line);
    if (open.size != 0) {
        STF__XML_FAIL(xml, STF_PARSE, "xml.truncated",
                      "the file ends inside the element %.*s of line %u", STF__CUT(open),
                      (unsigned)line);
    } else if (xml->fed == 0) {
        stf__diagnostics_add(xml->diagnostics, STF_SEVERITY_ERROR, "xml.empty", (stf__place){0},
                             "the file is empty");
        stf__xml_stop(xml, STF_PARSE);
    } else {
        report(xml, "xml.empty", "the file holds no XML element");
    }
}

/* Only names in ASCII are quoted: the input is in the encoding of the file. */
static stf_str peek_name(const stf__xml *xml)
{
    stf_str input = peek_input(xml);
    size_t size = 0;
    while (size < input.size && input.data[size] > ' ' && input.data[size] < 0x7f &&
           input.data[size] != '>') {
        size++;
    }
    return (stf_str){input.data, size};
}

static void fail_mismatch(stf__xml *xml)
{
    uint32_t line = 0;
    stf_str open = stf__ns_peek_open(&xml->names, &line);
    stf_str name = peek_name(xml);
    STF__XML_FAIL(xml, STF_PARSE, "xml.tag-mismatch",
                  "the end tag %.*s does not match %.*s, opened in line %u", STF__CUT(name),
                  STF__CUT(open), (unsigned)line);
}

static void fail_token(stf__xml *xml)
{
    stf_str input = peek_input(xml);
    if (input.size != 0 && ((uint8_t)input.data[0] & 0x80u) != 0) {
        STF__XML_FAIL(xml, STF_PARSE, "xml.encoding",
                      "a byte is not valid in the encoding of the file, %s",
                      xml->encoding[0] != '\0' ? xml->encoding : "UTF-8");
    } else {
        report(xml, "xml.not-well-formed", "a character is not allowed here");
    }
}

static void fail_memory(stf__xml *xml)
{
    if (xml->memory.is_over_budget) {
        STF__XML_FAIL(xml, STF_LIMIT_EXCEEDED, "limit.memory",
                      "reading the file takes more memory than the limit of %zu bytes",
                      xml->memory.budget);
    } else {
        stf__xml_stop(xml, STF_NO_MEMORY);
    }
}

static void fail_other(stf__xml *xml, enum XML_Error code)
{
    for (size_t i = 0; i < STF_COUNT_OF(sentences); i++) {
        if (sentences[i].code == code) {
            report(xml, sentences[i].rule, sentences[i].text);
            return;
        }
    }
    report(xml, "xml.not-well-formed", XML_ErrorString(code));
}

void stf__xml_fail_parse(stf__xml *xml)
{
    if (xml->status != STF_OK) {
        return; /* a handler has stopped the pass and said why */
    }
    enum XML_Error code = XML_GetErrorCode(xml->parser);
    if (code == XML_ERROR_NO_MEMORY) {
        fail_memory(xml);
    } else if (code == XML_ERROR_NO_ELEMENTS) {
        fail_no_elements(xml);
    } else if (code == XML_ERROR_TAG_MISMATCH) {
        fail_mismatch(xml);
    } else if (code == XML_ERROR_INVALID_TOKEN) {
        fail_token(xml);
    } else if (code == XML_ERROR_UNKNOWN_ENCODING) {
        STF__XML_FAIL(xml, STF_PARSE, "xml.encoding", "the encoding \"%s\" is not supported",
                      xml->encoding);
    } else {
        fail_other(xml, code);
    }
}
