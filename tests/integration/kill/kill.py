# SPDX-License-Identifier: Apache-2.0
"""Kills the program with SIGKILL, lets it resume, decides whether anything was lost or repeated.

Each life is one instance of order.bpmn in a store of its own. Some lives are killed at a random
instant, some at a failpoint (the n-th time that the engine passes it), some while a handler runs.
Afterwards the life is led to its end with ordinary commands, and then:
  - the instance has completed, or it shows an `unknown` incident for the effect that was in flight;
  - by the history, no node completed twice, and in a completed instance none is missing;
  - by the traces of the handlers, no effect began twice, and a node that completed by the history
    had its effect.
Exit code 0: every life passed and every kind of kill occurred as often as asked for.
STF_LONG=1 in the environment asks for the long run."""
import argparse
import collections
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = ("reserve", "charge", "receipt")
PATH = ("ordered", "reserve", "charge", "size", "settle", "approve", "receipt", "shipped")
FAILPOINTS = ("before_save", "after_save", "after_effect", "before_ack")
OPEN_INCIDENT = 5
NOT_FOUND = 3
# How often an undisturbed first run passes each point, so that each count surely occurs.
PASSES = {"before_save": 3, "after_save": 3, "after_effect": 2, "before_ack": 1}


class Violation(Exception):
    """The engine did what it must never do."""


class Life:
    """One instance and its store."""

    def __init__(self, program, folder, number, seconds=0.0):
        self.program = program
        self.seconds = seconds  # how long an undisturbed run takes here
        self.folder = os.path.join(folder, f"life-{number}")
        os.mkdir(self.folder)
        self.store = "sqlite:" + os.path.join(self.folder, "store.db")
        self.log = os.path.join(self.folder, "log")
        with open(self.log, "w"):
            pass
        self.instance = f"order-{number}"
        self.kills = collections.Counter()

    def environment(self, failpoint=None):
        environment = {**os.environ, "KILL_LOG": self.log}
        environment.pop("STEPFAST_FAILPOINT", None)
        if failpoint:
            environment["STEPFAST_FAILPOINT"] = failpoint
        return environment

    def command(self, *words):
        handler = "*=" + os.path.join(HERE, "handler.sh")
        return [self.program, *words, "--store", self.store, "--handler", handler, "--wait-timers"]

    def first_command(self):
        return self.command(
            "run", os.path.join(HERE, "order.bpmn"), "--instance-id", self.instance,
            "--var", "amount=250"
        )

    def task_command(self):
        return self.command("task", "complete", "--instance", self.instance, "--element", "approve")

    def launch(self, command, failpoint=None):
        return subprocess.Popen(
            command,
            env=self.environment(failpoint),
            stdout=subprocess.DEVNULL,
            stderr=open(os.path.join(self.folder, "errors"), "a"),
        )

    def trace(self):
        """How often each effect began and ended."""
        with open(self.log) as file:
            return collections.Counter(tuple(line.split()) for line in file)

    def has_running_effect(self):
        trace = self.trace()
        return any(trace["begin", work] > trace["end", work] for work in WORK)

    def kill(self, process, kind):
        """SIGKILL now; notes whether an effect was running."""
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()
        if process.returncode == -signal.SIGKILL:
            self.kills["all"] += 1
            self.kills[kind] += 1
            if self.has_running_effect():
                self.kills["while a handler ran"] += 1

    # ---- ways to die ----

    def die_at_random(self, generator):
        process = self.launch(self.first_command())
        time.sleep(generator.uniform(0, self.seconds))
        self.kill(process, "at a random instant")

    def die_while_completing(self, generator):
        self.finish_process(self.launch(self.first_command()))
        process = self.launch(self.task_command())
        time.sleep(generator.uniform(0, self.seconds / 3))
        self.kill(process, "at a random instant")

    def die_in_handler(self, generator):
        work = generator.choice(("reserve", "charge"))
        process = self.launch(self.first_command())
        deadline = time.monotonic() + 60
        while not self.trace()["begin", work] and process.poll() is None:
            if time.monotonic() > deadline:
                raise Violation(f"{work} never began")
            time.sleep(0.002)
        self.kill(process, "aimed at a handler")

    def die_at_failpoint(self, name, count, is_completing):
        if is_completing:
            self.finish_process(self.launch(self.first_command()))
        command = self.task_command() if is_completing else self.first_command()
        process = self.launch(command, f"{name}:{count}")
        self.finish_process(process)
        if process.returncode == -signal.SIGKILL:
            self.kills["all"] += 1
            self.kills[name] += 1
            if name in ("before_save", "after_save"):
                self.kills["with an unsettled save"] += 1

    @staticmethod
    def finish_process(process):
        try:
            process.wait(timeout=120)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Violation("a run did not end") from None

    # ---- going on, and the verdict ----

    def ask(self, *words):
        done = subprocess.run(
            [self.program, *words, "--store", self.store, "--json"],
            env=self.environment(), capture_output=True, text=True, timeout=120, check=False)
        if done.returncode == NOT_FOUND:
            return None
        if done.returncode not in (0, OPEN_INCIDENT):
            raise Violation(f"{' '.join(words)}: exit {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def call(self, command):
        done = subprocess.run(command, env=self.environment(), capture_output=True, text=True,
                              timeout=120, check=False)
        if done.returncode not in (0, OPEN_INCIDENT):
            raise Violation(f"{' '.join(command[1:4])}: exit {done.returncode}: {done.stderr}")

    def lead_to_end(self):
        """The view of the instance when nothing is left to do for it."""
        if self.ask("show", self.instance) is None:
            self.call(self.first_command())  # killed before its first save: nobody was told of it
        self.call(self.command("resume"))
        view = self.ask("show", self.instance)
        if view["waiting"] == ["approve"]:
            self.call(self.task_command())
            view = self.ask("show", self.instance)
        return view

    def judge(self):
        view = self.lead_to_end()
        trace = self.trace()
        for work in WORK:
            if trace["begin", work] > 1:
                raise Violation(f"the effect of {work} began {trace['begin', work]} times")
        rows = self.ask("show", self.instance, "--history")
        completed = collections.Counter(
            row["element"] for row in rows if row["fact"] == "NODE_COMPLETED")
        for node, times in completed.items():
            if times > 1:
                raise Violation(f"{node} completed {times} times")
        for work in WORK:
            if completed[work] and not trace["end", work]:
                raise Violation(f"{work} completed without its effect")
        if view["end"] is not None:
            if view["status"] != "completed" or set(completed) != set(PATH):
                raise Violation(f"ended as {view['status']} with {sorted(completed)}")
            return "completed"
        kinds = [incident["kind"] for incident in view["incidents"]]
        (element,) = [incident["element"] for incident in view["incidents"]] or [None]
        if kinds != ["unknown"] or element not in WORK or completed[element]:
            raise Violation(f"neither completed nor unknown: {view}")
        return "unknown"


def plan(options, generator):
    """The ways of all lives: functions of a life. Each goes on with its own draws when it is tried
    again: the same instant would be too late again."""
    ways = []

    def draws():
        return random.Random(generator.random())

    for _ in range(options.random):
        way = Life.die_while_completing if generator.random() < 0.2 else Life.die_at_random
        ways.append(lambda life, way=way, draws=draws(): way(life, draws))
    for _ in range(options.handler):
        ways.append(lambda life, draws=draws(): life.die_in_handler(draws))
    for name in FAILPOINTS:
        # A run passes each point a few times: the first counts are the ones that surely occur.
        for number in range(options.failpoint):
            is_completing = number % 4 == 3
            count = 1 if is_completing else 1 + number % PASSES[name]
            ways.append(lambda life, name=name, count=count, is_completing=is_completing:
                        life.die_at_failpoint(name, count, is_completing))
    return ways


def live(options, folder, number, way):
    """A life that was in fact killed: one that ended first was too early and is tried again."""
    for again in range(30):
        life = Life(options.program, folder, f"{number}-{again}", options.seconds)
        try:
            way(life)
            outcome = life.judge()
        except Violation as violation:
            return "VIOLATION", life.kills, f"life {number}: {violation}"
        if life.kills["all"]:
            break
    return outcome, life.kills, None


def measure(options, folder):
    """How long an undisturbed run takes, beside as many others as there will be."""
    lives = [Life(options.program, folder, f"measured-{number}")
             for number in range(options.parallel)]
    began = time.monotonic()
    for process in [life.launch(life.first_command()) for life in lives]:
        Life.finish_process(process)
    return time.monotonic() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    is_long = bool(os.environ.get("STF_LONG"))
    parser.add_argument("--random", type=int, default=200 if is_long else 24,
                        help="kills at random instants")
    parser.add_argument("--handler", type=int, default=20 if is_long else 4,
                        help="kills while a handler runs")
    parser.add_argument("--failpoint", type=int, default=24 if is_long else 6,
                        help="kills at each failpoint")
    parser.add_argument("--least", type=int, default=20 if is_long else 3,
                        help="how often each kind must occur")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--parallel", type=int, default=4)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    ways = plan(options, random.Random(options.seed))
    outcomes, kills, violations = collections.Counter(), collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.parallel) as pool:
        options.seconds = measure(options, folder)
        lives = [pool.submit(live, options, folder, number, way)
                 for number, way in enumerate(ways)]
        for future in lives:
            outcome, life_kills, violation = future.result()
            outcomes[outcome] += 1
            kills.update(life_kills)
            if violation:
                violations.append(violation)
    print(f"{len(ways)} lives: {dict(outcomes)}")
    for kind, count in kills.items():
        print(f"kills {kind}: {count}")
    for violation in violations:
        print(violation)
    names = ("while a handler ran", "with an unsettled save", *FAILPOINTS)
    wanted = dict.fromkeys(names, options.least)
    wanted["at a random instant"] = options.random
    too_few = [f"{kind} (of {count})" for kind, count in wanted.items() if kills[kind] < count]
    if too_few:
        print(f"too few kills {', '.join(too_few)}")
    sys.exit(1 if violations or too_few else 0)


if __name__ == "__main__":
    main()
