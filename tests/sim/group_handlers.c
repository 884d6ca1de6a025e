/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers before a provider that knows each effect by its downstream key: what it answers depends
 * on the topic, the element, how many activations of it came before and the definitive failures,
 * never on the attempt or on who asks. Both engines have their own handlers and one provider. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/group.h"

static group_job *job_of(group_life *life, stf_str instance, stf_str element, uint64_t activation)
{
    uint32_t rank = 1;
    for (size_t i = 0; i < life->job_count; i++) {
        group_job *job = &life->jobs[i];
        if (!stf_str_equal(stf_str_of(job->instance), instance)) {
            continue;
        }
        if (job->activation == activation) {
            return job;
        }
        rank += stf_str_equal(stf_str_of(job->element), element) && job->activation < activation;
    }
    if (life->job_count == GROUP_WORK_MAX) {
        life->is_too_big = true;
        return &life->jobs[0];
    }
    group_job *job = &life->jobs[life->job_count++];
    *job = (group_job){.activation = activation, .rank = rank};
    snprintf(job->instance, sizeof(job->instance), "%.*s", (int)instance.size, instance.data);
    snprintf(job->element, sizeof(job->element), "%.*s", (int)element.size, element.data);
    return job;
}

group_answer group_answer_of(group_life *life, stf_str instance, stf_str element,
                             uint64_t activation, uint32_t failures)
{
    const group_job *job = job_of(life, instance, element, activation);
    const group_book *book = group_book_find(life, instance);
    const stf__activation *at = stf__doc_find_activation(book->doc, activation);
    const char *topic = at != NULL && at->work.topic != NULL ? at->work.topic : "";
    uint64_t hash = sim_mix(sim_mix_text(life->plan->seed, element), job->rank);
    group_answer answer = {.kind = STF_ANSWER_COMPLETED};
    if (strcmp(topic, "beta") == 0 && failures < 1 + hash % 3) {
        answer.kind = STF_ANSWER_FAILED;
    } else if (strcmp(topic, "delta") == 0 || strcmp(topic, "out.c5") == 0) {
        answer.kind = STF_ANSWER_BPMN_ERROR;
    }
    answer.is_unknown = strcmp(topic, "gamma") == 0;
    snprintf(answer.json, sizeof(answer.json), "{\"v_%s\": %u, \"k_%s\": %u, \"%s\": %u}",
             job->element, (unsigned)(hash / 7 % 100), job->element, job->rank,
             strncmp(topic, "out.", 4) == 0 ? (topic[5] == '1' ? "c1_out" : "c4_out") : "last",
             strncmp(topic, "out.", 4) == 0 ? (unsigned)(hash / 11 % 100) : 1);
    return answer;
}

/* ---- The run --------------------------------------------------------------------------------- */

static group_started *find_start(group_book *book, const stf_work *work, int64_t incarnation)
{
    for (size_t i = 0; i < book->started_count; i++) {
        group_started *started = &book->started[i];
        if (started->activation == stf_work_activation(work) &&
            started->attempt == stf_work_attempt(work) && started->incarnation == incarnation) {
            return started;
        }
    }
    return NULL;
}

/* Nothing runs that is not saved as started, by its owner (R1, R2, R21). */
static bool check_run(group_engine *engine, group_book *book, const stf_work *work)
{
    group_life *life = engine->life;
    char key[STF__WORK_KEY_BYTES];
    const stf__activation *at = book != NULL && book->doc != NULL
                                    ? stf__doc_find_activation(book->doc, stf_work_activation(work))
                                    : NULL;
    if (at == NULL || !at->work.is_started || at->work.attempt != stf_work_attempt(work)) {
        group_fail(life, "%.*s: R2: a handler runs what is not saved as started",
                   (int)stf_work_element(work).size, stf_work_element(work).data);
        return false;
    }
    if (engine->owner[0] == '\0' || strcmp(book->owner, engine->owner) != 0) {
        group_fail(life, "%s: R21: a handler runs without the lease", book->id);
        return false;
    }
    if (stf__doc_format_work_key(book->doc, at->number, key, NULL) != STF_OK ||
        !stf_str_equal(stf_work_key(work), stf_str_of(key))) {
        group_fail(life, "%s: R6: another key than that of the document", book->id);
        return false;
    }
    group_started *started = find_start(book, work, at->work.incarnation);
    if (started == NULL || started->runs++ != 0) {
        group_fail(life, "%s: activation %llu, attempt %u runs twice under one incarnation",
                   book->id, (unsigned long long)at->number, at->work.attempt);
        return false;
    }
    return true;
}

static stf_status settle(stf_work *work, const group_answer *answer, stf_error *error)
{
    stf_value *variables = NULL;
    if (answer->is_unknown) {
        return stf_work_unknown(work, stf_str_of("the line went dead"), error);
    }
    if (answer->kind == STF_ANSWER_FAILED) {
        return stf_work_fail(work, stf_str_of("no such address"), error);
    }
    if (stf_value_parse_json(NULL, stf_str_of(answer->json), &variables, NULL) != STF_OK) {
        abort();
    }
    stf_status status =
        answer->kind == STF_ANSWER_BPMN_ERROR
            ? stf_work_bpmn_error(work, stf_str_of("E1"), stf_str_of("refused"), variables, error)
            : stf_work_complete(work, variables, error);
    stf_value_unref(variables);
    return status;
}

static stf_status run(void *user, const stf_ctx *ctx, stf_work *work, stf_error *error)
{
    group_engine *engine = user;
    group_life *life = engine->life;
    (void)ctx;
    if (engine->is_dead) { /* its process died before this */
        return stf_work_unknown(work, stf_str_of("dead"), error);
    }
    group_book *book = group_book_find(life, stf_work_instance(work));
    if (!check_run(engine, book, work)) {
        return stf_work_unknown(work, stf_str_of("a defect"), error);
    }
    const stf__activation *at = stf__doc_find_activation(book->doc, stf_work_activation(work));
    group_answer answer = group_answer_of(life, stf_work_instance(work), stf_work_element(work),
                                          at->number, at->work.definitive_failures);
    if (life->fate.has_jumps && !life->is_calm && !life->is_nested &&
        sim_chance(&life->chance, 5)) {
        life->counts.zombies++;
        group_stall(life, engine); /* and perhaps somebody else takes the record over */
    }
    return settle(work, &answer, error);
}

void group_handlers_add(group_engine *engine)
{
    static const char *const topics[] = {"alpha", "*", "theta"};
    /* Of two engines only "two" serves theta; with "*" it would be "one" as well. */
    static const char *const named[] = {"alpha",  "beta",   "gamma",  "delta",
                                        "out.c1", "out.c2", "out.c4", "out.c5"};
    stf_handler handler = {
        .struct_size = sizeof(handler), .abi = STF_HANDLER_ABI, .user = engine, .run = run};
    bool is_first_of_two = engine->index == 0 && engine->life->plan->engines == 2;
    const char *const *list = is_first_of_two ? named : topics;
    size_t count =
        is_first_of_two ? sizeof(named) / sizeof(named[0]) : sizeof(topics) / sizeof(topics[0]);
    handler.concurrency_max = engine->life->plan->seed % 3 == 0 ? 0 : 4;
    for (size_t i = 0; i < count; i++) {
        if (stf_engine_add_handler(engine->engine, stf_str_of(list[i]), &handler, NULL) != STF_OK) {
            abort();
        }
    }
}
