/* SPDX-License-Identifier: Apache-2.0 */
/* What the engine sees of the work embedded in activations: which is pending, that it starts, and
 * the key that its provider gets. */
#include "core/step.h"

#include <string.h>

bool stf__doc_next_work(const stf__doc *doc, uint64_t after, stf__work_item *ret_item)
{
    size_t first = after < UINT64_MAX ? stf__doc_find_place(doc, after + 1) : doc->activation_count;
    for (size_t i = first; i < doc->activation_count; i++) {
        const stf__activation *activation = doc->activations[i];
        const stf__work *work = &activation->work;
        if (work->state != STF__DURABLE_PENDING) {
            continue;
        }
        *ret_item = (stf__work_item){.activation = activation->number,
                                     .attempt = work->attempt,
                                     .definitive_failures = work->definitive_failures,
                                     .element = activation->element,
                                     .topic = stf_str_of(work->topic),
                                     .is_idempotent =
                                         work->is_idempotent_task || work->is_idempotent_handler,
                                     .is_started = work->is_started,
                                     .incarnation = work->incarnation,
                                     .since = activation->since};
        return true;
    }
    return false;
}

stf_status stf__doc_mark_started(stf__doc *doc, uint64_t activation, int64_t incarnation,
                                 bool is_idempotent_handler, stf_wall now, stf__effects *effects,
                                 stf_error *error)
{
    stf__activation *owner = stf__doc_find_activation(doc, activation);
    if (owner == NULL || owner->work.state == STF__DURABLE_ABSENT) {
        return stf_error_set(error, STF_NOT_FOUND, "CORE", "activation %llu has no work",
                             (unsigned long long)activation);
    }
    stf__work *work = &owner->work;
    stf__durable_decision decision =
        stf__durable_decide((stf__durable_state)work->state, STF__DURABLE_START,
                            STF__GUARD_FENCE | STF__GUARD_SAME_IDENTITY, STF__CRASH_UNKNOWN);
    if (!decision.writes || work->is_started) {
        return stf_error_set(error, STF_INVALID_STATE, "CORE", "the work of \"%.*s\" is %s",
                             STF_STR_ARG(owner->element),
                             work->is_started
                                 ? "started already"
                                 : stf__durable_state_name((stf__durable_state)work->state));
    }
    stf__fact_row row = {.kind = STF_FACT_WORK_STARTED,
                         .activation = activation,
                         .at = now,
                         .element = owner->element,
                         .detail = stf_str_of(work->topic)};
    stf_status status = stf__effects_add_fact(effects, &row, error);
    if (status != STF_OK) {
        return status;
    }
    work->state = decision.to;
    work->is_started = true;
    work->is_idempotent_handler = is_idempotent_handler;
    work->incarnation = incarnation;
    return STF_OK;
}

static char *put_number(char *at, uint64_t number)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    *at++ = '-';
    while (count > 0) {
        *at++ = digits[--count];
    }
    return at;
}

stf_str stf__doc_format_key(const stf__doc *doc, uint64_t first, uint64_t second,
                            char ret_text[STF__WORK_KEY_BYTES])
{
    static const char hex[] = "0123456789abcdef";
    char *at = ret_text;
    for (size_t i = 0; i < sizeof(doc->identity.nonce); i++) {
        *at++ = hex[doc->identity.nonce[i] >> 4];
        *at++ = hex[doc->identity.nonce[i] & 15];
    }
    at = put_number(at, first);
    at = put_number(at, second);
    *at = '\0';
    return (stf_str){ret_text, (size_t)(at - ret_text)};
}

stf_status stf__doc_format_work_key(const stf__doc *doc, uint64_t activation,
                                    char ret_key[STF__WORK_KEY_BYTES], stf_error *error)
{
    const stf__activation *owner = stf__doc_find_activation(doc, activation);
    if (owner == NULL || owner->work.state == STF__DURABLE_ABSENT) {
        return stf_error_set(error, STF_NOT_FOUND, "CORE", "activation %llu has no work",
                             (unsigned long long)activation);
    }
    (void)stf__doc_format_key(doc, activation, owner->work.definitive_failures, ret_key);
    return STF_OK;
}
