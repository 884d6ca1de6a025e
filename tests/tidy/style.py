# SPDX-License-Identifier: Apache-2.0
"""What a reader meets first: licence line, opening comment, width, white space, sizes, notes."""

import re

from tree import ALL_CODE

LICENCE = "SPDX-License-Identifier: Apache-2.0"
WIDTH = 100
# Folders of data that others' tools wrote, kept byte for byte.
DATA = re.compile(r"^(tests/.*/data/|fuzz/corpus/)|\.(bpmn|dmn|json|dict|symbols)$|^LICENSE$")
C_LIKE = (".c", ".h", ".def")
SCRIPTS = (".sh", ".py", ".cmake", "CMakeLists.txt", "Makefile")


def ours(tree, *suffixes):
    return [path for path in tree.select(*suffixes) if not DATA.search(path)]


def check_licence(tree):
    for path in ours(tree, *C_LIKE):
        lines = tree.lines(path)
        if lines[0] != f"/* {LICENCE} */":
            yield path, 1, f"the first line is not /* {LICENCE} */"
        elif len(lines) < 2 or not lines[1].startswith("/* "):
            yield path, 2, "no comment that says what the file is for"
    for path in ours(tree, *SCRIPTS):
        lines = tree.lines(path)
        first = 1 if lines[0].startswith("#!") else 0
        if len(lines) <= first or lines[first] != f"# {LICENCE}":
            yield path, first + 1, f"the first line is not # {LICENCE}"
    for path in ours(tree, ".sql"):
        if f"-- {LICENCE}" not in tree.lines(path)[:3]:
            yield path, 1, f"none of the first three lines is -- {LICENCE}"


def check_width(tree):
    for path in ours(tree, ".c", ".h", *SCRIPTS):
        by_hand = False
        for number, line in enumerate(tree.lines(path), 1):
            # Tables laid out by hand may be wider: /* clang-format off */ says where.
            if "clang-format o" in line:
                by_hand = "clang-format off" in line
            if len(line) > WIDTH and not by_hand:
                yield path, number, f"{len(line)} columns, more than {WIDTH}"


def check_blanks(tree):
    for path in ours(tree, *C_LIKE, *SCRIPTS, ".md", ".txt", ".sql", ".map", ".in", ".1", ".8"):
        text = tree.text(path)
        if text and not text.endswith("\n"):
            yield path, text.count("\n") + 1, "no newline at the end of the file"
        if text.endswith("\n\n"):
            yield path, text.count("\n"), "blank lines at the end of the file"
        for number, line in enumerate(text.split("\n"), 1):
            if "\r" in line:
                yield path, number, "a carriage return"
            elif line.endswith((" ", "\t")):
                yield path, number, "trailing blanks"
            if "\t" in line and not path.endswith("Makefile"):
                yield path, number, "a tab"


# (folder, longest function, longest file)
SIZES = [("tests/", 100, 1000), ("fuzz/", 70, 600), ("bench/", 70, 600), ("", 70, 600)]


def check_sizes(tree):
    for path in tree.select(".c", ".h", under=ALL_CODE):
        function_max, file_max = next(
            (function, file) for folder, function, file in SIZES if path.startswith(folder))
        lines = tree.code_lines(path)
        if len(lines) - 1 > file_max:
            yield path, 1, f"{len(lines) - 1} lines, more than {file_max}"
        # clang-format puts the braces of a function, and only those, in the first column.
        opened = None
        for number, line in enumerate(lines, 1):
            if line.startswith("{"):
                opened = number
            elif line.startswith("}") and opened is not None:
                if number - opened + 1 > function_max:
                    yield path, opened, (f"a function of {number - opened + 1} lines, more than "
                                         f"{function_max}")
                opened = None


# That word behind a hash, after a test's line, is what TAP says of what cannot pass yet; the program prints it.
NOTE = re.compile(r"(?<!# )\b(TO[D]O|FIX[M]E|X[X]X)\b(?!\(#\d+\))")


def check_notes(tree):
    for path in ours(tree, *C_LIKE, *SCRIPTS, ".md", ".txt", ".sql"):
        for number, line in enumerate(tree.lines(path), 1):
            match = NOTE.search(line)
            if match:
                yield path, number, f"{match.group(1)} without an issue: write {match.group(1)}(#n)"


# Paths of one machine have no place in the project.
PLACE = re.compile(r"(?<![\w.])/(?:[w]ork|[h]ome|[r]oot)/\w")


def check_places(tree):
    for path in tree.paths:
        if DATA.search(path):
            continue
        for number, line in enumerate(tree.lines(path), 1):
            match = PLACE.search(line)
            if match:
                yield path, number, f"a path of one machine: {match.group()}"
