/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of two handles that race: one winner per version, whoever comes first. */
#include "harness.h"

#include <pthread.h>

typedef struct race_ring race_ring;

/* Two threads meet before each round, so that both saves of a round are under way at once. */
struct race_ring {
    pthread_barrier_t barrier;
    size_t rounds;
    void (*round)(race_ring *ring, size_t racer, size_t number);
    stf_repository *repos[2];
    stf_status statuses[2]; /* of this round */
    stf_attempt attempts[2];
    size_t wins[2];
    size_t odd_rounds; /* without exactly one winner and one loser */
    size_t odd_round;  /* the first of them */
    stf_status odd_statuses[2];
    stf_error errors[2];
};

typedef struct race_seat {
    race_ring *ring;
    size_t number;
} race_seat;

static void judge(race_ring *ring, size_t number)
{
    bool is_first = ring->statuses[0] == STF_OK && ring->statuses[1] == STF_CONCURRENT_UPDATE;
    bool is_second = ring->statuses[1] == STF_OK && ring->statuses[0] == STF_CONCURRENT_UPDATE;
    ring->wins[0] += is_first;
    ring->wins[1] += is_second;
    if (!is_first && !is_second && ring->odd_rounds++ == 0) {
        ring->odd_round = number;
        ring->odd_statuses[0] = ring->statuses[0];
        ring->odd_statuses[1] = ring->statuses[1];
    }
}

static void *run_racer(void *argument)
{
    const race_seat *self = argument;
    race_ring *ring = self->ring;
    for (size_t i = 0; i < ring->rounds; i++) {
        (void)pthread_barrier_wait(&ring->barrier);
        ring->round(ring, self->number, i);
        (void)pthread_barrier_wait(&ring->barrier);
        if (self->number == 0) {
            judge(ring, i);
        }
    }
    return NULL;
}

static void race(stf__conf *t, race_ring *ring)
{
    pthread_t thread;
    race_seat racers[2] = {{ring, 0}, {ring, 1}};
    ring->repos[0] = t->repo;
    ring->repos[1] = t->second;
    stf_error_init(&ring->errors[0]);
    stf_error_init(&ring->errors[1]);
    EXPECT(t, pthread_barrier_init(&ring->barrier, NULL, 2) == 0, "no barrier");
    bool has_started = pthread_create(&thread, NULL, run_racer, &racers[1]) == 0;
    if (has_started) {
        (void)run_racer(&racers[0]);
        (void)pthread_join(thread, NULL);
    }
    (void)pthread_barrier_destroy(&ring->barrier);
    EXPECT(t, has_started, "no thread");
    EXPECT(t, ring->odd_rounds == 0, "round %zu ended with %s and %s (%zu such rounds; %s%s)",
           ring->odd_round, stf_status_name(ring->odd_statuses[0]),
           stf_status_name(ring->odd_statuses[1]), ring->odd_rounds, ring->errors[0].message,
           ring->errors[1].message);
}

/* An attempt that names the racer and the round. */
static stf_attempt attempt_of(size_t racer, size_t number)
{
    stf_attempt attempt = {{(uint8_t)(racer + 1)}};
    for (size_t i = 0; i < 4; i++) {
        attempt.bytes[i + 1] = (uint8_t)(number >> (8 * i) & 0xff);
    }
    return attempt;
}

static stf_status save_until_answered(race_ring *ring, size_t racer, const stf_save *save)
{
    stf_status status;
    do {
        stf_save_result result;
        status = stf_repository_save(ring->repos[racer], NULL, save, &result, &ring->errors[racer]);
    } while (status == STF_UNAVAILABLE);
    return status;
}

static void save_round(race_ring *ring, size_t racer, size_t number)
{
    stf_record record = STF_RECORD_INIT;
    stf_save save = STF_SAVE_INIT;
    record.id = stf_str_of("a");
    record.group = stf_str_of("g");
    record.head = (stf_bytes){(const uint8_t *)&number, sizeof(number)};
    save.record = &record;
    save.expected_version = (int64_t)number;
    save.attempt = ring->attempts[racer] = attempt_of(racer, number);
    ring->statuses[racer] = save_until_answered(ring, racer, &save);
}

static void saves(stf__conf *t)
{
    race_ring ring = {.rounds = t->race_saves, .round = save_round};
    const stf_record *record = NULL;
    STEP(t, stf__conf_open_second(t));
    STEP(t, race(t, &ring));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, record->rec_version == (int64_t)t->race_saves, "version %lld after %u rounds",
           (long long)record->rec_version, t->race_saves);
    size_t winner = ring.statuses[0] == STF_OK ? 0 : 1;
    EXPECT(t, stf__conf_is_attempt(record->attempt, ring.attempts[winner]),
           "the stored attempt is not the last winner's");
    EXPECT(t, ring.wins[0] + ring.wins[1] == t->race_saves, "%zu + %zu winners", ring.wins[0],
           ring.wins[1]);
}

/* Each round creates a new id. */
static void create_round(race_ring *ring, size_t racer, size_t number)
{
    char id[] = "id-00000";
    for (size_t digit = 7, rest = number; digit > 2; digit--, rest /= 10) {
        id[digit] = (char)('0' + rest % 10);
    }
    stf_record record = STF_RECORD_INIT;
    stf_save save = STF_SAVE_INIT;
    record.id = stf_str_of(id);
    record.group = stf_str_of("g");
    record.due = (stf_wall){(int64_t)number};
    save.record = &record;
    save.attempt = attempt_of(racer, number);
    ring->statuses[racer] = save_until_answered(ring, racer, &save);
}

static void creations(stf__conf *t)
{
    size_t rounds = t->race_saves / 10 + 1;
    race_ring ring = {.rounds = rounds < 10000 ? rounds : 10000, .round = create_round};
    STEP(t, stf__conf_open_second(t));
    STEP(t, race(t, &ring));
    const stf_record *record = NULL;
    STEP(t, stf__conf_must_load(t, "id-00000", &record));
    EXPECT(t, record->rec_version == 1, "version %lld", (long long)record->rec_version);
}

/* One saves, the other deletes, both from the same version: the loser does nothing. */
static void delete_round(race_ring *ring, size_t racer, size_t number)
{
    if (racer == 0) {
        stf_record record = STF_RECORD_INIT;
        stf_save save = STF_SAVE_INIT;
        record.id = stf_str_of("a");
        record.group = stf_str_of("g");
        save.record = &record;
        save.expected_version = 1;
        save.flags = STF_SAVE_HAS_ATTEMPT_SEEN;
        save.attempt_seen = attempt_of(0, number);
        save.attempt = attempt_of(1, number);
        ring->statuses[0] = save_until_answered(ring, 0, &save);
        return;
    }
    stf_delete request = {.struct_size = sizeof(request),
                          .abi = STF_DELETE_ABI,
                          .id = stf_str_of("a"),
                          .expected_version = 1,
                          .flags = STF_DELETE_HAS_ATTEMPT_SEEN,
                          .attempt_seen = attempt_of(0, number)};
    do {
        ring->statuses[1] = stf_repository_delete(ring->repos[1], NULL, &request, &ring->errors[1]);
    } while (ring->statuses[1] == STF_UNAVAILABLE);
}

static void save_against_delete(stf__conf *t)
{
    STEP(t, stf__conf_open_second(t));
    for (size_t i = 0; i < 100; i++) {
        stf_delete clear = {.struct_size = sizeof(clear),
                            .abi = STF_DELETE_ABI,
                            .id = stf_str_of("a"),
                            .flags = STF_DELETE_ANY};
        EXPECT_OK(t, stf_repository_delete(t->repo, NULL, &clear, stf__conf_error(t)));
        stf__conf_draft draft;
        stf__conf_draft_init(t, &draft, "a");
        draft.save.attempt = attempt_of(0, 0);
        STEP(t, stf__conf_save(t, &draft));
        race_ring ring = {.rounds = 1, .round = delete_round};
        STEP(t, race(t, &ring));
        const stf_record *record = NULL;
        STEP(t, stf__conf_load(t, t->repo, stf_str_of("a"), &record));
        EXPECT(t, (record != NULL) == (ring.statuses[0] == STF_OK),
               "the save answered %s and the record is %s", stf_status_name(ring.statuses[0]),
               record != NULL ? "there" : "gone");
    }
}

static const stf__conf_case cases[] = {
    {"races.saves", "two handles that race have one winner per version", NULL, 0, saves},
    {"races.creations", "two handles that create one id have one winner", NULL, 0, creations},
    {"races.save-against-delete", "a save and a delete of one version have one winner", NULL, 0,
     save_against_delete},
};

STF__CONF_FAMILY(races, cases);
