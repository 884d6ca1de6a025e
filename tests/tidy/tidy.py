#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The house rules that a machine can check. Usage: tidy.py [CHECK...]; tidy.py --list"""

import os
import sys

import banned
import docs
import layers
import names
import rooms
import rules
import style
from tree import Tree

# name: a generator of (path, line, problem) over a tree
CHECKS = {
    "layers": layers.check,
    "banned": banned.check,
    "licence": style.check_licence,
    "width": style.check_width,
    "blanks": style.check_blanks,
    "sizes": style.check_sizes,
    "notes": style.check_notes,
    "places": style.check_places,
    "names": names.check,
    "readmes": rooms.check_readmes,
    "mirror": rooms.check_mirror,
    "elements": rooms.check_elements,
    "links": docs.check,
    "rules": rules.check,
}


def main(arguments):
    if arguments == ["--list"]:
        print("\n".join(CHECKS))
        return 0
    tree = Tree(os.path.join(os.path.dirname(__file__), "..", ".."))
    problems = 0
    for name in arguments or CHECKS:
        for path, line, problem in CHECKS[name](tree):
            print(f"{path}:{line}: {problem} [{name}]")
            problems += 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
