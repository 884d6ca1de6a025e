/* SPDX-License-Identifier: Apache-2.0 */
/* Message end events: as send tasks, and then their token ends as at a none end event, since no
 * flow leads on. The instance may have ended before its message arrives: its record waits for that.
 */
#include "core/element/families.h"
#include "core/element/work.h"

const stf__processor stf__element_end_message = {
    .start = stf__message_start, .on_work = stf__work_on_work, .retry = stf__work_retry};
