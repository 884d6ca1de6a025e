/* SPDX-License-Identifier: Apache-2.0 */
/* The table of processors, derived from model/element.def. */
#include "core/element/families.h"

#include "core_case.h"

STF_TEST(every_kind_has_a_processor_that_can_start)
{
    for (uint32_t kind = 0; kind < STF__ELEMENT_COUNT; kind++) {
        const stf__processor *processor = stf__element_get_processor(kind);
        ck_assert_ptr_nonnull(processor);
        ck_assert(processor->start != NULL);
        bool is_supported = stf__element_get_info((stf__element_kind)kind)->is_supported;
        ck_assert(is_supported == (processor != &stf__element_UNSUPPORTED));
    }
    ck_assert_ptr_eq(stf__element_get_processor(STF__ELEMENT_COUNT), &stf__element_UNSUPPORTED);
}

static const stf_test_case cases[] = {
    STF_CASE(every_kind_has_a_processor_that_can_start),
};

STF_TEST_MAIN("core/element/registry", cases)
