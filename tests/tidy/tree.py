# SPDX-License-Identifier: Apache-2.0
"""The project's files as the checks see them, and C source without comments and strings."""

import os
import re
import subprocess

SKIPPED_FOLDERS = {".git", "build", ".cache", "__pycache__"}


class Tree:
    """The files under root: those that git knows or would take, else all of them."""

    def __init__(self, root):
        self.root = os.path.abspath(root)
        self.paths = sorted(self._git_paths() or self._walked_paths())
        self._texts = {}

    def _git_paths(self):
        if not os.path.exists(os.path.join(self.root, ".git")):
            return []
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listing = subprocess.run(command, cwd=self.root, check=True, capture_output=True).stdout
        paths = listing.decode().split("\0")
        return [path for path in paths if path and self.exists(path)]

    def _walked_paths(self):
        paths = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
            paths += [os.path.relpath(os.path.join(folder, name), self.root) for name in names]
        return paths

    def exists(self, path):
        return os.path.exists(os.path.join(self.root, path))

    def select(self, *suffixes, under=""):
        """Paths with one of these endings, under one of these folders (a text or a tuple)."""
        return [path for path in self.paths if path.endswith(suffixes) and path.startswith(under)]

    def text(self, path):
        if path not in self._texts:
            with open(os.path.join(self.root, path), encoding="utf-8", errors="replace",
                      newline="") as file:
                self._texts[path] = file.read()
        return self._texts[path]

    def lines(self, path):
        return self.text(path).split("\n")

    def code_lines(self, path):
        """Lines of C with comments and the insides of literals blanked."""
        return blank_comments_and_literals(self.text(path)).split("\n")


TOKEN = re.compile(
    r"/\*.*?\*/|//[^\n]*"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)


def blank_comments_and_literals(source):
    def blank(match):
        token = match.group()
        if token[0] in "\"'":
            return token[0] + " " * (len(token) - 2) + token[0]
        return re.sub(r"[^\n]", " ", token)

    return TOKEN.sub(blank, source)


# The folders whose C code is a library of ours, and all folders with C code.
LIBRARY = ("src/", "adapters/", "conformance/")
SHIPPED = LIBRARY + ("include/", "cli/", "examples/")
ALL_CODE = SHIPPED + ("tests/", "fuzz/", "bench/", "server/")
