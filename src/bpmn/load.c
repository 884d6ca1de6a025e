/* SPDX-License-Identifier: Apache-2.0 */
/* The public door: bytes or a file, in pieces, through reader, parser and builder. */
#include <errno.h>
#include <fcntl.h>
#include <stepfast/limits.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "bpmn/build.h"
#include "bpmn/parse.h"

enum {
    PIECE_BYTES = 64 * 1024
};

typedef struct loader {
    const stf_allocator *alloc;
    stf_diagnostics *diagnostics;
    stf_diagnostics *own_diagnostics; /* when the caller wants none */
    stf__draft draft;
    stf__parser parser;
    stf__xml *xml;
} loader;

static loader *close_loader(loader *load)
{
    stf__xml_free(load->xml);
    stf__parser_done(&load->parser);
    stf__draft_done(&load->draft);
    stf_diagnostics_free(load->own_diagnostics);
    stf__mem_free(load->alloc, load);
    return NULL;
}

static stf_status open_loader(const stf_allocator *alloc, stf_diagnostics *diagnostics,
                              loader **ret_load, stf_error *error)
{
    const stf_allocator *allocator = stf__alloc_or_default(alloc);
    loader *load = stf__mem_zalloc(allocator, sizeof(*load));
    if (load == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "BPMN", "out of memory");
    }
    load->alloc = allocator;
    load->diagnostics = diagnostics;
    stf__draft_init(&load->draft, allocator, NULL);
    stf__parser_init(&load->parser, &load->draft, allocator);
    stf_status status = STF_OK;
    if (diagnostics == NULL) {
        status = stf_diagnostics_new(allocator, &load->own_diagnostics, error);
        load->diagnostics = load->own_diagnostics;
    }
    if (status == STF_OK) {
        stf__diagnostics_clear(load->diagnostics);
        load->draft.diagnostics = load->diagnostics;
        status = stf__xml_new(allocator, stf__parser_get_handler(&load->parser), load->diagnostics,
                              &load->xml, error);
    }
    if (status != STF_OK) {
        close_loader(load);
        return status;
    }
    *ret_load = load;
    return STF_OK;
}

static stf_status fail(const loader *load, stf_status status, stf_error *error)
{
    if (status == STF_NO_MEMORY || stf__diagnostics_is_out_of_memory(load->diagnostics)) {
        return stf_error_set(error, STF_NO_MEMORY, "BPMN", "out of memory");
    }
    return stf__diagnostics_fill_error(load->diagnostics, status, error);
}

/* After the last byte. */
static stf_status finish(loader *load, stf_model **ret_model, stf_error *error)
{
    stf_model *model = NULL;
    stf_status status = stf__model_new(load->alloc, &model, error);
    if (status != STF_OK) {
        return status;
    }
    status = stf__build_model(load->alloc, &load->draft, model);
    if (status == STF_OK && stf__diagnostics_has_errors(load->diagnostics)) {
        status = STF_PARSE;
    }
    if (status != STF_OK || stf__diagnostics_is_out_of_memory(load->diagnostics)) {
        stf_model_unref(model);
        return fail(load, status, error);
    }
    *ret_model = model;
    return STF_OK;
}

stf_status stf_bpmn_load(const stf_allocator *alloc, stf_bytes file, stf_diagnostics *diagnostics,
                         stf_model **ret_model, stf_error *error)
{
    if (ret_model == NULL || (file.data == NULL && file.size != 0)) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "BPMN", "no bytes, or no model wanted");
    }
    loader *load = NULL;
    stf_status status = open_loader(alloc, diagnostics, &load, error);
    if (status != STF_OK) {
        return status;
    }
    status = stf__xml_feed(load->xml, file, true);
    status = status == STF_OK ? finish(load, ret_model, error) : fail(load, status, error);
    close_loader(load);
    return status;
}

/* ---- Files ---------------------------------------------------------------------------------- */

static stf_status fail_io(const char *path, const char *what, stf_error *error)
{
    int code = errno;
    stf_status status = code == ENOENT || code == ENOTDIR ? STF_NOT_FOUND : STF_UNAVAILABLE;
    const char *name = strerrorname_np(code);
    stf_error_set(error, status, "BPMN", "cannot %s the file \"%s\": %s", what, path,
                  strerrordesc_np(code));
    stf_error_set_native(error, "%s", name != NULL ? name : "");
    return status;
}

static stf_status read_piece(int fd, const char *path, uint8_t *piece, size_t *ret_size,
                             stf_error *error)
{
    ssize_t size;
    do {
        size = read(fd, piece, PIECE_BYTES);
    } while (size < 0 && errno == EINTR);
    if (size < 0) {
        return fail_io(path, "read", error);
    }
    *ret_size = (size_t)size;
    return STF_OK;
}

/* Stops at the first piece that the reader refuses. */
static stf_status read_all(loader *load, int fd, const char *path, stf_buf *bytes, stf_error *error)
{
    uint8_t *piece = stf__mem_alloc(load->alloc, PIECE_BYTES);
    if (piece == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "BPMN", "out of memory");
    }
    stf_status status = STF_OK;
    size_t size = 1;
    while (status == STF_OK && size != 0) {
        status = read_piece(fd, path, piece, &size, error);
        if (status != STF_OK) {
            break;
        }
        status = stf__xml_feed(load->xml, (stf_bytes){piece, size}, size == 0);
        if (status == STF_OK && bytes != NULL) {
            status = stf_buf_append(bytes, piece, size);
        }
        if (status != STF_OK) {
            status = fail(load, status, error);
        }
    }
    stf__mem_free(load->alloc, piece);
    return status;
}

stf_status stf_bpmn_load_file(const stf_allocator *alloc, const char *path,
                              stf_diagnostics *diagnostics, stf_model **ret_model,
                              stf_buf *ret_bytes, stf_error *error)
{
    if (path == NULL || ret_model == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "BPMN", "no path, or no model wanted");
    }
    loader *load = NULL;
    stf_status status = open_loader(alloc, diagnostics, &load, error);
    if (status != STF_OK) {
        return status;
    }
    size_t old_size = ret_bytes != NULL ? ret_bytes->size : 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        status = fail_io(path, "open", error);
    } else {
        status = read_all(load, fd, path, ret_bytes, error);
        (void)close(fd);
    }
    if (status == STF_OK) {
        status = finish(load, ret_model, error);
    }
    if (status != STF_OK && ret_bytes != NULL) {
        ret_bytes->size = old_size;
    }
    close_loader(load);
    return status;
}
