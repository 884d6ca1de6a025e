/* SPDX-License-Identifier: Apache-2.0 */
/* See child.h. Between fork and exec only async-signal-safe calls are made, since other threads may
 * hold any lock at that moment. The end of the child is seen through a pidfd, not through the end
 * of its pipes, which a grandchild may keep open. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    END_READ = 0,
    END_WRITE = 1
};
enum {
    PIPE_INPUT = 0,
    PIPE_OUTPUT = 1,
    PIPE_ERRORS = 2,
    PIPE_EXEC = 3,
    PIPE_COUNT = 4
};

typedef struct child {
    const cli_child_request *request;
    char *command; /* a copy, since execve wants it writable */
    cli_child_result *result;
    int pipes[PIPE_COUNT][2];
    pid_t pid;
    int pidfd;
    size_t input_sent;
    bool has_exited;
} child;

static int64_t monotonic_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void close_end(child *self, int pipe_index, int end)
{
    int *fd = &self->pipes[pipe_index][end];
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

static void close_all(child *self)
{
    for (int i = 0; i < PIPE_COUNT; i++) {
        close_end(self, i, END_READ);
        close_end(self, i, END_WRITE);
    }
    if (self->pidfd >= 0) {
        close(self->pidfd);
    }
}

static bool open_pipes(child *self)
{
    for (int i = 0; i < PIPE_COUNT; i++) {
        if (pipe2(self->pipes[i], O_CLOEXEC) != 0) {
            return false;
        }
    }
    return fcntl(self->pipes[PIPE_INPUT][END_WRITE], F_SETFL, O_NONBLOCK) == 0 &&
           fcntl(self->pipes[PIPE_OUTPUT][END_READ], F_SETFL, O_NONBLOCK) == 0 &&
           fcntl(self->pipes[PIPE_ERRORS][END_READ], F_SETFL, O_NONBLOCK) == 0;
}

/* In the child. Async-signal-safe calls only. Never returns. */
static _Noreturn void exec_command(const child *self, pid_t parent)
{
    static const int handed_down[] = {PIPE_INPUT, PIPE_OUTPUT, PIPE_ERRORS};
    int exec_fd = self->pipes[PIPE_EXEC][END_WRITE];
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(127); /* the parent died before the death signal was set */
    }
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(SIGPIPE, &standard, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    bool is_ready = true;
    for (int target = 0; target < 3; target++) {
        int end = target == STDIN_FILENO ? END_READ : END_WRITE;
        is_ready = is_ready && dup2(self->pipes[handed_down[target]][end], target) == target;
    }
    if (is_ready) {
        char shell[] = "sh";
        char option[] = "-c";
        char *const arguments[] = {shell, option, self->command, NULL};
        execve("/bin/sh", arguments, self->request->environment);
    }
    int reason = errno;
    ssize_t ignored = write(exec_fd, &reason, sizeof reason);
    (void)ignored;
    _exit(127);
}

/* True: the command runs. False: nothing of it ran, result->code says why. */
static bool start(child *self)
{
    pid_t parent = getpid();
    self->pid = fork();
    if (self->pid < 0) {
        self->result->code = errno;
        return false;
    }
    if (self->pid == 0) {
        exec_command(self, parent);
    }
    setpgid(self->pid, self->pid); /* also here: whoever is first */
    close_end(self, PIPE_INPUT, END_READ);
    close_end(self, PIPE_OUTPUT, END_WRITE);
    close_end(self, PIPE_ERRORS, END_WRITE);
    close_end(self, PIPE_EXEC, END_WRITE);
    int reason = 0;
    ssize_t got;
    do {
        got = read(self->pipes[PIPE_EXEC][END_READ], &reason, sizeof reason);
    } while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof reason) {
        self->result->code = reason;
        waitpid(self->pid, NULL, 0);
        return false;
    }
    return true;
}

static void send_input(child *self)
{
    stf_str input = self->request->input;
    while (self->input_sent < input.size) {
        ssize_t sent = write(self->pipes[PIPE_INPUT][END_WRITE], input.data + self->input_sent,
                             input.size - self->input_sent);
        if (sent < 0) {
            if (errno == EINTR) {
                continue;
            }
            if (errno == EAGAIN) {
                return;
            }
            break; /* EPIPE: the command does not read; that is its right */
        }
        self->input_sent += (size_t)sent;
    }
    close_end(self, PIPE_INPUT, END_WRITE);
}

/* Keeps the last `max` bytes. */
static void drop_front(stf_buf *buf, size_t max)
{
    if (buf->size > max) {
        memmove(buf->data, buf->data + (buf->size - max), max);
        buf->size = max;
    }
}

/* False: the limit of standard output was crossed (or memory ran out, which is as bad). */
static bool receive(child *self, int pipe_index)
{
    bool is_output = pipe_index == PIPE_OUTPUT;
    stf_buf *buf = is_output ? &self->result->output : &self->result->errors;
    char piece[16384];
    for (;;) {
        ssize_t got = read(self->pipes[pipe_index][END_READ], piece, sizeof piece);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0 && errno == EAGAIN) {
            return true;
        }
        if (got <= 0) {
            close_end(self, pipe_index, END_READ);
            return true;
        }
        if (is_output && buf->size + (size_t)got > self->request->output_max) {
            return false;
        }
        if (stf_buf_append(buf, piece, (size_t)got) != STF_OK) {
            return !is_output;
        }
        if (!is_output) {
            drop_front(buf, self->request->errors_max);
        }
    }
}

static void end_as(child *self, cli_child_end end, int code)
{
    self->result->end = end;
    self->result->code = code;
}

/* One wait for anything. False: the run is over and result->end is set. */
static bool turn(child *self, int64_t deadline_us)
{
    struct pollfd fds[] = {
        {.fd = self->pidfd, .events = POLLIN},
        {.fd = self->pipes[PIPE_INPUT][END_WRITE], .events = POLLOUT},
        {.fd = self->pipes[PIPE_OUTPUT][END_READ], .events = POLLIN},
        {.fd = self->pipes[PIPE_ERRORS][END_READ], .events = POLLIN},
        {.fd = self->request->cancel != NULL ? stf_cancel_fd(self->request->cancel) : -1,
         .events = POLLIN},
    };
    int wait_ms = -1;
    if (deadline_us != INT64_MAX) {
        int64_t left_us = deadline_us - monotonic_us();
        if (left_us <= 0) {
            end_as(self, CLI_CHILD_TIMED_OUT, 0);
            return false;
        }
        wait_ms = left_us > 1000000 ? 1000 : (int)(left_us / 1000) + 1;
    }
    if (poll(fds, sizeof fds / sizeof fds[0], wait_ms) < 0 && errno != EINTR) {
        end_as(self, CLI_CHILD_LOST, errno);
        return false;
    }
    if (fds[1].revents != 0) {
        send_input(self);
    }
    bool is_within = true;
    if (fds[2].revents != 0) {
        is_within = receive(self, PIPE_OUTPUT);
    }
    if (fds[3].revents != 0) {
        is_within = receive(self, PIPE_ERRORS) && is_within;
    }
    if (!is_within) {
        end_as(self, CLI_CHILD_TOO_LOUD, 0);
        return false;
    }
    if (fds[0].revents != 0) {
        self->has_exited = true;
        return false;
    }
    if (fds[4].revents != 0) {
        end_as(self, CLI_CHILD_CANCELLED, 0);
        return false;
    }
    return true;
}

/* What it wrote before it ended is still in the pipes. */
static void drain(child *self)
{
    if (self->pipes[PIPE_OUTPUT][END_READ] >= 0 && !receive(self, PIPE_OUTPUT)) {
        end_as(self, CLI_CHILD_TOO_LOUD, 0);
    }
    if (self->pipes[PIPE_ERRORS][END_READ] >= 0) {
        (void)receive(self, PIPE_ERRORS);
    }
}

static void reap(child *self)
{
    int status = 0;
    pid_t got;
    kill(-self->pid, SIGKILL); /* what is left of the group; the leader too when we end it */
    do {
        got = waitpid(self->pid, &status, 0);
    } while (got < 0 && errno == EINTR);
    if (!self->has_exited) {
        return;
    }
    if (got < 0) {
        end_as(self, CLI_CHILD_LOST, errno);
    } else if (WIFSIGNALED(status)) {
        end_as(self, CLI_CHILD_SIGNALLED, WTERMSIG(status));
    } else {
        end_as(self, CLI_CHILD_EXITED, WEXITSTATUS(status));
    }
    drain(self);
}

void cli_child_run(const cli_child_request *request, cli_child_result *ret_result)
{
    child self = {.request = request, .result = ret_result, .pidfd = -1};
    for (int i = 0; i < PIPE_COUNT; i++) {
        self.pipes[i][END_READ] = -1;
        self.pipes[i][END_WRITE] = -1;
    }
    memset(ret_result, 0, sizeof *ret_result);
    stf_buf_init(&ret_result->output, NULL);
    stf_buf_init(&ret_result->errors, NULL);
    ret_result->end = CLI_CHILD_NOT_STARTED;
    self.command = strdup(request->command);
    if (self.command == NULL || !open_pipes(&self)) {
        ret_result->code = errno;
        close_all(&self);
        free(self.command);
        return;
    }
    if (start(&self)) {
        int64_t deadline_us =
            request->timeout_us > 0 ? monotonic_us() + request->timeout_us : INT64_MAX;
        self.pidfd = pidfd_open(self.pid, 0);
        if (self.pidfd < 0) {
            end_as(&self, CLI_CHILD_LOST, errno);
        } else {
            while (turn(&self, deadline_us)) {
            }
        }
        reap(&self);
    }
    close_all(&self);
    free(self.command);
}

void cli_child_result_done(cli_child_result *result)
{
    stf_buf_done(&result->output);
    stf_buf_done(&result->errors);
}
