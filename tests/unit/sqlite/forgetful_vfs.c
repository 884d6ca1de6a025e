/* SPDX-License-Identifier: Apache-2.0 */
/* See forgetful_vfs.h. A file whose creation was never synced does not exist after the cut;
 * deleting one is durable at once. The shared memory of the log is no file of the disk: it goes
 * with the machine. */
#include "forgetful_vfs.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/stf_test.h"

#define FILES 8u
#define SECTOR 512

typedef struct change {
    struct change *next;
    sqlite3_int64 at;
    int size; /* -1: truncated to `at` */
    unsigned char data[];
} change;

typedef struct disk_file {
    char path[160];
    bool exists; /* on the disk */
    unsigned char *data;
    size_t size;
    change *first;
    change **last;
} disk_file;

typedef struct shim_file {
    sqlite3_file base;
    disk_file *disk;    /* NULL: a temporary one */
    sqlite3_file *real; /* behind this struct */
} shim_file;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static disk_file files[FILES];
static uint64_t syncs;
static uint64_t cut_at;
static bool is_cut;
static sqlite3_vfs *system_vfs;
static sqlite3_vfs shim_vfs;

/* ---- The disk ---------------------------------------------------------------------------- */

static disk_file *find_file(const char *path)
{
    for (size_t i = 0; i < FILES; i++) {
        if (files[i].path[0] == '\0') {
            ck_assert_uint_lt(strlen(path), sizeof(files[i].path));
            strncpy(files[i].path, path, sizeof(files[i].path) - 1);
            files[i].last = &files[i].first;
        }
        if (strcmp(files[i].path, path) == 0) {
            return &files[i];
        }
    }
    ck_abort_msg("more than %u files", FILES);
    return NULL;
}

static void forget_changes(disk_file *file)
{
    while (file->first != NULL) {
        change *next = file->first->next;
        free(file->first);
        file->first = next;
    }
    file->last = &file->first;
}

static void note_change(disk_file *file, const void *data, int size, sqlite3_int64 at)
{
    size_t bytes = size > 0 ? (size_t)size : 0;
    change *noted = malloc(sizeof(*noted) + bytes);
    ck_assert_ptr_nonnull(noted);
    noted->next = NULL;
    noted->at = at;
    noted->size = size;
    if (bytes != 0) {
        memcpy(noted->data, data, bytes);
    }
    *file->last = noted;
    file->last = &noted->next;
}

static void resize(disk_file *file, size_t size)
{
    if (size > file->size) {
        file->data = realloc(file->data, size);
        ck_assert_ptr_nonnull(file->data);
        memset(file->data + file->size, 0, size - file->size);
    }
    file->size = size;
}

/* splitmix64, of the seed and a counter */
static bool is_kept(uint64_t *state)
{
    uint64_t bits = (*state += UINT64_C(0x9e3779b97f4a7c15));
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((bits >> 33) & 1) != 0;
}

/* All of it, or, with a state, the sectors that the seed keeps. */
static void apply_change(disk_file *file, const change *noted, uint64_t *state)
{
    if (noted->size < 0) {
        if (state == NULL || is_kept(state)) {
            resize(file, (size_t)noted->at);
        }
        return;
    }
    for (int from = 0; from < noted->size; from += SECTOR) {
        int size = noted->size - from < SECTOR ? noted->size - from : SECTOR;
        size_t at = (size_t)noted->at + (size_t)from;
        if (state != NULL && !is_kept(state)) {
            continue;
        }
        if (at + (size_t)size > file->size) {
            resize(file, at + (size_t)size);
        }
        memcpy(file->data + at, noted->data + from, (size_t)size);
    }
}

static void make_durable(disk_file *file, uint64_t *state)
{
    for (const change *noted = file->first; noted != NULL; noted = noted->next) {
        apply_change(file, noted, state);
    }
    forget_changes(file);
}

void forgetful_begin(uint64_t cut_at_sync)
{
    for (size_t i = 0; i < FILES; i++) {
        forget_changes(&files[i]);
        free(files[i].data);
        files[i] = (disk_file){.exists = false};
    }
    syncs = 0;
    cut_at = cut_at_sync;
    is_cut = false;
}

void forgetful_cut(void)
{
    pthread_mutex_lock(&mutex);
    is_cut = true;
    pthread_mutex_unlock(&mutex);
}

bool forgetful_is_cut(void)
{
    pthread_mutex_lock(&mutex);
    bool answer = is_cut;
    pthread_mutex_unlock(&mutex);
    return answer;
}

uint64_t forgetful_syncs(void)
{
    pthread_mutex_lock(&mutex);
    uint64_t answer = syncs;
    pthread_mutex_unlock(&mutex);
    return answer;
}

static void write_back(const disk_file *file)
{
    char shm[sizeof(file->path) + 8];
    (void)snprintf(shm, sizeof(shm), "%s-shm", file->path);
    (void)unlink(shm);
    (void)unlink(file->path);
    if (!file->exists) {
        return;
    }
    FILE *out = fopen(file->path, "wb");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(file->data, 1, file->size, out), file->size);
    ck_assert_int_eq(fclose(out), 0);
}

void forgetful_restore(forgetful_mode mode, uint64_t seed)
{
    uint64_t state = seed;
    for (size_t i = 0; i < FILES && files[i].path[0] != '\0'; i++) {
        if (mode == FORGETFUL_TEARS) {
            make_durable(&files[i], &state);
        } else {
            forget_changes(&files[i]);
        }
        write_back(&files[i]);
    }
    is_cut = false;
    cut_at = 0;
}

/* ---- The file ---------------------------------------------------------------------------- */

static sqlite3_file *real_of(sqlite3_file *file)
{
    return ((shim_file *)file)->real;
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
    disk_file *disk = ((shim_file *)file)->disk;
    pthread_mutex_lock(&mutex);
    int code = SQLITE_IOERR_WRITE;
    if (!is_cut) {
        code = real_of(file)->pMethods->xWrite(real_of(file), data, size, at);
        if (code == SQLITE_OK && disk != NULL) {
            note_change(disk, data, size, at);
        }
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    disk_file *disk = ((shim_file *)file)->disk;
    pthread_mutex_lock(&mutex);
    int code = SQLITE_IOERR_TRUNCATE;
    if (!is_cut) {
        code = real_of(file)->pMethods->xTruncate(real_of(file), size);
        if (code == SQLITE_OK && disk != NULL) {
            note_change(disk, NULL, -1, size);
        }
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

/* The real file is not synced: no real power is at stake. */
static int shim_sync(sqlite3_file *file, int flags)
{
    (void)flags;
    disk_file *disk = ((shim_file *)file)->disk;
    pthread_mutex_lock(&mutex);
    is_cut = is_cut || ++syncs == cut_at;
    if (!is_cut && disk != NULL) {
        make_durable(disk, NULL);
        disk->exists = true;
    }
    int code = is_cut ? SQLITE_IOERR_FSYNC : SQLITE_OK;
    pthread_mutex_unlock(&mutex);
    return code;
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

/* A file must not grow behind the disk's back. */
static int shim_control(sqlite3_file *file, int operation, void *argument)
{
    if (operation == SQLITE_FCNTL_SIZE_HINT || operation == SQLITE_FCNTL_CHUNK_SIZE) {
        return SQLITE_NOTFOUND;
    }
    return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}

static int shim_sector(sqlite3_file *file)
{
    (void)file;
    return SECTOR;
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
    *shim = (shim_file){.real = (sqlite3_file *)(void *)(shim + 1)};
    pthread_mutex_lock(&mutex);
    if (name != NULL) {
        shim->disk = find_file(name);
    }
    int code = is_cut ? SQLITE_CANTOPEN
                      : system_vfs->xOpen(system_vfs, name, shim->real, flags, ret_flags);
    pthread_mutex_unlock(&mutex);
    shim->base.pMethods = code == SQLITE_OK ? &methods : NULL;
    return code;
}

static int shim_delete(sqlite3_vfs *vfs, const char *name, int is_synced)
{
    (void)vfs;
    pthread_mutex_lock(&mutex);
    int code = SQLITE_IOERR_DELETE;
    if (!is_cut) {
        disk_file *disk = find_file(name);
        code = system_vfs->xDelete(system_vfs, name, is_synced);
        forget_changes(disk);
        disk->exists = false;
        disk->size = 0;
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

void forgetful_install(void)
{
    ck_assert_int_eq(sqlite3_initialize(), SQLITE_OK);
    system_vfs = sqlite3_vfs_find(NULL);
    shim_vfs = *system_vfs;
    shim_vfs.pNext = NULL;
    shim_vfs.zName = "stepfast-forgetful";
    shim_vfs.szOsFile = (int)sizeof(shim_file) + system_vfs->szOsFile;
    shim_vfs.xOpen = shim_open;
    shim_vfs.xDelete = shim_delete;
    ck_assert_int_eq(sqlite3_vfs_register(&shim_vfs, 1), SQLITE_OK);
}
