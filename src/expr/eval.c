/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the tree: one function per kind of node, found through a table. Nothing here knows what an
 * operator or a function means. */
#include "expr/eval.h"

#include "base/mem.h"
#include "expr/builtins.h"

static void unref(stf_value **value)
{
    stf_value_unref(*value);
}

/* A value that this scope owns. */
#define OWNED STF_CLEANUP(unref) stf_value *

static stf_status eval_literal(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    (void)eval;
    return stf__eval_give_ref(node->value, ret_value);
}

/* ---- Names, paths, filters. */

static const stf_value *find_in_frame(const stf__frame *frame, stf_str name)
{
    for (size_t i = frame->count; i > 0; i--) {
        if (stf_str_equal(frame->keys[i - 1], name)) {
            return frame->values[i - 1];
        }
    }
    const stf_value *found = stf_value_peek(frame->item, name);
    if (found == NULL && frame->item != NULL && stf_str_equal(name, STF_STR("item"))) {
        found = frame->item;
    }
    return found;
}

static stf_status eval_name(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    const stf_value *found = NULL;
    for (const stf__frame *frame = eval->frame; frame != NULL && found == NULL; frame = frame->up) {
        STF__TRY(stf__eval_charge(eval, node, 1 + frame->count / 16));
        found = find_in_frame(frame, node->name);
    }
    if (found == NULL && eval->scope != NULL && eval->scope->lookup != NULL) {
        found = eval->scope->lookup(eval->scope->user, node->name);
    }
    if (found != NULL) {
        return stf__eval_give_ref(found, ret_value);
    }
    if (eval->language == STF_EXPR_FEEL || eval->is_lenient) {
        return stf__eval_give_null(ret_value);
    }
    (void)stf__source_fail(&eval->source, STF_EXPRESSION, node->offset,
                           "there is no variable \"%.*s\"", STF_STR_ARG(node->name));
    stf_error_add_detail(eval->source.error, "variable", "%.*s", STF_STR_ARG(node->name));
    return STF_EXPRESSION;
}

/* The entry of each item, as FEEL's paths through lists of contexts give it. */
static stf_status members_of_list(stf__eval *eval, const stf__node *node, const stf_value *list,
                                  stf_value **ret_value)
{
    STF_CLEANUP(stf__items_done) stf__items items = {.alloc = eval->alloc};
    for (size_t i = 0; i < stf_value_count(list); i++) {
        const stf_value *member = stf_value_peek(stf_value_peek_item(list, i), node->name);
        STF__TRY(stf__items_add(eval, node, &items, member));
    }
    return stf__items_give_list(eval, &items, ret_value);
}

static stf_status fail_property(stf__eval *eval, const stf__node *node, const stf_value *base,
                                stf_str name, stf_value **ret_value)
{
    if (eval->is_lenient) {
        return stf__eval_give_null(ret_value);
    }
    return stf__source_fail(&eval->source, STF_EXPRESSION, node->offset,
                            "%s has no property \"%.*s\"", stf__kind_name(base),
                            (int)(name.size < 60 ? name.size : 60), name.data);
}

static stf_status eval_member(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    OWNED base = NULL;
    STF__TRY(stf__eval_node(eval, node->first, &base));
    stf_value_kind kind = stf_value_get_kind(base);
    if (kind == STF_VALUE_CONTEXT) {
        return stf__eval_give_ref(stf_value_peek(base, node->name), ret_value);
    }
    if (eval->language == STF_EXPR_FEEL && kind == STF_VALUE_LIST) {
        return members_of_list(eval, node, base, ret_value);
    }
    if (eval->language == STF_EXPR_FEEL || kind == STF_VALUE_NULL) {
        return stf__eval_give_null(ret_value);
    }
    return fail_property(eval, node, base, node->name, ret_value);
}

/* JUEL: a[0] of a list, a['k'] of a context; out of range and absent are null. */
static stf_status eval_index(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    OWNED base = NULL;
    OWNED index = NULL;
    STF__TRY(stf__eval_node(eval, node->first, &base));
    STF__TRY(stf__eval_node(eval, node->last, &index));
    stf_value_kind kind = stf_value_get_kind(base);
    if (kind == STF_VALUE_NULL || stf_value_get_kind(index) == STF_VALUE_NULL) {
        return stf__eval_give_null(ret_value);
    }
    STF_CLEANUP(stf_buf_done) stf_buf key;
    stf_buf_init(&key, eval->alloc);
    STF__TRY(stf__eval_append_text(eval, node, index, &key));
    if (kind == STF_VALUE_CONTEXT) {
        return stf__eval_give_ref(stf_value_peek(base, stf_buf_str(&key)), ret_value);
    }
    if (kind != STF_VALUE_LIST) {
        return fail_property(eval, node, base, stf_buf_str(&key), ret_value);
    }
    stf_decimal number;
    int64_t at = 0;
    STF__TRY(stf__juel_number(eval, node->last->offset, index, &number));
    if (!stf_decimal_to_int(number, &at)) {
        return stf__source_fail(&eval->source, STF_EXPRESSION, node->last->offset,
                                "an index of a list is a whole number");
    }
    const stf_value *item = at >= 0 ? stf_value_peek_item(base, (size_t)at) : NULL;
    return stf__eval_give_ref(item, ret_value);
}

/* What FEEL filters: a list, or a single value as a list of one. */
typedef struct filtered {
    const stf_value *base;
    bool is_list;
    size_t count;
} filtered;

static const stf_value *peek_filtered(const filtered *list, size_t index)
{
    return list->is_list ? stf_value_peek_item(list->base, index) : list->base;
}

static stf_status give_filtered(const filtered *list, const stf_value *index, stf_value **ret_value)
{
    int64_t at = 0;
    int64_t count = (int64_t)list->count;
    if (!stf_value_get_int(index, &at) || at == 0 || at > count || at < -count) {
        return stf__eval_give_null(ret_value);
    }
    return stf__eval_give_ref(peek_filtered(list, (size_t)(at > 0 ? at - 1 : count + at)),
                              ret_value);
}

static stf_status eval_with_item(stf__eval *eval, const stf__node *node, const stf_value *item,
                                 stf_value **ret_value)
{
    const stf__frame *up = eval->frame;
    stf__frame frame = {.up = up, .item = item};
    eval->frame = item != NULL ? &frame : up;
    stf_status status = stf__eval_node(eval, node, ret_value);
    eval->frame = up;
    return status;
}

/* A filter that is a number for the first item is an index, else it is asked for each item. */
static stf_status eval_filter(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    OWNED base = NULL;
    STF__TRY(stf__eval_node(eval, node->first, &base));
    if (stf_value_get_kind(base) == STF_VALUE_NULL) {
        return stf__eval_give_null(ret_value);
    }
    bool is_list = stf_value_get_kind(base) == STF_VALUE_LIST;
    filtered list = {base, is_list, is_list ? stf_value_count(base) : 1};
    STF_CLEANUP(stf__items_done) stf__items items = {.alloc = eval->alloc};
    size_t i = 0;
    do {
        OWNED filter = NULL;
        const stf_value *item = i < list.count ? peek_filtered(&list, i) : NULL;
        STF__TRY(eval_with_item(eval, node->last, item, &filter));
        if (i == 0 && stf_value_get_kind(filter) == STF_VALUE_NUMBER) {
            return give_filtered(&list, filter, ret_value);
        }
        if (item != NULL && stf_value_is_true(filter)) {
            STF__TRY(stf__items_add(eval, node, &items, item));
        }
    } while (++i < list.count);
    return stf__items_give_list(eval, &items, ret_value);
}

/* ---- Operators. */

static stf_status eval_negate(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    OWNED value = NULL;
    STF__TRY(stf__eval_node(eval, node->first, &value));
    return stf__operator_negate(eval, node, value, ret_value);
}

static stf_status eval_truth(stf__eval *eval, const stf__node *node, stf__truth *ret_truth)
{
    OWNED value = NULL;
    STF__TRY(stf__eval_node(eval, node, &value));
    return stf__operator_truth(eval, node, value, ret_truth);
}

static stf_status eval_not(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    stf__truth truth = STF__UNKNOWN;
    STF__TRY(eval_truth(eval, node->first, &truth));
    return stf__eval_give_bool(truth == STF__NO, ret_value); /* JUEL only: never unknown */
}

static stf_status eval_empty(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    OWNED value = NULL;
    bool was_lenient = eval->is_lenient;
    eval->is_lenient = true;
    stf_status status = stf__eval_node(eval, node->first, &value);
    eval->is_lenient = was_lenient;
    STF__TRY(status);
    stf_value_kind kind = stf_value_get_kind(value);
    bool is_empty = kind == STF_VALUE_NULL;
    if (kind == STF_VALUE_STRING) {
        is_empty = stf_value_peek_string(value).size == 0;
    } else if (kind == STF_VALUE_LIST || kind == STF_VALUE_CONTEXT) {
        is_empty = stf_value_count(value) == 0;
    }
    return stf__eval_give_bool(is_empty, ret_value);
}

static stf_status eval_fold(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    OWNED left = NULL;
    STF__TRY(stf__eval_node(eval, node->first, &left));
    for (const stf__node *child = node->first->next; child != NULL; child = child->next) {
        OWNED right = NULL;
        stf_value *result = NULL;
        STF__TRY(stf__eval_node(eval, child, &right));
        STF__TRY(
            stf__operator_apply(eval, node, child->op_offset, child->op, left, right, &result));
        stf_value_unref(left);
        left = result;
    }
    return stf__eval_give_ref(left, ret_value);
}

/* and: the first "no" decides, or: the first "yes"; an unknown operand leaves the rest open. */
static stf_status eval_logic(stf__eval *eval, const stf__node *node, stf__truth decisive,
                             stf_value **ret_value)
{
    stf__truth result = decisive == STF__NO ? STF__YES : STF__NO;
    for (const stf__node *child = node->first; child != NULL; child = child->next) {
        stf__truth truth = STF__UNKNOWN;
        STF__TRY(eval_truth(eval, child, &truth));
        if (truth == decisive) {
            return stf__truth_give(truth, ret_value);
        }
        result = truth == STF__UNKNOWN ? STF__UNKNOWN : result;
    }
    return stf__truth_give(result, ret_value);
}

static stf_status eval_and(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    return eval_logic(eval, node, STF__NO, ret_value);
}

static stf_status eval_or(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    return eval_logic(eval, node, STF__YES, ret_value);
}

static stf_status eval_if(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    stf__truth truth = STF__UNKNOWN;
    STF__TRY(eval_truth(eval, node->first, &truth));
    return stf__eval_node(eval, truth == STF__YES ? node->first->next : node->last, ret_value);
}

/* ---- between and in. */

/* lower <= subject <= upper, with < where the range is open. */
static stf_status give_inside(stf__eval *eval, const stf__node *node, const stf_value *subject,
                              const stf__node *lower_node, uint32_t flags, stf_value **ret_value)
{
    OWNED lower = NULL;
    OWNED upper = NULL;
    stf__truth above = STF__UNKNOWN;
    stf__truth below = STF__UNKNOWN;
    stf__op above_op = flags & STF__RANGE_OPEN_START ? STF__OP_GREATER : STF__OP_GREATER_EQUAL;
    stf__op below_op = flags & STF__RANGE_OPEN_END ? STF__OP_LESS : STF__OP_LESS_EQUAL;
    STF__TRY(stf__eval_node(eval, lower_node, &lower));
    STF__TRY(stf__eval_node(eval, lower_node->next, &upper));
    STF__TRY(stf__operator_compare_feel(eval, node, above_op, subject, lower, &above));
    STF__TRY(stf__operator_compare_feel(eval, node, below_op, subject, upper, &below));
    bool is_known = above != STF__UNKNOWN && below != STF__UNKNOWN;
    stf__truth inside = above == STF__NO || below == STF__NO ? STF__NO
                        : is_known                           ? STF__YES
                                                             : STF__UNKNOWN;
    return stf__truth_give(inside, ret_value);
}

static stf_status eval_between(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    OWNED subject = NULL;
    STF__TRY(stf__eval_node(eval, node->first, &subject));
    return give_inside(eval, node, subject, node->first->next, 0, ret_value);
}

static stf_status eval_range(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    return give_inside(eval, node, eval->subject, node->first, node->flags, ret_value);
}

static stf_status eval_compare(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    OWNED right = NULL;
    stf__truth truth = STF__UNKNOWN;
    STF__TRY(stf__eval_node(eval, node->first, &right));
    STF__TRY(stf__operator_compare_feel(eval, node, node->op, eval->subject, right, &truth));
    return stf__truth_give(truth, ret_value);
}

/* A test that is a value: the subject equals it, or is one of its items. */
static stf_status test_value(stf__eval *eval, const stf__node *node, const stf_value *value,
                             stf__truth *ret_truth)
{
    bool is_list = stf_value_get_kind(value) == STF_VALUE_LIST;
    bool is_same = false;
    for (size_t i = 0; is_list && i < stf_value_count(value) && !is_same; i++) {
        STF__TRY(
            stf__operator_same(eval, node, eval->subject, stf_value_peek_item(value, i), &is_same));
    }
    if (is_same || (is_list && stf_value_get_kind(eval->subject) != STF_VALUE_LIST)) {
        *ret_truth = stf__truth_of(is_same);
        return STF_OK;
    }
    return stf__operator_compare_feel(eval, node, STF__OP_EQUAL, eval->subject, value, ret_truth);
}

static stf_status eval_test(stf__eval *eval, const stf__node *node, stf__truth *ret_truth)
{
    OWNED value = NULL;
    STF__TRY(stf__eval_node(eval, node, &value));
    if (node->kind == STF__NODE_RANGE || node->kind == STF__NODE_COMPARE) {
        return stf__operator_truth(eval, node, value, ret_truth);
    }
    return test_value(eval, node, value, ret_truth);
}

static stf_status eval_in(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    OWNED subject = NULL;
    STF__TRY(stf__eval_node(eval, node->first, &subject));
    stf__truth result = STF__NO;
    for (const stf__node *test = node->first->next; test != NULL; test = test->next) {
        stf__truth truth = STF__UNKNOWN;
        const stf_value *outer = eval->subject;
        eval->subject = subject;
        stf_status status = eval_test(eval, test, &truth);
        eval->subject = outer;
        STF__TRY(status);
        if (truth == STF__YES) {
            return stf__truth_give(truth, ret_value);
        }
        result = truth == STF__UNKNOWN ? STF__UNKNOWN : result;
    }
    return stf__truth_give(result, ret_value);
}

/* ---- Making values. */

static stf_status eval_children(stf__eval *eval, const stf__node *node, stf__items *items)
{
    for (const stf__node *child = node->first; child != NULL; child = child->next) {
        stf_value *value = NULL;
        STF__TRY(stf__eval_node(eval, child, &value));
        STF__TRY(stf__items_take(eval, node, items, value));
    }
    return STF_OK;
}

static stf_status eval_list(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    STF_CLEANUP(stf__items_done) stf__items items = {.alloc = eval->alloc};
    STF__TRY(eval_children(eval, node, &items));
    return stf__items_give_list(eval, &items, ret_value);
}

static stf_status eval_call(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    STF_CLEANUP(stf__items_done) stf__items items = {.alloc = eval->alloc};
    STF__TRY(eval_children(eval, node, &items));
    return node->builtin->call(eval, node, items.values, items.count, ret_value);
}

static stf_status eval_entry(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    return stf__eval_node(eval, node->first, ret_value);
}

static stf_status eval_entries(stf__eval *eval, const stf__node *node, stf_str *keys,
                               stf__items *items)
{
    const stf__frame *up = eval->frame;
    stf__frame frame = {.up = up, .keys = keys};
    stf_status status = STF_OK;
    eval->frame = &frame;
    for (const stf__node *entry = node->first; entry != NULL && status == STF_OK;
         entry = entry->next) {
        stf_value *value = NULL;
        status = stf__eval_node(eval, entry, &value);
        if (status == STF_OK) {
            keys[items->count] = entry->name;
            status = stf__items_take(eval, node, items, value);
        }
        frame.values = items->values;
        frame.count = items->count;
    }
    eval->frame = up;
    return status;
}

/* An entry sees the ones before it. */
static stf_status eval_context(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    STF_CLEANUP(stf__items_done) stf__items items = {.alloc = eval->alloc};
    STF__TRY(stf__eval_charge(eval, node, node->count));
    stf_str *keys = stf__mem_zalloc_array(eval->alloc, node->count + 1, sizeof(*keys));
    if (keys == NULL) {
        return stf__eval_no_memory(eval);
    }
    stf_status status = eval_entries(eval, node, keys, &items);
    if (status == STF_OK) {
        status = stf_value_new_context(eval->alloc, keys, items.values, items.count, ret_value,
                                       eval->source.error);
    }
    stf__mem_free(eval->alloc, keys);
    return status;
}

static stf_status eval_concat(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    STF_CLEANUP(stf_buf_done) stf_buf buf;
    stf_buf_init(&buf, eval->alloc);
    for (const stf__node *part = node->first; part != NULL; part = part->next) {
        OWNED value = NULL;
        STF__TRY(stf__eval_node(eval, part, &value));
        if (stf_value_get_kind(value) != STF_VALUE_NULL) {
            STF__TRY(stf__eval_append_text(eval, part, value, &buf));
        }
    }
    return stf_value_new_string(eval->alloc, stf_buf_str(&buf), ret_value, eval->source.error);
}

/* ---- The table. */

typedef stf_status (*evaluator)(stf__eval *eval, const stf__node *node, stf_value **ret_value);

static const evaluator evaluators[] = {
#define EVALUATOR(name, function) eval_##function,
    STF__NODE_MAP(EVALUATOR)
#undef EVALUATOR
};

stf_status stf__eval_node(stf__eval *eval, const stf__node *node, stf_value **ret_value)
{
    STF__TRY(stf__eval_charge(eval, node, 1));
    return evaluators[node->kind](eval, node, ret_value);
}
