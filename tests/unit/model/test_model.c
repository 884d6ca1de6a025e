/* SPDX-License-Identifier: Apache-2.0 */
/* Look-up and lifetime of models. */
#include "base/mem.h"
#include "model/private.h"
#include "support/stf_test.h"

/* A model of one process with one node, built by hand as the loader does. */
static stf_model *make_model(void)
{
    stf_model *model = NULL;
    ck_assert_int_eq(stf__model_new(NULL, &model, NULL), STF_OK);
    stf__process *process = stf__arena_zalloc(&model->arena, sizeof(*process));
    stf__node *node = stf__arena_zalloc(&model->arena, sizeof(*node));
    stf__flow *flow = stf__arena_zalloc(&model->arena, sizeof(*flow));
    stf__map_init(&process->nodes_by_id, NULL);
    stf__map_init(&process->flows_by_id, NULL);
    node->id = STF_STR("n");
    stf_expr *condition = NULL;
    ck_assert_int_eq(stf_expr_compile(NULL, STF_STR("a"), STF_EXPR_DETECT, &condition, NULL),
                     STF_OK);
    ck_assert_int_eq(stf__model_take_expr(model, condition), STF_OK);
    node->timer_expr = condition; /* borrowed twice, released once */
    flow->condition = condition;
    ck_assert_int_eq(stf__map_put(&process->nodes_by_id, node->id, node), STF_OK);
    process->id = STF_STR("p");
    process->name = STF_STR("A process");
    process->line = 3;
    process->flags = STF_PROCESS_EXECUTABLE;
    process->nodes = node;
    process->node_count = 1;
    process->flows = flow;
    process->flow_count = 1;
    model->processes = process;
    model->process_count = 1;
    return model;
}

STF_TEST(processes_and_nodes_are_found_by_id)
{
    stf_model *model = make_model();
    const stf__process *process = stf__model_find_process(model, STF_STR("p"));
    ck_assert_ptr_eq(process, model->processes);
    ck_assert_ptr_null(stf__model_find_process(model, STF_STR("q")));
    ck_assert_ptr_eq(stf__process_find_node(process, STF_STR("n")), process->nodes);
    ck_assert_ptr_null(stf__process_find_node(process, STF_STR("m")));
    stf_model_unref(model);
}

STF_TEST(the_facts_of_a_process_are_told_and_bad_indices_are_refused)
{
    stf_model *model = make_model();
    stf_process_info info = {.line = 99};
    ck_assert_uint_eq(stf_model_process_count(model), 1);
    ck_assert_int_eq(stf_model_get_process(model, 1, &info), STF_NOT_FOUND);
    ck_assert_uint_eq(info.line, 99);
    ck_assert_int_eq(stf_model_get_process(model, 0, &info), STF_OK);
    STF_CHECK_STR(info.id, "p");
    STF_CHECK_STR(info.name, "A process");
    ck_assert_uint_eq(info.line, 3);
    ck_assert_uint_eq(info.flags, STF_PROCESS_EXECUTABLE);
    ck_assert_uint_eq(info.flow_node_count, 1);
    ck_assert_uint_eq(info.sequence_flow_count, 1);
    ck_assert_int_eq(stf_model_get_process(NULL, 0, &info), STF_INVALID_ARGUMENT);
    ck_assert_int_eq(stf_model_get_process(model, 0, NULL), STF_INVALID_ARGUMENT);
    ck_assert_uint_eq(stf_model_process_count(NULL), 0);
    stf_model_unref(model);
}

STF_TEST(the_model_lives_until_its_last_reference_goes)
{
    stf_model *model = make_model();
    stf_model *other = stf_model_ref(model);
    ck_assert_ptr_eq(other, model);
    ck_assert_ptr_null(stf_model_unref(model));
    STF_CHECK_STR(other->processes[0].id, "p");
    ck_assert_ptr_null(stf_model_unref(other)); /* the sanitizer sees what is left */
    ck_assert_ptr_null(stf_model_unref(NULL));
    ck_assert_ptr_null(stf_model_ref(NULL));
}

static const stf_test_case cases[] = {
    STF_CASE(processes_and_nodes_are_found_by_id),
    STF_CASE(the_facts_of_a_process_are_told_and_bad_indices_are_refused),
    STF_CASE(the_model_lives_until_its_last_reference_goes),
};

STF_TEST_MAIN("model/model", cases)
