# SPDX-License-Identifier: Apache-2.0
"""Kills one of two engines that serve one SQLite file under load, again and again.

Batches of pair.bpmn are started all the time: services (some may be repeated, some not), timers,
messages between instances and from outside, calls, errors, retries, cancellations. An operator
settles work of unknown outcome by what the handlers noted. Engines die by SIGKILL at random
instants and at failpoints; now and then both are dead at once. At the end everything has to come to
its end, and pair_checker.py decides from facts, views, records and the handlers' own log.

Every kill is classified by what it hit:
  running handler     an effect of that engine had begun and not ended
  unsettled save      it died between sending a save and its acknowledgement
  non-empty outbox    the store had, right after the kill, an outbox that this engine had saved
Exit code 0: no violation, and each class occurred as often as asked for. STF_LONG=1 asks for 200
kills, 20 of each class, and that the survivor takes over what the dead one held within a second."""
import argparse
import collections
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pair_checker

HERE = os.path.dirname(os.path.abspath(__file__))
OBSERVER = os.path.join(HERE, "../../../include/stepfast/observer.h")
FAILPOINTS = ("before_save", "after_save", "after_effect", "before_ack", "before_deliver")
UNSETTLED = ("before_save", "after_save", "before_ack")
CLASSES = ("running handler", "unsettled save", "non-empty outbox")
EFFECT = ("what", "at", "pid", "engine", "instance", "element", "topic", "key", "attempt", "result")
DONE, GONE, OTHER_STATE, OPEN_INCIDENT, UNAVAILABLE = 0, 3, 4, 5, 7
TAKEOVER_MOST_US = 1000000
PATIENCE_S = 120


class Pair:
    """The store, the load and what is known about both."""

    def __init__(self, program, effect, folder):
        self.program = program
        self.effect = effect
        self.folder = folder
        self.path = os.path.join(folder, "store.db")
        self.log = os.path.join(folder, "log")
        with open(self.log, "w"):
            pass
        self.environment = {**os.environ, "KILL_LOG": self.log}
        self.environment.pop("STEPFAST_FAILPOINT", None)
        self.started = []
        self.settled = []
        self.troubles = []
        self.is_loading = True
        self.is_over = False

    # ---- the store, and the log of the handlers

    def connect(self):
        return sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, timeout=60)

    def query(self, text, *values):
        connection = self.connect()
        try:
            return connection.execute(text, values).fetchall()
        finally:
            connection.close()

    def effects(self):
        with open(self.log) as file:
            words = [line.split() for line in file]
        # A handler that was killed while it wrote leaves a line without its end.
        rows = [dict(zip(EFFECT, row)) for row in words
                if len(row) == len(EFFECT) + 1 and row[-1] == "whole"]
        for row in rows:
            row["at"] = int(row["at"])
        return rows

    def command(self, *words, path=None):
        return subprocess.run(
            [self.program, *words, "--store", "sqlite:" + (path or self.path), "--id", "driver"],
            env=self.environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    def must(self, allowed, *words):
        """The command's answer; a store that is busy is asked again."""
        for _ in range(20):
            done = self.command(*words)
            if done.returncode != UNAVAILABLE:
                break
            time.sleep(0.2)
        if done.returncode not in allowed:
            self.troubles.append(
                f"driver: {' '.join(words)}: exit {done.returncode}: {done.stderr.strip()}")
        return done

    # ---- load

    def publish(self, key):
        self.must((DONE, OPEN_INCIDENT), "message", "go", "--key", key, "--keep", "1h",
                  "--var", f'go_token="{key}:go"')

    def start_batch(self, number):
        """One message comes before anybody waits for it, the other one somewhere on the way."""
        name = f"n{number}"
        self.publish(f"{name}-1")
        self.must((DONE, OPEN_INCIDENT), "start", "batch", "--instance-id", name,
                  "--var", f'n="{name}"')
        self.started.append(name)
        time.sleep(random.uniform(0, 1))
        self.publish(f"{name}-2")

    def count_batches(self):
        ((count,),) = self.query("SELECT count(*) FROM stepfast_instances WHERE label_key = 'batch'"
                                 " AND status NOT IN (1, 2)")
        return count

    def load(self, most, first):
        """Two of these run: the numbers of one are odd, of the other even."""
        number = first
        while self.is_loading:
            if self.count_batches() < most:
                self.start_batch(number)
                number += 2
            else:
                time.sleep(0.05)

    # ---- the operator

    def settle(self, incident, effects):
        """Unknown work: its log says whether it took effect. Who may still run is waited for."""
        instance, activation = incident["instance"], incident["activation"]
        mine = [row for row in effects if row["instance"] == instance
                and row["key"].split("-")[1] == str(activation)]
        if any(os.path.exists(f"/proc/{row['pid']}") for row in mine[-1:]):
            return
        ends = [row for row in mine if row["what"] in ("end", "error")]
        words, how = ["incident", "retry", incident["incident"]], "retry"
        if ends:
            words, how = ["incident", "resolve", incident["incident"]], "resolve"
            words += (["--code", "DECLINED"] if ends[-1]["what"] == "error" else
                      ["--var", f'{incident["element"]}_result="{ends[-1]["result"]}"'])
        self.settled.append({"instance": instance, "activation": activation, "how": how})
        self.must((DONE, GONE, OTHER_STATE, OPEN_INCIDENT), *words)

    def operate(self):
        while not self.is_over:
            time.sleep(0.3)
            if not self.query("SELECT 1 FROM stepfast_instances WHERE status = 4 LIMIT 1"):
                continue
            done = self.must((DONE, OPEN_INCIDENT), "incident", "list", "--json")
            incidents = json.loads(done.stdout or "[]")
            effects = self.effects()
            for incident in incidents:
                if incident["kind"] == "unknown" and incident.get("retry") is None:
                    self.settle(incident, effects)

    # ---- the end, and what the checker gets

    def wait_for_end(self, patience_s):
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline:
            ((count,),) = self.query(
                "SELECT count(*) FROM stepfast_instances WHERE status NOT IN (1, 2)")
            if count == 0:
                return
            time.sleep(0.1)

    def read_facts(self):
        with open(OBSERVER) as file:
            names = {int(number): name
                     for name, number in re.findall(r"X\((\w+), (\d+), \"", file.read())}
        facts = collections.defaultdict(list)
        for row in self.query(
                "SELECT i.id, j.version, j.position, j.fact, j.activation, j.at, j.element,"
                " j.detail FROM stepfast_journal j JOIN stepfast_instances i USING (instance_no)"
                " ORDER BY i.id, j.version, j.position"):
            instance, version, position, fact, activation, at, element, detail = row
            seconds, micros = divmod(at, 1000000)
            facts[instance].append({
                "version": version, "position": position, "fact": names.get(fact, "?"),
                "activation": activation, "element": element, "detail": detail,
                "at": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{micros:06}Z"})
        return facts

    def compare_facts(self, facts):
        """What the store was read for is what the program prints: a sample."""
        for instance in random.sample(sorted(facts), min(5, len(facts))):
            if instance.startswith("stf:"):
                continue
            done = self.must((DONE, OPEN_INCIDENT), "facts", instance, "--json")
            if json.loads(done.stdout or "[]") != facts[instance]:
                self.troubles.append(f"driver: the facts of {instance} are read in two ways")

    def history(self, taken):
        facts = self.read_facts()
        self.compare_facts(facts)
        done = self.must((DONE, OPEN_INCIDENT), "ps", "--json")
        records = self.query("SELECT id, status, owner, due IS NOT NULL, wait_count"
                             " FROM stepfast_instances")
        return {
            "started": self.started,
            "instances": json.loads(done.stdout or "[]"),
            "facts": facts,
            "records": [dict(zip(("id", "status", "owner", "has_due", "waits"), row))
                        for row in records],
            "effects": self.effects(),
            "settled": self.settled,
            "taken": taken,
        }


class Engine:
    """One process at a time under one id; each process is a life."""

    def __init__(self, pair, name):
        self.pair = pair
        self.name = name
        self.life = 0
        self.process = None
        self.launched_us = 0
        self.failpoint = None

    def launch(self, failpoint=None):
        self.life += 1
        self.failpoint = failpoint
        environment = {**self.pair.environment, "KILL_ENGINE": f"{self.name}.{self.life}"}
        if failpoint:
            environment["STEPFAST_FAILPOINT"] = failpoint
        self.launched_us = now_us()
        self.process = subprocess.Popen(
            [self.pair.program, "engine", "--store", "sqlite:" + self.pair.path, "--id", self.name,
             "--handler", f"*=exec '{self.pair.effect}'"],
            env=environment, stdout=subprocess.DEVNULL,
            stderr=open(os.path.join(self.pair.folder, f"errors-{self.name}"), "a"))

    def is_up(self):
        return self.process is not None and self.process.poll() is None

    def stop(self):
        if self.is_up():
            self.process.terminate()
            self.process.wait(timeout=PATIENCE_S)


class Kill:
    """What one kill hit, and when what the dead engine held was taken over."""

    def __init__(self, pair, engine, at_us):
        self.engine = f"{engine.name}.{engine.life}"
        self.name = engine.name
        self.failpoint = engine.failpoint if engine.process.returncode == -signal.SIGKILL else None
        self.at_us = at_us
        self.launched_us = engine.launched_us
        self.classes = set()
        self.has_survivor = True  # one that lived through all of it
        self.copy = os.path.join(pair.folder, f"copy-{self.engine}.db")
        self.keep_copy(pair)
        self.classify_at_once(pair)

    def keep_copy(self, pair):
        source, target = pair.connect(), sqlite3.connect(self.copy)
        self.held = {
            row[0]: {"instance": row[0], "version": row[2], "incarnation": row[3],
                     "is_taken": False}
            for row in source.execute(
                "SELECT id, owner, rec_version, incarnation FROM stepfast_instances"
                " WHERE owner LIKE ? AND status NOT IN (1, 2)", (f"{self.name}/%",))}
        lost = source.execute(
            "SELECT id FROM stepfast_instances WHERE status = 0 AND owner IS NULL"
            " AND due IS NULL AND wait_count = 0").fetchall()
        pair.troubles += [f"{row[0]} is active without owner, due time and wait" for row in lost]
        source.backup(target)
        target.close()
        source.close()

    def classify_at_once(self, pair):
        mine = [row for row in pair.effects() if row["engine"] == self.engine]
        counts = collections.Counter(
            (row["instance"], row["key"]) for row in mine if row["what"] == "begin")
        counts.subtract((row["instance"], row["key"]) for row in mine if row["what"] != "begin")
        if any(counts.values()) and self.held:
            self.classes.add("running handler")
        if self.failpoint and self.failpoint.split(":")[0] in UNSETTLED:
            self.classes.add("unsettled save")

    def classify_outboxes(self, pair):
        """By the copy: instances that this life was the last to write."""
        done = pair.command("ps", "--active", "--json", path=self.copy)
        since = {view["id"]: [pair_checker.time_us(entry["since"]) for entry in view["outbox"]]
                 for view in json.loads(done.stdout or "[]")}
        connection = sqlite3.connect(self.copy)
        for instance, times in since.items():
            if any(at >= self.launched_us for at in times):
                ((head,),) = connection.execute(
                    "SELECT head FROM stepfast_instances WHERE id = ?", (instance,))
                # The only owner in a document is its last writer.
                if re.search(self.name.encode() + rb"/[0-9a-f]{8}", head):
                    self.classes.add("non-empty outbox")
        connection.close()
        for suffix in ("", "-owners", "-wal", "-shm"):
            if os.path.exists(self.copy + suffix):
                os.remove(self.copy + suffix)

    def look(self, pair):
        """Notes what has been taken over since; True: all of it."""
        for entry in self.held.values():
            if not entry["is_taken"]:
                rows = pair.query("SELECT incarnation, status FROM stepfast_instances WHERE id = ?",
                                  entry["instance"])
                entry["is_taken"] = not rows or rows[0][0] > entry["incarnation"] or (
                    rows[0][1] in (1, 2))
        return all(entry["is_taken"] for entry in self.held.values())

    def taken(self):
        return [{"instance": entry["instance"], "version": entry["version"],
                 "is_taken": entry["is_taken"]} for entry in self.held.values()]

    def delay_us(self, facts):
        """Until the last of it was recovered by the survivor, as the store tells it: whoever
        recovers has saved its lease before. None: nothing to tell."""
        times = []
        for entry in self.held.values():
            times += [pair_checker.time_us(row["at"]) - self.at_us
                      for row in facts.get(entry["instance"], ())
                      if row["fact"] == "INSTANCE_RECOVERED" and row["version"] > entry["version"]
                      ][:1]
        return max(times) if times and self.has_survivor else None


def now_us():
    return time.time_ns() // 1000


class Machine:
    """How late this machine itself is, so that its delays are not the engine's: at all times
    somebody sleeps for a moment, writes a block and has it put on disk."""

    PAUSE_S = 0.02

    def __init__(self, folder):
        self.path = os.path.join(folder, "machine")
        self.delays = []
        self.is_over = False

    def watch(self):
        with open(self.path, "wb", buffering=0) as file:
            while not self.is_over:
                began, at = time.monotonic(), now_us()
                time.sleep(self.PAUSE_S)
                file.write(bytes(4096))
                os.fsync(file.fileno())
                took = time.monotonic() - began - self.PAUSE_S
                self.delays.append((at, now_us(), took * 1000000))

    def longest_us(self, begin_us, end_us):
        return max((took for begin, end, took in self.delays if begin < end_us and end > begin_us),
                   default=0)


class Killer:
    """Chooses who dies how, and waits for what follows."""

    def __init__(self, pair, generator, options):
        self.pair = pair
        self.generator = generator
        self.options = options
        self.engines = [Engine(pair, "a"), Engine(pair, "b")]
        self.kills = []
        self.pool = ThreadPoolExecutor(1)
        self.copies = []

    def kill(self, engine, patience_s):
        """Waits for the failpoint, or kills now."""
        try:
            engine.process.wait(timeout=patience_s)
            at = now_us()
        except subprocess.TimeoutExpired:
            at = now_us()
            engine.process.kill()
            engine.process.wait()
            engine.failpoint = None
        if engine.process.returncode != -signal.SIGKILL:
            self.pair.troubles.append(
                f"driver: engine {engine.name} ended by itself: {engine.process.returncode}")
        kill = Kill(self.pair, engine, at)
        self.kills.append(kill)
        self.copies.append(self.pool.submit(kill.classify_outboxes, self.pair))
        return kill

    def follow(self, kill, survivor):
        """Until the survivor has everything, or it dies as well."""
        second_at = None
        if self.generator.random() < self.options.both:
            second_at = time.monotonic() + self.generator.uniform(0, 0.5)
        deadline = time.monotonic() + self.options.follow_s
        while not kill.look(self.pair) and time.monotonic() < deadline:
            if second_at is not None and time.monotonic() > second_at:
                kill.has_survivor = False
                second = self.kill(survivor, 0)
                second.has_survivor = False
                return
            time.sleep(0.01)

    def round(self, plan):
        down = [engine for engine in self.engines if not engine.is_up()]
        victim = self.generator.choice(self.engines)
        for engine in down[1:]:
            engine.launch()
        if down:
            if plan != "random":
                victim = down[0]
                # Wide enough that a kill falls into the middle of the load, too.
                victim.launch(f"{plan}:{self.generator.randint(1, self.options.passes)}")
            else:
                down[0].launch()
        time.sleep(0 if victim.failpoint else self.generator.uniform(0.1, 1))
        kill = self.kill(victim, 8 if victim.failpoint else 0)
        (survivor,) = [engine for engine in self.engines if engine is not victim]
        self.follow(kill, survivor)

    def is_enough(self):
        counts = self.count()
        return len(self.kills) >= self.options.kills and all(
            counts[name] >= self.options.least for name in CLASSES)

    def plans(self):
        """Every failpoint and two random instants, in random order, again and again."""
        while True:
            plans = [*FAILPOINTS, "random", "random"]
            self.generator.shuffle(plans)
            yield from plans

    def run(self):
        for engine in self.engines:
            engine.launch()
        time.sleep(1)
        for plan in self.plans():
            if len(self.kills) >= self.options.kills:
                for copy in self.copies:
                    copy.result()
                if self.is_enough() or len(self.kills) >= 2 * self.options.kills:
                    break
            self.round(plan)
        for engine in self.engines:
            if not engine.is_up():
                engine.launch()

    def follow_to_the_end(self):
        for kill in self.kills:
            kill.look(self.pair)

    def count(self):
        counts = collections.Counter()
        for kill in self.kills:
            counts.update(kill.classes)
            counts["at " + (kill.failpoint or "a random instant").split(":")[0]] += 1
        return counts


def run(options, folder, generator):
    pair = Pair(options.program, options.effect, folder)
    pair.must((DONE,), "deploy", os.path.join(HERE, "pair.bpmn"))
    killer = Killer(pair, generator, options)
    threads = [threading.Thread(target=pair.load, args=(options.batches, first))
               for first in (0, 1)]
    threads.append(threading.Thread(target=pair.operate))
    machine = Machine(folder)
    watcher = threading.Thread(target=machine.watch)
    for thread in (*threads, watcher):
        thread.start()
    try:
        killer.run()
    finally:
        pair.is_loading = False
        for thread in threads[:-1]:
            thread.join()
        pair.wait_for_end(options.end_s)
        pair.is_over = True
        threads[-1].join()
        machine.is_over = True
        watcher.join()
        killer.follow_to_the_end()
        for engine in killer.engines:
            engine.stop()
    history = pair.history([entry for kill in killer.kills for entry in kill.taken()])
    return pair, killer, machine, history


def report_delays(killer, machine, history):
    """The number of takeovers that were late by more than the machine was. A takeover is a claim
    and a step, and each of these saves may wait for one of somebody else's."""
    delays, too_late, excused = [], 0, 0
    for kill in killer.kills:
        delay = kill.delay_us(history["facts"])
        if delay is not None:
            delays.append(delay)
            longest = machine.longest_us(kill.at_us, kill.at_us + delay)
            excused += TAKEOVER_MOST_US < delay <= TAKEOVER_MOST_US + 4 * longest
            too_late += delay > TAKEOVER_MOST_US + 4 * longest
    delays.sort()
    if delays:
        print(f"taken over by the survivor, {len(delays)} times: p50"
              f" {delays[len(delays) // 2] / 1000:.0f} ms, p90"
              f" {delays[len(delays) * 9 // 10] / 1000:.0f} ms, max {delays[-1] / 1000:.0f} ms;"
              f" after more than a second: {too_late}, and {excused} with a machine that was late")
    own = sorted(took for _, _, took in machine.delays)
    print(f"the machine's own delay to sleep and write: p50 {own[len(own) // 2] / 1000:.0f} ms, p99"
          f" {own[len(own) * 99 // 100] / 1000:.0f} ms, max {own[-1] / 1000:.0f} ms")
    return too_late if delays else 1


def report(options, pair, killer, machine, history):
    counts = killer.count()
    facts = collections.Counter(
        row["fact"] for rows in history["facts"].values() for row in rows)
    settled = collections.Counter(entry["how"] for entry in pair.settled)
    print(f"{len(pair.started)} batches, {len(history['instances'])} instances,"
          f" {len(history['effects'])} lines of effects, {sum(facts.values())} facts")
    for name in ("MESSAGE_RECEIVED", "MESSAGE_KEPT", "CHILD_CALLED", "CHILD_CANCELLED",
                 "ERROR_CAUGHT", "RETRY_SCHEDULED", "INSTANCE_RECOVERED", "WORK_UNKNOWN"):
        print(f"  {name}: {facts[name]}")
    print(f"the operator: {dict(settled)}")
    print(f"kills: {len(killer.kills)}")
    for name in sorted(counts):
        print(f"  kills {'with a ' if name in CLASSES else ''}{name}: {counts[name]}")
    late = report_delays(killer, machine, history)
    faults = pair.troubles + pair_checker.find_violations(history)
    faults += [f"too few kills with a {name}: {counts[name]}" for name in CLASSES
               if counts[name] < options.least]
    if options.is_timed and late:
        faults.append("what a dead engine held was not taken over within a second")
    for fault in faults[:50]:
        print(fault)
    print(f"{len(faults)} faults")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("effect", help="the handler")
    is_long = bool(os.environ.get("STF_LONG"))
    parser.add_argument("--kills", type=int, default=200 if is_long else 12)
    parser.add_argument("--least", type=int, default=20 if is_long else 1,
                        help="how often each class must occur")
    parser.add_argument("--batches", type=int, default=8, help="at the same time")
    parser.add_argument("--passes", type=int, default=40, help="of a failpoint, at most")
    parser.add_argument("--both", type=float, default=0.15, help="how often both die")
    parser.add_argument("--follow-s", type=float, default=8, help="wait for a takeover")
    parser.add_argument("--end-s", type=float, default=120, help="wait for the end of it all")
    parser.add_argument("--is-timed", action="store_true", default=is_long)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--keep", help="a file that the history is written to")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        pair, killer, machine, history = run(options, folder, random.Random(options.seed))
        faults = report(options, pair, killer, machine, history)
        if options.keep:
            with open(options.keep, "w") as file:
                json.dump(history, file)
        if faults:
            for name in ("a", "b"):
                with open(os.path.join(folder, f"errors-{name}")) as file:
                    lines = [line for line in file if "serving group" not in line]
                print(f"engine {name} said:\n{''.join(lines[-20:])}")
    print(f"{time.monotonic() - began:.0f} s")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
