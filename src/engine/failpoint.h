/* SPDX-License-Identifier: Apache-2.0 */
/* Crash points of the kill tests. The environment variable STEPFAST_FAILPOINT="name:n" ends the
 * process with SIGKILL when the point is passed for the n-th time. Compiled only with
 * STF_FAILPOINTS; elsewhere nothing is left of them. */
#ifndef STF_ENGINE_FAILPOINT_H
#define STF_ENGINE_FAILPOINT_H

#ifdef STF_FAILPOINTS
void stf__failpoint_hit(const char *name);
#define STF__FAILPOINT(name) stf__failpoint_hit(name)
#else
#define STF__FAILPOINT(name) ((void)0)
#endif

#endif
