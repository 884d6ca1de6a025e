/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of every save for what goes from one record to another: sequences, receivers,
 * calls and their results (R5, R18). */
#include <string.h>

#include "sim/group.h"

static void check_heard(group_life *life, const group_book *book, const stf__doc *doc)
{
    for (size_t i = 0; book->doc != NULL && i < book->doc->heard_count; i++) {
        const stf__heard *before = &book->doc->heard[i];
        for (size_t k = 0; k < doc->heard_count; k++) {
            const stf__heard *now = &doc->heard[k];
            if (memcmp(now->nonce, before->nonce, sizeof(now->nonce)) == 0 &&
                now->sequence < before->sequence) {
                group_fail(life, "%s: R18: a sender's sequence goes down", book->id);
            }
        }
    }
}

static bool has_heard(const group_book *book, const uint8_t nonce[16], uint64_t sequence)
{
    for (size_t i = 0; i < book->doc->heard_count; i++) {
        const stf__heard *heard = &book->doc->heard[i];
        if (memcmp(heard->nonce, nonce, 16) == 0 && heard->sequence >= sequence) {
            return true;
        }
    }
    return false;
}

/* R5: an entry that was aimed keeps its receiver, unless that never heard it. */
static void check_aims(group_life *life, const group_book *book, const stf__doc *doc)
{
    for (size_t i = 0; book->doc != NULL && i < book->doc->outbox_count; i++) {
        const stf__send *before = &book->doc->outbox[i];
        const stf__send *now = stf__doc_find_send(doc, before->number);
        if (now == NULL || before->target.size == 0 ||
            (stf_str_equal(now->target, before->target) && now->sequence == before->sequence)) {
            continue;
        }
        const group_book *receiver = group_book_find(life, before->target);
        if (now->sequence == before->sequence) {
            group_fail(life, "%s: R5: a receiver changes under its sequence", book->id);
        } else if (receiver != NULL && receiver->doc != NULL &&
                   has_heard(receiver, doc->identity.nonce, before->sequence)) {
            group_fail(life, "%s: R5: an entry that %s has heard is aimed again", book->id,
                       receiver->id);
        }
    }
    for (size_t i = 0; i < doc->outbox_count; i++) {
        const stf__send *now = &doc->outbox[i];
        const group_book *receiver = group_book_find(life, now->target);
        bool is_new = book->doc == NULL || stf__doc_find_send(book->doc, now->number) == NULL ||
                      stf__doc_find_send(book->doc, now->number)->sequence != now->sequence;
        if (now->sequence != 0 && is_new && receiver != NULL && receiver->doc != NULL &&
            has_heard(receiver, doc->identity.nonce, now->sequence)) {
            group_fail(life, "%s: R18: a sequence that %s has heard is drawn again", book->id,
                       receiver->id);
        }
    }
}

/* One call, one child; a child's record ends only when its caller knows. */
static void check_call(group_life *life, const group_book *book, const stf_save *save,
                       const stf__doc *doc)
{
    if (doc->caller.id.size == 0) {
        return;
    }
    for (size_t i = 0; book->version == 0 && i < life->book_count; i++) {
        const group_book *other = life->books[i];
        if (other != book && other->doc != NULL && !group_has_ended(other) &&
            other->doc->caller.activation == doc->caller.activation &&
            stf_str_equal(other->doc->caller.id, doc->caller.id)) {
            group_fail(life, "%s: R18: a second child of one call beside %s", book->id, other->id);
        }
    }
    const group_book *caller = group_book_find(life, doc->caller.id);
    if (!stf_record_status_is_terminal(save->record->status) || caller == NULL ||
        caller->doc == NULL || group_has_ended(caller)) {
        return;
    }
    for (size_t i = 0; i < caller->doc->activation_count; i++) {
        if (stf_str_equal(caller->doc->activations[i]->child, stf_str_of(book->id))) {
            group_fail(life, "%s: ended although its caller still waits", book->id);
        }
    }
}

void group_check_sends(group_life *life, const group_book *book, const stf_save *save,
                       const stf__doc *doc)
{
    if (stf_record_status_is_terminal(save->record->status) && doc->outbox_count != 0) {
        group_fail(life, "%s: ended with a full outbox", book->id);
    }
    check_heard(life, book, doc);
    check_aims(life, book, doc);
    check_call(life, book, save, doc);
}
