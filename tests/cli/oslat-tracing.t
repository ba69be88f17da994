#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# oslat-tracing - actions at the threshold, --keep-going and --why, with a planted cause.
. "${0%/*}/tap.sh"
. "$tests_dir/tracing.sh"
T_LIMIT=30

# ---- what needs no trace ---------------------------------------------------------------
last=$(($(nproc --all) - 1))
oslat="oslat -c $last --preheat=100ms -q"
refuses 2 "excludes --keep-going" $oslat -D 1 -T 5 --keep-going --on-threshold=stop
refuses 2 "is no event" $oslat -D 1 -T 5 --event=foo
run $oslat -D 100ms --keep-going
check "--keep-going without a threshold" [ "$status" = 0 ]
warns '^oslat: warning: --keep-going does nothing without --trace-threshold$'
is_root || refuses 4 'run as root|tracefs' $oslat -D 100ms --why

# ---- traces ------------------------------------------------------------------------------
needs_tracefs
with_tracefs $oslat -D 1 -T 5 --tracer=foo
check "an unknown tracer: 2" [ "$status" = 2 ]
with_tracefs $oslat -D 1 -T 5 --keep-going --context --on-threshold='shell,command=echo b >told' --on-threshold=trace,file=mine --result=r.json
check "--keep-going: the run ends by itself, and well" [ "$status" = 0 ]
says '^# Samples above the limit: [1-9][0-9]*$'
lacks 'triggered|not as before'
check "an action was carried out" [ "$(cat told)" = b ]
check "a trace was saved" grep -q '^# tracer: ' mine
holds "the result counts them" r.json 'd["oslat"]["above_limit"] >= 1 and d["ended_by"] == "duration" and d["exit_status"] == 0'
with_tracefs $oslat -D 1 --why --result=why.json
check "--why: status" [ "$status" = 0 ]
check "it adds up" adds_up
says "^# Why: loop 0 on CPU $last: "
says '^#   ran last at [0-9]+\.[0-9]{9}.*, ran \+[0-9]+ us$'
lacks 'timer late|switch-in|not as before'
holds "the result adds up" why.json 'all(sum(c["ns"] for c in w["causes"]) == w["latency_ns"] == w["ran_ns"] - w["due_ns"] and w["waits_for"] == "cpu" for w in d["oslat"]["why"]) and len(d["oslat"]["why"]) >= 1'
holds "each is one of the gaps" why.json 'all(w["latency_ns"] <= d["series"][0]["latency_ns"]["max"] for w in d["oslat"]["why"])'

# ---- a planted cause -----------------------------------------------------------------------
needs_planted
plant() { with_tracefs sh plant oslat -c 1 --preheat=100ms -q -D 1 -T 1500 --why --keep-going --result=planted.json; }
is_named() {
	[ "$status" = 0 ] && adds_up &&
		grep -q '^# *[0-9]* us .* %  thread planted, pid [0-9]*, real-time priority 99 (in' "$T/.out" &&
		{ [ -z "$PYTHON" ] || [ "$(value planted.json 'sum(c["ns"] for c in d["oslat"]["causes"] if c["kind"] == "unexplained") <= 0.05 * sum(c["ns"] for c in d["oslat"]["causes"]) and any(c["name"] == "planted" and c["kind"] == "thread" and c["ns"] >= c["times"] * 500000 for c in d["oslat"]["causes"])')" = True ]; }
}
best_of_five plant is_named "a planted cause is in the ranking, and 95 % are accounted for"
done_testing
