/* SPDX-License-Identifier: Apache-2.0 */
/* The outside world: starts, completed tasks, time that passes to the next timer, retried
 * incidents. What it does next depends on the seed and on what the instances show at rest, so it
 * does the same in a disturbed run, where it asks again until it knows that its wish was fulfilled
 * once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

typedef enum action_kind {
    ACTION_START,
    ACTION_TASK,
    ACTION_ADVANCE,
    ACTION_RETRY
} action_kind;

typedef struct action {
    action_kind kind;
    unsigned instance;
    uint64_t number; /* of the activation or the incident */
    char element[16];
} action;

enum {
    ACTIONS_MAX = 64,
    TRIES_MAX = 8
};

typedef struct choice {
    action items[ACTIONS_MAX];
    size_t count;
} choice;

static stf_str id_of(unsigned instance)
{
    static const char *const ids[SIM_INSTANCES_MAX] = {"i1", "i2"};
    return stf_str_of(ids[instance]);
}

/* ---- Doing ----------------------------------------------------------------------------------- */

static stf_status start(sim_life *life, const stf_ctx *ctx, const action *wish, stf_error *error)
{
    stf_start request = STF_START_INIT;
    request.process = stf_str_of("p");
    request.id = id_of(wish->instance);
    request.variables = life->plan->variables;
    if (life->plan->has_two_starts) {
        request.start_event = stf_str_of(wish->instance == 0 ? "n1" : "n0");
    }
    return stf_engine_start_instance(life->engine, ctx, &request, NULL, error);
}

static stf_status complete(sim_life *life, const stf_ctx *ctx, const action *wish, stf_error *error)
{
    stf_value *variables = NULL;
    uint64_t drawn = sim_mix_text(sim_mix(life->plan->seed, wish->number + wish->instance),
                                  stf_str_of(wish->element));
    char json[700];
    snprintf(json, sizeof(json), "{\"v_%s\": %u, \"shared\": \"user %u\", \"m_%s\": \"%0*u\"}",
             wish->element, (unsigned)(drawn % 100), (unsigned)(drawn % 1000), wish->element,
             drawn % 3 == 0 ? 350 : 3, (unsigned)(drawn % 7));
    if (stf_value_parse_json(NULL, stf_str_of(json), &variables, NULL) != STF_OK) {
        abort();
    }
    stf_status status =
        stf_engine_complete_task(life->engine, ctx, id_of(wish->instance), wish->number,
                                 stf_str_of(wish->element), variables, error);
    stf_value_unref(variables);
    return status;
}

/* The next timer, and with it those of the other instance that a crash has moved a little. */
static void advance(sim_life *life)
{
    int64_t first = INT64_MAX;
    int64_t last = INT64_MIN;
    for (int pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < SIM_INSTANCES_MAX; i++) {
            const sim_book *book = &life->store.books[i];
            for (size_t k = 0; k < book->due_count; k++) {
                int64_t due = book->dues[k];
                first = pass == 0 && due < first ? due : first;
                last = pass == 1 && due > last && due - first < SIM_GAP_US ? due : last;
            }
        }
    }
    if (last - SIM_BEGIN_US > life->now_us) {
        life->now_us = last - SIM_BEGIN_US;
    }
    sim_life_check_gaps(life, last);
}

static stf_status call(sim_life *life, const action *wish, stf_error *error)
{
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE; /* real time: a defect must not hang the run */
    ctx.deadline.us = stf_clock_system()->mono(NULL).us + SIM_SECONDS(30);
    ctx.cancel = life->cancel;
    switch (wish->kind) {
    case ACTION_START:
        return start(life, &ctx, wish, error);
    case ACTION_TASK:
        return complete(life, &ctx, wish, error);
    case ACTION_RETRY:
        return stf_engine_retry_incident(life->engine, &ctx, id_of(wish->instance), wish->number,
                                         error);
    case ACTION_ADVANCE:
    default:
        advance(life);
        return STF_OK;
    }
}

/* Says this status, to a caller who asks again, that the wish was fulfilled before? */
static bool is_already(const action *wish, stf_status status)
{
    if (wish->kind == ACTION_START) {
        return status == STF_ALREADY_EXISTS;
    }
    return status == STF_NOT_FOUND || status == STF_INVALID_STATE;
}

typedef enum belief {
    BELIEF_ANY,
    BELIEF_APPLIED,
    BELIEF_NOT_APPLIED
} belief;

/* What a caller may conclude, and what the simulation knows, of a call that a fault has hit. */
static belief judge(sim_life *life, const action *wish, stf_status status, uint32_t saves_before)
{
    sim_flavour flavour = life->store.fault.flavour;
    bool is_own_save = life->store.last_fault_save == saves_before + 1;
    bool says_nothing_was_written = status == STF_CANCELLED || status == STF_UNAVAILABLE;
    if (!says_nothing_was_written && status != STF_OUTCOME_UNKNOWN) {
        sim_life_fail(life, "a lost call for %s answers %s", wish->element,
                      stf_status_name(status));
    }
    if (flavour == SIM_DIES_AFTER && is_own_save) {
        if (says_nothing_was_written) {
            sim_life_fail(life, "%s although the save was written", stf_status_name(status));
        }
        return BELIEF_APPLIED;
    }
    return says_nothing_was_written || flavour == SIM_DIES_BEFORE ? BELIEF_NOT_APPLIED : BELIEF_ANY;
}

/* One call; whether the wish is fulfilled. */
static bool try_once(sim_life *life, const action *wish, belief *is_applied, bool *was_hit)
{
    stf_error error = STF_ERROR_INIT;
    uint32_t saves_before = life->store.saves;
    stf_status status = call(life, wish, &error);
    if (status == STF_OK) {
        if (*was_hit && *is_applied == BELIEF_APPLIED) {
            sim_life_fail(life, "%s was taken twice", wish->element);
        }
        return true;
    }
    if (life->store.is_hit) {
        belief now = judge(life, wish, status, saves_before);
        if (!*was_hit || now == BELIEF_APPLIED) {
            *is_applied = now;
        } else if (now == BELIEF_ANY && *is_applied == BELIEF_NOT_APPLIED) {
            *is_applied = BELIEF_ANY; /* an earlier call stays applied whatever this one did */
        }
        *was_hit = true;
        return false;
    }
    if (*was_hit && is_already(wish, status)) {
        if (*is_applied == BELIEF_NOT_APPLIED) {
            sim_life_fail(life, "%s: %s although nothing was written", wish->element,
                          error.message);
        }
        return true;
    }
    sim_life_fail(life, "%s is refused: %s: %s", wish->element, stf_status_name(status),
                  error.message);
    return true;
}

static void act(sim_life *life, const action *wish)
{
    belief is_applied = BELIEF_ANY;
    bool was_hit = false;
    bool is_done = false;
    for (int i = 0; i < TRIES_MAX && life->failure[0] == '\0'; i++) {
        is_done = is_done || try_once(life, wish, &is_applied, &was_hit);
        sim_life_rest(life);
        while (life->store.is_dead) {
            sim_life_recover(life);
            sim_life_rest(life);
        }
        if (is_done) {
            return;
        }
    }
    sim_life_fail(life, "the wish for %s is never fulfilled", wish->element);
}

/* ---- Choosing -------------------------------------------------------------------------------- */

static void offer(sim_life *life, choice *offers, action_kind kind, unsigned instance,
                  const stf_value *row, const char *number_key)
{
    int64_t number = 0;
    stf_str element = stf_value_peek_string(stf_value_peek(row, stf_str_of("element")));
    if (offers->count == ACTIONS_MAX) {
        life->is_too_big = true;
        return;
    }
    (void)stf_value_get_int(stf_value_peek(row, stf_str_of(number_key)), &number);
    action *added = &offers->items[offers->count++];
    *added = (action){.kind = kind, .instance = instance, .number = (uint64_t)number};
    snprintf(added->element, sizeof(added->element), "%.*s", (int)element.size, element.data);
}

static void offer_of(sim_life *life, choice *offers, unsigned instance)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *view = NULL;
    if (stf_engine_get_instance(life->engine, NULL, id_of(instance), &view, &error) != STF_OK) {
        sim_life_fail(life, "no view: %s", error.message);
        return;
    }
    const stf_value *tasks = stf_value_peek(view, stf_str_of("tasks"));
    for (size_t i = 0; i < stf_value_count(tasks); i++) {
        offer(life, offers, ACTION_TASK, instance, stf_value_peek_item(tasks, i), "activation");
    }
    const stf_value *incidents = stf_value_peek(view, stf_str_of("incidents"));
    size_t order[ACTIONS_MAX];
    size_t count = sim_order_by_activation(incidents, order, ACTIONS_MAX);
    for (size_t i = 0; life->retries_left != 0 && i < count; i++) {
        offer(life, offers, ACTION_RETRY, instance, stf_value_peek_item(incidents, order[i]),
              "incident");
    }
    stf_value_unref(view);
}

static bool choose(sim_life *life, unsigned step, action *ret_action)
{
    choice offers = {.count = 0};
    bool has_timers = false;
    for (unsigned i = 0; i < life->plan->instances; i++) {
        offer_of(life, &offers, i);
        has_timers = has_timers || life->store.books[i].due_count != 0;
    }
    if (has_timers && offers.count < ACTIONS_MAX) {
        offers.items[offers.count++] = (action){.kind = ACTION_ADVANCE, .element = "time"};
    }
    if (offers.count == 0 || life->failure[0] != '\0') {
        return false;
    }
    *ret_action = offers.items[sim_mix(life->plan->seed, 1000 + step) % offers.count];
    life->retries_left -= ret_action->kind == ACTION_RETRY ? 1 : 0;
    return true;
}

/* ---- Playing --------------------------------------------------------------------------------- */

static void play(sim_life *life, const action *wish)
{
    static const char *const names[] = {"start", "complete", "time passes", "retry"};
    stf_buf text;
    act(life, wish);
    if (life->failure[0] != '\0') {
        return;
    }
    sim_life_check_gaps(life, STF_WALL_NONE_US);
    stf_buf_init(&text, NULL);
    if (stf_buf_printf(&text, "-- %s i%u %s\n", names[wish->kind], wish->instance + 1,
                       wish->element) != STF_OK) {
        abort();
    }
    sim_project(life, &text);
    sim_trace_add(life, &text);
    stf_buf_done(&text);
}

void sim_script_play(sim_life *life)
{
    stf_buf text;
    action wish = {.kind = ACTION_START, .element = "start"};
    for (unsigned i = 0; i < life->plan->instances && life->failure[0] == '\0'; i++) {
        wish.instance = i;
        play(life, &wish);
    }
    for (unsigned step = 0; step < life->plan->steps && life->failure[0] == '\0'; step++) {
        if (!choose(life, step, &wish)) {
            break;
        }
        play(life, &wish);
    }
    if (life->failure[0] == '\0') {
        stf_buf_init(&text, NULL);
        sim_project_history(life, &text);
        sim_trace_add(life, &text);
        stf_buf_done(&text);
    }
}
