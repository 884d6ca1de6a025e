/* SPDX-License-Identifier: Apache-2.0 */
/* Engine cases over one SQLite file, each with a handle of its own. One folder at a time. */
#ifndef INTEGRATION_SQLITE_CASE_H
#define INTEGRATION_SQLITE_CASE_H

#include "unit/engine/engine_case.h"

void sqlite_case_make_folder(void);
void sqlite_case_remove_folder(void);
/* The case's store is the folder's file from now on. */
void sqlite_case_use(engine_case *c);
/* A case over the file whose engine runs under that id. */
engine_case *sqlite_case_open(const char *id, const char *const *topics);

#endif
