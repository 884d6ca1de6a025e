/* SPDX-License-Identifier: Apache-2.0 */
/* See file.h. */
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output.h"

bool cli_file_read(const char *path, size_t max, stf_buf *buf)
{
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        cli_complain("%s: %s", path, strerror(errno));
        return false;
    }
    char piece[65536];
    bool is_read = true;
    size_t got;
    while (is_read && (got = fread(piece, 1, sizeof piece, file)) > 0) {
        if (buf->size + got > max) {
            cli_complain("%s: larger than %zu bytes", path, max);
            is_read = false;
        } else if (stf_buf_append(buf, piece, got) != STF_OK) {
            cli_complain("%s: out of memory", path);
            is_read = false;
        }
    }
    if (is_read && ferror(file) != 0) {
        cli_complain("%s: %s", path, strerror(errno));
        is_read = false;
    }
    fclose(file);
    return is_read;
}
