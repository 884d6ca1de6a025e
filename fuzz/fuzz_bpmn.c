/* SPDX-License-Identifier: Apache-2.0 */
/* The loader on any bytes: it answers with a status and leaks nothing; a model can be read through
 * the public door. */
#include <stepfast/bpmn.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stf_diagnostics *list = NULL;
    stf_model *model = NULL;
    stf_error error = STF_ERROR_INIT;
    if (stf_diagnostics_new(NULL, &list, &error) != STF_OK) {
        return 0;
    }
    stf_status status = stf_bpmn_load(NULL, (stf_bytes){data, size}, list, &model, &error);
    /* Refused files, and no others, have an error. */
    bool has_errors = stf_diagnostics_count_of(list, STF_SEVERITY_ERROR) != 0;
    if ((status == STF_OK) != (model != NULL) || (status == STF_OK) == has_errors) {
        __builtin_trap();
    }
    for (size_t i = 0; i < stf_diagnostics_count(list); i++) {
        if (!stf_str_is_utf8(stf_diagnostics_at(list, i)->message)) {
            __builtin_trap();
        }
    }
    stf_model_unref(model);
    stf_diagnostics_free(list);
    return 0;
}
