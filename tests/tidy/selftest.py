#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each check of tidy.py sees a bad sample and leaves a good one alone."""

import os
import sys
import tempfile
import unittest

from tidy import CHECKS
from tree import Tree, blank_comments_and_literals

SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"
SCRIPT_SPDX = "# SPDX-License-Identifier: Apache-2.0\n"
LAYERS = """base:
value: base
engine: value base
adapters/sqlite:
cli:
<sqlite3.h>: adapters/sqlite
"""
LONG_FUNCTION = "static int f(void)\n{\n" + "    g();\n" * 69 + "}\n"
FITTING_FUNCTION = "static int f(void)\n{\n" + "    g();\n" * 68 + "}\n"
ROW = 'STF_ELEMENT(TASK, "task", "", STF__TRAIT_X | STF__TRAIT_Y, pass, "task")\n'

# check: [(files, what the report must contain; None: no report)]
SAMPLES = {
    "layers": [
        ({"src/value/a.c": '#include "value/a.h"\n#include "base/b.h"\n#include <stepfast/x.h>\n',
          "src/value/a.h": "", "src/base/b.h": "", "include/stepfast/x.h": ""}, None),
        ({"src/base/a.c": '#include "value/a.h"\n', "src/value/a.h": ""},
         "base must not include value/"),
        ({"src/value/a.c": '#include "engine/a.h"\n', "src/engine/a.h": ""},
         "nothing includes engine/"),
        ({"src/value/a.c": '#include "a.h"\n', "src/value/a.h": ""}, "should be written"),
        ({"src/value/a.c": '#include "value/b.h"\n'}, "does not exist"),
        ({"src/value/a.c": "#include <base/b.h>\n", "src/base/b.h": ""}, "is a private header"),
        ({"src/value/a.c": "#include <stepfast/none.h>\n"}, "does not exist"),
        ({"src/unknown/a.c": ""}, "is not a room"),
        ({"src/value/a.c": "#include <sqlite3.h>\n"}, "value must not include <sqlite3.h>"),
        ({"adapters/sqlite/a.c": '#include <sqlite3.h>\n#include "b.h"\n',
          "adapters/sqlite/b.h": ""}, None),
        ({"adapters/sqlite/a.c": '#include "made.inc"\n'}, None),
        ({"adapters/sqlite/a.c": '#include "base/b.h"\n', "src/base/b.h": ""},
         "is not a file of adapters/sqlite/"),
        ({"adapters/sqlite/a.c": '#include "../../src/base/b.h"\n', "src/base/b.h": ""},
         "is not a file of adapters/sqlite/"),
        ({"cli/a.c": "#include <base/b.h>\n", "src/base/b.h": ""}, "is a private header"),
        ({"tests/unit/value/test_a.c": '#include "value/a.c"\n'}, "includes a .c file"),
        ({"include/stepfast/a.h": '#include "b.h"\n'}, "public headers include"),
    ],
    "banned": [
        ({"src/value/a.c": "/* malloc(1) */ p->free(x); a.free(y); void (*free)(void *);\n"
                           'my_free(z); s = "printf(";\n'}, None),
        ({"src/value/a.c": "p = malloc(1);\n"}, "malloc(): allocation"),
        ({"src/base/alloc.c": "p = malloc(1);\n"}, None),
        ({"cli/a.c": "p = malloc(1); printf(x);\n"}, None),
        ({"tests/a.c": "strcpy(a, b);\n"}, "strcpy()"),
        ({"cli/a.c": "n = atoi(a);\n"}, "atoi()"),
        ({"src/engine/a.c": "clock_gettime(CLOCK_REALTIME, &t);\n"}, "time is a port"),
        ({"src/engine/a.c": "printf (x);\n"}, "never prints"),
        ({"adapters/sqlite/a.c": "exit(1);\n"}, "never ends the process"),
        ({"src/value/a.c": "n = rand();\n"}, "randomness"),
        ({"src/value/a.c": "#include <assert.h>\n"}, "<assert.h>"),
        ({"src/base/a.c": "#include <assert.h>\n"}, None),
    ],
    "licence": [
        ({"a.c": SPDX + "/* What. */\n", "a.sh": "#!/bin/sh\n" + SCRIPT_SPDX,
          "CMakeLists.txt": SCRIPT_SPDX}, None),
        ({"a.c": "int x;\n"}, "the first line"),
        ({"a.h": SPDX + "int x;\n"}, "no comment"),
        ({"a.py": "import os\n"}, "the first line"),
        ({"a.sql": "CREATE TABLE t(a);\n"}, "first three lines"),
    ],
    "width": [
        ({"a.c": "x" * 100 + "\n", "a.md": "x" * 200 + "\n"}, None),
        ({"a.c": "x" * 101 + "\n"}, "101 columns"),
        ({"a.c": "/* clang-format off */\n" + "x" * 101 + "\n/* clang-format on */\n"}, None),
        ({"a.c": "/* clang-format off */\n/* clang-format on */\n" + "x" * 101 + "\n"}, "a.c:3"),
    ],
    "blanks": [
        ({"a.c": "x\n", "Makefile": "a:\n\tb\n"}, None),
        ({"a.c": "x \n"}, "trailing blanks"),
        ({"a.c": "\tx\n"}, "a tab"),
        ({"a.c": "x\r\n"}, "carriage return"),
        ({"a.c": "x"}, "no newline"),
        ({"a.c": "x\n\n"}, "blank lines at the end"),
    ],
    "sizes": [
        ({"src/base/a.c": FITTING_FUNCTION, "tests/a.c": LONG_FUNCTION}, None),
        ({"src/base/a.c": LONG_FUNCTION}, "a function of 71 lines"),
        ({"src/base/a.c": "x;\n" * 601}, "601 lines"),
    ],
    "notes": [
        ({"a.c": "/* TO" "DO(#12) soon */\n"}, None),
        ({"a.c": "/* TO" "DO: soon */\n"}, "without an issue"),
        ({"a.md": "FIX" "ME later\n"}, "without an issue"),
    ],
    "places": [
        ({"a.md": "see build/home/x and /etc/passwd\n"}, None),
        ({"a.md": "see /ho" "me/x/y\n"}, "a path of one machine"),
    ],
    "names": [
        ({"include/stepfast/a.h": "typedef struct stf_a stf_a;\nSTF_API int stf_a_do(int x);\n"
                                  "STF_API int\nstf_b_do(int x);\n#define STF_A 1\n",
          "src/base/a.c": "static int helper(int x)\n{\n}\nint stf__a(void)\n{\n}\n"}, None),
        ({"include/stepfast/a.h": "STF_API int stf__a_do(int x);\n"}, "starts with stf_"),
        ({"include/stepfast/a.h": "typedef struct a stf_a_t;\n"}, "reserves names in _t"),
        ({"include/stepfast/a.h": "typedef struct a other;\n"}, "types start with stf_"),
        ({"include/stepfast/a.h": "#define OTHER 1\n"}, "macros start"),
        ({"src/base/a.h": "int helper(int x);\n"}, "starts with stf__"),
        ({"src/base/a.c": "int helper(int x)\n{\n}\n"}, "helper: not static"),
        ({"src/base/a.c": "static int\nhelper(int x)\n{\n}\n"}, None),
    ],
    "readmes": [
        ({"src/base/a.c": "", "src/base/README.md": ""}, None),
        ({"src/base/a.c": ""}, "without README.md"),
        ({"cli/a.c": ""}, "without README.md"),
    ],
    "mirror": [
        ({"src/base/a.c": "", "tests/unit/base/test_a.c": "", "tools/untested.txt": ""}, None),
        ({"src/core/element/a.c": "", "tests/unit/core/element/test_a.c": "",
          "adapters/sqlite/b.c": "", "tests/unit/sqlite/test_b.c": "",
          "cli/c.c": "", "tests/unit/cli/test_c.c": "", "tools/untested.txt": ""}, None),
        ({"src/base/a.c": "", "tools/untested.txt": ""}, "no tests/unit/base/test_a.c"),
        ({"src/base/a.c": "", "tools/untested.txt": "src/base/* tables only\n"}, None),
        ({"src/base/a.c": "", "tools/untested.txt": "src/base/a.c\n"}, "no reason"),
        ({"tools/untested.txt": "src/base/gone.c it was hard\n"}, "excuses no untested file"),
    ],
    "elements": [
        ({"src/model/element.def": "/* x\n y */\n" + ROW, "src/model/feature.def": "",
          "src/core/element/pass.c": ""}, None),
        ({"src/model/element.def": ROW, "src/model/feature.def": ""}, "pass.c does not exist"),
        ({"src/model/element.def": ROW + ROW, "src/model/feature.def": "",
          "src/core/element/pass.c": ""}, "is there since line 1"),
        ({"src/model/element.def": "STF_ELEMENT(TASK)\n", "src/model/feature.def": ""},
         "does not parse"),
        ({"src/model/element.def": "", "src/model/feature.def": "STF_FEATURE(A)\n"},
         "does not parse"),
    ],
    "links": [
        ({"a.md": "# The one\n[x](b.md) [y](b.md#two-words) [z](#the-one) [w](https://x.org/y)\n"
                  "```\n[x](none.md)\n```\n`[x](none.md)`\n",
          "b.md": "## Two words\n"}, None),
        ({"docs/a.md": "[x](b.md)\n"}, "b.md does not exist"),
        ({"docs/a.md": "![x](b.png)\n"}, "b.png does not exist"),
        ({"src/a.c": "/* see docs/b.md and README.md */\n", "docs/b.md": "", "src/README.md": ""},
         None),
        ({"src/a.c": "/* see docs/b.md */\n"}, "docs/b.md does not exist"),
        ({"a.md": "[x](b.md#three)\n", "b.md": "# Two\n"}, "no heading #three"),
    ],
    "rules": [
        ({"docs/rules.md": "- **R1. One.**\n- **R22. Two.**\n",
          "docs/durability.md": "| R1 | why | `wake`: `r1_a` |\n"
                                "| R22 | why | `r22_b`, `a_test_without_number`, `x.y-z`, `x.y` |\n"
                                "`stepfast test`, `stf_work_key`\n",
          "tests/test_a.c": "STF_TEST(r1_a)\nSTF_TEST(\n    a_test_without_number)\n",
          "tests/b.py": "    def test_r22_b(self):\n", "conformance/x.c": '{"x.y-z", 0}\n'}, None),
        ({"README.md": "see `r1_a`\n", "docs/rules.md": "", "docs/durability.md": ""},
         "there is no test r1_a"),
        ({"docs/rules.md": "", "docs/durability.md": "see `a_test_without_number`\n"},
         "there is no test a_test_without_number"),
        ({"docs/rules.md": "", "docs/durability.md": "see `x.y-z`\n"}, "there is no test x.y-z"),
        ({"docs/rules.md": "- **R1. One.**\n", "docs/durability.md": "| R1 | why | `r11_a` |\n",
          "tests/test_a.c": "STF_TEST(r11_a)\n"}, "names no test that begins with r1_"),
        ({"docs/rules.md": "- **R1. One.**\n", "docs/durability.md": ""}, "names no test"),
        ({"docs/rules.md": "", "docs/durability.md": "| R1 | why | `r1_a` |\n",
          "tests/test_a.c": "STF_TEST(r1_a)\n"}, "R1 is no rule"),
    ],
}


class SelfTest(unittest.TestCase):
    def test_every_check_has_a_bad_and_a_good_sample(self):
        for name in CHECKS:
            wanted = [expected for _, expected in SAMPLES[name]]
            self.assertIn(None, wanted, name)
            self.assertTrue(any(wanted), name)

    def test_samples(self):
        for name, samples in SAMPLES.items():
            for files, expected in samples:
                with self.subTest(check=name, files=sorted(files), expected=expected):
                    self.run_sample(name, files, expected)

    def run_sample(self, name, files, expected):
        with tempfile.TemporaryDirectory() as root:
            for path, text in {"tools/layers.txt": LAYERS, **files}.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8", newline="") as file:
                    file.write(text)
            problems = [f"{path}:{line}: {problem}"
                        for path, line, problem in CHECKS[name](Tree(root))]
        if expected is None:
            self.assertEqual(problems, [])
        else:
            self.assertTrue(any(expected in problem for problem in problems), problems)

    def test_blanking_keeps_lines_and_columns(self):
        source = 'a = "x//y"; /* b\nc */ d; // e\nf = \'"\';\n'
        blanked = blank_comments_and_literals(source)
        self.assertEqual([len(line) for line in blanked.split("\n")],
                         [len(line) for line in source.split("\n")])
        self.assertNotIn("x", blanked)
        self.assertNotIn("c", blanked.split("\n")[1][:3])
        self.assertIn("d;", blanked)
        self.assertNotIn("e", blanked)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
