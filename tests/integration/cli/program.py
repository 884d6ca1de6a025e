# SPDX-License-Identifier: Apache-2.0
"""Runs the stepfast program for the tests of the command line."""
import json
import os
import subprocess
import tempfile

PROGRAM = os.environ["STEPFAST_PROGRAM"]
ORDER = os.environ["STEPFAST_ORDER"]  # the folder examples/order
NAMESPACE = "http://www.omg.org/spec/BPMN/20100524/MODEL"


def bpmn(body, executable="true", name="p", attributes=""):
    """A file with one process."""
    return (
        f'<definitions xmlns="{NAMESPACE}" xmlns:stepfast="https://stepfast.dev/bpmn"'
        f" {attributes}>\n"
        f'<process id="{name}" isExecutable="{executable}">\n{body}\n</process></definitions>\n'
    )


def chain(*nodes):
    """Nodes, given as (id, xml), joined by flows, between a start and an end event."""
    ids = ["start"] + [node[0] for node in nodes] + ["end"]
    parts = ['<startEvent id="start"/>'] + [node[1] for node in nodes] + ['<endEvent id="end"/>']
    for number, (source, target) in enumerate(zip(ids, ids[1:])):
        parts.append(f'<sequenceFlow id="f{number}" sourceRef="{source}" targetRef="{target}"/>')
    return "\n".join(parts)


class Workspace:
    """A folder of its own, with a store in it."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = self.folder.name
        self.store = "sqlite:" + os.path.join(self.path, "store.db")

    def close(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = os.path.join(self.path, name)
        mode = "wb" if isinstance(text, bytes) else "w"
        with open(path, mode) as file:
            file.write(text)
        return path

    def run(self, *words, store=True, timeout=60, environment=None):
        """The finished process; its store is this workspace's unless the words say otherwise."""
        arguments = [PROGRAM, *words]
        if store and not any(str(word).startswith("--store") for word in words):
            arguments += ["--store", self.store]
        return subprocess.run(
            arguments,
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=self.path,
            env={**os.environ, **(environment or {})},
            check=False,
        )

    def json(self, *words):
        """What a command prints with --json; incidents are no failure here."""
        done = self.run(*words, "--json")
        if done.returncode not in (0, 5):
            raise AssertionError(f"{words}: exit {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)
