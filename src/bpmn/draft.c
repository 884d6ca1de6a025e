/* SPDX-License-Identifier: Apache-2.0 */
/* Lifetime, texts and look-up of drafts, and the two ways in which a process becomes unable to
 * run. */
#include "bpmn/draft.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    MESSAGE_BYTES = 1024
};

void stf__draft_init(stf__draft *draft, const stf_allocator *alloc, stf_diagnostics *diagnostics)
{
    *draft = (stf__draft){.diagnostics = diagnostics};
    stf__arena_init(&draft->arena, alloc);
    stf__map_init(&draft->entries, alloc);
    stf__map_init(&draft->made_ids, alloc);
}

void stf__draft_done(stf__draft *draft)
{
    stf__map_done(&draft->entries);
    stf__map_done(&draft->made_ids);
    stf__arena_done(&draft->arena);
}

stf_str stf__draft_copy(stf__draft *draft, stf_str text)
{
    stf_str copy = {NULL, 0};
    if (text.size != 0 && stf__arena_copy_str(&draft->arena, text, &copy) != STF_OK) {
        draft->is_out_of_memory = true;
    }
    return copy;
}

static bool is_white(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

stf_str stf__draft_trim(stf_str text)
{
    while (text.size != 0 && is_white(text.data[0])) {
        text = (stf_str){text.data + 1, text.size - 1};
    }
    while (text.size != 0 && is_white(text.data[text.size - 1])) {
        text.size--;
    }
    return text;
}

stf__draft_entry *stf__draft_find(const stf__draft *draft, stf_str reference)
{
    stf__draft_entry *entry = stf__map_get(&draft->entries, reference);
    if (entry != NULL) {
        return entry;
    }
    stf_str trimmed = stf__draft_trim(reference);
    entry = stf__map_get(&draft->entries, trimmed);
    const char *colon = trimmed.size != 0 ? memchr(trimmed.data, ':', trimmed.size) : NULL;
    if (entry == NULL && colon != NULL) {
        size_t local_at = (size_t)(colon - trimmed.data) + 1;
        stf_str local = {trimmed.data + local_at, trimmed.size - local_at};
        entry = stf__map_get(&draft->entries, local);
    }
    return entry;
}

void *stf__draft_find_object(const stf__draft *draft, stf_str reference, stf__bpmn_class wanted)
{
    const stf__draft_entry *entry = stf__draft_find(draft, reference);
    bool is_wanted = entry != NULL && entry->name != NULL && entry->name->name_class == wanted;
    return is_wanted ? entry->object : NULL;
}

static void block(stf__draft *draft, stf__draft_process *process, uint32_t line,
                  const char *message)
{
    if (process->blocked_by != NULL && process->blocked_line <= line) {
        return;
    }
    stf_str copy;
    if (stf__arena_copy_str(&draft->arena, stf_str_of(message), &copy) != STF_OK) {
        draft->is_out_of_memory = true;
        return;
    }
    process->blocked_by = copy.data;
    process->blocked_line = line;
}

static stf_severity severity_of(const stf__draft_process *process, stf__fault fault)
{
    if (fault == STF__FAULT_UNSUPPORTED) {
        return STF_SEVERITY_UNSUPPORTED;
    }
    bool is_drawing =
        !process->is_executable || (fault == STF__FAULT_MISSING && process->has_unsupported);
    return is_drawing ? STF_SEVERITY_WARNING : STF_SEVERITY_ERROR;
}

void stf__draft_report(stf__draft *draft, stf__draft_process *process, stf__fault fault,
                       const char *rule, stf__place place, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    stf__diagnostics_add(draft->diagnostics, severity_of(process, fault), rule, place, "%s",
                         message);
    block(draft, process, place.line, message);
    process->has_unsupported = process->has_unsupported || fault == STF__FAULT_UNSUPPORTED;
}

void stf__draft_report_reference(stf__draft *draft, stf__draft_process *process, bool is_needed,
                                 const char *rule, stf__place place, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    if (is_needed) {
        stf__draft_report(draft, process, STF__FAULT_WRONG, rule, place, "%s", message);
    } else {
        stf__diagnostics_add(draft->diagnostics, STF_SEVERITY_WARNING, rule, place, "%s", message);
    }
}

void stf__draft_report_unsupported(stf__draft *draft, stf__draft_process *process, stf__place place,
                                   const char *label)
{
    stf__draft_report(draft, process, STF__FAULT_UNSUPPORTED, "unsupported", place,
                      "not supported yet: %s at line %u", label, (unsigned)place.line);
}
