/* SPDX-License-Identifier: Apache-2.0 */
/* The outbox and the senders heard (R5, R18). */
#include "doc_case.h"

#define AFTER(us) ((stf_wall){DOC_CASE_NOW_US + (us)})

typedef struct scene {
    stf__doc *doc;
    stf__arena arena;
    stf__effects effects;
    stf_error error;
} scene;

static scene *new_scene(uint32_t kind)
{
    scene *s = calloc(1, sizeof(*s));
    ck_assert_ptr_nonnull(s);
    s->doc = doc_case_new(kind);
    stf__arena_init(&s->arena, NULL);
    stf__effects_init(&s->effects, &s->arena);
    stf_error_init(&s->error);
    return s;
}

static void free_scene(scene *s)
{
    stf__doc_free(s->doc);
    stf__arena_done(&s->arena);
    free(s);
}

static stf__send_item message(const char *name, const char *key, stf_wall until)
{
    return (stf__send_item){.kind = STF__SEND_MESSAGE,
                            .name = stf_str_of(name),
                            .key = stf_str_of(key),
                            .until = until};
}

static stf__send_item call(const char *target)
{
    return (stf__send_item){.kind = STF__SEND_CREATE,
                            .name = stf_str_of("callee"),
                            .target = stf_str_of(target),
                            .until = stf_wall_none()};
}

static uint64_t add(scene *s, stf__send_item item)
{
    STF_CHECK_OK(stf__doc_add_send(s->doc, &item, AFTER(0), &s->error), &s->error);
    return s->doc->counters.send;
}

static stf__send_item get(const scene *s, uint64_t number)
{
    stf__send_item item;
    for (size_t i = 0; stf__doc_get_send(s->doc, i, &item); i++) {
        if (item.number == number) {
            return item;
        }
    }
    ck_abort_msg("no entry %llu", (unsigned long long)number);
    return item;
}

static bool may_send(const scene *s, uint64_t number)
{
    stf__send_item item = get(s, number);
    return stf__doc_may_send(s->doc, &item);
}

static bool may_aim(const scene *s, uint64_t number)
{
    stf__send_item item = get(s, number);
    return stf__doc_may_aim(s->doc, &item);
}

static stf_status aim(scene *s, uint64_t number, const char *target, const char *queue, int64_t us)
{
    return stf__doc_aim(s->doc, number, stf_str_of(target), stf_str_of(queue), AFTER(us),
                        &s->effects, &s->error);
}

static void expect_last_fact(const scene *s, uint32_t kind, const char *name)
{
    ck_assert_uint_gt(s->effects.fact_count, 0);
    const stf__fact_row *fact = &s->effects.facts[s->effects.fact_count - 1];
    ck_assert_uint_eq(fact->kind, kind);
    STF_CHECK_STR(fact->detail, name);
}

STF_TEST(an_entry_keeps_what_it_was_made_of)
{
    scene *s = new_scene(STF__DOC_INSTANCE);
    stf_value *variables = NULL;
    STF_CHECK_OK(stf_value_parse_json(NULL, stf_str_of("{\"a\": 1}"), &variables, NULL),
                 (stf_error *)NULL);
    char code[] = "E-1";
    char text[] = "why";
    stf__send_item item = {.number = 77,
                           .sequence = 77,
                           .kind = STF__SEND_RESULT,
                           .how = STF__CHILD_ERROR,
                           .target_activation = 4,
                           .element = stf_str_of("end"),
                           .target = stf_str_of("parent"),
                           .code = stf_str_of(code),
                           .message = stf_str_of(text),
                           .variables = variables,
                           .until = stf_wall_none(),
                           .since = AFTER(-50)};
    add(s, item);
    memset(code, 'x', 3);
    memset(text, 'x', 3);
    stf_value_unref(variables);
    stf__send_item kept = get(s, 1);
    ck_assert_uint_eq(kept.sequence, 1);
    ck_assert_int_eq(kept.since.us, DOC_CASE_NOW_US);
    ck_assert_uint_eq(kept.target_activation, 4);
    STF_CHECK_STR(kept.element, "end");
    STF_CHECK_STR(kept.target, "parent");
    STF_CHECK_STR(kept.code, "E-1");
    STF_CHECK_STR(kept.message, "why");
    ck_assert_uint_eq(stf_value_count(kept.variables), 1);
    ck_assert(!stf__doc_get_send(s->doc, 1, &kept));
    doc_case_check(s->doc);
    free_scene(s);
}

STF_TEST(a_sequence_is_drawn_when_the_receiver_is_known)
{
    scene *s = new_scene(STF__DOC_INSTANCE);
    uint64_t early = add(s, message("m", "", stf_wall_none()));
    uint64_t late = add(s, call("c-1"));
    ck_assert_uint_eq(get(s, early).sequence, 0);
    ck_assert_uint_eq(get(s, late).sequence, 1);
    ck_assert_int_eq(aim(s, early, "i-2", "q", 0), STF_OK);
    ck_assert_uint_eq(get(s, early).sequence, 2);
    expect_last_fact(s, STF_FACT_MESSAGE_SENT, "m");
    doc_case_check(s->doc);
    free_scene(s);
}

STF_TEST(r5_entries_for_one_receiver_go_out_in_the_order_of_their_sequences)
{
    scene *s = new_scene(STF__DOC_INSTANCE);
    uint64_t first = add(s, message("m", "", stf_wall_none()));
    uint64_t second = add(s, call("i-2"));
    uint64_t other = add(s, call("i-3"));
    ck_assert(!may_send(s, first)); /* not aimed */
    ck_assert(may_send(s, second) && may_send(s, other));
    ck_assert_int_eq(aim(s, first, "i-2", "", 0), STF_OK);
    ck_assert(!may_send(s, first)); /* aimed later: it has the greater sequence */
    ck_assert(may_send(s, second));
    stf__doc_remove_send(s->doc, second);
    ck_assert(may_send(s, first));
    free_scene(s);
}

STF_TEST(r5_messages_of_one_name_and_key_are_aimed_in_the_order_they_were_sent)
{
    scene *s = new_scene(STF__DOC_INSTANCE);
    uint64_t first = add(s, message("m", "k", stf_wall_none()));
    uint64_t second = add(s, message("m", "k", stf_wall_none()));
    uint64_t of_other_key = add(s, message("m", "l", stf_wall_none()));
    uint64_t a_call = add(s, call("c-1"));
    ck_assert(may_aim(s, first) && may_aim(s, of_other_key));
    ck_assert(!may_aim(s, second) && !may_aim(s, a_call));
    ck_assert_int_eq(aim(s, first, "i-2", "", 0), STF_OK);
    ck_assert(!may_aim(s, first));  /* is aimed */
    ck_assert(!may_aim(s, second)); /* the first is not there yet */
    stf__doc_remove_send(s->doc, first);
    ck_assert(may_aim(s, second));
    free_scene(s);
}

STF_TEST(a_message_that_nobody_waits_for_is_dropped_or_kept_as_its_time_says)
{
    static const struct {
        uint32_t kind;
        int64_t until_us; /* 0: not to be kept */
        const char *queue;
        uint32_t fact; /* 0: none */
        bool is_there;
        bool is_to_queue;
    } rows[] = {
        {STF__DOC_INSTANCE, 0, "q-1", STF_FACT_MESSAGE_DROPPED, false, false},
        {STF__DOC_INSTANCE, 99, "q-1", STF_FACT_MESSAGE_DROPPED, false, false},
        {STF__DOC_INSTANCE, 100, "q-1", STF_FACT_MESSAGE_DROPPED, false, false},
        {STF__DOC_INSTANCE, 101, "q-1", STF_FACT_MESSAGE_KEPT, true, true},
        {STF__DOC_INSTANCE, 101, "", STF_FACT_MESSAGE_DROPPED, false, false},
        {STF__DOC_QUEUE, 100, "q-1", STF_FACT_MESSAGE_DROPPED, false, false},
        {STF__DOC_QUEUE, 101, "q-1", 0, true, false},
    };
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        scene *s = new_scene(rows[i].kind);
        stf_wall until = rows[i].until_us != 0 ? AFTER(rows[i].until_us) : stf_wall_none();
        uint64_t number = add(s, message("m", "k", until));
        ck_assert_int_eq(aim(s, number, "", rows[i].queue, 100), STF_OK);
        ck_assert((stf__doc_find_send(s->doc, number) != NULL) == rows[i].is_there);
        ck_assert_uint_eq(s->effects.fact_count, rows[i].fact != 0 ? 1 : 0);
        if (rows[i].fact != 0) {
            expect_last_fact(s, rows[i].fact, "m");
        }
        if (rows[i].is_there) {
            stf__send_item item = get(s, number);
            ck_assert(item.is_to_queue == rows[i].is_to_queue);
            STF_CHECK_STR(item.target, rows[i].is_to_queue ? rows[i].queue : "");
        }
        doc_case_check(s->doc);
        free_scene(s);
    }
}

STF_TEST(what_is_aimed_or_no_message_is_not_aimed_again)
{
    scene *s = new_scene(STF__DOC_INSTANCE);
    uint64_t a_message = add(s, message("m", "", stf_wall_none()));
    uint64_t a_call = add(s, call("c-1"));
    ck_assert_int_eq(aim(s, a_message, "i-2", "", 0), STF_OK);
    ck_assert_int_eq(aim(s, a_message, "i-3", "", 0), STF_NOT_FOUND);
    ck_assert_int_eq(aim(s, a_call, "i-3", "", 0), STF_NOT_FOUND);
    ck_assert_int_eq(aim(s, 99, "i-3", "", 0), STF_NOT_FOUND);
    STF_CHECK_STR(get(s, a_message).target, "i-2");
    free_scene(s);
}

STF_TEST(others_may_deliver_after_two_seconds_and_then_ever_later)
{
    scene *s = new_scene(STF__DOC_INSTANCE);
    stf__doc *doc = s->doc;
    ck_assert(stf_wall_is_none(doc->outbox_due));
    stf__doc_postpone_outbox(doc, AFTER(0));
    ck_assert(stf_wall_is_none(doc->outbox_due));
    uint64_t first = add(s, call("c-1"));
    ck_assert_int_eq(doc->outbox_due.us, DOC_CASE_NOW_US + 2000000);
    stf__doc_postpone_outbox(doc, AFTER(1999999)); /* not yet */
    ck_assert_int_eq(doc->outbox_due.us, DOC_CASE_NOW_US + 2000000);
    static const int64_t waits_s[] = {4, 8, 16, 32, 64, 128, 256, 300, 300};
    for (size_t i = 0; i < STF_COUNT_OF(waits_s); i++) {
        stf_wall due = doc->outbox_due;
        stf__doc_postpone_outbox(doc, due);
        ck_assert_int_eq(doc->outbox_due.us, due.us + waits_s[i] * 1000000);
    }
    uint64_t second = add(s, call("c-2")); /* a new one is not held up by the old one */
    ck_assert_int_eq(doc->outbox_due.us, DOC_CASE_NOW_US + 2000000);
    ck_assert_uint_eq(doc->outbox_tries, 0);
    stf__doc_remove_send(doc, first);
    ck_assert(!stf_wall_is_none(doc->outbox_due));
    stf__doc_remove_send(doc, second);
    ck_assert(stf_wall_is_none(doc->outbox_due));
    doc_case_check(doc);
    free_scene(s);
}

STF_TEST(a_full_outbox_takes_no_messages_and_calls_but_still_tells_how_an_instance_ended)
{
    static const struct {
        uint32_t kind;
        uint32_t limit;
    } rows[] = {{STF__DOC_QUEUE, STF_LIMIT_QUEUE}, {STF__DOC_INSTANCE, STF_LIMIT_OUTBOX}};
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        scene *s = new_scene(rows[i].kind);
        for (uint32_t k = 0; k < rows[i].limit; k++) {
            add(s, message("m", "k", AFTER(5)));
        }
        stf__send_item one_more = message("m", "k", AFTER(5));
        ck_assert_int_eq(stf__doc_add_send(s->doc, &one_more, AFTER(0), NULL), STF_LIMIT_EXCEEDED);
        ck_assert_uint_eq(s->doc->counters.send, rows[i].limit);
        stf__send_item cancel = {
            .kind = STF__SEND_CANCEL, .target = stf_str_of("c"), .until = stf_wall_none()};
        ck_assert(rows[i].kind == STF__DOC_QUEUE ||
                  stf__doc_add_send(s->doc, &cancel, AFTER(0), NULL) == STF_OK);
        free_scene(s);
    }
}

STF_TEST(an_entry_that_could_not_be_read_again_is_refused)
{
    static char longest[STF__MESSAGE_BYTES_MAX + 1];
    memset(longest, 'x', sizeof(longest));
    stf_str id = {longest, STF_LIMIT_ID_BYTES + 1};
    stf_str no_utf8 = {"\xff", 1};
    scene *s = new_scene(STF__DOC_INSTANCE);
    const stf__send_item rows[] = {
        {.kind = STF__SEND_MESSAGE, .name = id},
        {.kind = STF__SEND_MESSAGE, .key = id},
        {.kind = STF__SEND_CREATE, .target = id},
        {.kind = STF__SEND_RESULT, .code = id},
        {.kind = STF__SEND_RESULT, .message = {longest, sizeof(longest)}},
        {.kind = STF__SEND_RESULT, .message = no_utf8},
        {.kind = STF__SEND_MESSAGE, .element = no_utf8},
    };
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        ck_assert_int_eq(stf__doc_add_send(s->doc, &rows[i], AFTER(0), NULL), STF_LIMIT_EXCEEDED);
    }
    ck_assert_uint_eq(s->doc->outbox_count, 0);
    free_scene(s);
}

/* ---- Senders heard */

static void hear(scene *s, uint8_t number, uint64_t sequence, int64_t us)
{
    stf__sender sender = doc_case_sender(number, sequence);
    STF_CHECK_OK(stf__doc_hear(s->doc, &sender, AFTER(us), &s->error), &s->error);
}

static bool has_heard(const scene *s, uint8_t number, uint64_t sequence)
{
    stf__sender sender = doc_case_sender(number, sequence);
    return stf__doc_has_heard(s->doc, &sender);
}

STF_TEST(r5_a_sequence_that_was_heard_is_known_and_later_ones_are_not)
{
    scene *s = new_scene(STF__DOC_INSTANCE);
    ck_assert(!has_heard(s, 1, 5));
    hear(s, 1, 5, 0);
    hear(s, 7, 1, 0);
    hear(s, 3, 9, 0);
    ck_assert(has_heard(s, 1, 5) && has_heard(s, 1, 4) && !has_heard(s, 1, 6));
    ck_assert(has_heard(s, 3, 9) && !has_heard(s, 2, 1));
    hear(s, 1, 3, 1); /* an old one makes nothing unheard */
    ck_assert(has_heard(s, 1, 5));
    stf__sender nobody = {.is_given = false};
    STF_CHECK_OK(stf__doc_hear(s->doc, &nobody, AFTER(0), NULL), (stf_error *)NULL);
    ck_assert(!stf__doc_has_heard(s->doc, &nobody));
    ck_assert_uint_eq(s->doc->heard_count, 3);
    doc_case_check(s->doc);
    free_scene(s);
}

STF_TEST(r5_a_sender_is_forgotten_a_day_after_its_last_word)
{
    scene *s = new_scene(STF__DOC_INSTANCE);
    hear(s, 1, 1, 0);
    hear(s, 2, 1, 10);
    hear(s, 3, 1, STF__HEARD_US);
    ck_assert(has_heard(s, 1, 1));
    hear(s, 3, 2, STF__HEARD_US + 5);
    ck_assert(!has_heard(s, 1, 1));
    ck_assert(has_heard(s, 2, 1) && has_heard(s, 3, 2));
    free_scene(s);
}

STF_TEST(of_too_many_senders_the_oldest_is_forgotten)
{
    scene *s = new_scene(STF__DOC_INSTANCE);
    for (uint32_t i = 0; i <= STF_LIMIT_SENDERS; i++) {
        stf__sender sender = {.is_given = true, .sequence = 1};
        sender.nonce[0] = (uint8_t)(i * 37); /* in no order */
        sender.nonce[1] = (uint8_t)(i >> 8);
        sender.nonce[2] = (uint8_t)i;
        STF_CHECK_OK(stf__doc_hear(s->doc, &sender, AFTER(i), NULL), (stf_error *)NULL);
    }
    ck_assert_uint_eq(s->doc->heard_count, STF_LIMIT_SENDERS);
    stf__sender first = {.is_given = true, .sequence = 1};
    ck_assert(!stf__doc_has_heard(s->doc, &first));
    doc_case_check(s->doc);
    free_scene(s);
}

static const stf_test_case cases[] = {
    STF_CASE(an_entry_keeps_what_it_was_made_of),
    STF_CASE(a_sequence_is_drawn_when_the_receiver_is_known),
    STF_CASE(r5_entries_for_one_receiver_go_out_in_the_order_of_their_sequences),
    STF_CASE(r5_messages_of_one_name_and_key_are_aimed_in_the_order_they_were_sent),
    STF_CASE(a_message_that_nobody_waits_for_is_dropped_or_kept_as_its_time_says),
    STF_CASE(what_is_aimed_or_no_message_is_not_aimed_again),
    STF_CASE(others_may_deliver_after_two_seconds_and_then_ever_later),
    STF_CASE(a_full_outbox_takes_no_messages_and_calls_but_still_tells_how_an_instance_ended),
    STF_CASE(an_entry_that_could_not_be_read_again_is_refused),
    STF_CASE(r5_a_sequence_that_was_heard_is_known_and_later_ones_are_not),
    STF_CASE(r5_a_sender_is_forgotten_a_day_after_its_last_word),
    STF_CASE(of_too_many_senders_the_oldest_is_forgotten),
};

STF_TEST_MAIN("core/outbox", cases)
