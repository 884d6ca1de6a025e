/* SPDX-License-Identifier: Apache-2.0 */
/* What a save is refused for before the store is asked, and that a good one costs no look. */
#include "unit/port/fake.h"

#include "support/stf_test.h"

static fake store;
static stf_repository *repository;
static stf_record record;
static stf_save save;

static void start(void)
{
    fake_init(&store);
    repository = fake_open(&store);
    record = fake_record();
    save = fake_save(&record);
}

static stf_status run(void)
{
    stf_save_result result = {.rec_version = 77};
    stf_status status = stf_repository_save(repository, NULL, &save, &result, NULL);
    ck_assert_int_eq(result.rec_version, status == STF_OK ? save.expected_version + 1 : 77);
    return status;
}

/* Refused, and no slot but the group's was called. */
static void expect(stf_status status)
{
    ck_assert_uint_eq(run(), status);
    ck_assert_uint_eq(store.calls, 0);
    stf_repository_close(repository);
    start();
}

STF_TEST(malformed_structs_are_refused_first)
{
    start();
    save.struct_size--;
    expect(STF_INVALID_ARGUMENT);
    save.abi++;
    expect(STF_INVALID_ARGUMENT);
    save.flags = 1u << 30;
    expect(STF_INVALID_ARGUMENT);
    save.record = NULL;
    expect(STF_INVALID_ARGUMENT);
    record.struct_size = 0;
    expect(STF_INVALID_ARGUMENT);
    record.abi = 0;
    expect(STF_INVALID_ARGUMENT);
    record.head.size = 1;
    expect(STF_INVALID_ARGUMENT);
    record.bulk.size = 1;
    expect(STF_INVALID_ARGUMENT);
    record.wait_count = 1;
    expect(STF_INVALID_ARGUMENT);
    save.journal_count = 1;
    expect(STF_INVALID_ARGUMENT);
    stf_wait wait = {.key = {NULL, 1}};
    record.waits = &wait;
    record.wait_count = 1;
    expect(STF_INVALID_ARGUMENT);
    stf_journal_row row = {.element = {NULL, 1}};
    save.journal = &row;
    save.journal_count = 1;
    expect(STF_INVALID_ARGUMENT);
    record.id = (stf_str){NULL, 0};
    record.tenant = (stf_str){NULL, 1};
    expect(STF_INVALID_ARGUMENT);
}

STF_TEST(limits_of_waits_journal_and_payload)
{
    static char text[STF_LIMIT_JOURNAL_DETAIL_BYTES + 1];
    memset(text, 'x', sizeof(text));
    start();
    stf_wait wait = {.key = {text, STF_LIMIT_WAIT_KEY_BYTES + 1}};
    record.waits = &wait;
    record.wait_count = 1;
    expect(STF_LIMIT_EXCEEDED);
    stf_journal_row row = {.element = {text, STF_LIMIT_ID_BYTES + 1}};
    save.journal = &row;
    save.journal_count = 1;
    expect(STF_LIMIT_EXCEEDED);
    row = (stf_journal_row){.detail = {text, sizeof(text)}};
    save.journal = &row;
    save.journal_count = 1;
    expect(STF_LIMIT_EXCEEDED);
    /* Only the sizes are looked at: the pointers lead nowhere. */
    record.head = (stf_bytes){(const uint8_t *)text, STF_LIMIT_PAYLOAD_BYTES + 1u};
    expect(STF_LIMIT_EXCEEDED);
    record.head = (stf_bytes){(const uint8_t *)text, 2};
    record.bulk = (stf_bytes){(const uint8_t *)text, STF_LIMIT_PAYLOAD_BYTES - 1u};
    expect(STF_LIMIT_EXCEEDED);
    /* A part that is kept is not in the request. */
    record.head = (stf_bytes){(const uint8_t *)text, 2};
    record.bulk = (stf_bytes){(const uint8_t *)text, STF_LIMIT_PAYLOAD_BYTES};
    save.expected_version = 1;
    save.flags = STF_SAVE_KEEP_HEAD;
    ck_assert_uint_eq(run(), STF_OK);
    stf_repository_close(repository);
}

STF_TEST(wait_keys_are_utf8_between_nuls)
{
    start();
    static const stf_str good[] = {{NULL, 0}, {"name\0key", 8}, {"\0", 1}, {"\xc3\xa4\0\0z", 5}};
    for (size_t i = 0; i < 4; i++) {
        stf_wait wait = {.key = good[i]};
        record.waits = &wait;
        record.wait_count = 1;
        ck_assert_uint_eq(run(), STF_OK);
        store.ids_seen[0] = '\0';
        memset(store.ids_seen, 0, sizeof(store.ids_seen));
    }
    store.calls = 0;
    static const stf_str bad[] = {{"a\0\xff", 3}, {"\xc3\0\xa4", 3}};
    for (size_t i = 0; i < 2; i++) {
        stf_wait wait = {.key = bad[i]};
        record.waits = &wait;
        record.wait_count = 1;
        expect(STF_INVALID_ARGUMENT);
    }
    stf_repository_close(repository);
}

STF_TEST(an_unregistered_group_comes_before_an_invalid_argument)
{
    start();
    save.expected_version = -1;
    expect(STF_INVALID_ARGUMENT);
    store.group_is_there = false;
    save.expected_version = -1;
    expect(STF_NOT_FOUND);
    store.group_is_there = false;
    save.flags = STF_SAVE_KEEP_BULK;
    expect(STF_NOT_FOUND);
    /* Not when the store cannot be asked. */
    store.group_is_there = false;
    store.answer = STF_UNAVAILABLE;
    save.expected_version = -1;
    expect(STF_INVALID_ARGUMENT);
    /* Nor for a name that no group can have. */
    store.group_is_there = false;
    record.group = (stf_str){"\xff", 1};
    expect(STF_INVALID_ARGUMENT);
    ck_assert_uint_eq(store.group_lookups, 0);
    stf_repository_close(repository);
}

STF_TEST(a_good_save_reaches_the_store_without_another_look)
{
    start();
    ck_assert_uint_eq(run(), STF_OK);
    ck_assert_uint_eq(store.calls, 1);
    ck_assert_uint_eq(store.group_lookups, 0);
    stf_repository_close(repository);
}

STF_TEST(journal_rows_need_the_capability)
{
    fake_init(&store);
    store.capabilities[STF__CAPABILITY_JOURNAL] = NULL;
    repository = fake_open(&store);
    record = fake_record();
    save = fake_save(&record);
    stf_journal_row row = {.fact = 1};
    save.journal = &row;
    save.journal_count = 1;
    ck_assert_uint_eq(run(), STF_UNSUPPORTED);
    ck_assert_uint_eq(store.calls, 0);
    save.journal_count = 0;
    ck_assert_uint_eq(run(), STF_OK);
    stf_repository_close(repository);
}

STF_TEST(journal_text_is_utf8)
{
    start();
    stf_journal_row row = {.detail = {"\xff", 1}};
    save.journal = &row;
    save.journal_count = 1;
    expect(STF_INVALID_ARGUMENT);
    save.lease_duration_us = -1; /* without the flag it means nothing */
    ck_assert_uint_eq(run(), STF_OK);
    stf_repository_close(repository);
}

static const stf_test_case cases[] = {
    STF_CASE(malformed_structs_are_refused_first),
    STF_CASE(limits_of_waits_journal_and_payload),
    STF_CASE(wait_keys_are_utf8_between_nuls),
    STF_CASE(an_unregistered_group_comes_before_an_invalid_argument),
    STF_CASE(a_good_save_reaches_the_store_without_another_look),
    STF_CASE(journal_rows_need_the_capability),
    STF_CASE(journal_text_is_utf8),
};

STF_TEST_MAIN("port/save_check", cases)
