/* SPDX-License-Identifier: Apache-2.0 */
/* The factory over the memory store: a fresh one for each case, shared by its handles. */
#include "conformance/memory_factory.h"

static stf_status open_repository(memory_factory *self, stf_repository **ret_repository,
                                  stf_error *error)
{
    stf_repository *inner = NULL;
    stf_status status = stf_memory_open_repository(self->memory, &inner, error);
    if (status != STF_OK) {
        return status;
    }
    if (self->wrap != NULL) {
        return self->wrap(self->user, inner, ret_repository, error);
    }
    *ret_repository = inner;
    return STF_OK;
}

static stf_status fresh(void *user, const stf_clock *clock, stf_repository **ret_repository,
                        stf_error *error)
{
    memory_factory *self = user;
    stf_memory_options options = {.struct_size = sizeof(options),
                                  .abi = STF_MEMORY_ABI,
                                  .clock = clock,
                                  .max_terminal = self->max_terminal};
    stf_status status = stf_memory_new(&options, &self->memory, error);
    return status == STF_OK ? open_repository(self, ret_repository, error) : status;
}

static stf_status second_handle(void *user, const stf_clock *clock, stf_repository **ret_repository,
                                stf_error *error)
{
    (void)clock;
    return open_repository(user, ret_repository, error);
}

static stf_status reopen(void *user, const stf_clock *clock, stf_repository **ret_repository,
                         stf_error *error)
{
    (void)user;
    (void)clock;
    (void)ret_repository;
    return stf_error_set(error, STF_UNSUPPORTED, "TEST", "memory does not survive");
}

static stf_status definitions(void *user, const stf_clock *clock, stf_definition_store **ret_store,
                              stf_error *error)
{
    (void)clock;
    memory_factory *self = user;
    return stf_memory_open_definitions(self->memory, ret_store, error);
}

static void destroy(void *user)
{
    memory_factory *self = user;
    self->memory = stf_memory_unref(self->memory);
}

void memory_factory_init(memory_factory *factory)
{
    *factory = (memory_factory){
        .factory =
            {
                .struct_size = sizeof(factory->factory),
                .abi = STF_CONFORMANCE_ABI,
                .user = factory,
                .fresh = fresh,
                .second_handle = second_handle,
                .reopen = reopen,
                .definitions = definitions,
                .destroy = destroy,
            },
    };
}
