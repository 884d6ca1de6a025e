# SPDX-License-Identifier: Apache-2.0
"""Names: stf_room_verb for what is public, stf__room_verb between rooms, no _t types."""

import re

from tree import SHIPPED

FUNCTION = re.compile(
    r"^(?!typedef\b|static\b|return\b|#|extern \")(?:[\w*]+[\s*]+)*\*?([a-z]\w*)\(")
STATIC = re.compile(r"^static\b")
TYPE_T = re.compile(r"(?:^typedef\b.*?\b|^}\s*)(\w+_t);")
TYPEDEF = re.compile(r"^(?:typedef\b[^;({]*?\b(\w+);|}\s*(\w+);|typedef\b.*\(\*(\w+)\)\()")
MACRO = re.compile(r"^\s*#\s*define\s+(\w+)")
ENTRY_POINTS = {"main", "LLVMFuzzerTestOneInput"}


def declared(lines):
    """(line number, name) of each function that a line in the first column declares or defines."""
    static_above = False
    for number, line in enumerate(lines, 1):
        match = FUNCTION.match(line)
        if match and not static_above:
            yield number, match.group(1)
        # A long declaration has its return type on a line of its own.
        static_above = bool(STATIC.match(line)) and "(" not in line and ";" not in line


def check_header(tree, path):
    public = path.startswith("include/")
    lines = tree.code_lines(path)
    prefix = r"stf_(?!_)[a-z]" if public else r"stf__?[a-z]"
    for number, name in declared(lines):
        if not re.match(prefix, name):
            yield path, number, f"{name}: a function of a header here starts with " + (
                "stf_" if public else "stf__")
    for number, line in enumerate(lines, 1):
        macro = MACRO.match(line)
        # stf_: a macro that stands before a function of that name.
        if macro and not re.match(r"STF_|STEPFAST_|stf_", macro.group(1)):
            yield path, number, f"{macro.group(1)}: macros start with STF_ or STF__"
        typedef = TYPEDEF.match(line)
        if typedef:
            name = next(group for group in typedef.groups() if group)
            if not re.match(r"stf_", name):
                yield path, number, f"{name}: types start with stf_"


def check(tree):
    for path in tree.select(".h", under=("include/", "src/")):
        yield from check_header(tree, path)
    for path in tree.select(".c", under=("src/", "adapters/", "conformance/")):
        for number, name in declared(tree.code_lines(path)):
            if not name.startswith("stf_") and name not in ENTRY_POINTS:
                yield path, number, f"{name}: not static, so it starts with stf_ or stf__"
    for path in tree.select(".c", ".h", under=SHIPPED):
        for number, line in enumerate(tree.code_lines(path), 1):
            match = TYPE_T.search(line)
            if match:
                yield path, number, f"{match.group(1)}: POSIX reserves names in _t"
