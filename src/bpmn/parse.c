/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over the elements: frames, skipping, ids and captured text. What each element means is
 * in handlers.c, found through a table by the class of its name.
 *
 * Foreign elements, extension elements and diagrams are skipped whole; names that BPMN does not
 * know are reported. */
#include "bpmn/parse.h"

#include "base/mem.h"

void stf__parser_init(stf__parser *parser, stf__draft *draft, const stf_allocator *alloc)
{
    *parser = (stf__parser){.draft = draft};
    stf_buf_init(&parser->text, alloc);
}

void stf__parser_done(stf__parser *parser)
{
    stf_buf_done(&parser->text);
}

void *stf__parser_new(stf__parser *parser, size_t size)
{
    void *object = stf__arena_zalloc(&parser->draft->arena, size);
    if (object == NULL) {
        parser->draft->is_out_of_memory = true;
    }
    return object;
}

stf_str stf__parser_copy(stf__parser *parser, const stf__xml_element *element, stf__ns ns,
                         const char *name)
{
    stf_str value = {NULL, 0};
    (void)stf__xml_get(element, ns, name, &value);
    return stf__draft_copy(parser->draft, value);
}

bool stf__parser_is_true(const stf__xml_element *element, stf__ns ns, const char *name,
                         bool is_default)
{
    stf_str value;
    if (!stf__xml_get(element, ns, name, &value)) {
        return is_default;
    }
    value = stf__draft_trim(value);
    return stf_str_equal(value, STF_STR("true")) || stf_str_equal(value, STF_STR("1"));
}

stf__place stf__parser_place(const stf__xml_element *element, stf_str id)
{
    return (stf__place){.line = element->line, .column = element->column, .element = id};
}

static stf_status fail_limit(stf__parser *parser, const stf__xml_element *element, const char *rule,
                             const char *what, unsigned limit)
{
    stf__diagnostics_add(parser->draft->diagnostics, STF_SEVERITY_ERROR, rule,
                         stf__parser_place(element, (stf_str){NULL, 0}), "%s: the limit is %u",
                         what, limit);
    return STF_LIMIT_EXCEEDED;
}

/* Why a text is no xsd:ID; NULL: it is one, as far as ASCII goes. Files have such ids, and every
 * reference to them is spelled alike, so this is a warning. */
static const char *find_id_fault(stf_str id)
{
    if (id.size == 0) {
        return "an id may not be empty";
    }
    if (id.data[id.size - 1] == ' ' || id.data[0] == ' ') {
        return "an id may not begin or end in a space";
    }
    if (id.data[0] >= '0' && id.data[0] <= '9') {
        return "an id may not begin with a digit";
    }
    if (id.data[0] == '-' || id.data[0] == '.') {
        return "an id may begin with a letter or \"_\" only";
    }
    for (size_t i = 0; i < id.size; i++) {
        char byte = id.data[i];
        bool is_name = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || byte == '_' || byte == '-' || byte == '.' ||
                       ((uint8_t)byte & 0x80u) != 0;
        if (byte == ' ') {
            return "an id may not contain a space";
        }
        if (byte == ':') {
            return "an id may not contain a colon";
        }
        if (!is_name) {
            return "an id may consist of letters, digits, \"_\", \"-\" and \".\" only";
        }
    }
    return NULL;
}

/* Things that references of a run name. Of the others (lanes, lane sets, notes...) tools write ids
 * twice, and nothing depends on them. */
static bool is_referable(const stf__bpmn_name *name)
{
    static const stf__bpmn_class classes[] = {
        STF__BPMN_PROCESS,          STF__BPMN_NODE,    STF__BPMN_FLOW, STF__BPMN_DATA,
        STF__BPMN_EVENT_DEFINITION, STF__BPMN_MESSAGE, STF__BPMN_ERROR};
    for (size_t i = 0; i < STF_COUNT_OF(classes); i++) {
        if (name == NULL || name->name_class == classes[i]) {
            return true;
        }
    }
    return stf__bpmn_name_is(name, "operation");
}

static void register_id(stf__parser *parser, stf__frame *frame, const stf__xml_element *element)
{
    stf__draft *draft = parser->draft;
    stf__draft_entry *entry = stf__parser_new(parser, sizeof(*entry));
    if (entry == NULL) {
        return;
    }
    entry->name = frame->name;
    entry->line = element->line;
    entry->id = stf__parser_copy(parser, element, STF__NS_NONE, "id");
    if (stf__bpmn_name_is(frame->name, "operation")) {
        entry->label = stf__parser_copy(parser, element, STF__NS_NONE, "name");
    }
    frame->entry = entry;
    stf__place place = stf__parser_place(element, entry->id);
    const char *fault = find_id_fault(entry->id);
    if (fault != NULL) {
        stf__diagnostics_add(draft->diagnostics, STF_SEVERITY_WARNING, "id.not-a-name", place,
                             "\"%.*s\" is no XML id: %s", STF__CUT(entry->id), fault);
    }
    const stf__draft_entry *other = stf__map_get(&draft->entries, entry->id);
    if (other != NULL) {
        bool is_bad = is_referable(other->name) || is_referable(entry->name);
        stf__diagnostics_add(draft->diagnostics, is_bad ? STF_SEVERITY_ERROR : STF_SEVERITY_WARNING,
                             "id.twice", place,
                             "the id \"%.*s\" is used twice; the other one is in line %u",
                             STF__CUT(entry->id), (unsigned)other->line);
    } else if (stf__map_put(&draft->entries, entry->id, entry) != STF_OK) {
        draft->is_out_of_memory = true;
    }
}

static void report_unknown(stf__parser *parser, stf__frame *frame, const stf__xml_element *element)
{
    stf__draft_entry *entry = stf__parser_new(parser, sizeof(*entry));
    if (entry == NULL) {
        return;
    }
    entry->id = stf__parser_copy(parser, element, STF__NS_NONE, "id");
    entry->line = element->line;
    if (entry->id.size != 0 && stf__map_get(&parser->draft->entries, entry->id) == NULL &&
        stf__map_put(&parser->draft->entries, entry->id, entry) != STF_OK) {
        parser->draft->is_out_of_memory = true;
    }
    stf__diagnostics_add(parser->draft->diagnostics, STF_SEVERITY_ERROR, "element.unknown",
                         stf__parser_place(element, entry->id),
                         "\"%.*s\" is no element of BPMN 2.0", STF__CUT(element->name));
    frame->is_skipped = true;
}

/* An element of another namespace, or of none. */
static void start_foreign(stf__parser *parser, stf__frame *frame, const stf__xml_element *element)
{
    static const stf__element_handler of_node[] = {
        stf__topic_read_extension, stf__call_read_extension, stf__mapping_read_extension,
        stf__retry_read_extension};
    const stf__frame *around = frame - 1;
    bool is_extension = around->name != NULL && around->name->name_class == STF__BPMN_EXTENSIONS;
    stf__bpmn_class extended =
        is_extension && around[-1].name != NULL ? around[-1].name->name_class : STF__BPMN_PLAIN;
    frame->is_skipped = true;
    if (frame->node != NULL &&
        (extended == STF__BPMN_NODE || extended == STF__BPMN_EVENT_DEFINITION)) {
        for (size_t i = 0; i < STF_COUNT_OF(of_node); i++) {
            of_node[i](parser, frame, element);
        }
    } else if (frame->message != NULL && extended == STF__BPMN_MESSAGE) {
        stf__message_read_extension(parser, frame, element);
    } else if (element->ns == STF__NS_NONE && !is_extension &&
               stf__bpmn_find_name(element->name) != NULL) {
        stf__diagnostics_add(parser->draft->diagnostics, STF_SEVERITY_WARNING,
                             "element.no-namespace", stf__parser_place(element, (stf_str){NULL, 0}),
                             "the element \"%.*s\" has no namespace and is ignored; BPMN's is %s",
                             STF__CUT(element->name), STF__NS_BPMN_URI);
    }
}

static bool is_counted(const stf__frame *frame, const stf__xml_element *element)
{
    stf_str ignored;
    return frame->name->name_class == STF__BPMN_NODE || frame->name->name_class == STF__BPMN_FLOW ||
           frame->name->name_class == STF__BPMN_EVENT_DEFINITION ||
           frame->name->name_class == STF__BPMN_EVENT_REF ||
           frame->name->name_class == STF__BPMN_DATA ||
           stf__xml_get(element, STF__NS_NONE, "id", &ignored);
}

static stf_status start_bpmn(stf__parser *parser, stf__frame *frame,
                             const stf__xml_element *element)
{
    frame->name = stf__bpmn_find_name(element->name);
    if (frame->name == NULL) {
        parser->draft->element_count++;
        report_unknown(parser, frame, element);
        return STF_OK;
    }
    parser->draft->element_count += is_counted(frame, element);
    stf_str id;
    if (stf__xml_get(element, STF__NS_NONE, "id", &id)) {
        if (id.size > STF_LIMIT_ID_BYTES) {
            return fail_limit(parser, element, "limit.id", "an id is too long", STF_LIMIT_ID_BYTES);
        }
        register_id(parser, frame, element);
    }
    frame->is_skipped = frame->name->name_class == STF__BPMN_OPAQUE;
    if (frame->node != NULL) {
        stf__feature_check_child(parser, frame, element);
    }
    stf__element_handler handler = stf__parser_find_handler(frame->name->name_class);
    if (handler != NULL) {
        handler(parser, frame, element);
    }
    return STF_OK;
}

static void begin_capture(stf__parser *parser, stf__frame *frame, const stf__xml_element *element)
{
    frame->is_skipped = true;
    stf_buf_clear(&parser->text);
    *frame->captured =
        (stf__draft_text){.line = element->line, .column = element->column, .is_given = true};
}

/* The root decides whether this is BPMN at all; nothing else would make sense after a wrong one. */
static stf_status check_root(stf__parser *parser, const stf__xml_element *element)
{
    if (element->ns == STF__NS_BPMN && stf_str_equal(element->name, STF_STR("definitions"))) {
        return STF_OK;
    }
    stf__diagnostics_add(parser->draft->diagnostics, STF_SEVERITY_ERROR, "file.not-bpmn",
                         stf__parser_place(element, (stf_str){NULL, 0}),
                         "the root element is not BPMN 2.0 definitions but \"%.*s\" of the "
                         "namespace \"%.*s\"; BPMN's is %s",
                         STF__CUT(element->name), STF__CUT(element->uri), STF__NS_BPMN_URI);
    return STF_PARSE;
}

static stf_status on_start(void *user, const stf__xml_element *element)
{
    stf__parser *parser = user;
    if (parser->frames[parser->depth].is_skipped) {
        parser->skipped_depth++;
        return STF_OK;
    }
    if (parser->depth == 0) {
        stf_status status = check_root(parser, element);
        if (status != STF_OK) {
            return status;
        }
    }
    stf__frame *frame = &parser->frames[++parser->depth];
    *frame = frame[-1];
    frame->entry = NULL;
    stf_status status = STF_OK;
    if (frame->is_mapping_list) {
        frame->is_skipped = true;
        stf__mapping_read_item(parser, frame, element);
    } else if (element->ns == STF__NS_BPMN) {
        status = start_bpmn(parser, frame, element);
    } else {
        start_foreign(parser, frame, element);
    }
    if (status == STF_OK && parser->draft->element_count > STF_LIMIT_MODEL_ELEMENTS) {
        return fail_limit(parser, element, "limit.elements", "too many elements",
                          STF_LIMIT_MODEL_ELEMENTS);
    }
    if (status == STF_OK && frame->captured != NULL) {
        begin_capture(parser, frame, element);
    }
    return status == STF_OK && parser->draft->is_out_of_memory ? STF_NO_MEMORY : status;
}

static stf_status on_end(void *user)
{
    stf__parser *parser = user;
    if (parser->skipped_depth > 0) {
        parser->skipped_depth--;
        return STF_OK;
    }
    stf__frame *frame = &parser->frames[parser->depth--];
    if (frame->captured != NULL) {
        frame->captured->text =
            stf__draft_copy(parser->draft, stf__draft_trim(stf_buf_str(&parser->text)));
    }
    return parser->draft->is_out_of_memory ? STF_NO_MEMORY : STF_OK;
}

/* Text of the captured element itself, in whatever pieces comments and CDATA sections leave. */
static stf_status on_text(void *user, stf_str text)
{
    stf__parser *parser = user;
    const stf__frame *frame = &parser->frames[parser->depth];
    if (frame->captured == NULL || parser->skipped_depth > 0) {
        return STF_OK;
    }
    if (parser->text.size + text.size > STF_LIMIT_XML_TOKEN_BYTES) {
        stf__place place = {.line = frame->captured->line, .column = frame->captured->column};
        stf__diagnostics_add(parser->draft->diagnostics, STF_SEVERITY_ERROR, "limit.text", place,
                             "the text of %s is larger than the limit of %u bytes",
                             frame->name->text, STF_LIMIT_XML_TOKEN_BYTES);
        return STF_LIMIT_EXCEEDED;
    }
    return stf_buf_append_str(&parser->text, text);
}

stf__xml_handler stf__parser_get_handler(stf__parser *parser)
{
    return (stf__xml_handler){.user = parser, .start = on_start, .end = on_end, .text = on_text};
}
