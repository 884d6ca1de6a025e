/* SPDX-License-Identifier: Apache-2.0 */
/* See forgetful_vfs.h. A file whose creation was never synced does not exist after the cut;
 * deleting one is durable at once. The shared memory of the log is no file of the disk: it goes
 * with the machine. */
#include "forgetful_vfs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim_vfs.h"
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

typedef struct open_file {
    shim_file shim;
    disk_file *disk; /* NULL: a temporary one */
} open_file;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static disk_file files[FILES];
static uint64_t syncs;
static uint64_t cut_at;
static bool is_cut;
static sqlite3_vfs forgetful_vfs;
static sqlite3_io_methods methods;

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

static int forgetful_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 at)
{
    disk_file *disk = ((open_file *)file)->disk;
    pthread_mutex_lock(&mutex);
    int code = SQLITE_IOERR_WRITE;
    if (!is_cut) {
        code = shim_methods.xWrite(file, data, size, at);
        if (code == SQLITE_OK && disk != NULL) {
            note_change(disk, data, size, at);
        }
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

static int forgetful_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    disk_file *disk = ((open_file *)file)->disk;
    pthread_mutex_lock(&mutex);
    int code = SQLITE_IOERR_TRUNCATE;
    if (!is_cut) {
        code = shim_methods.xTruncate(file, size);
        if (code == SQLITE_OK && disk != NULL) {
            note_change(disk, NULL, -1, size);
        }
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

/* The real file is not synced: no real power is at stake. */
static int forgetful_sync(sqlite3_file *file, int flags)
{
    (void)flags;
    disk_file *disk = ((open_file *)file)->disk;
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

/* A file must not grow behind the disk's back. */
static int forgetful_control(sqlite3_file *file, int operation, void *argument)
{
    if (operation == SQLITE_FCNTL_SIZE_HINT || operation == SQLITE_FCNTL_CHUNK_SIZE) {
        return SQLITE_NOTFOUND;
    }
    return shim_methods.xFileControl(file, operation, argument);
}

static int forgetful_sector(sqlite3_file *file)
{
    (void)file;
    return SECTOR;
}

static int forgetful_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                          int *ret_flags)
{
    (void)vfs;
    open_file *opened = (open_file *)file;
    *opened = (open_file){.disk = NULL};
    pthread_mutex_lock(&mutex);
    if (name != NULL) {
        opened->disk = find_file(name);
    }
    int code =
        is_cut ? SQLITE_CANTOPEN
               : shim_open_real(&opened->shim, sizeof(*opened), name, flags, ret_flags, &methods);
    pthread_mutex_unlock(&mutex);
    return code;
}

static int forgetful_delete(sqlite3_vfs *vfs, const char *name, int is_synced)
{
    (void)vfs;
    pthread_mutex_lock(&mutex);
    int code = SQLITE_IOERR_DELETE;
    if (!is_cut) {
        disk_file *disk = find_file(name);
        code = shim_system()->xDelete(shim_system(), name, is_synced);
        forget_changes(disk);
        disk->exists = false;
        disk->size = 0;
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

void forgetful_install(void)
{
    methods = shim_methods;
    methods.xWrite = forgetful_write;
    methods.xTruncate = forgetful_truncate;
    methods.xSync = forgetful_sync;
    methods.xFileControl = forgetful_control;
    methods.xSectorSize = forgetful_sector;
    shim_install(&forgetful_vfs, "stepfast-forgetful", sizeof(open_file), forgetful_open);
    forgetful_vfs.xDelete = forgetful_delete; /* nobody has opened anything yet */
}
