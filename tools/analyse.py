#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over what we ship (tests are left to the compilers and sanitizers), several files at a
time. A file whose text, expansion, command and rules were clean before is not analysed again.
Usage: analyse.py TREE [FILE...]; TREE was configured with clang."""

import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
SHIPPED = ("src/", "adapters/", "conformance/", "cli/")
CLEAN = "build/clang-tidy"
CHATTER = re.compile(r"^\d+ warnings?( and \d+ errors?)? generated\.?$|^$")


def run(command, folder=ROOT):
    return subprocess.run(command, cwd=folder, text=True, capture_output=True)


def commands(tree):
    """Path from the root -> entry of the compilation database."""
    with open(os.path.join(tree, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    return {os.path.relpath(entry["file"], ROOT): entry for entry in entries}


def fingerprint(path, entry, rules):
    """Of all that the result depends on: the text too, because NOLINT lives in comments."""
    words = shlex.split(entry["command"])
    words = [word for word in words if not word.endswith("ccache")]
    output = words.index("-o")
    expansion = run(words[:output] + words[output + 2:] + ["-E"], entry["directory"])
    if expansion.returncode != 0:
        sys.exit(f"{path}: {expansion.stderr}")
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        parts = [rules, path, entry["command"], file.read(), expansion.stdout]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def analyse(tree, path, entry, rules):
    """What is wrong with a file, "" when nothing."""
    stamp = os.path.join(ROOT, CLEAN, fingerprint(path, entry, rules))
    if os.path.exists(stamp):
        return ""
    result = run(["clang-tidy", "--quiet", "-p", tree, path])
    lines = [line for line in (result.stdout + result.stderr).split("\n")
             if not CHATTER.match(line)]
    if lines or result.returncode != 0:
        return "\n".join([f"{path}: clang-tidy answers {result.returncode}", *lines])
    open(stamp, "w", encoding="utf-8").close()
    return ""


def main(tree, paths):
    os.chdir(ROOT)
    os.makedirs(CLEAN, exist_ok=True)
    entries = commands(tree)
    paths = paths or [path for path in sorted(entries) if path.startswith(SHIPPED)]
    if not paths:
        sys.exit("nothing to analyse")
    with open(".clang-tidy", encoding="utf-8") as file:
        rules = file.read() + run(["clang-tidy", "--version"]).stdout
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        reports = list(pool.map(lambda path: analyse(tree, path, entries[path], rules), paths))
    reports = [report for report in reports if report]
    print("\n".join(reports) if reports else f"{len(paths)} files are clean")
    return 1 if reports else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
