/* SPDX-License-Identifier: Apache-2.0 */
/* A repository over another one that counts its calls and fails where a test asks for it: before
 * the store is asked (nothing was written), or after it has answered (the reply is lost). Every
 * capability of the store below is passed on. */
#ifndef STF_FAULTY_REPOSITORY_H
#define STF_FAULTY_REPOSITORY_H

#include <stdatomic.h>
#include <stepfast/sys/repository.h>

typedef struct faulty_repository {
    stf_repository *inner; /* borrowed */
    atomic_long calls;     /* of every slot */
    atomic_long saves;     /* of save and save_many */
    /* Which call fails, counted from 1 over all calls or, with only_saves, over saves; 0: none. */
    atomic_long fail_at;
    atomic_long fail_count; /* so many from there on; 0: for ever */
    atomic_bool only_saves;
    atomic_bool applies; /* the store does it first */
    atomic_int status;   /* what is answered */
    /* Called before each slot; may be NULL. */
    void (*on_call)(void *user, const char *name);
    void *user;
    char log[4096]; /* names of the calls, each followed by a blank, while log_calls */
    bool log_calls;
} faulty_repository;

/* Clears faulty and wraps inner; the result is closed by the test, inner is not. */
stf_repository *faulty_repository_new(faulty_repository *faulty, stf_repository *inner);

/* The n-th save from now (1: the next) and count - 1 more answer status. */
void faulty_repository_fail_saves(faulty_repository *faulty, long n, long count, stf_status status,
                                  bool applies);
/* Every call from the n-th of now on fails: the engine above has lost its store. */
void faulty_repository_cut(faulty_repository *faulty, long n);
void faulty_repository_heal(faulty_repository *faulty);

#endif
