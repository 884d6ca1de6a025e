/* SPDX-License-Identifier: Apache-2.0 */
/* What a conformance case has in its hands: the store, a clock that it moves itself, drafts of
 * saves, copies of what it read. A case is a function that returns at its first failure; memory and
 * handles are the harness's and are freed behind it. Public headers only. */
#ifndef STF_CONFORMANCE_HARNESS_H
#define STF_CONFORMANCE_HARNESS_H

#include <stdatomic.h>
#include <stepfast/conformance.h>
#include <stepfast/limits.h>
#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_catalog.h>
#include <stepfast/sys/repository_clock.h>
#include <stepfast/sys/repository_cluster.h>
#include <stepfast/sys/repository_journal.h>
#include <stepfast/sys/repository_liveness.h>
#include <stepfast/sys/repository_migrator.h>
#include <stepfast/sys/repository_wake.h>
#include <string.h>

/* 2026-01-01T00:00:00.123456Z: a fraction, so that a store that drops it is seen. */
#define STF__CONF_START_US INT64_C(1767225600123456)
#define STF__CONF_SECOND_US INT64_C(1000000)
#define STF__CONF_ROWS 64 /* rows that a case reads of one page */

typedef struct stf__conf_block stf__conf_block;

/* One running case. */
typedef struct stf__conf {
    const stf_conformance_factory *factory;
    stf_repository *repo;
    stf_repository *second;            /* through stf__conf_open_second */
    stf_definition_store *definitions; /* cases that need it */
    stf_clock clock;
    _Atomic int64_t now_us;
    uint64_t random;
    uint32_t race_saves;
    uint32_t flags;
    stf__conf_block *blocks;
    stf_error error;
    bool has_failed;
    bool is_skipped;
    char reason[480];
} stf__conf;

typedef struct stf__conf_case {
    const char *id;
    const char *contract;
    const char *capability; /* NULL: every store has what it needs */
    uint32_t flags;         /* STF__CONF_* */
    void (*run)(stf__conf *t);
} stf__conf_case;

#define STF__CONF_BARE 1u        /* no group is registered before the case */
#define STF__CONF_DEFINITIONS 2u /* needs the definition store */

typedef struct stf__conf_family {
    const stf__conf_case *cases;
    size_t count;
} stf__conf_family;

/* One file each. */
extern const stf__conf_family stf__conf_family_batch;
extern const stf__conf_family stf__conf_family_catalog;
extern const stf__conf_family stf__conf_family_definitions;
extern const stf__conf_family stf__conf_family_delete;
extern const stf__conf_family stf__conf_family_durability;
extern const stf__conf_family stf__conf_family_facts;
extern const stf__conf_family stf__conf_family_fencing;
extern const stf__conf_family stf__conf_family_groups;
extern const stf__conf_family stf__conf_family_journal;
extern const stf__conf_family stf__conf_family_listing;
extern const stf__conf_family stf__conf_family_liveness;
extern const stf__conf_family stf__conf_family_load;
extern const stf__conf_family stf__conf_family_payload;
extern const stf__conf_family stf__conf_family_races;
extern const stf__conf_family stf__conf_family_refusals;
extern const stf__conf_family stf__conf_family_save;
extern const stf__conf_family stf__conf_family_settlement;
extern const stf__conf_family stf__conf_family_tenants;
extern const stf__conf_family stf__conf_family_waiting;
extern const stf__conf_family stf__conf_family_wake;

#define STF__CONF_FAMILY(name, case_table)                                                         \
    const stf__conf_family stf__conf_family_##name = {                                             \
        .cases = (case_table), .count = sizeof(case_table) / sizeof((case_table)[0])}

/* ---- Checking ---------------------------------------------------------------------------- */

/* Records the first failure. */
void stf__conf_fail(stf__conf *t, const char *file, int line, const char *format, ...)
    STF_PRINTF(4, 5);
void stf__conf_fail_status(stf__conf *t, const char *file, int line, const char *call,
                           stf_status actual, stf_status expected);
stf_error *stf__conf_error(stf__conf *t); /* a fresh one, for the call at hand */

/* Each returns from the (void) function that it stands in. */
#define EXPECT(t, condition, ...)                                                                  \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            stf__conf_fail((t), __FILE__, __LINE__, __VA_ARGS__);                                  \
            return;                                                                                \
        }                                                                                          \
    } while (0)
/* The call names stf__conf_error(t) as its error. */
#define EXPECT_STATUS(t, call, expected)                                                           \
    do {                                                                                           \
        stf_status stf__conf_got_ = (call);                                                        \
        if (stf__conf_got_ != (expected)) {                                                        \
            stf__conf_fail_status((t), __FILE__, __LINE__, #call, stf__conf_got_, (expected));     \
            return;                                                                                \
        }                                                                                          \
    } while (0)
#define EXPECT_OK(t, call) EXPECT_STATUS(t, call, STF_OK)
/* A helper that may fail the case. */
#define STEP(t, call)                                                                              \
    do {                                                                                           \
        call;                                                                                      \
        if ((t)->has_failed || (t)->is_skipped) {                                                  \
            return;                                                                                \
        }                                                                                          \
    } while (0)

/* ---- Tools ------------------------------------------------------------------------------- */

/* Zeroed memory until the end of the case; fails the case and gives NULL when there is none. */
void *stf__conf_memory(stf__conf *t, size_t size);
void stf__conf_free_memory(stf__conf *t);
uint64_t stf__conf_draw(stf__conf *t);
stf_wall stf__conf_now(stf__conf *t);
void stf__conf_advance(stf__conf *t, int64_t duration_us);
stf_wall stf__conf_after(stf__conf *t, int64_t duration_us); /* now + duration */
/* size bytes of 'x' with the given start. */
stf_str stf__conf_long_text(stf__conf *t, const char *start, size_t size);
void stf__conf_open_second(stf__conf *t);
/* Closes the handles and opens the store again; skips the case where nothing survives. */
void stf__conf_reopen(stf__conf *t);

/* A save in the making: change what the case is about. */
typedef struct stf__conf_draft {
    stf_record record;
    stf_save save;
    stf_wait waits[4];
    stf_journal_row journal[4];
    stf_save_result result;
} stf__conf_draft;

/* Creates `id` in the group "g": active, unowned, a head, no bulk, a fresh attempt. */
void stf__conf_draft_init(stf__conf *t, stf__conf_draft *draft, const char *id);
/* Turns the draft into the next save after draft->result, with a fresh attempt. */
void stf__conf_draft_next(stf__conf *t, stf__conf_draft *draft);
void stf__conf_draw_attempt(stf__conf *t, stf_attempt *ret_attempt);
stf_bytes stf__conf_bytes(const char *text);
void stf__conf_set_lease(stf__conf_draft *draft, const char *owner, int64_t incarnation,
                         stf_wall expiry);
void stf__conf_add_wait(stf__conf_draft *draft, uint32_t kind, const char *key, stf_wall since);
/* Saves and expects OK. */
void stf__conf_save(stf__conf *t, stf__conf_draft *draft);
/* Saves and expects to be refused: the status, and a result and a stored record as before. */
void stf__conf_save_refused(stf__conf *t, stf__conf_draft *draft, stf_status expected);
/* Creates a record with a status and, unless NULL, an owner. */
void stf__conf_create(stf__conf *t, const char *id, const char *group, uint32_t status,
                      const char *owner, stf_wall expiry);

/* A copy until the end of the case; NULL: absent. */
void stf__conf_load(stf__conf *t, stf_repository *repo, stf_str id, const stf_record **ret_record);
/* As stf__conf_load, and absent fails the case. */
void stf__conf_must_load(stf__conf *t, const char *id, const stf_record **ret_record);
void stf__conf_expect_absent(stf__conf *t, const char *id);
/* Every field that a caller gives and the store's version. */
void stf__conf_expect_same(stf__conf *t, const stf_record *actual, const stf_record *expected);
bool stf__conf_is_bytes(stf_bytes actual, const char *text);
bool stf__conf_is_attempt(stf_attempt a, stf_attempt b);

/* What a page visited, copied. More than STF__CONF_ROWS rows are counted but not kept. */
typedef struct stf__conf_page {
    stf__conf *t;
    stf_wake_row rows[STF__CONF_ROWS];
    const stf_record *records[STF__CONF_ROWS];
    size_t count;
} stf__conf_page;

void stf__conf_page_init(stf__conf *t, stf__conf_page *page);
stf_status stf__conf_visit_id(void *user, stf_str id, stf_error *error);
stf_status stf__conf_visit_row(void *user, const stf_wake_row *row, stf_error *error);
stf_status stf__conf_visit_record(void *user, const stf_record *record, stf_error *error);
/* The ids in order, separated by blanks. */
void stf__conf_expect_ids(stf__conf *t, const stf__conf_page *page, const char *expected);
/* What is in flight in a group, as of `now` (none: the store's clock). */
void stf__conf_expect_in_flight(stf__conf *t, const char *group, stf_wall now,
                                const char *expected);

#endif
