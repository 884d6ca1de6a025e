/* SPDX-License-Identifier: Apache-2.0 */
/* A process engine in a C program: one file, one handler, one instance. */
#include <stdio.h>
#include <stepfast/sqlite.h>
#include <stepfast/stepfast.h>
static const char model[] =
    "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL'>"
    "<process id='greeting' isExecutable='true'><startEvent id='start'/><serviceTask id='greet'/>"
    "<endEvent id='end'/><sequenceFlow id='a' sourceRef='start' targetRef='greet'/>"
    "<sequenceFlow id='b' sourceRef='greet' targetRef='end'/></process></definitions>";

/* Runs after the save that it starts; its answer is saved before the process goes on. */
static stf_status greet(void *user, const stf_ctx *ctx, stf_work *work, stf_error *error)
{
    (void)user, (void)ctx;
    stf_value *answer = NULL;
    stf_status status =
        stf_value_parse_json(NULL, stf_str_of("{\"greeting\": \"hello, world\"}"), &answer, error);
    status = status == STF_OK ? stf_work_complete(work, answer, error) : status;
    stf_value_unref(answer);
    return status;
}

int main(int argc, char **argv)
{
    stf_error error = STF_ERROR_INIT;
    stf_sqlite_options file = STF_SQLITE_OPTIONS_INIT;
    file.path = argc > 1 ? argv[1] : "embed.db";
    stf_engine_options options = STF_ENGINE_OPTIONS_INIT;
    options.id = "embed";
    stf_sqlite *sqlite = NULL;
    stf_engine *engine = NULL;
    stf_value *view = NULL;
    stf_handler handler = {.struct_size = sizeof handler, .abi = STF_HANDLER_ABI, .run = greet};
    stf_bytes bpmn = {(const uint8_t *)model, sizeof model - 1};
    stf_start start = STF_START_INIT;
    start.process = stf_str_of("greeting");
    stf_buf text;
    stf_buf_init(&text, NULL);
    bool is_ok = stf_sqlite_open(NULL, &file, &sqlite, &error) == STF_OK &&
                 stf_sqlite_open_repository(sqlite, &options.repository, &error) == STF_OK &&
                 stf_sqlite_open_definitions(sqlite, &options.definitions, &error) == STF_OK &&
                 stf_engine_new(&options, &engine, &error) == STF_OK &&
                 stf_engine_add_handler(engine, stf_str_of("greet"), &handler, &error) == STF_OK &&
                 stf_engine_start(engine, NULL, &error) == STF_OK &&
                 stf_engine_deploy(engine, NULL, bpmn, NULL, NULL, NULL, &error) == STF_OK &&
                 stf_engine_start_instance(engine, NULL, &start, &text, &error) == STF_OK &&
                 stf_engine_run(engine, NULL, STF_RUN_IDLE, &error) == STF_OK &&
                 stf_engine_get_instance(engine, NULL, stf_buf_str(&text), &view, &error) == STF_OK;
    stf_buf_clear(&text);
    is_ok = is_ok && stf_value_write_json(view, true, &text, &error) == STF_OK;
    puts(is_ok ? stf_buf_c_str(&text) : error.message);
    stf_value_unref(view);
    stf_buf_done(&text);
    stf_engine_close(engine, NULL);
    stf_definition_store_close(options.definitions);
    stf_repository_close(options.repository);
    stf_sqlite_unref(sqlite);
    return is_ok ? 0 : 1;
}
