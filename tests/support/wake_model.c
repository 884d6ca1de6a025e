/* SPDX-License-Identifier: Apache-2.0 */
/* See wake_model.h. One record is drawn and changed at random, then every page is read. */
#include "support/wake_model.h"

#include <stepfast/sys/repository_wake.h>
#include <string.h>

#include "support/stf_test.h"

#define RECORDS 12
#define PAGE 200

typedef struct model_row {
    int64_t version; /* 0: absent */
    uint32_t status;
    char owner; /* '\0': nobody */
    int64_t expiry_us;
    int64_t due_us;
    size_t wait_count;
    int64_t since_us[3];
    uint32_t kind[3];
    char key[3];
} model_row;

static stf_repository *repository;
static stf_error error;
static model_row model[RECORDS];
static uint32_t random_state;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

static void mutate(size_t i)
{
    model_row *row = &model[i];
    char id[2] = {(char)('a' + i), '\0'};
    if (row->version != 0 && draw(8) == 0) {
        stf_delete gone = {.struct_size = sizeof(gone),
                           .abi = STF_DELETE_ABI,
                           .id = stf_str_of(id),
                           .expected_version = row->version};
        STF_CHECK_OK(stf_repository_delete(repository, NULL, &gone, &error), &error);
        *row = (model_row){.version = 0};
        return;
    }
    stf_record record = STF_RECORD_INIT;
    stf_save save = STF_SAVE_INIT;
    stf_save_result result;
    stf_wait waits[3] = {{.kind = 0}};
    record.id = stf_str_of(id);
    record.group = stf_str_of("g");
    record.tenant = stf_str_of(row->version == 0 ? "t" : "");
    save.record = &record;
    save.expected_version = row->version;
    row->status = draw(6);
    row->owner = "\0mx"[draw(3)];
    row->expiry_us = draw(10);
    row->due_us = draw(3) == 0 ? STF_WALL_NONE_US : (int64_t)draw(10);
    row->wait_count = draw(4);
    for (size_t k = 0; k < row->wait_count; k++) {
        row->since_us[k] = draw(4);
        row->kind[k] = 1 + draw(2);
        row->key[k] = (char)('p' + draw(3));
        waits[k] =
            (stf_wait){.kind = row->kind[k], .key = {&row->key[k], 1}, .since = {row->since_us[k]}};
    }
    record.status = row->status;
    record.lease = (stf_lease){{&row->owner, row->owner != '\0'}, 1, {row->expiry_us}};
    record.due = (stf_wall){row->due_us};
    record.waits = waits;
    record.wait_count = row->wait_count;
    STF_CHECK_OK(stf_repository_save(repository, NULL, &save, &result, &error), &error);
    row->version++;
}

static bool is_ended(const model_row *row)
{
    return row->version == 0 || row->status == 1 || row->status == 2;
}

static bool is_due(const model_row *row, char asker, int64_t now)
{
    return !is_ended(row) && row->due_us != STF_WALL_NONE_US && row->due_us <= now &&
           (row->owner == '\0' || row->expiry_us <= now || row->owner == asker);
}

static bool is_orphan(const model_row *row, char asker, int64_t now, bool is_x_dead)
{
    return !is_ended(row) && row->status != 3 && row->owner != '\0' && row->owner != asker &&
           (row->expiry_us <= now || (is_x_dead && row->owner == 'x'));
}

/* ---- Pages as text ------------------------------------------------------------------------ */

typedef struct text {
    char bytes[PAGE];
    size_t size;
    stf_wake_row last;
    char last_id;
} text;

static stf_status note(void *user, const stf_wake_row *row, stf_error *unused)
{
    (void)unused;
    text *page = user;
    ck_assert_uint_lt(page->size, PAGE - 1);
    page->bytes[page->size++] = row->id.data[0];
    page->last_id = row->id.data[0];
    page->last = *row;
    return STF_OK;
}

static void check_due(int64_t now, size_t limit)
{
    text expected = {.size = 0};
    text actual = {.size = 0};
    for (int64_t due = 0; due < 10; due++) {
        for (size_t i = 0; i < RECORDS; i++) {
            if (model[i].due_us == due && is_due(&model[i], 'm', now)) {
                expected.bytes[expected.size++] = (char)('a' + i);
            }
        }
    }
    stf_due_query query = {.group = {"g", 1},
                           .asker = {"m", 1},
                           .now = {now},
                           .after_due = stf_wall_none(),
                           .limit = limit};
    size_t before;
    do {
        before = actual.size;
        STF_CHECK_OK(stf_repository_due_page(repository, NULL, &query, note, &actual, &error),
                     &error);
        query.after_due = actual.last.at;
        query.after_id = (stf_str){&actual.last_id, 1};
    } while (actual.size != before);
    ck_assert_str_eq(actual.bytes, expected.bytes);
}

static void check_orphans(int64_t now, size_t limit, bool is_x_dead)
{
    static const stf_str dead = {"x", 1};
    text expected = {.size = 0};
    text actual = {.size = 0};
    for (size_t i = 0; i < RECORDS; i++) {
        if (is_orphan(&model[i], 'm', now, is_x_dead)) {
            expected.bytes[expected.size++] = (char)('a' + i);
        }
    }
    stf_orphan_query query = {.group = {"g", 1},
                              .asker = {"m", 1},
                              .now = {now},
                              .dead_owners = &dead,
                              .dead_owner_count = is_x_dead,
                              .limit = limit};
    size_t before;
    do {
        before = actual.size;
        STF_CHECK_OK(stf_repository_orphan_page(repository, NULL, &query, note, &actual, &error),
                     &error);
        query.after_id = (stf_str){&actual.last_id, 1};
    } while (actual.size != before);
    ck_assert_str_eq(actual.bytes, expected.bytes);
}

static void check_waiting(uint32_t kind, char key, size_t limit)
{
    text expected = {.size = 0};
    text actual = {.size = 0};
    for (int64_t since = 0; since < 4; since++) {
        for (size_t i = 0; i < RECORDS; i++) {
            for (size_t k = 0; k < model[i].wait_count; k++) {
                if (!is_ended(&model[i]) && model[i].status != 3 && model[i].kind[k] == kind &&
                    (key == '\0' || model[i].key[k] == key) && model[i].since_us[k] == since) {
                    expected.bytes[expected.size++] = (char)('a' + i);
                }
            }
        }
    }
    stf_waiting_query query = {.group = {"g", 1},
                               .kind = kind,
                               .key = {&key, key != '\0'},
                               .after_since = stf_wall_none(),
                               .limit = limit};
    size_t before;
    do {
        before = actual.size;
        STF_CHECK_OK(stf_repository_waiting_page(repository, NULL, &query, note, &actual, &error),
                     &error);
        query.after_since = actual.last.at;
        query.after_id = (stf_str){&actual.last_id, 1};
    } while (actual.size != before);
    ck_assert_str_eq(actual.bytes, expected.bytes);
}

static void check_next_due(void)
{
    int64_t expected = STF_WALL_NONE_US;
    for (size_t i = 0; i < RECORDS; i++) {
        const model_row *row = &model[i];
        if (!is_ended(row) && row->due_us != STF_WALL_NONE_US &&
            (row->owner == '\0' || row->owner == 'm') &&
            (expected == STF_WALL_NONE_US || row->due_us < expected)) {
            expected = row->due_us;
        }
    }
    stf_wall due = {77};
    STF_CHECK_OK(
        stf_repository_next_due(repository, NULL, stf_str_of("g"), stf_str_of("m"), &due, &error),
        &error);
    ck_assert_int_eq(due.us, expected);
}

static void check_round(void)
{
    int64_t now = draw(11);
    size_t limit = 1 + draw(5);
    check_due(now, limit);
    check_orphans(now, limit, draw(2) == 0);
    check_waiting(1 + draw(2), '\0', limit);
    check_waiting(1 + draw(2), (char)('p' + draw(3)), limit);
    check_next_due();
}

void wake_model_check(stf_repository *store, size_t rounds, uint32_t seed)
{
    repository = store;
    stf_error_init(&error);
    random_state = seed;
    memset(model, 0, sizeof(model));
    STF_CHECK_OK(stf_repository_register_group(store, NULL, stf_str_of("g"), &error), &error);
    for (size_t round = 0; round < rounds; round++) {
        mutate(draw(RECORDS));
        check_round();
    }
}
