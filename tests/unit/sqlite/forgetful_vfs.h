/* SPDX-License-Identifier: Apache-2.0 */
/* A VFS over the system's with a disk that forgets what was not synced. Writes go through to the
 * real file, so that everybody reads them; beside it the disk keeps what it would still have after
 * a power cut: the content of each file at its last sync, and what came since. */
#ifndef STF_TEST_SQLITE_FORGETFUL_VFS_H
#define STF_TEST_SQLITE_FORGETFUL_VFS_H

#include <stdbool.h>
#include <stdint.h>

/* What the disk does with writes that were not synced. */
typedef enum forgetful_mode {
    FORGETFUL_DROPS = 0, /* none is kept */
    FORGETFUL_TEARS = 1  /* each sector of each write is kept or not, by the seed */
} forgetful_mode;

/* Makes it the default VFS of this process; once. */
void forgetful_install(void);
/* An empty disk. The power goes at the n-th sync (0: never by itself): it and whatever comes after
 * fail, until forgetful_restore. */
void forgetful_begin(uint64_t cut_at_sync);
void forgetful_cut(void); /* now */
bool forgetful_is_cut(void);
/* After everybody has closed: the files are what the disk still has, and the power is back. */
void forgetful_restore(forgetful_mode mode, uint64_t seed);

#endif
