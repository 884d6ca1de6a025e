/* SPDX-License-Identifier: Apache-2.0 */
/* "Not supported yet" for what stands beside the flow nodes, from feature.def. */
#include "base/mem.h"
#include "bpmn/parse.h"

#include <string.h>

typedef struct feature {
    const char
        *pattern; /* a child element, "@attribute=value", or "@attribute>1": any other number */
    const char *label;
} feature;

static const feature features[] = {
#define STF_FEATURE(name, xml_pattern, label_text) {(xml_pattern), (label_text)},
#include "model/feature.def"
#undef STF_FEATURE
};

void stf__feature_check_child(stf__parser *parser, const stf__frame *frame,
                              const stf__xml_element *element)
{
    if (frame[-1].name == NULL || frame[-1].name->name_class != STF__BPMN_NODE) {
        return;
    }
    for (size_t i = 0; i < STF_COUNT_OF(features); i++) {
        if (stf_str_equal(element->name, stf_str_of(features[i].pattern))) {
            stf__draft_report_unsupported(parser->draft, frame->process,
                                          stf__parser_place(element, frame->node->place.element),
                                          features[i].label);
        }
    }
}

static bool has_attribute(const stf__xml_element *element, const char *pattern)
{
    char name[64];
    size_t size = strcspn(pattern + 1, "=>");
    if (size >= sizeof(name)) {
        return false;
    }
    memcpy(name, pattern + 1, size);
    name[size] = '\0';
    stf_str value;
    if (!stf__xml_get(element, STF__NS_NONE, name, &value)) {
        return false;
    }
    value = stf__draft_trim(value);
    stf_str wanted = stf_str_of(pattern + 1 + size + 1);
    bool is_equal = stf_str_equal(value, wanted) ||
                    (stf_str_equal(wanted, STF_STR("true")) && stf_str_equal(value, STF_STR("1")));
    return pattern[1 + size] == '=' ? is_equal : !is_equal;
}

void stf__feature_check_attributes(stf__parser *parser, const stf__draft_node *node,
                                   const stf__xml_element *element)
{
    for (size_t i = 0; i < STF_COUNT_OF(features); i++) {
        if (features[i].pattern[0] == '@' && has_attribute(element, features[i].pattern)) {
            stf__draft_report_unsupported(parser->draft, node->process, node->place,
                                          features[i].label);
        }
    }
}
