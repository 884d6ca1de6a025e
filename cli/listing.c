/* SPDX-License-Identifier: Apache-2.0 */
/* See listing.h. */
#include "listing.h"

enum {
    PAGE = 500
};

static bool visit_page(const stf_value *page, cli_listing_visitor visit, void *user)
{
    for (size_t i = 0; i < stf_value_count(page); i++) {
        if (!visit(user, stf_value_peek_item(page, i))) {
            return false;
        }
    }
    return true;
}

cli_exit_code cli_listing_visit(cli_session *session, uint64_t status_mask, const char *process,
                                cli_listing_visitor visit, void *user)
{
    cli_exit_code code = CLI_EXIT_OK;
    stf_value *page = NULL; /* the last one, which holds the id to go on behind */
    bool is_over = false;
    while (code == CLI_EXIT_OK && !is_over) {
        size_t count = stf_value_count(page);
        const stf_value *last = count > 0 ? stf_value_peek_item(page, count - 1) : NULL;
        stf_instance_query query = {
            .process = stf_str_of(process),
            .status_mask = status_mask,
            .after_id = stf_value_peek_string(stf_value_peek(last, stf_str_of("id"))),
            .limit = PAGE,
        };
        stf_value *next = NULL;
        stf_error error = STF_ERROR_INIT;
        if (stf_engine_list_instances(session->engine, &session->ctx, &query, &next, &error) !=
            STF_OK) {
            code = cli_report(&error);
        } else if (!visit_page(next, visit, user)) {
            code = CLI_EXIT_FAILED;
        }
        stf_value_unref(page);
        page = next;
        is_over = stf_value_count(page) == 0;
    }
    stf_value_unref(page);
    return code;
}
