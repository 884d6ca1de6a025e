/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a handler: what the handler sees, how it settles it, and the check of the lease right
 * before it (R21). Settled exactly once is that outcome; not at all, or twice, is unknown. */
#include "engine/private.h"

#include "engine/failpoint.h"

#include <string.h>

static stf_str copy_text(char **cursor, stf_str text)
{
    stf_str copy = {*cursor, text.size};
    if (text.size != 0) {
        memcpy(*cursor, text.data, text.size);
    }
    *cursor += text.size;
    return copy;
}

stf_status stf__run_new(stf_engine *engine, stf__instance *instance, stf__topic *handler,
                        const stf__work_item *item, int64_t incarnation, stf_work **ret_run,
                        stf_error *error)
{
    stf_str process = stf__doc_peek_identity(instance->doc)->process;
    size_t size = sizeof(stf_work) + process.size + item->element.size + item->topic.size;
    stf_work *run = stf__mem_zalloc(engine->alloc, size);
    if (run == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a handler's run");
    }
    char *cursor = run->text;
    run->process = copy_text(&cursor, process);
    run->element = copy_text(&cursor, item->element);
    run->topic = copy_text(&cursor, item->topic);
    run->engine = engine;
    run->instance = instance;
    run->handler = handler;
    run->activation = item->activation;
    run->attempt = item->attempt;
    run->incarnation = incarnation;
    run->is_idempotent =
        item->is_idempotent || (handler->handler.flags & STF_HANDLER_IDEMPOTENT) != 0;
    stf__list_init(&run->link);
    stf__list_init(&run->queue_link);
    atomic_init(&run->hold_until_us, INT64_MIN);
    atomic_init(&run->deadline_us, 0);
    atomic_init(&run->is_unwanted, false);
    stf_buf_init(&run->code, engine->alloc);
    stf_buf_init(&run->message, engine->alloc);
    stf__list_append(&instance->runs, &run->link);
    engine->run_count++;
    stf__handler_take_slot(engine, run);
    stf_status status =
        stf__doc_copy_variables(instance->doc, item->activation, &run->variables, error);
    if (status == STF_OK) {
        status = stf__doc_format_work_key(instance->doc, item->activation, run->key, error);
    }
    if (status != STF_OK) {
        stf__run_free(engine, run);
        return status;
    }
    *ret_run = run;
    return STF_OK;
}

/* The run is in no queue and no thread uses it. */
void stf__run_free(stf_engine *engine, stf_work *run)
{
    stf__handler_give_slot(engine, run);
    stf__list_remove(&run->link);
    stf__list_remove(&run->queue_link);
    engine->run_count--;
    stf_value_unref(run->variables);
    stf_value_unref(run->result);
    stf_buf_done(&run->code);
    stf_buf_done(&run->message);
    stf__mem_free(engine->alloc, run);
}

/* ---- Running --------------------------------------------------------------------------------- */

static void settle_as(stf_work *run, stf__work_outcome outcome, const char *message)
{
    run->outcome = outcome;
    run->result = stf_value_unref(run->result);
    stf_buf_clear(&run->message);
    if (stf_buf_append_str(&run->message, stf_str_of(message)) != STF_OK) {
        stf_buf_clear(&run->message); /* the incident has no text; the outcome stays right */
    }
}

void stf__run_execute(stf_work *run, stf_cancel *cancel)
{
    stf_ctx ctx = STF_CTX_INIT;
    stf_error error;
    if (atomic_load(&run->is_unwanted)) {
        settle_as(run, STF__WORK_FAILED, "cancelled before it ran");
        return;
    }
    if (stf__engine_mono(run->engine).us >= atomic_load(&run->hold_until_us)) {
        run->is_refused = true;
        return;
    }
    const stf_handler *handler = &run->handler->handler;
    ctx.cancel = cancel;
    stf_error_init(&error);
    stf_status status = handler->run(handler->user, &ctx, run, &error);
    STF__FAILPOINT("after_effect");
    if (run->settled == 0) {
        const char *text = error.message[0] != '\0' ? error.message : stf_status_name(status);
        settle_as(run, STF__WORK_UNKNOWN,
                  status != STF_OK ? text : "the handler returned without settling its work");
    } else if (run->settled > 1) {
        settle_as(run, STF__WORK_UNKNOWN, "the handler settled its work more than once");
    }
}

void stf__run_take(stf_engine *engine, stf_work *run)
{
    stf__instance *instance = run->instance;
    engine->progress++;
    stf__handler_give_slot(engine, run);
    if (run->is_refused && !run->is_fenced) {
        /* Never run: a renewal decides whether it still may. */
        run->is_refused = false;
        run->state = STF__RUN_PLANNED;
        stf__lease_hurry(engine, instance);
    } else if (run->is_refused) {
        stf__run_free(engine, run); /* the record is another's, and this never ran */
    } else {
        run->state = STF__RUN_FINISHED;
    }
    stf__instance_place(engine, instance);
}

/* ---- After a save or a load -------------------------------------------------------------------
 */

static bool find_item(const stf__doc *doc, const stf_work *run, stf__work_item *ret_item)
{
    return stf__doc_next_work(doc, run->activation - 1, ret_item) &&
           ret_item->activation == run->activation && ret_item->attempt == run->attempt &&
           ret_item->is_started && ret_item->incarnation == run->incarnation;
}

static stf_work *find_run(const stf__instance *instance, const stf__work_item *item)
{
    STF__LIST_EACH(link, following, &instance->runs)
    {
        stf_work *run = STF__LIST_ENTRY(link, stf_work, link);
        if (run->activation == item->activation && run->attempt == item->attempt) {
            return run;
        }
    }
    return NULL;
}

static void launch(stf_engine *engine, stf_work *run)
{
    run->state = STF__RUN_LAUNCHED;
    if (!run->has_slot) {
        stf__handler_take_slot(engine, run);
    }
    atomic_store(&run->hold_until_us, run->instance->hold_until.us);
    stf__workers_hand(engine, run);
}

/* Marked started under this engine's incarnation, and nobody here knows of it: it was never
 * launched, because a run is in memory from before its save until its result is saved. */
static stf_status adopt(stf_engine *engine, stf__instance *instance, stf_error *error)
{
    stf__work_item item;
    for (uint64_t after = 0; stf__doc_next_work(instance->doc, after, &item);
         after = item.activation) {
        if (!item.is_started || item.incarnation != instance->incarnation ||
            find_run(instance, &item) != NULL) {
            continue;
        }
        stf__topic *handler = stf__handler_find(engine, item.topic);
        stf_work *run;
        if (handler == NULL) {
            continue;
        }
        stf_status status =
            stf__run_new(engine, instance, handler, &item, item.incarnation, &run, error);
        if (status != STF_OK) {
            return status;
        }
    }
    return STF_OK;
}

stf_status stf__runs_reconcile(stf_engine *engine, stf__instance *instance, stf_error *error)
{
    stf_status status = STF_OK;
    if (instance->is_ours) {
        status = adopt(engine, instance, error);
    }
    bool may_launch = instance->is_ours && stf__engine_mono(engine).us < instance->hold_until.us;
    STF__LIST_EACH(link, following, &instance->runs)
    {
        stf_work *run = STF__LIST_ENTRY(link, stf_work, link);
        stf__work_item item;
        bool is_there = !run->is_fenced && find_item(instance->doc, run, &item);
        if (run->state == STF__RUN_PLANNED && is_there && may_launch) {
            launch(engine, run);
        } else if (run->state == STF__RUN_PLANNED && !is_there) {
            stf__run_free(engine, run);
        } else if (run->state == STF__RUN_LAUNCHED && !is_there && !run->is_fenced) {
            stf__workers_cancel(engine, run, false);
        }
    }
    return status;
}

void stf__runs_drop_planned(stf_engine *engine, stf__instance *instance)
{
    STF__LIST_EACH(link, following, &instance->runs)
    {
        stf_work *run = STF__LIST_ENTRY(link, stf_work, link);
        if (run->state == STF__RUN_PLANNED) {
            stf__run_free(engine, run);
        }
    }
}

/* ---- What a handler sees ----------------------------------------------------------------------
 */

stf_str stf_work_instance(const stf_work *work)
{
    return work->instance->id;
}

stf_str stf_work_process(const stf_work *work)
{
    return work->process;
}

stf_str stf_work_element(const stf_work *work)
{
    return work->element;
}

stf_str stf_work_topic(const stf_work *work)
{
    return work->topic;
}

stf_str stf_work_key(const stf_work *work)
{
    return stf_str_of(work->key);
}

uint64_t stf_work_activation(const stf_work *work)
{
    return work->activation;
}

uint32_t stf_work_attempt(const stf_work *work)
{
    return work->attempt;
}

stf_wall stf_work_deadline(const stf_work *work)
{
    return (stf_wall){atomic_load(&work->deadline_us)};
}

const stf_value *stf_work_variables(const stf_work *work)
{
    return work->variables;
}

/* ---- How it settles ---------------------------------------------------------------------------
 */

typedef struct settlement {
    stf__work_outcome outcome;
    stf_str code;
    stf_str message;
    const stf_value *variables;
} settlement;

static stf_status settle(stf_work *work, const settlement *given, stf_error *error)
{
    if (work == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE", "the work is missing");
    }
    if (given->variables != NULL && stf_value_get_kind(given->variables) != STF_VALUE_CONTEXT) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "the variables of a result are a context or nothing");
    }
    if (given->outcome == STF__WORK_BPMN_ERROR && given->code.size == 0) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE", "a BPMN error needs a code");
    }
    if (work->settled != 0) {
        work->settled = 2;
        return stf_error_set(error, STF_INVALID_STATE, "ENGINE",
                             "the work was settled before; its outcome is unknown now");
    }
    if (stf_buf_append_str(&work->code, given->code) != STF_OK ||
        stf_buf_append_str(&work->message, given->message) != STF_OK) {
        stf_buf_clear(&work->code);
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a result");
    }
    work->result = given->variables != NULL ? stf_value_ref(given->variables) : NULL;
    work->outcome = given->outcome;
    work->settled = 1;
    return STF_OK;
}

stf_status stf_work_complete(stf_work *work, const stf_value *variables, stf_error *error)
{
    settlement given = {.outcome = STF__WORK_COMPLETED, .variables = variables};
    return settle(work, &given, error);
}

stf_status stf_work_bpmn_error(stf_work *work, stf_str code, stf_str message,
                               const stf_value *variables, stf_error *error)
{
    settlement given = {
        .outcome = STF__WORK_BPMN_ERROR, .code = code, .message = message, .variables = variables};
    return settle(work, &given, error);
}

stf_status stf_work_fail(stf_work *work, stf_str message, stf_error *error)
{
    settlement given = {.outcome = STF__WORK_FAILED, .message = message};
    return settle(work, &given, error);
}

stf_status stf_work_unknown(stf_work *work, stf_str message, stf_error *error)
{
    settlement given = {.outcome = STF__WORK_UNKNOWN, .message = message};
    return settle(work, &given, error);
}
