/* SPDX-License-Identifier: Apache-2.0 */
/* Groups and tenants of the memory store. */
#include "support/stf_test.h"
#include "unit/memory/memory_case.h"

static stf_status register_another(memory_case *self)
{
    return stf_repository_register_group(self->repository, NULL, stf_str_of("other"), &self->error);
}

static void other_is_unknown(memory_case *self)
{
    bool exists = true;
    STF_CHECK_OK(stf_repository_group_exists(self->repository, NULL, stf_str_of("other"), &exists,
                                             &self->error),
                 &self->error);
    ck_assert(!exists);
}

STF_TEST(a_group_is_registered_whole_or_not_at_all)
{
    memory_case self;
    memory_case_open(&self, 0);
    memory_fail_each(&self, register_another, other_is_unknown);
    STF_CHECK_OK(register_another(&self), &self.error);
    memory_case_close(&self);
}

static stf_status resolve(memory_case *self, const char *tenant, const char *expected)
{
    stf_buf buf;
    stf_buf_init(&buf, &self->allocator.port);
    stf_status status = stf_repository_resolve_tenant(self->repository, NULL, stf_str_of("g"),
                                                      stf_str_of(tenant), &buf, &self->error);
    STF_CHECK_STR(stf_buf_str(&buf), status == STF_OK ? expected : "");
    stf_buf_done(&buf);
    return status;
}

static stf_status resolve_default(memory_case *self)
{
    return resolve(self, "", "default");
}

static stf_status resolve_new(memory_case *self)
{
    return resolve(self, "acme", "acme");
}

STF_TEST(tenants_survive_every_failing_allocation)
{
    memory_case self;
    memory_case_open(&self, 0);
    memory_fail_each(&self, resolve_new, NULL);
    memory_fail_each(&self, resolve_default, NULL);
    STF_CHECK_OK(resolve(&self, "default", "default"), &self.error);
    memory_case_close(&self);
}

STF_TEST(a_hundred_groups_and_tenants_keep_apart)
{
    memory_case self;
    memory_case_open(&self, 0);
    for (int i = 0; i < 100; i++) {
        char name[8];
        snprintf(name, sizeof(name), "n%d", i);
        STF_CHECK_OK(
            stf_repository_register_group(self.repository, NULL, stf_str_of(name), &self.error),
            &self.error);
        STF_CHECK_OK(resolve(&self, name, name), &self.error);
    }
    for (int i = 0; i < 100; i++) {
        char name[8];
        bool exists = false;
        snprintf(name, sizeof(name), "n%d", i);
        STF_CHECK_OK(stf_repository_group_exists(self.repository, NULL, stf_str_of(name), &exists,
                                                 &self.error),
                     &self.error);
        ck_assert(exists);
    }
    memory_case_close(&self);
}

static const stf_test_case cases[] = {
    STF_CASE(a_group_is_registered_whole_or_not_at_all),
    STF_CASE(tenants_survive_every_failing_allocation),
    STF_CASE(a_hundred_groups_and_tenants_keep_apart),
};

STF_TEST_MAIN("memory/registry", cases)
