/* SPDX-License-Identifier: Apache-2.0 */
/* See engine_case.h. */
#include "unit/engine/engine_case.h"

#include <stepfast/value.h>
#include <string.h>

const char case_work[] = "<startEvent id='s'/><serviceTask id='work'/><endEvent id='e'/>"
                         "<sequenceFlow id='f1' sourceRef='s' targetRef='work'/>"
                         "<sequenceFlow id='f2' sourceRef='work' targetRef='e'/>";

const char case_timer[] =
    "<startEvent id='s'/><intermediateCatchEvent id='t'><timerEventDefinition>"
    "<timeDuration>PT1H</timeDuration></timerEventDefinition></intermediateCatchEvent>"
    "<endEvent id='e'/><sequenceFlow id='f1' sourceRef='s' targetRef='t'/>"
    "<sequenceFlow id='f2' sourceRef='t' targetRef='e'/>";

const char case_task[] = "<startEvent id='s'/><userTask id='approve' name='Approve it'/>"
                         "<endEvent id='e'/>"
                         "<sequenceFlow id='f1' sourceRef='s' targetRef='approve'/>"
                         "<sequenceFlow id='f2' sourceRef='approve' targetRef='e'/>";

const char case_order[] =
    "<startEvent id='s'/><serviceTask id='work'/><intermediateCatchEvent id='t'>"
    "<timerEventDefinition><timeDuration>PT5S</timeDuration></timerEventDefinition>"
    "</intermediateCatchEvent><userTask id='approve'/><endEvent id='e'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='work'/>"
    "<sequenceFlow id='f2' sourceRef='work' targetRef='t'/>"
    "<sequenceFlow id='f3' sourceRef='t' targetRef='approve'/>"
    "<sequenceFlow id='f4' sourceRef='approve' targetRef='e'/>";

/* ---- Ports ------------------------------------------------------------------------------------
 */

static stf_wall clock_wall(void *user)
{
    case_clock *clock = user;
    return (stf_wall){CASE_BEGIN_US + atomic_load(&clock->us)};
}

/* Starts above 0, as a boot-time clock does. */
static stf_mono clock_mono(void *user)
{
    case_clock *clock = user;
    return (stf_mono){SECONDS(1000) + atomic_load(&clock->us)};
}

void case_clock_init(case_clock *clock)
{
    atomic_init(&clock->us, 0);
    clock->port = (stf_clock){.struct_size = sizeof(stf_clock),
                              .abi = STF_CLOCK_ABI,
                              .user = clock,
                              .wall = clock_wall,
                              .mono = clock_mono};
}

static void fill_random(void *user, void *bytes, size_t size)
{
    engine_case *c = user;
    uint8_t *to = bytes;
    for (size_t i = 0; i < size; i++) {
        uint64_t x = atomic_fetch_add(&c->seed, UINT64_C(0x9e3779b97f4a7c15));
        x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
        to[i] = (uint8_t)(x >> 33);
    }
}

static void on_fact(void *user, const stf_fact *fact)
{
    engine_case *c = user;
    if (c->on_fact != NULL) {
        c->on_fact(c, fact->kind);
    }
    (void)pthread_mutex_lock(&c->lock);
    if (c->fact_count < CASE_FACTS) {
        snprintf(c->fact_texts[c->fact_count], sizeof(c->fact_texts[0]), "%.*s",
                 (int)fact->element.size, fact->element.size != 0 ? fact->element.data : "");
        c->facts[c->fact_count++] = fact->kind;
    }
    (void)pthread_cond_broadcast(&c->changed);
    (void)pthread_mutex_unlock(&c->lock);
}

/* ---- Handlers ---------------------------------------------------------------------------------
 */

static void note_call(engine_case *c, const stf_work *work)
{
    (void)pthread_mutex_lock(&c->lock);
    ck_assert_uint_lt(c->call_count, CASE_CALLS);
    case_call *call = &c->calls[c->call_count++];
    stf_str element = stf_work_element(work);
    stf_str instance = stf_work_instance(work);
    stf_str key = stf_work_key(work);
    snprintf(call->element, sizeof(call->element), "%.*s", (int)element.size, element.data);
    snprintf(call->instance, sizeof(call->instance), "%.*s", (int)instance.size, instance.data);
    snprintf(call->key, sizeof(call->key), "%.*s", (int)key.size, key.data);
    call->attempt = stf_work_attempt(work);
    call->activation = stf_work_activation(work);
    c->running++;
    c->running_max = c->running > c->running_max ? c->running : c->running_max;
    (void)pthread_cond_broadcast(&c->changed);
    (void)pthread_mutex_unlock(&c->lock);
}

static void block(engine_case *c, const stf_ctx *ctx)
{
    (void)pthread_mutex_lock(&c->lock);
    while (!c->is_released && !stf_cancel_is_requested(ctx->cancel)) {
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 2000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&c->changed, &c->lock, &until);
    }
    (void)pthread_mutex_unlock(&c->lock);
}

static stf_status complete(engine_case *c, stf_work *work, stf_error *error)
{
    stf_value *variables = NULL;
    stf_status status = STF_OK;
    if (c->answer_json != NULL) {
        status = stf_value_parse_json(NULL, stf_str_of(c->answer_json), &variables, error);
    }
    if (status == STF_OK) {
        status = stf_work_complete(work, variables, error);
    }
    stf_value_unref(variables);
    return status;
}

static stf_status settle(engine_case *c, const stf_ctx *ctx, stf_work *work, stf_error *error)
{
    switch (c->answer) {
    case CASE_FAIL:
        return stf_work_fail(work, stf_str_of("no such address"), error);
    case CASE_UNKNOWN:
        return stf_work_unknown(work, stf_str_of("the line went dead"), error);
    case CASE_SETTLE_NOTHING:
        return STF_OK;
    case CASE_SETTLE_TWICE:
        ck_assert_int_eq(stf_work_complete(work, NULL, NULL), STF_OK);
        ck_assert_int_eq(stf_work_complete(work, NULL, NULL), STF_INVALID_STATE);
        return STF_OK;
    case CASE_RETURN_ERROR:
        return stf_error_set(error, STF_CALLBACK, "TEST", "the printer is on fire");
    case CASE_BPMN_ERROR:
        return stf_work_bpmn_error(work, stf_str_of("E1"), stf_str_of("refused"), NULL, error);
    case CASE_BLOCK:
        block(c, ctx);
        return complete(c, work, error);
    case CASE_COMPLETE:
    default:
        return complete(c, work, error);
    }
}

static stf_status run_handler(void *user, const stf_ctx *ctx, stf_work *work, stf_error *error)
{
    engine_case *c = user;
    note_call(c, work);
    if (c->on_call != NULL) {
        c->on_call(c, work);
    }
    atomic_fetch_add(&c->clock.us, c->handler_us);
    stf_status status = settle(c, ctx, work, error);
    (void)pthread_mutex_lock(&c->lock);
    c->running--;
    (void)pthread_mutex_unlock(&c->lock);
    return status;
}

/* ---- Life -------------------------------------------------------------------------------------
 */

engine_case *engine_case_new(void)
{
    engine_case *c = calloc(1, sizeof(*c));
    ck_assert_ptr_nonnull(c);
    case_clock_init(&c->clock);
    c->random = (stf_random){
        .struct_size = sizeof(stf_random), .abi = STF_RANDOM_ABI, .user = c, .fill = fill_random};
    atomic_init(&c->seed, 42);
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_cond_init(&c->changed, NULL);
    stf_error_init(&c->error);
    stf_memory_options options = {
        .struct_size = sizeof(options), .abi = STF_MEMORY_ABI, .clock = &c->clock.port};
    STF_CHECK_OK(stf_memory_new(&options, &c->memory, &c->error), &c->error);
    STF_CHECK_OK(stf_memory_open_repository(c->memory, &c->store, &c->error), &c->error);
    STF_CHECK_OK(stf_memory_open_definitions(c->memory, &c->definitions, &c->error), &c->error);
    c->options = (stf_engine_options)STF_ENGINE_OPTIONS_INIT;
    c->options.id = "one";
    c->options.group = "g";
    return c;
}

void engine_case_use(engine_case *c, stf_repository *store, stf_definition_store *definitions)
{
    stf_repository_close(c->store);
    stf_definition_store_close(c->definitions);
    c->memory = stf_memory_unref(c->memory);
    c->store = store;
    c->definitions = definitions;
}

void engine_case_free(engine_case *c)
{
    if (c->engine != NULL) {
        engine_case_close(c);
    }
    stf_repository_close(c->store);
    stf_definition_store_close(c->definitions);
    stf_memory_unref(c->memory);
    (void)pthread_mutex_destroy(&c->lock);
    (void)pthread_cond_destroy(&c->changed);
    free(c);
}

void engine_case_make(engine_case *c, const char *const *topics)
{
    stf_observer observer = {
        .struct_size = sizeof(observer), .abi = STF_OBSERVER_ABI, .user = c, .on_fact = on_fact};
    stf_handler handler = {.struct_size = sizeof(handler),
                           .abi = STF_HANDLER_ABI,
                           .user = c,
                           .run = run_handler,
                           .concurrency_max = c->concurrency_max};
    ck_assert_ptr_null(c->engine);
    c->repository = faulty_repository_new(&c->faulty, c->store);
    stf_engine_options options = c->options;
    options.repository = c->repository;
    options.definitions = c->definitions;
    options.clock = &c->clock.port;
    options.random = &c->random;
    options.observer = &observer;
    STF_CHECK_OK(stf_engine_new(&options, &c->engine, &c->error), &c->error);
    for (size_t i = 0; topics != NULL && topics[i] != NULL; i++) {
        STF_CHECK_OK(stf_engine_add_handler(c->engine, stf_str_of(topics[i]), &handler, &c->error),
                     &c->error);
    }
}

void engine_case_open(engine_case *c, const char *const *topics)
{
    engine_case_make(c, topics);
    STF_CHECK_OK(stf_engine_start(c->engine, NULL, &c->error), &c->error);
}

engine_case *engine_case_neighbour(engine_case *c, const char *id)
{
    engine_case *other = engine_case_new();
    stf_repository_close(other->store);
    stf_definition_store_close(other->definitions);
    stf_memory_unref(other->memory);
    other->memory = stf_memory_ref(c->memory);
    STF_CHECK_OK(stf_memory_open_repository(c->memory, &other->store, &c->error), &c->error);
    STF_CHECK_OK(stf_memory_open_definitions(c->memory, &other->definitions, &c->error), &c->error);
    atomic_store(&other->clock.us, atomic_load(&c->clock.us));
    atomic_store(&other->seed, 4711);
    other->options.id = id;
    other->options.group = c->options.group;
    return other;
}

engine_case *engine_case_join(engine_case *c, const char *id, const char *const *topics)
{
    engine_case *other = engine_case_neighbour(c, id);
    engine_case_open(other, topics);
    return other;
}

static void drop_engine(engine_case *c, int64_t grace_us)
{
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.deadline = stf_clock_system()->mono(NULL);
    ctx.deadline.us += grace_us;
    c->engine = stf_engine_close(c->engine, &ctx);
    c->repository = stf_repository_close(c->repository);
}

void engine_case_close(engine_case *c)
{
    drop_engine(c, SECONDS(20));
}

void engine_case_crash(engine_case *c)
{
    faulty_repository_cut(&c->faulty, 1);
    drop_engine(c, 0);
}

/* ---- Doing ------------------------------------------------------------------------------------
 */

static stf_status take_version(void *user, const stf_deployed *deployed, stf_error *error)
{
    (void)error;
    *(int64_t *)user = deployed->version;
    return STF_OK;
}

int64_t engine_case_deploy(engine_case *c, const char *body)
{
    int64_t version = 0;
    stf_buf roots;
    stf_buf_init(&roots, NULL);
    ck_assert_int_eq(
        stf_buf_printf(&roots, "<process id='p' isExecutable='true'>%s</process>", body), STF_OK);
    version = engine_case_deploy_file(c, stf_buf_c_str(&roots));
    stf_buf_done(&roots);
    return version;
}

int64_t engine_case_deploy_file(engine_case *c, const char *roots)
{
    int64_t version = 0;
    stf_buf file;
    stf_buf_init(&file, NULL);
    ck_assert_int_eq(
        stf_buf_printf(&file,
                       "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' "
                       "xmlns:stepfast='https://stepfast.dev/bpmn' targetNamespace='t'>"
                       "%s</definitions>",
                       roots),
        STF_OK);
    STF_CHECK_OK(stf_engine_deploy(c->engine, NULL, stf_buf_bytes(&file), NULL, take_version,
                                   &version, &c->error),
                 &c->error);
    stf_buf_done(&file);
    return version;
}

static stf_value *parse(const char *json)
{
    stf_value *value = NULL;
    if (json != NULL) {
        ck_assert_int_eq(stf_value_parse_json(NULL, stf_str_of(json), &value, NULL), STF_OK);
    }
    return value;
}

void engine_case_start(engine_case *c, const char *id, const char *json)
{
    engine_case_start_of(c, "p", id, json);
}

stf_status engine_case_publish(engine_case *c, const char *name, const char *key, const char *json,
                               int64_t keep_us, char ret_id[256])
{
    stf_message message = STF_MESSAGE_INIT;
    stf_value *variables = parse(json);
    stf_buf id;
    stf_buf_init(&id, NULL);
    message.name = stf_str_of(name);
    message.key = stf_str_of(key);
    message.variables = variables;
    message.keep_us = keep_us;
    stf_status status = stf_engine_publish(c->engine, NULL, &message, &id, &c->error);
    if (ret_id != NULL) {
        snprintf(ret_id, 256, "%.*s", (int)id.size, id.size != 0 ? (const char *)id.data : "");
    }
    stf_buf_done(&id);
    stf_value_unref(variables);
    return status;
}

void engine_case_start_of(engine_case *c, const char *process, const char *id, const char *json)
{
    stf_start start = STF_START_INIT;
    stf_value *variables = parse(json);
    start.process = stf_str_of(process);
    start.id = stf_str_of(id);
    start.variables = variables;
    STF_CHECK_OK(stf_engine_start_instance(c->engine, NULL, &start, NULL, &c->error), &c->error);
    stf_value_unref(variables);
}

void engine_case_idle(engine_case *c)
{
    STF_CHECK_OK(stf_engine_run(c->engine, NULL, STF_RUN_IDLE, &c->error), &c->error);
}

void engine_case_advance(engine_case *c, int64_t us)
{
    int64_t until = atomic_load(&c->clock.us) + us;
    for (;;) {
        engine_case_idle(c);
        int64_t next = stf_engine_next_deadline(c->engine).us - SECONDS(1000);
        if (next >= until) {
            break;
        }
        ck_assert_int_gt(next, atomic_load(&c->clock.us));
        atomic_store(&c->clock.us, next);
    }
    if (atomic_load(&c->clock.us) < until) {
        atomic_store(&c->clock.us, until);
    }
    engine_case_idle(c);
}

void engine_case_task(engine_case *c, const char *id, const char *element, const char *json)
{
    stf_value *variables = parse(json);
    STF_CHECK_OK(stf_engine_complete_task(c->engine, NULL, stf_str_of(id), 0, stf_str_of(element),
                                          variables, &c->error),
                 &c->error);
    stf_value_unref(variables);
}

/* ---- Counting ---------------------------------------------------------------------------------
 */

size_t engine_case_count(engine_case *c, const char *process, const char *status)
{
    stf_value *list = NULL;
    stf_instance_query query = {.process = stf_str_of(process)};
    STF_CHECK_OK(stf_engine_list_instances(c->engine, NULL, &query, &list, &c->error), &c->error);
    size_t count = 0;
    for (size_t i = 0; i < stf_value_count(list); i++) {
        const stf_value *view = stf_value_peek_item(list, i);
        stf_str is = stf_value_peek_string(stf_value_peek(view, stf_str_of("status")));
        count += status == NULL || stf_str_equal(is, stf_str_of(status)) ? 1 : 0;
    }
    stf_value_unref(list);
    return count;
}

const char *engine_case_variable(engine_case *c, const char *id, const char *name)
{
    static char text[256];
    stf_buf json;
    stf_value *view = engine_case_view(c, id);
    const stf_value *variables = stf_value_peek(view, stf_str_of("variables"));
    const stf_value *value = stf_value_peek(variables, stf_str_of(name));
    stf_buf_init(&json, NULL);
    text[0] = '\0';
    if (value != NULL) {
        ck_assert_int_eq(stf_value_write_json(value, false, &json, NULL), STF_OK);
        snprintf(text, sizeof(text), "%.*s", (int)json.size, (const char *)json.data);
    }
    stf_buf_done(&json);
    stf_value_unref(view);
    return text;
}

/* ---- Seeing -----------------------------------------------------------------------------------
 */

stf_value *engine_case_view(engine_case *c, const char *id)
{
    stf_value *view = NULL;
    STF_CHECK_OK(stf_engine_get_instance(c->engine, NULL, stf_str_of(id), &view, &c->error),
                 &c->error);
    return view;
}

const char *engine_case_status(engine_case *c, const char *id)
{
    static const char *const names[] = {"active", "completed", "terminated", "suspended",
                                        "incident"};
    case_record record = engine_case_record(c, id);
    return record.is_found && record.status < 5 ? names[record.status] : "?";
}

bool engine_case_waits_at(engine_case *c, const char *id, const char *element)
{
    stf_value *view = engine_case_view(c, id);
    const stf_value *waiting = stf_value_peek(view, stf_str_of("waiting"));
    bool waits = false;
    for (size_t i = 0; i < stf_value_count(waiting); i++) {
        stf_str text = stf_value_peek_string(stf_value_peek_item(waiting, i));
        waits = waits || stf_str_equal(text, stf_str_of(element));
    }
    stf_value_unref(view);
    return waits;
}

size_t engine_case_calls_of(engine_case *c, const char *element)
{
    size_t count = 0;
    (void)pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->call_count; i++) {
        count += strcmp(c->calls[i].element, element) == 0 ? 1 : 0;
    }
    (void)pthread_mutex_unlock(&c->lock);
    return count;
}

size_t engine_case_facts_of(engine_case *c, uint32_t kind)
{
    size_t count = 0;
    (void)pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->fact_count; i++) {
        count += c->facts[i] == kind ? 1 : 0;
    }
    (void)pthread_mutex_unlock(&c->lock);
    return count;
}

static stf_status visit_record(void *user, const stf_record *record, stf_error *error)
{
    case_record *to = user;
    (void)error;
    to->is_found = true;
    to->status = record->status;
    to->version = record->rec_version;
    snprintf(to->owner, sizeof(to->owner), "%.*s", (int)record->lease.owner.size,
             record->lease.owner.size != 0 ? record->lease.owner.data : "");
    to->incarnation = record->lease.incarnation;
    to->expiry = record->lease.expiry;
    to->due = record->due;
    to->head_size = record->head.size;
    return STF_OK;
}

case_record engine_case_record(engine_case *c, const char *id)
{
    case_record record = {0};
    bool is_found = false;
    STF_CHECK_OK(stf_repository_load(c->store, NULL, stf_str_of(id), visit_record, &record,
                                     &is_found, &c->error),
                 &c->error);
    return record;
}
