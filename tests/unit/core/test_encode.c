/* SPDX-License-Identifier: Apache-2.0 */
/* The stored form: its plain beginning, canonical bytes, what lives in bulk and when bulk counts as
 * changed. */
#include "core_case.h"

static const char one_task[] = "<startEvent id='s'/><userTask id='t'/>"
                               "<sequenceFlow id='f' sourceRef='s' targetRef='t'/>";

typedef struct stored {
    stf_buf head;
    stf_buf bulk;
    bool has_bulk_changed;
} stored;

static stored encode(core_case *c)
{
    stored form;
    stf_buf_init(&form.head, NULL);
    stf_buf_init(&form.bulk, NULL);
    STF_CHECK_OK(stf__doc_encode(c->doc, &form.head, &form.bulk, &form.has_bulk_changed, &c->error),
                 &c->error);
    return form;
}

static void done(stored *form)
{
    stf_buf_done(&form->head);
    stf_buf_done(&form->bulk);
}

static void set_text(core_case *c, const char *name, size_t size)
{
    static char text[4096];
    ck_assert_uint_le(size, sizeof(text));
    memset(text, 'x', size);
    stf_value *value = NULL;
    STF_CHECK_OK(stf_value_new_string(NULL, (stf_str){text, size}, &value, &c->error), &c->error);
    STF_CHECK_OK(stf__doc_set_variable(c->doc, 0, stf_str_of(name), value, &c->error), &c->error);
    stf_value_unref(value);
}

static size_t bulk_size(core_case *c)
{
    stored form = encode(c);
    size_t size = form.bulk.size;
    done(&form);
    return size;
}

STF_TEST(the_head_begins_with_magic_and_schema_in_plain_bytes)
{
    core_case *c = core_case_load(one_task);
    stored form = encode(c);
    ck_assert_uint_ge(form.head.size, 6);
    ck_assert_int_eq(memcmp(form.head.data, "STFD\0\2", 6), 0);
    ck_assert_uint_eq(form.bulk.size, 0);
    done(&form);
    core_case_free(c);
}

STF_TEST(equal_documents_give_equal_bytes_whatever_their_history)
{
    core_case *a = core_case_load(one_task);
    core_case *b = core_case_load(one_task);
    core_case_start(a, "{\"x\": 1, \"y\": 2}");
    core_case_start(b, "{\"y\": 9}");
    core_case_set(b, "{\"x\": 1}");
    core_case_set(b, "{\"y\": 2}");
    stored of_a = encode(a);
    stored of_b = encode(b);
    core_case_expect_same(&of_a.head, &of_b.head);
    done(&of_a);
    done(&of_b);
    core_case_free(a);
    core_case_free(b);
}

STF_TEST(a_value_of_256_encoded_bytes_is_in_the_head_and_of_257_in_bulk)
{
    core_case *c = core_case_load(one_task);
    core_case_start(c, NULL);
    set_text(c, "v", 254); /* two bytes of head */
    ck_assert_uint_eq(bulk_size(c), 0);
    set_text(c, "v", 255);
    ck_assert_uint_eq(bulk_size(c), 1 + 257);
    core_case_wake(c); /* and back from the stored form */
    ck_assert_uint_eq(bulk_size(c), 1 + 257);
    core_case_free(c);
}

STF_TEST(bulk_counts_as_changed_only_when_a_large_value_did)
{
    core_case *c = core_case_load(one_task);
    c->keeps_document = true;
    core_case_start(c, NULL);
    set_text(c, "big", 1000);
    stored form = encode(c);
    ck_assert(form.has_bulk_changed);
    done(&form);
    form = encode(c); /* not durable yet */
    ck_assert(form.has_bulk_changed);
    done(&form);
    stf__doc_saved(c->doc);
    set_text(c, "small", 10);
    set_text(c, "big", 1000); /* the same again */
    core_case_task(c, "t", "{\"n\": 1}");
    form = encode(c);
    ck_assert(!form.has_bulk_changed);
    done(&form);
    set_text(c, "small", 500); /* grows into bulk */
    form = encode(c);
    ck_assert(form.has_bulk_changed);
    done(&form);
    stf__doc_saved(c->doc);
    set_text(c, "big", 1); /* leaves bulk */
    form = encode(c);
    ck_assert(form.has_bulk_changed);
    done(&form);
    core_case_free(c);
}

STF_TEST(a_decoded_document_has_its_bulk_saved_already)
{
    core_case *c = core_case_load(one_task);
    core_case_start(c, NULL);
    set_text(c, "big", 1000);
    core_case_wake(c); /* decoded */
    stored form = encode(c);
    ck_assert(!form.has_bulk_changed);
    done(&form);
    core_case_free(c);
}

STF_TEST(encoding_appends)
{
    core_case *c = core_case_load(one_task);
    stored form = encode(c);
    size_t size = form.head.size;
    STF_CHECK_OK(stf__doc_encode(c->doc, &form.head, &form.bulk, &form.has_bulk_changed, &c->error),
                 &c->error);
    ck_assert_uint_eq(form.head.size, 2 * size);
    ck_assert_int_eq(memcmp(form.head.data, form.head.data + size, size), 0);
    done(&form);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(the_head_begins_with_magic_and_schema_in_plain_bytes),
    STF_CASE(equal_documents_give_equal_bytes_whatever_their_history),
    STF_CASE(a_value_of_256_encoded_bytes_is_in_the_head_and_of_257_in_bulk),
    STF_CASE(bulk_counts_as_changed_only_when_a_large_value_did),
    STF_CASE(a_decoded_document_has_its_bulk_saved_already),
    STF_CASE(encoding_appends),
};

STF_TEST_MAIN("core/encode", cases)
