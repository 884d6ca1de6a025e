/* SPDX-License-Identifier: Apache-2.0 */
/* Stored documents from strangers, of both schemas. An input is two bytes (big-endian: the size of
 * bulk), bulk, and the head. What decodes keeps the invariants, encodes to the very bytes that it
 * came from (schema 1: to a schema 2 that does), and can be read in every way that the engine reads
 * it. */
#include "core/doc.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds) {
        abort();
    }
}

static bool is_same(const stf_buf *buf, stf_bytes bytes)
{
    stf_bytes have = stf_buf_bytes(buf);
    return stf_str_equal((stf_str){(const char *)have.data, have.size},
                         (stf_str){(const char *)bytes.data, bytes.size});
}

static void encode(stf__doc *doc, stf_buf *head, stf_buf *bulk)
{
    bool has_changed = true;
    stf_buf_init(head, NULL);
    stf_buf_init(bulk, NULL);
    demand(stf__doc_encode(doc, head, bulk, &has_changed, NULL) == STF_OK && !has_changed);
}

static void encode_again(stf__doc *doc, stf_bytes head, stf_bytes bulk)
{
    stf_buf new_head;
    stf_buf new_bulk;
    encode(doc, &new_head, &new_bulk);
    demand(is_same(&new_bulk, bulk));
    if (head.data[5] == STF__DOC_SCHEMA) {
        demand(is_same(&new_head, head));
    } else {
        stf__doc *again = NULL;
        stf_buf same_head;
        stf_buf same_bulk;
        demand(stf__doc_decode(NULL, stf_buf_bytes(&new_head), bulk, &again, NULL) == STF_OK);
        encode(again, &same_head, &same_bulk);
        demand(is_same(&same_head, stf_buf_bytes(&new_head)));
        stf_buf_done(&same_head);
        stf_buf_done(&same_bulk);
        stf__doc_free(again);
    }
    stf_buf_done(&new_head);
    stf_buf_done(&new_bulk);
}

static void read_all(const stf__doc *doc)
{
    stf__arena arena;
    stf__doc_summary summary;
    stf__arena_init(&arena, NULL);
    stf_status status = stf__doc_summarise(doc, &arena, &summary, NULL);
    /* Only a document that has not begun is one that nothing would find. */
    demand(status == STF_OK || (status == STF_INTERNAL && doc->counters.activation == 0));
    demand(status != STF_OK || summary.wait_count <= STF_LIMIT_WAITS);
    stf__arena_done(&arena);

    stf_value *view = NULL;
    demand(stf__doc_view(doc, NULL, &view, NULL) == STF_OK);
    stf_value_unref(view);

    for (size_t i = 0; i < doc->scope_count; i++) {
        stf_value *variables = NULL;
        demand(stf__doc_copy_scope_variables(doc, doc->scopes[i].number, &variables, NULL) ==
               STF_OK);
        stf_value_unref(variables);
    }
    stf__send_item send;
    for (size_t i = 0; i < 16 && stf__doc_get_send(doc, i, &send); i++) {
        demand(!(stf__doc_may_send(doc, &send) && stf__doc_may_aim(doc, &send)));
    }

    stf__work_item item;
    for (uint64_t after = 0; stf__doc_next_work(doc, after, &item); after = item.activation) {
        char key[STF__WORK_KEY_BYTES];
        demand(stf__doc_format_work_key(doc, item.activation, key, NULL) == STF_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t bulk_size = size < 2 ? 0 : (size_t)data[0] << 8 | data[1];
    if (size < 2 || bulk_size > size - 2) {
        return 0;
    }
    stf_bytes bulk = {data + 2, bulk_size};
    stf_bytes head = {data + 2 + bulk_size, size - 2 - bulk_size};
    stf_error error = STF_ERROR_INIT;
    stf__doc *doc = NULL;
    stf_status status = stf__doc_decode(NULL, head, bulk, &doc, &error);
    demand((status == STF_OK) == (doc != NULL));
    if (status != STF_OK) {
        demand(status == STF_CORRUPT || status == STF_SCHEMA_MISMATCH);
        return 0;
    }
    demand(stf__doc_check_invariants(doc) == STF_OK);
    read_all(doc);
    encode_again(doc, head, bulk);
    stf__doc_free(doc);
    return 0;
}
