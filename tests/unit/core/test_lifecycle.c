/* SPDX-License-Identifier: Apache-2.0 */
/* An activation's way through its phases, and what the core does when memory runs out. */
#include "core_case.h"

/* One of everything, so that every allocation of the core is on the way. */
static const char everything[] =
    "<property id='total'/><startEvent id='s'/>"
    "<sequenceFlow id='f0' sourceRef='s' targetRef='fork'/><parallelGateway id='fork'/>"
    "<sequenceFlow id='f1' sourceRef='fork' targetRef='u'/>"
    "<sequenceFlow id='f2' sourceRef='fork' targetRef='w'/>"
    "<sequenceFlow id='f3' sourceRef='fork' targetRef='c'/>"
    "<sequenceFlow id='f4' sourceRef='fork' targetRef='x'/>"
    "<userTask id='u'/><serviceTask id='w' stepfast:handler='${topic}'/>"
    "<intermediateCatchEvent id='c'><timerEventDefinition><timeDuration>${d}</timeDuration>"
    "</timerEventDefinition></intermediateCatchEvent>"
    "<boundaryEvent id='b' attachedToRef='u' cancelActivity='false'><timerEventDefinition>"
    "<timeDuration>PT30M</timeDuration></timerEventDefinition></boundaryEvent>"
    "<sequenceFlow id='f5' sourceRef='b' targetRef='e'/>"
    "<exclusiveGateway id='x'/><sequenceFlow id='f6' sourceRef='x' targetRef='j'>"
    "<conditionExpression>${n == 2}</conditionExpression></sequenceFlow>"
    "<sequenceFlow id='f7' sourceRef='u' targetRef='j'/>"
    "<sequenceFlow id='f8' sourceRef='w' targetRef='j'/>"
    "<sequenceFlow id='f9' sourceRef='c' targetRef='j'/>"
    "<parallelGateway id='j'/><sequenceFlow id='f10' sourceRef='j' targetRef='e'/>"
    "<endEvent id='e'/>";

/* Scopes within each other, with all that a scope can hold, guarded by all that can guard one. */
static const char errors[] = "<error id='E' errorCode='one'/><message id='M' name='m'/>";
static const char scoped[] =
    "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='sub'/>"
    "<sequenceFlow id='f2' sourceRef='sub' targetRef='e'/><endEvent id='e'/>"
    "<subProcess id='sub'><property id='own'/><startEvent id='i'/>"
    "<sequenceFlow id='g1' sourceRef='i' targetRef='w'/>"
    "<sequenceFlow id='g2' sourceRef='i' targetRef='deep'/>"
    "<sequenceFlow id='g3' sourceRef='i' targetRef='j'/>"
    "<sequenceFlow id='g4' sourceRef='i' targetRef='x'/>"
    "<serviceTask id='w' stepfast:handler='h'/>"
    "<sequenceFlow id='g5' sourceRef='w' targetRef='j'/><parallelGateway id='j'/>"
    "<exclusiveGateway id='x'/><sequenceFlow id='g6' sourceRef='x' targetRef='w'>"
    "<conditionExpression>${false}</conditionExpression></sequenceFlow>"
    "<subProcess id='deep'><userTask id='a'/>"
    "<sequenceFlow id='h1' sourceRef='a' targetRef='bang'/>"
    "<endEvent id='bang'><errorEventDefinition errorRef='E'/></endEvent>"
    "<userTask id='b'/><sequenceFlow id='h2' sourceRef='b' targetRef='t'/>"
    "<endEvent id='t'><terminateEventDefinition/></endEvent>"
    "<intermediateCatchEvent id='c'><messageEventDefinition messageRef='M'/>"
    "</intermediateCatchEvent></subProcess></subProcess>"
    "<boundaryEvent id='caught' attachedToRef='sub'><errorEventDefinition errorRef='E' "
    "stepfast:errorCodeVariable='code'/></boundaryEvent>"
    "<sequenceFlow id='f3' sourceRef='caught' targetRef='e'/>"
    "<boundaryEvent id='late' attachedToRef='sub'><timerEventDefinition>"
    "<timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent>"
    "<sequenceFlow id='f4' sourceRef='late' targetRef='e'/>";

static core_case *start_scoped(void)
{
    core_case *c = core_case_load_in(errors, scoped);
    core_case_start(c, NULL);
    core_case_start_work(c, "w");
    core_case_expect_waiting(c, "a b c w");
    return c;
}

STF_TEST(trap_55_what_a_scope_holds_is_told_one_end_however_the_scope_ends)
{
    core_case *c = start_scoped();
    core_case_task(c, "a", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_completed(c, "caught", 1);
    core_case_expect_variable(c, "code", "\"one\"");
    ck_assert_uint_eq(c->effects.cancelled_count, 1);
    core_case_expect_one_end_each(c);
    core_case_free(c);

    c = start_scoped();
    core_case_advance(c, SECONDS(3600));
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_completed(c, "late", 1);
    core_case_expect_one_end_each(c);
    core_case_free(c);

    c = start_scoped();
    core_case_task(c, "b", NULL); /* terminates the inner one */
    core_case_expect_completed(c, "deep", 1);
    core_case_expect_waiting(c, "w");
    stf__event drop = {.kind = STF__EVENT_DROP};
    STF_CHECK_OK(core_case_step(c, &drop), &c->error);
    core_case_answer(c, "w", STF__WORK_COMPLETED, NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_completed(c, "sub", 1);
    core_case_expect_one_end_each(c);
    core_case_free(c);

    c = start_scoped();
    stf__event cancel = {.kind = STF__EVENT_CANCEL, .message = stf_str_of("not wanted any more")};
    STF_CHECK_OK(core_case_step(c, &cancel), &c->error);
    ck_assert_uint_eq(c->doc->end_how, STF__END_CANCELLED);
    ck_assert_str_eq(c->doc->end_message, "not wanted any more");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INSTANCE_CANCELLED, NULL), 1);
    ck_assert_uint_eq(c->effects.cancelled_count, 1);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(trap_55_every_entered_activation_is_told_exactly_one_end)
{
    core_case *c = core_case_load(everything);
    core_case_start(c, "{\"n\": 1, \"topic\": \"h\", \"d\": \"PT1H\"}");
    core_case_expect_incident(c, "x", "no_flow", "\"x\"");
    core_case_set(c, "{\"n\": 2}");
    core_case_retry(c);
    core_case_work(c, "w", NULL);
    core_case_advance(c, SECONDS(3600));
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    core_case_task(c, "u", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_completed(c, "b", 1);
    core_case_expect_completed(c, "e", 2);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(several_incoming_flows_do_not_join)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='a'/>"
        "<sequenceFlow id='f2' sourceRef='s' targetRef='b'/><task id='a'/><task id='b'/>"
        "<sequenceFlow id='f3' sourceRef='a' targetRef='u'/>"
        "<sequenceFlow id='f4' sourceRef='b' targetRef='u'/><userTask id='u'/>");
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "u u");
    core_case_free(c);
}

STF_TEST(an_incident_that_its_node_cannot_have_is_corrupt)
{
    core_case *c =
        core_case_load("<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='w'/>"
                       "<serviceTask id='w' stepfast:handler='h'/>");
    core_case *other =
        core_case_load("<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='w'/>"
                       "<userTask id='w'/>");
    core_case_start(c, NULL);
    core_case_answer(c, "w", STF__WORK_FAILED, "no");
    const stf__process *own = c->process;
    c->process = other->process;
    stf__event retry = {.kind = STF__EVENT_RETRY};
    stf__core_inputs inputs = {.now = c->now};
    ck_assert_int_eq(stf__core_step(c->doc, c->process, &retry, &inputs, &c->effects, &c->error),
                     STF_CORRUPT);
    c->process = own;
    core_case_free(other);
    core_case_free(c);
}

/* ---- Out of memory: the n-th allocation fails, for every n. */

typedef struct counting {
    stf_allocator port;
    size_t calls;
    size_t fail_at; /* 0: never */
    size_t live;
} counting;

static bool is_refused(counting *memory)
{
    return ++memory->calls == memory->fail_at;
}

static void *counting_alloc(void *user, size_t size)
{
    counting *memory = user;
    void *block = is_refused(memory) ? NULL : malloc(size);
    memory->live += block != NULL ? 1 : 0;
    return block;
}

static void *counting_realloc(void *user, void *old, size_t size)
{
    counting *memory = user;
    void *block = is_refused(memory) ? NULL : realloc(old, size);
    memory->live += block != NULL && old == NULL ? 1 : 0;
    return block;
}

static void counting_free(void *user, void *block)
{
    counting *memory = user;
    memory->live -= block != NULL ? 1 : 0;
    free(block);
}

static void counting_init(counting *memory, size_t fail_at)
{
    *memory = (counting){.fail_at = fail_at};
    memory->port = (stf_allocator){.struct_size = sizeof(stf_allocator),
                                   .abi = STF_ALLOCATOR_ABI,
                                   .user = memory,
                                   .alloc = counting_alloc,
                                   .realloc = counting_realloc,
                                   .free = counting_free};
}

/* Everything that the engine does with a document around one event. */
static stf_status run_turn(const stf_allocator *alloc, const core_case *c, const stf_buf *head,
                           const stf_buf *bulk, const stf__event *event, bool *ret_stepped)
{
    stf__doc *doc = NULL;
    stf_value *view = NULL;
    stf_buf new_head;
    stf_buf new_bulk;
    stf__arena arena;
    stf__effects effects;
    stf__doc_summary summary;
    bool has_changed = false;
    stf_buf_init(&new_head, alloc);
    stf_buf_init(&new_bulk, alloc);
    stf__arena_init(&arena, alloc);
    stf__effects_init(&effects, &arena);
    stf__core_inputs inputs = {.now = c->now};
    stf_status status =
        stf__doc_decode(alloc, stf_buf_bytes(head), stf_buf_bytes(bulk), &doc, NULL);
    ck_assert((status == STF_OK) == (doc != NULL));
    if (status == STF_OK) {
        status = stf__core_step(doc, c->process, event, &inputs, &effects, NULL);
        *ret_stepped = status == STF_OK;
    }
    stf__work_item item;
    if (status == STF_OK && stf__doc_next_work(doc, 0, &item) && !item.is_started) {
        status = stf__doc_mark_started(doc, item.activation, 1, false, c->now, &effects, NULL);
    }
    if (status == STF_OK) {
        status = stf__doc_summarise(doc, &arena, &summary, NULL);
    }
    if (status == STF_OK) {
        status = stf__doc_view(doc, c->process, &view, NULL);
        ck_assert((status == STF_OK) == (view != NULL));
    }
    if (status == STF_OK) {
        status = stf__doc_encode(doc, &new_head, &new_bulk, &has_changed, NULL);
        ck_assert(status == STF_OK || (new_head.size == 0 && new_bulk.size == 0));
    }
    stf_value_unref(view);
    stf_buf_done(&new_head);
    stf_buf_done(&new_bulk);
    stf__arena_done(&arena);
    stf__doc_free(doc);
    return status;
}

static size_t fail_each_allocation(const core_case *c, const stf_buf *head, const stf_buf *bulk,
                                   const stf__event *event)
{
    for (size_t n = 1;; n++) {
        counting memory;
        counting_init(&memory, n);
        bool has_stepped = false;
        stf_status status = run_turn(&memory.port, c, head, bulk, event, &has_stepped);
        ck_assert_msg(memory.live == 0, "%zu blocks leak when allocation %zu fails", memory.live,
                      n);
        if (memory.calls < n) {
            STF_CHECK_OK(status, (stf_error *)NULL);
            return n;
        }
        ck_assert_msg(status == STF_NO_MEMORY, "%s when allocation %zu fails",
                      stf_status_name(status), n);
    }
}

STF_TEST(out_of_memory_is_told_and_leaks_nothing_at_every_allocation)
{
    char json[1200];
    snprintf(json, sizeof(json),
             "{\"n\": 1, \"topic\": \"h\", \"d\": \"PT1H\", \"big\": \"%01000d\"}", 1);
    core_case *c = core_case_load(everything);
    stf_value *variables = core_case_json(json);
    stf_buf head;
    stf_buf bulk;
    stf__event start = {.kind = STF__EVENT_START, .variables = variables};
    core_case_encode(c, &head, &bulk);
    ck_assert_uint_gt(fail_each_allocation(c, &head, &bulk, &start), 50);
    stf_buf_done(&head);
    stf_buf_done(&bulk);

    core_case_start(c, json);
    stf__event events[] = {
        {.kind = STF__EVENT_WAKE},
        {.kind = STF__EVENT_TASK, .element = stf_str_of("u"), .variables = variables},
        {.kind = STF__EVENT_RETRY},
        {.kind = STF__EVENT_WORK,
         .outcome = STF__WORK_BPMN_ERROR,
         .activation = core_case_find_work(c, "w").activation,
         .attempt = 1,
         .code = stf_str_of("E"),
         .message = stf_str_of("why")},
    };
    c->now.us += SECONDS(7200);
    core_case_encode(c, &head, &bulk);
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        ck_assert_uint_gt(fail_each_allocation(c, &head, &bulk, &events[i]), 50);
    }
    stf_buf_done(&head);
    stf_buf_done(&bulk);
    stf_value_unref(variables);
    core_case_free(c);
}

STF_TEST(out_of_memory_in_scopes_is_told_and_leaks_nothing_at_every_allocation)
{
    core_case *c = core_case_load_in(errors, scoped);
    stf_buf head;
    stf_buf bulk;
    stf__event start = {.kind = STF__EVENT_START};
    core_case_encode(c, &head, &bulk);
    ck_assert_uint_gt(fail_each_allocation(c, &head, &bulk, &start), 50);
    stf_buf_done(&head);
    stf_buf_done(&bulk);
    core_case_free(c);

    c = start_scoped();
    stf__event events[] = {
        {.kind = STF__EVENT_TASK, .element = stf_str_of("a")},
        {.kind = STF__EVENT_TASK, .element = stf_str_of("b")},
        {.kind = STF__EVENT_WAKE},
        {.kind = STF__EVENT_CANCEL, .message = stf_str_of("why")},
        {.kind = STF__EVENT_WORK,
         .outcome = STF__WORK_BPMN_ERROR,
         .activation = core_case_find_work(c, "w").activation,
         .attempt = 1,
         .code = stf_str_of("one"),
         .message = stf_str_of("why")},
    };
    c->now.us += SECONDS(7200);
    core_case_encode(c, &head, &bulk);
    for (size_t i = 0; i < STF_COUNT_OF(events); i++) {
        ck_assert_uint_gt(fail_each_allocation(c, &head, &bulk, &events[i]), 30);
    }
    stf_buf_done(&head);
    stf_buf_done(&bulk);
    core_case_free(c);
}

/* What waits for events, and joins that ask who can still come. */
static const char waiting_messages[] =
    "<message id='m' name='${name}'><extensionElements><zeebe:subscription "
    "xmlns:zeebe='http://camunda.org/schema/zeebe/1.0' correlationKey='= k'/></extensionElements>"
    "</message>";
static const char waiting[] =
    "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='g'/>"
    "<sequenceFlow id='f2' sourceRef='s' targetRef='t'/><eventBasedGateway id='g'/>"
    "<sequenceFlow id='f3' sourceRef='g' targetRef='c'/><intermediateCatchEvent id='c'>"
    "<messageEventDefinition messageRef='m'/></intermediateCatchEvent>"
    "<sequenceFlow id='f4' sourceRef='g' targetRef='d'/><intermediateCatchEvent id='d'>"
    "<timerEventDefinition><timeCycle>${cycle}</timeCycle></timerEventDefinition>"
    "</intermediateCatchEvent><userTask id='t'/><boundaryEvent id='b' attachedToRef='t' "
    "cancelActivity='false'><timerEventDefinition><timeCycle>R/PT1H</timeCycle>"
    "</timerEventDefinition></boundaryEvent><boundaryEvent id='n' attachedToRef='t' "
    "cancelActivity='false'><messageEventDefinition messageRef='m'/></boundaryEvent>"
    "<inclusiveGateway id='j'/><sequenceFlow id='f5' sourceRef='c' targetRef='j'/>"
    "<sequenceFlow id='f6' sourceRef='d' targetRef='j'/>"
    "<sequenceFlow id='f7' sourceRef='t' targetRef='j'/>"
    "<sequenceFlow id='f8' sourceRef='b' targetRef='j'/>";

STF_TEST(out_of_memory_in_events_and_joins_is_told_and_leaks_nothing_at_every_allocation)
{
    static const char json[] = "{\"name\": \"paid\", \"k\": 7, \"cycle\": \"R3/PT2H\"}";
    core_case *c = core_case_load_in(waiting_messages, waiting);
    stf_value *variables = core_case_json(json);
    stf_buf head;
    stf_buf bulk;
    const stf__event events[] = {
        {.kind = STF__EVENT_START, .variables = variables},
        {.kind = STF__EVENT_MESSAGE, .name = stf_str_of("paid"), .key = stf_str_of("7")},
        {.kind = STF__EVENT_MESSAGE, .name = stf_str_of("paid"), .key = stf_str_of("7")},
        {.kind = STF__EVENT_WAKE},
        {.kind = STF__EVENT_TASK, .element = stf_str_of("t"), .variables = variables},
    };
    for (size_t i = 0; i < STF_COUNT_OF(events); i++) {
        core_case_encode(c, &head, &bulk);
        ck_assert_uint_gt(fail_each_allocation(c, &head, &bulk, &events[i]), 20);
        stf_buf_done(&head);
        stf_buf_done(&bulk);
        STF_CHECK_OK(core_case_step(c, &events[i]), &c->error);
        c->now.us += SECONDS(3600);
    }
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    stf_value_unref(variables);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(trap_55_what_a_scope_holds_is_told_one_end_however_the_scope_ends),
    STF_CASE(out_of_memory_in_scopes_is_told_and_leaks_nothing_at_every_allocation),
    STF_CASE(trap_55_every_entered_activation_is_told_exactly_one_end),
    STF_CASE(several_incoming_flows_do_not_join),
    STF_CASE(an_incident_that_its_node_cannot_have_is_corrupt),
    STF_CASE(out_of_memory_is_told_and_leaks_nothing_at_every_allocation),
    STF_CASE(out_of_memory_in_events_and_joins_is_told_and_leaks_nothing_at_every_allocation),
};

STF_TEST_MAIN("core/lifecycle", cases)
