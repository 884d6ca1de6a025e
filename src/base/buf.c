/* SPDX-License-Identifier: Apache-2.0 */
/* The growable buffer. It doubles, and a failed call leaves it as it was. */
#include <stepfast/buf.h>

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void stf_buf_init(stf_buf *buf, const stf_allocator *alloc)
{
    *buf = (stf_buf){.alloc = stf__alloc_or_default(alloc)};
}

void stf_buf_done(stf_buf *buf)
{
    if (buf != NULL) {
        stf__mem_free(buf->alloc, buf->data);
        *buf = (stf_buf){.alloc = buf->alloc};
    }
}

void stf_buf_clear(stf_buf *buf)
{
    buf->size = 0;
}

stf_status stf_buf_reserve(stf_buf *buf, size_t more)
{
    if (more <= buf->capacity - buf->size) {
        return STF_OK;
    }
    size_t needed;
    if (__builtin_add_overflow(buf->size, more, &needed)) {
        return STF_NO_MEMORY;
    }
    size_t capacity = buf->capacity <= SIZE_MAX / 2 ? buf->capacity * 2 : needed;
    if (capacity < needed) {
        capacity = needed;
    }
    if (capacity < 64) {
        capacity = 64;
    }
    uint8_t *data = stf__mem_realloc_array(buf->alloc, buf->data, capacity, 1);
    if (data == NULL) {
        return STF_NO_MEMORY;
    }
    buf->data = data;
    buf->capacity = capacity;
    return STF_OK;
}

stf_status stf_buf_append(stf_buf *buf, const void *data, size_t size)
{
    if (size == 0) {
        return STF_OK;
    }
    stf_status status = STF_OK;
    if (size > buf->capacity - buf->size) {
        status = stf_buf_reserve(buf, size);
    }
    if (status == STF_OK) {
        memcpy(buf->data + buf->size, data, size);
        buf->size += size;
    }
    return status;
}

stf_status stf_buf_append_str(stf_buf *buf, stf_str text)
{
    return stf_buf_append(buf, text.data, text.size);
}

stf_status stf_buf_printf(stf_buf *buf, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size < 0) {
        return STF_NO_MEMORY;
    }
    stf_status status = stf_buf_reserve(buf, (size_t)size + 1);
    if (status != STF_OK) {
        return status;
    }
    va_start(arguments, format);
    (void)vsnprintf((char *)buf->data + buf->size, (size_t)size + 1, format, arguments);
    va_end(arguments);
    buf->size += (size_t)size;
    return STF_OK;
}

stf_str stf_buf_str(const stf_buf *buf)
{
    return (stf_str){(const char *)buf->data, buf->size};
}

stf_bytes stf_buf_bytes(const stf_buf *buf)
{
    return (stf_bytes){buf->data, buf->size};
}

const char *stf_buf_c_str(stf_buf *buf)
{
    if (stf_buf_reserve(buf, 1) != STF_OK) {
        return NULL;
    }
    buf->data[buf->size] = '\0';
    return (const char *)buf->data;
}
