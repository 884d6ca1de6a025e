/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a table of cases through Check, all of them forked, or one of them by name in this process
 * for a debugger. */
#include "support/stf_test.h"

/* Check passes the loop index; the case table is found through it. */
static const stf_test_case *running_cases;

static void run_case(int index)
{
    running_cases[index].run();
}

static const TTest case_runner = {.name = "case", .fn = run_case, .file = __FILE__, .line = 0};

static int run_one(const stf_test_case *cases, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(cases[i].name, name) == 0) {
            running_cases = cases;
            TCase *tcase = tcase_create(cases[i].name);
            tcase_set_timeout(tcase, 0);
            _tcase_add_test(tcase, &case_runner, 0, 0, (int)i, (int)i + 1);
            Suite *suite = suite_create(name);
            suite_add_tcase(suite, tcase);
            SRunner *runner = srunner_create(suite);
            srunner_set_fork_status(runner, CK_NOFORK);
            srunner_run_all(runner, CK_VERBOSE);
            int failed = srunner_ntests_failed(runner);
            srunner_free(runner);
            return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
        }
    }
    fprintf(stderr, "no test named %s\n", name);
    return EXIT_FAILURE;
}

int stf_test_run(const char *suite_name, const stf_test_case *cases, size_t count, int argc,
                 char **argv)
{
    if (argc > 1) {
        return run_one(cases, count, argv[1]);
    }
    running_cases = cases;
    Suite *suite = suite_create(suite_name);
    for (size_t i = 0; i < count; i++) {
        TCase *tcase = tcase_create(cases[i].name);
        tcase_set_timeout(tcase, 120);
        _tcase_add_test(tcase, &case_runner, 0, 0, (int)i, (int)i + 1);
        suite_add_tcase(suite, tcase);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
