/* SPDX-License-Identifier: Apache-2.0 */
/* A VFS over the system's: each file is a shim before the real one. */
#include "fixture.h"

typedef struct shim_file {
    sqlite3_file base;
    bool is_wal;
    bool is_db;
    sqlite3_file *real; /* behind this struct */
} shim_file;

static fixture_vfs_state state;
static sqlite3_vfs *system_vfs;
static sqlite3_vfs shim_vfs;

static sqlite3_file *real_of(sqlite3_file *file)
{
    return ((shim_file *)file)->real;
}

/* Counts a call of the kind; what it shall give instead of being done, or SQLITE_OK. */
static int fault(int kind, int own_code)
{
    if (state.fail_kinds != 0 && (state.fail_kinds & kind) == 0) {
        return SQLITE_OK;
    }
    uint64_t number = ++state.writes;
    if (state.fail_at == 0 || number < state.fail_at ||
        number >= state.fail_at + state.fail_count) {
        return SQLITE_OK;
    }
    int code = state.fail_code != 0 ? state.fail_code : own_code;
    if (state.failed_code == 0) {
        state.failed_code = code;
    }
    return code;
}

static int shim_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int shim_read(sqlite3_file *file, void *data, int size, sqlite3_int64 at)
{
    return real_of(file)->pMethods->xRead(real_of(file), data, size, at);
}

static int shim_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 at)
{
    int code = fault(FIXTURE_FAIL_WRITE, SQLITE_IOERR_WRITE);
    if (code != SQLITE_OK) {
        return code;
    }
    if (((shim_file *)file)->is_wal) {
        state.wal_bytes += (uint64_t)size;
    }
    void (*on_db_write)(void *user) = state.on_db_write;
    if (((shim_file *)file)->is_db && on_db_write != NULL) {
        on_db_write(state.user);
    }
    return real_of(file)->pMethods->xWrite(real_of(file), data, size, at);
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int code = fault(FIXTURE_FAIL_TRUNCATE, SQLITE_IOERR_TRUNCATE);
    return code != SQLITE_OK ? code : real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int shim_sync(sqlite3_file *file, int flags)
{
    int code = fault(FIXTURE_FAIL_SYNC, SQLITE_IOERR_FSYNC);
    return code != SQLITE_OK ? code : real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int shim_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), ret_size);
}

static int shim_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int shim_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int shim_check_lock(sqlite3_file *file, int *ret_locked)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), ret_locked);
}

static int shim_control(sqlite3_file *file, int operation, void *argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}

static int shim_sector(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int shim_device(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int shim_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **ret_map)
{
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, ret_map);
}

static int shim_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}

static void shim_shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int shim_shm_unmap(sqlite3_file *file, int is_deleted)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), is_deleted);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = shim_close,
    .xRead = shim_read,
    .xWrite = shim_write,
    .xTruncate = shim_truncate,
    .xSync = shim_sync,
    .xFileSize = shim_size,
    .xLock = shim_lock,
    .xUnlock = shim_unlock,
    .xCheckReservedLock = shim_check_lock,
    .xFileControl = shim_control,
    .xSectorSize = shim_sector,
    .xDeviceCharacteristics = shim_device,
    .xShmMap = shim_shm_map,
    .xShmLock = shim_shm_lock,
    .xShmBarrier = shim_shm_barrier,
    .xShmUnmap = shim_shm_unmap,
};

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *ret_flags)
{
    (void)vfs;
    shim_file *shim = (shim_file *)file;
    *shim = (shim_file){.is_wal = (flags & SQLITE_OPEN_WAL) != 0,
                        .is_db = (flags & SQLITE_OPEN_MAIN_DB) != 0,
                        .real = (sqlite3_file *)(void *)(shim + 1)};
    int code = system_vfs->xOpen(system_vfs, name, shim->real, flags, ret_flags);
    shim->base.pMethods = code == SQLITE_OK ? &methods : NULL;
    return code;
}

fixture_vfs_state *fixture_vfs_install(void)
{
    ck_assert_int_eq(sqlite3_initialize(), SQLITE_OK);
    system_vfs = sqlite3_vfs_find(NULL);
    shim_vfs = *system_vfs;
    shim_vfs.pNext = NULL;
    shim_vfs.zName = "stepfast-test";
    shim_vfs.szOsFile = (int)sizeof(shim_file) + system_vfs->szOsFile;
    shim_vfs.xOpen = shim_open;
    ck_assert_int_eq(sqlite3_vfs_register(&shim_vfs, 1), SQLITE_OK);
    state.fail_count = 1;
    return &state;
}
