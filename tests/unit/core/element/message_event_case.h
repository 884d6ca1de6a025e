/* SPDX-License-Identifier: Apache-2.0 */
/* What a message end event and a message throw event both do: they send and go on, or call a
 * handler when they have a topic. */
#ifndef UNIT_CORE_MESSAGE_EVENT_CASE_H
#define UNIT_CORE_MESSAGE_EVENT_CASE_H

#include "core_case.h"

/* A process that is at the event "t" and at the user task "u" from its start on; `event` is the
 * element "t" with what follows it, around MESSAGE_EVENT(attributes). */
#define MESSAGE_EVENT(attributes) "<messageEventDefinition messageRef='m' " attributes "/>"
#define MESSAGE_EVENT_BODY(event)                                                                  \
    "<startEvent id='s'/>"                                                                         \
    "<sequenceFlow id='st' sourceRef='s' targetRef='t'/>"                                          \
    "<sequenceFlow id='su' sourceRef='s' targetRef='u'/>"                                          \
    "<userTask id='u'/>" event

void message_event_case_sends_and_goes_on(const char *body);
/* The event's topic is "mail". */
void message_event_case_is_work(const char *body);

#endif
