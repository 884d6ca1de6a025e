# SPDX-License-Identifier: Apache-2.0
"""Links of the documentation: relative targets exist, anchors name a heading; pages that comments
name are pages of the project."""

import os
import re

LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)|!\[[^\]\n]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^\s*(```|~~~)")
OUTSIDE = re.compile(r"^[a-z]+:")


def prose(tree, path):
    """(line number, line) outside code fences."""
    fenced = False
    for number, line in enumerate(tree.lines(path), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, re.sub(r"`[^`]*`", "", line)


def anchors(tree, path):
    """Headings as GitHub names them."""
    names = set()
    for line in tree.lines(path):
        if line.startswith("#"):
            title = line.lstrip("#").strip().lower()
            names.add(re.sub(r"[^\w\- ]", "", title).replace(" ", "-"))
    return names


MENTION = re.compile(r"\b[\w./-]*\w\.md\b")


def check_mentions(tree):
    """"docs/x.md" in a comment is a path from the root or from the file's own folder."""
    for path in tree.select(".c", ".h", ".def", ".sql"):
        folder = os.path.dirname(path)
        for number, line in enumerate(tree.lines(path), 1):
            for page in MENTION.findall(line):
                if not tree.exists(page) and not tree.exists(os.path.join(folder, page)):
                    yield path, number, f"{page} does not exist"


def check(tree):
    yield from check_mentions(tree)
    for path in tree.select(".md"):
        for number, line in prose(tree, path):
            for match in LINK.finditer(line):
                target = match.group(1) or match.group(2)
                if OUTSIDE.match(target):
                    continue
                file, _, anchor = target.partition("#")
                to = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
                if not tree.exists(to):
                    yield path, number, f"{target} does not exist"
                elif anchor and to.endswith(".md") and anchor not in anchors(tree, to):
                    yield path, number, f"{to} has no heading #{anchor}"
