/* SPDX-License-Identifier: Apache-2.0 */
/* What is on its way to other records, and which senders were heard (R5, R18). An entry is aimed
 * before the save that makes it durable, and stays until its receiver has saved: so whatever
 * crashes, it reaches that receiver, who knows by the sender's sequence whether it has had it. */
#include "core/step.h"

#include <string.h>

/* ---- The list */

static size_t find_place(const stf__doc *doc, uint64_t number)
{
    size_t low = 0;
    size_t high = doc->outbox_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (doc->outbox[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

stf__send *stf__doc_find_send(const stf__doc *doc, uint64_t number)
{
    size_t at = find_place(doc, number);
    bool is_there = at < doc->outbox_count && doc->outbox[at].number == number;
    return is_there ? &doc->outbox[at] : NULL;
}

/* How an instance ended always has its place: there is one such entry for a call, or of all. */
static bool is_full(const stf__doc *doc, const stf__send_item *item)
{
    bool is_bounded = item->kind == STF__SEND_MESSAGE || item->kind == STF__SEND_CREATE;
    bool is_queue = doc->identity.kind == STF__DOC_QUEUE;
    return is_bounded && doc->outbox_count >= (is_queue ? STF_LIMIT_QUEUE : STF_LIMIT_OUTBOX);
}

/* Could it be read again when it is stored? */
static bool is_storable(const stf__send_item *item)
{
    const stf_str texts[] = {item->element, item->target, item->name, item->key, item->code};
    for (size_t i = 0; i < STF_COUNT_OF(texts); i++) {
        if (texts[i].size > STF_LIMIT_ID_BYTES || !stf_str_is_utf8(texts[i])) {
            return false;
        }
    }
    return item->message.size <= STF__MESSAGE_BYTES_MAX && stf_str_is_utf8(item->message);
}

static stf_status intern_texts(stf__doc *doc, const stf__send_item *item, stf__send *send,
                               stf_error *error)
{
    const stf_str from[] = {item->element, item->target, item->name, item->key, item->code};
    stf_str *const to[] = {&send->element, &send->target, &send->name, &send->key, &send->code};
    for (size_t i = 0; i < STF_COUNT_OF(from); i++) {
        stf_status status = stf__doc_intern(doc, from[i], to[i], error);
        if (status != STF_OK) {
            return status;
        }
    }
    return STF_OK;
}

stf_status stf__doc_insert_send(stf__doc *doc, const stf__send_item *item, stf_error *error)
{
    stf__send send = {.number = item->number,
                      .sequence = item->sequence,
                      .kind = item->kind,
                      .how = item->how,
                      .activation = item->activation,
                      .target_activation = item->target_activation,
                      .version = item->version,
                      .is_to_queue = item->is_to_queue,
                      .until = item->until,
                      .since = item->since};
    void *grown = stf__doc_grow(doc->alloc, doc->outbox, doc->outbox_count, &doc->outbox_capacity,
                                sizeof(*doc->outbox));
    if (grown == NULL) {
        return stf__doc_no_memory(error);
    }
    doc->outbox = grown;
    stf_status status = intern_texts(doc, item, &send, error);
    if (status != STF_OK) {
        return status;
    }
    send.message = stf__mem_copy_str(doc->alloc, item->message);
    if (send.message == NULL) {
        return stf__doc_no_memory(error);
    }
    send.variables = item->variables != NULL ? stf_value_ref(item->variables) : NULL;
    doc->outbox[doc->outbox_count++] = send;
    return STF_OK;
}

stf_status stf__doc_add_send(stf__doc *doc, const stf__send_item *item, stf_wall now,
                             stf_error *error)
{
    if (is_full(doc, item)) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "CORE",
                             "\"%.*s\" holds %zu messages and calls that are not delivered",
                             STF_STR_ARG(doc->identity.id), doc->outbox_count);
    }
    if (!is_storable(item)) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "CORE",
                             "a text of a message or call is too long or no UTF-8");
    }
    stf__send_item numbered = *item;
    numbered.number = doc->counters.send + 1;
    numbered.sequence = item->target.size != 0 ? doc->counters.sequence + 1 : 0;
    numbered.since = now;
    stf_status status = stf__doc_insert_send(doc, &numbered, error);
    if (status != STF_OK) {
        return status;
    }
    doc->counters.send++;
    doc->counters.sequence += item->target.size != 0 ? 1 : 0;
    /* The sender delivers right after its save; others may look soon after that. */
    int64_t soon = now.us + STF__OUTBOX_FIRST_US;
    if (stf_wall_is_none(doc->outbox_due) || doc->outbox_due.us > soon) {
        doc->outbox_due = (stf_wall){soon};
    }
    doc->outbox_tries = 0;
    return STF_OK;
}

static void free_send(const stf__doc *doc, stf__send *send)
{
    stf__mem_free(doc->alloc, send->message);
    stf_value_unref(send->variables);
}

void stf__doc_remove_send(stf__doc *doc, uint64_t number)
{
    stf__send *send = stf__doc_find_send(doc, number);
    if (send == NULL) {
        return;
    }
    free_send(doc, send);
    size_t at = (size_t)(send - doc->outbox);
    doc->outbox_count--;
    memmove(send, send + 1, (doc->outbox_count - at) * sizeof(*send));
    if (doc->outbox_count == 0) {
        doc->outbox_due = stf_wall_none();
        doc->outbox_tries = 0;
    }
}

void stf__doc_clear_outbox(stf__doc *doc)
{
    while (doc->outbox_count > 0) {
        free_send(doc, &doc->outbox[--doc->outbox_count]);
    }
    doc->outbox_due = stf_wall_none();
    doc->outbox_tries = 0;
}

void stf__doc_postpone_outbox(stf__doc *doc, stf_wall now)
{
    if (stf_wall_is_none(doc->outbox_due) || doc->outbox_due.us > now.us) {
        return;
    }
    int64_t wait_us = STF__OUTBOX_FIRST_US;
    doc->outbox_tries += doc->outbox_tries < UINT32_MAX ? 1 : 0;
    for (uint32_t i = 0; i < doc->outbox_tries && wait_us < STF__OUTBOX_LAST_US; i++) {
        wait_us *= 2;
    }
    wait_us = wait_us < STF__OUTBOX_LAST_US ? wait_us : STF__OUTBOX_LAST_US;
    doc->outbox_due = (stf_wall){now.us + wait_us};
}

/* ---- What the engine asks */

bool stf__doc_get_send(const stf__doc *doc, size_t index, stf__send_item *ret_item)
{
    if (index >= doc->outbox_count) {
        return false;
    }
    const stf__send *send = &doc->outbox[index];
    *ret_item = (stf__send_item){.number = send->number,
                                 .sequence = send->sequence,
                                 .kind = send->kind,
                                 .how = send->how,
                                 .activation = send->activation,
                                 .target_activation = send->target_activation,
                                 .version = send->version,
                                 .is_to_queue = send->is_to_queue,
                                 .element = send->element,
                                 .target = send->target,
                                 .name = send->name,
                                 .key = send->key,
                                 .code = send->code,
                                 .message = stf_str_of(send->message),
                                 .variables = send->variables,
                                 .until = send->until,
                                 .since = send->since};
    return true;
}

/* Interned texts are equal when they are the same. */
static bool is_same_text(stf_str a, stf_str b)
{
    return a.size == b.size && (a.data == b.data || stf_str_equal(a, b));
}

bool stf__doc_may_send(const stf__doc *doc, const stf__send_item *item)
{
    if (item->target.size == 0) {
        return false;
    }
    for (size_t i = 0; i < doc->outbox_count; i++) {
        const stf__send *other = &doc->outbox[i];
        if (other->sequence != 0 && other->sequence < item->sequence &&
            is_same_text(other->target, item->target)) {
            return false;
        }
    }
    return true;
}

bool stf__doc_may_aim(const stf__doc *doc, const stf__send_item *item)
{
    if (item->kind != STF__SEND_MESSAGE || item->target.size != 0) {
        return false;
    }
    for (size_t i = 0; i < doc->outbox_count && doc->outbox[i].number < item->number; i++) {
        const stf__send *other = &doc->outbox[i];
        if (other->kind == STF__SEND_MESSAGE && is_same_text(other->name, item->name) &&
            is_same_text(other->key, item->key)) {
            return false;
        }
    }
    return true;
}

/* ---- Aiming */

static stf_status tell(const stf__send *send, stf_fact_kind kind, stf_wall now,
                       stf__effects *effects, stf_error *error)
{
    stf__fact_row row = {.kind = kind,
                         .activation = send->activation,
                         .at = now,
                         .element = send->element,
                         .detail = send->name};
    return stf__effects_add_fact(effects, &row, error);
}

static stf_status aim_at(stf__doc *doc, stf__send *send, stf_str target, bool is_to_queue,
                         stf_error *error)
{
    stf_status status = stf__doc_intern(doc, target, &send->target, error);
    if (status == STF_OK) {
        send->sequence = ++doc->counters.sequence;
        send->is_to_queue = is_to_queue;
    }
    return status;
}

stf_status stf__doc_aim(stf__doc *doc, uint64_t number, stf_str target, stf_str queue_id,
                        stf_wall now, stf__effects *effects, stf_error *error)
{
    stf__send *send = stf__doc_find_send(doc, number);
    if (send == NULL || send->kind != STF__SEND_MESSAGE || send->target.size != 0) {
        return stf_error_set(error, STF_NOT_FOUND, "CORE", "no message %llu is to be aimed",
                             (unsigned long long)number);
    }
    bool is_queue = doc->identity.kind == STF__DOC_QUEUE;
    bool is_kept = !stf_wall_is_none(send->until) && send->until.us > now.us;
    if (target.size != 0) {
        stf_status status = tell(send, STF_FACT_MESSAGE_SENT, now, effects, error);
        return status == STF_OK ? aim_at(doc, send, target, false, error) : status;
    }
    if (is_kept && is_queue) {
        return STF_OK;
    }
    if (is_kept && queue_id.size != 0) {
        stf_status status = tell(send, STF_FACT_MESSAGE_KEPT, now, effects, error);
        return status == STF_OK ? aim_at(doc, send, queue_id, true, error) : status;
    }
    stf_status status = tell(send, STF_FACT_MESSAGE_DROPPED, now, effects, error);
    if (status == STF_OK) {
        stf__doc_remove_send(doc, number);
    }
    return status;
}

/* ---- Senders heard */

/* Where the nonce is or belongs. */
static size_t find_heard(const stf__doc *doc, const uint8_t nonce[16], bool *ret_found)
{
    size_t low = 0;
    size_t high = doc->heard_count;
    *ret_found = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = memcmp(doc->heard[middle].nonce, nonce, sizeof(doc->heard[middle].nonce));
        if (order == 0) {
            *ret_found = true;
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Makes room at that place. */
static stf__heard *insert_heard(stf__doc *doc, size_t at)
{
    void *grown = stf__doc_grow(doc->alloc, doc->heard, doc->heard_count, &doc->heard_capacity,
                                sizeof(*doc->heard));
    if (grown == NULL) {
        return NULL;
    }
    doc->heard = grown;
    memmove(doc->heard + at + 1, doc->heard + at, (doc->heard_count - at) * sizeof(*doc->heard));
    doc->heard_count++;
    return &doc->heard[at];
}

stf_status stf__doc_append_heard(stf__doc *doc, const stf__heard *heard)
{
    size_t at = doc->heard_count;
    if (at > 0 && memcmp(doc->heard[at - 1].nonce, heard->nonce, sizeof(heard->nonce)) >= 0) {
        return STF_CORRUPT;
    }
    stf__heard *added = insert_heard(doc, at);
    if (added == NULL) {
        return STF_NO_MEMORY;
    }
    *added = *heard;
    return STF_OK;
}

bool stf__doc_has_heard(const stf__doc *doc, const stf__sender *sender)
{
    bool is_known = false;
    size_t at = find_heard(doc, sender->nonce, &is_known);
    return sender->is_given && is_known && sender->sequence <= doc->heard[at].sequence;
}

static void remove_heard(stf__doc *doc, size_t at)
{
    doc->heard_count--;
    memmove(doc->heard + at, doc->heard + at + 1, (doc->heard_count - at) * sizeof(*doc->heard));
}

static void forget_old(stf__doc *doc, stf_wall now)
{
    size_t kept = 0;
    for (size_t i = 0; i < doc->heard_count; i++) {
        if (doc->heard[i].at.us >= now.us - STF__HEARD_US) {
            doc->heard[kept++] = doc->heard[i];
        }
    }
    doc->heard_count = kept;
}

static void forget_oldest(stf__doc *doc)
{
    size_t oldest = 0;
    for (size_t i = 1; i < doc->heard_count; i++) {
        oldest = doc->heard[i].at.us < doc->heard[oldest].at.us ? i : oldest;
    }
    remove_heard(doc, oldest);
}

stf_status stf__doc_hear(stf__doc *doc, const stf__sender *sender, stf_wall now, stf_error *error)
{
    if (!sender->is_given) {
        return STF_OK;
    }
    forget_old(doc, now);
    bool is_known = false;
    size_t at = find_heard(doc, sender->nonce, &is_known);
    if (is_known) {
        stf__heard *heard = &doc->heard[at];
        heard->at = now;
        heard->sequence = sender->sequence > heard->sequence ? sender->sequence : heard->sequence;
        return STF_OK;
    }
    if (doc->heard_count >= STF_LIMIT_SENDERS) {
        forget_oldest(doc);
        at = find_heard(doc, sender->nonce, &is_known);
    }
    stf__heard *added = insert_heard(doc, at);
    if (added == NULL) {
        return stf__doc_no_memory(error);
    }
    *added = (stf__heard){.sequence = sender->sequence, .at = now};
    memcpy(added->nonce, sender->nonce, sizeof(added->nonce));
    return STF_OK;
}
