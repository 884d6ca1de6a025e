/* SPDX-License-Identifier: Apache-2.0 */
/* Timers and subscriptions: what was armed and has not happened. Numbers only grow, so the end of a
 * list is the place of what comes. */
#include "core/doc.h"

#include <string.h>

/* A text of more bytes, or one that is no UTF-8, could be saved and never be read again. */
static stf_status check_texts(const stf_str *texts, size_t count, stf_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (texts[i].size > STF_LIMIT_ID_BYTES || !stf_str_is_utf8(texts[i])) {
            return stf_error_set(error, STF_LIMIT_EXCEEDED, "CORE",
                                 "a text is no UTF-8 of at most %d bytes", STF_LIMIT_ID_BYTES);
        }
    }
    return STF_OK;
}

/* ---- timers */

stf_status stf__doc_add_timer(stf__doc *doc, const stf__timer *timer, stf_error *error)
{
    stf_status status = check_texts(&timer->cycle, 1, error);
    if (status != STF_OK) {
        return status;
    }
    void *grown = stf__doc_grow(doc->alloc, doc->timers, doc->timer_count, &doc->timer_capacity,
                                sizeof(*doc->timers));
    if (grown == NULL) {
        return stf__doc_no_memory(error);
    }
    doc->timers = grown;
    doc->timers[doc->timer_count++] = *timer;
    return STF_OK;
}

void stf__doc_remove_timer(stf__doc *doc, size_t index)
{
    doc->timer_count--;
    memmove(doc->timers + index, doc->timers + index + 1,
            (doc->timer_count - index) * sizeof(*doc->timers));
}

/* ---- subscriptions */

stf_status stf__doc_add_subscription(stf__doc *doc, const stf__subscription *subscription,
                                     stf_error *error)
{
    if (doc->subscription_count >= STF_LIMIT_SUBSCRIPTIONS) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "CORE",
                             "the instance waits for more than %u messages",
                             STF_LIMIT_SUBSCRIPTIONS);
    }
    const stf_str texts[] = {subscription->name, subscription->key};
    stf_status status = check_texts(texts, STF_COUNT_OF(texts), error);
    if (status != STF_OK) {
        return status;
    }
    void *grown = stf__doc_grow(doc->alloc, doc->subscriptions, doc->subscription_count,
                                &doc->subscription_capacity, sizeof(*doc->subscriptions));
    if (grown == NULL) {
        return stf__doc_no_memory(error);
    }
    doc->subscriptions = grown;
    doc->subscriptions[doc->subscription_count++] = *subscription;
    return STF_OK;
}

void stf__doc_remove_subscription(stf__doc *doc, size_t index)
{
    doc->subscription_count--;
    memmove(doc->subscriptions + index, doc->subscriptions + index + 1,
            (doc->subscription_count - index) * sizeof(*doc->subscriptions));
}

bool stf__doc_find_subscription(const stf__doc *doc, stf_str name, stf_str key, size_t *ret_index)
{
    const stf__subscription *oldest = NULL;
    for (size_t i = 0; i < doc->subscription_count; i++) {
        const stf__subscription *at = &doc->subscriptions[i];
        bool is_older = oldest == NULL || at->since.us < oldest->since.us; /* then by number */
        if (is_older && stf_str_equal(at->name, name) && stf_str_equal(at->key, key)) {
            oldest = at;
            *ret_index = i;
        }
    }
    return oldest != NULL;
}

/* ---- both */

void stf__doc_remove_waits_of(stf__doc *doc, uint64_t activation)
{
    size_t kept = 0;
    for (size_t i = 0; i < doc->timer_count; i++) {
        if (doc->timers[i].activation != activation) {
            doc->timers[kept++] = doc->timers[i];
        }
    }
    doc->timer_count = kept;
    kept = 0;
    for (size_t i = 0; i < doc->subscription_count; i++) {
        if (doc->subscriptions[i].activation != activation) {
            doc->subscriptions[kept++] = doc->subscriptions[i];
        }
    }
    doc->subscription_count = kept;
}
