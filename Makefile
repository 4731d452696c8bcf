# Volbench. `make help` lists what there is to make.
#
# One set of rules serves every build: BUILD names the folder, SANITIZE the sanitizers, CC the
# compiler. `make SANITIZE=address,undefined BUILD=build/asan` is a whole build of its own.

BUILD    ?= build
PREFIX   ?= /usr/local
DESTDIR  ?=
SANITIZE ?=
PYTHON   ?= /usr/bin/python3
VERSION  := 0.1.0
JOBS     := $(shell nproc)

# What a fresh Debian 12 needs: to build and run, to test, to lint.
PACKAGES_BUILD := gcc make pkg-config libc6-dev libmicrohttpd-dev libjansson-dev liburing-dev \
	libgsl-dev libblkid-dev libexpat1-dev libseccomp-dev gnuplot-nox
PACKAGES_TEST  := libcmocka-dev python3 python3-pytest python3-jsonschema python3-yaml fio jq curl \
	strace e2fsprogs util-linux libxml2-utils systemd valgrind
PACKAGES_LINT  := clang clang-format cppcheck

URING     := $(shell pkg-config --modversion liburing 2>/dev/null)
LIBRARIES := libmicrohttpd jansson liburing gsl blkid expat libseccomp
LIBRARY_CFLAGS := $(shell pkg-config --cflags $(LIBRARIES) 2>/dev/null)
LIBRARY_LIBS   := $(shell pkg-config --libs $(LIBRARIES) 2>/dev/null)
CFLAGS    ?= -O2 -g
WARNINGS  := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef \
	-Wwrite-strings -Wvla -Wformat=2 -Wimplicit-fallthrough -Wcast-align -Wpointer-arith
ifneq ($(WERROR),)
WARNINGS  += -Werror
endif
HARDENING := -fstack-protector-strong -fPIE $(if $(SANITIZE),,-D_FORTIFY_SOURCE=2)
ALL_CFLAGS = -std=c17 -D_GNU_SOURCE -DVOLBENCH_VERSION='"$(VERSION)"' -DLIBURING_VERSION='"$(URING)"' -I. -pthread $(WARNINGS) \
	$(HARDENING) $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=undefined) \
	$(LIBRARY_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = -pthread -pie -Wl,-z,relro,-z,now $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(LDFLAGS)
LDLIBS     = $(LIBRARY_LIBS) -lm

SOURCES  := $(wildcard engine/*/*/*.c engine/*/*.c engine/*.c server/codec/*.c server/import/*.c server/*.c web/*.c api/*.c)
OBJECTS  := $(SOURCES:%.c=$(BUILD)/%.o)
EMBEDDED := $(wildcard api/definitions/*.json api/studies/*.json web/static/*) openapi.yaml
ARCHIVE  := $(BUILD)/libvolbench.a
PROGRAM  := $(BUILD)/volbench

UNIT_SOURCES := $(wildcard tests/unit/*/*.c tests/unit/*/*/*.c tests/unit/*/*/*/*.c tests/unit/*.c)
UNIT_TESTS   := $(UNIT_SOURCES:%.c=$(BUILD)/%)
TOOL_SOURCES := $(wildcard tests/tools/*.c)
TOOLS        := $(TOOL_SOURCES:%.c=$(BUILD)/%)

.PHONY: all
all: $(PROGRAM) ## build build/volbench

$(PROGRAM): $(BUILD)/server/main.o $(ARCHIVE)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

$(ARCHIVE): $(filter-out $(BUILD)/server/main.o,$(OBJECTS)) $(BUILD)/embedded.o
	rm -f $@
	$(AR) qcs $@ $^ # q: members of one base name are kept apart

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# The files of EMBEDDED as one table of (path, data, end): see engine/base/embedded.h.
$(BUILD)/embedded.S: $(EMBEDDED) Makefile
	@mkdir -p $(@D)
	@{ echo '.section .rodata'; n=0; for f in $(EMBEDDED); do \
		echo "data$$n: .incbin \"$$f\""; echo "end$$n: .byte 0"; \
		echo "path$$n: .asciz \"$$f\""; n=$$((n + 1)); done; \
	  echo '.section .data.rel.ro,"aw"'; echo '.balign 8'; echo '.globl embedded_files'; \
	  echo 'embedded_files:'; i=0; while [ $$i -lt $$n ]; do \
		echo ".quad path$$i, data$$i, end$$i"; i=$$((i + 1)); done; \
	  echo '.section .rodata'; echo '.balign 8'; echo '.globl embedded_file_count'; \
	  echo 'embedded_file_count:'; echo ".quad $$n"; \
	  echo '.section .note.GNU-stack,"",@progbits'; } > $@

$(BUILD)/embedded.o: $(BUILD)/embedded.S
	$(CC) -c -o $@ $<

# ---- tests ----

# A unit test links the real objects. Its own linker flags, e.g. --wrap for failing system calls,
# stand in a comment line of the test: `link: -Wl,--wrap=fsync`.
$(BUILD)/tests/unit/%: tests/unit/%.c $(ARCHIVE) Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(ALL_LDFLAGS) $$(sed -n 's/^ \* link: //p' $<) -o $@ $< $(ARCHIVE) \
		-lcmocka $(LDLIBS)

# What the end-to-end tests run beside the program; linked with the library where they need it.
$(BUILD)/tests/tools/%: tests/tools/%.c $(ARCHIVE) Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(ALL_LDFLAGS) -o $@ $(filter %.c %.o,$^) $(ARCHIVE) $(LDLIBS)

# The program itself, but for one function.
$(BUILD)/tests/tools/operations: $(BUILD)/server/main.o
$(BUILD)/tests/tools/operations: ALL_LDFLAGS += -Wl,--wrap=null_open

# Makes its result as the unit tests do, whose assertions it takes along.
$(BUILD)/tests/tools/write_report: LDLIBS += -lcmocka

.PHONY: tools
tools: $(TOOLS) ## build what the end-to-end tests run beside the program

# As many at a time as there are CPUs; each one's output in one piece, those that failed once more
# at the end.
.PHONY: unit
unit: $(UNIT_TESTS) $(PROGRAM) ## run the unit tests
	@rm -f $(BUILD)/unit-failed; printf '%s\n' $(UNIT_TESTS) | VOLBENCH=$(abspath $(PROGRAM)) xargs -P $(JOBS) -I{} sh -c \
		'{} > {}.log 2>&1; status=$$?; echo "== {}"; cat {}.log; \
		[ $$status = 0 ] || { echo "{}: $$status" | tee -a $(BUILD)/unit-failed; exit 1; }'; \
	status=$$?; [ ! -e $(BUILD)/unit-failed ] || sed 's/^/unit test failed: /' $(BUILD)/unit-failed; \
	exit $$status

E2E = $(PYTHON) -m pytest -q -rs -p no:cacheprovider tests/e2e $(PYTEST_ARGS)
# Those that wait for minutes, and need little of the machine meanwhile, beside the others. Which ones
# failed, of both, stands at the end (tests/e2e/conftest.py notes them).
.PHONY: e2e
e2e: $(PROGRAM) $(TOOLS) ## run the end-to-end tests against the built program
	@export VOLBENCH=$(abspath $(PROGRAM)) SANITIZED=$(SANITIZE) E2E_FAILED=$(abspath $(BUILD))/e2e-failed; \
	rm -f $$E2E_FAILED; \
	$(E2E) -m patient > $(BUILD)/e2e-patient.log 2>&1 & patient=$$!; \
	trap 'kill $$patient' INT TERM; \
	$(E2E) -m 'not patient'; others=$$?; \
	wait $$patient; patient=$$?; cat $(BUILD)/e2e-patient.log; \
	[ ! -e $$E2E_FAILED ] || sed 's/^/end-to-end test failed: /' $$E2E_FAILED; \
	case $$others-$$patient in 0-0|0-5|5-0) ;; \
	*) echo "e2e of $(BUILD): pytest ended with $$others, of the patient tests with $$patient"; exit 1; \
	esac # 5: none was selected

.PHONY: gate
gate: $(PROGRAM) ## hold the instructions an operation costs (callgrind; half a minute)
	VOLBENCH=$(abspath $(PROGRAM)) $(PYTHON) -m pytest -q -s -p no:cacheprovider tests/bench/test_instructions.py

# Real OpenZFS: this machine's, where it is loaded and we are root; else that of a small virtual
# machine, which is made of Debian packages the first time (tests/zfs/build-image).
ZFS_HERE := $(shell [ -d /sys/module/zfs ] && [ "$$(id -u)" = 0 ] && [ "$${VOLBENCH_ZFS_MACHINE:-local}" = local ] && echo yes)
.PHONY: zfs-image check-zfs
zfs-image: ## make the virtual machine with OpenZFS that check-zfs needs (14 minutes the first time)
	tests/zfs/build-image

check-zfs: ## the tests on real OpenZFS, plain build
ifneq ($(NO_ZFS),)
	@echo "check-zfs: no test on OpenZFS ran: NO_ZFS=$(NO_ZFS) was asked for"
else
	$(MAKE) -j$(JOBS) all $(BUILD)/tests/tools/zfs_calls WERROR=1
	$(if $(ZFS_HERE),,$(MAKE) zfs-image)
	@began=$$(date +%s); VOLBENCH=$(abspath $(PROGRAM)) \
	$(PYTHON) -m pytest -q -rs -p no:cacheprovider tests/zfs $(PYTEST_ARGS); status=$$?; \
	echo "check-zfs: the tests took $$(($$(date +%s) - began)) s"; exit $$status
endif

# Sanitizers stop the process at the first report, which its test then sees.
SANITIZER_OPTIONS := ASAN_OPTIONS=abort_on_error=0:exitcode=99:detect_leaks=1 \
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	TSAN_OPTIONS=halt_on_error=1:exitcode=99:suppressions=$(CURDIR)/tests/tsan.supp

AS_ASAN := WERROR=1 BUILD=$(BUILD)/asan SANITIZE=address,undefined CFLAGS='-O1 -g'
AS_TSAN := WERROR=1 BUILD=$(BUILD)/tsan SANITIZE=thread CFLAGS='-O1 -g'

.PHONY: build-tests
build-tests: $(UNIT_TESTS) $(TOOLS) $(PROGRAM)

.PHONY: check-plain check-asan check-tsan check
check-plain:
	$(MAKE) -j$(JOBS) build-tests WERROR=1
	$(MAKE) -j1 unit e2e gate WERROR=1

check-asan: ## unit and end-to-end tests with AddressSanitizer and UBSan
	$(MAKE) -j$(JOBS) build-tests $(AS_ASAN)
	$(SANITIZER_OPTIONS) $(MAKE) -j1 unit e2e $(AS_ASAN)

check-tsan: ## unit and end-to-end tests with ThreadSanitizer
	$(MAKE) -j$(JOBS) build-tests $(AS_TSAN)
	$(SANITIZER_OPTIONS) $(MAKE) -j1 unit e2e $(AS_TSAN)

check: ## all tests: plain, on OpenZFS (NO_ZFS=1: not those), with the sanitizers (under an hour)
	$(MAKE) check-plain
	$(MAKE) check-zfs
	$(MAKE) check-asan
	$(MAKE) check-tsan

.PHONY: test
test: ## install what is missing, build, lint, check (the first time 14 minutes more, for zfs-image)
	$(MAKE) deps PACKAGES='$(PACKAGES_BUILD) $(PACKAGES_TEST) $(PACKAGES_LINT)'
	$(MAKE) lint
	$(MAKE) check

# ---- other things to make ----

# Asks for a package only where it is missing, so that a machine that has all needs no network.
PACKAGES ?= $(PACKAGES_BUILD)
.PHONY: deps
deps: ## install the Debian packages that are missing (needs root or sudo)
	@missing=; for p in $(PACKAGES); do \
		dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; \
	done; [ -z "$$missing" ] && exit 0; \
	echo "installing:$$missing"; \
	root=; [ "$$(id -u)" = 0 ] || root=sudo; \
	$$root apt-get update && \
	$$root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $$missing

DEMO := $(BUILD)/demo
.PHONY: demo
demo: ## install what is missing, build, compare request sizes on scratch files, show the report
	$(MAKE) deps PACKAGES='$(PACKAGES_BUILD)'
	$(MAKE) -j$(JOBS) all
	@mkdir -p $(DEMO)/scratch
	$(PROGRAM) run demo --state $(DEMO)/state --allow $(abspath $(DEMO))/scratch \
		--target directory:$(abspath $(DEMO))/scratch --json $(DEMO)/result.json --html $(DEMO)/report
	@echo "The report: file://$(abspath $(DEMO))/report/index.html"

FORMATTED := $(SOURCES) $(UNIT_SOURCES) $(wildcard */*.h */*/*.h */*/*/*.h tests/*/*.c tests/unit/*.h)
.PHONY: format lint
format: ## lay the C sources out as .clang-format says
	clang-format -i $(sort $(FORMATTED))

lint: ## layout, layers, both compilers' warnings, cppcheck
	clang-format --dry-run -Werror $(sort $(FORMATTED))
	$(PYTHON) tests/lint/layers.py
	$(PYTHON) -m pytest -q -p no:cacheprovider tests/lint
	$(MAKE) -j$(JOBS) all WERROR=1 CC=clang BUILD=$(BUILD)/clang
	cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr --suppressions-list=tests/lint/cppcheck.txt \
		--enable=warning,performance,portability -j 2 -I. engine server web api

.PHONY: bench bench-goals bench-quick bench-files bench-definitions
bench: $(PROGRAM) $(TOOLS) ## the engine beside fio in one interleaved run (half an hour)
	$(PYTHON) tests/bench/bench.py --program $(PROGRAM) --json $(BUILD)/bench.json

bench-goals: $(PROGRAM) $(TOOLS) ## the rows that a goal is about (ten minutes)
	$(PYTHON) tests/bench/bench.py --program $(PROGRAM) --goals --json $(BUILD)/bench.json

bench-quick: $(PROGRAM) ## the same in under a minute
	$(PYTHON) tests/bench/bench.py --program $(PROGRAM) --rounds 3 --seconds 0.3 --quick

bench-files: $(PROGRAM) ## metadata workloads beside bonnie++ (five minutes)
	$(PYTHON) tests/bench/files.py --program $(PROGRAM) --json $(BUILD)/bench-files.json

.PHONY: bench-report
bench-report: $(BUILD)/tests/tools/write_report ## time and weight of a report of 270 samples (ten seconds)
	$(PYTHON) tests/bench/report.py --tool $< --json $(BUILD)/bench-report.json

bench-definitions: $(PROGRAM) ## IOPS of many definitions beside fio's (about 3 minutes)
	$(PYTHON) tests/bench/definitions.py --program $(PROGRAM)

.PHONY: bench-zfs
bench-zfs: $(PROGRAM) ## whether depth is real on OpenZFS, in the machine of check-zfs (five minutes)
	VOLBENCH=$(abspath $(PROGRAM)) $(PYTHON) tests/bench/zfs.py --json $(BUILD)/bench-zfs.json

UNIT_DIRECTORY ?= $(PREFIX)/lib/systemd
.PHONY: install
install: all ## install under DESTDIR and PREFIX
	install -Dm755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/volbench
	install -d $(DESTDIR)$(UNIT_DIRECTORY)/system
	sed 's,@BINDIR@,$(PREFIX)/bin,' systemd/volbench.service > $(DESTDIR)$(UNIT_DIRECTORY)/system/volbench.service
	chmod 644 $(DESTDIR)$(UNIT_DIRECTORY)/system/volbench.service
	install -Dm644 systemd/volbench.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/volbench.conf
	install -Dm644 systemd/volbench-zfs.conf $(DESTDIR)$(PREFIX)/share/doc/volbench/examples/volbench-zfs.conf
	install -Dm644 systemd/volbench-zvol.rules $(DESTDIR)$(PREFIX)/share/doc/volbench/examples/volbench-zvol.rules
	install -Dm644 README.md $(DESTDIR)$(PREFIX)/share/doc/volbench/README.md
	install -Dm644 openapi.yaml $(DESTDIR)$(PREFIX)/share/doc/volbench/openapi.yaml

.PHONY: clean help
clean: ## remove what was built
	rm -rf $(BUILD)

help: ## list what there is to make
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1\t\2/p' Makefile | sort | while IFS="$$(printf '\t')" read -r t d; do \
		printf '  make %-12s %s\n' "$$t" "$$d"; done

-include $(OBJECTS:.o=.d) $(UNIT_TESTS:=.d) $(TOOLS:=.d)
