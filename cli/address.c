/* SPDX-License-Identifier: Apache-2.0 */
/* See address.h. */
#include "address.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

/* The id itself may hold colons, the number not. */
static bool parse(const char *text, cli_address *ret_address)
{
    const char *colon = strrchr(text, ':');
    if (colon == NULL || colon == text || colon[1] < '0' || colon[1] > '9') {
        return false;
    }
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(colon + 1, &end, 10);
    if (errno != 0 || *end != '\0' || number == 0) {
        return false;
    }
    *ret_address = (cli_address){.instance = {text, (size_t)(colon - text)}, .number = number};
    return true;
}

bool cli_address_find(const cli_options *options, const char *what, bool needs_element,
                      cli_address *ret_address)
{
    const char *otherwise = needs_element ? "--instance and --element" : "--instance";
    if (options->positional_count == 1) {
        if (options->instance != NULL || options->element != NULL) {
            cli_complain("give the %s, or %s, not both", what, otherwise);
            return false;
        }
        if (!parse(options->positional[0], ret_address)) {
            cli_complain("\"%s\" is no %s: it is INSTANCE:NUMBER, as `%s list` prints",
                         options->positional[0], what, what);
            return false;
        }
        return true;
    }
    if (options->instance == NULL || (needs_element && options->element == NULL)) {
        cli_complain("which %s? Give it as `%s list` prints it, or %s", what, what, otherwise);
        return false;
    }
    *ret_address = (cli_address){.instance = stf_str_of(options->instance),
                                 .element = stf_str_of(options->element)};
    return true;
}
