/* SPDX-License-Identifier: Apache-2.0 */
/* Reads whole files. */
#ifndef CLI_FILE_H
#define CLI_FILE_H

#include <stepfast/buf.h>
#include <stepfast/limits.h>

#include "exit_code.h"

/* Appends the content. OK, or complained: NOT_FOUND, FILE_REFUSED (larger than max), FAILED. */
cli_exit_code cli_file_read(const char *path, size_t max, stf_buf *buf);

#endif
