/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that a program which embeds the engine needs, but for the stores' own headers. */
#ifndef STEPFAST_STEPFAST_H
#define STEPFAST_STEPFAST_H

#include <stepfast/alloc.h>
#include <stepfast/bpmn.h>
#include <stepfast/buf.h>
#include <stepfast/clock.h>
#include <stepfast/ctx.h>
#include <stepfast/engine.h>
#include <stepfast/error.h>
#include <stepfast/expr.h>
#include <stepfast/limits.h>
#include <stepfast/memory.h>
#include <stepfast/model.h>
#include <stepfast/observer.h>
#include <stepfast/service.h>
#include <stepfast/status.h>
#include <stepfast/value.h>

#define STEPFAST_VERSION "0.1.0"

STF_BEGIN_DECLS

/* STEPFAST_VERSION of the library that is linked. Static storage. */
STF_API const char *stf_version(void);

STF_END_DECLS

#endif
