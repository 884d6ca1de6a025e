/* SPDX-License-Identifier: Apache-2.0 */
/* Automatic retries. Work that failed is retried by itself while its policy has retries left: the
 * decision and its time are saved as an incident with retry_at, so a restart neither loses nor
 * repeats it. Only two ends of work qualify: what is certain not to have happened, and what is
 * unknown of idempotent work. A BPMN error is an outcome and not a failure; work that is unknown
 * and not idempotent waits for people (R2, R6). */
#include "core/step.h"

#define DELAY_US_MAX (INT64_C(366) * 86400 * 1000000) /* a year */
#define RETRIES_MAX 1000u /* as stf_retry_policy says: no delay grows beyond that */

static int64_t min_us(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Retry number n (from 0): first * (factor / 100)^n, at most the cap. In integers, so that it is
 * the same on every machine; a factor below 100 shrinks it, down to nothing. */
static int64_t grow_delay(const stf_retry_policy *policy, uint32_t n)
{
    int64_t cap = policy->cap_us > 0 ? min_us(policy->cap_us, DELAY_US_MAX) : DELAY_US_MAX;
    int64_t delay = policy->first_us > 0 ? min_us(policy->first_us, cap) : 0;
    int64_t factor = policy->factor_percent == 0 ? 100 : (int64_t)policy->factor_percent;
    uint32_t times = n < RETRIES_MAX ? n : RETRIES_MAX;
    for (uint32_t i = 0; i < times && factor != 100 && delay > 0 && delay < cap; i++) {
        delay = delay > INT64_MAX / factor ? cap : min_us(delay * factor / 100, cap);
    }
    return delay;
}

/* The step has one draw; each activation makes its own number of it. */
static uint64_t mix(uint64_t seed, uint64_t number)
{
    uint64_t z = seed + number * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Less up to jitter_percent of itself, so that what failed together does not come back together. */
static int64_t jitter(const stf__step *step, const stf__activation *activation,
                      const stf_retry_policy *policy, int64_t delay)
{
    int64_t percent = policy->jitter_percent < 100 ? (int64_t)policy->jitter_percent : 100;
    int64_t part = (int64_t)(mix(step->random, activation->number) % 1000001u);
    int64_t most = delay / 100 * percent;
    return delay - (most / 1000000 * part + most % 1000000 * part / 1000000);
}

static stf_wall find_time(const stf__step *step, const stf__activation *activation,
                          const stf_retry_policy *policy)
{
    if (policy == NULL) {
        return step->now; /* who answered asked for it and no policy says when */
    }
    int64_t delay = grow_delay(policy, activation->work.retries);
    return (stf_wall){step->now.us + jitter(step, activation, policy, delay)};
}

stf_status stf__step_fail_work(stf__step *step, stf__activation *activation, const stf__node *node,
                               const stf__trouble *trouble, int32_t retries_left)
{
    const stf_retry_policy *policy = node->retry != NULL ? node->retry : step->retry;
    bool is_left = retries_left < 0 ? policy != NULL && activation->work.retries < policy->retries
                                    : retries_left > 0;
    if (trouble->kind != STF__INCIDENT_FAILED || !is_left) {
        return stf__step_open_incident(step, activation, trouble);
    }
    stf_wall at = find_time(step, activation, policy);
    activation->work.retries++;
    return stf__step_schedule_retry(step, activation, trouble, at);
}

bool stf__step_find_retry(const stf__step *step, size_t *ret_incident_index)
{
    const stf__doc *doc = step->doc;
    bool is_found = false;
    for (size_t i = 0; i < doc->incident_count; i++) {
        stf_wall at = doc->incidents[i].retry_at;
        if (stf_wall_is_none(at) || at.us > step->now.us) {
            continue;
        }
        if (!is_found || at.us < doc->incidents[*ret_incident_index].retry_at.us) {
            *ret_incident_index = i;
            is_found = true;
        }
    }
    return is_found;
}

stf_status stf__step_run_retry(stf__step *step, size_t incident_index)
{
    uint64_t number = step->doc->incidents[incident_index].activation;
    stf__activation *activation = stf__doc_find_activation(step->doc, number);
    const stf__node *node = NULL;
    if (activation == NULL) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE", "an incident of no activation");
    }
    stf_status status = stf__step_find_node(step, activation->element, &node);
    if (status == STF_OK) {
        status = stf__step_close_incident(step, number, STF_FACT_INCIDENT_RESOLVED);
    }
    return status == STF_OK ? stf__step_resume(step, activation, node) : status;
}
