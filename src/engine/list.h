/* SPDX-License-Identifier: Apache-2.0 */
/* Intrusive doubly linked lists, for things that have several homes. A link is in at most one list;
 * an unlinked link points to itself, so removing twice is harmless. */
#ifndef STF_ENGINE_LIST_H
#define STF_ENGINE_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct stf__link {
    struct stf__link *prev;
    struct stf__link *next;
} stf__link;

typedef stf__link stf__list; /* the head */

static inline void stf__list_init(stf__link *link)
{
    link->prev = link;
    link->next = link;
}

static inline bool stf__list_is_empty(const stf__list *list)
{
    return list->next == list;
}

/* Behind an entry, or at the front where that is the head. */
static inline void stf__list_insert(stf__link *before, stf__link *link)
{
    link->prev = before;
    link->next = before->next;
    before->next->prev = link;
    before->next = link;
}

static inline void stf__list_append(stf__list *list, stf__link *link)
{
    link->prev = list->prev;
    link->next = list;
    list->prev->next = link;
    list->prev = link;
}

static inline void stf__list_remove(stf__link *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
    stf__list_init(link);
}

/* The object around a link. */
#define STF__LIST_ENTRY(link_pointer, type, member)                                                \
    ((type *)(void *)((char *)(link_pointer)-offsetof(type, member)))

/* Visits every entry; the visited one may be removed. */
#define STF__LIST_EACH(link, following, list)                                                      \
    for (stf__link *link = (list)->next, *following = (link)->next; (link) != (list);              \
         (link) = (following), (following) = (link)->next)

#endif
