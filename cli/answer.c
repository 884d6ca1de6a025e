/* SPDX-License-Identifier: Apache-2.0 */
/* See answer.h. */
#include "answer.h"

#include "output.h"

bool cli_answer_read(const cli_options *options, stf_answer *ret_answer)
{
    *ret_answer = (stf_answer)STF_ANSWER_INIT;
    ret_answer->code = stf_str_of(options->code);
    ret_answer->message = stf_str_of(options->message);
    ret_answer->variables = options->variables;
    if (options->is_failed && options->code != NULL) {
        cli_complain("give --failed or --code, not both");
        return false;
    }
    if (options->is_failed && options->variables != NULL) {
        cli_complain("work that failed sets no variables");
        return false;
    }
    if (options->is_failed) {
        ret_answer->kind = STF_ANSWER_FAILED;
    } else if (options->code != NULL) {
        ret_answer->kind = STF_ANSWER_BPMN_ERROR;
    } else if (options->message != NULL) {
        cli_complain("--message goes with --failed or --code");
        return false;
    }
    return true;
}
