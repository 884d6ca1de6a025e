/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the journal capability. */
#include "harness.h"

#define ROWS 16

typedef struct row_copy {
    int64_t version;
    uint64_t position;
    uint32_t fact;
    uint64_t activation;
    stf_wall at;
    char element[16];
    char detail[16];
} row_copy;

typedef struct row_list {
    row_copy rows[ROWS];
    size_t count;
} row_list;

static void keep(char target[16], stf_str text)
{
    size_t size = text.size < 15 ? text.size : 15;
    if (size != 0) {
        memcpy(target, text.data, size);
    }
    target[size] = '\0';
}

static stf_status visit(void *user, int64_t version, uint64_t position, const stf_journal_row *row,
                        stf_error *error)
{
    (void)error;
    row_list *list = user;
    if (list->count < ROWS) {
        row_copy *copy = &list->rows[list->count];
        *copy = (row_copy){.version = version,
                           .position = position,
                           .fact = row->fact,
                           .activation = row->activation,
                           .at = row->at};
        keep(copy->element, row->element);
        keep(copy->detail, row->detail);
    }
    list->count++;
    return STF_OK;
}

static void read_rows(stf__conf *t, const char *id, int64_t after_version, uint64_t after_position,
                      size_t limit, row_list *list)
{
    stf_journal_query query = {.id = stf_str_of(id),
                               .after_version = after_version,
                               .after_position = after_position,
                               .limit = limit};
    memset(list, 0, sizeof(*list));
    EXPECT_OK(t,
              stf_repository_journal_page(t->repo, NULL, &query, visit, list, stf__conf_error(t)));
}

static void add_row(stf__conf *t, stf__conf_draft *draft, uint32_t fact, const char *element)
{
    draft->journal[draft->save.journal_count++] = (stf_journal_row){.fact = fact,
                                                                    .activation = UINT64_C(1) << 40,
                                                                    .at = stf__conf_now(t),
                                                                    .element = stf_str_of(element),
                                                                    .detail = stf_str_of("detail")};
}

/* Version 1 with two rows, 2 with none, 3 with three. */
static void save_history(stf__conf *t, stf__conf_draft *draft)
{
    stf__conf_draft_init(t, draft, "a");
    add_row(t, draft, 1, "start");
    add_row(t, draft, 10, "task");
    STEP(t, stf__conf_save(t, draft));
    stf__conf_draft_next(t, draft);
    draft->save.journal_count = 0;
    STEP(t, stf__conf_save(t, draft));
    stf__conf_draft_next(t, draft);
    add_row(t, draft, 11, "x");
    add_row(t, draft, 11, "y");
    add_row(t, draft, 2, "z");
    STEP(t, stf__conf_save(t, draft));
}

static void rows(stf__conf *t)
{
    stf__conf_draft draft;
    row_list list;
    STEP(t, save_history(t, &draft));
    STEP(t, read_rows(t, "a", 0, 0, 50, &list));
    EXPECT(t, list.count == 5, "%zu rows", list.count);
    static const int64_t versions[] = {1, 1, 3, 3, 3};
    static const uint64_t positions[] = {1, 2, 1, 2, 3};
    static const char *const elements[] = {"start", "task", "x", "y", "z"};
    for (size_t i = 0; i < 5; i++) {
        const row_copy *row = &list.rows[i];
        EXPECT(t, row->version == versions[i] && row->position == positions[i],
               "row %zu is (%lld, %llu)", i, (long long)row->version,
               (unsigned long long)row->position);
        EXPECT(t, strcmp(row->element, elements[i]) == 0, "row %zu: element \"%s\"", i,
               row->element);
        EXPECT(t, strcmp(row->detail, "detail") == 0, "row %zu: detail \"%s\"", i, row->detail);
        EXPECT(t, row->at.us == STF__CONF_START_US, "row %zu: time", i);
        EXPECT(t, row->activation == UINT64_C(1) << 40, "row %zu: activation", i);
    }
    EXPECT(t, list.rows[1].fact == 10 && list.rows[4].fact == 2, "facts");
}

static void pages(stf__conf *t)
{
    stf__conf_draft draft;
    row_list list;
    STEP(t, save_history(t, &draft));
    /* From every place, with every size: the rest of the rows in order. */
    static const int64_t versions[] = {0, 1, 1, 3, 3, 3};
    static const uint64_t positions[] = {0, 1, 2, 1, 2, 3};
    for (size_t from = 0; from < 6; from++) {
        for (size_t limit = 1; limit < 7; limit++) {
            STEP(t, read_rows(t, "a", versions[from], positions[from], limit, &list));
            size_t rest = 5 - from;
            EXPECT(t, list.count == (rest < limit ? rest : limit),
                   "%zu rows behind row %zu in a page of %zu", list.count, from, limit);
            EXPECT(t,
                   list.count == 0 || (list.rows[0].version == versions[from + 1] &&
                                       list.rows[0].position == positions[from + 1]),
                   "a wrong first row behind row %zu", from);
        }
    }
    /* Position 0 stands for the whole of a version. */
    STEP(t, read_rows(t, "a", 1, 0, 50, &list));
    EXPECT(t, list.count == 3 && list.rows[0].version == 3, "%zu rows behind version 1",
           list.count);
}

static void only_when_won(stf__conf *t)
{
    stf__conf_draft draft;
    row_list list;
    STEP(t, save_history(t, &draft));
    stf__conf_draft loser = draft;
    loser.save.record = &loser.record;
    loser.save.journal = loser.journal;
    loser.save.expected_version = 1;
    STEP(t, stf__conf_save_refused(t, &loser, STF_CONCURRENT_UPDATE));
    STEP(t, read_rows(t, "a", 0, 0, 50, &list));
    EXPECT(t, list.count == 5, "a lost save wrote journal rows: %zu", list.count);
    stf__conf_draft absent;
    stf__conf_draft_init(t, &absent, "b");
    add_row(t, &absent, 1, "start");
    absent.save.expected_version = 1;
    STEP(t, stf__conf_save_refused(t, &absent, STF_CONCURRENT_UPDATE));
    STEP(t, read_rows(t, "b", 0, 0, 50, &list));
    EXPECT(t, list.count == 0, "a lost creation wrote journal rows");
}

static void with_its_record(stf__conf *t)
{
    stf__conf_draft draft;
    row_list list;
    STEP(t, save_history(t, &draft));
    stf_delete gone = {.struct_size = sizeof(gone),
                       .abi = STF_DELETE_ABI,
                       .flags = STF_DELETE_ANY,
                       .id = stf_str_of("a")};
    EXPECT_OK(t, stf_repository_delete(t->repo, NULL, &gone, stf__conf_error(t)));
    STEP(t, read_rows(t, "a", 0, 0, 50, &list));
    EXPECT(t, list.count == 0, "the journal outlived its record");
    stf__conf_draft_init(t, &draft, "a");
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, read_rows(t, "a", 0, 0, 50, &list));
    EXPECT(t, list.count == 0, "a new record has an old journal");
}

static void in_batches(stf__conf *t)
{
    stf__conf_draft drafts[2];
    stf_save saves[2];
    stf_save_result results[2];
    row_list list;
    STEP(t, stf__conf_create(t, "b", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    stf__conf_draft_init(t, &drafts[0], "a");
    stf__conf_draft_init(t, &drafts[1], "b"); /* loses: it exists */
    for (size_t i = 0; i < 2; i++) {
        add_row(t, &drafts[i], 1, "start");
        saves[i] = drafts[i].save;
    }
    EXPECT_OK(t, stf_repository_save_many(t->repo, NULL, saves, 2, results, stf__conf_error(t)));
    STEP(t, read_rows(t, "a", 0, 0, 50, &list));
    EXPECT(t, list.count == 1 && list.rows[0].version == 1, "the winner's rows");
    STEP(t, read_rows(t, "b", 0, 0, 50, &list));
    EXPECT(t, list.count == 0, "the loser's rows");
}

static void prune_takes_rows(stf__conf *t)
{
    if (!stf_repository_has(t->repo, STF_REPOSITORY_CATALOG)) {
        return;
    }
    stf__conf_draft draft;
    row_list list;
    uint64_t count = 0;
    STEP(t, save_history(t, &draft));
    stf__conf_draft_next(t, &draft);
    draft.save.journal_count = 0;
    draft.record.status = STF_RECORD_COMPLETED;
    STEP(t, stf__conf_save(t, &draft));
    stf_prune_request request = {
        .group = stf_str_of("g"), .ended_before = stf__conf_after(t, 1), .limit = 10};
    EXPECT_OK(t, stf_repository_prune(t->repo, NULL, &request, &count, stf__conf_error(t)));
    EXPECT(t, count == 1, "%llu pruned", (unsigned long long)count);
    STEP(t, read_rows(t, "a", 0, 0, 50, &list));
    EXPECT(t, list.count == 0, "the journal outlived its pruned record");
}

static const stf__conf_case cases[] = {
    {"journal.rows", "a save's rows are kept under its version, numbered from 1",
     STF_REPOSITORY_JOURNAL, 0, rows},
    {"journal.pages", "pages start behind a version and position", STF_REPOSITORY_JOURNAL, 0,
     pages},
    {"journal.only-when-won", "a save that loses writes no rows", STF_REPOSITORY_JOURNAL, 0,
     only_when_won},
    {"journal.with-its-record", "a deleted record leaves no rows", STF_REPOSITORY_JOURNAL, 0,
     with_its_record},
    {"journal.in-batches", "each record of a batch brings its own rows", STF_REPOSITORY_JOURNAL, 0,
     in_batches},
    {"journal.prune", "a pruned record leaves no rows", STF_REPOSITORY_JOURNAL, 0,
     prune_takes_rows},
};

STF__CONF_FAMILY(journal, cases);
