#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stepfast test: this project's own scenarios in every way of playing them, and what the command
says when an expectation is not met or a file is not right."""
import json
import os
import re
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["STEPFAST_PROGRAM"]
SOURCE = os.environ["STEPFAST_SOURCE"]
FILES = [
    os.path.join(SOURCE, "tests", "scenario", "elements.scenario.json"),
    os.path.join(SOURCE, "examples", "order", "order.scenario.json"),
    os.path.join(SOURCE, "examples", "parcel", "parcel.scenario.json"),
]
MODEL = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
<process id="p" isExecutable="true"><startEvent id="s"/><userTask id="t"/><endEvent id="e"/>
<sequenceFlow id="f" sourceRef="s" targetRef="t"/><sequenceFlow id="g" sourceRef="t" targetRef="e"/>
%s</process></definitions>
"""


def count_runs():
    count = 0
    for path in FILES:
        with open(path, encoding="utf-8") as file:
            root = json.load(file)
        for case in root.get("cases", [root]):
            count += 1 + len(case.get("variants", []))
    return count


def play(*words):
    return subprocess.run([PROGRAM, "test", *words], capture_output=True, text=True, timeout=300,
                          check=False)


class Scenarios(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def case(self, more="", **case):
        self.write("p.bpmn", MODEL % more)
        return self.write("case.json", json.dumps({"id": "c", "file": "p.bpmn", **case}))

    def check_all_pass(self, *words):
        done = play(*FILES, *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        passed = re.findall(r"^ok \d+ - ", done.stdout, re.MULTILINE)
        self.assertEqual(len(passed), count_runs())
        self.assertIn(f"1..{count_runs()}\n", done.stdout)

    def store(self):
        return f"sqlite:{self.folder.name}/store.db"

    def test_all_pass_in_memory(self):
        self.check_all_pass()

    def test_all_pass_when_the_engine_is_rebuilt_after_every_save(self):
        self.check_all_pass("--restore")

    def test_all_pass_on_sqlite(self):
        self.check_all_pass("--store", self.store())

    def test_all_pass_on_sqlite_when_the_engine_is_rebuilt_after_every_save(self):
        self.check_all_pass("--store", self.store(), "--restore")

    def test_a_run_split_over_as_many_processes_as_it_has_steps(self):
        with open(FILES[0], encoding="utf-8") as file:
            case = next(c for c in json.load(file)["cases"] if c["id"] == "messages")
        for step in range(1, len(case["steps"]) + 1):
            done = play(FILES[0], "--store", self.store(), "--only", "messages/main", "--steps",
                        f"{step}-{step}")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_what_differs_is_told_and_fails(self):
        rows = [
            ({"waiting": ["x"]}, "waiting: wanted [x], got [t]"),
            ({"completed": ["s", "s"]}, "completed: wanted s 2 times, got it 1 times"),
            ({"not_completed": ["s"]}, "not_completed: s was completed 1 times"),
            ({"order": ["t", "s"]}, "order: t was not completed after those before it"),
            ({"variables": {"n": 2}}, "variables: n: wanted 2, got 1"),
            ({"variables": {"m": 2}}, "variables: m: wanted 2, got no such variable"),
            ({"variables": {"n": "<unset>"}}, 'variables: n: wanted "<unset>", got 1'),
            ({"end": "completed"}, "end: wanted completed, instance 1 is active"),
            ({"incident_at": ["t"]}, "incident_at: wanted [t], got []"),
            ({"instances": 2}, "instances: wanted 2, got 1"),
        ]
        for expect, told in rows:
            with self.subTest(told):
                start = {"start": {"process": "p", "variables": {"n": 1}}}
                done = play(self.case(steps=[start], expect=expect))
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn("not ok 1 - c/main\n# " + told, done.stdout)
                done = play(self.case(steps=[{**start, "expect": expect}]))
                self.assertIn("# step 1: " + told, done.stdout)

    def test_an_end_of_nothing_is_no_end(self):
        done = play(self.case(steps=[], expect={"end": "completed"}))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("end: no instance was started", done.stdout)

    def test_a_step_that_cannot_be_done_fails(self):
        start = {"start": {"process": "p"}}
        for step in (
            {"complete_task": {"element": "e"}},
            {"complete_job": {"element": "t"}},
            {"message": {"name": "m"}},
            {"start": {"process": "q"}},
        ):
            with self.subTest(step):
                done = play(self.case(steps=[start, step]))
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn("# step 2: ", done.stdout)

    def test_what_is_not_supported_fails_unless_that_was_asked_for(self):
        path = self.case(
            more='<subProcess id="e1" triggeredByEvent="true"><startEvent id="s1">'
                 "<errorEventDefinition/></startEvent></subProcess>",
            steps=[{"start": {"process": "p"}}])
        done = play(path)
        self.assertEqual(done.returncode, 6, done.stdout)
        self.assertRegex(done.stdout, r"not ok 1 - c/main # TODO not supported yet: .*\[e1\]")
        self.assertEqual(play(path, "--allow-unsupported").returncode, 0)

    def test_a_file_that_is_not_right_is_refused_with_the_case_and_the_step(self):
        rows = [
            ("[", "case.json"),
            ('{"id": "c"}', "case c names no file"),
            ('{"file": "p.bpmn"}', "case 1 has no id"),
            ('{"id": "c", "file": "p.bpmn"}', "case c has no list of steps"),
            ('{"id": "c", "file": "p.bpmn", "steps": [{}]}', "case c: step 1"),
            ('{"id": "c", "file": "p.bpmn", "steps": [{"start": {}, "signal": {}}]}',
             "case c: step 1"),
            ('{"id": "c", "file": "p.bpmn", "steps": [], "variants": [{"steps": []}]}',
             "variant 1 has no name"),
        ]
        for text, told in rows:
            with self.subTest(text):
                done = play(self.write("case.json", text))
                self.assertEqual(done.returncode, 6, done.stdout)
                self.assertIn(told, done.stderr)
        for steps, told in (([{"fly": {}}], '"fly" is no step'),
                            ([{"advance_clock": "P1M"}], '"P1M" is no duration')):
            done = play(self.case(steps=steps))
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(told, done.stdout)
        done = play(self.case(steps=[], expect={"mood": "good"}))
        self.assertIn('"mood" is nothing that can be expected', done.stdout)
        self.assertEqual(play("/nowhere.json").returncode, 3)
        self.assertEqual(play(self.case(steps=[]), "--only", "d").returncode, 3)
        self.assertEqual(play(self.case(steps=[]), "--steps", "0").returncode, 2)

    def test_the_schema_names_the_steps_and_expectations_that_the_program_knows(self):
        with open(os.path.join(SOURCE, "docs", "scenarios.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)["$defs"]

        def names(path, table):
            with open(os.path.join(SOURCE, "cli", path), encoding="utf-8") as file:
                text = file.read()
            return set(re.findall(r'{"(\w+)", ', text[text.index(table):]))

        steps = names("scenario_step.c", "step_kind kinds[]")
        self.assertEqual(steps, set(schema["step"]["properties"]) - {"expect"})
        self.assertEqual(names("scenario_expect.c", "judge judges[]"),
                         set(schema["expect"]["properties"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
