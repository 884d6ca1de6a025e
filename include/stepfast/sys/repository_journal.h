/* SPDX-License-Identifier: Apache-2.0 */
/* Capability: history rows that a save carries (stf_save.journal), written only if it wins. */
#ifndef STEPFAST_SYS_REPOSITORY_JOURNAL_H
#define STEPFAST_SYS_REPOSITORY_JOURNAL_H

#include <stepfast/sys/repository.h>

STF_BEGIN_DECLS

#define STF_REPOSITORY_JOURNAL "stf.repository.journal/1"

typedef struct stf_journal_query {
    stf_str id;
    int64_t after_version;   /* rows of saves with a greater version, then by position */
    uint64_t after_position; /* position within after_version to start behind; 0: whole versions */
    size_t limit;
} stf_journal_query;

/* version: the rec_version that the save produced; position counts from 1 within it. */
typedef stf_status (*stf_journal_visitor)(void *user, int64_t version, uint64_t position,
                                          const stf_journal_row *row, stf_error *error);

typedef struct stf_journal_vtable {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    /* Rows with (version, position) > (after_version, after_position), in that order. */
    stf_status (*page)(void *impl, const stf_ctx *ctx, const stf_journal_query *query,
                       stf_journal_visitor visit, void *user, stf_error *error);
} stf_journal_vtable;

#define STF_JOURNAL_ABI 1u

STF_API STF_MUST_CHECK stf_status stf_repository_journal_page(stf_repository *repository,
                                                              const stf_ctx *ctx,
                                                              const stf_journal_query *query,
                                                              stf_journal_visitor visit, void *user,
                                                              stf_error *error);

STF_END_DECLS

#endif
