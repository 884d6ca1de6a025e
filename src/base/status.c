/* SPDX-License-Identifier: Apache-2.0 */
/* Names and texts of the statuses, from the one table. */
#include <stepfast/status.h>

const char *stf_status_name(stf_status status)
{
    switch (status) {
#define STF_STATUS_NAME(name, number, text)                                                        \
    case STF_##name:                                                                               \
        return #name;
        STF_STATUS_MAP(STF_STATUS_NAME)
#undef STF_STATUS_NAME
    default:
        return "?";
    }
}

const char *stf_status_text(stf_status status)
{
    switch (status) {
#define STF_STATUS_TEXT(name, number, text)                                                        \
    case STF_##name:                                                                               \
        return text;
        STF_STATUS_MAP(STF_STATUS_TEXT)
#undef STF_STATUS_TEXT
    default:
        return "?";
    }
}
