/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions: deployment, and the cache of models by tenant, key and version. Models come from the
 * definition store, so a restarted engine needs no file. Callers use this on their own threads. */
#include "engine/private.h"

#include <stepfast/limits.h>
#include <string.h>

#define CACHE_MAX 1024u
#define CACHE_KEY_BYTES (2 * STF_LIMIT_ID_BYTES + 32)

/* ---- The cache --------------------------------------------------------------------------------
 */

stf__definition *stf__definition_ref(stf_engine *engine, stf__definition *definition)
{
    (void)engine;
    atomic_fetch_add(&definition->refs, 1);
    return definition;
}

/* What is in the cache has the cache's own reference, so the last one is nobody else's to find. */
stf__definition *stf__definition_unref(stf_engine *engine, stf__definition *definition)
{
    if (atomic_fetch_sub(&definition->refs, 1) == 1) {
        stf_model_unref(definition->model);
        stf__mem_free(engine->alloc, definition);
    }
    return NULL;
}

static bool free_cached(void *user, stf_str key, void *value)
{
    (void)key;
    (void)stf__definition_unref(user, value);
    return true;
}

/* Drops everything; what instances use lives on until they let go. */
static void clear_locked(stf_engine *engine)
{
    stf__map_each(&engine->definition_cache, free_cached, engine);
    stf__map_done(&engine->definition_cache);
    stf__map_init(&engine->definition_cache, engine->alloc);
}

void stf__definitions_free(stf_engine *engine)
{
    stf__map_each(&engine->definition_cache, free_cached, engine);
    stf__map_done(&engine->definition_cache);
}

static stf_str cache_key(stf_str tenant, stf_str key, int64_t version, char *buffer)
{
    size_t size = 0;
    memcpy(buffer, tenant.data, tenant.size);
    size += tenant.size;
    buffer[size++] = '\0';
    memcpy(buffer + size, key.data, key.size);
    size += key.size;
    buffer[size++] = '\0';
    memcpy(buffer + size, &version, sizeof(version));
    return (stf_str){buffer, size + sizeof(version)};
}

static stf__definition *find_cached(stf_engine *engine, stf_str key)
{
    (void)pthread_mutex_lock(&engine->definitions_lock);
    stf__definition *definition = stf__map_get(&engine->definition_cache, key);
    if (definition != NULL) {
        (void)stf__definition_ref(engine, definition);
    }
    (void)pthread_mutex_unlock(&engine->definitions_lock);
    return definition;
}

/* Gives the entry to use: of two threads that loaded the same one, the first wins. */
static stf_status cache(stf_engine *engine, stf__definition *definition,
                        stf__definition **ret_definition)
{
    stf_status status = STF_OK;
    (void)pthread_mutex_lock(&engine->definitions_lock);
    stf__definition *other = stf__map_get(&engine->definition_cache, definition->cache_key);
    if (other != NULL) {
        (void)stf__definition_unref(engine, definition);
        *ret_definition = stf__definition_ref(engine, other);
    } else {
        if (engine->definition_cache.count >= CACHE_MAX) {
            clear_locked(engine);
        }
        status = stf__map_put(&engine->definition_cache, definition->cache_key, definition);
        if (status == STF_OK) {
            /* the cache's and the caller's */
            *ret_definition = stf__definition_ref(engine, definition);
        } else {
            (void)stf__definition_unref(engine, definition);
        }
    }
    (void)pthread_mutex_unlock(&engine->definitions_lock);
    return status;
}

/* ---- Loading from the store -------------------------------------------------------------------
 */

typedef struct definition_load {
    stf_engine *engine;
    stf__definition *definition; /* the result, with one reference */
} definition_load;

static stf_status new_definition(stf_engine *engine, const stf_definition *stored, stf_model *model,
                                 stf__definition **ret_definition, stf_error *error)
{
    const stf__process *process = stf__model_find_process(model, stored->key);
    if (process == NULL) {
        return stf_error_set(error, STF_CORRUPT, "ENGINE",
                             "the stored file of %.*s version %lld does not contain that process",
                             STF_STR_ARG(stored->key), (long long)stored->version);
    }
    size_t size = stored->tenant.size + stored->key.size + 2 + sizeof(int64_t);
    stf__definition *definition = stf__mem_zalloc(engine->alloc, sizeof(*definition) + size);
    if (definition == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a definition");
    }
    atomic_init(&definition->refs, 1);
    definition->cache_key =
        cache_key(stored->tenant, stored->key, stored->version, definition->text);
    definition->key = (stf_str){definition->text + stored->tenant.size + 1, stored->key.size};
    definition->version = stored->version;
    definition->model = model;
    definition->process = process;
    *ret_definition = definition;
    return STF_OK;
}

/* The store is in the middle of an exchange: nothing is asked of it here. */
static stf_status visit_definition(void *user, const stf_definition *stored, stf_error *error)
{
    definition_load *loader = user;
    stf_engine *engine = loader->engine;
    char buffer[CACHE_KEY_BYTES];
    stf_model *model;
    loader->definition =
        find_cached(engine, cache_key(stored->tenant, stored->key, stored->version, buffer));
    if (loader->definition != NULL) {
        return STF_OK; /* the latest is one that is known */
    }
    stf_status status = stf_bpmn_load(engine->alloc, stored->file, NULL, &model, error);
    if (status == STF_OK) {
        status = new_definition(engine, stored, model, &loader->definition, error);
        if (status != STF_OK) {
            stf_model_unref(model);
        }
    }
    if (status == STF_OK) {
        stf__definition *definition = loader->definition;
        loader->definition = NULL;
        status = cache(engine, definition, &loader->definition);
    }
    return status;
}

stf_status stf__definition_get(stf_engine *engine, const stf_ctx *ctx, stf_str tenant, stf_str key,
                               int64_t version, stf__definition **ret_definition, stf_error *error)
{
    char buffer[CACHE_KEY_BYTES];
    definition_load loader = {.engine = engine};
    bool is_found = false;
    if (tenant.size > STF_LIMIT_ID_BYTES || key.size > STF_LIMIT_ID_BYTES) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "ENGINE",
                             "a tenant or definition key has at most %d bytes", STF_LIMIT_ID_BYTES);
    }
    if (version != 0) {
        stf__definition *known = find_cached(engine, cache_key(tenant, key, version, buffer));
        if (known != NULL) {
            *ret_definition = known;
            return STF_OK;
        }
    }
    stf_status status =
        stf_definition_store_get(engine->definitions, ctx, stf_str_of(engine->group), tenant, key,
                                 version, visit_definition, &loader, &is_found, error);
    if (status == STF_OK && !is_found) {
        status = version == 0 ? stf_error_set(error, STF_NOT_FOUND, "ENGINE",
                                              "no definition %.*s is deployed", STF_STR_ARG(key))
                              : stf_error_set(error, STF_NOT_FOUND, "ENGINE",
                                              "definition %.*s version %lld is not deployed",
                                              STF_STR_ARG(key), (long long)version);
    }
    if (status == STF_OK) {
        *ret_definition = loader.definition;
    } else if (loader.definition != NULL) {
        loader.definition = stf__definition_unref(engine, loader.definition);
    }
    return status;
}

/* ---- Deployment -------------------------------------------------------------------------------
 */

/* What is marked executable must be executable; another process may stay as documentation. */
static stf_status check_supported(const stf_model *model, stf_error *error)
{
    for (uint32_t i = 0; i < model->process_count; i++) {
        const stf__process *process = &model->processes[i];
        if ((process->flags & STF_PROCESS_EXECUTABLE) != 0 &&
            (process->flags & STF_PROCESS_RUNNABLE) == 0) {
            return stf_error_set(error, STF_UNSUPPORTED, "ENGINE", "process %.*s: %.*s",
                                 STF_STR_ARG(process->id), STF_STR_ARG(process->first_unsupported));
        }
    }
    if (model->process_count == 0) {
        return stf_error_set(error, STF_PARSE, "ENGINE", "the file contains no process");
    }
    return STF_OK;
}

typedef struct file_deployment {
    stf_engine *engine;
    const stf_ctx *ctx;
    stf_bytes file;
    stf_deployed_visitor visit;
    void *user;
} file_deployment;

static stf_status put_process(const file_deployment *deployment, const stf__process *process,
                              stf_error *error)
{
    stf_engine *engine = deployment->engine;
    stf_definition definition = {.group = stf_str_of(engine->group),
                                 .tenant = stf_buf_str(&engine->tenant),
                                 .key = process->id,
                                 .file = deployment->file};
    stf_deployed deployed = {.key = process->id, .flags = process->flags};
    bool is_new = false;
    stf_status status = stf_definition_store_put(engine->definitions, deployment->ctx, &definition,
                                                 &deployed.version, &is_new, error);
    if (status == STF_OK && deployment->visit != NULL) {
        deployed.is_new = is_new ? 1 : 0;
        status = deployment->visit(deployment->user, &deployed, error);
    }
    return status;
}

/* Each process is put on its own: a deployment that fails half way is finished by repeating it. */
stf_status stf_engine_deploy(stf_engine *engine, const stf_ctx *ctx, stf_bytes file,
                             stf_diagnostics *diagnostics, stf_deployed_visitor visit, void *user,
                             stf_error *error)
{
    stf_model *model;
    if (engine == NULL || (file.data == NULL && file.size != 0)) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "the engine or the file is missing");
    }
    if (atomic_load(&engine->phase) != STF__PHASE_SERVING) {
        return stf_error_set(error, STF_INVALID_STATE, "ENGINE", "the engine is not serving");
    }
    stf_status status = stf_bpmn_load(engine->alloc, file, diagnostics, &model, error);
    if (status != STF_OK) {
        return status;
    }
    file_deployment deployment = {
        .engine = engine, .ctx = ctx, .file = file, .visit = visit, .user = user};
    status = check_supported(model, error);
    for (uint32_t i = 0; status == STF_OK && i < model->process_count; i++) {
        status = put_process(&deployment, &model->processes[i], error);
    }
    stf_model_unref(model);
    return status;
}
