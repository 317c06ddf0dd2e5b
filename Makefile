# Pingo. `make demo` shows it at work, `make test` runs every test, `make help` lists the rest.
#
# One Makefile for the whole tree, run from its root. Objects go to $(BUILD); two builds with
# different flags take two directories (BUILD=build-asan CFLAGS=-fsanitize=address,undefined).
BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
BINDIR  ?= $(PREFIX)/bin
LIBDIR  ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
LIBEXECDIR ?= $(PREFIX)/libexec/pingo
MANDIR  ?= $(PREFIX)/share/man
BASHCOMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR ?= $(PREFIX)/share/zsh/site-functions
FISHCOMPDIR ?= $(PREFIX)/share/fish/vendor_completions.d
ifeq ($(origin CC),default)
CC      := gcc
endif
INSTALL ?= install
OPT     ?= -O2 -g
# A warning of a compiler that we do not know stops nobody's build; the tests set it to -Werror.
WERROR  ?=
# A unit program is run once for each time it is compiled: only the library that it tests is optimised.
UNIT_OPT ?= -O0 -U_FORTIFY_SOURCE
# What else they are linked with: another linker.
UNIT_LDFLAGS ?=
# What to leave out, of: local (the local executor and its helper program), bound (the solver of the
# simulator's lower bound; it is left out too where pkg-config does not know Clp), shared (libpingo.so).
WITHOUT ?=
# Only some rooms, for work on them: make ROOMS="base json workflow" unit
ROOMS   ?=

# Not by abspath, which takes a path with a space apart.
ABS_BUILD = $(if $(filter /%,$(BUILD)),,$(CURDIR)/)$(BUILD)

VERSION := $(shell sed -n 's/^.define PINGO_VERSION "\(.*\)"$$/\1/p' include/pingo/version.h)
# While the major number is 0, each minor number is a library of its own to the loader.
SOVERSION := $(if $(filter 0.%,$(VERSION)),$(basename $(VERSION)),$(firstword $(subst ., ,$(VERSION))))

# ---- sources ---------------------------------------------------------------------------------

# Every folder of lib/ is in libpingo, but for the helper program's, one of the two that have, or stand
# for, the local executor, and the laboratory, which is a library of its own.
PKGS    := sqlite3 libcjson nettle libuv
LIBDIRS := $(patsubst %/,%,$(sort $(dir $(wildcard lib/*/*.c lib/*/*/*.c))))
ifeq ($(filter local,$(WITHOUT)),)
LIBDIRS := $(filter-out lib/executor/none,$(LIBDIRS))
else
LIBDIRS := $(filter-out lib/executor/local lib/executor/local/%,$(LIBDIRS))
endif
# Clp's header is needed to build, the library itself only when a bound is asked for: it is not linked.
ifeq ($(if $(filter bound,$(WITHOUT)),,$(shell pkg-config --exists clp 2>/dev/null && echo clp)),)
LIBDIRS := $(filter-out lib/lab/clp,$(LIBDIRS))
else
LIBDIRS := $(filter-out lib/lab/none,$(LIBDIRS))
endif
ifneq ($(ROOMS),)
LIBDIRS := $(foreach r,$(ROOMS),$(filter lib/$(r) lib/$(r)/%,$(LIBDIRS)))
endif

LIB_SRC := $(wildcard $(addsuffix /*.c,$(filter-out lib/runner lib/runner/program lib/view lib/lab/%,$(LIBDIRS))))
LAB_SRC := $(wildcard $(addsuffix /*.c,$(filter lib/lab/%,$(LIBDIRS))))
CLI_SRC := $(wildcard cli/*.c cli/commands/*.c cli/remote/*.c)
LAB_CLI_SRC := $(wildcard cli/lab/*.c)
# The server: its program, and what tests call of it.
SERVE_SRC := $(wildcard cli/serve/*/*.c)
SERVER_SRC := $(wildcard cli/serve/*.c)
# What a status looks like is for programs, not in the library.
VIEW_SRC := $(wildcard lib/view/*.c)
# What runs attempts is in the programs that do, not in the library.
RUN_SRC := $(if $(filter lib/runner,$(LIBDIRS)),$(wildcard lib/runner/*.c))
RUNNER_SRC := $(if $(RUN_SRC),$(wildcard lib/runner/program/*.c))
# What goes to nodes of a Hadoop cluster, and so needs little there.
NODE_SRC := $(if $(filter lib/executor/hadoop,$(LIBDIRS)),$(if $(RUN_SRC),$(wildcard lib/executor/hadoop/node/*.c)))
SUP_SRC := $(if $(filter lib/executor/local,$(LIBDIRS)),$(wildcard lib/executor/local/supervisor/*.c))
UNIT_DIRS := $(if $(ROOMS),$(addprefix test/unit/,$(ROOMS)),test/unit/*)
UNIT_SRC := $(wildcard $(foreach d,/ /*/ /*/*/,$(addsuffix $(d)test_*.c,$(UNIT_DIRS))))
ifneq ($(filter local,$(WITHOUT)),)
UNIT_SRC := $(filter-out test/unit/executor/%,$(UNIT_SRC))
endif
# An example that is a plug-in is one file, and a shared object.
PLUGINS  := decision-plugin
EXAMPLES := $(filter-out $(PLUGINS),$(sort $(patsubst examples/%/,%,$(dir $(wildcard examples/*/*.c)))))
HEADERS := $(wildcard include/*.h include/pingo/*.h include/pingo-lab/*.h)
MANS    := $(wildcard man/*.[1-8])

LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
LAB_OBJ := $(LAB_SRC:%.c=$(BUILD)/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o)
LAB_CLI_OBJ := $(LAB_CLI_SRC:%.c=$(BUILD)/%.o)
SERVE_OBJ := $(SERVE_SRC:%.c=$(BUILD)/%.o) $(BUILD)/page/files.o $(BUILD)/page/openapi.o
SERVER_OBJ := $(SERVER_SRC:%.c=$(BUILD)/%.o)
VIEW_OBJ := $(VIEW_SRC:%.c=$(BUILD)/%.o)
SUP_OBJ := $(SUP_SRC:%.c=$(BUILD)/%.o)
RUN_OBJ := $(RUN_SRC:%.c=$(BUILD)/%.o)
RUNNER_OBJ := $(RUNNER_SRC:%.c=$(BUILD)/%.o)
NODE_OBJ := $(NODE_SRC:%.c=$(BUILD)/%.o)
UNIT_BIN := $(UNIT_SRC:%.c=$(BUILD)/%)
SUPERVISOR := $(if $(SUP_SRC),$(BUILD)/libexec/pingo-supervisor)
RUNNER := $(if $(RUNNER_SRC),$(BUILD)/libexec/pingo-runner)
NODE_RUNNER := $(if $(NODE_SRC),$(BUILD)/libexec/pingo-hadoop-runner)
PROGRAMS := $(SUPERVISOR) $(RUNNER) $(NODE_RUNNER) $(BUILD)/libexec/pingo-lab $(BUILD)/libexec/pingo-server
LIBS    := libpingo libpingo-lab
SHARED  := $(if $(filter shared,$(WITHOUT)),,$(LIBS:%=$(BUILD)/%.so.$(VERSION)))

# ---- flags -----------------------------------------------------------------------------------

# Asked once and only when needed: pkg-config itself may have to be installed first.
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell pkg-config --cflags $$(PKGS)))$(PKG_CFLAGS)
PKG_LIBS   = $(eval PKG_LIBS := $$(shell pkg-config --libs $$(PKGS)))$(PKG_LIBS)

WARN    := -Wall -Wextra -Wpedantic -Wconversion -Wshadow
override CPPFLAGS += -Iinclude -Ilib -Icli -D_GNU_SOURCE
CFLAGS  := $(OPT) $(CFLAGS)
ALL_CFLAGS = -std=c11 $(WARN) $(WERROR) -fvisibility=hidden -fPIC -ffp-contract=off -pthread \
             $(PKG_CFLAGS) $(CFLAGS)
LDFLAGS += -Wl,--as-needed
LDLIBS  = $(PKG_LIBS) -pthread -lm
# A sanitizer's runtime is in the program, not in the library.
NODEFS  := $(if $(findstring -fsanitize,$(CFLAGS)),,-Wl,-z,defs)

.PHONY: all lib page-shots deps deps-demo deps-test deps-page deps-bench deps-slurm deps-hadoop demo slurm-demo hadoop-demo test unit unit-programs syntax examples bench soak install uninstall \
        lint format help clean FORCE
.DELETE_ON_ERROR:

all: lib $(BUILD)/pingo $(PROGRAMS) $(BUILD)/man.stamp ## the libraries, the program and its helpers (the default)
lib: $(LIBS:%=$(BUILD)/%.a) $(SHARED) ## libpingo and libpingo-lab, static and shared

# ---- building --------------------------------------------------------------------------------

# A stamp changes only when its text does, so what depends on it is made again when flags, or the
# list of an archive's members, have changed.
define stamp
@mkdir -p $(@D)
@printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(1))' >$@
endef

$(BUILD)/flags.stamp: FORCE
	$(call stamp,$(CC) $(CPPFLAGS) $(filter-out $(WERROR),$(ALL_CFLAGS)) $(UNIT_OPT) $(LDFLAGS))
$(BUILD)/members.stamp: FORCE
	$(call stamp,$(LIB_OBJ) $(LAB_OBJ) $(CLI_OBJ) $(LAB_CLI_OBJ) $(SERVE_OBJ) $(VIEW_OBJ))
$(BUILD)/prefix.stamp: FORCE
	$(call stamp,$(BINDIR) $(LIBEXECDIR))

FROM_BINDIR = $(or $(shell realpath -m --relative-to='$(BINDIR)' '$(LIBEXECDIR)' 2>/dev/null),$(LIBEXECDIR))
# Only these know where the program is installed, so that another PREFIX compiles little.
KNOWS_PREFIX := $(patsubst %.c,$(BUILD)/%.o,$(shell grep -ls PINGO_LIBEXECDIR $(LIB_SRC) $(CLI_SRC) /dev/null))
$(KNOWS_PREFIX): override CPPFLAGS += -DPINGO_LIBEXECDIR='"$(LIBEXECDIR)"' \
    -DPINGO_LIBEXECDIR_FROM_BINDIR='"$(FROM_BINDIR)"'
$(KNOWS_PREFIX): $(BUILD)/prefix.stamp

$(BUILD)/lib/lab/clp/%.o: private override CPPFLAGS += $(shell pkg-config --cflags clp)
# As with Clp: a program that asks no server does not pay for loading libcurl, and the thirty libraries behind it.
$(BUILD)/lib/http/%.o: private override CPPFLAGS += $(shell pkg-config --cflags libcurl)

$(BUILD)/%.o: %.c $(BUILD)/flags.stamp
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/libpingo.a: $(LIB_OBJ)
$(BUILD)/libpingo-lab.a: $(LAB_OBJ)
$(BUILD)/runner.a: $(RUN_OBJ)
$(BUILD)/supervisor.a: $(filter-out %/main.o,$(SUP_OBJ))
$(BUILD)/node.a: $(filter-out %/main.o %/cjson.o,$(NODE_OBJ))
$(BUILD)/view.a: $(VIEW_OBJ)
$(BUILD)/serve.a: $(SERVE_OBJ)
# The page, of its own files and two libraries of npm, by the lock file. Without them all else is built, and asked for again
# the next time.
PAGE := cli/serve/page
$(BUILD)/npm/fetched: $(PAGE)/package.json $(PAGE)/package-lock.json
	@mkdir -p $(@D)
	@cp $^ $(@D)
	@(cd $(@D) && timeout 120 npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --silent --fetch-retries=1) >/dev/null 2>&1 && \
	    touch $@ || { echo 'pingo serve is built without its page: npm is missing, or could not fetch its libraries.' >&2; touch -d @0 $@; }
$(BUILD)/page/files.c: $(PAGE)/pack.pl $(wildcard $(PAGE)/*.html $(PAGE)/*.css $(PAGE)/*.js $(PAGE)/*/*.js) $(BUILD)/npm/fetched
	@rm -rf $(@D)/files
	@mkdir -p $(BUILD)/libexec
	perl $< $(BUILD)/npm $(@D) $(BUILD)/libexec/report.html
# The document of the API, as far as no view is needed for it.
$(BUILD)/page/openapi.c: $(addprefix cli/serve/,api/openapi.pl api/openapi.json api/operations.json route/routes.h)
	@mkdir -p $(@D)
	perl $^ >$@
# What both programs are made of, with what they say at length: the pages of the commands, and some files.
$(BUILD)/cli.a: $(filter-out $(BUILD)/cli/commands.o,$(CLI_OBJ)) $(BUILD)/cli/texts_made.o
$(BUILD)/cli/texts_made.c: cli/texts.pl $(wildcard cli/completion/*) $(filter-out %/pingo-lab.1,$(wildcard man/*.1))
	@mkdir -p $(@D)
	perl $^ >$@
$(BUILD)/page/files.o $(BUILD)/page/openapi.o $(BUILD)/cli/texts_made.o: %.o: %.c $(BUILD)/flags.stamp
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
# What libpingo-lab.so has copies of, hidden: floors 0 and 1, but for what knows the inside of a history or a
# decider.  These alone pass from one library to the other, and only libpingo.so opens them.
$(BUILD)/floor.a: $(filter-out $(BUILD)/lib/decision/history/% $(BUILD)/lib/decision/choosing/decider.o,$(filter \
    $(foreach r,base json workflow digest plan decision,$(BUILD)/lib/$(r)/%),$(LIB_OBJ)))
$(BUILD)/%.a: $(BUILD)/members.stamp
	@rm -f $@
	$(AR) rcs $@ $(filter %.o,$^)

$(BUILD)/%.so.$(VERSION): lib/%.map $(BUILD)/members.stamp
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$*.so.$(SOVERSION) $(NODEFS) \
	    -Wl,--version-script=lib/$*.map -o $@ $(filter %.o %.a %.so.$(VERSION),$^) $(LDLIBS)
	@ln -sf $(@F) $(BUILD)/$*.so.$(SOVERSION)
	@ln -sf $*.so.$(SOVERSION) $(BUILD)/$*.so
$(BUILD)/libpingo.so.$(VERSION): $(LIB_OBJ)
$(BUILD)/libpingo-lab.so.$(VERSION): $(LAB_OBJ) $(BUILD)/floor.a $(BUILD)/libpingo.so.$(VERSION)

# All of the room of histories and algorithms: a plug-in may call what no command does.
ROOM = $(filter $(BUILD)/lib/decision/%,$(LIB_OBJ))
$(BUILD)/pingo: $(BUILD)/cli/commands.o $(ROOM) $(BUILD)/cli.a $(BUILD)/view.a $(BUILD)/libpingo.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -rdynamic -o $@ $^ $(LDLIBS)
$(BUILD)/libexec/pingo-lab: $(LAB_CLI_OBJ) $(ROOM) $(BUILD)/cli.a $(BUILD)/view.a $(BUILD)/libpingo-lab.a $(BUILD)/libpingo.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -rdynamic -o $@ $^ $(LDLIBS)
	@ln -sf libexec/pingo-lab $(BUILD)/pingo-lab

$(BUILD)/libexec/pingo-server: $(SERVER_OBJ) $(BUILD)/serve.a $(BUILD)/cli.a $(BUILD)/view.a $(BUILD)/libpingo.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/libexec/pingo-supervisor: $(SUP_OBJ) $(BUILD)/runner.a $(BUILD)/libpingo.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# What goes to other machines needs the C library there; Nettle is a part of it, where the distribution has it for that.
NODE_NETTLE = $(eval NODE_NETTLE := $$(if $$(findstring /,$$(shell $$(CC) -print-file-name=libnettle.a)),-l:libnettle.a,-lnettle))$(NODE_NETTLE)
$(BUILD)/libexec/pingo-runner: $(RUNNER_OBJ) $(BUILD)/runner.a $(BUILD)/libpingo.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(NODE_NETTLE) $(filter-out -lnettle,$(LDLIBS))

# On nodes of Hadoop: and libcurl where it is to be found at run time, and libcjson, which travels with it and lies beside it
# there.
$(BUILD)/libexec/pingo-hadoop-runner: $(NODE_OBJ) $(BUILD)/runner.a $(BUILD)/libpingo.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -Wl,--gc-sections -s -Wl,-rpath,'$$ORIGIN' -o $@ $^ $(NODE_NETTLE) \
	    $(filter -L% -lcjson,$(PKG_LIBS)) -pthread -ldl

# Of rooms alone there is no server.
RUNNER_LIB := $(if $(ROOMS),,$(BUILD)/serve.a) $(if $(SUP_SRC),$(BUILD)/supervisor.a) $(if $(NODE_SRC),$(BUILD)/node.a) $(if $(RUN_SRC),$(BUILD)/runner.a)
$(BUILD)/test/unit/%: test/unit/%.c $(LIBS:%=$(BUILD)/%.a) $(BUILD)/flags.stamp $(SUPERVISOR) $(RUNNER) $(RUNNER_LIB) $(BUILD)/view.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itest $(ALL_CFLAGS) $(UNIT_OPT) $(LDFLAGS) $(UNIT_LDFLAGS) -MMD -MP -o $@ $< $(RUNNER_LIB) $(BUILD)/view.a $(BUILD)/libpingo-lab.a $(BUILD)/libpingo.a \
	    -lcmocka $(LDLIBS)

# The pages of section 3, but for those of the libraries as a whole, are made of the headers' comments; those of
# section 1 tell the keys of --json, which the program knows.
$(BUILD)/man.stamp: man/pages.pl man/keys.pl $(MANS) $(HEADERS) $(BUILD)/pingo $(BUILD)/libexec/pingo-lab
	@rm -rf $(BUILD)/man
	@mkdir -p $(BUILD)/man
	perl man/pages.pl $(BUILD)/man
	perl man/keys.pl $(BUILD)/pingo $(BUILD)/man
	@touch $@

# The examples see the public headers alone.
define example_rule
$(BUILD)/examples/$(1): $$(wildcard examples/$(1)/*.[ch]) $$(BUILD)/libpingo.a $$(HEADERS) $$(BUILD)/flags.stamp
	@mkdir -p $$(@D)
	$$(CC) -Iinclude -D_GNU_SOURCE $$(ALL_CFLAGS) $$(LDFLAGS) -o $$@ $$(filter %.c,$$^) $$(BUILD)/libpingo.a $$(LDLIBS)
endef
$(foreach e,$(EXAMPLES),$(eval $(call example_rule,$(e))))
define plugin_rule
$(BUILD)/examples/$(1).so: $$(wildcard examples/$(1)/*.[ch]) $$(HEADERS) $$(BUILD)/flags.stamp
	@mkdir -p $$(@D)
	$$(CC) -Iinclude -D_GNU_SOURCE $$(ALL_CFLAGS) $$(LDFLAGS) -shared -o $$@ $$(filter %.c,$$^)
endef
$(foreach p,$(PLUGINS),$(eval $(call plugin_rule,$(p))))
examples: $(addprefix $(BUILD)/examples/,$(EXAMPLES) $(PLUGINS:%=%.so)) ## the example programs, into build/examples

# ---- what a fresh Debian needs ----------------------------------------------------------------

deps: ## install what building needs (apt-get; nothing if all is there)
	@sh .ci/deps build
deps-demo: ## the same for building and the demo
	@sh .ci/deps build demo
deps-test: ## the same for building, the tests and lint
	@sh .ci/deps build test
deps-page: ## the same for the tests of the page in a real Chromium, and what npm has for them
	@sh .ci/deps build page
	@BUILD='$(ABS_BUILD)' test/page/fetch
deps-bench: ## the same for the benchmarks
	@sh .ci/deps build test bench
deps-slurm: ## the same for a real Slurm on this machine (test/slurm/cluster)
	@sh .ci/deps build slurm
deps-hadoop: ## the same for a real Hadoop on this machine (test/hadoop/up), and its jars
	@sh .ci/deps build hadoop
	@test/hadoop/up fetch

# ---- running ---------------------------------------------------------------------------------

SECONDS ?= 600
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)

demo: deps-demo ## a tour: a workflow that runs, runs nothing the second time, and tells why
	@$(MAKE) --no-print-directory -s -j$(JOBS) all
	@PINGO='$(ABS_BUILD)/pingo' sh examples/demo/demo.sh

slurm-demo: deps-demo deps-slurm ## the demo's workflow on a real Slurm, which is started for it and stopped
	@$(MAKE) --no-print-directory -s -j$(JOBS) all
	@PINGO='$(ABS_BUILD)/pingo' sh examples/demo/slurm.sh

hadoop-demo: deps-demo deps-hadoop ## words counted on a real Hadoop, with the pool in HDFS; it is started for it and stopped
	@$(MAKE) --no-print-directory -s -j$(JOBS) all
	@PINGO='$(ABS_BUILD)/pingo' sh examples/hadoop/demo.sh

# All at once where that goes: the lists are fetched once, and what dpkg does behind each installation is done once.
test: ## every test, or some parts (PARTS="house unit"); says how many seconds each took
	@sh .ci/deps build test slurm hadoop page || sh .ci/deps build test
	@sh .ci/deps slurm || echo 'THE TESTS ON A REAL SLURM ARE SKIPPED: its packages could not be had.' >&2
	@{ sh .ci/deps hadoop && test/hadoop/up fetch; } >/dev/null || echo 'THE TESTS ON A REAL HADOOP ARE SKIPPED: it could not be had.' >&2
	@{ sh .ci/deps page && BUILD='$(ABS_BUILD)' test/page/fetch; } || echo 'THE TESTS OF THE PAGE ARE SKIPPED: a browser, or its driver, could not be had.' >&2
	@MAKE='$(MAKE)' CC='$(CC)' JOBS='$(JOBS)' BUILD='$(BUILD)' perl test/run $(PARTS)

# Unit tests print TAP; prove sums up.
unit: $(UNIT_BIN) ## the unit tests alone (ROOMS="base json" for some)
	CMOCKA_MESSAGE_OUTPUT=TAP prove -j2 --exec test/unit/tap $(UNIT_BIN)
unit-programs: $(UNIT_BIN)

# Each source is read by the compiler, for what it warns of; nothing is made.
SYNTAX_FLAGS = $(CPPFLAGS) -Itest $(ALL_CFLAGS) -DPINGO_LIBEXECDIR='""' -DPINGO_LIBEXECDIR_FROM_BINDIR='""' \
    $(shell pkg-config --cflags clp libcurl 2>/dev/null) -fsyntax-only
syntax: ## every source read by the compiler (CC=clang) for its warnings; nothing is made
	@printf '%s\n' $(sort $(LIB_SRC) $(LAB_SRC) $(CLI_SRC) $(LAB_CLI_SRC) $(SERVE_SRC) $(SERVER_SRC) $(VIEW_SRC) $(RUN_SRC) $(RUNNER_SRC) $(NODE_SRC) \
	    $(SUP_SRC) $(UNIT_SRC) $(wildcard examples/*/*.c)) | xargs -P $(JOBS) -n 8 $(CC) $(SYNTAX_FLAGS)

bench: deps-bench ## the benchmarks, against make and ninja on the same graphs
	@$(MAKE) --no-print-directory -s -j$(JOBS) all
	@PINGO='$(ABS_BUILD)/pingo' BUILD='$(ABS_BUILD)' sh test/bench/run.sh

page-shots: deps-page ## pictures of every view of the page, light, dark and narrow, into build/page-shots
	@$(MAKE) --no-print-directory -s -j$(JOBS) all
	@BUILD='$(ABS_BUILD)' PINGO='$(ABS_BUILD)/pingo' test/page/shots '$(ABS_BUILD)/page-shots'
# What has threads.  Of what runs commands nothing can be tried so: to ThreadSanitizer vfork() is fork().
TSAN_BIN := $(addprefix $(BUILD)-tsan/test/unit/,engine/test_handles executor/hadoop/test_hadoop executor/hadoop/test_aside executor/hadoop/test_follow executor/hadoop/node/test_watch \
    manager/test_workers manager/attempt/test_reading manager/dataset/test_dataset_manager digest/test_identify hdfs/test_ask)
soak: deps-test deps-hadoop ## crashes and races, again and again (SECONDS=600); before, threads under ThreadSanitizer, engine against simulator, a crowd at one store, the build of libpingo by itself, and hadoop-demo
	@$(MAKE) --no-print-directory -s -j$(JOBS) BUILD='$(BUILD)-tsan' CFLAGS='-g1 -fsanitize=thread' WITHOUT=shared \
	    ROOMS='$(filter-out lab view,$(notdir $(wildcard lib/*)))' $(TSAN_BIN)
	@CMOCKA_MESSAGE_OUTPUT=TAP TSAN_OPTIONS='suppressions=test/soak/tsan.supp' prove --exec '' $(TSAN_BIN)
	@$(MAKE) --no-print-directory -s -j$(JOBS) all $(BUILD)/test/unit/engine/test_agreement $(BUILD)/test/unit/engine/test_crowd
	@$(BUILD)/test/unit/engine/test_agreement $$(($(SECONDS) / 10))
	@$(BUILD)/test/unit/engine/test_crowd $$(($(SECONDS) / 10))
	@PINGO='$(ABS_BUILD)/pingo' ROOMS= prove test/examples/build-libpingo.t
	@PINGO='$(ABS_BUILD)/pingo' sh examples/hadoop/demo.sh
	@PINGO='$(ABS_BUILD)/pingo' PINGO_SOAK=1 prove test/hadoop/jobs_killed.t
	@PINGO='$(ABS_BUILD)/pingo' python3 test/soak/soak.py $(SECONDS)

lint: deps-test $(BUILD)/man.stamp ## clang-format, clang-tidy, cppcheck, shellcheck, ESLint, mandoc
	@{ sh .ci/deps page && BUILD='$(ABS_BUILD)' test/page/fetch; } || echo 'THE SCRIPTS OF THE PAGE ARE NOT LINTED: npm, or what it installs, could not be had.' >&2
	@BUILD='$(BUILD)' CPPFLAGS='$(CPPFLAGS) $(shell pkg-config --cflags clp 2>/dev/null) -Itest -DPINGO_LIBEXECDIR="" -DPINGO_LIBEXECDIR_FROM_BINDIR=""' CFLAGS='-std=c11 $(PKG_CFLAGS)' JOBS='$(JOBS)' sh test/lint

format: ## lay out the C sources as .clang-format says
	clang-format -i $$(find include lib cli test examples -name '*.[ch]' ! -name migration_8.c)

# ---- installing ------------------------------------------------------------------------------

D_BIN   = $(DESTDIR)$(BINDIR)
D_LIB   = $(DESTDIR)$(LIBDIR)
D_INC   = $(DESTDIR)$(INCLUDEDIR)
D_EXEC  = $(DESTDIR)$(LIBEXECDIR)
D_MAN   = $(DESTDIR)$(MANDIR)

# What static linking needs besides stands there as libraries, not as other packages: their headers are
# nothing that a program using ours includes.  Without libpingo.so every program links statically.
# pkg-config takes a path with a space apart, too.
escaped = $(subst $(subst ,, ),\\ ,$(1))
$(BUILD)/%.pc: lib/%.pc.in FORCE
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(call escaped,$(PREFIX))|' -e 's|@LIBDIR@|$(call escaped,$(LIBDIR))|' \
	     -e 's|@INCLUDEDIR@|$(call escaped,$(INCLUDEDIR))|' \
	     -e 's|@VERSION@|$(VERSION)|' -e 's|@PRIVATE@|$(strip $(LDLIBS))|' \
	     -e 's|@PUBLIC@|$(if $(SHARED),, $(strip $(LDLIBS)))|' $< >$@

install: all $(LIBS:%=$(BUILD)/%.pc) ## install into PREFIX (default /usr/local), below DESTDIR
	$(INSTALL) -d '$(D_BIN)' '$(D_EXEC)' '$(D_LIB)/pkgconfig' '$(D_INC)/pingo' '$(D_INC)/pingo-lab'
	$(INSTALL) -m 755 $(BUILD)/pingo '$(D_BIN)/pingo'
	$(INSTALL) -m 755 $(PROGRAMS) examples/slurm/pingo-jobcomp '$(D_EXEC)'
	[ ! -e $(BUILD)/libexec/report.html ] || $(INSTALL) -m 644 $(BUILD)/libexec/report.html '$(D_EXEC)'
	ln -sf '$(FROM_BINDIR)/pingo-lab' '$(D_BIN)/pingo-lab'
	$(foreach h,$(HEADERS),$(INSTALL) -m 644 $(h) '$(D_INC)/$(h:include/%=%)' &&) :
	$(INSTALL) -m 644 $(LIBS:%=$(BUILD)/%.a) '$(D_LIB)'
	$(INSTALL) -m 644 $(LIBS:%=$(BUILD)/%.pc) '$(D_LIB)/pkgconfig'
ifneq ($(SHARED),)
	$(INSTALL) -m 755 $(SHARED) '$(D_LIB)'
	$(foreach l,$(LIBS),ln -sf $(l).so.$(VERSION) '$(D_LIB)/$(l).so.$(SOVERSION)' && \
	    ln -sf $(l).so.$(SOVERSION) '$(D_LIB)/$(l).so' &&) :
endif
	$(INSTALL) -d $(foreach m,$(sort $(suffix $(MANS))),'$(D_MAN)/man$(m:.%=%)')
	$(foreach m,$(MANS),$(INSTALL) -m 644 $(if $(filter %.1,$(m)),$(BUILD)/)$(m) '$(D_MAN)/man$(patsubst .%,%,$(suffix $(m)))/$(notdir $(m))' &&) :
	$(INSTALL) -m 644 $$(find $(BUILD)/man -name '*.3' -type f) '$(D_MAN)/man3'
	cp -fP $$(find $(BUILD)/man -type l) '$(D_MAN)/man3'
	$(INSTALL) -d '$(DESTDIR)$(BASHCOMPDIR)' '$(DESTDIR)$(ZSHCOMPDIR)' '$(DESTDIR)$(FISHCOMPDIR)'
	$(BUILD)/pingo completion bash >'$(DESTDIR)$(BASHCOMPDIR)/pingo'
	$(BUILD)/pingo completion zsh >'$(DESTDIR)$(ZSHCOMPDIR)/_pingo'
	$(BUILD)/pingo completion fish >'$(DESTDIR)$(FISHCOMPDIR)/pingo.fish'
	chmod 644 '$(DESTDIR)$(BASHCOMPDIR)/pingo' '$(DESTDIR)$(ZSHCOMPDIR)/_pingo' '$(DESTDIR)$(FISHCOMPDIR)/pingo.fish'

uninstall: $(BUILD)/man.stamp ## remove what install put there (the same PREFIX and DESTDIR)
	rm -f '$(D_BIN)/pingo' '$(D_BIN)/pingo-lab' $(foreach h,$(HEADERS),'$(D_INC)/$(h:include/%=%)')
	rm -f $(foreach l,$(LIBS),'$(D_LIB)/$(l).a' '$(D_LIB)/$(l).so' '$(D_LIB)/$(l).so.$(SOVERSION)' \
	      '$(D_LIB)/$(l).so.$(VERSION)' '$(D_LIB)/pkgconfig/$(l).pc') $(foreach p,$(PROGRAMS) pingo-jobcomp report.html,'$(D_EXEC)/$(notdir $(p))')
	rm -f $(foreach m,$(MANS),'$(D_MAN)/man$(patsubst .%,%,$(suffix $(m)))/$(notdir $(m))')
	for page in $(BUILD)/man/*.3; do rm -f '$(D_MAN)/man3/'"$${page##*/}"; done
	rm -f '$(DESTDIR)$(BASHCOMPDIR)/pingo' '$(DESTDIR)$(ZSHCOMPDIR)/_pingo' '$(DESTDIR)$(FISHCOMPDIR)/pingo.fish'
	-rmdir '$(D_INC)/pingo' '$(D_INC)/pingo-lab' '$(D_EXEC)' 2>/dev/null

# ---- the rest --------------------------------------------------------------------------------

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' Makefile | sed 's/|/                    /' | \
	 sed 's/^\(.\{18\}\) *\([^ ]\)/\1 \2/'
	@echo 'Variables: BUILD, PREFIX, DESTDIR, CC, CPPFLAGS, CFLAGS, LDFLAGS, WITHOUT="local bound shared".'

clean: ## remove what was built
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-clang $(BUILD)-tsan

-include $(patsubst %.o,%.d,$(LIB_OBJ) $(LAB_OBJ) $(CLI_OBJ) $(LAB_CLI_OBJ) $(SERVE_OBJ) $(SERVER_OBJ) $(VIEW_OBJ) $(SUP_OBJ) $(RUN_OBJ) $(RUNNER_OBJ) $(NODE_OBJ)) $(addsuffix .d,$(UNIT_BIN))
