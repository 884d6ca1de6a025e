/* SPDX-License-Identifier: Apache-2.0 */
/* See shim_vfs.h. */
#include "shim_vfs.h"

#include "support/stf_test.h"

static sqlite3_vfs *system_vfs;

sqlite3_vfs *shim_system(void)
{
    return system_vfs;
}

sqlite3_file *shim_real(sqlite3_file *file)
{
    return ((shim_file *)file)->real;
}

static int pass_close(sqlite3_file *file)
{
    return shim_real(file)->pMethods->xClose(shim_real(file));
}

static int pass_read(sqlite3_file *file, void *data, int size, sqlite3_int64 at)
{
    return shim_real(file)->pMethods->xRead(shim_real(file), data, size, at);
}

static int pass_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 at)
{
    return shim_real(file)->pMethods->xWrite(shim_real(file), data, size, at);
}

static int pass_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return shim_real(file)->pMethods->xTruncate(shim_real(file), size);
}

static int pass_sync(sqlite3_file *file, int flags)
{
    return shim_real(file)->pMethods->xSync(shim_real(file), flags);
}

static int pass_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
    return shim_real(file)->pMethods->xFileSize(shim_real(file), ret_size);
}

static int pass_lock(sqlite3_file *file, int level)
{
    return shim_real(file)->pMethods->xLock(shim_real(file), level);
}

static int pass_unlock(sqlite3_file *file, int level)
{
    return shim_real(file)->pMethods->xUnlock(shim_real(file), level);
}

static int pass_check_lock(sqlite3_file *file, int *ret_locked)
{
    return shim_real(file)->pMethods->xCheckReservedLock(shim_real(file), ret_locked);
}

static int pass_control(sqlite3_file *file, int operation, void *argument)
{
    return shim_real(file)->pMethods->xFileControl(shim_real(file), operation, argument);
}

static int pass_sector(sqlite3_file *file)
{
    return shim_real(file)->pMethods->xSectorSize(shim_real(file));
}

static int pass_device(sqlite3_file *file)
{
    return shim_real(file)->pMethods->xDeviceCharacteristics(shim_real(file));
}

static int pass_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **ret_map)
{
    return shim_real(file)->pMethods->xShmMap(shim_real(file), page, size, extend, ret_map);
}

static int pass_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return shim_real(file)->pMethods->xShmLock(shim_real(file), offset, count, flags);
}

static void pass_shm_barrier(sqlite3_file *file)
{
    shim_real(file)->pMethods->xShmBarrier(shim_real(file));
}

static int pass_shm_unmap(sqlite3_file *file, int is_deleted)
{
    return shim_real(file)->pMethods->xShmUnmap(shim_real(file), is_deleted);
}

const sqlite3_io_methods shim_methods = {
    .iVersion = 2,
    .xClose = pass_close,
    .xRead = pass_read,
    .xWrite = pass_write,
    .xTruncate = pass_truncate,
    .xSync = pass_sync,
    .xFileSize = pass_size,
    .xLock = pass_lock,
    .xUnlock = pass_unlock,
    .xCheckReservedLock = pass_check_lock,
    .xFileControl = pass_control,
    .xSectorSize = pass_sector,
    .xDeviceCharacteristics = pass_device,
    .xShmMap = pass_shm_map,
    .xShmLock = pass_shm_lock,
    .xShmBarrier = pass_shm_barrier,
    .xShmUnmap = pass_shm_unmap,
};

int shim_open_real(shim_file *shim, size_t own_size, const char *name, int flags, int *ret_flags,
                   const sqlite3_io_methods *methods)
{
    shim->real = (sqlite3_file *)(void *)((char *)shim + own_size);
    int code = system_vfs->xOpen(system_vfs, name, shim->real, flags, ret_flags);
    shim->base.pMethods = code == SQLITE_OK ? methods : NULL;
    return code;
}

void shim_install(sqlite3_vfs *vfs, const char *name, size_t own_size,
                  int (*open_file)(sqlite3_vfs *vfs, const char *name, sqlite3_file *file,
                                   int flags, int *ret_flags))
{
    ck_assert_int_eq(sqlite3_initialize(), SQLITE_OK);
    system_vfs = sqlite3_vfs_find(NULL);
    *vfs = *system_vfs;
    vfs->pNext = NULL;
    vfs->zName = name;
    vfs->szOsFile = (int)own_size + system_vfs->szOsFile;
    vfs->xOpen = open_file;
    ck_assert_int_eq(sqlite3_vfs_register(vfs, 1), SQLITE_OK);
}
