# Everyday commands. Meson and Ninja do the work; the first call installs what is missing.
#
#   make          build the program and the library into build/
#   make run      a server with four bots that fight, shown live
#   make test     build and run all tests; the last line is "N passed, N failed"
#   make help     the rest

CC      ?= gcc
PREFIX  ?= /usr/local
DESTDIR ?=

.PHONY: all everything run sample test test-cross test-threads sim honest bench bench-decode bench-floor bench-delivery bench-swarm bench-check bench-beside jumps fuzz coverage mutants check format reference install deb test-packages clean help
.DEFAULT_GOAL := all

build/build.ninja: meson.build meson_options.txt
	@tools/setup build
	@echo "configuring build/"
	@if [ -f $@ ]; then meson setup --reconfigure build; else CC=$(CC) meson setup build --prefix=$(PREFIX); fi >build-setup.log 2>&1 \
	  || { cat build-setup.log; rm -f build-setup.log; exit 1; }
	@rm -f build-setup.log
	@touch $@

all: build/build.ninja
	@tools/build build "program and library" product

everything: build/build.ninja
	@tools/build build "everything" all

run: all  ## a server on port 22101 with four bots that fight, shown live until Ctrl-C
	@tools/run-demo build/apps/starbase

sample: all  ## show the sample traffic that is shipped in samples/
	@tools/show-sample build/apps/starbase

test:  ## unit tests (gcc; clang with sanitizers), fuzz harnesses, programs, layers
	@tools/setup build test
	@tools/run-tests

test-cross:  ## the core on i386 and on big-endian s390x; the simulation by two compilers at two levels
	@tools/setup build test cross
	@tools/run-cross-tests

test-threads:  ## the program and its tests under ThreadSanitizer
	@tools/setup build test
	@tools/run-thread-tests

sim: everything  ## SEEDS simulated networks of hosts and clients (default 1000), invariants after every step
	@build/sim/starbase-sim --seeds $${SEEDS:-1000} --first $${FIRST:-1}

honest: everything  ## HOURS of honest play on bad links (default 10), in short matches and in one: nobody may be suspected of cheating
	@build/sim/starbase-match-sim --once --enforce --players 8 --time 600 --seeds $$(($${HOURS:-10} * 6)) --first $${FIRST:-1}
	@build/sim/starbase-match-sim --once --enforce --extreme-clocks --players 2 --time $$(($${HOURS:-10} * 3600)) --seeds 1 --first $${FIRST:-1}

jumps: everything  ## how far health blocks move what a stock client has computed; HOST=COMMIT: with that commit's host
	@tools/jumps $(HOST)

bench: everything  ## ns and instructions per operation beside a floor of the same run
	@tools/setup bench
	@tools/bench build/bench/*_bench

bench-decode: all  ## CPU time of decode --json beside --stats of the same capture of 100 MB
	@tools/bench-decode

bench-swarm: everything  ## a running server with 8 to 2,000 players, and one match during a flood
	@tools/bench-swarm

bench-floor: everything  ## processor time per player beside what the kernel alone needs (PLAYERS=1000)
	@tools/bench-floor --players $${PLAYERS:-1000}

bench-check: all  ## state and chat latency beside a raw echo: fails if they grew by more than 1.5 (tools/bench-check)
	@tools/bench-check

bench-beside: all  ## whether a match notices store, metrics and control socket: alternating pairs
	@tools/bench-beside

bench-delivery: everything  ## how long messages take on bad paths, simulated, and beside ENet over real sockets
	@tools/setup bench
	@[ -f build/bench/enet-compare ] || { meson setup --reconfigure build >/dev/null && tools/build build "everything" all; }
	@tools/bench-delivery

fuzz:  ## FUZZ_RUNS executions of every harness (default 5000000)
	@tools/setup build test
	@tools/run-fuzz $${FUZZ_RUNS:-5000000}

mutants:  ## mutants of the core that tests must kill; FOLDER=, SEED=, COUNT= (150), MUTANTS_SECONDS= (docs/mutants.md)
	@tools/setup build test
	@tools/mutants $(if $(FOLDER),--folder $(FOLDER)) --seed $(or $(SEED),1) --count $(or $(COUNT),150) --seconds $(or $(MUTANTS_SECONDS),0)

coverage:  ## which lines of the core the inputs in fuzz/corpus reach; those they do not, with reasons
	@tools/setup build test coverage
	@tools/coverage

check:  ## format, clang-tidy, cppcheck, layers; the core under MemorySanitizer
	@tools/setup build test check
	@tools/check

format:  ## rewrite all C files by .clang-format
	@tools/setup check
	@git ls-files '*.c' '*.h' | xargs clang-format -i

reference: all  ## renew the generated pages: docs/messages.md, metrics.md, admin.md, examples/server.lua, the layers in ARCHITECTURE.md
	@build/apps/starbase messages --markdown >docs/messages.md
	@build/apps/starbase serve --example >examples/server.lua
	@build/apps/starbase serve --metrics >docs/metrics.md
	@build/apps/starbase ctl --markdown >docs/admin.md
	@tools/check-layers --write >/dev/null
	@tools/list-symbols --map

install: all  ## program, library, headers, manual pages, completion, systemd units below PREFIX
	@meson configure build --prefix=$(PREFIX)
	@tools/build build "program and library" product
	@DESTDIR=$(DESTDIR) meson install -C build --quiet --no-rebuild

deb:  ## Debian packages of this tree, in build-deb/
	@tools/setup build deb
	@tools/make-deb

test-packages:  ## builds, checks, installs, runs, upgrades and purges the packages in a root of their own (as root)
	@tools/setup build package
	@tools/test-packages

clean:
	@rm -rf build build-*

help:
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14
