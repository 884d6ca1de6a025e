/* SPDX-License-Identifier: Apache-2.0 */
/* Records that this engine cannot read: left untouched in the store and left alone here for a
 * while, longer each time. One bad record never stops the rest. */
#include "engine/private.h"

#include <string.h>

#define SKIPS_MAX 4096u
#define SKIP_LAST_US INT64_C(300000000)

static bool free_skip(void *user, stf_str key, void *value)
{
    stf_engine *engine = user;
    (void)key;
    stf__mem_free(engine->alloc, value);
    return true;
}

static void clear(stf_engine *engine)
{
    stf__map_each(&engine->wake.skips, free_skip, engine);
    stf__map_done(&engine->wake.skips);
    stf__map_init(&engine->wake.skips, engine->alloc);
}

bool stf__skip_has(stf_engine *engine, stf_str id)
{
    const stf__skip *skip = stf__map_get(&engine->wake.skips, id);
    return skip != NULL && skip->until.us > stf__engine_mono(engine).us;
}

/* Without memory it is only looked at again sooner. */
void stf__skip_add(stf_engine *engine, stf_str id)
{
    stf__skip *skip = stf__map_get(&engine->wake.skips, id);
    if (skip == NULL) {
        if (engine->wake.skips.count >= SKIPS_MAX) {
            clear(engine);
        }
        skip = stf__mem_zalloc(engine->alloc, sizeof(*skip) + id.size + 1);
        if (skip == NULL) {
            return;
        }
        memcpy(skip->text, id.data, id.size);
        skip->backoff_us = engine->poll_us;
        if (stf__map_put(&engine->wake.skips, (stf_str){skip->text, id.size}, skip) != STF_OK) {
            stf__mem_free(engine->alloc, skip);
            return;
        }
    } else if (skip->backoff_us < SKIP_LAST_US) {
        skip->backoff_us *= 2;
    }
    skip->until = (stf_mono){stf__engine_mono(engine).us + skip->backoff_us};
}

void stf__skip_remove(stf_engine *engine, stf_str id)
{
    if (engine->wake.skips.count != 0) {
        stf__mem_free(engine->alloc, stf__map_remove(&engine->wake.skips, id));
    }
}

void stf__skips_free(stf_engine *engine)
{
    stf__map_each(&engine->wake.skips, free_skip, engine);
    stf__map_done(&engine->wake.skips);
}
