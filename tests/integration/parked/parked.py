# SPDX-License-Identifier: Apache-2.0
"""Instances at rest cost an engine nothing: not its start, not its memory, not its attention.

One process lets the engine park many instances in a SQLite store, at user tasks and at timers far
away; ten of them are due half an hour later. A fresh process starts then. It must load exactly the
ten and save each once; the others are never looked at. How long its start took and the most memory
that it ever had are printed. A check asserts the counts only; the long run, asked for by STF_LONG=1
in the environment, has a million parked instances and asserts two seconds and 64 MiB as well."""
import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

DUE = 10
SHORT, LONG = 20_000, 1_000_000
START_LIMIT_MS = 2_000
MEMORY_LIMIT_KIB = 64 * 1024
COMPLETED = 1


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"parked: {' '.join(command[1:])}: exit {done.returncode}")
    return json.loads(done.stdout)


def count(path, condition):
    with sqlite3.connect(path) as database:
        query = f"SELECT count(*) FROM stepfast_instances WHERE {condition}"
        return database.execute(query).fetchone()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("host", help="the program of host.c")
    parser.add_argument("--count", type=int, help="parked instances")
    arguments = parser.parse_args()
    is_long = os.environ.get("STF_LONG") == "1"
    total = arguments.count or (LONG if is_long else SHORT)
    problems = []

    def expect(what, found, wanted):
        if found != wanted:
            problems.append(f"{what}: {found}, expected {wanted}")

    def limit(what, found, most):
        if is_long and found >= most:
            problems.append(f"{what}: {found}, the limit is {most}")

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "store.db")
        made = run(arguments.host, "make", path, str(total), str(DUE))
        print(f"made {total} parked instances in {made['milliseconds'] / 1000:.1f} s, "
              f"{made['commits']} commits, a file of {os.path.getsize(path) >> 20} MiB")
        expect("saves of the maker", made["saves"], total)
        expect("active records", count(path, "status = 0 AND owner IS NULL"), total)
        expect("records that are never due", count(path, "due IS NULL"), total // 2)
        woken = run(arguments.host, "wake", path)
        print(f"started in {woken['start_milliseconds']} ms, all due ones done after "
              f"{woken['milliseconds']} ms, at most {woken['most_memory_kib']} KiB of memory")
        expect("records loaded", woken["loads"], DUE)
        expect("records saved", woken["saves"], DUE)
        expect("saves refused", woken["refused"], 0)
        expect("completed", count(path, f"status = {COMPLETED} AND label_key = 'soon'"), DUE)
        expect("still parked", count(path, "status = 0"), total - DUE)
        limit("milliseconds of the start", woken["start_milliseconds"], START_LIMIT_MS)
        limit("KiB of memory", woken["most_memory_kib"], MEMORY_LIMIT_KIB)
        again = run(arguments.host, "wake", path)
        expect("records loaded when none is due", again["loads"], 0)
    for problem in problems:
        print(f"parked: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
