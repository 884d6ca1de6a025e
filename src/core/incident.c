/* SPDX-License-Identifier: Apache-2.0 */
/* Incidents: where the flow cannot go on by itself. An activation has at most one; it stays where
 * it is until the incident is retried or the activation is cancelled. The instance itself has at
 * most one, too (activation 0). One that is retried by itself is nobody's business yet: it is told
 * as a scheduled retry, never as opened, and closes without a fact. So each INCIDENT_OPENED has
 * exactly one INCIDENT_RESOLVED or INCIDENT_DROPPED. */
#include "core/step.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const stf_str no_text = {NULL, 0};

stf_status stf__step_clean_text(stf__step *step, stf_str text, size_t bytes_max, stf_str *ret_text)
{
    bool is_cut = text.size > bytes_max;
    stf_str view = {text.data, is_cut ? bytes_max : text.size};
    while (is_cut && view.size > 0 && ((uint8_t)text.data[view.size] & 0xC0) == 0x80) {
        view.size--;
    }
    char *own = stf__arena_alloc(step->effects->arena, view.size);
    if (own == NULL) {
        return stf__doc_no_memory(step->error);
    }
    if (view.size > 0) {
        memcpy(own, view.data, view.size);
    }
    if (!stf_str_is_utf8(view)) {
        for (size_t i = 0; i < view.size; i++) {
            if (own[i] == '\0' || ((uint8_t)own[i] & 0x80) != 0) {
                own[i] = '?';
            }
        }
    }
    *ret_text = (stf_str){own, view.size};
    return STF_OK;
}

/* The sentence that people read. */
static stf_status describe(stf__step *step, const stf__trouble *trouble, stf_str *ret_message)
{
    if (trouble->kind != STF__INCIDENT_BPMN_ERROR) {
        return stf__step_clean_text(step, trouble->message, STF__MESSAGE_BYTES_MAX, ret_message);
    }
    stf_buf text;
    stf_buf_init(&text, step->doc->alloc);
    stf_status status = stf_buf_printf(
        &text, "nobody catches BPMN error \"%.*s\"%s%.*s", STF_STR_ARG(trouble->code),
        trouble->message.size != 0 ? ": " : "", STF_STR_ARG(trouble->message));
    if (status == STF_OK) {
        status =
            stf__step_clean_text(step, stf_buf_str(&text), STF__MESSAGE_BYTES_MAX, ret_message);
    }
    stf_buf_done(&text);
    return status == STF_OK ? STF_OK : stf__doc_no_memory(step->error);
}

static stf_status add_incident(stf__step *step, const stf__activation *activation,
                               const stf__trouble *trouble, stf_wall retry_at)
{
    stf__doc *doc = step->doc;
    stf_str message;
    stf_status status = describe(step, trouble, &message);
    if (status != STF_OK) {
        return status;
    }
    stf__incident incident = {.number = ++doc->counters.incident,
                              .activation = activation != NULL ? activation->number : 0,
                              .kind = trouble->kind,
                              .line = trouble->line,
                              .opened = step->now,
                              .retry_at = retry_at};
    stf_str code = trouble->kind == STF__INCIDENT_BPMN_ERROR ? trouble->code : no_text;
    status = stf__doc_add_incident(doc, &incident, code, message, step->error);
    if (status != STF_OK || activation == NULL || activation->phase == STF__PHASE_HELD) {
        return status;
    }
    return stf__step_tell(step, STF_FACT_NODE_FAILED, activation->number, activation->element,
                          no_text);
}

stf_status stf__step_open_incident(stf__step *step, const stf__activation *activation,
                                   const stf__trouble *trouble)
{
    stf_status status = add_incident(step, activation, trouble, stf_wall_none());
    if (status != STF_OK) {
        return status;
    }
    return stf__step_tell(step, STF_FACT_INCIDENT_OPENED,
                          activation != NULL ? activation->number : 0,
                          activation != NULL ? activation->element : no_text,
                          stf_str_of(stf__incident_kind_name(trouble->kind)));
}

stf_status stf__step_schedule_retry(stf__step *step, const stf__activation *activation,
                                    const stf__trouble *trouble, stf_wall retry_at)
{
    stf_status status = add_incident(step, activation, trouble, retry_at);
    if (status != STF_OK) {
        return status;
    }
    char text[STF_WALL_TEXT_BYTES];
    stf_wall_format(retry_at, text);
    return stf__step_tell(step, STF_FACT_RETRY_SCHEDULED, activation->number, activation->element,
                          stf_str_of(text));
}

stf_status stf__step_open_incident_of(stf__step *step, const stf__activation *activation,
                                      stf__incident_kind kind, uint32_t line, const char *format,
                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = size >= 0 ? stf__arena_alloc(step->effects->arena, (size_t)size + 1) : NULL;
    if (text == NULL) {
        return stf__doc_no_memory(step->error);
    }
    va_start(arguments, format);
    (void)vsnprintf(text, (size_t)size + 1, format, arguments);
    va_end(arguments);
    stf__trouble trouble = {.kind = kind, .line = line, .message = {text, (size_t)size}};
    return stf__step_open_incident(step, activation, &trouble);
}

stf_status stf__step_close_incident(stf__step *step, uint64_t activation, stf_fact_kind fact)
{
    stf__doc *doc = step->doc;
    for (size_t i = 0; i < doc->incident_count; i++) {
        if (doc->incidents[i].activation != activation) {
            continue;
        }
        const stf__activation *owner = stf__doc_find_activation(doc, activation);
        const char *kind = stf__incident_kind_name(doc->incidents[i].kind);
        bool was_open = stf_wall_is_none(doc->incidents[i].retry_at);
        stf__doc_remove_incident(doc, i);
        return was_open ? stf__step_tell(step, fact, activation,
                                         owner != NULL ? owner->element : no_text, stf_str_of(kind))
                        : STF_OK;
    }
    return STF_OK;
}

bool stf__doc_is_stopped(const stf__doc *doc)
{
    for (size_t i = 0; i < doc->incident_count; i++) {
        if (doc->incidents[i].activation == 0) {
            return true;
        }
    }
    return false;
}
