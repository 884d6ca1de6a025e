/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a scenario, as one table: each is a call of the public engine. */
#include "duration.h"
#include "output.h"
#include "scenario_player.h"

#include <string.h>

typedef struct step_kind {
    const char *name;
    cli_verdict (*play)(cli_player *player, const stf_value *argument);
    cli_verdict (*skip)(cli_player *player, const stf_value *argument); /* NULL: nothing */
} step_kind;

static const stf_value *peek(const stf_value *context, const char *key)
{
    return stf_value_peek(context, stf_str_of(key));
}

/* After a call that may have saved. */
static cli_verdict finish(cli_player *player, stf_status status, const stf_error *error)
{
    return status == STF_OK ? cli_player_after_save(player) : cli_player_fail(player, error);
}

/* ---- start ------------------------------------------------------------------------------------
 */

static cli_verdict skip_start(cli_player *player, const stf_value *argument)
{
    (void)argument;
    player->started++;
    return CLI_VERDICT_PASSED;
}

static cli_verdict play_start(cli_player *player, const stf_value *argument)
{
    stf_buf id;
    stf_error error = STF_ERROR_INIT;
    stf_buf_init(&id, NULL);
    player->started++;
    cli_verdict verdict = cli_player_id(player, player->started, &id);
    if (verdict == CLI_VERDICT_PASSED) {
        stf_start start = STF_START_INIT;
        start.process = cli_peek_text(argument, "process");
        start.start_event = cli_peek_text(argument, "start_event");
        start.variables = peek(argument, "variables");
        start.id = stf_buf_str(&id);
        stf_status status =
            stf_engine_start_instance(player->engine, &player->ctx, &start, NULL, &error);
        verdict = finish(player, status, &error);
    }
    stf_buf_done(&id);
    return verdict;
}

/* ---- Finding what waits -----------------------------------------------------------------------
 */

/* Something that waits in one instance: a task or a job. Borrowed from views. */
typedef struct place {
    stf_value *views;
    stf_str instance;
    uint64_t activation;
} place;

static bool matches_where(const stf_value *view, const stf_value *where)
{
    const stf_value *variables = peek(view, "variables");
    for (size_t i = 0; i < stf_value_count(where); i++) {
        stf_str name = stf_value_peek_key(where, i);
        const stf_value *is = stf_value_peek(variables, name);
        if (is == NULL || !stf_value_equal(is, stf_value_peek(where, name))) {
            return false;
        }
    }
    return true;
}

static bool is_meant(const stf_value *row, const stf_value *argument)
{
    stf_str element = cli_peek_text(argument, "element");
    stf_str topic = cli_peek_text(argument, "topic");
    return (element.size == 0 || stf_str_equal(element, cli_peek_text(row, "element"))) &&
           (topic.size == 0 || stf_str_equal(topic, cli_peek_text(row, "topic"))) &&
           !stf_value_is_true(peek(row, "started"));
}

/* The first row of that list ("tasks") that the argument names. */
static cli_verdict find_place(cli_player *player, const char *list, const stf_value *argument,
                              place *ret_place)
{
    *ret_place = (place){.views = NULL};
    cli_verdict verdict = cli_player_look(player, &ret_place->views);
    for (size_t i = 0; verdict == CLI_VERDICT_PASSED && i < stf_value_count(ret_place->views);
         i++) {
        const stf_value *view = stf_value_peek_item(ret_place->views, i);
        const stf_value *rows = peek(view, list);
        for (size_t j = 0; j < stf_value_count(rows); j++) {
            const stf_value *row = stf_value_peek_item(rows, j);
            int64_t activation = 0;
            if (is_meant(row, argument) && matches_where(view, peek(argument, "where")) &&
                stf_value_get_int(peek(row, "activation"), &activation)) {
                ret_place->instance = cli_peek_text(view, "id");
                ret_place->activation = (uint64_t)activation;
                return CLI_VERDICT_PASSED;
            }
        }
    }
    if (verdict == CLI_VERDICT_PASSED) {
        stf_str element = cli_peek_text(argument, "element");
        stf_str topic = cli_peek_text(argument, "topic");
        verdict = cli_player_tell(player, CLI_VERDICT_FAILED, "none of the %s that wait is at %.*s",
                                  list, CLI_STR_ARG(element.size != 0 ? element : topic));
    }
    return verdict;
}

/* ---- Tasks and jobs ---------------------------------------------------------------------------
 */

static cli_verdict play_complete_task(cli_player *player, const stf_value *argument)
{
    place found;
    stf_error error = STF_ERROR_INIT;
    cli_verdict verdict = find_place(player, "tasks", argument, &found);
    if (verdict == CLI_VERDICT_PASSED) {
        stf_status status =
            stf_engine_complete_task(player->engine, &player->ctx, found.instance, found.activation,
                                     (stf_str){NULL, 0}, peek(argument, "variables"), &error);
        verdict = finish(player, status, &error);
    }
    (void)stf_value_unref(found.views);
    return verdict;
}

static cli_verdict answer_job(cli_player *player, const stf_value *argument,
                              const stf_answer *answer)
{
    place found;
    stf_error error = STF_ERROR_INIT;
    cli_verdict verdict = find_place(player, "jobs", argument, &found);
    if (verdict == CLI_VERDICT_PASSED) {
        stf_status status =
            stf_engine_answer_job(player->engine, &player->ctx, found.instance, found.activation,
                                  (stf_str){NULL, 0}, (stf_str){NULL, 0}, answer, &error);
        verdict = finish(player, status, &error);
    }
    (void)stf_value_unref(found.views);
    return verdict;
}

static cli_verdict play_complete_job(cli_player *player, const stf_value *argument)
{
    stf_answer answer = STF_ANSWER_INIT;
    answer.variables = peek(argument, "variables");
    return answer_job(player, argument, &answer);
}

static cli_verdict play_fail_job(cli_player *player, const stf_value *argument)
{
    int64_t retries = -1;
    (void)stf_value_get_int(peek(argument, "retries"), &retries);
    stf_answer answer = STF_ANSWER_INIT;
    answer.kind = STF_ANSWER_FAILED;
    answer.retries = retries < 0 || retries > INT32_MAX ? -1 : (int32_t)retries;
    answer.message = cli_peek_text(argument, "message");
    return answer_job(player, argument, &answer);
}

static cli_verdict play_bpmn_error(cli_player *player, const stf_value *argument)
{
    stf_answer answer = STF_ANSWER_INIT;
    answer.kind = STF_ANSWER_BPMN_ERROR;
    answer.code = cli_peek_text(argument, "code");
    answer.message = cli_peek_text(argument, "message");
    answer.variables = peek(argument, "variables");
    return answer_job(player, argument, &answer);
}

/* ---- Messages and variables -------------------------------------------------------------------
 */

static cli_verdict play_message(cli_player *player, const stf_value *argument)
{
    stf_error error = STF_ERROR_INIT;
    stf_message message = STF_MESSAGE_INIT;
    message.name = cli_peek_text(argument, "name");
    message.key = cli_peek_text(argument, "key");
    message.variables = peek(argument, "variables");
    stf_status status = stf_engine_publish(player->engine, &player->ctx, &message, NULL, &error);
    if (!stf_value_is_true(peek(argument, "unmatched"))) {
        return finish(player, status, &error);
    }
    if (status == STF_NOT_FOUND) {
        return CLI_VERDICT_PASSED;
    }
    return status == STF_OK
               ? cli_player_tell(player, CLI_VERDICT_FAILED, "somebody waited for message \"%.*s\"",
                                 CLI_STR_ARG(message.name))
               : cli_player_fail(player, &error);
}

static cli_verdict play_set_variables(cli_player *player, const stf_value *argument)
{
    stf_buf id;
    stf_error error = STF_ERROR_INIT;
    stf_buf_init(&id, NULL);
    cli_verdict verdict = cli_player_id(player, 1, &id);
    if (verdict == CLI_VERDICT_PASSED) {
        stf_status status = stf_engine_set_variables(player->engine, &player->ctx, stf_buf_str(&id),
                                                     cli_peek_text(argument, "scope"),
                                                     peek(argument, "variables"), &error);
        verdict = finish(player, status, &error);
    }
    stf_buf_done(&id);
    return verdict;
}

/* ---- The clock --------------------------------------------------------------------------------
 */

static cli_verdict read_target(cli_player *player, const stf_value *argument, stf_wall *ret_target)
{
    char text[64];
    int64_t duration_us = 0;
    stf_str duration = stf_value_peek_string(argument);
    if (duration.size != 0 && duration.size < sizeof text) {
        memcpy(text, duration.data, duration.size);
        text[duration.size] = '\0';
        if (cli_duration_parse(text, &duration_us)) {
            *ret_target = (stf_wall){cli_virtual_clock_now(&player->clock).us + duration_us};
            return CLI_VERDICT_PASSED;
        }
    }
    return cli_player_tell(player, CLI_VERDICT_BROKEN,
                           "\"%.*s\" is no duration of days, hours, minutes and seconds",
                           CLI_STR_ARG(duration));
}

static cli_verdict skip_clock(cli_player *player, const stf_value *argument)
{
    stf_wall target = stf_wall_none();
    cli_verdict verdict = read_target(player, argument, &target);
    if (verdict == CLI_VERDICT_PASSED) {
        cli_virtual_clock_set(&player->clock, target);
    }
    return verdict;
}

/* The earliest time that something wants to be looked at; none. */
static cli_verdict find_due(cli_player *player, stf_wall *ret_due)
{
    stf_value *views = NULL;
    cli_verdict verdict = cli_player_look(player, &views);
    *ret_due = stf_wall_none();
    for (size_t i = 0; verdict == CLI_VERDICT_PASSED && i < stf_value_count(views); i++) {
        stf_wall due;
        stf_str text = cli_peek_text(stf_value_peek_item(views, i), "due");
        if (text.size != 0 && stf_wall_parse(text, &due, NULL) == STF_OK &&
            (stf_wall_is_none(*ret_due) || due.us < ret_due->us)) {
            *ret_due = due;
        }
    }
    (void)stf_value_unref(views);
    return verdict;
}

/* Stops at each due time on the way, so that no timer is ever overdue. */
static cli_verdict play_clock(cli_player *player, const stf_value *argument)
{
    stf_wall target = stf_wall_none();
    cli_verdict verdict = read_target(player, argument, &target);
    for (;;) {
        stf_wall due = stf_wall_none();
        if (verdict == CLI_VERDICT_PASSED) {
            verdict = find_due(player, &due);
        }
        if (verdict != CLI_VERDICT_PASSED || stf_wall_is_none(due) || due.us > target.us) {
            break;
        }
        if (due.us > cli_virtual_clock_now(&player->clock).us) {
            cli_virtual_clock_set(&player->clock, due);
        }
        verdict = cli_player_rest(player);
        stf_wall left = stf_wall_none();
        if (verdict == CLI_VERDICT_PASSED && find_due(player, &left) == CLI_VERDICT_PASSED &&
            left.us == due.us && due.us <= cli_virtual_clock_now(&player->clock).us) {
            return cli_player_tell(player, CLI_VERDICT_FAILED,
                                   "something is due and nothing comes of it");
        }
    }
    if (verdict == CLI_VERDICT_PASSED) {
        cli_virtual_clock_set(&player->clock, target);
    }
    return verdict;
}

/* ---- The table --------------------------------------------------------------------------------
 */

static cli_verdict play_unsupported(cli_player *player, const stf_value *argument)
{
    (void)argument;
    return cli_player_tell(player, CLI_VERDICT_UNSUPPORTED,
                           "signals and decisions are not supported yet");
}

static const step_kind kinds[] = {
    {"start", play_start, skip_start},           {"complete_task", play_complete_task, NULL},
    {"complete_job", play_complete_job, NULL},   {"fail_job", play_fail_job, NULL},
    {"bpmn_error", play_bpmn_error, NULL},       {"message", play_message, NULL},
    {"set_variables", play_set_variables, NULL}, {"advance_clock", play_clock, skip_clock},
    {"signal", play_unsupported, NULL},          {"decide", play_unsupported, NULL},
};

static cli_verdict find_kind(cli_player *player, const stf_value *step, const step_kind **ret_kind,
                             const stf_value **ret_argument)
{
    stf_str name = cli_scenario_step_kind(step, ret_argument);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (stf_str_equal(name, stf_str_of(kinds[i].name))) {
            *ret_kind = &kinds[i];
            return CLI_VERDICT_PASSED;
        }
    }
    return cli_player_tell(player, CLI_VERDICT_BROKEN, "\"%.*s\" is no step that is known",
                           CLI_STR_ARG(name));
}

cli_verdict cli_player_step(cli_player *player, const stf_value *step)
{
    const step_kind *kind = NULL;
    const stf_value *argument = NULL;
    cli_verdict verdict = find_kind(player, step, &kind, &argument);
    return verdict == CLI_VERDICT_PASSED ? kind->play(player, argument) : verdict;
}

cli_verdict cli_player_skip(cli_player *player, const stf_value *step)
{
    const step_kind *kind = NULL;
    const stf_value *argument = NULL;
    cli_verdict verdict = find_kind(player, step, &kind, &argument);
    if (verdict != CLI_VERDICT_PASSED || kind->skip == NULL) {
        return verdict;
    }
    return kind->skip(player, argument);
}
