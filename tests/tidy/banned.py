# SPDX-License-Identifier: Apache-2.0
"""Calls and headers that are banned, where, and the files that are the one place for them.

The command line (cli/) is a program, not a library: it may use stdio, exit codes, the environment
and the C library's allocator. Tests may allocate and read clocks. What is unsafe or depends on the
locale is banned everywhere."""

import re

from tree import ALL_CODE, LIBRARY

# (what, names, folders, {file: reason why it may})
CALLS = [
    ("allocation goes through the allocator port (base/mem.h)",
     "malloc calloc realloc free strdup strndup reallocarray aligned_alloc posix_memalign "
     "asprintf vasprintf",
     LIBRARY, {"src/base/alloc.c": "the default allocator"}),
    ("unbounded, or drops errors",
     "strcpy strcat stpcpy sprintf vsprintf gets strtok strtok_r atoi atol atoll atof alloca",
     ALL_CODE, {}),
    ("depends on the locale",
     "setlocale uselocale strtod strtof strtold scanf sscanf fscanf isalpha isalnum isdigit "
     "isspace isupper islower isxdigit toupper tolower strcoll strcasecmp strncasecmp",
     LIBRARY + ("include/", "cli/"), {}),
    ("time is a port (clock.h)",
     "time gettimeofday clock_gettime clock ftime localtime localtime_r gmtime gmtime_r mktime "
     "timegm sleep usleep nanosleep",
     LIBRARY, {"src/base/clock.c": "the system's clock",
               "src/engine/time.c": "how long a condition variable sleeps, nothing else"}),
    ("randomness is a port (clock.h)",
     "rand srand rand_r random srandom drand48 lrand48 getrandom getentropy arc4random",
     ALL_CODE, {"src/base/clock.c": "the system's random source"}),
    ("a library never prints",
     "printf puts putchar perror vprintf fprintf vfprintf fputs fputc putc fwrite dprintf "
     "vdprintf syslog",
     LIBRARY, {"conformance/tap.c": "the reporter whose contract is to print TAP"}),
    ("a library never ends the process or changes it",
     "exit _exit _Exit abort quick_exit atexit signal sigaction sigprocmask setenv putenv "
     "getenv chdir umask assert",
     LIBRARY, {"src/engine/failpoint.c": "the crash points of the kill tests"}),
]

HEADERS = [
    ("no assertions on callers' arguments", "assert.h", ALL_CODE, ("src/base/",)),
    ("randomness is a port", "sys/random.h", ALL_CODE, ("src/base/clock.c",)),
    ("the layout of C types depends on the locale", "ctype.h locale.h", LIBRARY + ("cli/",), ()),
]


def call_pattern(names):
    # Not a member (p->free(...)), not part of a longer name, not a declarator ((*free)(...)).
    return re.compile(r"(?<![\w.>])(" + "|".join(names.split()) + r")\s*\(")


def check(tree):
    calls = [(what, call_pattern(names), folders, places) for what, names, folders, places in CALLS]
    for path in tree.select(".c", ".h", under=ALL_CODE):
        code = tree.code_lines(path)
        for what, pattern, folders, places in calls:
            if not path.startswith(folders) or path in places:
                continue
            for number, line in enumerate(code, 1):
                for match in pattern.finditer(line):
                    yield path, number, f"{match.group(1)}(): {what}"
        for what, names, folders, places in HEADERS:
            if not path.startswith(folders) or path.startswith(places):
                continue
            for number, line in enumerate(tree.lines(path), 1):
                for name in names.split():
                    if re.match(rf"\s*#\s*include\s*<{re.escape(name)}>", line):
                        yield path, number, f"<{name}>: {what}"
