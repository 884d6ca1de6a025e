/* SPDX-License-Identifier: Apache-2.0 */
/* Recovery and wake: what a crash leaves is found and settled, a restarted engine needs no file,
 * freed slots start what waits, and one bad record never stops the rest. */
#include "engine/private.h"
#include "unit/engine/rule_case.h"

static const char *const all_topics[] = {"*", NULL};

/* ---- Crashes -----------------------------------------------------------------------------------
 */

/* Plays the order process with a crash before the n-th call of the store; false: n is past the end.
 * Returns through ret_unknown whether the work was in flight. */
static bool play_with_crash(long n, bool *ret_unknown)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_order);
    faulty_repository_cut(&c->faulty, n);
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    stf_start start = STF_START_INIT;
    start.process = stf_str_of("p");
    start.id = stf_str_of("i1");
    ctx.deadline.us = stf_clock_system()->mono(NULL).us + 300000;
    stf_status status = stf_engine_start_instance(c->engine, &ctx, &start, NULL, &c->error);
    for (int i = 0; i < 8; i++) {
        bool did;
        STF_CHECK_OK(stf_engine_step(c->engine, NULL, &did, &c->error), &c->error);
        if (i == 3) {
            atomic_fetch_add(&c->clock.us, SECONDS(5));
        }
    }
    bool was_cut = atomic_load(&c->faulty.calls) >= atomic_load(&c->faulty.fail_at);
    engine_case_crash(c);
    engine_case_open(c, all_topics);
    if (status != STF_OK && !engine_case_record(c, "i1").is_found) {
        engine_case_start(c, "i1", NULL); /* it said that nothing was written */
    }
    engine_case_advance(c, SECONDS(40)); /* the lease of the dead lapses */
    *ret_unknown = strcmp(engine_case_status(c, "i1"), "incident") == 0;
    if (*ret_unknown) {
        ck_assert_uint_le(engine_case_calls_of(c, "work"), 1);
        STF_CHECK_OK(stf_engine_retry_incident(c->engine, NULL, stf_str_of("i1"), 0, &c->error),
                     &c->error);
        engine_case_advance(c, SECONDS(40));
    } else {
        ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    }
    engine_case_task(c, "i1", "approve", NULL);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
    return was_cut;
}

STF_TEST(r2_a_crash_at_every_call_of_the_store_ends_in_the_same_place)
{
    size_t unknown = 0;
    long n = 1;
    bool is_unknown = false;
    while (play_with_crash(n, &is_unknown)) {
        unknown += is_unknown ? 1 : 0;
        n++;
    }
    ck_assert_int_gt(n, 8);
    ck_assert_uint_gt(unknown, 0); /* some crashes hit the work in flight */
}

STF_TEST(a_restarted_engine_needs_no_file)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_order);
    engine_case_start(c, "i1", NULL);
    engine_case_idle(c);
    engine_case_crash(c);
    c->options.id = "another";
    engine_case_open(c, all_topics);
    engine_case_advance(c, SECONDS(5));
    ck_assert(engine_case_waits_at(c, "i1", "approve"));
    engine_case_task(c, "i1", "approve", NULL);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
}

STF_TEST(an_instance_stays_on_the_version_that_it_was_started_with)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, all_topics);
    ck_assert_int_eq(engine_case_deploy(c, case_task), 1);
    engine_case_start(c, "i1", NULL);
    ck_assert_int_eq(engine_case_deploy(c, case_work), 2);
    ck_assert_int_eq(engine_case_deploy(c, case_work), 2); /* the same bytes */
    engine_case_start(c, "i2", NULL);
    engine_case_idle(c);
    engine_case_crash(c);
    engine_case_open(c, all_topics);
    ck_assert_str_eq(engine_case_status(c, "i2"), "completed");
    engine_case_task(c, "i1", "approve", NULL);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
}

STF_TEST(r15_a_record_overdue_by_more_than_a_lease_is_claimed_before_its_step)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_timer);
    engine_case_start(c, "i1", NULL);
    engine_case_close(c);
    atomic_fetch_add(&c->clock.us, SECONDS(3600 + 31));
    engine_case_open(c, NULL);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_INSTANCE_RECOVERED), 1);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TIMER_FIRED), 1);
    engine_case_free(c);
}

/* ---- R14 ---------------------------------------------------------------------------------------
 */

static rule_case_herd play_herd(const char *call, uint64_t taken_before)
{
    rule_case_herd herd = {.call = call};
    engine_case *c = engine_case_new();
    c->options.batch_max = RULE_CASE_BATCH;
    engine_case_open(c, NULL);
    engine_case *other = engine_case_neighbour(c, "two");
    other->options.batch_max = RULE_CASE_BATCH;
    engine_case_open(other, NULL);
    c->engine->wake.taken = taken_before;
    rule_case_play_herd(c, other, &herd);
    engine_case_free(other);
    engine_case_free(c);
    return herd;
}

/* The other one takes a batch of the same page each time, right before c loads or saves what it
 * took. Were it the same batch, c would get nothing. */
STF_TEST(r14_two_engines_share_what_is_due_and_each_is_done_once)
{
    rule_case_herd herd = play_herd("save_many", 0);
    ck_assert_uint_gt(herd.lost, 0);
    ck_assert_uint_lt(2 * herd.lost, herd.fired[0]);
    ck_assert_uint_gt(3 * herd.fired[0], herd.fired[1]);
}

STF_TEST(r14_what_another_engine_has_moved_on_is_not_even_loaded)
{
    rule_case_herd herd = play_herd("load_many", 0);
    ck_assert_uint_eq(herd.lost, 0);
    ck_assert_uint_eq(herd.loaded, herd.fired[0]);
    ck_assert_uint_gt(3 * herd.fired[0], herd.fired[1]);
}

STF_TEST(r14_a_place_where_others_are_is_left_however_long_one_was_alone)
{
    ck_assert(play_herd("save_many", 0).has_left);
    ck_assert(play_herd("load_many", 1000000000).has_left);
}

STF_TEST(r14_an_engine_without_company_stays_in_the_order_of_the_page)
{
    rule_case_herd herd = play_herd("no such call", 0);
    ck_assert(!herd.has_left);
    ck_assert_uint_eq(herd.fired[0], RULE_CASE_HERD);
}

static void put_cursor(stf__cursor *cursor, int64_t us, const char *id)
{
    cursor->at = (stf_wall){us};
    snprintf(cursor->text, sizeof(cursor->text), "%s", id);
    cursor->id = (stf_str){cursor->text, strlen(id)};
}

/* Between two polls, so that no full look helps. */
STF_TEST(r14_a_look_that_begins_in_the_middle_comes_round_to_the_beginning)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_timer);
    for (int i = 0; i < 5; i++) {
        engine_case_start(c, NULL, NULL);
    }
    engine_case_idle(c);
    c->engine->poll_us = SECONDS(100000);
    c->engine->wake.next_poll.us += SECONDS(100000);
    atomic_fetch_add(&c->clock.us, SECONDS(3601));
    put_cursor(&c->engine->wake.dues, CASE_BEGIN_US + SECONDS(3601), "zzz"); /* behind them all */
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TIMER_FIRED), 5);
    engine_case_free(c);
}

/* ---- Slots -------------------------------------------------------------------------------------
 */

STF_TEST(work_without_a_slot_waits_in_the_store_and_starts_when_one_is_free)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, all_topics); /* inline: one slot */
    engine_case_deploy(c, case_work);
    for (int i = 0; i < 20; i++) {
        engine_case_start(c, NULL, NULL);
    }
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 20);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_INSTANCE_COMPLETED), 20);
    ck_assert_uint_eq(c->running_max, 1);
    engine_case_free(c);
}

STF_TEST(only_work_that_has_a_slot_is_marked_as_started)
{
    engine_case *c = engine_case_new();
    size_t started = 0;
    engine_case_open(c, all_topics); /* inline: one slot */
    engine_case_deploy(c, "<startEvent id='s'/><parallelGateway id='g'/><serviceTask id='a'/>"
                          "<serviceTask id='b'/><endEvent id='e'/><endEvent id='e2'/>"
                          "<sequenceFlow id='f1' sourceRef='s' targetRef='g'/>"
                          "<sequenceFlow id='f2' sourceRef='g' targetRef='a'/>"
                          "<sequenceFlow id='f3' sourceRef='g' targetRef='b'/>"
                          "<sequenceFlow id='f4' sourceRef='a' targetRef='e'/>"
                          "<sequenceFlow id='f5' sourceRef='b' targetRef='e2'/>");
    engine_case_start(c, "i1", NULL);
    stf_value *view = engine_case_view(c, "i1");
    const stf_value *jobs = stf_value_peek(view, stf_str_of("jobs"));
    ck_assert_uint_eq(stf_value_count(jobs), 2);
    for (size_t i = 0; i < 2; i++) {
        const stf_value *job = stf_value_peek_item(jobs, i);
        started += stf_value_is_true(stf_value_peek(job, stf_str_of("started"))) ? 1 : 0;
    }
    ck_assert_uint_eq(started, 1); /* a crash now leaves the other one certain */
    stf_value_unref(view);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
}

STF_TEST(work_without_a_handler_waits_until_an_engine_has_one)
{
    static const char *const other_topic[] = {"other", NULL};
    static const char *const this_topic[] = {"work", NULL};
    engine_case *c = engine_case_new();
    engine_case_open(c, other_topic);
    engine_case_deploy(c, case_work);
    engine_case_start(c, "i1", NULL);
    engine_case_idle(c);
    ck_assert_uint_eq(c->call_count, 0);
    case_record record = engine_case_record(c, "i1");
    ck_assert_str_eq(record.owner, "");
    engine_case_close(c);
    engine_case_open(c, this_topic);
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
}

/* ---- Bad records -------------------------------------------------------------------------------
 */

/* A due record with that head beside the good ones. */
static void plant(engine_case *c, const char *id, const char *head, size_t size)
{
    stf_save save = STF_SAVE_INIT;
    stf_record record = STF_RECORD_INIT;
    stf_save_result result;
    record.id = stf_str_of(id);
    record.group = stf_str_of("g");
    record.head = (stf_bytes){(const uint8_t *)head, size};
    record.due = (stf_wall){CASE_BEGIN_US};
    save.record = &record;
    STF_CHECK_OK(stf_repository_save(c->store, NULL, &save, &result, &c->error), &c->error);
}

STF_TEST(a_newer_record_is_left_untouched_and_a_damaged_one_is_an_incident_with_its_bytes)
{
    engine_case *c = engine_case_new();
    stf_value *view = NULL;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_timer);
    engine_case_start(c, "i1", NULL);
    plant(c, "a-newer", "STFD\xff\xff\xff\xff", 8);
    plant(c, "b-garbage", "nonsense", 8);
    plant(c, "c-empty", "", 0);
    engine_case_advance(c, SECONDS(3600));
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    static const char *const ids[] = {"a-newer", "b-garbage", "c-empty"};
    for (size_t i = 0; i < 3; i++) {
        bool is_damaged = i != 0;
        case_record record = engine_case_record(c, ids[i]);
        ck_assert_int_eq(record.version, is_damaged ? 2 : 1);
        ck_assert_int_eq(record.due.us, is_damaged ? STF_WALL_NONE_US : CASE_BEGIN_US);
        ck_assert_uint_eq(record.status, is_damaged ? STF_RECORD_INCIDENT : STF_RECORD_ACTIVE);
        ck_assert_uint_eq(record.head_size, i == 2 ? 0 : 8);
        ck_assert_int_ne(stf_engine_get_instance(c->engine, NULL, stf_str_of(ids[i]), &view, NULL),
                         STF_OK);
        ck_assert_int_ne(stf_engine_complete_task(c->engine, NULL, stf_str_of(ids[i]), 1,
                                                  stf_str_of("x"), NULL, &c->error),
                         STF_OK);
    }
    size_t skipped = engine_case_facts_of(c, STF_FACT_RECORD_SKIPPED);
    ck_assert_uint_ge(skipped, 3);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_RECORD_CORRUPT), 2);
    ck_assert_uint_lt(skipped, 3 * 30); /* left alone for longer each time */
    /* They are listed, and say why they cannot be shown. */
    STF_CHECK_OK(stf_engine_list_instances(c->engine, NULL, NULL, &view, &c->error), &c->error);
    ck_assert_uint_eq(stf_value_count(view), 4);
    ck_assert_ptr_nonnull(stf_value_peek(stf_value_peek_item(view, 0), stf_str_of("unreadable")));
    stf_value_unref(view);
    engine_case_free(c);
}

STF_TEST(an_instance_without_its_definition_is_skipped)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_timer);
    engine_case_start(c, "i1", NULL);
    engine_case_close(c);
    /* Another store for definitions: as if the row were gone. */
    stf_memory *empty = NULL;
    stf_definition_store_close(c->definitions);
    STF_CHECK_OK(stf_memory_new(NULL, &empty, &c->error), &c->error);
    STF_CHECK_OK(stf_memory_open_definitions(empty, &c->definitions, &c->error), &c->error);
    stf_memory_unref(empty);
    atomic_fetch_add(&c->clock.us, SECONDS(3600));
    engine_case_open(c, NULL);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "i1"), "active");
    ck_assert_int_eq(engine_case_record(c, "i1").version, 1);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_RECORD_SKIPPED), 1);
    engine_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(r2_a_crash_at_every_call_of_the_store_ends_in_the_same_place),
    STF_CASE(a_restarted_engine_needs_no_file),
    STF_CASE(an_instance_stays_on_the_version_that_it_was_started_with),
    STF_CASE(r15_a_record_overdue_by_more_than_a_lease_is_claimed_before_its_step),
    STF_CASE(r14_two_engines_share_what_is_due_and_each_is_done_once),
    STF_CASE(r14_what_another_engine_has_moved_on_is_not_even_loaded),
    STF_CASE(r14_a_place_where_others_are_is_left_however_long_one_was_alone),
    STF_CASE(r14_an_engine_without_company_stays_in_the_order_of_the_page),
    STF_CASE(r14_a_look_that_begins_in_the_middle_comes_round_to_the_beginning),
    STF_CASE(work_without_a_slot_waits_in_the_store_and_starts_when_one_is_free),
    STF_CASE(only_work_that_has_a_slot_is_marked_as_started),
    STF_CASE(work_without_a_handler_waits_until_an_engine_has_one),
    STF_CASE(a_newer_record_is_left_untouched_and_a_damaged_one_is_an_incident_with_its_bytes),
    STF_CASE(an_instance_without_its_definition_is_skipped),
};

STF_TEST_MAIN("wake", cases)
