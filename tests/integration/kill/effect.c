/* SPDX-License-Identifier: Apache-2.0 */
/* The effect of the kill test with two engines: a line before it and a line after it, each on disk
 * before it goes on. The topic says how it ends: "...-declined" with a BPMN error, "...-flaky" with
 * a failure at the first attempt, any other with a result that no other run has. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long long now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : "-";
}

/* One write to a file that is opened for appending: lines of several processes never mix. SIGKILL
 * may cut one short, so each begins with a line feed and ends with a word that says that it is
 * whole. */
static void note(int log, const char *what, const char *outcome)
{
    char line[1024];
    int size =
        snprintf(line, sizeof line, "\n%s %lld %ld %s %s %s %s %s %s %s whole\n", what, now_us(),
                 (long)getpid(), variable("KILL_ENGINE"), variable("STEPFAST_INSTANCE"),
                 variable("STEPFAST_ELEMENT"), variable("STEPFAST_TOPIC"), variable("STEPFAST_KEY"),
                 variable("STEPFAST_ATTEMPT"), outcome);
    if (size <= 0 || (size_t)size >= sizeof line || write(log, line, (size_t)size) != size ||
        fsync(log) != 0) {
        _exit(99); /* unknown to the engine, and a line that is missing to the checker */
    }
}

static int ends_with(const char *text, const char *end)
{
    size_t size = strlen(text);
    size_t end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

int main(void)
{
    char result[64];
    const char *topic = variable("STEPFAST_TOPIC");
    int log = open(variable("KILL_LOG"), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (log < 0) {
        return 99;
    }
    snprintf(result, sizeof result, "%lld.%ld", now_us(), (long)getpid());
    note(log, "begin", result);
    struct timespec pause = {.tv_nsec = (20 + getpid() % 50) * 1000000L};
    nanosleep(&pause, NULL);
    if (ends_with(topic, "-declined")) {
        note(log, "error", result);
        puts("DECLINED");
        return 10;
    }
    if (ends_with(topic, "-flaky") && strcmp(variable("STEPFAST_ATTEMPT"), "1") == 0) {
        note(log, "fail", result);
        return 11;
    }
    note(log, "end", result);
    printf("{\"%s_result\": \"%s\"}\n", variable("STEPFAST_ELEMENT"), result);
    return 0;
}
