/* SPDX-License-Identifier: Apache-2.0 */
/* See scenario_player.h. */
#include "scenario_player.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "file.h"
#include "output.h"

enum {
    PAGE = 500,
    TURNS_MAX = 100000 /* without coming to rest: something goes round in circles */
};

static const char default_clock[] = "2026-01-01T00:00:00Z";

/* ---- Reports ----------------------------------------------------------------------------------
 */

cli_verdict cli_player_tell(cli_player *player, cli_verdict verdict, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (player->step != 0) {
        (void)!stf_buf_printf(player->report, "step %zu: ", player->step);
    }
    (void)!stf_buf_printf(player->report, "%s\n", line);
    return verdict;
}

cli_verdict cli_player_fail(cli_player *player, const stf_error *error)
{
    bool is_refusal = error->status == STF_NOT_FOUND || error->status == STF_INVALID_STATE ||
                      error->status == STF_INVALID_ARGUMENT;
    return cli_player_tell(player, is_refusal ? CLI_VERDICT_FAILED : CLI_VERDICT_BROKEN, "%s",
                           error->message);
}

/* ---- The engine -------------------------------------------------------------------------------
 */

static stf_status open_engine(cli_player *player, stf_error *error)
{
    stf_engine_options options = STF_ENGINE_OPTIONS_INIT;
    options.id = "test";
    options.group = stf_buf_c_str(&player->group);
    options.flags = STF_ENGINE_JOURNAL;
    options.repository = player->store.repository;
    options.definitions = player->store.definitions;
    options.clock = &player->clock.port;
    stf_status status = stf_engine_new(&options, &player->engine, error);
    return status == STF_OK ? stf_engine_start(player->engine, &player->ctx, error) : status;
}

/* Without patience: what is on its way stays in the store. */
static void drop_engine(cli_player *player)
{
    stf_ctx now = STF_CTX_INIT;
    now.flags = STF_CTX_HAS_DEADLINE;
    now.clock = &player->clock.port;
    now.deadline = player->clock.port.mono(player->clock.port.user);
    player->engine = stf_engine_close(player->engine, &now);
}

cli_verdict cli_player_after_save(cli_player *player)
{
    stf_error error = STF_ERROR_INIT;
    if (!player->options->is_restoring || player->totals.saves == player->seen_saves) {
        return CLI_VERDICT_PASSED;
    }
    drop_engine(player);
    stf_status status = open_engine(player, &error);
    player->seen_saves = player->totals.saves;
    return status == STF_OK ? CLI_VERDICT_PASSED : cli_player_fail(player, &error);
}

cli_verdict cli_player_rest(cli_player *player)
{
    stf_error error = STF_ERROR_INIT;
    cli_verdict verdict = CLI_VERDICT_PASSED;
    for (size_t i = 0; verdict == CLI_VERDICT_PASSED && i < TURNS_MAX; i++) {
        bool did = false;
        if (stf_engine_step(player->engine, &player->ctx, &did, &error) != STF_OK) {
            return cli_player_fail(player, &error);
        }
        if (!did) {
            return CLI_VERDICT_PASSED;
        }
        verdict = cli_player_after_save(player);
    }
    return verdict != CLI_VERDICT_PASSED
               ? verdict
               : cli_player_tell(player, CLI_VERDICT_FAILED,
                                 "the engine does not come to rest (%d turns)", TURNS_MAX);
}

/* ---- Instances --------------------------------------------------------------------------------
 */

cli_verdict cli_player_id(cli_player *player, size_t number, stf_buf *buf)
{
    stf_str group = stf_buf_str(&player->group);
    if (stf_buf_printf(buf, "%.*s#%zu", CLI_STR_ARG(group), number) != STF_OK) {
        return cli_player_tell(player, CLI_VERDICT_BROKEN, "out of memory");
    }
    return CLI_VERDICT_PASSED;
}

/* Appends the items of a page to a list. */
static stf_status join_lists(stf_value **list, const stf_value *page, stf_error *error)
{
    enum {
        VIEWS_MAX = 2000
    };
    stf_value *items[VIEWS_MAX];
    size_t count = 0;
    const stf_value *parts[] = {*list, page};
    for (size_t p = 0; p < 2; p++) {
        for (size_t i = 0; i < stf_value_count(parts[p]); i++) {
            if (count == VIEWS_MAX) {
                return stf_error_set(error, STF_LIMIT_EXCEEDED, "CLI",
                                     "the run has more than %d instances", VIEWS_MAX);
            }
            items[count++] = stf_value_ref(stf_value_peek_item(parts[p], i));
        }
    }
    stf_value *joined = NULL;
    stf_status status = stf_value_new_list(NULL, items, count, &joined, error);
    for (size_t i = 0; i < count; i++) {
        (void)stf_value_unref(items[i]);
    }
    if (status == STF_OK) {
        (void)stf_value_unref(*list);
        *list = joined;
    }
    return status;
}

cli_verdict cli_player_look(cli_player *player, stf_value **ret_views)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *all = NULL;
    stf_status status = stf_value_new_list(NULL, NULL, 0, &all, &error);
    for (bool is_over = false; status == STF_OK && !is_over;) {
        size_t count = stf_value_count(all);
        const stf_value *last = count != 0 ? stf_value_peek_item(all, count - 1) : NULL;
        stf_instance_query query = {.after_id = cli_peek_text(last, "id"), .limit = PAGE};
        stf_value *page = NULL;
        status = stf_engine_list_instances(player->engine, &player->ctx, &query, &page, &error);
        if (status == STF_OK) {
            is_over = stf_value_count(page) == 0;
            status = join_lists(&all, page, &error);
        }
        (void)stf_value_unref(page);
    }
    if (status != STF_OK) {
        (void)stf_value_unref(all);
        return cli_player_fail(player, &error);
    }
    *ret_views = all;
    return CLI_VERDICT_PASSED;
}

/* ---- Models -----------------------------------------------------------------------------------
 */

static bool ends_in(stf_str text, const char *suffix)
{
    size_t size = strlen(suffix);
    return text.size >= size && memcmp(text.data + text.size - size, suffix, size) == 0;
}

static cli_verdict tell_refusal(cli_player *player, stf_str file,
                                const stf_diagnostics *diagnostics, const stf_error *error)
{
    bool is_unsupported = error->status == STF_UNSUPPORTED;
    stf_severity wanted = is_unsupported ? STF_SEVERITY_UNSUPPORTED : STF_SEVERITY_ERROR;
    cli_verdict verdict = is_unsupported ? CLI_VERDICT_UNSUPPORTED : CLI_VERDICT_FAILED;
    bool is_told = false;
    for (size_t i = 0; i < stf_diagnostics_count(diagnostics); i++) {
        const stf_diagnostic *row = stf_diagnostics_at(diagnostics, i);
        if (row->severity == (uint32_t)wanted) {
            is_told = true;
            (void)cli_player_tell(player, verdict, "%.*s:%u: [%.*s] %.*s", CLI_STR_ARG(file),
                                  row->line, CLI_STR_ARG(row->element), CLI_STR_ARG(row->message));
        }
    }
    return is_told ? verdict : cli_player_tell(player, verdict, "%s", error->message);
}

static cli_verdict deploy(cli_player *player, stf_str file)
{
    stf_buf path;
    stf_buf content;
    stf_error error = STF_ERROR_INIT;
    stf_diagnostics *diagnostics = NULL;
    cli_verdict verdict = CLI_VERDICT_PASSED;
    if (ends_in(file, ".dmn")) {
        return cli_player_tell(player, CLI_VERDICT_UNSUPPORTED,
                               "%.*s: decisions are not supported yet", CLI_STR_ARG(file));
    }
    stf_buf_init(&path, NULL);
    stf_buf_init(&content, NULL);
    stf_str directory = player->run->file->directory;
    if (stf_buf_printf(&path, "%.*s%.*s", CLI_STR_ARG(directory), CLI_STR_ARG(file)) != STF_OK) {
        verdict = cli_player_tell(player, CLI_VERDICT_BROKEN, "out of memory");
    } else if (cli_file_read(stf_buf_c_str(&path), STF_LIMIT_XML_BYTES, &content) != CLI_EXIT_OK) {
        verdict =
            cli_player_tell(player, CLI_VERDICT_BROKEN, "%.*s cannot be read", CLI_STR_ARG(file));
    } else if (stf_diagnostics_new(NULL, &diagnostics, &error) != STF_OK) {
        verdict = cli_player_fail(player, &error);
    } else if (stf_engine_deploy(player->engine, &player->ctx, stf_buf_bytes(&content), diagnostics,
                                 NULL, NULL, &error) != STF_OK) {
        verdict = tell_refusal(player, file, diagnostics, &error);
    }
    diagnostics = stf_diagnostics_free(diagnostics);
    stf_buf_done(&content);
    stf_buf_done(&path);
    return verdict;
}

static cli_verdict deploy_all(cli_player *player)
{
    const stf_value *with = stf_value_peek(player->run->scenario, stf_str_of("with"));
    cli_verdict verdict = deploy(player, cli_peek_text(player->run->scenario, "file"));
    for (size_t i = 0; verdict == CLI_VERDICT_PASSED && i < stf_value_count(with); i++) {
        verdict = deploy(player, stf_value_peek_string(stf_value_peek_item(with, i)));
    }
    return verdict;
}

/* ---- The run ----------------------------------------------------------------------------------
 */

static cli_verdict open_all(cli_player *player)
{
    stf_wall start;
    stf_error error = STF_ERROR_INIT;
    stf_str clock = cli_peek_text(player->run->run, "clock");
    if (clock.size == 0) {
        clock = cli_peek_text(player->run->scenario, "clock");
    }
    if (stf_wall_parse(clock.size != 0 ? clock : stf_str_of(default_clock), &start, &error) !=
            STF_OK ||
        stf_buf_printf(&player->group, "%.*s/%.*s", CLI_STR_ARG(player->run->id),
                       CLI_STR_ARG(player->run->name)) != STF_OK) {
        return cli_player_tell(player, CLI_VERDICT_BROKEN, "%s", error.message);
    }
    cli_virtual_clock_init(&player->clock, start);
    uint32_t flags = player->options->first_step > 1 ? STF_SQLITE_MUST_EXIST : 0;
    if (cli_store_open_at(&player->ctx, player->options->store, flags, &player->clock.port,
                          &player->store, &error) != STF_OK ||
        cli_store_count(player->store.repository, &player->totals, &player->store.repository,
                        &error) != STF_OK ||
        open_engine(player, &error) != STF_OK) {
        return cli_player_tell(player, CLI_VERDICT_BROKEN, "%s", error.message);
    }
    return CLI_VERDICT_PASSED;
}

static cli_verdict play_step(cli_player *player, const stf_value *step)
{
    cli_verdict verdict = cli_player_step(player, step);
    if (verdict == CLI_VERDICT_PASSED) {
        verdict = cli_player_rest(player);
    }
    const stf_value *expect = stf_value_peek(step, stf_str_of("expect"));
    if (verdict == CLI_VERDICT_PASSED && expect != NULL) {
        verdict = cli_player_expect(player, expect);
    }
    return verdict;
}

static cli_verdict play_steps(cli_player *player)
{
    const stf_value *steps = stf_value_peek(player->run->run, stf_str_of("steps"));
    const stf_value *expect = stf_value_peek(player->run->run, stf_str_of("expect"));
    size_t count = stf_value_count(steps);
    size_t last = player->options->last_step;
    last = last == 0 || last > count ? count : last;
    cli_verdict verdict = CLI_VERDICT_PASSED;
    for (size_t i = 0; verdict == CLI_VERDICT_PASSED && i < last; i++) {
        const stf_value *step = stf_value_peek_item(steps, i);
        player->step = i + 1;
        verdict = i + 1 < player->options->first_step ? cli_player_skip(player, step)
                                                      : play_step(player, step);
    }
    player->step = 0;
    if (verdict == CLI_VERDICT_PASSED && last == count && expect != NULL) {
        verdict = cli_player_expect(player, expect);
    }
    return verdict;
}

cli_verdict cli_scenario_play(const cli_play_options *options, const cli_scenario_run *run,
                              stf_buf *report)
{
    cli_player player = {.options = options, .run = run, .ctx = STF_CTX_INIT, .report = report};
    player.ctx.cancel = options->cancel;
    stf_buf_init(&player.group, NULL);
    cli_verdict verdict = open_all(&player);
    if (verdict == CLI_VERDICT_PASSED && options->first_step <= 1) {
        verdict = deploy_all(&player);
    }
    if (verdict == CLI_VERDICT_PASSED) {
        verdict = play_steps(&player);
    }
    if (player.engine != NULL) {
        drop_engine(&player);
    }
    cli_store_close(&player.store);
    stf_buf_done(&player.group);
    return verdict;
}
