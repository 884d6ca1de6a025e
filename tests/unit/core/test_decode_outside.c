/* SPDX-License-Identifier: Apache-2.0 */
/* The whole document in its stored form: any one that keeps the promises comes back, documents of
 * schema 1 are read for ever, and neither damage nor a lack of memory gets by. */
#include "doc_case.h"

#include "unit/base/faulty.h"

#include <dirent.h>
#include <stdio.h>

enum {
    SEEDS = 600
};

typedef struct stored {
    stf_buf head;
    stf_buf bulk;
} stored;

static stored encode(stf__doc *doc)
{
    stored form;
    bool has_changed = false;
    stf_error error = STF_ERROR_INIT;
    stf_buf_init(&form.head, NULL);
    stf_buf_init(&form.bulk, NULL);
    STF_CHECK_OK(stf__doc_encode(doc, &form.head, &form.bulk, &has_changed, &error), &error);
    return form;
}

static void done(stored *form)
{
    stf_buf_done(&form->head);
    stf_buf_done(&form->bulk);
}

static stf_status decode(const stored *form, const stf_allocator *alloc, stf__doc **ret_doc)
{
    return stf__doc_decode(alloc, stf_buf_bytes(&form->head), stf_buf_bytes(&form->bulk), ret_doc,
                           NULL);
}

static void summarise(const stf__doc *doc, unsigned seed)
{
    stf__arena arena;
    stf__doc_summary summary;
    stf_error error = STF_ERROR_INIT;
    stf__arena_init(&arena, NULL);
    stf_status status = stf__doc_summarise(doc, &arena, &summary, &error);
    ck_assert_msg(status == STF_OK, "seed %u: %s", seed, error.message);
    ck_assert(summary.wait_count <= STF_LIMIT_WAITS);
    stf__arena_done(&arena);
}

STF_TEST(any_document_that_keeps_the_promises_comes_back_byte_by_byte)
{
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        stf__doc *doc = doc_case_random(seed);
        ck_assert_msg(stf__doc_check_invariants(doc) == STF_OK, "seed %u", seed);
        doc_case_check(doc);
        summarise(doc, seed); /* R8 */
        stf_value *view = NULL;
        ck_assert_int_eq(stf__doc_view(doc, NULL, &view, NULL), STF_OK);
        stf_value_unref(view);
        stf__doc_free(doc);
    }
}

/* What a flipped bit makes of it is refused, or a document that is written exactly so. */
STF_TEST(a_flipped_bit_is_refused_or_means_what_it_says)
{
    stf__doc *docs[] = {doc_case_rich(), doc_case_queue()};
    for (size_t i = 0; i < STF_COUNT_OF(docs); i++) {
        stored form = encode(docs[i]);
        size_t refused = 0;
        for (size_t bit = 48; bit < form.head.size * 8; bit++) {
            stf__doc *other = NULL;
            form.head.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            stf_status status = decode(&form, NULL, &other);
            ck_assert(status == STF_OK || status == STF_CORRUPT);
            if (status == STF_OK) {
                doc_case_check(other);
                stored again = encode(other);
                ck_assert(again.head.size == form.head.size &&
                          memcmp(again.head.data, form.head.data, form.head.size) == 0);
                done(&again);
            }
            refused += status != STF_OK ? 1 : 0;
            stf__doc_free(other);
            form.head.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        ck_assert_uint_gt(refused, form.head.size * 2);
        done(&form);
        stf__doc_free(docs[i]);
    }
}

STF_TEST(a_truncated_document_is_corrupt_at_every_length)
{
    stf__doc *doc = doc_case_rich();
    stored form = encode(doc);
    size_t size = form.head.size;
    for (form.head.size = 0; form.head.size < size; form.head.size++) {
        stf__doc *other = NULL;
        ck_assert_int_eq(decode(&form, NULL, &other), STF_CORRUPT);
    }
    done(&form);
    stf__doc_free(doc);
}

STF_TEST(a_lack_of_memory_at_any_point_is_told_and_leaks_nothing)
{
    stf__doc *rich = doc_case_rich();
    stored form = encode(rich);
    stf_status status = STF_NO_MEMORY;
    for (long n = 1; status == STF_NO_MEMORY; n++) {
        faulty memory;
        stf__doc *doc = NULL;
        stf_value *view = NULL;
        stf_value *variables = NULL;
        bool has_changed = false;
        stored again;
        faulty_init(&memory, n);
        stf_buf_init(&again.head, &memory.port);
        stf_buf_init(&again.bulk, &memory.port);
        status = decode(&form, &memory.port, &doc);
        status = status == STF_OK ? stf__doc_view(doc, NULL, &view, NULL) : status;
        status = status == STF_OK ? stf__doc_copy_variables(doc, 2, &variables, NULL) : status;
        status = status == STF_OK
                     ? stf__doc_encode(doc, &again.head, &again.bulk, &has_changed, NULL)
                     : status;
        ck_assert(status == STF_OK || status == STF_NO_MEMORY);
        ck_assert((status == STF_OK) == (memory.calls < n));
        stf_value_unref(view);
        stf_value_unref(variables);
        stf__doc_free(doc);
        done(&again);
        ck_assert_int_eq(memory.live, 0);
    }
    done(&form);
    stf__doc_free(rich);
}

/* The outbox, senders and scopes grow in a document that stays whole when there is no memory. */
STF_TEST(a_list_that_cannot_grow_leaves_the_document_as_it_was)
{
    stf__doc *rich = doc_case_rich();
    stored form = encode(rich);
    stf__doc *doc = NULL;
    faulty memory;
    faulty_init(&memory, 0);
    ck_assert_int_eq(decode(&form, &memory.port, &doc), STF_OK);
    stf__send_item item = {.kind = STF__SEND_CREATE,
                           .name = stf_str_of("a name that is new"),
                           .target = stf_str_of("a target that is new"),
                           .until = stf_wall_none()};
    stf__sender sender = doc_case_sender(200, 4);
    for (int step = 0; step < 2; step++) {
        stf_status status = STF_NO_MEMORY;
        for (long n = 1; status == STF_NO_MEMORY; n++) {
            memory.calls = 0;
            memory.fail_at = n;
            status = step == 0 ? stf__doc_add_send(doc, &item, (stf_wall){1}, NULL)
                               : stf__doc_hear(doc, &sender, (stf_wall){DOC_CASE_NOW_US}, NULL);
            memory.fail_at = 0;
            ck_assert(status == STF_OK || status == STF_NO_MEMORY);
            doc_case_check(doc);
            ck_assert_uint_eq(doc->outbox_count, step == 0 && status != STF_OK ? 5 : 6);
        }
    }
    stf__doc_free(doc);
    ck_assert_int_eq(memory.live, 0);
    done(&form);
    stf__doc_free(rich);
}

/* It could only be said by a time that is none, and the encoder says null. */
STF_TEST(an_empty_outbox_is_written_in_one_way_only)
{
    static const uint8_t nothing[] = {0x80, 0x80, 0x80, 0x00, 0xf6, 0xf6, 0x80, 0x83};
    static const uint8_t empty[] = {0x83, 0x3b, 0x7f, 0xff, 0xff, 0xff,
                                    0xff, 0xff, 0xff, 0xff, 0x00, 0x80};
    stf__doc *doc = doc_case_new(STF__DOC_INSTANCE);
    stf__doc *other = NULL;
    stored form = encode(doc);
    const uint8_t *found = memmem(form.head.data, form.head.size, nothing, sizeof(nothing));
    ck_assert_ptr_nonnull(found); /* incidents, iterations, ledger, sweep, caller, outbox, ... */
    size_t at = (size_t)(found - form.head.data) + 5;
    stored longer;
    stf_buf_init(&longer.head, NULL);
    stf_buf_init(&longer.bulk, NULL);
    ck_assert_int_eq(stf_buf_append(&longer.head, form.head.data, at), STF_OK);
    ck_assert_int_eq(stf_buf_append(&longer.head, empty, sizeof(empty)), STF_OK);
    ck_assert_int_eq(stf_buf_append(&longer.head, form.head.data + at + 1, form.head.size - at - 1),
                     STF_OK);
    ck_assert_int_eq(decode(&longer, NULL, &other), STF_CORRUPT);
    done(&longer);
    done(&form);
    stf__doc_free(doc);
}

/* ---- Schema 1 */

static int digit_of(int letter)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = letter > 0 ? strchr(digits, letter) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/* "head", hex digits, "bulk", hex digits; line ends anywhere. */
static stored read_hex(const char *name)
{
    char path[512];
    stored form;
    snprintf(path, sizeof(path), "%s/%s", SCHEMA1_DIRECTORY, name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s", path);
    stf_buf_init(&form.head, NULL);
    stf_buf_init(&form.bulk, NULL);
    char line[128];
    stf_buf *part = NULL;
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "head", 4) == 0 || strncmp(line, "bulk", 4) == 0) {
            part = line[0] == 'h' ? &form.head : &form.bulk;
            continue;
        }
        for (size_t i = 0; part != NULL && digit_of(line[i]) >= 0; i += 2) {
            uint8_t byte = (uint8_t)(digit_of(line[i]) << 4 | digit_of(line[i + 1]));
            ck_assert_int_eq(stf_buf_append(part, &byte, 1), STF_OK);
        }
    }
    fclose(file);
    ck_assert_uint_gt(form.head.size, 6);
    ck_assert_uint_eq(form.head.data[5], 1);
    return form;
}

static size_t for_each_hex(void (*check)(const char *name, const stored *form))
{
    size_t count = 0;
    DIR *directory = opendir(SCHEMA1_DIRECTORY);
    ck_assert_ptr_nonnull(directory);
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (strstr(entry->d_name, ".hex") != NULL) {
            stored form = read_hex(entry->d_name);
            check(entry->d_name, &form);
            done(&form);
            count++;
        }
    }
    closedir(directory);
    return count;
}

static void check_upgrade(const char *name, const stored *form)
{
    stf__doc *doc = NULL;
    ck_assert_msg(decode(form, NULL, &doc) == STF_OK, "%s", name);
    ck_assert_uint_eq(doc->identity.kind, STF__DOC_INSTANCE);
    ck_assert_uint_eq(doc->scope_count, 1);
    ck_assert_uint_eq(doc->subscription_count + doc->outbox_count + doc->heard_count, 0);
    ck_assert_uint_eq(doc->caller.id.size, 0);
    for (size_t i = 0; i < doc->incident_count; i++) {
        ck_assert(stf_wall_is_none(doc->incidents[i].retry_at));
    }
    for (size_t i = 0; i < doc->activation_count; i++) {
        ck_assert_uint_eq(doc->activations[i]->work.retries, 0);
    }
    ck_assert_int_eq(stf__doc_find_save(doc, 2, doc->ring[1].attempt), STF__RING_FOUND);
    bool has_changed = true;
    stf_buf head;
    stf_buf_init(&head, NULL);
    ck_assert_int_eq(stf__doc_encode_head(doc, &head, &has_changed, NULL), STF_OK);
    ck_assert_msg(head.data[5] == 2, "%s is written as schema 2", name);
    ck_assert(!has_changed); /* the saved bulk stays what it is */
    stf_buf_done(&head);
    doc_case_check(doc);
    stf__doc_free(doc);
}

STF_TEST(documents_of_schema_1_are_read_and_become_schema_2)
{
    ck_assert_uint_eq(for_each_hex(check_upgrade), 8);
}

STF_TEST(a_document_of_schema_1_keeps_what_it_had)
{
    static const struct {
        const char *name;
        uint32_t end_how;
        size_t activations;
        size_t timers;
        size_t incidents;
        size_t joins;
        size_t ready;
        size_t variables;
    } rows[] = {
        {"new.hex", STF__END_NOT, 0, 0, 0, 0, 0, 0},
        {"started.hex", STF__END_NOT, 5, 2, 1, 1, 0, 5},
        {"running.hex", STF__END_NOT, 5, 2, 1, 1, 0, 5},
        {"incidents.hex", STF__END_NOT, 5, 2, 3, 1, 0, 5},
        {"unknown.hex", STF__END_NOT, 2, 1, 1, 4, 0, 2},
        {"yielded.hex", STF__END_NOT, 0, 0, 0, 0, 1, 0},
        {"completed.hex", STF__END_COMPLETED, 0, 0, 0, 0, 0, 0},
        {"terminated.hex", STF__END_TERMINATED, 0, 0, 0, 0, 0, 1},
    };
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        stored form = read_hex(rows[i].name);
        stf__doc *doc = NULL;
        ck_assert_int_eq(decode(&form, NULL, &doc), STF_OK);
        ck_assert_uint_eq(doc->end_how, rows[i].end_how);
        ck_assert_uint_eq(doc->activation_count, rows[i].activations);
        ck_assert_uint_eq(doc->timer_count, rows[i].timers);
        ck_assert_uint_eq(doc->incident_count, rows[i].incidents);
        ck_assert_uint_eq(doc->parked_count, rows[i].joins);
        ck_assert_uint_eq(doc->ready_count, rows[i].ready);
        ck_assert_uint_eq(doc->scopes[0].variable_count, rows[i].variables);
        stf__doc_free(doc);
        done(&form);
    }
}

/* A schema 1 that says what only schema 2 can say was written by nobody. */
static void check_flips(const char *name, const stored *form)
{
    size_t refused = 0;
    for (size_t bit = 48; bit < form->head.size * 8; bit++) {
        stf__doc *doc = NULL;
        form->head.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        stf_status status = decode(form, NULL, &doc);
        ck_assert_msg(status == STF_OK || status == STF_CORRUPT, "%s, bit %zu", name, bit);
        if (status == STF_OK) {
            doc_case_check(doc);
            ck_assert_uint_eq(doc->subscription_count + doc->outbox_count, 0);
        }
        refused += status != STF_OK ? 1 : 0;
        stf__doc_free(doc);
        form->head.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    ck_assert_uint_gt(refused, form->head.size);
}

STF_TEST(a_flipped_bit_of_schema_1_is_refused_or_a_sound_document)
{
    ck_assert_uint_eq(for_each_hex(check_flips), 8);
}

STF_TEST(a_document_of_the_other_schemas_layout_is_corrupt)
{
    stf__doc *doc = doc_case_rich();
    stored form = encode(doc);
    stf__doc *other = NULL;
    form.head.data[5] = 1;
    ck_assert_int_eq(decode(&form, NULL, &other), STF_CORRUPT);
    stored first = read_hex("started.hex");
    first.head.data[5] = 2;
    ck_assert_int_eq(decode(&first, NULL, &other), STF_CORRUPT);
    done(&first);
    done(&form);
    stf__doc_free(doc);
}

static const stf_test_case cases[] = {
    STF_CASE(any_document_that_keeps_the_promises_comes_back_byte_by_byte),
    STF_CASE(a_flipped_bit_is_refused_or_means_what_it_says),
    STF_CASE(a_truncated_document_is_corrupt_at_every_length),
    STF_CASE(a_lack_of_memory_at_any_point_is_told_and_leaks_nothing),
    STF_CASE(a_list_that_cannot_grow_leaves_the_document_as_it_was),
    STF_CASE(an_empty_outbox_is_written_in_one_way_only),
    STF_CASE(documents_of_schema_1_are_read_and_become_schema_2),
    STF_CASE(a_document_of_schema_1_keeps_what_it_had),
    STF_CASE(a_flipped_bit_of_schema_1_is_refused_or_a_sound_document),
    STF_CASE(a_document_of_the_other_schemas_layout_is_corrupt),
};

STF_TEST_MAIN("core/decode_outside", cases)
