/* SPDX-License-Identifier: Apache-2.0 */
/* The helpers of support.h. */
#include "unit/bpmn/support.h"

#include "base/mem.h"

#include <malloc.h>

void fixture_load_bytes(fixture *file, const void *data, size_t size)
{
    *file = (fixture){.error = STF_ERROR_INIT};
    ck_assert_int_eq(stf_diagnostics_new(NULL, &file->list, NULL), STF_OK);
    file->status =
        stf_bpmn_load(NULL, (stf_bytes){data, size}, file->list, &file->model, &file->error);
    ck_assert((file->model != NULL) == (file->status == STF_OK));
    bool has_errors = stf_diagnostics_count_of(file->list, STF_SEVERITY_ERROR) != 0;
    ck_assert(has_errors == (file->status != STF_OK));
}

void fixture_load(fixture *file, const char *xml)
{
    fixture_load_bytes(file, xml, strlen(xml));
}

static void load_process(fixture *file, const char *attributes, const char *body)
{
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    ck_assert_int_eq(stf_buf_printf(&buf, "%s<process id=\"p\"%s>\n%s%s", BPMN_HEAD, attributes,
                                    body, BPMN_TAIL),
                     STF_OK);
    fixture_load_bytes(file, buf.data, buf.size);
    stf_buf_done(&buf);
}

void fixture_load_body(fixture *file, const char *body)
{
    load_process(file, " isExecutable=\"true\"", body);
}

void fixture_load_drawing(fixture *file, const char *body)
{
    load_process(file, "", body);
}

void fixture_done(fixture *file)
{
    stf_model_unref(file->model);
    stf_diagnostics_free(file->list);
}

static void show(const fixture *file)
{
    for (size_t i = 0; i < stf_diagnostics_count(file->list); i++) {
        const stf_diagnostic *item = stf_diagnostics_at(file->list, i);
        printf("%u %u:%u \"%.*s\" %.*s: %.*s\n", (unsigned)item->severity, (unsigned)item->line,
               (unsigned)item->column, STF_STR_ARG(item->element), STF_STR_ARG(item->rule),
               STF_STR_ARG(item->message));
    }
    (void)fflush(stdout);
}

const char *fixture_expect(const fixture *file, stf_severity severity, uint32_t line,
                           const char *element, const char *rule)
{
    const stf_diagnostic *found = NULL;
    for (size_t i = 0; i < stf_diagnostics_count(file->list); i++) {
        const stf_diagnostic *item = stf_diagnostics_at(file->list, i);
        if (stf_str_equal(item->rule, stf_str_of(rule)) &&
            stf_str_equal(item->element, stf_str_of(element)) && item->line == line &&
            item->severity == (uint32_t)severity) {
            found = item;
        }
    }
    if (found == NULL) {
        show(file);
        ck_abort_msg("nothing said: %d %u \"%s\" %s", (int)severity, (unsigned)line, element, rule);
    }
    return found->message.data; /* terminated by the arena */
}

size_t fixture_count(const fixture *file, const char *rule)
{
    size_t count = 0;
    for (size_t i = 0; i < stf_diagnostics_count(file->list); i++) {
        count += stf_str_equal(stf_diagnostics_at(file->list, i)->rule, stf_str_of(rule));
    }
    return count;
}

void fixture_expect_silence(const fixture *file)
{
    if (stf_diagnostics_count(file->list) != 0) {
        show(file);
        ck_abort_msg("something is said");
    }
}

const stf__process *fixture_process(const fixture *file, const char *id)
{
    if (file->model == NULL) {
        show(file);
        ck_abort_msg("refused: %s", file->error.message);
    }
    const stf__process *process = stf__model_find_process(file->model, stf_str_of(id));
    ck_assert_ptr_nonnull(process);
    return process;
}

const stf__node *fixture_node(const fixture *file, const char *id)
{
    const stf__node *node = stf__process_find_node(fixture_process(file, "p"), stf_str_of(id));
    ck_assert_ptr_nonnull(node);
    return node;
}

const stf__flow *fixture_flow(const fixture *file, const char *id)
{
    const stf__flow *flow = stf__map_get(&fixture_process(file, "p")->flows_by_id, stf_str_of(id));
    ck_assert_ptr_nonnull(flow);
    return flow;
}

void fixture_check_rows(const rule_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fixture file;
        fixture_load_body(&file, rows[i].body);
        const char *message =
            fixture_expect(&file, rows[i].severity, rows[i].line, rows[i].element, rows[i].rule);
        ck_assert_msg(strstr(message, rows[i].says) != NULL, "\"%s\" lacks \"%s\"", message,
                      rows[i].says);
        size_t errors = stf_diagnostics_count_of(file.list, STF_SEVERITY_ERROR);
        if (errors != (rows[i].severity == STF_SEVERITY_ERROR)) {
            show(&file);
            ck_abort_msg("%zu errors in %s", errors, rows[i].body);
        }
        fixture_done(&file);
    }
}

static void *counting_realloc(void *user, void *memory, size_t size)
{
    counting_alloc *counting = user;
    size_t old_size = memory != NULL ? malloc_usable_size(memory) : 0;
    if (++counting->calls == counting->fail_at) {
        return NULL;
    }
    void *grown = realloc(memory, size);
    ck_assert_ptr_nonnull(grown);
    counting->live += memory == NULL;
    counting->live_bytes += malloc_usable_size(grown) - old_size;
    if (counting->live_bytes > counting->peak_bytes) {
        counting->peak_bytes = counting->live_bytes;
    }
    return grown;
}

static void *counting_malloc(void *user, size_t size)
{
    return counting_realloc(user, NULL, size);
}

static void counting_free(void *user, void *memory)
{
    counting_alloc *counting = user;
    if (memory != NULL) {
        counting->live--;
        counting->live_bytes -= malloc_usable_size(memory);
        free(memory);
    }
}

void counting_init(counting_alloc *counting)
{
    *counting = (counting_alloc){.alloc = {.struct_size = sizeof(stf_allocator),
                                           .abi = STF_ALLOCATOR_ABI,
                                           .user = counting,
                                           .alloc = counting_malloc,
                                           .realloc = counting_realloc,
                                           .free = counting_free}};
}
