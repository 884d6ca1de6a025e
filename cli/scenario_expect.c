/* SPDX-License-Identifier: Apache-2.0 */
/* What a scenario expects, judged against the instances as the engine shows them and against their
 * histories, as one table. Only what is listed is judged. */
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "scenario_player.h"

enum {
    HISTORY_PAGE = 1000
};

/* A growing list of texts. Owned, because the values they come from go. */
typedef struct names {
    stf_buf *items;
    size_t count;
    size_t room;
} names;

typedef struct observation {
    cli_player *player;
    stf_value *views;
    names completed; /* in order, over all instances; read when first asked for */
    bool has_history;
} observation;

static const stf_value *peek(const stf_value *context, const char *key)
{
    return stf_value_peek(context, stf_str_of(key));
}

/* ---- Lists of names ---------------------------------------------------------------------------
 */

static bool names_add(names *list, stf_str text)
{
    if (list->count == list->room) {
        size_t room = list->room != 0 ? 2 * list->room : 16;
        stf_buf *grown = realloc(list->items, room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        list->items = grown;
        list->room = room;
    }
    stf_buf_init(&list->items[list->count], NULL);
    list->count++;
    return stf_buf_append_str(&list->items[list->count - 1], text) == STF_OK;
}

static void names_done(names *list)
{
    for (size_t i = 0; i < list->count; i++) {
        stf_buf_done(&list->items[i]);
    }
    free(list->items);
    *list = (names){.items = NULL};
}

static int compare_names(const void *a, const void *b)
{
    return stf_str_compare(stf_buf_str(a), stf_buf_str(b));
}

static void names_sort(names *list)
{
    if (list->count > 1) {
        qsort(list->items, list->count, sizeof *list->items, compare_names);
    }
}

static size_t names_count(const names *list, stf_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        count += stf_str_equal(stf_buf_str(&list->items[i]), text) ? 1 : 0;
    }
    return count;
}

static void join_names(const names *list, stf_buf *buf)
{
    for (size_t i = 0; i < list->count; i++) {
        stf_str text = stf_buf_str(&list->items[i]);
        (void)!stf_buf_printf(buf, "%s%.*s", i == 0 ? "" : ", ", CLI_STR_ARG(text));
    }
}

static bool read_names(const stf_value *list, names *ret_names)
{
    bool is_whole = true;
    for (size_t i = 0; i < stf_value_count(list); i++) {
        is_whole =
            is_whole && names_add(ret_names, stf_value_peek_string(stf_value_peek_item(list, i)));
    }
    return is_whole;
}

static cli_verdict no_memory(cli_player *player)
{
    return cli_player_tell(player, CLI_VERDICT_BROKEN, "out of memory");
}

/* Both lists are sorted here. */
static cli_verdict compare_bags(cli_player *player, const char *what, names *wanted, names *got)
{
    stf_buf text;
    bool is_equal = wanted->count == got->count;
    names_sort(wanted);
    names_sort(got);
    for (size_t i = 0; is_equal && i < got->count; i++) {
        is_equal = compare_names(&wanted->items[i], &got->items[i]) == 0;
    }
    if (is_equal) {
        return CLI_VERDICT_PASSED;
    }
    stf_buf_init(&text, NULL);
    (void)!stf_buf_printf(&text, "%s: wanted [", what);
    join_names(wanted, &text);
    (void)!stf_buf_printf(&text, "], got [");
    join_names(got, &text);
    cli_verdict verdict =
        cli_player_tell(player, CLI_VERDICT_FAILED, "%.*s]", CLI_STR_ARG(stf_buf_str(&text)));
    stf_buf_done(&text);
    return verdict;
}

/* ---- Histories --------------------------------------------------------------------------------
 */

static cli_verdict read_history(observation *seen, stf_str instance)
{
    cli_player *player = seen->player;
    stf_history_query query = {.limit = HISTORY_PAGE};
    for (;;) {
        stf_value *page = NULL;
        stf_error error = STF_ERROR_INIT;
        if (stf_engine_get_history(player->engine, &player->ctx, instance, &query, &page, &error) !=
            STF_OK) {
            return cli_player_fail(player, &error);
        }
        size_t count = stf_value_count(page);
        bool is_whole = true;
        for (size_t i = 0; i < count; i++) {
            const stf_value *row = stf_value_peek_item(page, i);
            int64_t version = 0;
            int64_t position = 0;
            (void)stf_value_get_int(peek(row, "version"), &version);
            (void)stf_value_get_int(peek(row, "position"), &position);
            query.after_version = version;
            query.after_position = (uint64_t)position;
            if (stf_str_equal(cli_peek_text(row, "fact"), stf_str_of("NODE_COMPLETED"))) {
                is_whole = is_whole && names_add(&seen->completed, cli_peek_text(row, "element"));
            }
        }
        (void)stf_value_unref(page);
        if (!is_whole) {
            return no_memory(player);
        }
        if (count == 0) {
            return CLI_VERDICT_PASSED;
        }
    }
}

static cli_verdict read_histories(observation *seen)
{
    cli_verdict verdict = CLI_VERDICT_PASSED;
    for (size_t i = 0;
         verdict == CLI_VERDICT_PASSED && !seen->has_history && i < stf_value_count(seen->views);
         i++) {
        verdict = read_history(seen, cli_peek_text(stf_value_peek_item(seen->views, i), "id"));
    }
    seen->has_history = verdict == CLI_VERDICT_PASSED;
    return verdict;
}

/* ---- Judges -----------------------------------------------------------------------------------
 */

/* What every instance has of something, as a multiset. add: what one instance has; false: no
 * memory.
 */
static cli_verdict judge_bag(observation *seen, const char *what, const stf_value *expected,
                             bool (*add)(const stf_value *view, names *got))
{
    names wanted = {.items = NULL};
    names got = {.items = NULL};
    bool is_whole = read_names(expected, &wanted);
    for (size_t i = 0; is_whole && i < stf_value_count(seen->views); i++) {
        is_whole = add(stf_value_peek_item(seen->views, i), &got);
    }
    cli_verdict verdict =
        is_whole ? compare_bags(seen->player, what, &wanted, &got) : no_memory(seen->player);
    names_done(&wanted);
    names_done(&got);
    return verdict;
}

static bool add_waiting(const stf_value *view, names *got)
{
    return read_names(peek(view, "waiting"), got);
}

static cli_verdict judge_waiting(observation *seen, const stf_value *expected)
{
    return judge_bag(seen, "waiting", expected, add_waiting);
}

static bool add_open_incidents(const stf_value *view, names *got)
{
    const stf_value *incidents = peek(view, "incidents");
    bool is_whole = true;
    for (size_t i = 0; is_whole && i < stf_value_count(incidents); i++) {
        const stf_value *incident = stf_value_peek_item(incidents, i);
        bool is_open = cli_peek_text(incident, "retry").size == 0;
        is_whole = !is_open || names_add(got, cli_peek_text(incident, "element"));
    }
    return is_whole;
}

static cli_verdict judge_incident_at(observation *seen, const stf_value *expected)
{
    return judge_bag(seen, "incident_at", expected, add_open_incidents);
}

static cli_verdict judge_completed(observation *seen, const stf_value *expected)
{
    names wanted = {.items = NULL};
    cli_verdict verdict = read_histories(seen);
    if (verdict == CLI_VERDICT_PASSED && !read_names(expected, &wanted)) {
        verdict = no_memory(seen->player);
    }
    names_sort(&wanted);
    for (size_t i = 0; verdict == CLI_VERDICT_PASSED && i < wanted.count; i++) {
        stf_str element = stf_buf_str(&wanted.items[i]);
        size_t want = names_count(&wanted, element);
        size_t got = names_count(&seen->completed, element);
        if (want != got) {
            verdict = cli_player_tell(seen->player, CLI_VERDICT_FAILED,
                                      "completed: wanted %.*s %zu times, got it %zu times",
                                      CLI_STR_ARG(element), want, got);
        }
    }
    names_done(&wanted);
    return verdict;
}

static cli_verdict judge_not_completed(observation *seen, const stf_value *expected)
{
    cli_verdict verdict = read_histories(seen);
    for (size_t i = 0; verdict == CLI_VERDICT_PASSED && i < stf_value_count(expected); i++) {
        stf_str element = stf_value_peek_string(stf_value_peek_item(expected, i));
        size_t got = names_count(&seen->completed, element);
        if (got != 0) {
            verdict = cli_player_tell(seen->player, CLI_VERDICT_FAILED,
                                      "not_completed: %.*s was completed %zu times",
                                      CLI_STR_ARG(element), got);
        }
    }
    return verdict;
}

static cli_verdict judge_order(observation *seen, const stf_value *expected)
{
    cli_verdict verdict = read_histories(seen);
    size_t at = 0;
    for (size_t i = 0; verdict == CLI_VERDICT_PASSED && i < stf_value_count(expected); i++) {
        stf_str element = stf_value_peek_string(stf_value_peek_item(expected, i));
        while (at < seen->completed.count &&
               !stf_str_equal(stf_buf_str(&seen->completed.items[at]), element)) {
            at++;
        }
        if (at == seen->completed.count) {
            verdict = cli_player_tell(seen->player, CLI_VERDICT_FAILED,
                                      "order: %.*s was not completed after those before it",
                                      CLI_STR_ARG(element));
        }
        at++;
    }
    return verdict;
}

/* The view of an instance that the run started; NULL: there is none. */
static const stf_value *find_started(const observation *seen, size_t number)
{
    stf_buf id;
    const stf_value *found = NULL;
    stf_buf_init(&id, NULL);
    if (cli_player_id(seen->player, number, &id) == CLI_VERDICT_PASSED) {
        for (size_t i = 0; i < stf_value_count(seen->views); i++) {
            const stf_value *view = stf_value_peek_item(seen->views, i);
            if (stf_str_equal(cli_peek_text(view, "id"), stf_buf_str(&id))) {
                found = view;
            }
        }
    }
    stf_buf_done(&id);
    return found;
}

static cli_verdict judge_variables(observation *seen, const stf_value *expected)
{
    const stf_value *got = peek(find_started(seen, 1), "variables");
    for (size_t i = 0; i < stf_value_count(expected); i++) {
        stf_str name = stf_value_peek_key(expected, i);
        const stf_value *wanted = stf_value_peek(expected, name);
        const stf_value *is = stf_value_peek(got, name);
        bool is_to_be_unset = stf_str_equal(stf_value_peek_string(wanted), stf_str_of("<unset>"));
        if (is_to_be_unset ? is == NULL : is != NULL && stf_value_equal(is, wanted)) {
            continue;
        }
        stf_buf text;
        stf_buf_init(&text, NULL);
        (void)!stf_buf_printf(&text, "variables: %.*s: wanted ", CLI_STR_ARG(name));
        (void)!stf_value_write_json(wanted, false, &text, NULL);
        (void)!stf_buf_printf(&text, ", got ");
        if (is != NULL) {
            (void)!stf_value_write_json(is, false, &text, NULL);
        } else {
            (void)!stf_buf_printf(&text, "no such variable");
        }
        cli_verdict verdict = cli_player_tell(seen->player, CLI_VERDICT_FAILED, "%.*s",
                                              CLI_STR_ARG(stf_buf_str(&text)));
        stf_buf_done(&text);
        return verdict;
    }
    return CLI_VERDICT_PASSED;
}

static cli_verdict judge_end(observation *seen, const stf_value *expected)
{
    stf_str wanted = stf_value_peek_string(expected);
    if (seen->player->started == 0) {
        return cli_player_tell(seen->player, CLI_VERDICT_FAILED, "end: no instance was started");
    }
    for (size_t i = 1; i <= seen->player->started; i++) {
        stf_str got = cli_peek_text(find_started(seen, i), "status");
        if (!stf_str_equal(got, wanted)) {
            return cli_player_tell(seen->player, CLI_VERDICT_FAILED,
                                   "end: wanted %.*s, instance %zu is %.*s", CLI_STR_ARG(wanted), i,
                                   CLI_STR_ARG(got));
        }
    }
    return CLI_VERDICT_PASSED;
}

static cli_verdict judge_instances(observation *seen, const stf_value *expected)
{
    int64_t wanted = 0;
    size_t got = stf_value_count(seen->views);
    if (stf_value_get_int(expected, &wanted) && wanted >= 0 && (uint64_t)wanted == got) {
        return CLI_VERDICT_PASSED;
    }
    return cli_player_tell(seen->player, CLI_VERDICT_FAILED, "instances: wanted %lld, got %zu",
                           (long long)wanted, got);
}

static cli_verdict judge_unsupported(observation *seen, const stf_value *expected)
{
    (void)expected;
    return cli_player_tell(seen->player, CLI_VERDICT_UNSUPPORTED,
                           "decisions are not supported yet");
}

/* ---- The table --------------------------------------------------------------------------------
 */

typedef struct judge {
    const char *name;
    cli_verdict (*judge)(observation *seen, const stf_value *expected);
} judge;

static const judge judges[] = {
    {"waiting", judge_waiting},
    {"completed", judge_completed},
    {"not_completed", judge_not_completed},
    {"order", judge_order},
    {"variables", judge_variables},
    {"end", judge_end},
    {"incident_at", judge_incident_at},
    {"instances", judge_instances},
    {"decision", judge_unsupported},
};

static cli_verdict judge_one(observation *seen, stf_str name, const stf_value *expected)
{
    for (size_t i = 0; i < sizeof judges / sizeof judges[0]; i++) {
        if (stf_str_equal(name, stf_str_of(judges[i].name))) {
            return judges[i].judge(seen, expected);
        }
    }
    return cli_player_tell(seen->player, CLI_VERDICT_BROKEN,
                           "\"%.*s\" is nothing that can be expected", CLI_STR_ARG(name));
}

/* All of them, so that a report shows the whole difference; the worst counts. */
cli_verdict cli_player_expect(cli_player *player, const stf_value *expect)
{
    observation seen = {.player = player};
    cli_verdict verdict = cli_player_look(player, &seen.views);
    for (size_t i = 0; verdict != CLI_VERDICT_BROKEN && i < stf_value_count(expect); i++) {
        stf_str name = stf_value_peek_key(expect, i);
        cli_verdict one = judge_one(&seen, name, stf_value_peek(expect, name));
        verdict = one > verdict ? one : verdict;
    }
    names_done(&seen.completed);
    (void)stf_value_unref(seen.views);
    return verdict;
}
