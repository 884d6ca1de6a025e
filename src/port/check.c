/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of validation that all wrappers share. Each stage looks at every argument before the
 * next one begins, so that a call with several faults is refused for the same one by every store.
 */
#include "base/mem.h"
#include "port/private.h"

stf_status stf__port_missing(const char *what, stf_error *error)
{
    return stf_error_set(error, STF_INVALID_ARGUMENT, "PORT", "%s is missing or malformed", what);
}

stf_status stf__port_unsupported(const char *capability, stf_error *error)
{
    return stf_error_set(error, STF_UNSUPPORTED, "PORT", "the store has no capability \"%s\"",
                         capability);
}

stf_status stf__port_check_well_formed(const stf__text *texts, size_t count, stf_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (texts[i].value.data == NULL && texts[i].value.size != 0) {
            return stf__port_missing(texts[i].what, error);
        }
    }
    return STF_OK;
}

stf_status stf__port_check_not_empty(const stf__text *texts, size_t count, stf_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (texts[i].is_required && texts[i].value.size == 0) {
            return stf_error_set(error, STF_EMPTY_NOT_ALLOWED, "PORT", "%s must not be empty",
                                 texts[i].what);
        }
    }
    return STF_OK;
}

stf_status stf__port_check_limits(const stf__text *texts, size_t count, stf_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (texts[i].value.size > STF_LIMIT_ID_BYTES) {
            return stf_error_set(error, STF_LIMIT_EXCEEDED, "PORT",
                                 "%s has %zu bytes; at most %d are allowed", texts[i].what,
                                 texts[i].value.size, STF_LIMIT_ID_BYTES);
        }
    }
    return STF_OK;
}

stf_status stf__port_check_utf8(const stf__text *texts, size_t count, stf_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!stf_str_is_utf8(texts[i].value)) {
            return stf_error_set(error, STF_INVALID_ARGUMENT, "PORT", "%s is not valid UTF-8",
                                 texts[i].what);
        }
    }
    return STF_OK;
}

stf_status stf__port_check_texts(const stf__text *texts, size_t count, stf_error *error)
{
    return stf__port_check_page(texts, count, 1, error);
}

stf_status stf__port_check_page(const stf__text *texts, size_t count, size_t limit,
                                stf_error *error)
{
    stf_status status = stf__port_check_well_formed(texts, count, error);
    if (status == STF_OK) {
        status = stf__port_check_not_empty(texts, count, error);
    }
    if (status == STF_OK) {
        status = stf__port_check_limits(texts, count, error);
    }
    if (status == STF_OK && limit > STF_LIMIT_PAGE) {
        status = stf_error_set(error, STF_LIMIT_EXCEEDED, "PORT",
                               "a page of %zu rows; at most %u are allowed", limit, STF_LIMIT_PAGE);
    }
    if (status == STF_OK) {
        status = stf__port_check_utf8(texts, count, error);
    }
    if (status == STF_OK && limit == 0) {
        status = stf_error_set(error, STF_INVALID_ARGUMENT, "PORT", "a page of 0 rows");
    }
    return status;
}
