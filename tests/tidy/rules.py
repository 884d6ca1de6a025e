# SPDX-License-Identifier: Apache-2.0
"""The rules of durability and their tests: each rule has a row in the table of docs/durability.md,
whose tests exist, and one of them begins with the rule; a test that any page names exists."""

import re

RULES = "docs/rules.md"
ARGUMENT = "docs/durability.md"
RULE = re.compile(r"^- \*\*(R\d+)\. ")
ROW = re.compile(r"^\| (R\d+) \|")
CODE = re.compile(r"`([^`]+)`")
OF_RULE = re.compile(r"^r\d+_\w+$")
LONG_NAME = re.compile(r"^[a-z0-9]+(_[a-z0-9]+){3,}$")
CASE_ID = re.compile(r"^[a-z]+\.[a-z]+(-[a-z]+)+$")
TESTS = re.compile(r"\bSTF_TEST\(\s*(\w+)\s*\)|\bdef test_(\w+)\(")
IDS = re.compile(r'"([a-z]+\.[a-z]+(?:-[a-z]+)*)"')


def read_tests(tree):
    names = set()
    for path in tree.select(".c", ".py", under="tests/"):
        if not path.startswith("tests/tidy/"):  # whose samples are no tests
            names |= {first or second for first, second in TESTS.findall(tree.text(path))}
    for path in tree.select(".c", under="conformance/"):
        names |= set(IDS.findall(tree.text(path)))
    return names


def is_test(name, path):
    if OF_RULE.match(name):
        return True
    return path == ARGUMENT and bool(LONG_NAME.match(name) or CASE_ID.match(name))


def named(tree, path):
    """(line number, test) that a page names; the number of a row's rule stands before its test."""
    for number, line in enumerate(tree.lines(path), 1):
        for name in CODE.findall(line):
            if is_test(name, path):
                yield number, name


def check(tree):
    if not tree.exists(RULES):
        return
    tests = read_tests(tree)
    for path in tree.select(".md"):
        for number, name in named(tree, path):
            if name not in tests:
                yield path, number, f"there is no test {name}"
    rows = {}
    for number, line in enumerate(tree.lines(ARGUMENT), 1):
        row = ROW.match(line)
        if row:
            rows.setdefault(row.group(1), []).append((number, CODE.findall(line)))
    for number, line in enumerate(tree.lines(RULES), 1):
        rule = RULE.match(line)
        if rule:
            name = rule.group(1)
            shown = [test for _, codes in rows.pop(name, []) for test in codes]
            if not any(test.startswith(name.lower() + "_") for test in shown):
                yield RULES, number, f"{ARGUMENT} names no test that begins with {name.lower()}_"
    for name, places in rows.items():
        yield ARGUMENT, places[0][0], f"{name} is no rule of {RULES}"
