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

# What a fresh Debian 12 needs: to build and run, to test, to lint.
PACKAGES_BUILD := gcc make pkg-config libc6-dev libmicrohttpd-dev libjansson-dev liburing-dev \
	libgsl-dev libblkid-dev libseccomp-dev gnuplot-nox
PACKAGES_TEST  := libcmocka-dev python3 python3-pytest python3-jsonschema python3-yaml fio jq curl \
	strace e2fsprogs util-linux libxml2-utils
PACKAGES_LINT  := clang clang-format cppcheck

LIBRARIES := libmicrohttpd jansson liburing gsl blkid libseccomp
CFLAGS    ?= -O2 -g
WARNINGS  := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef \
	-Wwrite-strings -Wvla -Wformat=2 -Wimplicit-fallthrough -Wcast-align -Wpointer-arith
ifneq ($(WERROR),)
WARNINGS  += -Werror
endif
HARDENING := -fstack-protector-strong -fPIE $(if $(SANITIZE),,-D_FORTIFY_SOURCE=2)
ALL_CFLAGS = -std=c17 -D_GNU_SOURCE -DVOLBENCH_VERSION='"$(VERSION)"' -I. -pthread $(WARNINGS) \
	$(HARDENING) $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=undefined) \
	$(shell pkg-config --cflags $(LIBRARIES) 2>/dev/null) $(CFLAGS)
ALL_LDFLAGS = -pthread -pie -Wl,-z,relro,-z,now $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(LDFLAGS)
LDLIBS     = $(shell pkg-config --libs $(LIBRARIES) 2>/dev/null) -lm

SOURCES  := $(wildcard engine/*/*.c engine/*.c server/codec/*.c server/*.c web/*.c api/*.c)
OBJECTS  := $(SOURCES:%.c=$(BUILD)/%.o)
EMBEDDED := $(wildcard api/definitions/*.json web/static/*) openapi.yaml
ARCHIVE  := $(BUILD)/libvolbench.a
PROGRAM  := $(BUILD)/volbench

UNIT_SOURCES := $(wildcard tests/unit/*/*.c tests/unit/*/*/*.c tests/unit/*.c)
UNIT_TESTS   := $(UNIT_SOURCES:%.c=$(BUILD)/%)

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
	$(CC) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(ALL_LDFLAGS) $$(sed -n 's/^.*link: //p' $<) -o $@ $< $(ARCHIVE) \
		-lcmocka $(LDLIBS)

.PHONY: unit
unit: $(UNIT_TESTS) $(PROGRAM) ## run the unit tests
	@failed=0; for t in $(UNIT_TESTS); do echo "== $$t"; \
		VOLBENCH=$(abspath $(PROGRAM)) $$t || failed=1; done; exit $$failed

.PHONY: e2e
e2e: $(PROGRAM) ## run the end-to-end tests over real HTTP
	VOLBENCH=$(abspath $(PROGRAM)) SANITIZED=$(SANITIZE) $(PYTHON) -m pytest -q tests/e2e $(PYTEST_ARGS)

-include $(OBJECTS:.o=.d) $(UNIT_TESTS:=.d)
