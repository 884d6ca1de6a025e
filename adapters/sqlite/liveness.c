/* SPDX-License-Identifier: Apache-2.0 */
/* Proof that an owner is dead (ADR 0003). A holder locks one byte of PATH-owners, at an offset that
 * is a hash of its owner string, through a descriptor of its own; the kernel drops the lock with
 * the process. Locks belong to open file descriptions (F_OFD_SETLK), so two engines in one process
 * see each other. Two owners of one hash make a dead one look alive: safe. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store.h"

struct stf__sqlite_hold {
    stf__sqlite_hold *next;
    int fd;
    size_t size;
    char owner[STF_LIMIT_ID_BYTES];
};

/* FNV-1a, cut to what an offset can be. */
static off_t offset_of(stf_str owner)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < owner.size; i++) {
        hash = (hash ^ (uint8_t)owner.data[i]) * UINT64_C(0x100000001b3);
    }
    return (off_t)(hash >> 2);
}

static struct flock lock_of(stf_str owner)
{
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset_of(owner), .l_len = 1};
}

static stf_status fail(const stf_sqlite *sqlite, const char *what, stf_error *error)
{
    int code = errno;
    stf_status status =
        stf_error_set(error, STF_UNAVAILABLE, "SQLITE_REPO", "%s-owners: %s failed: %s",
                      sqlite->path, what, strerror(code));
    stf_error_set_native(error, "errno %d", code);
    return status;
}

/* The file lies beside the database itself, wherever links to it lie. */
static stf_status open_owners(const stf_sqlite *sqlite, int *ret_fd, stf_error *error)
{
    stf_buf path;
    stf_buf_init(&path, &sqlite->alloc);
    stf_status status = STF_OK;
    const char *text = NULL;
    if (stf_buf_printf(&path, "%s-owners", sqlite3_db_filename(sqlite->conn.db, "main")) ==
        STF_OK) {
        text = stf_buf_c_str(&path);
    }
    if (text == NULL) {
        status = stf__sqlite_no_memory(error);
    } else {
        int fd = open(text, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        status = fd >= 0 ? STF_OK : fail(sqlite, "open", error);
        *ret_fd = fd;
    }
    stf_buf_done(&path);
    return status;
}

/* Locks the owner's byte on a new descriptor. */
static stf_status lock_owner(const stf_sqlite *sqlite, stf_str owner, int *ret_fd, stf_error *error)
{
    int fd = -1;
    stf_status status = open_owners(sqlite, &fd, error);
    if (status != STF_OK) {
        return status;
    }
    struct flock lock = lock_of(owner);
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0) {
        *ret_fd = fd;
        return STF_OK;
    }
    if (errno == EAGAIN || errno == EACCES) {
        status = stf_error_set(error, STF_ALREADY_EXISTS, "SQLITE_REPO",
                               "a living process holds the owner \"%.*s\"", (int)owner.size,
                               owner.size != 0 ? owner.data : "");
    } else {
        status = fail(sqlite, "lock", error);
    }
    close(fd);
    return status;
}

static stf_status hold_owner(void *impl, const stf_ctx *ctx, stf_str owner, stf_error *error)
{
    (void)ctx; /* does not wait */
    stf__sqlite_repository *repository = impl;
    if (owner.size > STF_LIMIT_ID_BYTES) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "SQLITE_REPO", "the owner is too long");
    }
    stf__sqlite_hold *hold = stf__sqlite_alloc(repository->sqlite, sizeof(*hold));
    if (hold == NULL) {
        return stf__sqlite_no_memory(error);
    }
    stf_status status = lock_owner(repository->sqlite, owner, &hold->fd, error);
    if (status != STF_OK) {
        stf__sqlite_free(repository->sqlite, hold);
        return status;
    }
    hold->size = owner.size;
    if (owner.size != 0) {
        memcpy(hold->owner, owner.data, owner.size);
    }
    pthread_mutex_lock(&repository->holds_mutex);
    hold->next = repository->holds;
    repository->holds = hold;
    pthread_mutex_unlock(&repository->holds_mutex);
    return STF_OK;
}

static void end_hold(stf__sqlite_repository *repository, stf__sqlite_hold *hold)
{
    close(hold->fd); /* drops the lock */
    stf__sqlite_free(repository->sqlite, hold);
}

static void release_owner(void *impl, stf_str owner)
{
    stf__sqlite_repository *repository = impl;
    stf__sqlite_hold *found = NULL;
    pthread_mutex_lock(&repository->holds_mutex);
    for (stf__sqlite_hold **at = &repository->holds; *at != NULL; at = &(*at)->next) {
        if (stf_str_equal((stf_str){(*at)->owner, (*at)->size}, owner)) {
            found = *at;
            *at = found->next;
            break;
        }
    }
    pthread_mutex_unlock(&repository->holds_mutex);
    if (found != NULL) {
        end_hold(repository, found);
    }
}

void stf__sqlite_release_all_owners(stf__sqlite_repository *repository)
{
    while (repository->holds != NULL) {
        stf__sqlite_hold *hold = repository->holds;
        repository->holds = hold->next;
        end_hold(repository, hold);
    }
}

/* On a descriptor of its own, which sees the locks of this process too. */
static stf_status owner_is_dead(void *impl, const stf_ctx *ctx, stf_str owner, bool *ret_dead,
                                stf_error *error)
{
    (void)ctx; /* does not wait */
    stf__sqlite_repository *repository = impl;
    int fd = -1;
    stf_status status = open_owners(repository->sqlite, &fd, error);
    if (status != STF_OK) {
        return status;
    }
    struct flock lock = lock_of(owner);
    if (fcntl(fd, F_OFD_GETLK, &lock) == 0) {
        *ret_dead = lock.l_type == F_UNLCK;
    } else {
        status = fail(repository->sqlite, "reading the lock", error);
    }
    close(fd);
    return status;
}

const stf_liveness_vtable stf__sqlite_liveness_slots = {
    .struct_size = sizeof(stf_liveness_vtable),
    .abi = STF_LIVENESS_ABI,
    .hold_owner = hold_owner,
    .release_owner = release_owner,
    .owner_is_dead = owner_is_dead,
    .list_owners = stf__sqlite_list_owners,
};
