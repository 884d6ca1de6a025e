/* SPDX-License-Identifier: Apache-2.0 */
/* Message throw events: as send tasks. They do not wait until anybody has the message. */
#include "core/element/families.h"
#include "core/element/work.h"

const stf__processor stf__element_throw_message = {
    .start = stf__message_start, .on_work = stf__work_on_work, .retry = stf__work_retry};
