#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the libraries export and hold. Usage:
symbols.py exports TREE   each shared library exports exactly the STF_API functions of its headers,
                          and what tests/abi/*.symbols lists
symbols.py globals TREE   our objects have no writable data, apart from tests/abi/globals.txt
symbols.py needed TREE    libstepfast needs no store's library
symbols.py --update TREE  rewrites tests/abi/*.symbols (make abi-update)"""

import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "..", "..", "include", "stepfast")
# Headers that belong to a library of their own; the rest are libstepfast's.
OWN_LIBRARY = {"sqlite.h": "stepfast-sqlite", "conformance.h": "stepfast-conformance"}
COMMENT = re.compile(r"/\*.*?\*/", re.S)
DECLARATION = re.compile(r"^STF_API\b[^;{]*?\b(\w+)\(", re.M)


def output_of(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def declared():
    """Library -> the functions that its headers declare."""
    functions = {"stepfast": set()}
    for path in glob.glob(os.path.join(INCLUDE, "**", "*.h"), recursive=True):
        library = OWN_LIBRARY.get(os.path.relpath(path, INCLUDE), "stepfast")
        with open(path, encoding="utf-8") as file:
            names = DECLARATION.findall(COMMENT.sub("", file.read()))
        functions.setdefault(library, set()).update(names)
    return functions


def find(tree, name):
    found = glob.glob(os.path.join(tree, "**", name), recursive=True)
    if len(found) != 1:
        sys.exit(f"{name}: found {len(found)} times under {tree}")
    return found[0]


def exported(tree, library):
    listing = output_of("nm", "-D", "--defined-only", find(tree, f"lib{library}.so"))
    rows = [line.split() for line in listing.splitlines()]
    return {row[2].split("@")[0] for row in rows if row[1] != "A"}


def list_path(library):
    return os.path.join(HERE, f"lib{library}.symbols")


def listed(library):
    with open(list_path(library), encoding="utf-8") as file:
        return {line.strip() for line in file if line.strip() and not line.startswith("#")}


def report(library, names, what):
    for name in sorted(names):
        print(f"lib{library}: {name} {what}")
    return not names


def check_exports(tree):
    good = True
    for library, functions in declared().items():
        symbols, known = exported(tree, library), listed(library)
        good &= report(library, functions - symbols, "is declared but not exported")
        good &= report(library, symbols - functions, "is exported but in no public header")
        good &= report(library, known - symbols, "has gone: that breaks programs that use it")
        good &= report(library, symbols - known, "is new: make abi-update")
    return good


def update(tree):
    for library in declared():
        with open(list_path(library), "w", encoding="utf-8") as file:
            file.write("# Exported functions; make abi-update rewrites this list.\n")
            file.writelines(name + "\n" for name in sorted(exported(tree, library)))
    return True


WRITABLE = re.compile(r"(\.data(?!\.rel\.ro)|\.bss|\.tdata|\.tbss|\*COM\*)")


def writable(archive):
    """file.c:symbol of each writable object."""
    member = "?"
    for line in output_of("objdump", "-t", archive).splitlines():
        if ":     file format" in line:
            member = line.split(":")[0].removesuffix(".o")
            continue
        before, tab, after = line.partition("\t")
        fields = before.split()
        if tab and len(fields) >= 2 and WRITABLE.match(fields[-1]) and "d" not in fields[1:-1]:
            yield member + ":" + after.split()[-1].split(".")[0]


def allowed_globals():
    allowed = {}
    with open(os.path.join(HERE, "globals.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, _, reason = line.strip().partition(" ")
                if not reason.strip():
                    sys.exit(f"globals.txt: {name} has no reason")
                allowed[name] = reason.strip()
    return allowed


def check_globals(tree):
    allowed, used = allowed_globals(), set()
    good = True
    for library in declared():
        for symbol in writable(find(tree, f"lib{library}.a")):
            used.add(symbol)
            if symbol not in allowed:
                good = False
                print(f"lib{library}: {symbol} is writable data shared by all engines")
    for symbol in sorted(set(allowed) - used):
        good = False
        print(f"globals.txt: {symbol} is not there any more")
    return good


def check_needed(tree):
    needed = re.findall(r"NEEDED.*\[(.*)\]",
                        output_of("readelf", "-d", find(tree, "libstepfast.so")))
    print("libstepfast needs", *needed)
    return bool(needed) and not any(re.match(r"lib(sqlite3|pq|bid)", name) for name in needed)


CHECKS = {"exports": check_exports, "globals": check_globals, "needed": check_needed,
          "--update": update}

if __name__ == "__main__":
    sys.exit(0 if CHECKS[sys.argv[1]](sys.argv[2]) else 1)
