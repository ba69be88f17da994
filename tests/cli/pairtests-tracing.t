#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# pairtests-tracing - actions at the break, --keep-going and --why of the hand-over
# tests, with threads and processes, with a planted cause.
. "${0%/*}/tap.sh"
. "$tests_dir/tracing.sh"
T_LIMIT=30

cycles() { sed -n 's/.*Cycles \([0-9]*\).*/\1/p' "$T/.out"; }

# ---- what needs no trace ---------------------------------------------------------------
for tool in sigwaittest pmqtest ptsematest svsematest; do
	refuses 2 "excludes --keep-going" $tool -b 5 --keep-going --on-threshold=stop
	exits 0 $tool -q -l 5 --keep-going
	warns '^'$tool': warning: --keep-going does nothing without --breaktrace$'
done
refuses 2 "is no event" pairtest --via=futex -b 5 --event=foo
if ! is_root; then
	refuses 4 'run as root|tracefs' pairtest --via=futex --why -l 5
fi

# ---- traces ------------------------------------------------------------------------------
needs_tracefs
with_tracefs pairtest --via=futex -q -b 5 -l 5 --tracer=foo
check "an unknown tracer: 2" [ "$status" = 2 ]
with_tracefs pairtest --via=futex -q -b 1 -l 300 --keep-going --context --on-threshold='shell,command=echo b >told' --result=r.json
check "--keep-going: all loops" [ "$status" = 0 -a "$(cycles)" = 300 ]
lacks 'not as before'
holds "the result counts the samples above" r.json '"above_limit" in d["pairtest"] and d["ended_by"] == "loops"'
holds "an action was carried out, if there was a break" r.json 'd["pairtest"]["above_limit"] == 0 or open("told").read() == "b\n"'
for tool in sigwaittest pmqtest ptsematest svsematest 'pairtest --via=cond' 'pairtest --via=futex --fork' 'pairtest --via=pipe -t2'; do
	with_tracefs $tool -q -l 300 --why --result=why.json
	check "$tool --why: status" [ "$status" = 0 ]
	check "$tool: it adds up" adds_up
	says '^#   posted at [0-9]+\.[0-9]{9}.*, ran \+[0-9]+ us$'
	lacks 'timer late|not as before'
	holds "the result adds up" why.json 'all(sum(c["ns"] for c in w["causes"]) == w["latency_ns"] == w["ran_ns"] - w["due_ns"] and w["waits_for"] == "waker" for w in d[d["tool"]]["why"]) and len(d[d["tool"]]["why"]) >= 1'
done
says '^# Why: pair [01] on CPU [0-9]+: '

# ---- a planted cause -----------------------------------------------------------------------
# It comes between a post and the receiver's return now and then, if these are often.
needs_planted
is_named() {
	[ "$status" = 0 ] && adds_up &&
		grep -q '^# *[0-9]* us .* %  thread planted, pid [0-9]*, real-time priority 99 (in' "$T/.out" &&
		{ [ -z "$PYTHON" ] || [ "$(value planted.json 'sum(c["ns"] for c in d["pairtest"]["causes"] if c["kind"] == "unexplained") <= 0.05 * sum(c["ns"] for c in d["pairtest"]["causes"]) and any(c["name"] == "planted" and c["kind"] == "thread" and c["ns"] >= c["times"] * 500000 for c in d["pairtest"]["causes"])')" = True ]; }
}
for how in '' --fork; do
	plant() { with_tracefs sh plant pairtest --via=futex $how -a 1 --sender-affinity=0 -t1 -p 80 -i 50 -b 1500 -q --why --keep-going -D 1 --result=planted.json; }
	best_of_five plant is_named "pairtest $how: a planted cause is in the ranking, and 95 % are accounted for"
	says 'woken by pairtest/1, pid [0-9]+, real-time priority 80'
	lacks 'timer late'
done
done_testing
