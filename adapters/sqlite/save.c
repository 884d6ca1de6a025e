/* SPDX-License-Identifier: Apache-2.0 */
/* Save and delete. The stored row is read and compared under the write lock, where nobody can
 * change it, and every refusal is found before the first write: so a losing record of a batch
 * leaves nothing to undo, and only a failure of the database itself ends the batch, as a whole. */
#include <inttypes.h>
#include <string.h>

#include "store.h"

/* What is compared and what decides which columns an update names. */
typedef struct stored_row {
    bool is_found;
    int64_t instance_no;
    int64_t group_no;
    int64_t tenant_no;
    int64_t rec_version;
    stf_attempt attempt;
    int64_t status;
    bool has_same_owner; /* as the one that is saved */
    int64_t incarnation;
    stf_wall due;
    int64_t wait_count;
    int64_t bulk_bytes;
} stored_row;

/* One save under way. */
typedef struct save_job {
    stf_sqlite *sqlite;
    const stf_save *save;
    stf_save_result *result;
    stf_wall now;
    int64_t group_no;
    int64_t tenant_no;
    stored_row old;
} save_job;

static int text_size(stf_str text)
{
    return (int)text.size;
}

static const char *text_data(stf_str text)
{
    return text.size != 0 ? text.data : "";
}

static stf_status read_stored(stf__sqlite_query *query, stf_str owner, stored_row *ret_stored,
                              stf_error *error)
{
    stf_bytes attempt = {NULL, 0};
    stf_str old_owner = {NULL, 0};
    stf_status status = stf__sqlite_get_bytes(query, 4, &attempt, error);
    if (status == STF_OK) {
        status = stf__sqlite_get_text(query, 6, &old_owner, error);
    }
    if (status != STF_OK) {
        return status;
    }
    *ret_stored = (stored_row){
        .is_found = true,
        .instance_no = stf__sqlite_get_int(query, 0),
        .group_no = stf__sqlite_get_int(query, 1),
        .tenant_no = stf__sqlite_get_int(query, 2),
        .rec_version = stf__sqlite_get_int(query, 3),
        .status = stf__sqlite_get_int(query, 5),
        .has_same_owner = stf_str_equal(old_owner, owner),
        .incarnation = stf__sqlite_get_int(query, 7),
        .due = stf__sqlite_get_time(query, 8),
        .wait_count = stf__sqlite_get_int(query, 9),
        .bulk_bytes = stf__sqlite_get_int(query, 10),
    };
    if (attempt.size == sizeof(ret_stored->attempt.bytes)) {
        memcpy(ret_stored->attempt.bytes, attempt.data, attempt.size);
    }
    return STF_OK;
}

static stf_status find_stored(stf_sqlite *sqlite, stf_str id, stf_str owner, stored_row *ret_stored,
                              stf_error *error)
{
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_RECORD_FIND);
    stf__sqlite_put_text(&query, id);
    bool has_row = false;
    stf_status status = stf__sqlite_step(&query, &has_row, error);
    if (status == STF_OK && has_row) {
        status = read_stored(&query, owner, ret_stored, error);
    } else if (status == STF_OK) {
        *ret_stored = (stored_row){.is_found = false};
    }
    stf__sqlite_done(&query);
    return status;
}

/* ---- refusals: an outcome of the record, not a failure of the batch ---- */

static stf_status refuse_version(save_job *job, stf_error *error)
{
    const stf_save *save = job->save;
    if (job->old.is_found) {
        return stf_error_set(error, STF_CONCURRENT_UPDATE, "SQLITE_REPO",
                             "record \"%.*s\" has version %" PRId64 "; expected was %" PRId64 "%s",
                             text_size(save->record->id), text_data(save->record->id),
                             job->old.rec_version, save->expected_version,
                             job->old.rec_version == save->expected_version ? " of another save"
                                                                            : "");
    }
    return stf_error_set(error, STF_CONCURRENT_UPDATE, "SQLITE_REPO",
                         "there is no record \"%.*s\"; expected was version %" PRId64,
                         text_size(save->record->id), text_data(save->record->id),
                         save->expected_version);
}

static bool is_expected(const save_job *job)
{
    const stf_save *save = job->save;
    int64_t stored_version = job->old.is_found ? job->old.rec_version : 0;
    if (save->expected_version != stored_version) {
        return false;
    }
    return (save->flags & STF_SAVE_HAS_ATTEMPT_SEEN) == 0 ||
           (job->old.is_found && memcmp(save->attempt_seen.bytes, job->old.attempt.bytes,
                                        sizeof(job->old.attempt.bytes)) == 0);
}

/* The group and tenant of a record never change. *ret_fits is false where they would. */
static stf_status check_place(save_job *job, bool *ret_fits, stf_error *error)
{
    *ret_fits = job->old.group_no == job->group_no;
    job->tenant_no = job->old.tenant_no;
    if (!*ret_fits || job->save->record->tenant.size == 0) {
        return STF_OK;
    }
    int64_t tenant_no = 0;
    stf_status status = stf__sqlite_find_tenant(job->sqlite, job->group_no,
                                                job->save->record->tenant, &tenant_no, error);
    *ret_fits = tenant_no == job->old.tenant_no;
    return status;
}

/* Compares. *ret_outcome is the record's outcome; the return value is about the database. */
static stf_status compare(save_job *job, stf_status *ret_outcome, stf_error *error)
{
    const stf_record *record = job->save->record;
    stf_status status = stf__sqlite_find_group(job->sqlite, record->group, &job->group_no, error);
    if (status == STF_OK && job->group_no == 0) {
        *ret_outcome = stf__sqlite_group_not_found(record->group, error);
        return STF_OK;
    }
    if (status == STF_OK) {
        status = find_stored(job->sqlite, record->id, record->lease.owner, &job->old, error);
    }
    bool fits = true;
    if (status == STF_OK && job->old.is_found) {
        status = check_place(job, &fits, error);
    }
    if (status != STF_OK) {
        return status;
    }
    if (!fits) {
        *ret_outcome = stf_error_set(error, STF_INVALID_ARGUMENT, "SQLITE_REPO",
                                     "record \"%.*s\" belongs to another group or tenant",
                                     text_size(record->id), text_data(record->id));
        return STF_OK;
    }
    *ret_outcome = is_expected(job) ? STF_OK : refuse_version(job, error);
    return STF_OK;
}

/* ---- writing ---- */

/* The columns that every save writes, in the order of RECORD_INSERT and RECORD_UPDATE. */
static void put_common(stf__sqlite_query *query, const save_job *job)
{
    const stf_record *record = job->save->record;
    bool keeps_bulk = (job->save->flags & STF_SAVE_KEEP_BULK) != 0;
    int64_t incarnation = record->lease.incarnation;
    stf__sqlite_put_int(query, job->result->rec_version);
    stf__sqlite_put_blob(query, job->save->attempt.bytes, sizeof(job->save->attempt.bytes));
    stf__sqlite_put_int(query, job->old.is_found && incarnation < job->old.incarnation
                                   ? job->old.incarnation
                                   : incarnation);
    if (record->lease.owner.size == 0) {
        stf__sqlite_put_null(query);
    } else {
        stf__sqlite_put_int(query, job->result->lease_expiry.us); /* "none" is long ago */
    }
    stf__sqlite_put_int(query, (int64_t)record->wait_count);
    stf__sqlite_put_int(query, keeps_bulk ? job->old.bulk_bytes : (int64_t)record->bulk.size);
    stf__sqlite_put_text(query, record->label_key);
    stf__sqlite_put_int(query, record->label_version);
    stf__sqlite_put_int(query, job->now.us);
}

/* The columns of the indexes and the head, as the mask says. */
static void put_masked(stf__sqlite_query *query, const stf_record *record, unsigned mask)
{
    if ((mask & STF__SQLITE_SET_HEAD) != 0) {
        stf__sqlite_put_blob(query, record->head.data, record->head.size);
    }
    if ((mask & STF__SQLITE_SET_STATUS) != 0) {
        stf__sqlite_put_int(query, record->status);
    }
    if ((mask & STF__SQLITE_SET_OWNER) != 0) {
        stf__sqlite_put_name(query, record->lease.owner);
    }
    if ((mask & STF__SQLITE_SET_DUE) != 0) {
        stf__sqlite_put_time(query, record->due);
    }
}

static stf_status insert_row(save_job *job, stf_error *error)
{
    stf_status status = stf__sqlite_ensure_tenant(
        job->sqlite, job->group_no, job->save->record->tenant, &job->tenant_no, error);
    if (status != STF_OK) {
        return status;
    }
    stf__sqlite_query query = stf__sqlite_query_start(&job->sqlite->conn, STF__SQL_RECORD_INSERT);
    stf__sqlite_put_text(&query, job->save->record->id);
    stf__sqlite_put_int(&query, job->group_no);
    stf__sqlite_put_int(&query, job->tenant_no);
    stf__sqlite_put_int(&query, job->now.us);
    put_common(&query, job);
    put_masked(&query, job->save->record, STF__SQLITE_SET_ALL);
    status = stf__sqlite_run(&query, error);
    if (status == STF_OK) {
        job->old.instance_no = sqlite3_last_insert_rowid(job->sqlite->conn.db);
    }
    return status;
}

static stf_status update_row(save_job *job, stf_error *error)
{
    const stf_record *record = job->save->record;
    unsigned mask = 0;
    mask |= (job->save->flags & STF_SAVE_KEEP_HEAD) != 0 ? 0 : STF__SQLITE_SET_HEAD;
    mask |= job->old.status == (int64_t)record->status ? 0 : STF__SQLITE_SET_STATUS;
    mask |= job->old.has_same_owner ? 0 : STF__SQLITE_SET_OWNER;
    mask |= job->old.due.us == record->due.us ? 0 : STF__SQLITE_SET_DUE;
    stf__sqlite_query query =
        stf__sqlite_query_start(&job->sqlite->conn, STF__SQL_RECORD_UPDATE + mask);
    put_common(&query, job);
    put_masked(&query, record, mask);
    stf__sqlite_put_int(&query, job->old.instance_no);
    return stf__sqlite_run(&query, error);
}

static stf_status run_for_instance(stf_sqlite *sqlite, unsigned statement, int64_t instance_no,
                                   stf_error *error)
{
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, statement);
    stf__sqlite_put_int(&query, instance_no);
    return stf__sqlite_run(&query, error);
}

static stf_status write_bulk(save_job *job, stf_error *error)
{
    stf_bytes bulk = job->save->record->bulk;
    if ((job->save->flags & STF_SAVE_KEEP_BULK) != 0 ||
        (bulk.size == 0 && job->old.bulk_bytes == 0)) {
        return STF_OK;
    }
    if (bulk.size == 0) {
        return run_for_instance(job->sqlite, STF__SQL_BULK_DROP, job->old.instance_no, error);
    }
    stf__sqlite_query query = stf__sqlite_query_start(&job->sqlite->conn, STF__SQL_BULK_PUT);
    stf__sqlite_put_int(&query, job->old.instance_no);
    stf__sqlite_put_blob(&query, bulk.data, bulk.size);
    return stf__sqlite_run(&query, error);
}

static bool is_same_wait(const stf__sqlite_query *query, const stf_wait *wait, stf_str key)
{
    return stf__sqlite_get_int(query, 0) == (int64_t)wait->kind &&
           stf__sqlite_get_int(query, 1) == (int64_t)wait->flags && stf_str_equal(key, wait->key) &&
           stf__sqlite_get_int(query, 3) == wait->since.us &&
           stf__sqlite_get_time(query, 4).us == wait->until.us;
}

/* How many waits at the start are stored as they are: those rows are not written again. */
static stf_status count_kept_waits(save_job *job, size_t *ret_kept, stf_error *error)
{
    const stf_record *record = job->save->record;
    size_t kept = 0;
    stf_status status = STF_OK;
    if (job->old.wait_count != 0 && record->wait_count != 0) {
        stf__sqlite_query query = stf__sqlite_query_start(&job->sqlite->conn, STF__SQL_WAITS_READ);
        stf__sqlite_put_int(&query, job->old.instance_no);
        bool goes_on = true;
        while (status == STF_OK && goes_on && kept < record->wait_count) {
            stf_str key = {NULL, 0};
            status = stf__sqlite_step(&query, &goes_on, error);
            if (status == STF_OK && goes_on) {
                status = stf__sqlite_get_text(&query, 2, &key, error);
                goes_on = status == STF_OK && is_same_wait(&query, &record->waits[kept], key);
                kept += goes_on ? 1 : 0;
            }
        }
        stf__sqlite_done(&query);
    }
    *ret_kept = kept;
    return status;
}

static stf_status add_wait(save_job *job, size_t position, stf_error *error)
{
    const stf_wait *wait = &job->save->record->waits[position];
    stf__sqlite_query query = stf__sqlite_query_start(&job->sqlite->conn, STF__SQL_WAIT_ADD);
    stf__sqlite_put_int(&query, job->old.instance_no);
    stf__sqlite_put_int(&query, (int64_t)position);
    stf__sqlite_put_int(&query, wait->kind);
    stf__sqlite_put_int(&query, wait->flags);
    stf__sqlite_put_blob(&query, wait->key.data, wait->key.size);
    stf__sqlite_put_int(&query, wait->since.us);
    stf__sqlite_put_time(&query, wait->until);
    stf__sqlite_put_int(&query, job->group_no);
    stf__sqlite_put_text(&query, job->save->record->id);
    return stf__sqlite_run(&query, error);
}

static stf_status write_waits(save_job *job, stf_error *error)
{
    size_t kept = 0;
    stf_status status = count_kept_waits(job, &kept, error);
    if (status == STF_OK && kept < (uint64_t)job->old.wait_count) {
        stf__sqlite_query query = stf__sqlite_query_start(&job->sqlite->conn, STF__SQL_WAITS_TRIM);
        stf__sqlite_put_int(&query, job->old.instance_no);
        stf__sqlite_put_int(&query, (int64_t)kept);
        status = stf__sqlite_run(&query, error);
    }
    for (size_t i = kept; status == STF_OK && i < job->save->record->wait_count; i++) {
        status = add_wait(job, i, error);
    }
    return status;
}

static stf_status write_journal(save_job *job, stf_error *error)
{
    stf_status status = STF_OK;
    for (size_t i = 0; status == STF_OK && i < job->save->journal_count; i++) {
        const stf_journal_row *row = &job->save->journal[i];
        stf__sqlite_query query = stf__sqlite_query_start(&job->sqlite->conn, STF__SQL_JOURNAL_ADD);
        stf__sqlite_put_int(&query, job->old.instance_no);
        stf__sqlite_put_int(&query, job->result->rec_version);
        stf__sqlite_put_int(&query, (int64_t)i + 1);
        stf__sqlite_put_int(&query, row->fact);
        stf__sqlite_put_int(&query, row->flags);
        stf__sqlite_put_int(&query, (int64_t)row->activation);
        stf__sqlite_put_int(&query, row->at.us);
        stf__sqlite_put_text(&query, row->element);
        stf__sqlite_put_text(&query, row->detail);
        status = stf__sqlite_run(&query, error);
    }
    return status;
}

static stf_wall lease_expiry(const save_job *job)
{
    const stf_record *record = job->save->record;
    if (record->lease.owner.size == 0) {
        return stf_wall_none();
    }
    if ((job->save->flags & STF_SAVE_LEASE_DURATION) == 0) {
        return record->lease.expiry;
    }
    int64_t duration_us = job->save->lease_duration_us;
    return (stf_wall){job->now.us > INT64_MAX - duration_us ? INT64_MAX
                                                            : job->now.us + duration_us};
}

static stf_status save_one(save_job *job, stf_error *error)
{
    stf_status outcome = STF_OK;
    stf_status status = compare(job, &outcome, error);
    job->result->status = outcome;
    if (status != STF_OK || outcome != STF_OK) {
        return status;
    }
    job->result->rec_version = job->save->expected_version + 1;
    job->result->attempt = job->save->attempt;
    job->result->lease_expiry = lease_expiry(job);
    status = job->old.is_found ? update_row(job, error) : insert_row(job, error);
    if (status == STF_OK) {
        status = write_bulk(job, error);
    }
    if (status == STF_OK) {
        status = write_waits(job, error);
    }
    return status == STF_OK ? write_journal(job, error) : status;
}

/* A record's refusal is described only where there is one record. */
static stf_status save_all(stf_sqlite *sqlite, const stf_ctx *ctx, const stf_save *saves,
                           size_t count, stf_save_result *results, stf_error *error)
{
    stf_status status = stf__sqlite_enter_write(sqlite, ctx, error);
    if (status != STF_OK) {
        return status;
    }
    stf_wall now = stf__sqlite_now(sqlite);
    bool has_written = false;
    for (size_t i = 0; status == STF_OK && i < count; i++) {
        results[i] = (stf_save_result){.status = STF_OK};
        save_job one = {.sqlite = sqlite, .save = &saves[i], .result = &results[i], .now = now};
        status = save_one(&one, error);
        has_written = has_written || results[i].status == STF_OK;
    }
    if (status == STF_OK && !has_written) {
        stf__sqlite_rollback(&sqlite->conn); /* nothing to commit */
        stf__sqlite_leave(sqlite);
        return STF_OK;
    }
    return stf__sqlite_finish_write(sqlite, status, error);
}

stf_status stf__sqlite_save(void *impl, const stf_ctx *ctx, const stf_save *save,
                            stf_save_result *ret_result, stf_error *error)
{
    stf__sqlite_repository *repository = impl;
    stf_save_result result = {.status = STF_OK};
    stf_status status = save_all(repository->sqlite, ctx, save, 1, &result, error);
    if (status == STF_OK) {
        status = (stf_status)result.status;
    }
    if (status == STF_OK) {
        *ret_result = result;
    }
    return status;
}

stf_status stf__sqlite_save_many(void *impl, const stf_ctx *ctx, const stf_save *saves,
                                 size_t count, stf_save_result *results, stf_error *error)
{
    stf__sqlite_repository *repository = impl;
    return save_all(repository->sqlite, ctx, saves, count, results, error);
}

/* ---- delete ---- */

stf_status stf__sqlite_drop_record(stf_sqlite *sqlite, int64_t instance_no, stf_error *error)
{
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_WAITS_TRIM);
    stf__sqlite_put_int(&query, instance_no);
    stf__sqlite_put_int(&query, 0);
    stf_status status = stf__sqlite_run(&query, error);
    static const unsigned statements[] = {STF__SQL_BULK_DROP, STF__SQL_JOURNAL_DROP,
                                          STF__SQL_RECORD_DROP};
    for (size_t i = 0; status == STF_OK && i < sizeof(statements) / sizeof(statements[0]); i++) {
        status = run_for_instance(sqlite, statements[i], instance_no, error);
    }
    return status;
}

static stf_status remove_compared(stf_sqlite *sqlite, const stf_delete *request, stf_error *error)
{
    stored_row old = {.is_found = false};
    stf_status status = find_stored(sqlite, request->id, (stf_str){NULL, 0}, &old, error);
    if (status != STF_OK || !old.is_found) {
        return status;
    }
    bool is_same =
        (request->flags & STF_DELETE_ANY) != 0 ||
        (request->expected_version == old.rec_version &&
         ((request->flags & STF_DELETE_HAS_ATTEMPT_SEEN) == 0 ||
          memcmp(request->attempt_seen.bytes, old.attempt.bytes, sizeof(old.attempt.bytes)) == 0));
    if (!is_same) {
        return stf_error_set(error, STF_CONCURRENT_UPDATE, "SQLITE_REPO",
                             "record \"%.*s\" has version %" PRId64 "; expected was %" PRId64
                             " or another attempt",
                             text_size(request->id), text_data(request->id), old.rec_version,
                             request->expected_version);
    }
    return stf__sqlite_drop_record(sqlite, old.instance_no, error);
}

stf_status stf__sqlite_remove(void *impl, const stf_ctx *ctx, const stf_delete *request,
                              stf_error *error)
{
    stf__sqlite_repository *repository = impl;
    stf_status status = stf__sqlite_enter_write(repository->sqlite, ctx, error);
    if (status != STF_OK) {
        return status;
    }
    status = remove_compared(repository->sqlite, request, error);
    return stf__sqlite_finish_write(repository->sqlite, status, error);
}
