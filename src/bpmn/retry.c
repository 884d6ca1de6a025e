/* SPDX-License-Identifier: Apache-2.0 */
/* Retry policies of work: Stepfast's attributes, the tries of zeebe:taskDefinition, Camunda's and
 * Flowable's failedJobRetryTimeCycle; the first that says something counts. */
#include "base/cycle.h"
#include "base/mem.h"
#include "bpmn/build.h"
#include "bpmn/parse.h"

#include <string.h>

enum {
    RETRIES_LIMIT = 1000,
    FACTOR_LIMIT_PERCENT = 10000
};

/* ---- Reading --------------------------------------------------------------------------------- */

/* Made when there is something to say. NULL: out of memory (remembered). */
static stf__draft_retry *get_retry(stf__parser *parser, stf__draft_node *node)
{
    if (node->retry == NULL) {
        node->retry = stf__parser_new(parser, sizeof(*node->retry));
    }
    return node->retry;
}

void stf__retry_read_attributes(stf__parser *parser, stf__draft_node *node,
                                const stf__xml_element *element)
{
    static const struct {
        const char *name;
        size_t at;
    } attributes[] = {
        {"retries", offsetof(stf__draft_retry, retries)},
        {"retryDelay", offsetof(stf__draft_retry, delay)},
        {"retryFactor", offsetof(stf__draft_retry, factor)},
        {"retryMax", offsetof(stf__draft_retry, max)},
        {"retryJitter", offsetof(stf__draft_retry, jitter)},
    };
    for (size_t i = 0; i < STF_COUNT_OF(attributes); i++) {
        stf_str value;
        if (stf__xml_get(element, STF__NS_STEPFAST, attributes[i].name, &value) &&
            get_retry(parser, node) != NULL) {
            stf_str *field = (stf_str *)(void *)((char *)node->retry + attributes[i].at);
            *field = stf__draft_copy(parser->draft, stf__draft_trim(value));
        }
    }
}

void stf__retry_read_extension(stf__parser *parser, stf__frame *frame,
                               const stf__xml_element *element)
{
    stf_str tries;
    if (element->ns == STF__NS_ZEEBE && stf_str_equal(element->name, STF_STR("taskDefinition")) &&
        stf__xml_get(element, STF__NS_NONE, "retries", &tries) &&
        get_retry(parser, frame->node) != NULL) {
        frame->node->retry->tries = stf__draft_copy(parser->draft, stf__draft_trim(tries));
    }
    if ((element->ns == STF__NS_CAMUNDA || element->ns == STF__NS_FLOWABLE) &&
        stf_str_equal(element->name, STF_STR("failedJobRetryTimeCycle")) &&
        get_retry(parser, frame->node) != NULL) {
        frame->captured = &frame->node->retry->cycle;
    }
}

/* ---- Building -------------------------------------------------------------------------------- */

typedef struct retry_context {
    stf__builder *builder;
    stf__place place;
    stf_retry_policy *policy;
} retry_context;

static void report(const retry_context *context, const char *what, stf_str text,
                   const char *expected)
{
    stf__draft_report(context->builder->draft, context->builder->from, STF__FAULT_WRONG,
                      "retry.invalid", context->place, "%s is \"%.*s\"; expected is %s", what,
                      STF__CUT(text), expected);
}

/* Digits, up to a limit. */
static bool parse_number(stf_str text, uint32_t limit, uint32_t *ret_number)
{
    uint32_t number = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        number = number * 10 + (uint32_t)(text.data[i] - '0');
        if (number > limit) {
            return false;
        }
    }
    *ret_number = number;
    return text.size != 0;
}

/* "2" or "1.5" as 200 or 150; finer than a hundredth is not read. */
static bool parse_factor(stf_str text, uint32_t *ret_percent)
{
    const char *point = text.size != 0 ? memchr(text.data, '.', text.size) : NULL;
    size_t whole_size = point != NULL ? (size_t)(point - text.data) : text.size;
    size_t digits = point != NULL ? text.size - whole_size - 1 : 0;
    uint32_t whole = 0;
    uint32_t hundredths = 0;
    stf_str fraction = {text.data + whole_size + 1, digits};
    if (!parse_number((stf_str){text.data, whole_size}, FACTOR_LIMIT_PERCENT / 100, &whole) ||
        (point != NULL && (digits > 2 || !parse_number(fraction, 99, &hundredths)))) {
        return false;
    }
    *ret_percent = whole * 100 + (digits == 1 ? hundredths * 10 : hundredths);
    return *ret_percent >= 100 && *ret_percent <= FACTOR_LIMIT_PERCENT;
}

static void read_own(const retry_context *context, const stf__draft_retry *from)
{
    static const char duration[] = "an ISO 8601 duration of a fixed length, such as PT10S";
    stf_retry_policy *policy = context->policy;
    if (!parse_number(from->retries, RETRIES_LIMIT, &policy->retries)) {
        report(context, "stepfast:retries", from->retries, "a number up to 1000");
    }
    if (from->delay.size != 0 && !stf__timer_parse_length(from->delay, &policy->first_us)) {
        report(context, "stepfast:retryDelay", from->delay, duration);
    }
    if (from->factor.size != 0 && !parse_factor(from->factor, &policy->factor_percent)) {
        report(context, "stepfast:retryFactor", from->factor, "a number from 1 to 100");
    }
    if (from->max.size != 0 && !stf__timer_parse_length(from->max, &policy->cap_us)) {
        report(context, "stepfast:retryMax", from->max, duration);
    }
    if (from->jitter.size != 0 && !parse_number(from->jitter, 100, &policy->jitter_percent)) {
        report(context, "stepfast:retryJitter", from->jitter, "a percentage from 0 to 100");
    }
}

/* Zeebe counts every try, the first one too. */
static void read_tries(const retry_context *context, stf_str tries)
{
    uint32_t count = 0;
    if (stf__expression_is(tries)) {
        stf__draft_report_unsupported(context->builder->draft, context->builder->from,
                                      context->place, "retries that are an expression");
    } else if (!parse_number(tries, RETRIES_LIMIT + 1, &count)) {
        report(context, "retries", tries, "a number up to 1001");
    } else {
        context->policy->retries = count != 0 ? count - 1 : 0;
    }
}

/* "PT1M,PT5M": as many retries as there are, all after the first length. */
static bool read_list(const retry_context *context, stf_str text)
{
    stf_retry_policy *policy = context->policy;
    uint32_t count = 0;
    bool has_more = true;
    for (stf_str rest = text; has_more;) {
        const char *comma = rest.size != 0 ? memchr(rest.data, ',', rest.size) : NULL;
        size_t size = comma != NULL ? (size_t)(comma - rest.data) : rest.size;
        int64_t length_us = 0;
        if (!stf__timer_parse_length(stf__draft_trim((stf_str){rest.data, size}), &length_us) ||
            ++count > RETRIES_LIMIT) {
            return false;
        }
        policy->first_us = count == 1 ? length_us : policy->first_us;
        has_more = comma != NULL;
        size += has_more ? 1 : 0;
        rest = (stf_str){rest.data + size, rest.size - size};
    }
    policy->retries = count;
    if (count > 1) {
        stf__diagnostics_add(context->builder->draft->diagnostics, STF_SEVERITY_WARNING,
                             "retry.list", context->place,
                             "of the delays \"%.*s\" the first is taken for all %u retries",
                             STF__CUT(text), (unsigned)count);
    }
    return true;
}

static void read_cycle(const retry_context *context, stf_str text)
{
    stf_retry_policy *policy = context->policy;
    stf__cycle cycle;
    if (stf__expression_is(text)) {
        stf__draft_report_unsupported(context->builder->draft, context->builder->from,
                                      context->place,
                                      "failedJobRetryTimeCycle that is an expression");
    } else if (stf__cycle_parse(text, &cycle, NULL) == STF_OK && cycle.count <= RETRIES_LIMIT &&
               cycle.period.months == 0 && !cycle.has_start && stf_wall_is_none(cycle.end)) {
        policy->retries = (uint32_t)cycle.count;
        policy->first_us = cycle.period.us;
    } else if (!read_list(context, text)) {
        report(context, "failedJobRetryTimeCycle", text, "such as R3/PT10M or PT1M,PT5M");
    }
}

static bool has_own(const stf__draft_retry *from)
{
    return from->retries.size + from->delay.size + from->factor.size + from->max.size +
               from->jitter.size !=
           0;
}

void stf__retry_resolve(stf__builder *builder, const stf__draft_node *from, stf__node *node)
{
    const stf__draft_retry *retry = from->retry;
    bool is_work = node->topic.size != 0 || node->topic_expr != NULL;
    if (retry == NULL) {
        return;
    }
    if (!is_work) {
        if (has_own(retry)) {
            stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_WARNING, "retry.ignored",
                                 from->place,
                                 "retries mean something where a handler is called; here they are "
                                 "ignored");
        }
        return;
    }
    retry_context context = {.builder = builder,
                             .place = from->place,
                             .policy = stf__build_new(builder, 1, sizeof(stf_retry_policy))};
    if (context.policy == NULL) {
        return;
    }
    if (has_own(retry)) {
        read_own(&context, retry);
    } else if (retry->tries.size != 0) {
        read_tries(&context, retry->tries);
    } else if (retry->cycle.is_given) {
        context.place.line = retry->cycle.line;
        context.place.column = retry->cycle.column;
        read_cycle(&context, retry->cycle.text);
    } else {
        return; /* an empty attribute says nothing */
    }
    node->retry = context.policy;
}
