/* SPDX-License-Identifier: Apache-2.0 */
/* A VFS over the system's whose files stand before the real ones and pass every call through: what
 * the test VFSes share, each of which replaces a few methods. */
#ifndef STF_TEST_SQLITE_SHIM_VFS_H
#define STF_TEST_SQLITE_SHIM_VFS_H

#include <sqlite3.h>
#include <stddef.h>

/* The first member of a VFS's own file, which the real one follows. */
typedef struct shim_file {
    sqlite3_file base;
    sqlite3_file *real;
} shim_file;

sqlite3_file *shim_real(sqlite3_file *file);

/* All of them pass through. */
extern const sqlite3_io_methods shim_methods;

/* Opens the real file behind `own_size` bytes, which are the caller's. */
int shim_open_real(shim_file *shim, size_t own_size, const char *name, int flags, int *ret_flags,
                   const sqlite3_io_methods *methods);
sqlite3_vfs *shim_system(void);

/* A copy of the system's VFS with room for `own_size` bytes before each real file becomes the
 * default one of this process. */
void shim_install(sqlite3_vfs *vfs, const char *name, size_t own_size,
                  int (*open_file)(sqlite3_vfs *vfs, const char *name, sqlite3_file *file,
                                   int flags, int *ret_flags));

#endif
