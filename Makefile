# SPDX-License-Identifier: GPL-2.0-or-later
#
# rtgauge: one makefile, not recursive. Objects go to build/, programs to the top.
# `make help` lists what can be asked for.

# ---- what a packager or cross-builder sets -----------------------------------
CC         ?= $(CROSS_COMPILE)gcc
ifeq ($(origin CC),default)
CC         := $(CROSS_COMPILE)gcc
endif
AR         := $(CROSS_COMPILE)ar
PKG_CONFIG ?= pkg-config
PYTHON     ?= /usr/bin/python3
CFLAGS     ?= -O2 -g
prefix     ?= /usr/local
bindir     ?= $(prefix)/bin
sbindir    ?= $(prefix)/sbin
mandir     ?= $(prefix)/share/man
pkgdatadir ?= $(prefix)/share/rtgauge
bashcompdir ?= $(prefix)/share/bash-completion/completions
zshcompdir ?= $(prefix)/share/zsh/site-functions
fishcompdir ?= $(prefix)/share/fish/vendor_completions.d
# Programs that go to sbindir: none of ours, but Debian's rt-tests has hwlatdetect there
SBIN_PROGRAMS ?=
DESTDIR    ?=
B          ?= build

# The version stands in one place; man pages, Python programs and recipes get it from here.
VERSION    := $(shell sed -n 's/^.define RT_VERSION "\(.*\)"/\1/p' src/include/rt/options.h)

# Tests ask make for names; under `make -C` it would mix in what folder it enters.
MAKEFLAGS += --no-print-directory

# ---- the tools: one row each ---------------------------------------------------
# NAME_src: its sources; NAME_libs: what it needs besides the library
TOOLS := cyclictest

cyclictest_src := $(wildcard src/cyclictest/*.c)

TOOLS += hackbench
hackbench_src := $(wildcard src/hackbench/*.c)
unit_test_hackbench_src := src/hackbench/plan.c src/hackbench/options.c

TOOLS += rt-migrate-test
rt-migrate-test_src := $(wildcard src/rt-migrate-test/*.c)
unit_test_migrate_src := $(addprefix src/rt-migrate-test/,options.c plan.c rule.c report.c)

TOOLS += ssdd
ssdd_src := $(wildcard src/ssdd/*.c)
unit_test_ssdd_src := src/ssdd/tracer.c

# The deadline tools share what is in neither's own files
dl_shared := $(addprefix src/sched_deadline/,arming.c places.c reserve.c hrtick.c)
TOOLS += cyclicdeadline deadline_test
cyclicdeadline_src := $(wildcard src/sched_deadline/cyclic_*.c) $(dl_shared)
deadline_test_src := $(wildcard src/sched_deadline/test_*.c) $(dl_shared)
unit_test_deadline_src := $(filter-out %_main.c,$(wildcard src/sched_deadline/*.c))

# The hand-over tests: a main each, on one engine
pair_tools := sigwaittest pmqtest ptsematest svsematest pairtest
pair_src := $(filter-out $(patsubst %,src/pairtests/%.c,$(pair_tools)),$(wildcard src/pairtests/*.c))
TOOLS += $(pair_tools)
$(foreach t,$(pair_tools),$(eval $t_src := src/pairtests/$t.c $(pair_src)))
unit_test_pairs_src := $(pair_src)

# Priority inheritance
TOOLS += pi_stress pip_stress
pi_stress_src := $(wildcard src/pi_tests/pi_stress*.c) src/pi_tests/pimutex.c
pip_stress_src := $(addprefix src/pi_tests/,pip_stress.c pip_roles.c pimutex.c)
unit_test_pi_stress_src := $(addprefix src/pi_tests/,pi_stress_options.c pi_stress_roles.c \
			     pi_stress_group.c pimutex.c)

# The machine's own noise
TOOLS += oslat hwlatdetect queuelat hrtimer-test
oslat_src := $(wildcard src/oslat/*.c)
hwlatdetect_src := $(wildcard src/hwlatdetect/*.c)
unit_test_hwlatdetect_src := $(addprefix src/hwlatdetect/,lines.c samples.c)
queuelat_src := $(wildcard src/queuelat/*.c)
unit_test_queuelat_src := $(addprefix src/queuelat/,search.c calibrate.c options.c report.c)
hrtimer-test_src := $(wildcard src/hrtimer-test/*.c)
unit_test_hrtimer_src := $(filter-out %/main.c,$(wildcard src/hrtimer-test/*.c))
unit_test_oslat_src := $(addprefix src/oslat/,counts.c thread.c options.c)

TOOLS += signaltest
signaltest_src := $(wildcard src/signaltest/*.c)

# The kernel's max-latency tracers: one program, two names
irq_src := $(addprefix src/irqsoff/,main.c options.c section.c tracer.c events.c pipe.c report.c)
TOOLS += irqsoff preemptoff
irqsoff_src := src/irqsoff/irqsoff.c $(irq_src)
preemptoff_src := src/irqsoff/preemptoff.c $(irq_src)
unit_test_irqsoff_src := src/irqsoff/section.c src/irqsoff/events.c

# ---- libraries: asked by trying, once; JSON=0 and NUMA=0 build without ----------
hash  := \#
probe  = $(shell printf '%s\n' '$(hash)include <$1>' 'int main(void) { return 0; }' | \
	   $(CC) $(CPPFLAGS) $(CFLAGS) -x c - -o /dev/null $(LDFLAGS) $2 2>/dev/null && echo 1)
nobuild := help clean distclean dist deb rpm recipes list-tools list-scripts uninstall \
	   check-all check-cross check-deps check-packages \
	   install-scripts
ifneq ($(filter-out $(nobuild),$(or $(MAKECMDGOALS),all)),)
ifneq ($(JSON),0)
JSON_CFLAGS := $(shell $(PKG_CONFIG) --cflags json-c 2>/dev/null)
JSON_LIBS   := $(or $(shell $(PKG_CONFIG) --libs json-c 2>/dev/null),-ljson-c)
ifeq ($(call probe,json-c/json.h,$(JSON_CFLAGS) $(JSON_LIBS)),)
$(error json-c is missing: install libjson-c-dev (Debian) or json-c-devel (Fedora), or run scripts/bootstrap; JSON=0 builds without it and without --json, --result, --checkpoint and --samples)
endif
endif
NUMA ?= $(call probe,numa.h,-lnuma)
ifeq ($(NUMA)$(NUMA_SAID),)
$(info building without libnuma: no NUMA placement; install libnuma-dev or numactl-devel for it)
endif
endif

lib_libs := $(JSON_LIBS) -pthread
json_flags := $(if $(filter 0,$(JSON)),,-DHAVE_JSON $(JSON_CFLAGS))
ifeq ($(filter-out 0,$(NUMA)),)
else
numa_flags := -DHAVE_NUMA
lib_libs += -lnuma
endif

comma := ,
sanitize_flags := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer)
ifneq ($(SANITIZE),)
B := build/$(subst $(comma),-,$(SANITIZE))
endif
# In a folder other than build/ the programs stay beside their objects.
bin_dir := $(if $(filter-out build,$(B)),$(B)/bin/)

warnings := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	    -Wwrite-strings -Wformat=2 -Wno-missing-field-initializers
flags = -std=gnu17 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -Isrc/include \
	$(warnings) $(CPPFLAGS) $(CFLAGS) $(numa_flags) $(json_flags) $(sanitize_flags) -pthread
link = $(CC) $(CFLAGS) $(sanitize_flags) $(LDFLAGS)

say = $(if $(filter 1,$(V)),,@printf '  %-5s %s\n' $1 $@;)

# ---- from the rows: objects, programs ------------------------------------------
lib_objects := $(patsubst src/%.c,$(B)/%.o,$(wildcard src/lib/*.c))
tool_objects = $(patsubst src/%.c,$(B)/%.o,$($1_src))
unit_test_sources := $(wildcard tests/unit/test_*.c)
# these read back what json-c wrote
json_test_sources := $(addprefix tests/unit/,test_documents.c test_samples_file.c)
unit_tests := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,\
	$(filter-out $(if $(filter 0,$(JSON)),$(json_test_sources)),$(unit_test_sources)))
objects := $(lib_objects) $(foreach t,$(TOOLS),$(call tool_objects,$t))
programs := $(addprefix $(bin_dir),$(TOOLS))

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all help clean distclean check check-unit check-cli check-deps tests bench
.PHONY: install install-programs install-scripts uninstall dist

all: $(programs)

help:
	@sed -n 's/^## *//p' $(firstword $(MAKEFILE_LIST))

## make                the programs, at the top of the tree
## make NAME           one of them
## make check          unit and command-line tests (root: all of them)
## make bench          speed and size beside Debian's rt-tests (tests/bench/README.md)
## make install        into DESTDIR with prefix, bindir, sbindir, mandir, pkgdatadir, bashcompdir,
##                     zshcompdir, fishcompdir; COMPRESS_MAN=1: gzip the man pages
## make install-programs, install-scripts    all but what needs Python, and only that
## make uninstall      remove what install put there, with the same variables
## make dist           rtgauge-VERSION.tar.gz of what is committed
## make recipes        for rpm, Yocto and Buildroot, into build/packaging (packaging/README.md)
## make completions    for bash, zsh and fish, from the option tables, into build/
## make list-tools, list-scripts    the names of the programs, of those in Python
## make clean          remove what was built
## V=1                 show the commands; SANITIZE=address,undefined or thread: into build/
## NUMA=0, JSON=0      build without libnuma, without json-c (no result documents then)

# ---- building ----------------------------------------------------------------------
# build/flags changes only when the command does, so that a changed flag rebuilds all
$(B)/flags: force
	@mkdir -p $(@D)
	@echo '$(CC) $(flags) $(LDFLAGS)' | cmp -s - $@ || echo '$(CC) $(flags) $(LDFLAGS)' > $@
.PHONY: force

$(B)/%.o: src/%.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(flags) -MMD -MP -c -o $@ $<

$(B)/librtutils.a: $(lib_objects)
	$(call say,AR)rm -f $@ && $(AR) rcsD $@ $^

define tool_rule
$(bin_dir)$1: $(call tool_objects,$1) $(B)/librtutils.a
	@mkdir -p $$(@D)
	$$(call say,LD)$$(link) -o $$@ $$^ $$($1_libs) $$(lib_libs)
endef
$(foreach t,$(TOOLS),$(eval $(call tool_rule,$t)))

$(B)/tests/unit/%: tests/unit/%.c $(B)/librtutils.a $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(link) $(flags) -Itests/unit -MMD -MP -o $@ $< $(unit_$*_src) $(B)/librtutils.a -lcmocka $(lib_libs)

-include $(objects:.o=.d) $(addsuffix .d,$(unit_tests))

# ---- tests ---------------------------------------------------------------------------
cli_tests := $(sort $(wildcard tests/cli/*.t))

# A test file that hangs is a failure, too.
TEST_LIMIT ?= 300
limited = timeout -k 5 $(TEST_LIMIT) tests/tap

check-deps:
	@command -v prove >/dev/null || { echo 'make check needs prove: install perl, or run scripts/bootstrap check' >&2; exit 1; }
	@printf '$(hash)include <%s>\n' stdarg.h stddef.h setjmp.h stdint.h cmocka.h | \
	  $(CC) $(CPPFLAGS) -x c -fsyntax-only - 2>/dev/null || { echo 'make check needs cmocka: install libcmocka-dev (Debian) or libcmocka-devel (Fedora), or run scripts/bootstrap check' >&2; exit 1; }

tests: $(unit_tests)

check: check-deps all tests
	RT_BIN='$(abspath $(or $(bin_dir),.))' CMOCKA_MESSAGE_OUTPUT=TAP prove --timer --merge --exec '$(limited)' $(unit_tests) $(cli_tests)
check-unit: check-deps tests
	CMOCKA_MESSAGE_OUTPUT=TAP prove --timer --exec '$(limited)' $(unit_tests)
check-cli: check-deps all
	RT_BIN='$(abspath $(or $(bin_dir),.))' prove --timer --exec '$(limited)' $(cli_tests)

# ---- asked of the programs themselves ------------------------------------------------
# What was built for another machine needs EMULATOR to run here, or has no completions.
EMULATOR    ?=
completed   := $(if $(and $(CROSS_COMPILE),$(if $(EMULATOR),,none)),,$(TOOLS))
bash_completions := $(addprefix $(B)/completions/bash/,$(completed))
zsh_completions  := $(addprefix $(B)/completions/zsh/_,$(completed))
fish_completions := $(patsubst %,$(B)/completions/fish/%.fish,$(completed))
completions := $(bash_completions) $(zsh_completions) $(fish_completions)
script_completions := $(if $(shell command -v $(PYTHON)),\
	$(addprefix $(B)/completions/,bash/rt-hist zsh/_rt-hist fish/rt-hist.fish))

.PHONY: completions list-tools list-scripts
completions: $(completions) $(script_completions)

$(script_completions): $(B)/completions/%: scripts/rthist/main.py scripts/rthist/completions.py
	@mkdir -p $(@D)
	$(call say,GEN)PYTHONPATH=scripts PYTHONDONTWRITEBYTECODE=1 $(PYTHON) -m rthist.completions $(firstword $(subst /, ,$*)) >$@

define completion_rule
$(B)/completions/$2: $(or $(bin_dir),./)% scripts/completions.sh
	@mkdir -p $$(@D)
	$$(call say,GEN)$(EMULATOR) $$(if $$(findstring /,$$<),,./)$$< --help=table | scripts/completions.sh $$* $1 >$$@
endef
$(eval $(call completion_rule,bash,bash/%))
$(eval $(call completion_rule,zsh,zsh/_%))
$(eval $(call completion_rule,fish,fish/%.fish))

list-tools:
	@printf '%s\n' $(TOOLS)
list-scripts:
	@printf '%s\n' $(python_programs)

# ---- benchmarks ------------------------------------------------------------------------
$(B)/tests/bench/%: tests/bench/%.c $(B)/librtutils.a $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(link) $(flags) -MMD -MP -o $@ $< $(B)/librtutils.a $(lib_libs)

# BENCH=NAMES: only these rows
bench: all $(B)/tests/bench/feed
	$(PYTHON) tests/bench/bench.py --build '$(B)' $(BENCH)

# ---- installing --------------------------------------------------------------------------
# Every path is quoted, since DESTDIR may hold blanks. Python programs find their
# package by its place relative to them, so that a staged tree works as it stands.
python_programs := rt-hist
python_programs += get_cyclictest_snapshot
python_programs += rt-top
python_packages := rthist
shell_programs := determine_maximum_mpps
man_of     = $(wildcard $(addprefix man/,$(addsuffix .[1-8],$1)))
man_pages := $(wildcard man/*.[1-8])
data_files := $(wildcard share/*.json)
python_man_pages := $(call man_of,$(python_programs))

define newline


endef
each = $(foreach item,$2,$(call $1,$(item))$(newline))
bin_of = "$(DESTDIR)$(if $(filter $(notdir $1),$(SBIN_PROGRAMS)),$(sbindir),$(bindir))"
man_dir = "$(DESTDIR)$(mandir)/man$(subst .,,$(suffix $1))"

# The version is written into what has none of its own.
page = sed '/^\.TH /s/"rtgauge[^"]*"/"rtgauge $(VERSION)"/' $1
version_line = s|^VERSION = .*|VERSION = "$(VERSION)"|

install_program = install -d $(bin_of) && install -m 755 $1 $(bin_of)
install_python = install -d $(bin_of) && \
	  place=$$(realpath -m --relative-to=$(bin_of) "$(DESTDIR)$(pkgdatadir)") && \
	  sed '$(version_line); s|^PACKAGE = .*|PACKAGE = "'"$$place"'"|' \
	  scripts/$1 >$(bin_of)/$1 && chmod 755 $(bin_of)/$1
install_package = for file in $$(cd scripts && find $1 -name '*.py'); do \
	  to="$(DESTDIR)$(pkgdatadir)/$$file"; \
	  install -D -m 644 "scripts/$$file" "$$to" && sed '$(version_line)' "scripts/$$file" >"$$to" || exit; done
install_man = install -d $(man_dir) && $(if $(filter 1,$(COMPRESS_MAN)),\
	  $(page) | gzip -9n >$(man_dir)/$(notdir $1).gz && chmod 644 $(man_dir)/$(notdir $1).gz,\
	  $(page) >$(man_dir)/$(notdir $1) && chmod 644 $(man_dir)/$(notdir $1))
install_bash = install -D -m 644 $1 "$(DESTDIR)$(bashcompdir)/$(notdir $1)"
install_zsh = install -D -m 644 $1 "$(DESTDIR)$(zshcompdir)/$(notdir $1)"
install_fish = install -D -m 644 $1 "$(DESTDIR)$(fishcompdir)/$(notdir $1)"

install_data = install -D -m 644 $1 "$(DESTDIR)$(pkgdatadir)/$(notdir $1)"

install: install-programs install-scripts

install-programs: all $(completions)
	$(call each,install_program,$(programs) $(addprefix scripts/,$(shell_programs)))
	$(call each,install_man,$(filter-out $(python_man_pages),$(man_pages)))
	$(call each,install_bash,$(bash_completions))
	$(call each,install_zsh,$(zsh_completions))
	$(call each,install_fish,$(fish_completions))

install-scripts: $(script_completions)
	$(call each,install_python,$(python_programs))
	$(call each,install_package,$(python_packages))
	$(call each,install_data,$(data_files))
	$(call each,install_man,$(python_man_pages))
	$(call each,install_bash,$(filter %/bash/rt-hist,$(script_completions)))
	$(call each,install_zsh,$(filter %/_rt-hist,$(script_completions)))
	$(call each,install_fish,$(filter %/rt-hist.fish,$(script_completions)))

uninstall_program = rm -f $(bin_of)/$1
uninstall_package = rm -rf "$(DESTDIR)$(pkgdatadir)/$1"
uninstall_man = rm -f $(man_dir)/$(notdir $1) $(man_dir)/$(notdir $1).gz
uninstall_data = rm -f "$(DESTDIR)$(pkgdatadir)/$(notdir $1)"
uninstall_completions = rm -f "$(DESTDIR)$(bashcompdir)/$1" "$(DESTDIR)$(zshcompdir)/_$1" \
	  "$(DESTDIR)$(fishcompdir)/$1.fish"

uninstall:
	$(call each,uninstall_program,$(TOOLS) $(python_programs) $(shell_programs))
	$(call each,uninstall_package,$(python_packages))
	$(call each,uninstall_man,$(man_pages))
	$(call each,uninstall_data,$(data_files))
	$(call each,uninstall_completions,$(TOOLS) $(python_programs))
	-[ ! -d "$(DESTDIR)$(pkgdatadir)" ] || rmdir "$(DESTDIR)$(pkgdatadir)"

# ---- releases and packages: packaging/README.md ------------------------------------------
# The same commit gives the same bytes. The spec is added where rpmbuild -ta looks for it.
tarball := rtgauge-$(VERSION).tar.gz
stamp = sed 's/@VERSION@/$(VERSION)/g' $1
sha256 = $$(sha256sum $1 2>/dev/null | cut -d ' ' -f 1)
recipes := $(patsubst packaging/%.in,$(B)/packaging/%,$(wildcard packaging/*/*.in))

dist:
	@git rev-parse -q --verify HEAD >/dev/null || { echo 'make dist: this is no git clone' >&2; exit 1; }
	@mkdir -p $(B)/dist
	git show HEAD:packaging/rpm/rtgauge.spec.in >$(B)/dist/spec
	$(call stamp,$(B)/dist/spec) >$(B)/dist/rtgauge.spec
	git archive --format=tar --prefix=rtgauge-$(VERSION)/ --add-file=$(B)/dist/rtgauge.spec HEAD | \
	  gzip -9n >$(tarball)

# Built from the release, as its users would
## make deb, make rpm  packages of what is committed, into build/deb and build/rpm
.PHONY: deb rpm
need = @command -v $1 >/dev/null || { echo 'make $@ needs $1: install the package $2' >&2; exit 1; }
alone = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL
deb_tree = $(B)/deb/rtgauge-$(VERSION)
deb:
	$(call need,dpkg-buildpackage,dpkg-dev)
	$(call need,dh,debhelper)
	$(call need,dh_python3,dh-python)
	$(MAKE) dist
	rm -rf $(B)/deb && mkdir -p $(B)/deb && tar xf $(tarball) -C $(B)/deb
	cd $(deb_tree) && $(alone) dpkg-buildpackage -us -uc -b
	rm -rf $(deb_tree)
	@ls $(B)/deb/*.deb
# Debian's rpm knows no packages, so none that others need
rpm:
	$(call need,rpmbuild,rpm (Debian) or rpm-build (Fedora))
	$(MAKE) dist
	rm -rf $(B)/rpm
	$(alone) rpmbuild -ta $(if $(wildcard /etc/debian_version),--nodeps) --define '_topdir $(abspath $(B))/rpm' $(tarball)
	rm -rf $(B)/rpm/BUILD $(B)/rpm/BUILDROOT
	@find $(B)/rpm -name '*.rpm'

.PHONY: recipes check-packages check-all
recipes: $(recipes)
# of the tarball that lies here, if one does
$(B)/packaging/%: packaging/%.in force
	@mkdir -p $(@D)
	$(call say,GEN)$(call stamp,$<) | \
	  sed "s/@SHA256@/$(call sha256,$(tarball))/; s/@LICENSE_SHA256@/$(call sha256,LICENSE)/" | \
	  sed 's|@SCRIPTS_BINDIR@|$(addprefix $${bindir}/,$(python_programs))|' >$@

## make check-packages tarball, packages, recipes, container: built, installed, run, removed
check-packages:
	prove --timer --failures --comments --exec '' tests/packages/packages.t tests/packages/container.t

## make check-all      everything: all builds, tests, sanitizers, virtual machines, packages
check-all:
	$(alone) .ci/run --all

distclean: clean
	rm -f rtgauge-*.tar.gz

clean:
	rm -rf build $(TOOLS)

# ---- other machines: tests/cross/README.md ------------------------------------------------
## make check-cross    builds for ARCH="i386 arm64 armhf s390x riscv64", tested here
.PHONY: check-cross
ARCH ?= i386 arm64
check-cross:
	prove --timer --exec '' tests/cross/check :: $(if $(CLI),--cli) $(ARCH)

# ---- virtual machines: tests/vm/README.md --------------------------------------------------
## make check-vm       tests in virtual machines (needs QEMU; skipped without)
## make bench-vm       ours, the distribution's and a bare loop under a repeating clock
.PHONY: check-vm bench-vm
vm_env = RT_BIN='$(abspath $(or $(bin_dir),.))'
check-vm: all build/tests/planted
	$(vm_env) prove --exec '' tests/vm/selftest.t tests/vm/check
# in the guest there is no compiler; tests/vm/check looks for it there
build/tests/planted: tests/cli/planted.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -std=gnu17 -D_GNU_SOURCE $(warnings) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $<
bench-vm: all $(B)/tests/bench/floor
	$(vm_env) tests/vm/bench
$(B)/tests/bench/floor: tests/bench/floor.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -std=gnu17 -D_GNU_SOURCE $(warnings) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $<
