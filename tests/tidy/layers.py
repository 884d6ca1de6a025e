# SPDX-License-Identifier: Apache-2.0
"""Who may include whom: tools/layers.txt is the table."""

import os
import re

from tree import ALL_CODE

TABLE = "tools/layers.txt"
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
OUTSIDE = ("adapters/", "conformance", "cli", "examples", "server")


def read_table(tree):
    """Rooms with what they may include, and system headers with the rooms that may."""
    rooms, headers = {}, {}
    for line in tree.lines(TABLE):
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, _, allowed = line.partition(":")
        if name.startswith("<"):
            for header in name.split():
                headers[header.strip("<>")] = set(allowed.split())
            continue
        private, _, public = allowed.partition("|")
        rooms[name] = (set(private.split()), set(public.split()))
    return rooms, headers


def room_of(path, rooms):
    parts = path.split("/")
    if parts[0] == "src":
        return parts[1] if len(parts) > 2 else None
    for room in rooms:
        if room.startswith(OUTSIDE) and path.startswith(room + "/"):
            return room
    return None


def check_quoted(tree, path, room, header, allowed):
    if header.endswith(".c"):
        return "includes a .c file"
    if header.endswith(".inc"):
        return None  # made by the build from the room's own files
    if room in allowed and room.startswith(OUTSIDE):
        beside = os.path.normpath(os.path.join(os.path.dirname(path), header))
        inside = os.path.normpath(os.path.join(room, header))
        for candidate in (beside, inside):
            if candidate.startswith(room + "/") and tree.exists(candidate):
                return None
        return f'"{header}" is not a file of {room}/; use public headers'
    if "/" not in header:
        return f'"{header}" should be written "room/{header}"'
    target = header.split("/")[0]
    if target == "engine" and room != "engine":
        return "nothing includes engine/"
    if target != room and target not in allowed[room][0]:
        return f'{room} must not include {target}/ ("{header}"), see {TABLE}'
    if not tree.exists(f"src/{header}"):
        return f'"{header}" does not exist under src/'
    return None


def check_angled(tree, room, header, allowed, headers):
    if header.startswith("stepfast/"):
        if not tree.exists(f"include/{header}"):
            return f"<{header}> does not exist"
        public = allowed[room][1]
        if public and header[len("stepfast/"):] not in public:
            return f"{room} must not include <{header}>, see {TABLE}"
        return None
    if tree.exists(f"src/{header}"):
        return f'<{header}> is a private header: write "{header}" where it is allowed'
    if header in headers and room not in headers[header]:
        return f"{room} must not include <{header}>, see {TABLE}"
    return None


def check(tree):
    rooms, headers = read_table(tree)
    for path in tree.select(".c", ".h", ".def", under=ALL_CODE):
        room = room_of(path, rooms)
        if path.startswith("src/") and (room is None or room not in rooms):
            yield path, 1, f"its folder is not a room of {TABLE}"
            continue
        for number, line in enumerate(tree.lines(path), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, header = match.groups()
            if room is None:
                problem = "includes a .c file" if header.endswith(".c") else None
                if path.startswith("include/") and quote == '"':
                    problem = "public headers include <stepfast/...> only"
            elif quote == '"':
                problem = check_quoted(tree, path, room, header, rooms)
            else:
                problem = check_angled(tree, room, header, rooms, headers)
            if problem:
                yield path, number, problem
