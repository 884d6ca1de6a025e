/* SPDX-License-Identifier: Apache-2.0 */
/* The table from kinds of flow nodes to their processors, built from model/element.def. */
#include "core/element/families.h"

static const stf__processor *const processors[] = {
#define STF_ELEMENT(kind, xml, event, traits, family, label) [STF__##kind] = &stf__element_##family,
#include "model/element.def"
#undef STF_ELEMENT
};

const stf__processor *stf__element_get_processor(uint32_t kind)
{
    return kind < STF_COUNT_OF(processors) ? processors[kind] : &stf__element_UNSUPPORTED;
}
