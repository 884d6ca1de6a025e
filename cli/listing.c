/* SPDX-License-Identifier: Apache-2.0 */
/* See listing.h. */
#include "listing.h"

#include <stdlib.h>

enum {
    PAGE = 500
};

typedef struct items {
    stf_value **values;
    size_t count;
    size_t capacity;
} items;

static bool add_page(items *all, const stf_value *page)
{
    size_t count = stf_value_count(page);
    if (all->count + count > all->capacity) {
        size_t capacity = (all->count + count) * 2;
        stf_value **grown = reallocarray(all->values, capacity, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        all->values = grown;
        all->capacity = capacity;
    }
    for (size_t i = 0; i < count; i++) {
        all->values[all->count] = stf_value_ref(stf_value_peek_item(page, i));
        all->count++;
    }
    return true;
}

static stf_str last_id(const items *all)
{
    if (all->count == 0) {
        return (stf_str){NULL, 0};
    }
    return stf_value_peek_string(stf_value_peek(all->values[all->count - 1], stf_str_of("id")));
}

cli_exit_code cli_listing_load(cli_session *session, uint64_t status_mask, const char *process,
                               stf_value **ret_list)
{
    items all = {NULL, 0, 0};
    stf_error error = STF_ERROR_INIT;
    stf_status status = STF_OK;
    size_t got = PAGE;
    while (status == STF_OK && got == PAGE) {
        stf_instance_query query = {
            .process = stf_str_of(process),
            .status_mask = status_mask,
            .after_id = last_id(&all),
            .limit = PAGE,
        };
        stf_value *page = NULL;
        status = stf_engine_list_instances(session->engine, &session->ctx, &query, &page, &error);
        got = stf_value_count(page);
        if (status == STF_OK && !add_page(&all, page)) {
            status = stf_error_set(&error, STF_NO_MEMORY, "CLI", "out of memory");
        }
        stf_value_unref(page);
    }
    if (status == STF_OK) {
        status = stf_value_new_list(NULL, all.values, all.count, ret_list, &error);
    }
    for (size_t i = 0; i < all.count; i++) {
        stf_value_unref(all.values[i]);
    }
    free(all.values);
    return status == STF_OK ? CLI_EXIT_OK : cli_report(&error);
}
