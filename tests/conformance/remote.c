/* SPDX-License-Identifier: Apache-2.0 */
/* See remote.h. Each call is one message and one answer: the status, the text of the error, then
 * what the call gives. */
#include "conformance/remote.h"

#include <signal.h>
#include <stdlib.h>
#include <stepfast/sys/repository_liveness.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance/wire.h"

struct remote {
    const stf_clock *clock;
    pid_t pid;
    wire w;
};

/* ---- This end ---------------------------------------------------------------------------- */

static wire *begin(void *impl, enum remote_call call)
{
    remote *self = impl;
    wire_put_number(&self->w, call);
    wire_put_number(&self->w, self->clock->wall(self->clock->user).us);
    return &self->w;
}

static stf_status finish(wire *w, stf_error *error)
{
    wire_send(w);
    wire_begin(w);
    stf_status status = (stf_status)wire_get_number(w);
    stf_str message = wire_get_str(w);
    if (w->is_broken) {
        return stf_error_set(error, STF_OUTCOME_UNKNOWN, "REMOTE", "the other process is gone");
    }
    return status == STF_OK
               ? STF_OK
               : stf_error_set(error, status, "REMOTE", "%.*s", (int)message.size, message.data);
}

static stf_status slot_save(void *impl, const stf_ctx *ctx, const stf_save *save,
                            stf_save_result *ret_result, stf_error *error)
{
    (void)ctx;
    remote_send_save(impl, save);
    return remote_receive_save(impl, ret_result, error);
}

void remote_send_save(remote *self, const stf_save *save)
{
    wire_put_save(begin(self, REMOTE_SAVE), save);
    wire_send(&self->w);
}

stf_status remote_receive_save(remote *self, stf_save_result *ret_result, stf_error *error)
{
    stf_status status = finish(&self->w, error);
    if (status == STF_OK) {
        stf_bytes result = wire_get_bytes(&self->w);
        memcpy(ret_result, result.data, sizeof(*ret_result));
    }
    return status;
}

static stf_status slot_load(void *impl, const stf_ctx *ctx, stf_str id, stf_record_visitor visit,
                            void *user, bool *ret_found, stf_error *error)
{
    (void)ctx;
    wire *w = begin(impl, REMOTE_LOAD);
    wire_put_str(w, id);
    stf_status status = finish(w, error);
    if (status == STF_OK) {
        *ret_found = wire_get_number(w) != 0;
    }
    if (status == STF_OK && *ret_found) {
        stf_record record;
        wire_get_record(w, &record);
        status = visit(user, &record, error);
    }
    return status;
}

static stf_status slot_remove(void *impl, const stf_ctx *ctx, const stf_delete *request,
                              stf_error *error)
{
    (void)ctx;
    wire *w = begin(impl, REMOTE_REMOVE);
    wire_put_str(w, request->id);
    wire_put_number(w, request->flags);
    wire_put_number(w, request->expected_version);
    wire_put_bytes(w, request->attempt_seen.bytes, sizeof(request->attempt_seen.bytes));
    return finish(w, error);
}

static stf_status visit_ids(wire *w, stf_id_visitor visit, void *user, stf_error *error)
{
    stf_status status = finish(w, error);
    int64_t count = status == STF_OK ? wire_get_number(w) : 0;
    for (int64_t i = 0; i < count && status == STF_OK; i++) {
        status = visit(user, wire_get_str(w), error);
    }
    return status;
}

static stf_status slot_list(void *impl, const stf_ctx *ctx, const stf_in_flight_query *query,
                            stf_id_visitor visit, void *user, stf_error *error)
{
    (void)ctx;
    wire *w = begin(impl, REMOTE_LIST);
    wire_put_str(w, query->group);
    wire_put_number(w, query->now.us);
    wire_put_str(w, query->after_id);
    wire_put_number(w, (int64_t)query->limit);
    return visit_ids(w, visit, user, error);
}

static stf_status slot_register(void *impl, const stf_ctx *ctx, stf_str group, stf_error *error)
{
    (void)ctx;
    wire *w = begin(impl, REMOTE_REGISTER);
    wire_put_str(w, group);
    return finish(w, error);
}

static stf_status ask(void *impl, enum remote_call call, stf_str name, bool *ret_answer,
                      stf_error *error)
{
    wire *w = begin(impl, call);
    wire_put_str(w, name);
    stf_status status = finish(w, error);
    if (status == STF_OK) {
        *ret_answer = wire_get_number(w) != 0;
    }
    return status;
}

static stf_status slot_exists(void *impl, const stf_ctx *ctx, stf_str group, bool *ret_exists,
                              stf_error *error)
{
    (void)ctx;
    return ask(impl, REMOTE_EXISTS, group, ret_exists, error);
}

static stf_status slot_resolve(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant,
                               stf_buf *ret_tenant, stf_error *error)
{
    (void)impl;
    (void)ctx;
    (void)group;
    (void)tenant;
    (void)ret_tenant;
    return stf_error_set(error, STF_UNSUPPORTED, "REMOTE", "no case asks this of a second handle");
}

static stf_status slot_describe(void *impl, const stf_ctx *ctx, stf_repository_facts *ret_facts,
                                stf_error *error)
{
    (void)impl;
    (void)ctx;
    (void)ret_facts;
    return stf_error_set(error, STF_UNSUPPORTED, "REMOTE", "no case asks this of a second handle");
}

static void slot_close(void *impl)
{
    remote *self = impl;
    int status = 0;
    (void)fclose(self->w.out); /* which ends the loop over there */
    (void)fclose(self->w.in);
    (void)waitpid(self->pid, &status, 0);
    free(self);
}

static stf_status slot_hold(void *impl, const stf_ctx *ctx, stf_str owner, stf_error *error)
{
    (void)ctx;
    wire *w = begin(impl, REMOTE_HOLD);
    wire_put_str(w, owner);
    return finish(w, error);
}

static void slot_release(void *impl, stf_str owner)
{
    wire *w = begin(impl, REMOTE_RELEASE);
    wire_put_str(w, owner);
    (void)!finish(w, NULL);
}

static stf_status slot_is_dead(void *impl, const stf_ctx *ctx, stf_str owner, bool *ret_dead,
                               stf_error *error)
{
    (void)ctx;
    return ask(impl, REMOTE_IS_DEAD, owner, ret_dead, error);
}

static stf_status slot_owners(void *impl, const stf_ctx *ctx, stf_str group, stf_id_visitor visit,
                              void *user, stf_error *error)
{
    (void)ctx;
    wire *w = begin(impl, REMOTE_OWNERS);
    wire_put_str(w, group);
    return visit_ids(w, visit, user, error);
}

static const void *slot_extension(void *impl, const char *id)
{
    static const stf_liveness_vtable liveness = {
        sizeof(liveness), STF_LIVENESS_ABI, 0, slot_hold, slot_release, slot_is_dead, slot_owners};
    (void)impl;
    return strcmp(id, STF_REPOSITORY_LIVENESS) == 0 ? &liveness : NULL;
}

/* ---- Starting ---------------------------------------------------------------------------- */

static void run_child(const char *program, const char *path, const int in[2], const int out[2])
{
    if (dup2(in[0], STDIN_FILENO) >= 0 && dup2(out[1], STDOUT_FILENO) >= 0) {
        for (int fd = STDERR_FILENO + 1; fd < 256; fd++) {
            (void)close(fd);
        }
        (void)execl(program, program, path, (char *)NULL);
    }
    _exit(127);
}

static stf_status start(remote *self, const char *program, const char *path)
{
    int in[2];  /* read by the child */
    int out[2]; /* written by the child */
    if (pipe(in) != 0 || pipe(out) != 0) {
        return STF_UNAVAILABLE;
    }
    self->pid = fork();
    if (self->pid == 0) {
        run_child(program, path, in, out);
    }
    (void)close(in[0]);
    (void)close(out[1]);
    self->w.out = fdopen(in[1], "w");
    self->w.in = fdopen(out[0], "r");
    return self->pid > 0 && self->w.in != NULL && self->w.out != NULL ? STF_OK : STF_UNAVAILABLE;
}

pid_t remote_pid(const remote *self)
{
    return self->pid;
}

stf_status remote_open(const char *program, const char *path, const stf_clock *clock,
                       stf_repository **ret_repository, remote **ret_remote, stf_error *error)
{
    static const stf_repository_vtable slots = {
        .struct_size = sizeof(slots),
        .abi = STF_REPOSITORY_ABI,
        .save = slot_save,
        .load = slot_load,
        .remove = slot_remove,
        .list_in_flight = slot_list,
        .register_group = slot_register,
        .group_exists = slot_exists,
        .resolve_tenant = slot_resolve,
        .describe = slot_describe,
        .extension = slot_extension,
        .close = slot_close,
    };
    remote *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return STF_NO_MEMORY;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    self->clock = clock;
    stf_status status = start(self, program, path);
    if (status != STF_OK) {
        free(self);
        return stf_error_set(error, status, "REMOTE", "no second process");
    }
    if (ret_remote != NULL) {
        *ret_remote = self;
    }
    return stf_repository_new(NULL, &slots, self, ret_repository, error);
}

/* ---- The other end ------------------------------------------------------------------------ */

static void answer(wire *w, stf_status status, const stf_error *error)
{
    wire_put_number(w, status);
    wire_put_str(w, stf_str_of(status == STF_OK ? "" : error->message));
}

static void serve_save(stf_repository *repository, wire *w, stf_error *error)
{
    stf_record record;
    stf_save save;
    stf_save_result result;
    memset(&result, 0, sizeof(result));
    wire_get_save(w, &record, &save);
    stf_status status = stf_repository_save(repository, NULL, &save, &result, error);
    answer(w, status, error);
    if (status == STF_OK) {
        wire_put_bytes(w, &result, sizeof(result));
    }
}

/* The record goes behind the status, so the visit waits in a buffer. */
typedef struct loaded {
    wire buffer;
    char *text;
    size_t size;
} loaded;

static stf_status note_record(void *user, const stf_record *record, stf_error *error)
{
    (void)error;
    wire_put_record(user, record);
    return STF_OK;
}

static stf_status note_id(void *user, stf_str id, stf_error *error)
{
    (void)error;
    wire *w = user;
    wire_put_str(w, id);
    w->used++; /* counts: nothing is read from this one */
    return STF_OK;
}

static void open_buffer(loaded *self)
{
    memset(self, 0, sizeof(*self));
    self->buffer.out = open_memstream(&self->text, &self->size);
    if (self->buffer.out == NULL) {
        abort();
    }
}

static void close_buffer(loaded *self, wire *w, bool is_sent)
{
    (void)fclose(self->buffer.out);
    if (is_sent && fwrite(self->text, 1, self->size, w->out) != self->size) {
        w->is_broken = true;
    }
    free(self->text);
}

static void serve_load(stf_repository *repository, wire *w, stf_error *error)
{
    static loaded page;
    bool is_found = false;
    stf_str id = wire_get_str(w);
    open_buffer(&page);
    stf_status status =
        stf_repository_load(repository, NULL, id, note_record, &page.buffer, &is_found, error);
    answer(w, status, error);
    if (status == STF_OK) {
        wire_put_number(w, is_found);
    }
    close_buffer(&page, w, status == STF_OK);
}

static void serve_ids(stf_repository *repository, wire *w, bool is_list, stf_error *error)
{
    static loaded page;
    stf_status status;
    stf_str group = wire_get_str(w);
    open_buffer(&page);
    if (is_list) {
        stf_in_flight_query query = {.group = group};
        query.now.us = wire_get_number(w);
        query.after_id = wire_get_str(w);
        query.limit = (size_t)wire_get_number(w);
        status =
            stf_repository_list_in_flight(repository, NULL, &query, note_id, &page.buffer, error);
    } else {
        status = stf_repository_list_owners(repository, NULL, group, note_id, &page.buffer, error);
    }
    answer(w, status, error);
    if (status == STF_OK) {
        wire_put_number(w, (int64_t)page.buffer.used);
    }
    close_buffer(&page, w, status == STF_OK);
}

static void serve_remove(stf_repository *repository, wire *w, stf_error *error)
{
    stf_delete request = {.struct_size = sizeof(request), .abi = STF_DELETE_ABI};
    request.id = wire_get_str(w);
    request.flags = (uint32_t)wire_get_number(w);
    request.expected_version = wire_get_number(w);
    stf_bytes attempt = wire_get_bytes(w);
    memcpy(request.attempt_seen.bytes, attempt.data, sizeof(request.attempt_seen.bytes));
    answer(w, stf_repository_delete(repository, NULL, &request, error), error);
}

static void serve_name(stf_repository *repository, wire *w, enum remote_call call, stf_error *error)
{
    bool is_true = false;
    stf_status status = STF_OK;
    stf_str name = wire_get_str(w);
    if (call == REMOTE_REGISTER) {
        status = stf_repository_register_group(repository, NULL, name, error);
    } else if (call == REMOTE_EXISTS) {
        status = stf_repository_group_exists(repository, NULL, name, &is_true, error);
    } else if (call == REMOTE_HOLD) {
        status = stf_repository_hold_owner(repository, NULL, name, error);
    } else if (call == REMOTE_RELEASE) {
        stf_repository_release_owner(repository, name);
    } else {
        status = stf_repository_owner_is_dead(repository, NULL, name, &is_true, error);
    }
    answer(w, status, error);
    if (status == STF_OK && (call == REMOTE_EXISTS || call == REMOTE_IS_DEAD)) {
        wire_put_number(w, is_true);
    }
}

int remote_serve(stf_repository *repository, int64_t *now_us, FILE *in, FILE *out)
{
    static wire w;
    w.in = in;
    w.out = out;
    for (;;) {
        stf_error error = STF_ERROR_INIT;
        wire_begin(&w);
        enum remote_call call = (enum remote_call)wire_get_number(&w);
        *now_us = wire_get_number(&w);
        if (w.is_broken) {
            return 0; /* the other end has closed */
        }
        if (call == REMOTE_SAVE) {
            serve_save(repository, &w, &error);
        } else if (call == REMOTE_LOAD) {
            serve_load(repository, &w, &error);
        } else if (call == REMOTE_REMOVE) {
            serve_remove(repository, &w, &error);
        } else if (call == REMOTE_LIST || call == REMOTE_OWNERS) {
            serve_ids(repository, &w, call == REMOTE_LIST, &error);
        } else {
            serve_name(repository, &w, call, &error);
        }
        wire_send(&w);
    }
}
