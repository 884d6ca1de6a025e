/* SPDX-License-Identifier: Apache-2.0 */
/* The time of a timer event: validated when it is a literal, compiled when it is an expression. */
#include "base/cycle.h"
#include "base/mem.h"
#include "bpmn/build.h"

#include <string.h>

static const char *const time_names[] = {[STF__TIMER_NONE] = "time",
                                         [STF__TIMER_DATE] = "timeDate",
                                         [STF__TIMER_DURATION] = "timeDuration",
                                         [STF__TIMER_CYCLE] = "timeCycle"};

static bool is_duration(stf_str text)
{
    stf__duration ignored;
    return stf__duration_parse(text, &ignored, NULL) == STF_OK;
}

/* With a zone. */
static bool is_date(stf_str text)
{
    stf__date_time ignored;
    return stf__date_time_parse(text, &ignored, NULL) == STF_OK;
}

/* A date and time that lacks nothing but a zone; ret_text: with "Z". The text is bounded: a longer
 * one is no date. */
static bool is_local_date(stf__draft *draft, stf_str text, stf_str *ret_text)
{
    char zoned[64];
    if (text.size + 1 > sizeof(zoned)) {
        return false;
    }
    memcpy(zoned, text.data, text.size);
    zoned[text.size] = 'Z';
    stf_str with_zone = {zoned, text.size + 1};
    if (!is_date(with_zone)) {
        return false;
    }
    *ret_text = stf__draft_copy(draft, with_zone);
    return true;
}

typedef struct timer_context {
    stf__builder *builder;
    stf__place place;
    stf__node *node;
} timer_context;

#define REPORT(context, text, sentence)                                                            \
    stf__draft_report((context)->builder->draft, (context)->builder->from, STF__FAULT_WRONG,       \
                      "timer.invalid", (context)->place, sentence, STF__CUT(text))

static void warn_no_zone(const timer_context *context, stf_str text)
{
    stf__diagnostics_add(context->builder->draft->diagnostics, STF_SEVERITY_WARNING,
                         "timer.no-zone", context->place,
                         "the time \"%.*s\" has no zone and is read as UTC", STF__CUT(text));
}

static void read_date(const timer_context *context, stf_str text)
{
    stf_str zoned = {NULL, 0};
    if (is_date(text)) {
        context->node->timer_text = stf__build_copy(context->builder, text);
    } else if (is_duration(text)) {
        REPORT(context, text, "timeDate holds \"%.*s\", which is a duration and no date");
    } else if (is_local_date(context->builder->draft, text, &zoned)) {
        warn_no_zone(context, text);
        context->node->timer_text = stf__build_copy(context->builder, zoned);
    } else {
        REPORT(context, text,
               "\"%.*s\" is not an ISO 8601 date and time, such as 2030-01-31T12:00:00Z");
    }
}

static void read_duration(const timer_context *context, stf_str text)
{
    stf_str ignored;
    if (is_duration(text)) {
        context->node->timer_text = stf__build_copy(context->builder, text);
    } else if (is_date(text) || is_local_date(context->builder->draft, text, &ignored)) {
        REPORT(context, text, "timeDuration holds \"%.*s\", which is a date and no duration");
    } else {
        REPORT(context, text, "\"%.*s\" is not an ISO 8601 duration, such as PT5M");
    }
}

/* A repetition whose start or end lacks nothing but a zone; ret_text: with "Z". */
static bool is_local_cycle(stf__draft *draft, stf_str text, stf_str *ret_text)
{
    char zoned[128];
    size_t used = 0;
    for (size_t at = 0; at < text.size && text.size + 8 < sizeof(zoned);) {
        const char *slash = memchr(text.data + at, '/', text.size - at);
        size_t end = slash != NULL ? (size_t)(slash - text.data) : text.size;
        stf_str part = {text.data + at, end - at};
        stf_str with_zone = part;
        (void)is_local_date(draft, part, &with_zone);
        if (used + with_zone.size + 1 >= sizeof(zoned)) {
            return false;
        }
        memcpy(zoned + used, with_zone.data, with_zone.size);
        used += with_zone.size;
        at = end + 1;
        if (slash != NULL) {
            zoned[used++] = '/';
        }
    }
    stf__cycle ignored;
    if (stf__cycle_parse((stf_str){zoned, used}, &ignored, NULL) != STF_OK) {
        return false;
    }
    *ret_text = stf__draft_copy(draft, (stf_str){zoned, used});
    return true;
}

/* Five to seven fields, or "@daily" and the like. */
static bool looks_like_cron(stf_str text)
{
    size_t fields = 0;
    for (size_t i = 0; i < text.size; i++) {
        fields += text.data[i] != ' ' && (i == 0 || text.data[i - 1] == ' ');
    }
    return text.data[0] == '@' || (fields >= 5 && fields <= 7);
}

static void read_cycle(const timer_context *context, stf_str text)
{
    stf__cycle ignored;
    stf_str zoned = {NULL, 0};
    if (stf__cycle_parse(text, &ignored, NULL) == STF_OK) {
        context->node->timer_text = stf__build_copy(context->builder, text);
    } else if (is_local_cycle(context->builder->draft, text, &zoned)) {
        warn_no_zone(context, text);
        context->node->timer_text = stf__build_copy(context->builder, zoned);
    } else if (looks_like_cron(text)) {
        REPORT(context, text,
               "timeCycle \"%.*s\" is a cron expression and no ISO 8601 repetition: not supported "
               "yet");
    } else {
        REPORT(context, text,
               "\"%.*s\" is not an ISO 8601 repetition, such as R3/PT10M, R/PT1H or "
               "R5/2030-01-31T12:00:00Z/P1D");
    }
}

static void read_text(const timer_context *context, stf_str text)
{
    if (stf__expression_is(text)) {
        context->node->timer_expr = stf__expression_compile(context->builder, context->place,
                                                            "time", text, (stf_str){NULL, 0});
    } else if (context->node->timer_kind == STF__TIMER_DATE) {
        read_date(context, text);
    } else if (context->node->timer_kind == STF__TIMER_DURATION) {
        read_duration(context, text);
    } else {
        read_cycle(context, text);
    }
}

void stf__timer_read(stf__builder *builder, const stf__draft_node *from,
                     const stf__draft_event *event, stf__node *node)
{
    timer_context context = {
        .builder = builder,
        .place = {.line = event->line, .column = event->column, .element = from->place.element},
        .node = node};
    if (event->time_count == 0) {
        stf__draft_report(builder->draft, builder->from, STF__FAULT_MISSING, "timer.missing",
                          context.place, "the timer has no timeDate, timeDuration or timeCycle");
        return;
    }
    context.place.line = event->time.line;
    context.place.column = event->time.column;
    if (event->time_count > 1) {
        stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_ERROR, "timer.several",
                             context.place, "a timer may have one time only");
        return;
    }
    const char *name = time_names[event->timer_kind];
    if (event->time.text.size == 0) {
        stf__draft_report(builder->draft, builder->from, STF__FAULT_MISSING, "timer.empty",
                          context.place, "%s is empty: a timer without a time", name);
        return;
    }
    if (node->timer_expr != NULL) {
        return; /* one of several definitions, none of which is executed */
    }
    node->timer_kind = (uint32_t)event->timer_kind;
    read_text(&context, event->time.text);
}

bool stf__timer_parse_length(stf_str text, int64_t *ret_us)
{
    stf__duration length;
    if (stf__duration_parse(text, &length, NULL) != STF_OK || length.months != 0 || length.us < 0) {
        return false;
    }
    *ret_us = length.us;
    return true;
}
