# SPDX-License-Identifier: Apache-2.0
"""The commands that act on instances from outside: messages, incidents, jobs, cancel; the engine
that stays up; facts that are followed; groups."""
import json
import os
import signal
import subprocess
import threading
import unittest

from program import PROGRAM, Workspace, bpmn, chain

USAGE, NOT_FOUND, REFUSED_NOW, INCIDENT = 2, 3, 4, 5

PAID = (
    '<message id="m" name="paid" stepfast:correlationKey="order"/>',
    ("wait", '<intermediateCatchEvent id="wait"><messageEventDefinition messageRef="m"/>'
             "</intermediateCatchEvent>"),
)
WORK = ("work", '<serviceTask id="work"/>')
TASK = ("ask", '<userTask id="ask"/>')


class Server:
    """A `stepfast engine` of its own; ready when it says that it serves."""

    def __init__(self, space, *words):
        # A pipe that nobody else holds: its end is the end of the program.
        self.process = subprocess.Popen(
            [PROGRAM, "engine", "--store", space.store, *words],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=space.path)
        self.lines = []
        self.serving = threading.Event()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line)
            if "serving group" in line:
                self.serving.set()
        self.serving.set()

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        code = self.process.wait(timeout=60)
        self.reader.join()
        self.process.stderr.close()
        return code


class Commands(unittest.TestCase):
    def setUp(self):
        self.space = Workspace()
        self.addCleanup(self.space.close)

    def check(self, done, code, *fragments):
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for fragment in fragments:
            self.assertIn(fragment, done.stdout + done.stderr)

    def deploy(self, body, *roots):
        text = bpmn(body).replace("<process", "\n".join(roots) + "\n<process", 1)
        self.check(self.space.run("deploy", self.space.write("model.bpmn", text)), 0)

    def start(self, name, *words):
        done = self.space.run("start", "p", "--instance-id", name, "--json", *words)
        self.assertIn(done.returncode, (0, INCIDENT), done.stderr)
        return json.loads(done.stdout)

    def show(self, name):
        return self.space.json("show", name)

    # ---- messages ----

    def test_a_message_goes_to_the_one_that_waits_for_its_name_and_key(self):
        self.deploy(chain(PAID[1]), PAID[0])
        for name in ("a", "b"):
            self.assertEqual(self.start(name, "--var", f"order={name}-1")["waiting"], ["wait"])
        self.check(self.space.run("message", "paid"), NOT_FOUND, "paid")
        self.check(self.space.run("message", "paid", "--key", "c-1"), NOT_FOUND)
        done = self.space.run("message", "paid", "--key", "b-1", "--var", "amount=7")
        self.check(done, 0, "b", "completed")
        self.assertEqual(self.show("b")["variables"]["amount"], 7)
        self.assertEqual(self.show("a")["waiting"], ["wait"])

    def test_a_message_may_be_kept_until_somebody_waits(self):
        self.deploy(chain(PAID[1]), PAID[0])
        for amount in (1, 2):
            done = self.space.run("message", "paid", "--key", "k", "--keep", "1h", "--var",
                                  f"amount={amount}")
            self.check(done, 0, "kept")
        self.assertEqual(self.space.json("ps"), [])
        for name, amount in (("a", 1), ("b", 2)):
            view = self.start(name, "--var", "order=k")
            self.assertEqual((view["status"], view["variables"]["amount"]), ("completed", amount))

    # ---- jobs ----

    def test_work_without_a_handler_is_listed_and_may_be_answered(self):
        self.deploy(chain(WORK))
        for name in "abcd":
            self.start(name)
        jobs = self.space.json("job", "list", "--topic", "work")
        self.assertEqual([job["instance"] for job in jobs], list("abcd"))
        self.check(self.space.run("job", "list"), 0, jobs[0]["job"], "work")
        self.check(self.space.run("job", "answer", jobs[0]["job"], "--var", "n=1"), 0, "completed")
        self.assertEqual(self.show("a")["variables"]["n"], 1)
        done = self.space.run("job", "answer", "--instance", "b", "--element", "work", "--failed",
                              "--message", "no way")
        self.check(done, INCIDENT, "no way")
        self.check(self.space.run("job", "answer", jobs[2]["job"], "--code", "E7"), INCIDENT, "E7")
        self.check(self.space.run("job", "answer", jobs[0]["job"]), REFUSED_NOW)
        self.check(self.space.run("job", "answer"), USAGE, "which job?")
        both = ("--failed", "--code", "x")
        self.check(self.space.run("job", "answer", jobs[3]["job"], *both), USAGE)
        self.check(self.space.run("job", "answer", jobs[3]["job"], "--message", "x"), USAGE)
        self.assertEqual([job["instance"] for job in self.space.json("job", "list")], ["d"])

    # ---- incidents ----

    def test_incidents_are_listed_retried_resolved_and_dropped(self):
        self.deploy(chain(WORK, TASK))
        for name in "abc":
            self.start(name, "--handler", "*=exit 3")
        incidents = self.space.json("incident", "list")
        self.assertEqual([i["instance"] for i in incidents], list("abc"))
        self.assertEqual({i["kind"] for i in incidents}, {"unknown"})
        self.check(self.space.run("incident", "list"), 0, incidents[0]["incident"], "work")
        done = self.space.run("incident", "retry", incidents[0]["incident"], "--handler",
                              "*=echo '{}'")
        self.check(done, 0, "waits at ask")
        done = self.space.run("incident", "resolve", incidents[1]["incident"], "--var", "n=2")
        self.check(done, 0, "waits at ask")
        self.assertEqual(self.show("b")["variables"]["n"], 2)
        self.check(self.space.run("incident", "drop", "--instance", "c"), 0, "completed")
        self.assertEqual(self.space.json("incident", "list"), [])
        self.check(self.space.run("incident", "retry", incidents[0]["incident"]), NOT_FOUND)
        self.check(self.space.run("incident", "drop", "--instance", "nobody"), NOT_FOUND)
        self.check(self.space.run("incident", "resolve"), USAGE, "which incident?")

    def test_what_is_found_to_have_failed_is_retried_with_a_new_key(self):
        self.deploy(chain(WORK))
        keys = os.path.join(self.space.path, "keys")
        handler = f'*=echo "$STEPFAST_KEY" >> {keys}; exit 3'
        self.start("a", "--handler", handler)
        self.space.run("incident", "retry", "--instance", "a", "--handler", handler)
        done = self.space.run("incident", "resolve", "--instance", "a", "--failed")
        self.check(done, INCIDENT)
        self.assertEqual(self.space.json("incident", "list")[0]["kind"], "failed")
        self.space.run("incident", "retry", "--instance", "a", "--handler", handler)
        with open(keys, encoding="utf-8") as file:
            first, second, third = file.read().split()
        self.assertEqual(first, second)
        self.assertNotEqual(second, third)

    def test_a_scheduled_retry_is_shown_is_no_open_incident_and_survives_the_program(self):
        work = '<serviceTask id="work" stepfast:retries="1" stepfast:retryDelay="PT1S"/>'
        self.deploy(chain(("work", work)))
        done = self.space.run("start", "p", "--instance-id", "a", "--handler", "*=exit 11")
        self.check(done, 0, "retries work", "retried at ")
        view = self.show("a")
        self.assertEqual(view["status"], "active")
        self.assertTrue(view["incidents"][0]["retry"])
        self.check(self.space.run("ps"), 0, "retries work")
        self.assertEqual(self.space.json("incident", "list"), [])
        server = Server(self.space, "--handler", "*=true")
        followed = self.space.run("facts", "a", "--follow")
        server.stop()
        self.check(followed, 0, "INSTANCE_COMPLETED")

    # ---- cancel ----

    def test_cancel_ends_an_instance_and_what_it_called(self):
        self.deploy(chain(("call", '<callActivity id="call" calledElement="q"/>')))
        text = bpmn(chain(TASK), name="q")
        self.check(self.space.run("deploy", self.space.write("q.bpmn", text)), 0)
        self.start("a")
        self.assertEqual(len(self.space.json("ps", "--active")), 2)
        self.check(self.space.run("cancel", "a", "--reason", "changed my mind"), 0, "terminated")
        self.assertEqual(self.space.json("ps", "--active"), [])
        self.assertEqual({view["status"] for view in self.space.json("ps")}, {"terminated"})
        self.check(self.space.run("cancel", "a"), REFUSED_NOW)
        self.check(self.space.run("cancel", "nobody"), NOT_FOUND)

    # ---- engine ----

    def test_an_engine_serves_what_other_commands_start_and_stops_at_a_signal(self):
        server = Server(self.space, "--handler", "work=echo '{\"by\": \"engine\"}'")
        server.serving.wait(60)
        soon = ('<intermediateCatchEvent id="soon"><timerEventDefinition><timeDuration>PT0.2S'
                "</timeDuration></timerEventDefinition></intermediateCatchEvent>")
        self.deploy(chain(WORK, ("soon", soon)))
        self.start("a")
        followed = self.space.run("facts", "a", "--follow", "--json")
        code = server.stop()
        facts = [row["fact"] for row in json.loads(followed.stdout)]
        self.assertEqual(facts[-1], "INSTANCE_COMPLETED")
        self.assertEqual(self.show("a")["variables"]["by"], "engine")
        self.assertEqual(code, 0, server.lines)
        self.assertIn("stopping", "".join(server.lines))

    def test_what_a_killed_engine_leaves_another_takes_over(self):
        self.deploy(chain(("work", '<serviceTask id="work" stepfast:idempotent="true"/>')))
        begun = os.path.join(self.space.path, "begun")
        os.mkfifo(begun)
        first = Server(self.space, "--id", "one", "--handler", f"*=echo x > {begun}; sleep 600")
        first.serving.wait(60)
        self.start("a")
        with open(begun, encoding="utf-8") as file:
            file.read()
        second = Server(self.space, "--id", "two", "--handler", "*=true")
        second.serving.wait(60)
        first.stop(signal.SIGKILL)
        followed = self.space.run("facts", "a", "--follow")
        self.assertEqual(second.stop(), 0)
        self.check(followed, 0, "INSTANCE_COMPLETED")

    # ---- groups ----

    def test_an_existing_group_has_to_be_there_and_nothing_is_made(self):
        self.check(self.space.run("engine", "--existing-group", "g"), NOT_FOUND)
        self.assertEqual(os.listdir(self.space.path), [])
        self.deploy(chain(TASK))
        before = self.space.json("ps")
        self.check(self.space.run("resume", "--existing-group", "g"), NOT_FOUND, '"g"')
        self.check(self.space.run("resume", "--existing-group", "g"), NOT_FOUND)
        self.assertEqual(self.space.json("ps"), before)
        self.check(self.space.run("resume", "--existing-group", "default"), 0)

    def test_group_and_existing_group_exclude_each_other_and_come_once(self):
        self.deploy(chain(TASK))
        for words in (("--group", "a", "--existing-group", "a"), ("--group", "a", "--group", "a"),
                      ("--existing-group", "a", "--existing-group", "a"), ("--group", " ")):
            with self.subTest(words):
                self.check(self.space.run("resume", *words), USAGE)

    def test_another_group_sees_nothing(self):
        self.deploy(chain(TASK))
        self.start("a")
        self.assertEqual(self.space.json("ps", "--group", "other"), [])
        self.check(self.space.run("show", "a", "--group", "other"), REFUSED_NOW, "other", "default")
        cancelled = self.space.run("cancel", "a", "--group", "other")
        self.check(cancelled, REFUSED_NOW, "other", "default")
        self.assertEqual(self.show("a")["status"], "active")


if __name__ == "__main__":
    unittest.main()
