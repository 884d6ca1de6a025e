/* SPDX-License-Identifier: Apache-2.0 */
/* See file.h. */
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output.h"

static cli_exit_code read_all(const char *path, FILE *file, size_t max, stf_buf *buf)
{
    char piece[65536];
    size_t got;
    while ((got = fread(piece, 1, sizeof piece, file)) > 0) {
        if (buf->size + got > max) {
            cli_complain("%s: larger than the limit of %zu bytes", path, max);
            return CLI_EXIT_FILE_REFUSED;
        }
        if (stf_buf_append(buf, piece, got) != STF_OK) {
            cli_complain("%s: out of memory", path);
            return CLI_EXIT_FAILED;
        }
    }
    if (ferror(file) != 0) {
        cli_complain("%s: %s", path, strerror(errno));
        return CLI_EXIT_FAILED;
    }
    return CLI_EXIT_OK;
}

cli_exit_code cli_file_read(const char *path, size_t max, stf_buf *buf)
{
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        cli_complain("%s: %s", path, strerror(errno));
        return errno == ENOENT ? CLI_EXIT_NOT_FOUND : CLI_EXIT_FAILED;
    }
    cli_exit_code code = read_all(path, file, max, buf);
    fclose(file);
    return code;
}
