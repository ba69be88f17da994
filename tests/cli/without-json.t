#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# without-json - a build with JSON=0 runs, and refuses what needs json-c before anything
# starts. Where the programs have json-c, two are built without it in the test's own folder.
. "${0%/*}/tap.sh"

needed='--(json|result|samples): this program was built without json-c \(JSON=0\); build it with json-c'

if has_json; then
	have make && [ -f "$top/Makefile" ] || skip_all "no make, or no makefile to build with"
	have "${CC:-cc}" || skip_all "no C compiler (${CC:-cc})"
	mkdir tree
	cp -r "$top/Makefile" "$top/src" tree
	run_anyway make -C tree CFLAGS=-O0 JSON=0 NUMA_SAID=1 cyclictest hackbench
	check "JSON=0 builds" [ "$status" = 0 ]
	PATH=$T/tree:$PATH
	tools='cyclictest hackbench'
	run_anyway make -C tree JSON_LIBS=-lno-such-library all
	check "without json-c and without JSON=0: an error that names it" grep -q 'json-c is missing.*JSON=0' "$T/.err"
else
	tools=$(make -s -C "$top" list-tools) || skip_all "no makefile to ask for the programs"
fi

for tool in $tools; do
	[ "$tool" = pip_stress ] && continue # has no documents
	case $tool in
	queuelat) words='-m 100s -c 300 -p 0.001' ;;
	pairtest) words=--via=futex ;;
	*) words= ;;
	esac
	for option in --json=- --json=f --result=f; do
		run_anyway "$tool" $words $option
		check "$tool $option: status 4, nothing on stdout" [ "$status" = 4 -a ! -s "$T/.out" ]
		warns "^$tool: $needed"
	done
	check "$tool: no file is left" [ ! -e f ]
	run_anyway "$tool" --help
	says 'JSON=0'
done
run_anyway cyclictest --samples=f
check "cyclictest --samples: status 4" [ "$status" = 4 ]
warns "^cyclictest: $needed"
run_anyway cyclictest --result=f --checkpoint=1
check "cyclictest --checkpoint: status 4" [ "$status" = 4 ]
refuses 2 '--checkpoint: needs --result' cyclictest --checkpoint=1
exits 0 cyclictest -q -l 5 --percentiles --limit=60000000
says '^# P50: '
exits 0 hackbench -g 1 -l 2 -f 2
done_testing
