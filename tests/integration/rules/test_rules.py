# SPDX-License-Identifier: Apache-2.0
"""Rules of durability that only real processes show: an engine that is stopped past its lease and
goes on (R1), and a step that kills every engine that takes it (R15)."""
import os
import signal
import sqlite3
import subprocess
import time
import unittest

from program import PROGRAM, Workspace, bpmn, chain

PATIENCE_S = 60
LEASE_S = 1
INCIDENT = 5
WORK = ("work", '<serviceTask id="work"/>')
TIMER = ("t", '<intermediateCatchEvent id="t"><timerEventDefinition><timeDuration>PT1S'
              "</timeDuration></timerEventDefinition></intermediateCatchEvent>")
# A handler that says that it has begun, ends when it is told to, and says so.
HANDLER = """#!/bin/sh
echo begin >> {log}
while [ ! -e {gate} ]; do sleep 0.02; done
echo end >> {log}
echo '{{"by": "'"$STEPFAST_ELEMENT"'"}}'
"""


def until(condition, what):
    deadline = time.monotonic() + PATIENCE_S
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} never came")
        time.sleep(0.02)


class Engine:
    """A `stepfast engine` of its own."""

    def __init__(self, space, name, *words, failpoint=None):
        self.errors = os.path.join(space.path, name + ".err")
        environment = {**os.environ}
        environment.pop("STEPFAST_FAILPOINT", None)
        if failpoint:
            environment["STEPFAST_FAILPOINT"] = failpoint
        with open(self.errors, "w") as errors:
            self.process = subprocess.Popen(
                [PROGRAM, "engine", "--store", space.store, "--id", name, "--lease",
                 f"{LEASE_S}s", "--verbose", *words],
                stdout=subprocess.DEVNULL, stderr=errors, cwd=space.path, env=environment)

    def said(self):
        with open(self.errors) as file:
            return file.read()

    def is_stopped(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "T"

    def freeze(self, space):
        """SIGSTOP, but not where it would hold the lock of the store that all share."""
        def freeze_once():
            self.process.send_signal(signal.SIGSTOP)
            until(self.is_stopped, "the stop")
            if space.is_free():
                return True
            self.process.send_signal(signal.SIGCONT)
            return False
        until(freeze_once, "a stop outside of a save")

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE_S)


class Space(Workspace):
    def connect(self, patience_s):
        return sqlite3.connect(os.path.join(self.path, "store.db"), timeout=patience_s,
                               isolation_level=None)

    def is_free(self):
        connection = self.connect(0.2)
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
            return True
        except sqlite3.OperationalError:
            return False
        finally:
            connection.close()

    def record(self, column):
        connection = self.connect(PATIENCE_S)
        try:
            return connection.execute(f"SELECT {column} FROM stepfast_instances").fetchone()[0]
        finally:
            connection.close()

    def show(self):
        return self.json("show", "i1")

    def incidents(self):
        return self.json("incident", "list")


class Rules(unittest.TestCase):
    def setUp(self):
        self.space = Space()
        self.addCleanup(self.space.close)
        self.log = os.path.join(self.space.path, "log")
        self.gate = os.path.join(self.space.path, "gate")

    def launch(self, name, *words, failpoint=None):
        engine = Engine(self.space, name, *words, failpoint=failpoint)
        self.addCleanup(engine.end)
        return engine

    def handler(self):
        path = self.space.write("handler.sh", HANDLER.format(log=self.log, gate=self.gate))
        os.chmod(path, 0o755)
        return path

    def lines(self, word):
        if not os.path.exists(self.log):
            return 0
        with open(self.log) as file:
            return file.read().split().count(word)

    def start(self, *nodes):
        done = self.space.run("run", self.space.write("p.bpmn", bpmn(chain(*nodes))),
                              "--instance-id", "i1")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_r1_an_engine_that_is_stopped_past_its_lease_offers_its_result_late(self):
        handler = "*=" + self.handler()
        self.start(WORK)
        first = self.launch("first", "--handler", handler)
        until(lambda: self.lines("begin") == 1, "the handler")
        first.freeze(self.space)
        second = self.launch("second", "--handler", handler)
        found = until(self.space.incidents, "the recovery by the second engine")
        self.assertEqual([incident["kind"] for incident in found], ["unknown"])
        self.assertEqual(self.space.record("incarnation"), 2)
        open(self.gate, "w").close()
        until(lambda: self.lines("end") == 1, "the end of the handler")
        self.assertEqual(self.space.show()["status"], "incident")
        first.process.send_signal(signal.SIGCONT)
        until(lambda: self.space.show()["status"] == "completed", "the late result")
        self.assertEqual(self.space.show()["variables"]["by"], "work")
        self.assertEqual(self.space.incidents(), [])
        self.assertEqual(self.lines("begin"), 1)
        self.assertEqual(first.end(), 0, first.said())
        self.assertEqual(second.end(), 0, second.said())

    def test_r15_a_step_that_kills_six_engines_is_an_incident_for_the_seventh(self):
        self.start(TIMER)
        overdue_us = self.space.record("due") + (LEASE_S * 1000000) + 100000
        until(lambda: time.time() * 1e6 > overdue_us, "the time")
        for number in range(1, 7):
            engine = self.launch(f"engine-{number}", failpoint="before_save:1")
            self.assertEqual(engine.process.wait(timeout=PATIENCE_S), -signal.SIGKILL,
                             engine.said())
            self.assertEqual(self.space.record("incarnation"), number)
        survivor = self.launch("engine-7")
        found = until(self.space.incidents, "the incident")
        self.assertEqual([incident["kind"] for incident in found], ["poison"])
        self.assertIsNone(survivor.process.poll(), survivor.said())
        self.assertEqual(survivor.end(), 0, survivor.said())
        done = self.space.run("incident", "retry", "--instance", "i1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.space.show()["status"], "completed")


if __name__ == "__main__":
    unittest.main()
