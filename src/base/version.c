/* SPDX-License-Identifier: Apache-2.0 */
/* The version of the library that a program is linked with. */
#include <stepfast/stepfast.h>

const char *stf_version(void)
{
    return STEPFAST_VERSION;
}
