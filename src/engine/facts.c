/* SPDX-License-Identifier: Apache-2.0 */
/* What happened, told after it is durable; the same rows travel with the save as journal rows where
 * the engine keeps a history. Names and counts, never payload. */
#include "engine/private.h"

#include <stepfast/limits.h>
#include <stepfast/sys/repository_journal.h>

static void tell(stf_engine *engine, const stf__instance *instance, stf_fact *fact)
{
    if (engine->observer.on_fact == NULL) {
        return;
    }
    fact->struct_size = sizeof(*fact);
    fact->abi = STF_OBSERVER_ABI;
    fact->instance = instance->id;
    if (instance->definition != NULL) {
        fact->process = instance->definition->key;
    }
    engine->observer.on_fact(engine->observer.user, fact);
}

void stf__fact_tell(stf_engine *engine, const stf__instance *instance, uint32_t kind,
                    stf_str detail)
{
    if (engine->observer.on_fact != NULL) {
        stf_fact fact = {.kind = kind, .at = stf__engine_now(engine), .detail = detail};
        tell(engine, instance, &fact);
    }
}

void stf__facts_release(stf_engine *engine, const stf__flight *flight)
{
    for (size_t i = 0; i < flight->effects.fact_count; i++) {
        const stf__fact_row *row = &flight->effects.facts[i];
        stf_fact fact = {.kind = row->kind,
                         .at = row->at,
                         .element = row->element,
                         .activation = row->activation,
                         .detail = row->detail};
        tell(engine, flight->instance, &fact);
    }
}

/* A row's text is bounded; it is cut between characters. */
static stf_str cut(stf_str text)
{
    if (text.size > STF_LIMIT_JOURNAL_DETAIL_BYTES) {
        text.size = STF_LIMIT_JOURNAL_DETAIL_BYTES;
        while (text.size != 0 && ((unsigned char)text.data[text.size] & 0xc0u) == 0x80u) {
            text.size--;
        }
    }
    return text;
}

stf_status stf__facts_journal(stf_engine *engine, stf__flight *flight, stf_error *error)
{
    size_t extra = flight->instance->is_recovered ? 1 : 0;
    size_t count = flight->effects.fact_count;
    if ((engine->flags & STF_ENGINE_JOURNAL) == 0 || count + extra == 0) {
        return STF_OK;
    }
    count = count + extra < STF_LIMIT_JOURNAL_ROWS ? count : STF_LIMIT_JOURNAL_ROWS - extra;
    stf_journal_row *rows = stf__arena_zalloc(&flight->arena, (count + extra) * sizeof(*rows));
    if (rows == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for the history");
    }
    if (extra != 0) {
        rows[0] =
            (stf_journal_row){.fact = STF_FACT_INSTANCE_RECOVERED, .at = stf__engine_now(engine)};
    }
    for (size_t i = 0; i < count; i++) {
        const stf__fact_row *row = &flight->effects.facts[i];
        rows[extra + i] = (stf_journal_row){.fact = row->kind,
                                            .activation = row->activation,
                                            .at = row->at,
                                            .element = row->element,
                                            .detail = cut(row->detail)};
    }
    flight->save.journal = rows;
    flight->save.journal_count = count + extra;
    return STF_OK;
}

/* Deferred and skipped things are for an operator's log; a caller gets its own error. */
void stf__log(stf_engine *engine, stf_log_level level, const stf_error *error, const char *what)
{
    stf_error report = STF_ERROR_INIT;
    if (engine->observer.on_log == NULL) {
        return;
    }
    (void)stf_error_set(&report, STF_OK, "ENGINE", "%s: %s: %s", what,
                        stf_status_name((stf_status)error->status), error->message);
    engine->observer.on_log(engine->observer.user, level, stf_str_of(report.message));
}
