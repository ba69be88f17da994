#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cyclicdeadline-tracing - tracers, events and actions at the break, --keep-going,
# --why, with a planted cause.
. "${0%/*}/tap.sh"
. "$tests_dir/tracing.sh"
T_LIMIT=30

# ---- what needs no trace ---------------------------------------------------------------
refuses 2 "excludes --keep-going" cyclicdeadline -b 5 --keep-going --on-threshold=stop
refuses 2 "'frob' is no action|--on-threshold" cyclicdeadline -b 5 --on-threshold=frob
refuses 2 "is no event" cyclicdeadline -b 5 --event=foo
if ! cyclicdeadline -D 10ms -q >/dev/null 2>&1; then
	skip "no deadline threads here"
	done_testing
fi
cycles() { sed -n 's/.* C: *\([0-9]*\).*/\1/p' "$T/.out"; }
run cyclicdeadline -q -N -b 1 -D 300ms -i 10000 --keep-going --result=r.json
check "--keep-going: it goes on" [ "$status" = 0 -a "$(cycles)" -gt 5 ]
says '^# Samples above the limit: [0-9]+$'
holds "the result counts them" r.json 'd["cyclicdeadline"]["above_limit"] >= 5 and d["ended_by"] == "duration"'
run cyclicdeadline -q -N -b 1 -D 2 -i 10000 --on-threshold='shell,command=echo b >told'
check "an action at the break" [ "$(cat told)" = b ]
says '^# Break value: [0-9]+$'

# ---- traces ------------------------------------------------------------------------------
needs_tracefs
with_tracefs cyclicdeadline -b 5 -q -D 1 --tracer=foo
check "an unknown tracer: 2" [ "$status" = 2 ]
with_tracefs cyclicdeadline -N -b 1 -q -D 2 -i 10000 --context
check "--context: a trace is saved" grep -q ': sched_switch: ' cyclicdeadline-trace.txt
says '^# Trace: cyclicdeadline-trace.txt$'
with_tracefs cyclicdeadline -q -D 1 -i 10000 --why --result=why.json
check "--why: status" [ "$status" = 0 ]
check "it adds up" adds_up
says '^#   due at [0-9]+\.[0-9]{9}.*, ran \+[0-9]+ us$'
lacks 'not as before'
holds "the result adds up" why.json 'all(sum(c["ns"] for c in w["causes"]) == w["latency_ns"] == w["ran_ns"] - w["due_ns"] and w["waits_for"] == "period" for w in d["cyclicdeadline"]["why"]) and len(d["cyclicdeadline"]["why"]) >= 1'

# ---- a planted cause -----------------------------------------------------------------------
# A deadline thread goes before all but those of an earlier deadline: two of them, one a CPU,
# take 6 ms now and then, and the kernel leaves them no more than 8 of 32 ms.
needs_planted
[ "$(nproc)" = 2 ] || { skip "not two CPUs"; done_testing; }
timeout -s KILL 2 chrt -d -T 8000000 -D 9000000 -P 32000000 0 true 2>/dev/null || {
	skip "chrt(1) can get no such deadline here"; done_testing; }
cat >plant_deadline <<'END'
for i in 0 1; do
	timeout -s KILL 3 chrt -d -T 8000000 -D 9000000 -P 32000000 0 ./planted 36 6000 25000 >planted.log &
done
cyclicdeadline -t1 -i 12000 --runtime=500 -b 1000 -q --why --keep-going -D 1 --result=planted.json
status=$?
wait
exit $status
END
plant() { with_tracefs sh plant_deadline; }
is_named() {
	[ "$status" = 0 ] && adds_up &&
		grep -q '^# *[0-9]* us .* %  thread planted,.* SCHED_DEADLINE (in [1-9]' "$T/.out" &&
		{ [ -z "$PYTHON" ] || [ "$(value planted.json 'sum(c["ns"] for c in d["cyclicdeadline"]["causes"] if c["kind"] == "unexplained") <= 0.05 * sum(c["ns"] for c in d["cyclicdeadline"]["causes"]) and any(c["name"] == "planted" and c["kind"] == "thread" and c["ns"] >= c["times"] * 500000 for c in d["cyclicdeadline"]["causes"])')" = True ]; }
}
best_of_five plant is_named "a planted cause is in the ranking, and 95 % are accounted for"
done_testing
