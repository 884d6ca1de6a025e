#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays a folder of public models with expected results, which is not part of this project.

Which cases have to pass follows from the tables of the loader: those whose constructs are all
supported. STEPFAST_CASES names the folder; by default it is looked for beside the source tree.
Without it there is no such test."""
import json
import os
import re
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["STEPFAST_PROGRAM"]
SOURCE = os.environ["STEPFAST_SOURCE"]
CASES = os.environ.get("STEPFAST_CASES", os.path.join(SOURCE, "..", "shared", "data"))
FILE = os.path.join(CASES, "CASES.json")

# How many cases have to pass: it only grows.
EXPECTED = 42

# Constructs that say something about a case beside its elements, and need nothing of their own.
NEUTRAL = {
    "association", "call data mapping", "condition", "condition on a flow out of an activity",
    "dataStoreReference", "default flow", "implicit merge", "lane", "participant",
    "several flows out of an activity", "several processes", "timer cycle", "timer date",
    "timer duration",
}
# Constructs that the tables do not name, and that nothing supports yet.
LATER = re.compile(r"MI |decision|required decisions|event sub start ")


def read_rows(name, macro):
    with open(os.path.join(SOURCE, "src", "model", name), encoding="utf-8") as file:
        return re.findall(rf"^STF_{macro}\((.*)\)$", file.read(), re.MULTILINE)


def supported_labels():
    """Label of the tables -> is it supported?"""
    labels = {}
    for row in read_rows("element.def", "ELEMENT"):
        fields = [field.strip() for field in row.split(",")]
        labels[fields[-1].strip('"')] = fields[-2] != "UNSUPPORTED"
    for row in read_rows("feature.def", "FEATURE"):
        labels[row.split(",")[-1].strip().strip('"')] = False
    return labels


def is_supported(construct, labels):
    if construct in NEUTRAL:
        return True
    if LATER.match(construct):
        return False
    label = re.sub(r"( split| join)?( non-interrupting)?$", "", construct)
    if label not in labels:
        raise AssertionError(f"no table knows the construct {construct!r}")
    return labels[label]


def cases_that_must_pass():
    labels = supported_labels()
    with open(FILE, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    return {
        case["id"]
        for case in cases
        if case["class"] == "run"
        and all(is_supported(construct, labels) for construct in case["constructs"])
    }


def play(*words):
    """The outcome of each run: (case, run) -> "ok", "todo" or "not ok", and the output."""
    finished = subprocess.run(
        [PROGRAM, "test", FILE, "--allow-unsupported", *words],
        capture_output=True, text=True, timeout=300, check=False)
    outcomes = {}
    for line in finished.stdout.splitlines():
        match = re.match(r"(not )?ok \d+ - ([^/]+)/([^#]*?)( # TODO not supported yet: .+)?$", line)
        if match:
            failed, case, run, todo = match.groups()
            outcomes[case, run] = "todo" if todo else "not ok" if failed else "ok"
    return outcomes, finished.stdout + finished.stderr


class Cases(unittest.TestCase):
    def check(self, *words):
        outcomes, output = play(*words)
        must_pass = cases_that_must_pass()
        passed = {case for case, _ in outcomes} - {
            case for (case, _), outcome in outcomes.items() if outcome != "ok"}
        self.assertEqual(must_pass - passed, set(), output)
        self.assertEqual(len(must_pass), EXPECTED)
        # What is not supported says so, and with what; nothing else fails.
        others = {run: outcome for run, outcome in outcomes.items() if run[0] not in must_pass}
        self.assertEqual(set(others.values()) - {"todo"}, set(), output)
        self.assertEqual(len({case for case, _ in outcomes}), 75)

    def test_memory(self):
        self.check()

    def test_memory_restored_after_every_save(self):
        self.check("--restore")

    def test_sqlite(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check("--store", f"sqlite:{folder}/store.db")

    def test_sqlite_restored_after_every_save(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check("--store", f"sqlite:{folder}/store.db", "--restore")

    def test_one_case_split_over_two_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            store = ("--store", f"sqlite:{folder}/store.db", "--only", "c7-call-data/main")
            first, output = play(*store, "--steps", "1-3")
            self.assertEqual(list(first.values()), ["ok"], output)
            second, output = play(*store, "--steps", "4-")
            self.assertEqual(list(second.values()), ["ok"], output)


if __name__ == "__main__":
    unittest.main(verbosity=2)
