/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's random bytes. Each save draws an attempt and each start an id; asking the kernel for
 * each costs more than the step. So the system's source is asked for a page at a time; any other
 * source is asked for what is needed. Bytes are wiped as they are handed out. The kernel empties
 * the page in a child after fork, so that no two processes draw the same. */
#include "engine/random.h"

#include <string.h>
#include <sys/mman.h>

#define PAGE_BYTES 4096u

struct stf__random_page {
    uint32_t left; /* unused bytes, at the end; 0 in a child after fork */
    uint8_t bytes[PAGE_BYTES - sizeof(uint32_t)];
};

static stf__random_page *map_page(void)
{
    void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return NULL;
    }
    if (madvise(page, PAGE_BYTES, MADV_WIPEONFORK) != 0) {
        (void)munmap(page, PAGE_BYTES);
        return NULL;
    }
    return page;
}

void stf__random_init(stf__random *random, const stf_random *source)
{
    *random = (stf__random){.source = source};
    /* Without a page the source is asked each time. */
    if (source == stf_random_system() && pthread_mutex_init(&random->lock, NULL) == 0) {
        random->page = map_page();
        if (random->page == NULL) {
            (void)pthread_mutex_destroy(&random->lock);
        }
    }
}

void stf__random_done(stf__random *random)
{
    if (random->page != NULL) {
        (void)munmap(random->page, PAGE_BYTES);
        (void)pthread_mutex_destroy(&random->lock);
        random->page = NULL;
    }
}

void stf__random_fill(stf__random *random, void *bytes, size_t size)
{
    stf__random_page *page = random->page;
    if (page == NULL || size > sizeof(page->bytes)) {
        random->source->fill(random->source->user, bytes, size);
        return;
    }
    (void)pthread_mutex_lock(&random->lock);
    if (page->left < size) {
        random->source->fill(random->source->user, page->bytes, sizeof(page->bytes));
        page->left = sizeof(page->bytes);
    }
    uint8_t *from = page->bytes + (sizeof(page->bytes) - page->left);
    memcpy(bytes, from, size);
    memset(from, 0, size);
    page->left -= (uint32_t)size;
    (void)pthread_mutex_unlock(&random->lock);
}
