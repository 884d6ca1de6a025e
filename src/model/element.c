/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of each kind of flow node, generated from element.def. */
#include "model/private.h"

/* A family named UNSUPPORTED is one that core/ has no processor for. */
#define FAMILY_IS_SUPPORTED(family) (sizeof(#family) != sizeof("UNSUPPORTED") || #family[0] != 'U')

static const stf__element_info infos[STF__ELEMENT_COUNT] = {
#define STF_ELEMENT(kind, xml_name, event_name, trait_bits, family, label_text)                    \
    [STF__##kind] = {.xml = (xml_name),                                                            \
                     .event = (event_name),                                                        \
                     .label = (label_text),                                                        \
                     .traits = (trait_bits),                                                       \
                     .is_supported = FAMILY_IS_SUPPORTED(family)},
#include "model/element.def"
#undef STF_ELEMENT
};

const stf__element_info *stf__element_get_info(stf__element_kind kind)
{
    return &infos[kind];
}

bool stf__element_find(stf_str xml, stf_str event, stf__element_kind *ret_kind)
{
    for (uint32_t kind = 0; kind < STF__ELEMENT_COUNT; kind++) {
        if (stf_str_equal(stf_str_of(infos[kind].xml), xml) &&
            stf_str_equal(stf_str_of(infos[kind].event), event)) {
            *ret_kind = (stf__element_kind)kind;
            return true;
        }
    }
    return false;
}
