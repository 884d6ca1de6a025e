# SPDX-License-Identifier: Apache-2.0
# The two commands of the README, "make demo" and "make check", need make, git and a Debian 12
# machine; each installs what is missing (tools/setup.sh). Everything is built under build/.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

.PHONY: help demo check check-long build test format coverage fuzz install abi-update clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | sort | expand -t 14

demo: release ## set up, build, run the order process, kill it, resume it
	examples/order/demo.sh build/release/cli/stepfast

check: ## set up, build, run every test (what .ci/run does)
	@tools/check.sh

check-long: ## the same with long simulations, kill tests and ten minutes of each fuzz target
	@STF_LONG=1 tools/check.sh
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=600

build: ## set up, build libraries, program and tests (gcc, with failpoints)
	@tools/setup.sh check
	@tools/build.sh gcc

test: build ## build, then run the tests of the gcc build
	@tools/ctest.sh build/gcc

release: ## set up, build what is installed
	@tools/setup.sh build
	@tools/build.sh release
.PHONY: release

format: ## run clang-format over the sources
	@tools/sources.sh | xargs clang-format -i

coverage: ## coverage of all lines, build/coverage/coverage.txt
	@tools/setup.sh check
	@tools/coverage.sh

fuzz: ## run each fuzz target for FUZZ_SECONDS (60)
	@tools/setup.sh check
	@tools/build.sh fuzz fuzz_targets
	@tools/fuzz.sh $(FUZZ_SECONDS)

install: release ## install under PREFIX (/usr/local), honours DESTDIR
	cmake --install build/release --prefix $(PREFIX)

abi-update: build ## rewrite the checked-in lists of exported symbols
	python3 tests/abi/symbols.py --update build/gcc

clean: ## remove build/
	rm -rf build
