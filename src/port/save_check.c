/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of a save, in the order of the contract (sys/repository.h): malformed,
 * EMPTY_NOT_ALLOWED, LIMIT_EXCEEDED, NOT_FOUND, INVALID_ARGUMENT, UNSUPPORTED. The store itself
 * answers NOT_FOUND; only a save that is refused here anyway asks for the group first, so that the
 * order holds without a query on the way of good saves. */
#include "base/mem.h"
#include "port/private.h"

#define SAVE_FLAGS                                                                                 \
    (STF_SAVE_HAS_ATTEMPT_SEEN | STF_SAVE_KEEP_HEAD | STF_SAVE_KEEP_BULK | STF_SAVE_LEASE_DURATION)
#define SAVE_TEXTS 5

static void collect_texts(const stf_record *record, stf__text texts[SAVE_TEXTS])
{
    texts[0] = (stf__text){"id", record->id, true};
    texts[1] = (stf__text){"group", record->group, true};
    texts[2] = (stf__text){"tenant", record->tenant, false};
    texts[3] = (stf__text){"lease owner", record->lease.owner, false};
    texts[4] = (stf__text){"label key", record->label_key, false};
}

static bool is_hollow(size_t size, const void *data)
{
    return size != 0 && data == NULL;
}

static stf_status check_structs(const stf_save *save, stf_error *error)
{
    if (save == NULL || save->struct_size < sizeof(*save) || save->abi != STF_SAVE_ABI ||
        (save->flags & ~SAVE_FLAGS) != 0) {
        return stf__port_missing("stf_save", error);
    }
    const stf_record *record = save->record;
    if (record == NULL || record->struct_size < sizeof(*record) || record->abi != STF_RECORD_ABI ||
        is_hollow(record->head.size, record->head.data) ||
        is_hollow(record->bulk.size, record->bulk.data) ||
        is_hollow(record->wait_count, record->waits)) {
        return stf__port_missing("stf_record", error);
    }
    if (is_hollow(save->journal_count, save->journal)) {
        return stf__port_missing("journal", error);
    }
    return STF_OK;
}

static stf_status check_parts_well_formed(const stf_save *save, stf_error *error)
{
    for (size_t i = 0; i < save->record->wait_count; i++) {
        stf_str key = save->record->waits[i].key;
        if (is_hollow(key.size, key.data)) {
            return stf__port_missing("wait key", error);
        }
    }
    for (size_t i = 0; i < save->journal_count; i++) {
        const stf_journal_row *row = &save->journal[i];
        if (is_hollow(row->element.size, row->element.data) ||
            is_hollow(row->detail.size, row->detail.data)) {
            return stf__port_missing("journal row", error);
        }
    }
    return STF_OK;
}

static stf_status too_much(const char *what, size_t size, size_t limit, stf_error *error)
{
    return stf_error_set(error, STF_LIMIT_EXCEEDED, "PORT", "%s: %zu; at most %zu are allowed",
                         what, size, limit);
}

/* The two parts together; a kept part is not in the request. */
static stf_status check_payload(const stf_save *save, stf_error *error)
{
    size_t head = (save->flags & STF_SAVE_KEEP_HEAD) != 0 ? 0 : save->record->head.size;
    size_t bulk = (save->flags & STF_SAVE_KEEP_BULK) != 0 ? 0 : save->record->bulk.size;
    if (head > STF_LIMIT_PAYLOAD_BYTES || bulk > STF_LIMIT_PAYLOAD_BYTES - head) {
        return too_much("payload bytes", head > STF_LIMIT_PAYLOAD_BYTES ? head : bulk,
                        STF_LIMIT_PAYLOAD_BYTES, error);
    }
    return STF_OK;
}

static stf_status check_part_limits(const stf_save *save, stf_error *error)
{
    for (size_t i = 0; i < save->record->wait_count; i++) {
        size_t size = save->record->waits[i].key.size;
        if (size > STF_LIMIT_WAIT_KEY_BYTES) {
            return too_much("wait key bytes", size, STF_LIMIT_WAIT_KEY_BYTES, error);
        }
    }
    for (size_t i = 0; i < save->journal_count; i++) {
        const stf_journal_row *row = &save->journal[i];
        if (row->element.size > STF_LIMIT_ID_BYTES) {
            return too_much("journal element bytes", row->element.size, STF_LIMIT_ID_BYTES, error);
        }
        if (row->detail.size > STF_LIMIT_JOURNAL_DETAIL_BYTES) {
            return too_much("journal detail bytes", row->detail.size,
                            STF_LIMIT_JOURNAL_DETAIL_BYTES, error);
        }
    }
    return STF_OK;
}

static stf_status check_limits(const stf_save *save, const stf__text *texts, stf_error *error)
{
    stf_status status = stf__port_check_limits(texts, SAVE_TEXTS, error);
    if (status == STF_OK) {
        status = check_payload(save, error);
    }
    if (status == STF_OK && save->record->wait_count > STF_LIMIT_WAITS) {
        status = too_much("waits", save->record->wait_count, STF_LIMIT_WAITS, error);
    }
    if (status == STF_OK && save->journal_count > STF_LIMIT_JOURNAL_ROWS) {
        status = too_much("journal rows", save->journal_count, STF_LIMIT_JOURNAL_ROWS, error);
    }
    return status == STF_OK ? check_part_limits(save, error) : status;
}

/* A wait's key is text with NUL as its separator (docs/wait-kinds.md). */
static bool is_wait_key(stf_str key)
{
    size_t start = 0;
    for (size_t i = 0; i <= key.size; i++) {
        if (i == key.size || key.data[i] == '\0') {
            stf_str part = {key.data == NULL ? NULL : key.data + start, i - start};
            if (!stf_str_is_utf8(part)) {
                return false;
            }
            start = i + 1;
        }
    }
    return true;
}

static stf_status check_values(const stf_save *save, const stf__text *texts, stf_error *error)
{
    stf_status status = stf__port_check_utf8(texts, SAVE_TEXTS, error);
    if (status != STF_OK) {
        return status;
    }
    if (save->expected_version < 0) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "PORT", "the version is negative");
    }
    if ((save->flags & STF_SAVE_LEASE_DURATION) != 0 && save->lease_duration_us < 0) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "PORT", "the lease duration is negative");
    }
    if (save->expected_version == 0 &&
        (save->flags & (STF_SAVE_KEEP_HEAD | STF_SAVE_KEEP_BULK)) != 0) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "PORT",
                             "a record that is created has no unchanged part");
    }
    for (size_t i = 0; i < save->record->wait_count; i++) {
        if (!is_wait_key(save->record->waits[i].key)) {
            return stf_error_set(error, STF_INVALID_ARGUMENT, "PORT",
                                 "the key of wait %zu is not valid UTF-8", i);
        }
    }
    for (size_t i = 0; i < save->journal_count; i++) {
        if (!stf_str_is_utf8(save->journal[i].element) ||
            !stf_str_is_utf8(save->journal[i].detail)) {
            return stf_error_set(error, STF_INVALID_ARGUMENT, "PORT",
                                 "journal row %zu is not valid UTF-8", i);
        }
    }
    return STF_OK;
}

/* Keeps NOT_FOUND before INVALID_ARGUMENT. A group that cannot be looked up does not count. */
static stf_status refuse_invalid(stf_repository *repository, const stf_ctx *ctx,
                                 const stf_save *save, stf_status status, stf_error *error)
{
    stf_str group = save->record->group;
    bool exists = true;
    if (stf_str_is_utf8(group) && stf_ctx_check(ctx, NULL) == STF_OK &&
        repository->vtable.group_exists(repository->impl, ctx, group, &exists, NULL) == STF_OK &&
        !exists) {
        return stf_error_set(error, STF_NOT_FOUND, "PORT", "the group \"%.*s\" is not registered",
                             STF_STR_ARG(group));
    }
    return status;
}

stf_status stf__port_check_save(stf_repository *repository, const stf_ctx *ctx,
                                const stf_save *save, stf_error *error)
{
    stf_status status = check_structs(save, error);
    if (status != STF_OK) {
        return status;
    }
    stf__text texts[SAVE_TEXTS];
    collect_texts(save->record, texts);
    status = stf__port_check_well_formed(texts, SAVE_TEXTS, error);
    if (status == STF_OK) {
        status = check_parts_well_formed(save, error);
    }
    if (status == STF_OK) {
        status = stf__port_check_not_empty(texts, SAVE_TEXTS, error);
    }
    if (status == STF_OK) {
        status = check_limits(save, texts, error);
    }
    if (status != STF_OK) {
        return status;
    }
    status = check_values(save, texts, error);
    if (status != STF_OK) {
        return refuse_invalid(repository, ctx, save, status, error);
    }
    if (save->journal_count != 0 && repository->capabilities[STF__CAPABILITY_JOURNAL] == NULL) {
        return stf__port_unsupported(STF_REPOSITORY_JOURNAL, error);
    }
    return STF_OK;
}
