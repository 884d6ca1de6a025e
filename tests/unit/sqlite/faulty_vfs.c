/* SPDX-License-Identifier: Apache-2.0 */
/* A VFS over the system's that counts writes and fails them. */
#include "fixture.h"
#include "shim_vfs.h"

typedef struct faulty_file {
    shim_file shim;
    bool is_wal;
    bool is_db;
} faulty_file;

static fixture_vfs_state state;
static sqlite3_vfs faulty_vfs;
static sqlite3_io_methods methods;

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

static int faulty_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 at)
{
    int code = fault(FIXTURE_FAIL_WRITE, SQLITE_IOERR_WRITE);
    if (code != SQLITE_OK) {
        return code;
    }
    if (((faulty_file *)file)->is_wal) {
        state.wal_bytes += (uint64_t)size;
    }
    void (*on_db_write)(void *user) = state.on_db_write;
    if (((faulty_file *)file)->is_db && on_db_write != NULL) {
        on_db_write(state.user);
    }
    return shim_methods.xWrite(file, data, size, at);
}

static int faulty_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int code = fault(FIXTURE_FAIL_TRUNCATE, SQLITE_IOERR_TRUNCATE);
    return code != SQLITE_OK ? code : shim_methods.xTruncate(file, size);
}

static int faulty_sync(sqlite3_file *file, int flags)
{
    int code = fault(FIXTURE_FAIL_SYNC, SQLITE_IOERR_FSYNC);
    return code != SQLITE_OK ? code : shim_methods.xSync(file, flags);
}

static int faulty_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                       int *ret_flags)
{
    (void)vfs;
    faulty_file *faulty = (faulty_file *)file;
    *faulty = (faulty_file){.is_wal = (flags & SQLITE_OPEN_WAL) != 0,
                            .is_db = (flags & SQLITE_OPEN_MAIN_DB) != 0};
    return shim_open_real(&faulty->shim, sizeof(*faulty), name, flags, ret_flags, &methods);
}

fixture_vfs_state *fixture_vfs_install(void)
{
    methods = shim_methods;
    methods.xWrite = faulty_write;
    methods.xTruncate = faulty_truncate;
    methods.xSync = faulty_sync;
    shim_install(&faulty_vfs, "stepfast-test", sizeof(faulty_file), faulty_open);
    state.fail_count = 1;
    return &state;
}
