#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The public headers as a caller's compiler sees them. Usage:
headers.py alone CC CXX   each header compiles alone, as C17 and as C++17
headers.py layout CC      structs that start with struct_size end without padding, so that a field
                          appended later never lies inside the size that older callers gave"""

import glob
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
INCLUDE = os.path.join(ROOT, "include")
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]


def headers():
    paths = glob.glob(os.path.join(INCLUDE, "stepfast", "**", "*.h"), recursive=True)
    return sorted(os.path.relpath(path, INCLUDE) for path in paths)


def compiles(command, source):
    command = command + [*WARNINGS, "-fsyntax-only", f"-I{INCLUDE}", "-"]
    result = subprocess.run(command, input=source, text=True, capture_output=True)
    if result.returncode != 0:
        print(" ".join(command), result.stderr, sep="\n")
    return result.returncode == 0


def check_alone(c_compiler, cxx_compiler):
    good = True
    for header in headers():
        # Twice: the include guard works. A function: the unit is not empty.
        source = f"#include <{header}>\n#include <{header}>\nint unit(void);\n"
        good &= compiles([c_compiler, "-std=c17", "-xc"], source)
        good &= compiles([cxx_compiler, "-std=c++17", "-xc++"], source)
    return good


STRUCT = re.compile(r"^typedef struct (\w+) \{\s*size_t struct_size;(.*?)^\} \1;", re.M | re.S)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
# The declarator of a member: a name with an optional array, or a pointer to function.
MEMBER = re.compile(r"\(\*(\w+)\)\s*\(|(\w+)(?:\[[^\]]*\])*\s*$")


def last_member(body):
    member = [part for part in body.split(";") if part.strip()][-1].strip()
    match = MEMBER.search(member)
    return match.group(1) or match.group(2)


def check_layout(c_compiler):
    source, found = "#include <stddef.h>\n", 0
    for header in headers():
        with open(os.path.join(INCLUDE, header), encoding="utf-8") as file:
            text = COMMENT.sub("", file.read())
        source += f"#include <{header}>\n"
        for name, body in STRUCT.findall(text):
            last = last_member(body)
            source += (f"_Static_assert(offsetof({name}, {last}) + sizeof((({name} *)0)->{last})"
                       f' == sizeof({name}), "{name} ends in padding after {last}");\n')
            found += 1
    print(f"{found} structs")
    return found > 0 and compiles([c_compiler, "-std=c17", "-xc"], source)


if __name__ == "__main__":
    check = {"alone": check_alone, "layout": check_layout}[sys.argv[1]]
    sys.exit(0 if check(*sys.argv[2:]) else 1)
