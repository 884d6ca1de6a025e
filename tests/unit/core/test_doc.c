/* SPDX-License-Identifier: Apache-2.0 */
/* Identity, texts and the save ring (R3). */
#include "core_case.h"

static stf__doc *new_doc(void)
{
    stf__doc_identity identity = {.id = stf_str_of("i"), .process = stf_str_of("p"), .version = 1};
    stf__doc *doc = NULL;
    stf_error error = STF_ERROR_INIT;
    STF_CHECK_OK(stf__doc_new(NULL, &identity, &doc, &error), &error);
    return doc;
}

static stf_attempt attempt_of(int number)
{
    return (stf_attempt){.bytes = {(uint8_t)number, 7}};
}

static void note(stf__doc *doc, int64_t version, int attempt)
{
    stf__doc_note_save(doc, version, attempt_of(attempt), stf_str_of("e1#ff"), version * 10,
                       (stf_wall){version});
}

STF_TEST(r3_a_save_is_found_by_version_and_attempt_alone)
{
    stf__doc *doc = new_doc();
    ck_assert_int_eq(stf__doc_find_save(doc, 1, attempt_of(1)), STF__RING_ABSENT);
    note(doc, 1, 1);
    note(doc, 2, 2);
    ck_assert_int_eq(stf__doc_find_save(doc, 1, attempt_of(1)), STF__RING_FOUND);
    ck_assert_int_eq(stf__doc_find_save(doc, 2, attempt_of(2)), STF__RING_FOUND);
    ck_assert_int_eq(stf__doc_find_save(doc, 2, attempt_of(1)), STF__RING_ABSENT);
    ck_assert_int_eq(stf__doc_find_save(doc, 3, attempt_of(2)), STF__RING_ABSENT);
    ck_assert_int_eq(stf__doc_get_incarnation(doc), 20);
    stf__doc_free(doc);
}

STF_TEST(r3_the_ring_keeps_sixteen_and_says_when_it_has_moved_past)
{
    stf__doc *doc = new_doc();
    for (int i = 1; i <= 17; i++) {
        note(doc, i, i);
    }
    ck_assert_int_eq(stf__doc_find_save(doc, 1, attempt_of(1)), STF__RING_PAST);
    ck_assert_int_eq(stf__doc_find_save(doc, 2, attempt_of(2)), STF__RING_FOUND);
    ck_assert_int_eq(stf__doc_find_save(doc, 17, attempt_of(17)), STF__RING_FOUND);
    ck_assert_int_eq(stf__doc_find_save(doc, 18, attempt_of(18)), STF__RING_ABSENT);
    stf__doc_free(doc);
}

STF_TEST(r3_a_save_that_was_refused_gives_its_place_to_the_next_try)
{
    stf__doc *doc = new_doc();
    note(doc, 1, 1);
    note(doc, 2, 2);
    note(doc, 2, 3);
    ck_assert_int_eq(stf__doc_find_save(doc, 2, attempt_of(2)), STF__RING_ABSENT);
    ck_assert_int_eq(stf__doc_find_save(doc, 2, attempt_of(3)), STF__RING_FOUND);
    ck_assert_int_eq(stf__doc_find_save(doc, 1, attempt_of(1)), STF__RING_FOUND);
    ck_assert_uint_eq(doc->ring_count, 2);
    stf__doc_free(doc);
}

STF_TEST(a_writer_that_is_too_long_is_cut_between_characters)
{
    stf__doc *doc = new_doc();
    char name[300];
    memset(name, 'x', sizeof(name));
    name[254] = '\xc3'; /* the two bytes of one letter, over the edge */
    name[255] = '\xa9';
    stf__doc_note_save(doc, 1, attempt_of(1), (stf_str){name, sizeof(name)}, 1, (stf_wall){1});
    ck_assert_uint_eq(doc->writer_bytes, 254);
    stf__doc_note_save(doc, 2, attempt_of(2), (stf_str){NULL, 0}, 1, (stf_wall){1});
    ck_assert_uint_eq(doc->writer_bytes, 0);
    stf__doc_free(doc);
}

STF_TEST(equal_texts_share_one_copy)
{
    stf__doc *doc = new_doc();
    stf_str a;
    stf_str b;
    STF_CHECK_OK(stf__doc_intern(doc, stf_str_of("node"), &a, NULL), (stf_error *)NULL);
    STF_CHECK_OK(stf__doc_intern(doc, (stf_str){"nodes", 4}, &b, NULL), (stf_error *)NULL);
    ck_assert_ptr_eq(a.data, b.data);
    STF_CHECK_OK(stf__doc_intern(doc, (stf_str){NULL, 0}, &b, NULL), (stf_error *)NULL);
    ck_assert_uint_eq(b.size, 0);
    stf__doc_free(doc);
}

STF_TEST(ids_over_the_limit_are_refused)
{
    char id[STF_LIMIT_ID_BYTES + 1];
    memset(id, 'i', sizeof(id));
    stf__doc_identity identity = {.id = {id, sizeof(id)}, .process = stf_str_of("p")};
    stf__doc *doc = NULL;
    ck_assert_int_eq(stf__doc_new(NULL, &identity, &doc, NULL), STF_LIMIT_EXCEEDED);
    ck_assert_ptr_null(doc);
    ck_assert_ptr_null(stf__doc_free(NULL));
}

STF_TEST(the_identity_is_what_the_document_was_made_with)
{
    core_case *c = core_case_load("<startEvent id='s'/>");
    core_case_start(c, NULL);
    const stf__doc_identity *identity = stf__doc_peek_identity(c->doc);
    STF_CHECK_STR(identity->id, "i-1");
    STF_CHECK_STR(identity->process, "p");
    ck_assert_int_eq(identity->version, 3);
    ck_assert_uint_eq(identity->nonce[3], 0xfe);
    ck_assert_int_eq(identity->created.us, CORE_CASE_BEGIN_US);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(r3_a_save_is_found_by_version_and_attempt_alone),
    STF_CASE(r3_the_ring_keeps_sixteen_and_says_when_it_has_moved_past),
    STF_CASE(r3_a_save_that_was_refused_gives_its_place_to_the_next_try),
    STF_CASE(a_writer_that_is_too_long_is_cut_between_characters),
    STF_CASE(equal_texts_share_one_copy),
    STF_CASE(ids_over_the_limit_are_refused),
    STF_CASE(the_identity_is_what_the_document_was_made_with),
};

STF_TEST_MAIN("core/doc", cases)
