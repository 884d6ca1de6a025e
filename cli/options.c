/* SPDX-License-Identifier: Apache-2.0 */
/* See options.h. One setter per kind of option; which option has which kind and field is data. */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "file.h"
#include "output.h"

typedef struct option_row {
    cli_option_info info;
    bool (*set)(cli_options *options, size_t field, const char *name, const char *argument);
    size_t field; /* offset in cli_options */
} option_row;

static bool set_flag(cli_options *options, size_t field, const char *name, const char *argument)
{
    (void)name;
    (void)argument;
    *(bool *)((char *)options + field) = true;
    return true;
}

static bool set_text(cli_options *options, size_t field, const char *name, const char *argument)
{
    if (argument[0] == '\0') {
        cli_complain("--%s needs a value that is not empty", name);
        return false;
    }
    const char **text = (const char **)(void *)((char *)options + field);
    if (*text != NULL) {
        cli_complain("--%s is given twice", name);
        return false;
    }
    *text = argument;
    return true;
}

static bool set_count(cli_options *options, size_t field, const char *name, const char *argument)
{
    char *end = NULL;
    errno = 0;
    long long number = strtoll(argument, &end, 10);
    if (errno != 0 || end == argument || *end != '\0' || number < 1 || number > 1000000) {
        cli_complain("--%s needs a number from 1 to 1000000, not \"%s\"", name, argument);
        return false;
    }
    *(int64_t *)(void *)((char *)options + field) = number;
    return true;
}

static bool set_duration(cli_options *options, size_t field, const char *name, const char *argument)
{
    int64_t duration_us = 0;
    if (!cli_duration_parse(argument, &duration_us)) {
        cli_complain("--%s needs a duration such as 500ms, 30s, 5m or PT1M30S, not \"%s\"", name,
                     argument);
        return false;
    }
    *(int64_t *)(void *)((char *)options + field) = duration_us;
    return true;
}

static bool set_handler(cli_options *options, size_t field, const char *name, const char *argument)
{
    (void)field;
    const char *equals = strchr(argument, '=');
    if (equals == NULL || equals == argument || equals[1] == '\0') {
        cli_complain("--%s needs TOPIC=COMMAND, not \"%s\"", name, argument);
        return false;
    }
    if (options->handlers.count == CLI_HANDLERS_MAX) {
        cli_complain("more than %d handlers", CLI_HANDLERS_MAX);
        return false;
    }
    cli_handler_option *item = &options->handlers.items[options->handlers.count];
    item->topic = (stf_str){argument, (size_t)(equals - argument)};
    item->command.command = equals + 1;
    options->handlers.count++;
    return true;
}

static bool merge(cli_options *options, stf_str key, stf_value *value)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *merged = NULL;
    if (stf_value_with(NULL, options->variables, key, value, &merged, &error) != STF_OK) {
        cli_complain("variable %.*s: %s", (int)key.size, key.data, error.message);
        return false;
    }
    stf_value_unref(options->variables);
    options->variables = merged;
    return true;
}

static bool set_variable(cli_options *options, size_t field, const char *name, const char *argument)
{
    (void)field;
    const char *equals = strchr(argument, '=');
    if (equals == NULL || equals == argument) {
        cli_complain("--%s needs NAME=VALUE, not \"%s\"", name, argument);
        return false;
    }
    stf_value *value = NULL;
    stf_error error = STF_ERROR_INIT;
    stf_str text = stf_str_of(equals + 1);
    stf_status status = stf_value_parse_json(NULL, text, &value, &error);
    if (status == STF_PARSE) {
        status = stf_value_new_string(NULL, text, &value, &error);
    }
    if (status != STF_OK) {
        cli_complain("--%s %s: %s", name, argument, error.message);
        return false;
    }
    bool is_merged = merge(options, (stf_str){argument, (size_t)(equals - argument)}, value);
    stf_value_unref(value);
    return is_merged;
}

/* The values are referenced. */
static size_t copy_entries(const stf_value *object, stf_str *keys, stf_value **values)
{
    size_t count = stf_value_count(object);
    for (size_t i = 0; i < count; i++) {
        keys[i] = stf_value_peek_key(object, i);
        values[i] = stf_value_ref(stf_value_peek(object, keys[i]));
    }
    return count;
}

/* All at once: one by one would copy what is there for each. */
static bool merge_entries(cli_options *options, const char *name, const stf_value *object)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *merged = NULL;
    size_t count = 0;
    size_t room = stf_value_count(options->variables) + stf_value_count(object) + 1;
    stf_str *keys = calloc(room, sizeof *keys);
    stf_value **values = calloc(room, sizeof(stf_value *));
    stf_status status = STF_NO_MEMORY;
    if (keys != NULL && values != NULL) {
        count = copy_entries(options->variables, keys, values);
        count += copy_entries(object, keys + count, values + count);
        status = stf_value_new_context(NULL, keys, values, count, &merged, &error);
    }
    for (size_t i = 0; i < count; i++) {
        stf_value_unref(values[i]);
    }
    free(keys);
    free(values);
    if (status != STF_OK) {
        cli_complain("--%s: %s", name, stf_status_text(status));
        return false;
    }
    stf_value_unref(options->variables);
    options->variables = merged;
    return true;
}

static bool merge_all(cli_options *options, const char *name, stf_str json)
{
    stf_value *object = NULL;
    stf_error error = STF_ERROR_INIT;
    if (stf_value_parse_json(NULL, json, &object, &error) != STF_OK) {
        cli_complain("--%s: %s", name, error.message);
        return false;
    }
    bool is_merged = stf_value_get_kind(object) == STF_VALUE_CONTEXT;
    if (!is_merged) {
        cli_complain("--%s needs a JSON object", name);
    }
    if (is_merged && options->variables == NULL) {
        options->variables = stf_value_ref(object);
    } else if (is_merged) {
        is_merged = merge_entries(options, name, object);
    }
    stf_value_unref(object);
    return is_merged;
}

static bool set_variables(cli_options *options, size_t field, const char *name,
                          const char *argument)
{
    (void)field;
    if (argument[0] != '@') {
        return merge_all(options, name, stf_str_of(argument));
    }
    stf_buf text;
    stf_buf_init(&text, NULL);
    bool is_merged = cli_file_read(argument + 1, STF_LIMIT_VALUE_BYTES, &text) == CLI_EXIT_OK &&
                     merge_all(options, name, stf_buf_str(&text));
    stf_buf_done(&text);
    return is_merged;
}

#define SETTER_FLAG set_flag
#define SETTER_TEXT set_text
#define SETTER_COUNT set_count
#define SETTER_DURATION set_duration
#define SETTER_HANDLER set_handler
#define SETTER_VARIABLE set_variable
#define SETTER_VARIABLES set_variables

static const option_row rows[CLI_OPTION_COUNT] = {
#define CLI_OPTION(bit, name, argument, kind, field, help)                                         \
    {{name, argument, help}, SETTER_##kind, offsetof(cli_options, field)},
#include "options.def"
#undef CLI_OPTION
};

const cli_option_info *cli_option_get_info(cli_option_number number)
{
    return &rows[number].info;
}

/* How many single-letter edits make one text of the other, up to 63 letters. */
static size_t edit_distance(const char *a, size_t a_size, const char *b)
{
    enum {
        LETTERS_MAX = 63
    };
    size_t b_size = strlen(b);
    if (a_size > LETTERS_MAX || b_size > LETTERS_MAX) {
        return LETTERS_MAX;
    }
    size_t row[LETTERS_MAX + 1];
    for (size_t j = 0; j <= b_size; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a_size; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1] ? 1 : 0);
            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
    }
    return row[b_size];
}

static void complain_unknown(const char *argument, size_t size, uint64_t allowed)
{
    const char *nearest = NULL;
    size_t best = 4; /* further away is no help */
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++) {
        size_t distance = edit_distance(argument, size, rows[i].info.name);
        if ((allowed & (UINT64_C(1) << i)) != 0 && distance < best) {
            best = distance;
            nearest = rows[i].info.name;
        }
    }
    if (nearest != NULL) {
        cli_complain("unknown option --%.*s; did you mean --%s?", (int)size, argument, nearest);
    } else {
        cli_complain("unknown option --%.*s", (int)size, argument);
    }
}

static const option_row *find_row(const char *name, size_t size, uint64_t allowed)
{
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++) {
        if ((allowed & (UINT64_C(1) << i)) != 0 && strlen(rows[i].info.name) == size &&
            memcmp(rows[i].info.name, name, size) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

/* Takes the option at *index and moves *index to its last word. */
static bool take_option(int count, char *const *arguments, int *index, uint64_t allowed,
                        cli_options *options)
{
    const char *name = arguments[*index] + 2;
    const char *equals = strchr(name, '=');
    size_t size = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const option_row *row = find_row(name, size, allowed);
    if (row == NULL) {
        complain_unknown(name, size, allowed);
        return false;
    }
    const char *argument = equals != NULL ? equals + 1 : NULL;
    if (row->info.argument == NULL && argument != NULL) {
        cli_complain("--%s takes no value", row->info.name);
        return false;
    }
    if (row->info.argument != NULL && argument == NULL) {
        if (*index + 1 >= count) {
            cli_complain("--%s needs %s", row->info.name, row->info.argument);
            return false;
        }
        (*index)++;
        argument = arguments[*index];
    }
    return row->set(options, row->field, row->info.name, argument);
}

bool cli_options_parse(int count, char *const *arguments, uint64_t allowed,
                       cli_options *ret_options)
{
    bool has_ended = false; /* after "--" */
    for (int i = 0; i < count; i++) {
        const char *word = arguments[i];
        if (!has_ended && strcmp(word, "--") == 0) {
            has_ended = true;
        } else if (!has_ended && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            ret_options->is_help = true;
            return true;
        } else if (!has_ended && strncmp(word, "--", 2) == 0) {
            if (!take_option(count, arguments, &i, allowed, ret_options)) {
                return false;
            }
        } else if (!has_ended && word[0] == '-' && word[1] != '\0') {
            cli_complain("unknown option %s", word);
            return false;
        } else if (ret_options->positional_count == CLI_POSITIONAL_MAX) {
            cli_complain("more than %d arguments", CLI_POSITIONAL_MAX);
            return false;
        } else {
            ret_options->positional[ret_options->positional_count] = word;
            ret_options->positional_count++;
        }
    }
    return true;
}

void cli_options_done(cli_options *options)
{
    options->variables = stf_value_unref(options->variables);
}
