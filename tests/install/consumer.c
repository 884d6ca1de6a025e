/* SPDX-License-Identifier: Apache-2.0 */
/* What tests/install compiles against the installed headers and libraries: a little of each
 * library, so that a missing header, library or dependency does not link or run. */
#include <stdio.h>
#include <stdlib.h>
#include <stepfast/conformance.h>
#include <stepfast/sqlite.h>
#include <stepfast/stepfast.h>
#include <string.h>

static int fail(const char *what, const stf_error *error)
{
    fprintf(stderr, "consumer: %s: %s\n", what, error->message);
    return EXIT_FAILURE;
}

/* Expat, the decimal library, SQLite and the threads library are all asked for. */
static int use_libraries(stf_error *error)
{
    stf_value *value = NULL;
    if (stf_value_parse_json(NULL, stf_str_of("{\"price\": 0.1}"), &value, error) != STF_OK) {
        return fail("json", error);
    }
    stf_value_unref(value);

    const char *file = "<nothing/>";
    stf_model *model = NULL;
    stf_bytes bytes = {(const uint8_t *)file, strlen(file)};
    if (stf_bpmn_load(NULL, bytes, NULL, &model, error) != STF_PARSE) {
        return fail("a file that is not BPMN was not refused", error);
    }

    stf_sqlite_options options = {.struct_size = sizeof(options),
                                  .abi = STF_SQLITE_ABI,
                                  .flags = STF_SQLITE_MUST_EXIST,
                                  .path = "none/such.db"};
    stf_sqlite *sqlite = NULL;
    if (stf_sqlite_open(NULL, &options, &sqlite, error) != STF_NOT_FOUND) {
        return fail("a store that does not exist was opened", error);
    }
    return stf_conformance_case_count() > 0 ? EXIT_SUCCESS : fail("no conformance case", error);
}

int main(void)
{
    stf_error error = STF_ERROR_INIT;
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    int result = EXIT_FAILURE;
    if (strcmp(stf_version(), STEPFAST_VERSION) != 0) {
        fprintf(stderr, "consumer: the library is not the headers' version\n");
    } else if (stf_buf_printf(&buf, "stepfast %s", stf_version()) != STF_OK) {
        fprintf(stderr, "consumer: out of memory\n");
    } else {
        printf("%s\n", stf_buf_c_str(&buf));
        result = use_libraries(&error);
    }
    stf_buf_done(&buf);
    return result;
}
