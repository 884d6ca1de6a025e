#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The C and C++ files of the project, one a line. The tables (*.def) are laid out by hand.
cd "$(dirname "$0")/.." || exit 1
git ls-files --cached --others --exclude-standard -- '*.c' '*.h' '*.cpp' | sort
