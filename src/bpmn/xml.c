/* SPDX-License-Identifier: Apache-2.0 */
/* expat under guard. Text comes in pieces and is not limited here; tags, comments and processing
 * instructions are what expat buffers whole, and are. */
#include "bpmn/xml.h"

#include "base/mem.h"
#include "bpmn/xml_private.h"

#include <stdio.h>
#include <string.h>

enum {
    PIECE_BYTES = 64 * 1024,
    /* expat may look at a growing token only each time it has doubled, so an unfinished one is
     * known to be over the limit at twice the limit only. */
    UNFINISHED_BYTES = 2 * (int)STF_LIMIT_XML_TOKEN_BYTES + PIECE_BYTES,
    /* buffers of up to four tokens, and what expat keeps of names and attributes */
    BUDGET_BYTES = 24 * 1024 * 1024
};

stf__place stf__xml_place(const stf__xml *xml)
{
    return (stf__place){.line = (uint32_t)XML_GetCurrentLineNumber(xml->parser),
                        .column = (uint32_t)XML_GetCurrentColumnNumber(xml->parser) + 1};
}

void stf__xml_stop(stf__xml *xml, stf_status status)
{
    xml->status = status;
    (void)XML_StopParser(xml->parser, XML_FALSE);
}

bool stf__xml_get(const stf__xml_element *element, stf__ns ns, const char *name, stf_str *ret_value)
{
    for (size_t i = 0; i < element->attribute_count; i++) {
        if (element->attributes[i].ns == ns &&
            stf_str_equal(element->attributes[i].name, stf_str_of(name))) {
            *ret_value = element->attributes[i].value;
            return true;
        }
    }
    return false;
}

/* False: the pass is over. expat may still call handlers after a stop. */
static bool check_token(stf__xml *xml)
{
    if (xml->status != STF_OK) {
        return false;
    }
    if ((size_t)XML_GetCurrentByteCount(xml->parser) > STF_LIMIT_XML_TOKEN_BYTES) {
        STF__XML_FAIL(xml, STF_LIMIT_EXCEEDED, "limit.tag",
                      "a tag or comment is larger than the limit of %u bytes",
                      STF_LIMIT_XML_TOKEN_BYTES);
        return false;
    }
    return true;
}

static void split_name(stf_str full, stf_str *ret_prefix, stf_str *ret_local)
{
    const char *colon = memchr(full.data, ':', full.size);
    size_t prefix_size = colon != NULL ? (size_t)(colon - full.data) : 0;
    size_t local_at = colon != NULL ? prefix_size + 1 : 0;
    *ret_prefix = (stf_str){full.data, prefix_size};
    *ret_local = (stf_str){full.data + local_at, full.size - local_at};
}

static bool is_declaration(stf_str name, stf_str *ret_prefix)
{
    static const char xmlns[] = "xmlns";
    size_t size = sizeof(xmlns) - 1;
    if (name.size < size || memcmp(name.data, xmlns, size) != 0 ||
        (name.size > size && name.data[size] != ':')) {
        return false;
    }
    *ret_prefix = name.size > size ? (stf_str){name.data + size + 1, name.size - size - 1}
                                   : (stf_str){NULL, 0};
    return true;
}

/* Declarations first: they hold for the element's own name and for attributes before them. */
static bool bind_prefixes(stf__xml *xml, const XML_Char **attributes)
{
    for (size_t i = 0; attributes[i] != NULL; i += 2) {
        stf_str prefix;
        if (!is_declaration(stf_str_of(attributes[i]), &prefix)) {
            continue;
        }
        stf_status status = stf__ns_bind(&xml->names, prefix, stf_str_of(attributes[i + 1]));
        if (status == STF_LIMIT_EXCEEDED) {
            STF__XML_FAIL(xml, status, "limit.namespaces",
                          "more than %u namespace prefixes are declared at once",
                          STF_LIMIT_XML_ATTRIBUTES);
        } else if (status != STF_OK) {
            stf__xml_stop(xml, status);
        }
        if (status != STF_OK) {
            return false;
        }
    }
    return true;
}

static bool resolve(stf__xml *xml, stf_str full, bool is_attribute, stf__ns *ret_ns,
                    stf_str *ret_uri, stf_str *ret_local)
{
    stf_str prefix;
    split_name(full, &prefix, ret_local);
    if (is_attribute && prefix.size == 0) {
        *ret_ns = STF__NS_NONE; /* the default namespace is not for attributes */
        return true;
    }
    if (!stf__ns_find(&xml->names, prefix, ret_ns, ret_uri)) {
        STF__XML_FAIL(xml, STF_PARSE, "xml.prefix-undeclared",
                      "the namespace prefix \"%.*s\" is not declared", STF__CUT(prefix));
        return false;
    }
    return true;
}

static bool read_attributes(stf__xml *xml, const XML_Char **attributes, stf__xml_element *element)
{
    for (size_t i = 0; attributes[i] != NULL; i += 2) {
        stf_str ignored;
        stf_str name = stf_str_of(attributes[i]);
        if (is_declaration(name, &ignored)) {
            continue;
        }
        if (element->attribute_count == STF_LIMIT_XML_ATTRIBUTES) {
            STF__XML_FAIL(xml, STF_LIMIT_EXCEEDED, "limit.attributes",
                          "an element has more than %u attributes", STF_LIMIT_XML_ATTRIBUTES);
            return false;
        }
        stf__xml_attribute *attribute = &xml->attributes[element->attribute_count++];
        attribute->value = stf_str_of(attributes[i + 1]);
        if (!resolve(xml, name, true, &attribute->ns, &ignored, &attribute->name)) {
            return false;
        }
    }
    return true;
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    stf__xml *xml = user;
    if (!check_token(xml)) {
        return;
    }
    if (xml->names.depth == STF_LIMIT_XML_DEPTH) {
        STF__XML_FAIL(xml, STF_LIMIT_EXCEEDED, "limit.depth",
                      "elements are nested deeper than the limit of %u", STF_LIMIT_XML_DEPTH);
        return;
    }
    stf__place place = stf__xml_place(xml);
    stf__xml_element element = {
        .line = place.line, .column = place.column, .attributes = xml->attributes};
    if (stf__ns_push(&xml->names, stf_str_of(name), place.line) != STF_OK) {
        stf__xml_stop(xml, STF_NO_MEMORY);
        return;
    }
    if (!bind_prefixes(xml, attributes) ||
        !resolve(xml, stf_str_of(name), false, &element.ns, &element.uri, &element.name) ||
        !read_attributes(xml, attributes, &element)) {
        return;
    }
    stf_status status = xml->handler.start(xml->handler.user, &element);
    if (status != STF_OK) {
        stf__xml_stop(xml, status);
    }
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    (void)name;
    stf__xml *xml = user;
    if (!check_token(xml)) {
        return;
    }
    stf__ns_pop(&xml->names);
    stf_status status = xml->handler.end(xml->handler.user);
    if (status != STF_OK) {
        stf__xml_stop(xml, status);
    }
}

static void XMLCALL on_text(void *user, const XML_Char *text, int size)
{
    stf__xml *xml = user;
    if (xml->status == STF_OK) {
        stf_status status = xml->handler.text(xml->handler.user, (stf_str){text, (size_t)size});
        if (status != STF_OK) {
            stf__xml_stop(xml, status);
        }
    }
}

static void XMLCALL on_comment(void *user, const XML_Char *text)
{
    (void)text;
    (void)check_token(user);
}

static void XMLCALL on_instruction(void *user, const XML_Char *target, const XML_Char *text)
{
    (void)target;
    (void)text;
    (void)check_token(user);
}

static void XMLCALL on_declaration(void *user, const XML_Char *version, const XML_Char *encoding,
                                   int standalone)
{
    (void)version;
    (void)standalone;
    stf__xml *xml = user;
    (void)snprintf(xml->encoding, sizeof(xml->encoding), "%s", encoding != NULL ? encoding : "");
}

static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system_id,
                               const XML_Char *public_id, int has_internal_subset)
{
    (void)name;
    (void)system_id;
    (void)public_id;
    (void)has_internal_subset;
    STF__XML_FAIL((stf__xml *)user, STF_PARSE, "xml.doctype",
                  "document type declarations are not accepted");
}

static bool open_parser(stf__xml *xml)
{
    stf__xml_memory *previous = stf__xml_memory_enter(&xml->memory);
    xml->parser = XML_ParserCreate_MM(NULL, &stf__xml_memory_suite, NULL);
    stf__xml_memory_leave(previous);
    if (xml->parser == NULL) {
        return false;
    }
    XML_SetUserData(xml->parser, xml);
    XML_SetElementHandler(xml->parser, on_start, on_end);
    XML_SetCharacterDataHandler(xml->parser, on_text);
    XML_SetCommentHandler(xml->parser, on_comment);
    XML_SetProcessingInstructionHandler(xml->parser, on_instruction);
    XML_SetXmlDeclHandler(xml->parser, on_declaration);
    XML_SetStartDoctypeDeclHandler(xml->parser, on_doctype);
    XML_SetUnknownEncodingHandler(xml->parser, stf__xml_find_encoding, NULL);
    return true;
}

stf_status stf__xml_new(const stf_allocator *alloc, stf__xml_handler handler,
                        stf_diagnostics *diagnostics, stf__xml **ret_xml, stf_error *error)
{
    const stf_allocator *allocator = stf__alloc_or_default(alloc);
    stf__xml *xml = stf__mem_zalloc(allocator, sizeof(*xml));
    if (xml == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "BPMN", "out of memory");
    }
    xml->alloc = allocator;
    xml->handler = handler;
    xml->diagnostics = diagnostics;
    xml->memory = (stf__xml_memory){.alloc = allocator, .budget = BUDGET_BYTES};
    stf__ns_init(&xml->names, allocator);
    xml->attributes =
        stf__mem_zalloc_array(allocator, STF_LIMIT_XML_ATTRIBUTES, sizeof(*xml->attributes));
    if (xml->attributes == NULL || !open_parser(xml)) {
        stf__xml_free(xml);
        return stf_error_set(error, STF_NO_MEMORY, "BPMN", "out of memory");
    }
    *ret_xml = xml;
    return STF_OK;
}

stf__xml *stf__xml_free(stf__xml *xml)
{
    if (xml != NULL) {
        stf__xml_memory *previous = stf__xml_memory_enter(&xml->memory);
        XML_ParserFree(xml->parser);
        stf__xml_memory_leave(previous);
        stf__ns_done(&xml->names);
        stf__mem_free(xml->alloc, xml->attributes);
        stf__mem_free(xml->alloc, xml);
    }
    return NULL;
}

static void check_unfinished(stf__xml *xml)
{
    XML_Index index = XML_GetCurrentByteIndex(xml->parser);
    size_t done = index > 0 ? (size_t)index : 0;
    if (xml->fed > done && xml->fed - done > UNFINISHED_BYTES) {
        STF__XML_FAIL(xml, STF_LIMIT_EXCEEDED, "limit.tag",
                      "a tag or comment is larger than the limit of %u bytes",
                      STF_LIMIT_XML_TOKEN_BYTES);
    }
}

static void feed_piece(stf__xml *xml, stf_bytes piece, bool is_final)
{
    xml->fed += piece.size;
    if (xml->fed > STF_LIMIT_XML_BYTES) {
        STF__XML_FAIL(xml, STF_LIMIT_EXCEEDED, "limit.file",
                      "the file is larger than the limit of %u bytes", STF_LIMIT_XML_BYTES);
        return;
    }
    /* XML_Parse also takes an empty last piece, which XML_ParseBuffer does not. */
    if (XML_Parse(xml->parser, piece.size != 0 ? (const char *)piece.data : "", (int)piece.size,
                  is_final) != XML_STATUS_OK) {
        stf__xml_fail_parse(xml);
    } else if (!is_final) {
        check_unfinished(xml);
    }
}

stf_status stf__xml_feed(stf__xml *xml, stf_bytes piece, bool is_final)
{
    stf__xml_memory *previous = stf__xml_memory_enter(&xml->memory);
    size_t at = 0;
    do {
        size_t size = piece.size - at < PIECE_BYTES ? piece.size - at : PIECE_BYTES;
        stf_bytes part = {piece.data != NULL ? piece.data + at : NULL, size};
        at += size;
        if (xml->status == STF_OK) {
            feed_piece(xml, part, is_final && at == piece.size);
        }
    } while (at < piece.size && xml->status == STF_OK);
    stf__xml_memory_leave(previous);
    return xml->status;
}
