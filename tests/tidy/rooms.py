# SPDX-License-Identifier: Apache-2.0
"""Rooms: a README each, a test file for each source file, element tables that parse."""

import fnmatch
import re

from layers import read_table

UNTESTED = "tools/untested.txt"


def folder_of(room):
    return room if "/" in room or room in ("conformance", "cli", "examples") else f"src/{room}"


def check_readmes(tree):
    rooms, _ = read_table(tree)
    for room in rooms:
        folder = folder_of(room)
        if tree.select(".c", under=folder + "/") and not tree.exists(folder + "/README.md"):
            yield folder, 1, "a room without README.md"


def tests_of(path):
    """Where the unit tests of a source file may be."""
    parts = path.split("/")
    name = "test_" + parts[-1]
    if parts[0] in ("src", "adapters"):
        room, inner = parts[1], parts[2:-1]
    else:
        room, inner = parts[0], parts[1:-1]
    folder = f"tests/unit/{room}/"
    inner_name = "test_" + "_".join(inner + [parts[-1]])
    return [folder + "/".join(inner + [name]), folder + name, folder + inner_name]


def read_untested(tree):
    """(line number, pattern, reason)"""
    for number, line in enumerate(tree.lines(UNTESTED), 1):
        if line.strip() and not line.startswith("#"):
            pattern, _, reason = line.strip().partition(" ")
            yield number, pattern, reason.strip()


def check_mirror(tree):
    sources = tree.select(".c", under=("src/", "adapters/", "conformance/", "cli/"))
    tested = {path for path in sources if any(tree.exists(test) for test in tests_of(path))}
    excused = set()
    for number, pattern, reason in read_untested(tree):
        matches = {path for path in sources if fnmatch.fnmatchcase(path, pattern)}
        excused |= matches
        if not reason:
            yield UNTESTED, number, f"{pattern}: no reason"
        if not matches - tested:
            yield UNTESTED, number, f"{pattern}: excuses no untested file"
    for path in sources:
        if path not in tested and path not in excused:
            yield path, 1, f"no {tests_of(path)[0]}, and no line in {UNTESTED}"


ELEMENTS = "src/model/element.def"
FEATURES = "src/model/feature.def"
ELEMENT = re.compile(
    r'STF_ELEMENT\((?P<kind>[A-Z_]+), "(?P<xml>[a-zA-Z]+)", "(?P<event>[a-zA-Z]*|\*)", '
    r'STF__TRAIT_[A-Z]+(?: \| STF__TRAIT_[A-Z]+)*, (?P<family>[a-z_]+|UNSUPPORTED), '
    r'"(?P<label>[^"]+)"\)$')
FEATURE = re.compile(r'STF_FEATURE\((?P<kind>[A-Z_]+), "(?P<xml>@?[^"]+)", "(?P<label>[^"]+)"\)$')


def rows(tree, path, pattern):
    """(line number, match) of each row; a row that does not parse gives None."""
    for number, line in enumerate(blank_comments(tree.text(path)).split("\n"), 1):
        if line.strip():
            yield number, pattern.match(line.strip())


def blank_comments(text):
    return re.sub(r"/\*.*?\*/", lambda match: "\n" * match.group().count("\n"), text,
                  flags=re.DOTALL)


def check_elements(tree):
    seen = {}
    for path, pattern in ((ELEMENTS, ELEMENT), (FEATURES, FEATURE)):
        for number, row in rows(tree, path, pattern):
            if row is None:
                yield path, number, "a row that does not parse"
                continue
            fields = row.groupdict()
            source = (path, fields["xml"], fields.get("event"))
            for key in ((path, fields["kind"]), source, (path, "label", fields["label"])):
                if key in seen:
                    yield path, number, f"{key[1:]} is there since line {seen[key]}"
                seen[key] = number
            family = fields.get("family", "UNSUPPORTED")
            processor = f"src/core/element/{family}.c"
            if family != "UNSUPPORTED" and not tree.exists(processor):
                yield path, number, f"{fields['kind']}: {processor} does not exist"
