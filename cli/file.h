/* SPDX-License-Identifier: Apache-2.0 */
/* Reads whole files. */
#ifndef CLI_FILE_H
#define CLI_FILE_H

#include <stepfast/buf.h>
#include <stepfast/limits.h>

/* Appends the content. False (complained): not readable, or larger than max. */
bool cli_file_read(const char *path, size_t max, stf_buf *buf);

#endif
