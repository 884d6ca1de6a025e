/* SPDX-License-Identifier: Apache-2.0 */
/* Two engines with handles of their own on one SQLite file that deliver the same outbox: whatever
 * they share is in the file (R5, R18). */
#include "sqlite_case.h"
#include "unit/engine/message_case.h"

static void play(const char *process, const char *json, stf_status status, bool applies)
{
    for (int turns = 0; turns < 9; turns++) {
        message_case_meeting plan = {.process = process,
                                     .json = json,
                                     .first_turns = turns / 3,
                                     .second_turns = turns % 3,
                                     .status = status,
                                     .applies = applies};
        sqlite_case_make_folder();
        engine_case *c = sqlite_case_open("one", NULL);
        engine_case *other = sqlite_case_open("two", NULL);
        message_case_meet(c, other, &plan);
        engine_case_free(other);
        engine_case_free(c);
        sqlite_case_remove_folder();
    }
}

STF_TEST(r5_two_engines_that_deliver_one_message_deliver_it_once)
{
    play("s", "{\"key\": \"k\"}", STF_UNAVAILABLE, false);
    play("s", "{\"key\": \"k\"}", STF_OUTCOME_UNKNOWN, false);
    play("s", "{\"key\": \"k\"}", STF_OUTCOME_UNKNOWN, true);
}

STF_TEST(r18_two_engines_that_deliver_one_call_make_one_child)
{
    play("top", "{\"fails\": false}", STF_UNAVAILABLE, false);
    play("top", "{\"fails\": false}", STF_OUTCOME_UNKNOWN, true);
}

static const stf_test_case cases[] = {
    STF_CASE(r5_two_engines_that_deliver_one_message_deliver_it_once),
    STF_CASE(r18_two_engines_that_deliver_one_call_make_one_child),
};

STF_TEST_MAIN("engine_sends", cases)
