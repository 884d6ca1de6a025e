/* SPDX-License-Identifier: Apache-2.0 */
/* The public door: memory, pieces, files, and the documents that follow the tables. */
#include <fcntl.h>
#include <signal.h>
#include <stepfast/limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "bpmn/build.h"
#include "bpmn/parse.h"
#include "unit/bpmn/support.h"

/* A bit of everything: supported, unsupported, ignored, with warnings. */
static const char good_file[] =
    "<?xml version='1.0' encoding='UTF-8'?>\n" BPMN_HEAD
    "<error id='err'/><interface id='i'><operation id='op' name='Do it'/></interface>"
    "<timerEventDefinition id='soon'><timeDuration>PT5M</timeDuration></timerEventDefinition>"
    "<process id='p' isExecutable='true'><dataObject id='d' name='amount'/>\n"
    "<startEvent id='s'/><sequenceFlow sourceRef='s' targetRef='g'/>\n"
    "<exclusiveGateway id='g' default='f2'/><sequenceFlow id='f1' sourceRef='g' targetRef='w'>"
    "<conditionExpression><![CDATA[${amount > 100]]>&#125;</conditionExpression></sequenceFlow>\n"
    "<sequenceFlow id='f2' sourceRef='g' targetRef='u'/><serviceTask id='w' operationRef='op'/>"
    "<userTask id='u'><multiInstanceLoopCharacteristics><loopDataInputRef>list"
    "</loopDataInputRef></multiInstanceLoopCharacteristics></userTask>\n"
    "<boundaryEvent id='b' attachedToRef='u'><eventDefinitionRef>soon</eventDefinitionRef>"
    "</boundaryEvent><serviceTask id='x' stepfast:handler='=name'><extensionElements>"
    "<zeebe:taskDefinition type='t'/></extensionElements></serviceTask>\n"
    "<parallelGateway id='j'/><sequenceFlow id='f3' sourceRef='w' targetRef='j'/>"
    "<sequenceFlow id='f4' sourceRef='g' targetRef='j'/><task id='t'/>"
    "<sequenceFlow id='f5' sourceRef='t' targetRef='t'/><subProcess id='sub'/>"
    "<message id='m' name='${n}' stepfast:correlationKey='key'><extensionElements>"
    "<zeebe:subscription correlationKey='=other'/></extensionElements></message>"
    "<receiveTask id='r' messageRef='m'/><sendTask id='y' messageRef='m'><extensionElements>"
    "<stepfast:in source='amount' target='a'/></extensionElements></sendTask>"
    "<callActivity id='call'><extensionElements><zeebe:calledElement processId='=q'/>"
    "<zeebe:ioMapping><zeebe:input source='plain' target='b'/></zeebe:ioMapping>"
    "</extensionElements></callActivity><boundaryEvent id='be' attachedToRef='call'>"
    "<errorEventDefinition errorRef='err' camunda:errorCodeVariable='c'/></boundaryEvent>"
    "<serviceTask id='z' stepfast:retries='3' stepfast:retryDelay='PT1S'/>"
    "<serviceTask id='zz'><extensionElements><camunda:failedJobRetryTimeCycle>R3/PT10M"
    "</camunda:failedJobRetryTimeCycle></extensionElements></serviceTask>"
    "<eventBasedGateway id='eg'/><inclusiveGateway id='ig'/>"
    "</process></definitions>";

static const char bad_file[] = BPMN_HEAD
    "<process id='p'><startEvent id='s'/><quantumTask id='q'/>\n<userTask id='s'/>"
    "<sequenceFlow id='f' sourceRef='s' targetRef='nowhere'/><intermediateCatchEvent id='c'>"
    "<timerEventDefinition><timeDate>never</timeDate></timerEventDefinition>"
    "</intermediateCatchEvent></process></definitions>";

static void dump(const stf_diagnostics *list, stf_buf *buf)
{
    for (size_t i = 0; i < stf_diagnostics_count(list); i++) {
        const stf_diagnostic *item = stf_diagnostics_at(list, i);
        ck_assert_int_eq(stf_buf_printf(buf, "%u %u:%u %.*s %.*s\n", (unsigned)item->severity,
                                        (unsigned)item->line, (unsigned)item->column,
                                        STF_STR_ARG(item->element), STF_STR_ARG(item->message)),
                         STF_OK);
    }
}

/* The loader's own way with pieces of a given size. */
static void dump_in_pieces(const char *text, size_t piece, stf_buf *buf)
{
    stf_diagnostics *list = NULL;
    stf__draft draft;
    static stf__parser parser;
    stf__xml *xml = NULL;
    stf_model *model = NULL;
    ck_assert_int_eq(stf_diagnostics_new(NULL, &list, NULL), STF_OK);
    stf__draft_init(&draft, NULL, list);
    stf__parser_init(&parser, &draft, NULL);
    ck_assert_int_eq(stf__xml_new(NULL, stf__parser_get_handler(&parser), list, &xml, NULL),
                     STF_OK);
    size_t size = strlen(text);
    for (size_t at = 0; at < size; at += piece) {
        size_t part = size - at < piece ? size - at : piece;
        ck_assert_int_eq(
            stf__xml_feed(xml, (stf_bytes){(const uint8_t *)text + at, part}, at + part == size),
            STF_OK);
    }
    ck_assert_int_eq(stf__model_new(NULL, &model, NULL), STF_OK);
    ck_assert_int_eq(stf__build_model(stf_allocator_default(), &draft, model), STF_OK);
    dump(list, buf);
    ck_assert_int_eq(stf_buf_printf(buf, "%u nodes, %u flows, %s",
                                    (unsigned)model->processes[0].node_count,
                                    (unsigned)model->processes[0].flow_count,
                                    model->processes[0].first_unsupported.data),
                     STF_OK);
    stf_model_unref(model);
    stf__xml_free(xml);
    stf__parser_done(&parser);
    stf__draft_done(&draft);
    stf_diagnostics_free(list);
}

STF_TEST(byte_by_byte_gives_what_the_whole_gives)
{
    static const char *const files[] = {good_file, bad_file};
    static const size_t pieces[] = {1, 2, 3, 7, 64};
    for (size_t i = 0; i < STF_COUNT_OF(files); i++) {
        stf_buf whole;
        stf_buf_init(&whole, NULL);
        dump_in_pieces(files[i], SIZE_MAX / 2, &whole);
        for (size_t k = 0; k < STF_COUNT_OF(pieces); k++) {
            stf_buf parts;
            stf_buf_init(&parts, NULL);
            dump_in_pieces(files[i], pieces[k], &parts);
            ck_assert_str_eq(stf_buf_c_str(&parts), stf_buf_c_str(&whole));
            stf_buf_done(&parts);
        }
        stf_buf_done(&whole);
    }
}

STF_TEST(each_failing_allocation_is_no_memory_and_leaks_nothing)
{
    static const char *const files[] = {good_file, bad_file};
    for (size_t i = 0; i < STF_COUNT_OF(files); i++) {
        stf_bytes bytes = {(const uint8_t *)files[i], strlen(files[i])};
        stf_status expected = i == 0 ? STF_OK : STF_PARSE;
        stf_status status = STF_NO_MEMORY;
        for (size_t n = 1; status == STF_NO_MEMORY; n++) {
            counting_alloc counting;
            counting_init(&counting);
            counting.fail_at = n;
            stf_model *model = NULL;
            stf_error error = STF_ERROR_INIT;
            status = stf_bpmn_load(&counting.alloc, bytes, NULL, &model, &error);
            ck_assert_uint_eq(error.status, status == STF_OK ? STF_OK : (uint32_t)status);
            ck_assert((model != NULL) == (status == STF_OK));
            ck_assert_msg(status == STF_NO_MEMORY || status == expected, "call %zu: %s", n,
                          stf_status_name(status));
            ck_assert(status == STF_NO_MEMORY || counting.calls < n);
            stf_model_unref(model);
            ck_assert_uint_eq(counting.live, 0);
        }
        ck_assert_int_eq(status, expected);
    }
}

static void write_file(char *path, const char *text)
{
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq((int)write(fd, text, strlen(text)), (int)strlen(text));
    ck_assert_int_eq(close(fd), 0);
}

STF_TEST(a_file_is_loaded_and_its_bytes_are_handed_over)
{
    char path[] = "/tmp/stepfast-load-XXXXXX";
    write_file(path, good_file);
    stf_buf bytes;
    stf_buf_init(&bytes, NULL);
    ck_assert_int_eq(stf_buf_append(&bytes, "old", 3), STF_OK);
    stf_model *model = NULL;
    stf_error error = STF_ERROR_INIT;
    STF_CHECK_OK(stf_bpmn_load_file(NULL, path, NULL, &model, &bytes, &error), &error);
    ck_assert_str_eq(stf_buf_c_str(&bytes) + 3, good_file);
    ck_assert_ptr_nonnull(stf__model_find_process(model, STF_STR("p")));
    stf_model_unref(model);
    stf_buf_done(&bytes);
    ck_assert_int_eq(unlink(path), 0);
}

STF_TEST(a_refused_file_leaves_the_outputs_untouched)
{
    char path[] = "/tmp/stepfast-load-XXXXXX";
    write_file(path,
               "<definitions " BPMN_NS "><process id='p' isExecutable='true'/></definitions>");
    stf_buf bytes;
    stf_buf_init(&bytes, NULL);
    stf_model *model = NULL;
    stf_error error = STF_ERROR_INIT;
    ck_assert_int_eq(stf_bpmn_load_file(NULL, path, NULL, &model, &bytes, &error), STF_PARSE);
    ck_assert_ptr_null(model);
    ck_assert_uint_eq(bytes.size, 0);
    ck_assert_str_eq(stf_error_get_detail(&error, "rule"), "process.no-start");
    stf_buf_done(&bytes);
    ck_assert_int_eq(unlink(path), 0);
}

STF_TEST(files_that_cannot_be_read_are_told_apart)
{
    stf_model *model = NULL;
    stf_error error = STF_ERROR_INIT;
    ck_assert_int_eq(stf_bpmn_load_file(NULL, "/nowhere/at/all.bpmn", NULL, &model, NULL, &error),
                     STF_NOT_FOUND);
    ck_assert_str_eq(error.native_code, "ENOENT");
    ck_assert_ptr_nonnull(strstr(error.message, "/nowhere/at/all.bpmn"));
    ck_assert_int_eq(stf_bpmn_load_file(NULL, "/tmp", NULL, &model, NULL, &error), STF_UNAVAILABLE);
    ck_assert_str_eq(error.native_code, "EISDIR");
}

/* A file that never ends, from a child process: an attribute of more than a GiB, if anybody reads
 * that far. */
STF_TEST(a_huge_attribute_is_refused_at_once_in_bounded_memory)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        static char piece[64 * 1024];
        (void)signal(SIGPIPE, SIG_IGN);
        (void)close(ends[0]);
        memset(piece, 'x', sizeof(piece));
        ssize_t written = write(ends[1], "<definitions a='", 16);
        for (size_t i = 0; written > 0 && i < 20000; i++) {
            written = write(ends[1], piece, sizeof(piece));
        }
        _exit(written < 0 ? 0 : 1); /* 0: the reader went away */
    }
    (void)close(ends[1]);
    char path[40];
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
    counting_alloc counting;
    counting_init(&counting);
    stf_model *model = NULL;
    stf_error error = STF_ERROR_INIT;
    ck_assert_int_eq(stf_bpmn_load_file(&counting.alloc, path, NULL, &model, NULL, &error),
                     STF_LIMIT_EXCEEDED);
    ck_assert_str_eq(stf_error_get_detail(&error, "rule"), "limit.tag");
    ck_assert_uint_lt(counting.peak_bytes, 16u * 1024 * 1024);
    ck_assert_uint_eq(counting.live, 0);
    (void)close(ends[0]);
    int exit_status = 1;
    ck_assert_int_eq(waitpid(child, &exit_status, 0), child);
    ck_assert_int_eq(exit_status, 0);
}

STF_TEST(a_list_that_was_used_before_is_emptied)
{
    stf_diagnostics *list = NULL;
    ck_assert_int_eq(stf_diagnostics_new(NULL, &list, NULL), STF_OK);
    stf_model *model = NULL;
    ck_assert_int_eq(stf_bpmn_load(NULL, (stf_bytes){(const uint8_t *)bad_file, strlen(bad_file)},
                                   list, &model, NULL),
                     STF_PARSE);
    ck_assert_uint_gt(stf_diagnostics_count(list), 3);
    static const char fine[] = "<definitions " BPMN_NS "/>";
    ck_assert_int_eq(
        stf_bpmn_load(NULL, (stf_bytes){(const uint8_t *)fine, strlen(fine)}, list, &model, NULL),
        STF_OK);
    ck_assert_uint_eq(stf_diagnostics_count(list), 0);
    stf_model_unref(model);
    stf_diagnostics_free(list);
}

STF_TEST(arguments_that_cannot_be_right_are_refused)
{
    stf_model *model = NULL;
    ck_assert_int_eq(stf_bpmn_load(NULL, (stf_bytes){NULL, 1}, NULL, &model, NULL),
                     STF_INVALID_ARGUMENT);
    ck_assert_int_eq(stf_bpmn_load(NULL, (stf_bytes){NULL, 0}, NULL, NULL, NULL),
                     STF_INVALID_ARGUMENT);
    ck_assert_int_eq(stf_bpmn_load_file(NULL, NULL, NULL, &model, NULL, NULL),
                     STF_INVALID_ARGUMENT);
    ck_assert_int_eq(stf_bpmn_load_file(NULL, "x", NULL, NULL, NULL, NULL), STF_INVALID_ARGUMENT);
    ck_assert_int_eq(stf_bpmn_load(NULL, (stf_bytes){NULL, 0}, NULL, &model, NULL), STF_PARSE);
}

/* ---- The documentation follows the tables --------------------------------------------------- */

static const char *const labels[] = {
#define STF_ELEMENT(kind, xml, event, traits, family, label) label,
#include "model/element.def"
#undef STF_ELEMENT
#define STF_FEATURE(name, xml, label) label,
#include "model/feature.def"
#undef STF_FEATURE
};

STF_TEST(the_documentation_names_every_row_of_the_tables)
{
    static char text[64 * 1024];
    FILE *file = fopen(STF_SOURCE_DIR "/docs/bpmn-support.md", "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(text, 1, sizeof(text) - 1, file);
    (void)fclose(file);
    text[size] = '\0';
    for (size_t i = 0; i < STF_COUNT_OF(labels); i++) {
        char cell[100];
        (void)snprintf(cell, sizeof(cell), "| %s |", labels[i]);
        ck_assert_msg(strstr(text, cell) != NULL, "docs/bpmn-support.md has no row \"%s\"",
                      labels[i]);
    }
}

/* A supported kind is in the part of the page about what is executed, another is not. */
STF_TEST(the_documentation_says_truly_what_is_executed)
{
    static char text[64 * 1024];
    FILE *file = fopen(STF_SOURCE_DIR "/docs/bpmn-support.md", "rb");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    (void)fclose(file);
    const char *later = strstr(text, "\n## Not yet");
    ck_assert_ptr_nonnull(later);
    for (uint32_t kind = 0; kind < STF__ELEMENT_COUNT; kind++) {
        const stf__element_info *info = stf__element_get_info((stf__element_kind)kind);
        char cell[100];
        (void)snprintf(cell, sizeof(cell), "| %s |", info->label);
        ck_assert_msg((strstr(text, cell) < later) == info->is_supported, "\"%s\"", info->label);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(byte_by_byte_gives_what_the_whole_gives),
    STF_CASE(each_failing_allocation_is_no_memory_and_leaks_nothing),
    STF_CASE(a_file_is_loaded_and_its_bytes_are_handed_over),
    STF_CASE(a_refused_file_leaves_the_outputs_untouched),
    STF_CASE(files_that_cannot_be_read_are_told_apart),
    STF_CASE(a_huge_attribute_is_refused_at_once_in_bounded_memory),
    STF_CASE(a_list_that_was_used_before_is_emptied),
    STF_CASE(arguments_that_cannot_be_right_are_refused),
    STF_CASE(the_documentation_names_every_row_of_the_tables),
    STF_CASE(the_documentation_says_truly_what_is_executed),
};

STF_TEST_MAIN("bpmn/load", cases)
