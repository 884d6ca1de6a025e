/* SPDX-License-Identifier: Apache-2.0 */
/* The outside world of a group: it acts only at rest, by what it sees there and the seed, through
 * whichever engine is at hand, and asks again until it knows that its wish was fulfilled. Incidents
 * are decided by what the provider knows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/group.h"

typedef enum wish_kind {
    WISH_START,
    WISH_TASK,
    WISH_PUBLISH,
    WISH_TIME,
    WISH_CANCEL,
    WISH_RETRY,
    WISH_RESOLVE,
    WISH_DROP
} wish_kind;

typedef struct wish {
    wish_kind kind;
    unsigned step;
    uint64_t number; /* of the activation or the incident */
    char instance[STF_LIMIT_ID_BYTES + 1];
    char element[32]; /* or the message's name */
    char key[64];
    group_answer answer;
} wish;

enum {
    WISHES_MAX = 64,
    TRIES_MAX = 12,
    INCIDENTS_MAX = 200
};

stf_str group_root_id(unsigned root)
{
    return stf_str_of(root == 0 ? "i1" : "i2");
}

/* ---- What is there --------------------------------------------------------------------------- */

static const group_book *book_of(group_life *life, const wish *w)
{
    const group_book *book = group_book_find(life, stf_str_of(w->instance));
    return book != NULL && book->doc != NULL ? book : NULL;
}

static bool is_running(const group_book *book)
{
    return book != NULL && !stf_record_status_is_terminal(book->status) &&
           !stf__doc_has_ended(book->doc);
}

static bool has_number(const stf_value *variables, const char *name, int64_t expected)
{
    int64_t number = 0;
    return stf_value_get_int(stf_value_peek(variables, stf_str_of(name)), &number) &&
           number == expected;
}

/* A message that was taken has left the number of its step. */
static bool was_taken(const group_book *book, const wish *w)
{
    char name[48];
    stf_value *variables = NULL;
    snprintf(name, sizeof(name), "p_%s", w->element);
    if (stf__doc_copy_variables(book->doc, 0, &variables, NULL) != STF_OK) {
        abort();
    }
    bool is_taken = has_number(variables, name, w->step);
    stf_value_unref(variables);
    return is_taken;
}

/* Is it still to be wished for? At rest the store knows. */
static bool is_open(group_life *life, const wish *w)
{
    const group_book *book = book_of(life, w);
    switch (w->kind) {
    case WISH_START:
        return book == NULL;
    case WISH_TASK:
        return is_running(book) && stf__doc_find_activation(book->doc, w->number) != NULL;
    case WISH_PUBLISH:
        return is_running(book) && !was_taken(book, w);
    case WISH_CANCEL:
        return is_running(book);
    case WISH_RETRY:
    case WISH_RESOLVE:
    case WISH_DROP:
        for (size_t i = 0; is_running(book) && i < book->doc->incident_count; i++) {
            if (book->doc->incidents[i].number == w->number) {
                return stf_wall_is_none(book->doc->incidents[i].retry_at);
            }
        }
        return false;
    case WISH_TIME:
    default:
        return false;
    }
}

/* ---- Doing ----------------------------------------------------------------------------------- */

static stf_value *parse(const char *json)
{
    stf_value *value = NULL;
    if (stf_value_parse_json(NULL, stf_str_of(json), &value, NULL) != STF_OK) {
        abort();
    }
    return value;
}

static stf_status start(group_life *life, stf_engine *engine, const stf_ctx *ctx, const wish *w,
                        stf_error *error)
{
    char json[400];
    uint64_t hash = sim_mix(life->plan->seed, (uint64_t)w->instance[1]);
    bool is_first = w->instance[1] == '1';
    snprintf(json, sizeof(json),
             "{\"me\": \"i%c\", \"other\": \"i%c\", \"a\": %u, \"b\": %s, \"s\": \"%s\", \"old\": "
             "\"%0*u\"}",
             w->instance[1], is_first && life->plan->roots == 2 ? '2' : '1', (unsigned)(hash % 10),
             hash / 10 % 2 == 0 ? "true" : "false", hash / 20 % 2 == 0 ? "x" : "y",
             hash / 40 % 2 == 0 ? 300 : 3, (unsigned)(hash / 80 % 100));
    stf_start request = STF_START_INIT;
    stf_value *variables = parse(json);
    request.process = stf_str_of("p");
    request.id = stf_str_of(w->instance);
    request.variables = variables;
    stf_status status = stf_engine_start_instance(engine, ctx, &request, NULL, error);
    stf_value_unref(variables);
    return status;
}

static stf_status publish(stf_engine *engine, const stf_ctx *ctx, const wish *w, stf_error *error)
{
    char json[96];
    snprintf(json, sizeof(json), "{\"p_%s\": %u}", w->element, w->step);
    stf_message message = STF_MESSAGE_INIT;
    stf_value *variables = parse(json);
    message.name = stf_str_of(w->element);
    message.key = stf_str_of(w->key);
    message.variables = variables;
    stf_status status = stf_engine_publish(engine, ctx, &message, NULL, error);
    stf_value_unref(variables);
    return status;
}

static stf_status complete(stf_engine *engine, const stf_ctx *ctx, const wish *w, stf_error *error)
{
    char json[96];
    snprintf(json, sizeof(json), "{\"v_%s\": %u}", w->element, w->step);
    stf_value *variables = parse(json);
    stf_status status = stf_engine_complete_task(engine, ctx, stf_str_of(w->instance), w->number,
                                                 stf_str_of(w->element), variables, error);
    stf_value_unref(variables);
    return status;
}

static stf_status resolve(stf_engine *engine, const stf_ctx *ctx, const wish *w, stf_error *error)
{
    stf_answer answer = STF_ANSWER_INIT;
    stf_value *variables = parse(w->answer.json);
    answer.kind = w->answer.kind;
    answer.code = stf_str_of("E1");
    answer.message = stf_str_of("found out");
    answer.variables = variables;
    stf_status status = stf_engine_resolve_incident(engine, ctx, stf_str_of(w->instance), w->number,
                                                    &answer, error);
    stf_value_unref(variables);
    return status;
}

static stf_status call(group_life *life, group_engine *at, const wish *w, stf_error *error)
{
    stf_ctx ctx = STF_CTX_INIT;
    stf_str id = stf_str_of(w->instance);
    stf_engine *engine = at->engine;
    ctx.flags = STF_CTX_HAS_DEADLINE; /* real time: a defect must not hang the run */
    ctx.deadline.us = stf_clock_system()->mono(NULL).us + SIM_SECONDS(20);
    ctx.cancel = at->cancel;
    switch (w->kind) {
    case WISH_START:
        return start(life, engine, &ctx, w, error);
    case WISH_TASK:
        return complete(engine, &ctx, w, error);
    case WISH_PUBLISH:
        return publish(engine, &ctx, w, error);
    case WISH_CANCEL:
        return stf_engine_cancel_instance(engine, &ctx, id, stf_str_of("enough"), error);
    case WISH_RETRY:
        return stf_engine_retry_incident(engine, &ctx, id, w->number, error);
    case WISH_RESOLVE:
        return resolve(engine, &ctx, w, error);
    case WISH_DROP:
        return stf_engine_drop_incident(engine, &ctx, id, w->number, error);
    case WISH_TIME:
    default:
        return STF_OK;
    }
}

typedef struct belief {
    bool may_be_applied; /* an answer was lost, or its engine died */
    bool was_refused;    /* a living engine said that nothing was written */
} belief;

/* A handler's late answer may settle what the provider was just asked about (R12): the call drives
 * its engine, which takes that answer first. */
static bool is_overtaken(const group_life *life, const wish *w, stf_status status)
{
    bool is_of_incident = w->kind == WISH_RETRY || w->kind == WISH_RESOLVE || w->kind == WISH_DROP;
    return is_of_incident && status == STF_NOT_FOUND && (life->faults != 0 || life->fate.has_jumps);
}

/* One call of a wish that is open. True: it is known to be fulfilled. */
static bool try_once(group_life *life, const wish *w, belief *believed)
{
    stf_error error = STF_ERROR_INIT;
    group_engine *engine = group_pick(life);
    uint32_t faults = life->faults;
    life->is_in_call = true;
    stf_status status = call(life, engine, w, &error);
    life->is_in_call = false;
    if (status == STF_OK) {
        return true;
    }
    bool is_passing = status == STF_CANCELLED || status == STF_UNAVAILABLE ||
                      status == STF_DEADLINE_EXCEEDED || status == STF_CONCURRENT_UPDATE;
    if (engine->is_dead || status == STF_OUTCOME_UNKNOWN || is_overtaken(life, w, status)) {
        believed->may_be_applied = true;
    } else if (is_passing) {
        believed->was_refused = true;
    } else if (!believed->may_be_applied) {
        group_fail(life, "%s of %s is refused: %s: %s", w->element, w->instance,
                   stf_status_name(status), error.message);
    }
    if (faults == life->faults && !life->fate.has_jumps && life->faults == 0) {
        group_fail(life, "%s of %s without a fault: %s: %s", w->element, w->instance,
                   stf_status_name(status), error.message);
    }
    return false;
}

static void fulfil(group_life *life, const wish *w)
{
    belief believed = {false, false};
    for (int i = 0; i < TRIES_MAX && life->failure[0] == '\0'; i++) {
        bool is_done = try_once(life, w, &believed);
        bool is_open_still = w->kind == WISH_START ? book_of(life, w) == NULL : true;
        if (is_done && w->kind == WISH_START && is_open_still) {
            group_fail(life, "%s was acknowledged and is not there", w->instance);
        }
        group_rest(life);
        if (is_done) {
            return;
        }
        if (!is_open(life, w)) {
            if (!believed.may_be_applied) {
                group_fail(life, "%s of %s was applied although nothing was to be written",
                           w->element, w->instance);
            }
            return;
        }
    }
    group_fail(life, "%s of %s is not fulfilled", w->element, w->instance);
}

/* ---- Incidents ------------------------------------------------------------------------------- */

static void copy_text(char *to, size_t size, stf_str text)
{
    snprintf(to, size, "%.*s", (int)text.size, text.size != 0 ? text.data : "");
}

/* What the provider knows decides; where it knows nothing, the world says that it was done. */
static void decide(group_life *life, const group_book *book, const stf__incident *incident,
                   wish *ret_wish)
{
    const stf__activation *at = stf__doc_find_activation(book->doc, incident->activation);
    *ret_wish = (wish){.kind = WISH_RETRY, .number = incident->number};
    snprintf(ret_wish->instance, sizeof(ret_wish->instance), "%s", book->id);
    copy_text(ret_wish->element, sizeof(ret_wish->element),
              at != NULL ? at->element : stf_str_of("the instance"));
    if (at == NULL) {
        return; /* poisoned: go on */
    }
    if (at->active_for != STF__FOR_WORK) {
        ret_wish->kind = WISH_DROP;
        return;
    }
    group_answer *answer = &ret_wish->answer;
    *answer = group_answer_of(life, stf_str_of(book->id), at->element, at->number,
                              at->work.definitive_failures);
    bool is_coin = sim_mix(life->fate.seed, incident->number) % 2 == 0;
    bool is_error = incident->kind == STF__INCIDENT_BPMN_ERROR;
    if (answer->is_unknown || is_error) {
        answer->kind = STF_ANSWER_COMPLETED;
        ret_wish->kind = WISH_RESOLVE;
    } else if (incident->kind == STF__INCIDENT_UNKNOWN && answer->kind != STF_ANSWER_FAILED) {
        ret_wish->kind = is_coin ? WISH_RESOLVE : WISH_RETRY;
    }
}

static bool find_incident(group_life *life, wish *ret_wish)
{
    for (size_t i = 0; i < life->book_count; i++) {
        const group_book *book = life->books[i];
        bool is_alive = book->doc != NULL && is_running(book);
        for (size_t k = 0; is_alive && k < book->doc->incident_count; k++) {
            if (stf_wall_is_none(book->doc->incidents[k].retry_at)) {
                decide(life, book, &book->doc->incidents[k], ret_wish);
                return true;
            }
        }
    }
    return false;
}

static void come_to_rest(group_life *life)
{
    wish w;
    group_rest(life);
    for (int i = 0; life->failure[0] == '\0' && find_incident(life, &w); i++) {
        if (i == INCIDENTS_MAX) {
            group_fail(life, "the incidents have no end");
        }
        fulfil(life, &w);
    }
}

/* ---- Time ------------------------------------------------------------------------------------ */

static size_t collect_dues(const group_life *life, int64_t *ret_dues, size_t *ret_books, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < life->book_count; i++) {
        const group_book *book = life->books[i];
        if (book->doc == NULL || !is_running(book) || strncmp(book->id, "stf:", 4) == 0) {
            continue;
        }
        for (size_t k = 0; k < book->doc->timer_count && count < max; k++) {
            ret_books[count] = i;
            ret_dues[count++] = book->doc->timers[k].due.us;
        }
        for (size_t k = 0; k < book->doc->incident_count && count < max; k++) {
            if (!stf_wall_is_none(book->doc->incidents[k].retry_at)) {
                ret_books[count] = i;
                ret_dues[count++] = book->doc->incidents[k].retry_at.us;
            }
        }
    }
    return count;
}

static bool is_near(int64_t a, int64_t b)
{
    return a - b < GROUP_GAP_US && b - a < GROUP_GAP_US;
}

/* The next timer, and with it what a fault has moved a little. Timers of one instance must lie
 * apart, else another order of events would be no defect. */
static void pass_time(group_life *life)
{
    static int64_t dues[512];
    static size_t books[512];
    size_t count = collect_dues(life, dues, books, 512);
    int64_t first = INT64_MAX;
    int64_t last = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        first = dues[i] < first ? dues[i] : first;
    }
    for (size_t i = 0; i < count; i++) {
        last = is_near(dues[i], first) && dues[i] > last ? dues[i] : last;
    }
    last += 2 * GROUP_SKEW_US; /* so that the clock of each engine is there */
    life->now_us = last - SIM_BEGIN_US > life->now_us ? last - SIM_BEGIN_US : life->now_us;
}

static void check_gaps(group_life *life)
{
    static int64_t dues[512];
    static size_t books[512];
    size_t count = collect_dues(life, dues, books, 512);
    for (size_t i = 0; i < count; i++) {
        life->is_tight = life->is_tight || is_near(dues[i], group_now(life));
        for (size_t k = 0; k < i; k++) {
            life->is_tight = life->is_tight || (books[i] == books[k] && is_near(dues[i], dues[k]));
        }
    }
}

/* ---- The next wish --------------------------------------------------------------------------- */

typedef struct offers {
    wish items[WISHES_MAX];
    size_t count;
} offers;

/* At its place in an order that is the same in every life. */
static void offer(offers *list, const wish *w)
{
    size_t at = list->count;
    if (list->count == WISHES_MAX) {
        return;
    }
    for (; at > 0; at--) {
        const wish *before = &list->items[at - 1];
        int order = (int)before->kind - (int)w->kind;
        order = order == 0 ? strcmp(before->instance, w->instance) : order;
        order = order == 0 ? strcmp(before->element, w->element) : order;
        if (order < 0 || (order == 0 && before->number <= w->number)) {
            break;
        }
        list->items[at] = list->items[at - 1];
    }
    list->items[at] = *w;
    list->count++;
}

static void offer_root(group_life *life, offers *list, unsigned root, unsigned step)
{
    const group_book *book = group_book_find(life, group_root_id(root));
    wish w = {.step = step};
    if (book == NULL || book->doc == NULL || !is_running(book)) {
        return;
    }
    copy_text(w.instance, sizeof(w.instance), group_root_id(root));
    for (size_t i = 0; i < book->doc->activation_count; i++) {
        const stf__activation *at = book->doc->activations[i];
        if (at->phase == STF__PHASE_ACTIVE && at->active_for == STF__FOR_TASK) {
            w.kind = WISH_TASK;
            w.number = at->number;
            copy_text(w.element, sizeof(w.element), at->element);
            offer(list, &w);
        }
    }
    for (size_t i = 0; i < book->doc->subscription_count; i++) {
        const stf__subscription *subscription = &book->doc->subscriptions[i];
        if (subscription->name.size > 2 && memcmp(subscription->name.data, "w_", 2) == 0) {
            w.kind = WISH_PUBLISH;
            w.number = subscription->number;
            copy_text(w.element, sizeof(w.element), subscription->name);
            copy_text(w.key, sizeof(w.key), subscription->key);
            offer(list, &w);
        }
    }
}

static bool choose(group_life *life, unsigned step, wish *ret_wish)
{
    static int64_t dues[512];
    static size_t books[512];
    static offers list;
    list.count = 0;
    for (unsigned i = 0; i < life->plan->roots; i++) {
        offer_root(life, &list, i, step);
    }
    if (collect_dues(life, dues, books, 512) != 0) {
        const wish time = {.kind = WISH_TIME, .element = "time"};
        offer(&list, &time);
    }
    if (list.count == 0 || life->failure[0] != '\0') {
        return false;
    }
    *ret_wish = list.items[sim_mix(life->plan->seed, 1000 + step) % list.count];
    return true;
}

/* ---- Playing --------------------------------------------------------------------------------- */

static void play(group_life *life, const wish *w)
{
    static const char *const names[] = {"start", "complete", "publish", "time passes", "cancel"};
    if (stf_buf_printf(&life->trace, "-- %s %s %s\n", names[w->kind], w->instance, w->element) !=
        STF_OK) {
        abort();
    }
    if (w->kind == WISH_TIME) {
        pass_time(life);
    } else {
        fulfil(life, w);
    }
    come_to_rest(life);
    check_gaps(life);
    if (life->failure[0] == '\0') {
        group_show(life);
    }
}

void group_script_play(group_life *life)
{
    wish w = {.kind = WISH_START};
    for (unsigned i = 0; i < life->plan->roots && life->failure[0] == '\0'; i++) {
        copy_text(w.instance, sizeof(w.instance), group_root_id(i));
        play(life, &w);
    }
    for (unsigned step = 1; step <= life->plan->steps && choose(life, step, &w); step++) {
        play(life, &w);
    }
    for (unsigned i = 0; i < life->plan->roots && life->failure[0] == '\0'; i++) {
        const group_book *book = group_book_find(life, group_root_id(i));
        if (book != NULL && book->doc != NULL && is_running(book)) {
            w = (wish){.kind = WISH_CANCEL};
            copy_text(w.instance, sizeof(w.instance), group_root_id(i));
            play(life, &w);
        }
    }
    if (life->failure[0] == '\0') {
        life->is_calm = true;
        group_rest(life);
        group_check_end(life);
        group_show_history(life);
    }
}
