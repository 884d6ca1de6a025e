# SPDX-License-Identifier: Apache-2.0
"""The pages that users read, as the tests of them see them: fenced blocks, commands with the output
that is shown, words in code.

A block ```console is a session of a shell: a line that begins with "$ " is a command (lines that
begin with "> " go on with it), the lines below it are what it prints; with no line below it that is
not looked at. "..." stands for any text within a line, a line "..." for any lines. A command that
ends with another exit code than 0 is followed by "$ echo $?". A block ```c is a part of a program:
whole functions, or statements."""

import os
import re

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
FENCE = re.compile(r"^(\s*)```\s*(\w*)\s*$")


class Block:
    """A fenced block; line is that of its first line."""

    def __init__(self, kind, line, indent):
        self.kind = kind
        self.line = line
        self.indent = indent
        self.lines = []

    def text(self):
        return "\n".join(self.lines) + "\n"


class Command:
    """What is typed, and the lines that are shown below it."""

    def __init__(self, text, line):
        self.text = text
        self.line = line
        self.shown = []


def read(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return file.read()


def pages():
    """README.md and its neighbours, the guides, the READMEs of the examples."""
    found = [name for name in os.listdir(ROOT) if name.endswith(".md")]
    for folder in ("docs", "examples"):
        for path, _, names in os.walk(os.path.join(ROOT, folder)):
            found += [os.path.relpath(os.path.join(path, name), ROOT)
                      for name in names if name.endswith(".md")]
    return sorted(found)


def blocks(text):
    found = []
    inside = None
    for number, line in enumerate(text.split("\n"), 1):
        fence = FENCE.match(line)
        if inside is None and fence:
            inside = Block(fence.group(2), number + 1, fence.group(1))
        elif inside is not None and fence:
            found.append(inside)
            inside = None
        elif inside is not None:
            inside.lines.append(line.removeprefix(inside.indent))
    return found


def commands(block):
    found = []
    for number, line in enumerate(block.lines, block.line):
        if line.startswith("$ "):
            found.append(Command(line[2:], number))
        elif line.startswith("> ") and found and not found[-1].shown:
            found[-1].text += "\n" + line[2:]
        elif found:
            found[-1].shown.append(line)
        else:
            raise ValueError(f"line {number}: output without a command")
    return found


def matches(shown, printed):
    """Whether printed (a text) is what the shown lines say."""
    pattern = ""
    for line in shown:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("...")) + r" *\n"
    if printed and not printed.endswith("\n"):
        printed += "\n"
    return re.fullmatch(pattern, printed) is not None


def words_in_code(text):
    """What stands between back quotes outside of blocks, and the lines of blocks."""
    prose = []
    inside = False
    for line in text.split("\n"):
        if FENCE.match(line):
            inside = not inside
        elif inside:
            yield line
        else:
            prose.append(line)
    yield from re.findall(r"`([^`]+)`", "\n".join(prose))
