/* SPDX-License-Identifier: Apache-2.0 */
/* The table of names.def, searched by halves. */
#include "bpmn/names.h"

#include "base/mem.h"

#include <string.h>

static const stf__bpmn_name names[] = {
#define STF_BPMN_NAME(text, name_class) {(text), STF__BPMN_##name_class},
#include "bpmn/names.def"
#undef STF_BPMN_NAME
};

const stf__bpmn_name *stf__bpmn_get_name(size_t index)
{
    return index < STF_COUNT_OF(names) ? &names[index] : NULL;
}

const stf__bpmn_name *stf__bpmn_find_name(stf_str text)
{
    size_t low = 0;
    size_t high = STF_COUNT_OF(names);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = stf_str_compare(stf_str_of(names[middle].text), text);
        if (order == 0) {
            return &names[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

bool stf__bpmn_name_is(const stf__bpmn_name *name, const char *text)
{
    return strcmp(name->text, text) == 0;
}
