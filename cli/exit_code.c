/* SPDX-License-Identifier: Apache-2.0 */
/* The one place that turns a status into an exit code. */
#include "exit_code.h"

cli_exit_code cli_exit_code_of(stf_status status)
{
    switch (status) {
    case STF_OK:
        return CLI_EXIT_OK;
    case STF_INVALID_ARGUMENT:
    case STF_EMPTY_NOT_ALLOWED:
        return CLI_EXIT_USAGE;
    case STF_NOT_FOUND:
        return CLI_EXIT_NOT_FOUND;
    case STF_ALREADY_EXISTS:
    case STF_CONCURRENT_UPDATE:
    case STF_LEASE_LOST:
    case STF_INVALID_STATE:
    case STF_CONFLICT:
        return CLI_EXIT_REFUSED_NOW;
    case STF_UNSUPPORTED:
    case STF_LIMIT_EXCEEDED:
    case STF_PARSE:
    case STF_EXPRESSION:
        return CLI_EXIT_FILE_REFUSED;
    case STF_UNAVAILABLE:
        return CLI_EXIT_UNAVAILABLE;
    case STF_OUTCOME_UNKNOWN:
        return CLI_EXIT_OUTCOME_UNKNOWN;
    case STF_SCHEMA_MISMATCH:
    case STF_CORRUPT:
        return CLI_EXIT_STORE_DAMAGED;
    case STF_CANCELLED:
    case STF_DEADLINE_EXCEEDED:
        return CLI_EXIT_STOPPED;
    case STF_CALLBACK:
    case STF_NO_MEMORY:
    case STF_INTERNAL:
        return CLI_EXIT_FAILED;
    }
    return CLI_EXIT_FAILED;
}
