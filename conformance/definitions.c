/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the definition store. */
#include "harness.h"

#include <pthread.h>

static stf_definition definition_of(const char *key, const char *file)
{
    return (stf_definition){
        .group = stf_str_of("g"), .key = stf_str_of(key), .file = stf__conf_bytes(file)};
}

static void put(stf__conf *t, const stf_definition *definition, int64_t wanted_version,
                bool wanted_new)
{
    int64_t version = 0;
    bool is_new = !wanted_new;
    EXPECT_OK(t, stf_definition_store_put(t->definitions, NULL, definition, &version, &is_new,
                                          stf__conf_error(t)));
    EXPECT(t, version == wanted_version && is_new == wanted_new,
           "version %lld, new %d instead of %lld, %d", (long long)version, (int)is_new,
           (long long)wanted_version, (int)wanted_new);
}

static void put_text(stf__conf *t, const char *key, const char *file, int64_t wanted_version,
                     bool wanted_new)
{
    stf_definition definition = definition_of(key, file);
    put(t, &definition, wanted_version, wanted_new);
}

typedef struct listed {
    char text[256]; /* "tenant/key/version=file " for each */
    size_t count;
    stf_wall deployed;
} listed;

static void append(listed *list, const void *data, size_t size)
{
    size_t used = strlen(list->text);
    size_t room = sizeof(list->text) - 1 - used;
    if (size != 0) {
        memcpy(list->text + used, data, size < room ? size : room);
    }
    list->text[used + (size < room ? size : room)] = '\0';
}

static stf_status visit(void *user, const stf_definition *definition, stf_error *error)
{
    (void)error;
    listed *list = user;
    char version = (char)('0' + definition->version % 10);
    append(list, definition->tenant.data, definition->tenant.size);
    append(list, "/", 1);
    append(list, definition->key.data, definition->key.size);
    append(list, "/", 1);
    append(list, &version, 1);
    append(list, "=", 1);
    append(list, definition->file.data, definition->file.size);
    append(list, " ", 1);
    list->deployed = definition->deployed;
    list->count++;
    return STF_OK;
}

static void expect_get(stf__conf *t, const char *tenant, const char *key, int64_t version,
                       const char *expected)
{
    listed list = {.count = 0};
    bool is_found = false;
    EXPECT_OK(t, stf_definition_store_get(t->definitions, NULL, stf_str_of("g"), stf_str_of(tenant),
                                          stf_str_of(key), version, visit, &list, &is_found,
                                          stf__conf_error(t)));
    EXPECT(t, is_found == (expected[0] != '\0') && strcmp(list.text, expected) == 0,
           "\"%s\" instead of \"%s\"", list.text, expected);
}

static void versions(stf__conf *t)
{
    STEP(t, put_text(t, "order", "one", 1, true));
    STEP(t, put_text(t, "order", "one", 1, false));
    STEP(t, put_text(t, "order", "two", 2, true));
    STEP(t, put_text(t, "order", "two", 2, false));
    /* Only the latest counts: the first file again is a new version. */
    STEP(t, put_text(t, "order", "one", 3, true));
    STEP(t, put_text(t, "Order", "one", 1, true));
    STEP(t, put_text(t, "bill", "one", 1, true));
}

static void get(stf__conf *t)
{
    STEP(t, put_text(t, "order", "one", 1, true));
    stf__conf_advance(t, 5);
    STEP(t, put_text(t, "order", "two", 2, true));
    STEP(t, expect_get(t, "", "order", 0, "default/order/2=two "));
    STEP(t, expect_get(t, "", "order", 1, "default/order/1=one "));
    STEP(t, expect_get(t, "default", "order", 2, "default/order/2=two "));
    STEP(t, expect_get(t, "", "order", 3, ""));
    STEP(t, expect_get(t, "", "orde", 0, ""));
    STEP(t, expect_get(t, "other", "order", 0, ""));
    listed list = {.count = 0};
    bool is_found = true;
    EXPECT_OK(t, stf_definition_store_get(t->definitions, NULL, stf_str_of("nobody"),
                                          stf_str_of(""), stf_str_of("order"), 0, visit, &list,
                                          &is_found, stf__conf_error(t)));
    EXPECT(t, !is_found && list.count == 0, "found in an unregistered group");
    EXPECT_OK(t, stf_definition_store_get(t->definitions, NULL, stf_str_of("g"), stf_str_of(""),
                                          stf_str_of("order"), 2, visit, &list, &is_found,
                                          stf__conf_error(t)));
    EXPECT(t, is_found && list.deployed.us == stf__conf_now(t).us, "the time of deployment");
}

static void put_for(stf__conf *t, const char *group, const char *tenant, const char *file,
                    int64_t wanted_version)
{
    stf_definition definition = definition_of("order", file);
    definition.group = stf_str_of(group);
    definition.tenant = stf_str_of(tenant);
    put(t, &definition, wanted_version, true);
}

static void apart(stf__conf *t)
{
    STEP(t, put_for(t, "g", "t1", "one", 1));
    STEP(t, put_for(t, "g", "t2", "two", 1));
    STEP(t, put_for(t, "h", "t1", "three", 1));
    STEP(t, put_for(t, "g", "t1", "four", 2));
    STEP(t, expect_get(t, "t1", "order", 0, "t1/order/2=four "));
    STEP(t, expect_get(t, "t2", "order", 0, "t2/order/1=two "));
    stf_definition definition = definition_of("order", "x");
    int64_t version = 0;
    bool is_new = false;
    definition.group = stf_str_of("nobody");
    EXPECT_STATUS(t,
                  stf_definition_store_put(t->definitions, NULL, &definition, &version, &is_new,
                                           stf__conf_error(t)),
                  STF_NOT_FOUND);
}

static void expect_list(stf__conf *t, const stf_definition_query *query, const char *expected)
{
    listed list = {.count = 0};
    EXPECT_OK(t, stf_definition_store_list(t->definitions, NULL, query, visit, &list,
                                           stf__conf_error(t)));
    EXPECT(t, strcmp(list.text, expected) == 0, "\"%s\" instead of \"%s\"", list.text, expected);
}

static void list(stf__conf *t)
{
    STEP(t, put_for(t, "g", "t2", "a", 1));
    STEP(t, put_for(t, "g", "T", "b", 1));
    STEP(t, put_for(t, "g", "t2", "c", 2));
    STEP(t, put_for(t, "h", "t2", "d", 1));
    stf_definition bill = definition_of("bill", "e");
    bill.tenant = stf_str_of("t2");
    STEP(t, put(t, &bill, 1, true));
    stf_definition_query query = {.group = stf_str_of("g"), .limit = 10};
    STEP(t, expect_list(t, &query, "T/order/1=b t2/bill/1=e t2/order/1=a t2/order/2=c "));
    query.tenant = stf_str_of("t2");
    STEP(t, expect_list(t, &query, "t2/bill/1=e t2/order/1=a t2/order/2=c "));
    query.key = stf_str_of("order");
    STEP(t, expect_list(t, &query, "t2/order/1=a t2/order/2=c "));
    query.tenant = stf_str_of("");
    STEP(t, expect_list(t, &query, "T/order/1=b t2/order/1=a t2/order/2=c "));
    query = (stf_definition_query){.group = stf_str_of("g"), .limit = 2};
    STEP(t, expect_list(t, &query, "T/order/1=b t2/bill/1=e "));
    query.after_tenant = stf_str_of("t2");
    query.after_key = stf_str_of("bill");
    query.after_version = 1;
    STEP(t, expect_list(t, &query, "t2/order/1=a t2/order/2=c "));
    query.after_key = stf_str_of("order");
    STEP(t, expect_list(t, &query, "t2/order/2=c "));
    query.group = stf_str_of("nobody");
    STEP(t, expect_list(t, &query, ""));
}

static stf_status remove_version(stf__conf *t, const char *key, int64_t version)
{
    return stf_definition_store_delete(t->definitions, NULL, stf_str_of("g"), stf_str_of(""),
                                       stf_str_of(key), version, stf__conf_error(t));
}

static void removal(stf__conf *t)
{
    STEP(t, put_text(t, "order", "one", 1, true));
    STEP(t, put_text(t, "order", "two", 2, true));
    EXPECT_OK(t, remove_version(t, "order", 1));
    EXPECT_OK(t, remove_version(t, "order", 1));
    EXPECT_OK(t, remove_version(t, "absent", 1));
    STEP(t, expect_get(t, "", "order", 1, ""));
    STEP(t, expect_get(t, "", "order", 0, "default/order/2=two "));
    EXPECT_OK(t, remove_version(t, "order", 2));
    STEP(t, expect_get(t, "", "order", 0, ""));
    stf_definition_query query = {.group = stf_str_of("g"), .limit = 10};
    STEP(t, expect_list(t, &query, ""));
    /* A number that once stood for a file never stands for another. */
    STEP(t, put_text(t, "order", "three", 3, true));
}

static void pinned(stf__conf *t)
{
    stf__conf_draft draft;
    STEP(t, put_text(t, "order", "one", 1, true));
    STEP(t, put_text(t, "order", "two", 2, true));
    stf__conf_draft_init(t, &draft, "a");
    draft.record.label_key = stf_str_of("order");
    draft.record.label_version = 1;
    STEP(t, stf__conf_save(t, &draft));
    EXPECT_STATUS(t, remove_version(t, "order", 1), STF_INVALID_STATE);
    STEP(t, expect_get(t, "", "order", 1, "default/order/1=one "));
    EXPECT_OK(t, remove_version(t, "order", 2));
    stf__conf_draft_next(t, &draft);
    draft.record.status = STF_RECORD_COMPLETED;
    STEP(t, stf__conf_save(t, &draft));
    EXPECT_OK(t, remove_version(t, "order", 1));
    STEP(t, expect_get(t, "", "order", 1, ""));
}

/* A label of another tenant or group pins nothing here. */
static void pinned_elsewhere(stf__conf *t)
{
    static const char *const groups[] = {"g", "h"};
    static const char *const tenants[] = {"other", "default"};
    static const char *const ids[] = {"a", "b"};
    STEP(t, put_text(t, "order", "one", 1, true));
    for (size_t i = 0; i < 2; i++) {
        stf__conf_draft draft;
        stf__conf_draft_init(t, &draft, ids[i]);
        draft.record.group = stf_str_of(groups[i]);
        draft.record.tenant = stf_str_of(tenants[i]);
        draft.record.label_key = stf_str_of("order");
        draft.record.label_version = 1;
        STEP(t, stf__conf_save(t, &draft));
    }
    EXPECT_OK(t, remove_version(t, "order", 1));
}

static void isolated(stf__conf *t)
{
    char file[] = "file";
    char key[] = "key";
    STEP(t, put_text(t, key, file, 1, true));
    file[0] = key[0] = '#';
    STEP(t, expect_get(t, "", "key", 0, "default/key/1=file "));
}

static stf_status put_any(stf__conf *t, stf_definition definition)
{
    int64_t version = 0;
    bool is_new = false;
    return stf_definition_store_put(t->definitions, NULL, &definition, &version, &is_new,
                                    stf__conf_error(t));
}

static void refusals(stf__conf *t)
{
    stf_str over = stf__conf_long_text(t, "", STF_LIMIT_ID_BYTES + 1);
    stf_definition definition = definition_of("", "file");
    EXPECT_STATUS(t, put_any(t, definition), STF_EMPTY_NOT_ALLOWED);
    definition = definition_of("order", "");
    EXPECT_STATUS(t, put_any(t, definition), STF_EMPTY_NOT_ALLOWED);
    definition = definition_of("order", "file");
    definition.group = stf_str_of("");
    EXPECT_STATUS(t, put_any(t, definition), STF_EMPTY_NOT_ALLOWED);
    definition = definition_of("order", "file");
    definition.key = over;
    EXPECT_STATUS(t, put_any(t, definition), STF_LIMIT_EXCEEDED);
    definition.key = (stf_str){"\xff", 1};
    EXPECT_STATUS(t, put_any(t, definition), STF_INVALID_ARGUMENT);
    EXPECT_STATUS(t, remove_version(t, "order", -1), STF_INVALID_ARGUMENT);
}

/* ---- Racing handles ---------------------------------------------------------------------- */

#define RACERS ((size_t)4)
#define RACER_PUTS ((size_t)25)

typedef struct put_racer {
    pthread_t thread;
    stf_definition_store *store;
    size_t number;
    uint8_t *seen; /* one per version: how often it was given */
    _Atomic bool *has_failed;
    stf_error error;
} put_racer;

static void *race(void *argument)
{
    put_racer *racer = argument;
    for (size_t i = 0; i < RACER_PUTS; i++) {
        char file[] = "racer 0, file 00";
        file[6] = (char)('0' + racer->number);
        file[14] = (char)('0' + i / 10);
        file[15] = (char)('0' + i % 10);
        stf_definition definition = definition_of("order", file);
        int64_t version = 0;
        bool is_new = false;
        stf_status status;
        do {
            status = stf_definition_store_put(racer->store, NULL, &definition, &version, &is_new,
                                              &racer->error);
        } while (status == STF_UNAVAILABLE);
        if (status != STF_OK || !is_new || version < 1 ||
            version > (int64_t)(RACERS * RACER_PUTS)) {
            *racer->has_failed = true;
            return NULL;
        }
        racer->seen[(size_t)version * RACERS + racer->number]++;
    }
    return NULL;
}

static void race_without_gaps(stf__conf *t)
{
    put_racer racers[RACERS];
    stf_definition_store *other = NULL;
    _Atomic bool has_failed = false;
    size_t size = (RACERS * RACER_PUTS + 1) * RACERS;
    uint8_t *seen = stf__conf_memory(t, size);
    EXPECT(t, seen != NULL, "memory");
    EXPECT_OK(t, t->factory->definitions(t->factory->user, &t->clock, &other, stf__conf_error(t)));
    size_t started = 0;
    for (; started < RACERS; started++) {
        racers[started] = (put_racer){.store = started % 2 == 0 ? t->definitions : other,
                                      .number = started,
                                      .seen = seen,
                                      .has_failed = &has_failed,
                                      .error = STF_ERROR_INIT};
        if (pthread_create(&racers[started].thread, NULL, race, &racers[started]) != 0) {
            has_failed = true;
            break;
        }
    }
    for (size_t i = 0; i < started; i++) {
        (void)pthread_join(racers[i].thread, NULL);
    }
    stf_definition_store_close(other);
    EXPECT(t, !has_failed, "a put failed: %s", racers[0].error.message);
    for (size_t version = 1; version <= RACERS * RACER_PUTS; version++) {
        size_t given = 0;
        for (size_t i = 0; i < RACERS; i++) {
            given += seen[version * RACERS + i];
        }
        EXPECT(t, given == 1, "version %zu was given %zu times", version, given);
    }
}

#define NEEDED STF__CONF_DEFINITIONS

static const stf__conf_case cases[] = {
    {"definitions.versions", "the latest bytes again are the same version, others the next", NULL,
     NEEDED, versions},
    {"definitions.get", "get gives a version or the latest", NULL, NEEDED, get},
    {"definitions.apart", "groups and tenants have series of their own", NULL, NEEDED, apart},
    {"definitions.list", "lists are ordered by tenant, key and version", NULL, NEEDED, list},
    {"definitions.removal", "a removed version is gone and its number is never given again", NULL,
     NEEDED, removal},
    {"definitions.pinned", "a version that a live record names cannot be removed", NULL, NEEDED,
     pinned},
    {"definitions.pinned-elsewhere", "labels of other groups and tenants pin nothing", NULL, NEEDED,
     pinned_elsewhere},
    {"definitions.isolated", "the store keeps no pointer to the caller's memory", NULL, NEEDED,
     isolated},
    {"definitions.refusals", "empty, too long and malformed arguments are refused", NULL, NEEDED,
     refusals},
    {"definitions.race", "versions are gap-free under racing handles", NULL, NEEDED,
     race_without_gaps},
};

STF__CONF_FAMILY(definitions, cases);
