# SPDX-License-Identifier: Apache-2.0
"""The command line as people and scripts use it: help, exit codes, JSON, errors."""
import json
import os
import re
import resource
import sqlite3
import subprocess
import time
import unittest

from program import NAMESPACE, ORDER, PROGRAM, Workspace, bpmn, chain

USER_TASK = ("ask", '<userTask id="ask" name="Ask somebody"/>')
WORK = ("work", '<serviceTask id="work"/>')
USAGE, NOT_FOUND, REFUSED_NOW, INCIDENT, FILE_REFUSED = 2, 3, 4, 5, 6
UNAVAILABLE, OUTCOME_UNKNOWN, STORE_DAMAGED, STOPPED = 7, 8, 9, 10


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.space = Workspace()

    def tearDown(self):
        self.space.close()

    def check(self, done, code, *fragments):
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for fragment in fragments:
            self.assertIn(fragment, done.stdout + done.stderr)

    def start(self, *nodes, words=()):
        """Runs a file with that chain; the view of the instance."""
        path = self.space.write("model.bpmn", bpmn(chain(*nodes)))
        done = self.space.run("run", path, "--json", *words)
        self.assertIn(done.returncode, (0, INCIDENT), done.stderr)
        return json.loads(done.stdout)

    # ---- help and usage ----

    def test_every_command_has_help_that_names_its_options(self):
        overview = self.space.run("--help", store=False)
        self.check(overview, 0, "usage: stepfast")
        names = re.findall(r"^  ([a-z]+(?: [a-z]+)?)  ", overview.stdout, re.MULTILINE)
        self.assertIn("task complete", names)
        for name in names:
            done = self.space.run(*name.split(), "--help", store=False)
            self.check(done, 0, f"usage: stepfast {name}", "exit codes:", "--help")

    def test_help_of_a_command_of_two_words_lists_them(self):
        for words in (("task", "--help"), ("help", "task")):
            self.check(self.space.run(*words, store=False), 0, "task list", "task complete")
        self.check(self.space.run("help", "task", "list", store=False), 0, "usage: stepfast task l")
        self.check(self.space.run("task", store=False), USAGE, "stepfast task --help")
        self.check(self.space.run("help", "fly", store=False), USAGE, 'no command "fly"')

    def test_usage_errors_exit_with_2_and_say_what_to_do(self):
        self.check(self.space.run(store=False), USAGE, "which command?")
        self.check(self.space.run("fly", store=False), USAGE, 'no command "fly"')
        self.check(self.space.run("ps", "--jsno"), USAGE, "did you mean --json?")
        self.check(self.space.run("ps", "--group"), USAGE)
        self.check(self.space.run("run"), USAGE, "usage:")
        self.check(self.space.run("ps", store=False), USAGE, "which store?")
        self.check(self.space.run("ps", "--store", "mysql:x"), USAGE, "names no store")
        self.check(self.space.run("run", "x", "--handler", "nothing"), USAGE, "TOPIC=COMMAND")
        self.check(self.space.run("run", "x", "--lease", "soon"), USAGE, "duration")
        self.check(self.space.run("run", "x", "--vars", "[1]"), USAGE, "JSON object")
        self.check(self.space.run("task", "complete"), USAGE, "which task?")
        self.check(self.space.run("task", "complete", "abc"), USAGE, "INSTANCE:NUMBER")

    def test_full_standard_output_is_a_failure(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "--help"], stdout=full, check=False)
        self.assertEqual(done.returncode, 1)

    # ---- bench ----

    FIGURES = ("port.create_batch", "port.save", "port.save_batch", "port.load", "engine.service",
               "engine.services", "engine.timer", "engine.parked_task", "engine.parked_timer",
               "engine.recovery")
    SAVES = {"port.create_batch": 1, "port.save": 1, "port.save_batch": 1, "port.load": None,
             "engine.service": 2, "engine.services": 4, "engine.timer": 2, "engine.parked_task": 1,
             "engine.parked_timer": 1, "engine.recovery": 2}

    def test_bench_prints_each_figure_beside_its_reference_and_the_saves_that_were_counted(self):
        done = self.space.run("bench", "--count", "50", "--json", store=False)
        self.check(done, 0)
        report = json.loads(done.stdout)
        self.assertEqual([(row["store"], row["name"]) for row in report["figures"]],
                         [(store, name) for store in ("memory", "sqlite") for name in self.FIGURES])
        for row in report["figures"]:
            self.assertEqual(row["saves_each"], self.SAVES[row["name"]], row)
            self.assertEqual(row["count"], 150 if row["name"] == "engine.recovery" else 50)
            self.assertGreater(row["value"], 0, row)
            self.assertGreater(row["raw"], 0, row)
            self.assertAlmostEqual(row["ratio"], row["value"] / row["raw"], delta=row["ratio"] / 99)
            if row["name"] != "port.load":
                self.assertGreater(row["head_bytes"], 100, row)
            if row["name"].startswith("port."):
                self.assertLessEqual(row["p50_us"], row["p99_us"], row)
        self.assertEqual({goal["goal"] for goal in report["goals"]},
                         {"S1", "S2", "M1", "E1", "E3", "E4", "P8"})
        saves = [goal for goal in report["goals"] if goal["goal"] == "P8"]
        self.assertTrue(all(goal["is_met"] and goal["value"] == 2 for goal in saves), saves)

    def test_bench_measures_only_what_is_named_and_leaves_nothing_behind(self):
        words = ("bench", "--count", "20", "--only", "engine.timer")
        done = self.space.run(*words)
        self.check(done, 0, "sqlite  engine.timer")
        self.assertNotIn("memory", done.stdout)
        self.assertNotIn("engine.service", done.stdout)
        self.assertEqual(os.listdir(self.space.path), [])
        done = self.space.run(*words, "--store", "memory:")
        self.check(done, 0, "memory  engine.timer")
        self.check(self.space.run("bench", "--only", "engine.nothing"), USAGE, "names no figure")
        self.check(self.space.run("bench", "--store", "mysql:x"), USAGE, "names no store")
        self.check(self.space.run("bench", "--store", "sqlite:/missing/x"), UNAVAILABLE, "/missing")

    # ---- files ----

    def test_a_missing_file_is_not_found(self):
        self.check(self.space.run("run", "missing.bpmn"), NOT_FOUND, "missing.bpmn")

    def test_a_wrong_file_is_explained_like_a_compiler_does(self):
        body = '<startEvent id="s"/>\n<sequenceFlow id="f" sourceRef="s" targetRef="nowhere"/>'
        path = self.space.write("wrong.bpmn", bpmn(body))
        self.check(self.space.run("run", path), FILE_REFUSED, "wrong.bpmn:4:", "error: [f]",
                   "nowhere")

    def test_what_is_not_executed_yet_is_named_with_its_line(self):
        path = self.space.write("sub.bpmn", bpmn(chain(("sub", '<transaction id="sub"/>'))))
        self.check(self.space.run("run", path), FILE_REFUSED, "not supported yet", "transaction",
                   "line 4")

    def test_a_file_over_the_limit_is_refused(self):
        path = os.path.join(self.space.path, "huge.bpmn")
        with open(path, "wb") as file:
            file.truncate(1 << 30)
        self.check(self.space.run("run", path), FILE_REFUSED, "limit")

    def test_a_file_without_a_process_is_refused(self):
        path = self.space.write("model.bpmn", '<definitions xmlns="' + NAMESPACE + '"/>')
        for command in ("run", "deploy"):
            done = self.space.run(command, path)
            self.check(done, FILE_REFUSED, "the file contains no process")

    def test_a_process_that_is_not_executable_starts_only_when_named(self):
        path = self.space.write("draft.bpmn", bpmn(chain(USER_TASK), executable="false"))
        self.check(self.space.run("run", path), USAGE, "--process")
        self.check(self.space.run("run", path, "--process", "p"), 0, "waits at ask")
        self.check(self.space.run("run", path, "--process", "q"), USAGE, 'no process "q"')

    def test_the_same_bytes_are_no_new_version(self):
        path = self.space.write("model.bpmn", bpmn(chain(USER_TASK)))
        self.check(self.space.run("deploy", path), 0, "version 1")
        self.check(self.space.run("deploy", path), 0, "version 1 (unchanged)")
        self.space.write("model.bpmn", bpmn(chain(USER_TASK, WORK)))
        self.check(self.space.run("deploy", path), 0, "version 2")

    # ---- stores ----

    def test_a_store_that_is_not_there_is_not_found_by_who_only_reads(self):
        self.check(self.space.run("ps"), NOT_FOUND, "store.db")
        self.assertEqual(os.listdir(self.space.path), [])

    def test_an_unwritable_path_is_unavailable(self):
        path = self.space.write("model.bpmn", bpmn(chain(USER_TASK)))
        done = self.space.run("run", path, "--store", "sqlite:/proc/none/store.db")
        self.check(done, UNAVAILABLE, "/proc/none/store.db")

    def test_a_store_that_takes_nothing_is_not_waited_for_without_end(self):
        path = self.space.write("model.bpmn", bpmn(chain(USER_TASK)))
        self.check(self.space.run("deploy", path), 0)
        variables = self.space.write("vars.json", json.dumps({"big": "x" * 4000000}))
        size = 2000000  # of any file that it writes
        done = subprocess.run(
            [PROGRAM, "start", "p", "--vars", "@" + variables, "--store", self.space.store],
            capture_output=True, text=True, timeout=60, check=False, restore_signals=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        self.assertIn(done.returncode, (UNAVAILABLE, OUTCOME_UNKNOWN), done.stderr)
        self.assertEqual(self.space.json("ps"), [])

    def test_a_file_that_is_no_database_is_damaged(self):
        self.space.write("store.db", "this is no database, " * 200)
        self.check(self.space.run("ps"), STORE_DAMAGED, "store.db")

    def test_a_newer_schema_is_refused_and_left_as_it_is(self):
        self.start(USER_TASK)
        connection = sqlite3.connect(self.space.store.split(":", 1)[1])
        connection.execute(
            "INSERT INTO stepfast_schema_version (number, checksum, applied)"
            " SELECT max(number) + 1, checksum, applied FROM stepfast_schema_version"
        )
        connection.commit()
        connection.close()
        self.check(self.space.run("ps"), STORE_DAMAGED)
        self.check(self.space.run("migrate"), STORE_DAMAGED)

    def test_a_record_that_cannot_be_read_says_so_and_stops_nobody(self):
        bad = self.start(USER_TASK)["id"]
        with sqlite3.connect(os.path.join(self.space.path, "store.db")) as store:
            store.execute("UPDATE stepfast_instances SET head = x'535446440001ff'")
        store.close()
        good = self.start(USER_TASK)["id"]
        rows = {row["id"]: row for row in self.space.json("ps")}
        self.assertIn("damaged", rows[bad]["unreadable"])
        self.assertNotIn("unreadable", rows[good])
        self.check(self.space.run("ps"), 0, "unreadable: ", "waits at ask")
        self.check(self.space.run("show", bad), STORE_DAMAGED, "damaged")

    def test_migrate_may_be_repeated(self):
        for _ in range(2):
            self.check(self.space.run("migrate"), 0, "up to date")

    def test_conformance_leaves_nothing_behind_and_spares_the_named_file(self):
        self.start(USER_TASK)
        before = self.space.json("ps")
        done = self.space.run("conformance", timeout=600)
        self.check(done, 0, "TAP version 13")
        self.assertNotIn("not ok", done.stdout)
        self.assertEqual(self.space.json("ps"), before)
        left = [name for name in os.listdir(self.space.path) if "conformance" in name]
        self.assertEqual(left, [])

    # ---- instances ----

    def test_ps_is_an_array_with_the_promised_keys(self):
        self.start(USER_TASK)
        (item,) = self.space.json("ps")
        self.assertEqual(item["process"], "p")
        self.assertEqual(item["version"], 1)
        self.assertEqual(item["waiting"], ["ask"])
        self.assertIn("status", item)
        self.assertIn("id", item)

    def test_ps_lists_what_together_is_larger_than_a_value_may_be(self):
        path = self.space.write("model.bpmn", bpmn(chain(USER_TASK)))
        variables = self.space.write("vars.json", json.dumps({"big": "x" * 3000000}))
        ids = ["a", "b", "c", "d"]
        for name in ids:
            words = ("--instance-id", name, "--vars", "@" + variables)
            self.check(self.space.run("run", path, *words), 0)
        for words in (["ps"], ["resume"], ["resume", "--wait-timers"]):
            self.assertEqual([item["id"] for item in self.space.json(*words)], ids)
            done = self.space.run(*words)
            self.check(done, 0)
            self.assertEqual(done.stdout.count("waits at ask"), len(ids))

    def test_tokens_that_are_stuck_at_joins_are_told(self):
        body = '<exclusiveGateway id="split" default="a"/><startEvent id="start"/>'
        body += '<parallelGateway id="meet"/><endEvent id="end"/>'
        for name, source, target in (("s", "start", "split"), ("a", "split", "meet"),
                                     ("e", "meet", "end")):
            body += f'<sequenceFlow id="{name}" sourceRef="{source}" targetRef="{target}"/>'
        body += '<sequenceFlow id="b" sourceRef="split" targetRef="meet">'
        body += "<conditionExpression>=false</conditionExpression></sequenceFlow>"
        done = self.space.run("run", self.space.write("model.bpmn", bpmn(body)))
        self.check(done, 0, "stuck at join meet\n")
        self.check(self.space.run("ps"), 0, "stuck at join meet\n")

    def test_ps_shows_one_group_only(self):
        self.start(USER_TASK)
        self.assertEqual(self.space.json("ps", "--group", "elsewhere"), [])

    def test_an_unknown_instance_is_not_found(self):
        self.start(USER_TASK)
        self.check(self.space.run("show", "nobody"), NOT_FOUND)
        self.check(self.space.run("task", "complete", "nobody:1"), NOT_FOUND)
        self.check(self.space.run("start", "nothing"), NOT_FOUND)

    def test_an_instance_id_is_used_once(self):
        path = self.space.write("model.bpmn", bpmn(chain(USER_TASK)))
        self.check(self.space.run("run", path, "--instance-id", "one"), 0)
        done = self.space.run("run", path, "--instance-id", "one")
        self.check(done, REFUSED_NOW, "there is an instance one already")
        self.assertNotIn("commit failed", done.stderr)  # that is no trouble of the store

    def test_a_list_of_tasks_says_when_there_may_be_more(self):
        body = '<startEvent id="s"/>'
        body += "".join(
            f'<userTask id="t{i}"/><sequenceFlow id="f{i}" sourceRef="s" targetRef="t{i}"/>'
            for i in range(2501))
        path = self.space.write("model.bpmn", bpmn(body))
        for _ in range(3):
            self.check(self.space.run("run", path), 0)
        self.assertEqual(self.space.run("task", "list").stderr, "")
        self.check(self.space.run("run", path), 0)
        done = self.space.run("task", "list")
        self.check(done, 0)
        self.assertEqual(done.stdout.count("\n"), 10001)
        self.assertIn("there may be more", done.stderr)
        self.assertEqual(len(self.space.json("task", "list")), 10000)

    def test_a_task_is_completed_once(self):
        view = self.start(USER_TASK)
        (task,) = self.space.json("task", "list")
        self.assertEqual(task["instance"], view["id"])
        self.assertEqual(task["name"], "Ask somebody")
        done = self.space.run("task", "complete", task["task"], "--var", "answer=42",
                              "--var", "who=me")
        self.check(done, 0, "completed")
        shown = self.space.json("show", view["id"])
        self.assertEqual(shown["variables"]["answer"], 42)
        self.assertEqual(shown["variables"]["who"], "me")
        again = self.space.run("task", "complete", task["task"])
        self.assertIn(again.returncode, (NOT_FOUND, REFUSED_NOW))

    def test_a_task_may_be_named_by_instance_and_element(self):
        view = self.start(USER_TASK)
        done = self.space.run("task", "complete", "--instance", view["id"], "--element", "ask")
        self.check(done, 0, "completed")

    def test_history_has_each_node_once(self):
        view = self.start(("a", '<task id="a"/>'), ("b", '<task id="b"/>'))
        rows = self.space.json("show", view["id"], "--history")
        completed = [row["element"] for row in rows if row["fact"] == "NODE_COMPLETED"]
        self.assertEqual(completed, ["start", "a", "b", "end"])

    def test_a_history_may_be_longer_than_a_value(self):
        view = self.start(USER_TASK)
        first = self.space.json("show", view["id"], "--history")
        with sqlite3.connect(os.path.join(self.space.path, "store.db")) as store:
            columns = "instance_no, fact, flags, activation, at, element, detail"
            store.execute(
                f"INSERT INTO stepfast_journal (version, position, {columns})"
                " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 101000)"
                f" SELECT 100 + i / 700, 1 + i % 700, {columns} FROM n, (SELECT {columns}"
                " FROM stepfast_journal ORDER BY version, position LIMIT 1)"
            )
        store.close()
        rows = self.space.json("show", view["id"], "--history")
        places = [(row["version"], row["position"]) for row in rows]
        self.assertEqual(places, sorted(set(places)))
        self.assertEqual(len(rows), len(first) + 101000)
        done = self.space.run("show", view["id"], "--history")
        self.check(done, 0)
        self.assertEqual(done.stdout.count("\n"), len(rows))

    def test_control_characters_of_a_model_do_not_reach_the_terminal(self):
        task = '<userTask id="t" name="a&#x9;b"/>'
        path = self.space.write("model.bpmn", bpmn(chain(("t", task))))
        self.check(self.space.run("run", path), 0)
        done = self.space.run("task", "list")
        self.assertIn("a\\x09b", done.stdout)

    def test_variables_come_from_a_file(self):
        path = self.space.write("vars.json", '{"a": 1.10, "b": [true]}')
        view = self.start(USER_TASK, words=("--vars", "@" + path, "--var", "a=2"))
        self.assertEqual(view["variables"], {"a": 2, "b": [True]})

    def test_the_later_of_two_variables_wins(self):
        words = ("--var", "a=1", "--vars", '{"b": 1, "a": 2}', "--vars", '{"b": 3, "c": 4}')
        view = self.start(USER_TASK, words=words)
        self.assertEqual(view["variables"], {"a": 2, "b": 3, "c": 4})

    # ---- handlers ----

    def work(self, command, attributes="", words=()):
        node = ("work", f'<serviceTask id="work" {attributes}/>')
        return self.start(node, words=("--handler", "work=" + command, *words))

    def incident(self, view):
        (incident,) = view["incidents"]
        return incident

    def test_output_becomes_variables(self):
        view = self.work("cat; true", words=("--var", 'x={"y": 0.1}'))
        self.assertEqual(view["variables"], {"x": {"y": 0.1}})
        self.assertIsNotNone(view["end"])

    def test_no_output_is_no_variables(self):
        self.assertEqual(self.work("true")["variables"], {})

    def test_a_handler_is_told_who_calls(self):
        view = self.work(
            'printf \'{"env": "%s|%s|%s|%s|%s"}\' "$STEPFAST_PROCESS" "$STEPFAST_ELEMENT" '
            '"$STEPFAST_TOPIC" "$STEPFAST_ATTEMPT" "${STEPFAST_KEY:+key}${STEPFAST_DEADLINE:+due}"'
        )
        self.assertEqual(view["variables"]["env"], "p|work|work|1|keydue")

    def test_a_byte_of_zero_is_no_json(self):
        self.assertEqual(self.incident(self.work(r"printf '{}\0'"))["kind"], "unknown")

    def test_exit_10_is_a_bpmn_error_with_its_code(self):
        incident = self.incident(self.work("echo NO_MONEY; exit 10"))
        self.assertEqual(incident["kind"], "bpmn_error")
        self.assertIn("NO_MONEY", incident["message"])

    def test_exit_11_is_a_definitive_failure_with_standard_error(self):
        incident = self.incident(self.work("echo the card was refused >&2; exit 11"))
        self.assertEqual(incident["kind"], "failed")
        self.assertIn("the card was refused", incident["message"])

    def test_what_is_ambiguous_is_unknown(self):
        for command in (
            "exit 1",
            "exit 127",
            "kill -9 $$",
            "echo not json",
            "echo '[1]'",
            "echo; exit 10",
            "head -c 5000000 /dev/zero",
        ):
            with self.subTest(command):
                view = self.work(command)
                self.assertEqual(self.incident(view)["kind"], "unknown", view["incidents"])

    def test_a_handler_that_takes_too_long_is_killed_and_unknown(self):
        began = time.monotonic()
        incident = self.incident(self.work("sleep 60", words=("--handler-timeout", "300ms")))
        self.assertEqual(incident["kind"], "unknown")
        self.assertIn("timeout", incident["message"])
        self.assertLess(time.monotonic() - began, 30)

    def test_a_handler_need_not_read_its_input(self):
        text = "x" * 200000
        path = self.space.write("vars.json", json.dumps({"big": text}))
        view = self.work("exec <&-; true", words=("--vars", "@" + path))
        self.assertIsNotNone(view["end"])

    def test_nothing_of_ours_becomes_standard_output_when_that_is_closed(self):
        path = self.space.write("model.bpmn", bpmn(chain(WORK)))
        command = """printf '{"fd": "%s"}' "$(readlink /proc/$PPID/fd/1)" """
        done = subprocess.run(
            ["sh", "-c", 'exec "$@" >&-', "sh", PROGRAM, "run", path, "--store", self.space.store,
             "--handler", "work=" + command],
            stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("standard output", done.stderr)
        (item,) = self.space.json("ps")
        self.assertEqual(item["variables"], {"fd": "/dev/null"})

    def test_a_background_child_does_not_hold_the_instance(self):
        began = time.monotonic()
        view = self.work("sleep 60 & echo '{}'")
        self.assertIsNotNone(view["end"])
        self.assertLess(time.monotonic() - began, 30)

    def test_an_open_incident_sets_the_exit_code(self):
        path = self.space.write("model.bpmn", bpmn(chain(WORK)))
        done = self.space.run("run", path, "--handler", "*=exit 11")
        self.check(done, INCIDENT, "incident at work")

    def test_work_without_a_handler_waits(self):
        self.assertEqual(self.start(WORK)["waiting"], ["work"])
        done = self.space.run("resume", "--handler", "*=true")
        self.check(done, 0, "completed")

    # ---- stopping and going on ----

    def test_a_signal_stops_gracefully_and_resume_goes_on(self):
        timer = ("t", '<intermediateCatchEvent id="t"><timerEventDefinition><timeDuration>PT2S'
                 "</timeDuration></timerEventDefinition></intermediateCatchEvent>")
        path = self.space.write("model.bpmn", bpmn(chain(timer)))
        program = subprocess.Popen(
            [PROGRAM, "run", path, "--store", self.space.store, "--wait-timers"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.assertIn("started", program.stdout.readline())
        program.terminate()
        program.communicate(timeout=30)
        self.assertEqual(program.returncode, STOPPED)
        done = self.space.run("resume", "--wait-timers")
        self.check(done, 0, "completed")

    def test_a_resumed_process_needs_no_file(self):
        path = self.space.write("model.bpmn", bpmn(chain(USER_TASK)))
        self.check(self.space.run("run", path), 0)
        os.unlink(path)
        (task,) = self.space.json("task", "list")
        self.check(self.space.run("task", "complete", task["task"]), 0, "completed")

    def test_a_running_handler_does_not_outlive_a_killed_program(self):
        marker = os.path.join(self.space.path, "marker")
        path = self.space.write("model.bpmn", bpmn(chain(WORK)))
        program = subprocess.Popen(
            [PROGRAM, "run", path, "--store", self.space.store,
             "--handler", f"*=echo begin $$ >{marker}; exec sleep 60"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while not (os.path.exists(marker) and os.path.getsize(marker)):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        with open(marker) as file:
            handler = int(file.read().split()[1])
        program.kill()
        program.wait()
        while os.path.exists(f"/proc/{handler}") and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse(os.path.exists(f"/proc/{handler}"))
        done = self.space.run("resume", "--handler", "*=true")
        self.check(done, INCIDENT, "incident at work")
        (view,) = self.space.json("ps")
        self.assertEqual(self.incident(view)["kind"], "unknown")

    def test_an_idempotent_task_is_run_again_after_a_kill(self):
        node = ("work", '<serviceTask id="work" stepfast:idempotent="true"/>')
        marker = os.path.join(self.space.path, "marker")
        path = self.space.write("model.bpmn", bpmn(chain(node)))
        program = subprocess.Popen(
            [PROGRAM, "run", path, "--store", self.space.store,
             "--handler", f"*=echo begin >{marker}; sleep 60"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while not os.path.exists(marker):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        program.kill()
        program.wait()
        self.check(self.space.run("resume", "--handler", "*=true"), 0, "completed")

    # ---- documents ----

    def test_the_manual_names_every_command_and_option(self):
        with open(os.environ["STEPFAST_MANUAL"]) as file:
            manual = file.read()
        options = set()
        overview = self.space.run("--help", store=False).stdout
        for name in re.findall(r"^  ([a-z]+(?: [a-z]+)?)  ", overview, re.MULTILINE):
            self.assertIn(f".It Cm {name}", manual)
            text = self.space.run(*name.split(), "--help", store=False).stdout
            options |= set(re.findall(r"^  --([a-z-]+)", text, re.MULTILINE))
        for option in options:
            self.assertIn(f".It Fl -{option}", manual)
        for number, text in re.findall(r"^  ( ?\d+)  (.*)$", overview, re.MULTILINE):
            self.assertIn(f".It {number.strip()}\n{text}\n", manual)

    def test_the_demo_runs(self):
        done = subprocess.run([os.path.join(ORDER, "demo.sh"), PROGRAM], capture_output=True,
                              text=True, timeout=120, check=False)
        self.check(done, 0, "Nothing was repeated")


if __name__ == "__main__":
    unittest.main(verbosity=1)
