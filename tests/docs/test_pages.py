#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the pages of users show is so: commands are run against an installed build and their output
is compared, C is compiled against the installed headers, names of options, commands, functions and
make targets exist. Usage: test_pages.py TREE CC"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import pages

TREE, CC = "", ""
# The pages whose sessions are run, each in a folder of its own with a copy of examples/.
GUIDES = ["README.md", "docs/embedding.md", "docs/handlers.md", "docs/operating.md",
          "docs/scenarios.md", "examples/README.md"]
PAGE_SECONDS = 60

# What the parts of programs on the pages may use without a declaration of their own.
PRELUDE = """
#include <poll.h>
#include <string.h>
#include <stepfast/sqlite.h>
#include <stepfast/stepfast.h>
"""
PARAMETERS = ("stf_engine *engine, stf_repository *repository, stf_definition_store *definitions, "
              "const stf_clock *clock, stf_ctx ctx, stf_bytes file, stf_start start, "
              "stf_handler handler, stf_message message, stf_buf id, stf_value *variables, "
              "stf_error error")
# What a page leaves to its reader to write.
LEFT_OUT = {
    "docs/repository-contract.md": """
#include <stepfast/conformance.h>
typedef struct my_store my_store;
stf_status my_store_new(const char *where, my_store **ret_store, stf_error *error);
stf_status my_save(void *impl, const stf_ctx *ctx, const stf_save *save,
                   stf_save_result *ret_result, stf_error *error);
const void *my_extension(void *impl, const char *id);
void my_close(void *impl);
static int my_suite;
stf_status my_fresh(void *user, const stf_clock *clock, stf_repository **ret_repository,
                    stf_error *error);
stf_status my_second_handle(void *user, const stf_clock *clock, stf_repository **ret_repository,
                            stf_error *error);
stf_status my_reopen(void *user, const stf_clock *clock, stf_repository **ret_repository,
                     stf_error *error);
stf_status my_definitions(void *user, const stf_clock *clock, stf_definition_store **ret_store,
                          stf_error *error);
void my_destroy(void *user);
""",
}
WARNINGS = ["-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror",
            "-Wno-unused-parameter", "-Wno-unused-function", "-Wno-unused-variable",
            "-Wno-unused-but-set-variable", "-Wno-missing-field-initializers"]


def install(prefix):
    subprocess.run(["cmake", "--install", TREE, "--prefix", prefix], check=True,
                   stdout=subprocess.DEVNULL)
    for path, _, names in os.walk(prefix):
        if "libstepfast.so" in names:
            return path
    raise AssertionError("no libstepfast.so was installed")


class Session:
    """The commands of one page, typed into one shell; what each printed, and how it ended."""

    def __init__(self, folder, environment):
        self.folder = folder
        self.environment = environment

    def script(self, commands):
        lines = ["last=0"]
        for number, command in enumerate(commands):
            # Braces, not a sub-shell: cd, export and background jobs stay.
            lines += [f'(exit $last)\n{{ {command.text}\n}} >"$OUT/out.{number}" 2>&1 </dev/null',
                      f'last=$?; echo $last >"$OUT/rc.{number}"']
        lines.append("jobs -p | xargs -r kill -TERM; wait")
        return "\n".join(lines) + "\n"

    def run(self, commands):
        out = os.path.join(self.folder, ".printed")
        os.mkdir(out)
        subprocess.run(["bash", "-c", self.script(commands)], cwd=self.folder, check=False,
                       env={**self.environment, "OUT": out}, timeout=PAGE_SECONDS)
        ends = []
        for number in range(len(commands)):
            with open(os.path.join(out, f"out.{number}"), encoding="utf-8") as file:
                printed = file.read()
            with open(os.path.join(out, f"rc.{number}"), encoding="utf-8") as file:
                ends.append((int(file.read()), printed))
        return ends


def judge(page, commands, ends):
    """A list of complaints."""
    found = []
    for number, (command, (code, printed)) in enumerate(zip(commands, ends)):
        asked = number + 1 < len(commands) and commands[number + 1].text == "echo $?"
        if code != 0 and not asked:
            found.append(f"{page}:{command.line}: exit code {code}: {command.text}\n{printed}")
        elif command.shown and not pages.matches(command.shown, printed):
            shown = "\n".join(command.shown)
            found.append(f"{page}:{command.line}: {command.text}\nshown:\n{shown}\n"
                         f"printed:\n{printed}")
    return found


class Sessions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        prefix = os.path.join(cls.scratch.name, "installed")
        lib = install(prefix)
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith("STEPFAST_")}
        cls.environment = {
            **clean, "PATH": os.path.join(prefix, "bin") + ":" + os.environ["PATH"],
            "LD_LIBRARY_PATH": lib, "PKG_CONFIG_PATH": os.path.join(lib, "pkgconfig"),
            "TZ": "UTC", "LC_ALL": "C.UTF-8"}
        cls.include = os.path.join(prefix, "include")

    def play(self, name, text):
        folder = os.path.join(self.scratch.name, re.sub(r"\W", "_", name))
        os.mkdir(folder)
        shutil.copytree(os.path.join(pages.ROOT, "examples"), os.path.join(folder, "examples"))
        commands = [command for block in pages.blocks(text) if block.kind == "console"
                    for command in pages.commands(block)]
        return len(commands), judge(name, commands,
                                    Session(folder, self.environment).run(commands))

    def test_what_the_guides_show_is_what_happens(self):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            played = list(pool.map(lambda page: self.play(page, pages.read(page)), GUIDES))
        self.assertEqual("\n\n".join(line for _, found in played for line in found), "")
        for page, (count, _) in zip(GUIDES, played):
            self.assertGreater(count, 0, f"{page} shows no session")

    def test_a_wrong_page_is_noticed(self):
        cases = {
            "wrong output": "$ echo a\nb",
            "more output than is shown": "$ printf 'a\\nb\\n'\na",
            "less output than is shown": "$ echo a\na\nb",
            "an exit code that nobody asks for": "$ false",
            "an exit code that is another": "$ false\n$ echo $?\n2",
            "a command that does not exist": "$ stepfast no-such-command",
        }
        for name, session in cases.items():
            _, found = self.play(name, f"```console\n{session}\n```\n")
            self.assertNotEqual(found, [], name)
        _, found = self.play("right", "```console\n$ cd examples\n$ export A=1\n$ echo $A-b-c && "
                             "> ls order\n1...c\n...\norder.bpmn\n...\n$ false\n$ echo $?\n1\n```\n"
                             .replace("&& >", "&&\n>"))
        self.assertEqual(found, [])

    def test_every_key_of_a_view_is_on_its_page(self):
        folder = os.path.join(self.scratch.name, "views")
        shutil.copytree(os.path.join(pages.ROOT, "examples"), os.path.join(folder, "examples"))
        parcel = "examples/parcel/parcel.bpmn"
        shop = '--vars \'{"order": "A1", "weight": 2}\' --process shop'
        commands = [pages.Command(text, 0) for text in (
            "export STEPFAST_STORE=sqlite:store.db",
            f"stepfast run {parcel} {shop} --instance-id a --json",
            "stepfast run examples/order/order.bpmn --instance-id b --json --handler '*=exit 11'",
            f"stepfast run {parcel} --process van --json",
            "stepfast ps --json", "stepfast task list --json", "stepfast job list --json",
            "stepfast incident list --json", "stepfast facts a --json")]
        ends = Session(folder, self.environment).run(commands)
        page = pages.read("docs/instance-view.md")
        known = {word for words in re.findall(r"`([^`]+)`", page)
                 for word in re.findall(r"\w+", words)}
        for command, (code, printed) in list(zip(commands, ends))[1:]:
            self.assertIn(code, (0, 5), f"{command.text}\n{printed}")
            keys = set(re.findall(r'^ {2,6}"(\w+)":', printed, re.MULTILINE))
            self.assertEqual(keys - known - {"order", "weight"}, set(), command.text)
            self.assertTrue(keys or printed == "[]\n", f"{command.text}\n{printed}")

    def compile(self, text):
        path = os.path.join(self.scratch.name, "snippet.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return subprocess.run([CC, *WARNINGS, "-fsyntax-only", "-I", self.include, path],
                              capture_output=True, text=True, check=False)

    def test_c_on_the_pages_compiles(self):
        count = 0
        for page in pages.pages():
            text = PRELUDE + LEFT_OUT.get(page, "")
            for block in pages.blocks(pages.read(page)):
                if block.kind != "c":
                    continue
                count += 1
                # A body of a function opens in the first column; anything else is a part of one.
                begin, end = "", ""
                if "{" not in block.lines:
                    begin = f"static void part_{block.line}({PARAMETERS})\n{{\n"
                    end = "}\n"
                text += f"{begin}#line {block.line} \"{page}\"\n{block.text()}{end}"
            done = self.compile(text)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(count, 3)
        self.assertNotEqual(self.compile(PRELUDE + "int x = stf_no_such_function();").returncode, 0)


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.texts = {page: pages.read(page) for page in pages.pages()
                     if not page.startswith("docs/adr/")}

    def code(self):
        for page, text in self.texts.items():
            for words in pages.words_in_code(text):
                yield page, words

    def test_commands_are_in_sessions(self):
        for page, text in self.texts.items():
            for block in pages.blocks(text):
                is_run = block.kind == "console" and page in GUIDES
                for number, line in enumerate(block.lines, block.line):
                    typed = line.removeprefix("$ ").split()
                    self.assertFalse(typed[:1] == ["stepfast"] and not is_run,
                                     f"{page}:{number}: a command that no test runs")

    def test_options_and_commands_exist(self):
        options = set(re.findall(r'^CLI_OPTION\(\w+, "([a-z-]+)"', pages.read("cli/options.def"),
                                 re.MULTILINE)) | {"help", "version"}
        table = pages.read("cli/command.c")
        for page, words in self.code():
            if not re.match(r"(\$ )?(stepfast |--)", words):
                continue
            for option in re.findall(r"(?<![\w-])--([a-z][a-z-]*)", words):
                self.assertIn(option, options, f"{page}: {words}")
            command = re.match(r"(?:\$ )?stepfast ([a-z]+)", words)
            if command:
                self.assertRegex(table, rf'"{command.group(1)}["\s]', f"{page}: {words}")

    def test_functions_types_and_constants_exist(self):
        headers = ""
        for folder, _, names in os.walk(os.path.join(pages.ROOT, "include")):
            for name in names:
                headers += pages.read(os.path.join(folder, name))
        known = set(re.findall(r"\b(?:stf|STF)_\w+", headers))
        # The names that the headers make by a list.
        known |= {"STF_FACT_" + name for name in re.findall(r"\bX\((\w+),", headers)}
        known |= {"STF_" + name for name in re.findall(r"\bX\((\w+),", headers)}
        known |= {"STF_LONG", "STF_FAILPOINTS", "STF_BASE"}  # of tests and builds
        for page, words in self.code():
            if page.startswith("docs/") or page == "README.md":
                for name in re.findall(r"\b(?:stf|STF)_[a-zA-Z]\w*", words):
                    self.assertTrue(name in known, f"{page}: there is no {name}: {words}")

    def test_every_rule_of_the_loader_is_on_its_page(self):
        page = pages.read("docs/bpmn-support.md")
        known = set(re.findall(r"`([a-z-]+\.[a-z*-]+)`", page))
        rules = set()
        folder = os.path.join(pages.ROOT, "src", "bpmn")
        for name in os.listdir(folder):
            if name.endswith((".c", ".h", ".def")):
                text = pages.read(os.path.join(folder, name))
                rules |= set(re.findall(r'"([a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*)"', text))
        self.assertGreater(len(rules), 50)
        for rule in sorted(rules):
            self.assertTrue(rule in known or rule.split(".")[0] + ".*" in known, rule)
        for rule in sorted(known):
            if not rule.endswith((".*", ".md", ".def")):
                self.assertTrue(rule in rules, f"{rule}: the loader says no such thing")

    def test_make_targets_exist(self):
        targets = set(re.findall(r"^([a-z-]+):", pages.read("Makefile"), re.MULTILINE))
        for page, words in self.code():
            for target in re.findall(r"(?:^|\$ )make ([a-z-]+)", words):
                self.assertIn(target, targets, f"{page}: {words}")


if __name__ == "__main__":
    CC = sys.argv.pop()
    TREE = os.path.abspath(sys.argv.pop())
    unittest.main()
