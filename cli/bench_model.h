/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that the bench runs. */
#ifndef CLI_BENCH_MODEL_H
#define CLI_BENCH_MODEL_H

#define BENCH_MODEL_(id, body)                                                                     \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"                                                 \
    "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\""                           \
    " xmlns:stepfast=\"https://stepfast.dev/bpmn\" id=\"bench\" targetNamespace=\"bench\">\n"      \
    "<process id=\"" id "\" isExecutable=\"true\">\n" body "</process>\n</definitions>\n"
#define BENCH_FLOW_(id, from, to)                                                                  \
    "<sequenceFlow id=\"" id "\" sourceRef=\"" from "\" targetRef=\"" to "\"/>\n"
#define BENCH_SERVICE_(id) "<serviceTask id=\"" id "\" stepfast:handler=\"work\"/>\n"

#define BENCH_MODEL_SERVICE                                                                        \
    BENCH_MODEL_("service", "<startEvent id=\"start\"/>\n" BENCH_SERVICE_("one")                   \
                                BENCH_FLOW_("f1", "start", "one")                                  \
                                    BENCH_FLOW_("f2", "one", "end") "<endEvent id=\"end\"/>\n")

#define BENCH_MODEL_SERVICES                                                                       \
    BENCH_MODEL_("services",                                                                       \
                 "<startEvent id=\"start\"/>\n" BENCH_SERVICE_("one") BENCH_SERVICE_("two")        \
                     BENCH_SERVICE_("three") BENCH_FLOW_("f1", "start", "one")                     \
                         BENCH_FLOW_("f2", "one", "two") BENCH_FLOW_("f3", "two", "three")         \
                             BENCH_FLOW_("f4", "three", "end") "<endEvent id=\"end\"/>\n")

#define BENCH_MODEL_TIMER                                                                          \
    BENCH_MODEL_("timer",                                                                          \
                 "<startEvent id=\"start\"/>\n<intermediateCatchEvent id=\"wait\">"                \
                 "<timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>"  \
                 "</intermediateCatchEvent>\n" BENCH_FLOW_("f1", "start", "wait")                  \
                     BENCH_FLOW_("f2", "wait", "end") "<endEvent id=\"end\"/>\n")

#define BENCH_MODEL_TASK                                                                           \
    BENCH_MODEL_("task", "<startEvent id=\"start\"/>\n<userTask id=\"ask\"/>\n" BENCH_FLOW_(       \
                             "f1", "start", "ask")                                                 \
                             BENCH_FLOW_("f2", "ask", "end") "<endEvent id=\"end\"/>\n")

#endif
