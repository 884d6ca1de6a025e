/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the facts, from the one table. */
#include <stepfast/observer.h>

const char *stf_fact_name(uint32_t kind)
{
    switch (kind) {
#define STF_FACT_NAME(name, number, text)                                                          \
    case number:                                                                                   \
        return #name;
        STF_FACT_MAP(STF_FACT_NAME)
#undef STF_FACT_NAME
    default:
        return "?";
    }
}
