#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cyclictest-tracing - tracers and events in an instance of its own, actions at
# the break, --keep-going, --why. All on a tracefs in a mount namespace; CPU 1 is
# the one that is kept busy.
. "${0%/*}/tap.sh"
. "$tests_dir/cyclictest.sh"
. "$tests_dir/tracing.sh"

# ---- what needs no trace ---------------------------------------------------------------
run cyclictest -q -N -b 1 -l 50 --keep-going
check "--keep-going: all loops" [ "$status" = 0 -a "$(field C)" = 50 ]
says '^# Break value: [0-9]+$'
says '^# Samples above the limit: 50$'
run cyclictest -q -N -b 1 -l 50 --on-threshold=continue --result=r.json
check "continue: all loops" [ "$status" = 0 -a "$(field C)" = 50 ]
holds "the result counts them" r.json 'd["cyclictest"]["above_limit"] == 50 and d["ended_by"] == "loops"'
run cyclictest -q -N -b 1 -l 50 --on-threshold=stop --on-threshold='shell,command=echo a; echo b >told'
check "shell: its work is done, its output is not in the result" [ "$(cat told)" = b ]
check "and the run has ended" [ "$status" = 0 -a "$(field C)" = 1 ]
lacks '^Samples above'
warns '^a$'
run cyclictest -q -N -b 1 -l 50 --on-threshold='shell,command=exit 3'
check "a command that fails is a warning" [ "$status" = 0 ]
warns "warning: 'exit 3' ended with status 3"
sh -c 'trap "echo got >signalled; exit" USR1; while :; do sleep 0.05; done' & pid=$!
sleep 0.2
exits 0 cyclictest -q -N -b 1 -l 50 --on-threshold=signal,num=10,pid=$pid
wait "$pid"
check "signal: it was sent" [ -e signalled ]
run cyclictest -q -b 1000s -l 5 --on-threshold='shell,command=echo x >never'
check "no break, no action" [ "$status" = 0 -a ! -e never ]

# ---- what cannot be had ---------------------------------------------------------------------
is_root && have unshare && unshare -m true 2>/dev/null ||
	refuses 4 'tracefs|run as root' cyclictest -q --why -l 5
needs_tracefs
# (another mount of it may still stand in /proc/self/mounts)
refuses 4 'tracefs is not mounted; as root: mount|/debug/tracing' unshare -m sh -c 'mount -t tmpfs none /sys/kernel; exec cyclictest -q --why -l 5'
refuses 4 'tracefs is not mounted|/debug/tracing' unshare -m sh -c 'mount -t tmpfs none /sys/kernel; exec cyclictest -q -b 5 -C -l 5'
saves() { check "$1: a trace is saved" grep -q '^# tracer: ' "$2"; lacks 'not as before'; }

with_tracefs cyclictest -b 5 -q -l 5 -Tfoo
check "an unknown tracer: 2" [ "$status" = 2 ]
warns "^cyclictest: --tracer: 'foo' is no tracer; this kernel has: .*nop"
for pair in I:irqsoff:IRQSOFF P:preemptoff:PREEMPT w:wakeup:SCHED W:wakeup_rt:SCHED; do
	letter=${pair%%:*} config=${pair##*:} tracer=${pair#*:} tracer=${tracer%:*}
	if unshare -m sh -c 'sh private true; mount -t tracefs none /sys/kernel/tracing 2>/dev/null
	   grep -qw "$1" /sys/kernel/tracing/available_tracers' - "$tracer"; then
		skip "this kernel has $tracer"
	else
		with_tracefs cyclictest -b 5 -q -l 5 "-$letter"
		check "-$letter: 4" [ "$status" = 4 ]
		warns "no $tracer tracer \(it needs CONFIG_${config}_TRACER\)"
	fi
done
with_tracefs cyclictest -b 5 -q -l 5 --event=sched:nothing
check "an unknown event: 4" [ "$status" = 4 ]
warns "--event: this kernel has no event 'sched:nothing'"
with_tracefs cyclictest -b 5 -q -l 5 --event='sched:sched_switch foo==1'
check "a bad filter: 2" [ "$status" = 2 ]
warns "'foo==1' is no filter for events/sched/sched_switch: Field not found"
with_tracefs cyclictest -b 5 -q -l 5 -C -O foo
check "a bad option: 2" [ "$status" = 2 ]
warns "--traceopt: 'foo' is no option"
lacks 'not as before'
if is_root && have setpriv; then
	with_tracefs setpriv --reuid 65534 --regid 65534 --clear-groups "$(command -v cyclictest)" -q -l 5 --why
	check "not root: 4" [ "$status" = 4 ]
	warns 'run as root'
fi
run unshare -m sh -c 'sh private true; mount -t tracefs none /sys/kernel/tracing 2>/dev/null
   mount -t tmpfs -o ro none /sys/kernel/tracing/instances && exec cyclictest -q -l 5 --why'
check "no instance can be made: 4" [ "$status:$(wc -c <"$T/.out")" = 4:0 ]
warns '^cyclictest: cannot make the trace instance .*/instances/rtgauge-cyclictest-.*: Read-only file system'
run unshare -m sh -c 'sh private true; mount -t tracefs none /sys/kernel/tracing 2>/dev/null
   mount -t tmpfs -o ro none /sys/kernel/tracing/instances && exec cyclictest -q -l 5'
check "who does not trace goes on" [ "$status" = 0 ]
check "what was refused left no file" [ ! -e cyclictest-trace.txt ]

# ---- traces -------------------------------------------------------------------------------------
with_tracefs cyclictest -N -b 1 -q -l 100 -C -O noirq-info
check "-C: status" [ "$status" = 0 ]
saves -C cyclictest-trace.txt
says '^# Trace: cyclictest-trace.txt$'
check "-C: its events" grep -q ': sched_switch: ' cyclictest-trace.txt
rm -f cyclictest-trace.txt
with_tracefs cyclictest -N -b 1 -q -l 100 -T nop --event='sched:sched_waking prio==3' --on-threshold=trace,file=mine
check "--event: status" [ "$status" = 0 ]
saves "trace,file=" mine
check "the filter holds" [ "$(grep -c ': ' mine)" -le 3 ]
check "and no other file" [ ! -e cyclictest-trace.txt ]
with_tracefs cyclictest -b 1000s -q -l 5 -C
check "no break, no trace" [ "$status" = 0 -a ! -e cyclictest-trace.txt ]
with_tracefs cyclictest -N -b 1 -q -l 100 -C --on-threshold=trace,file=/nonexistent/x
check "a file that cannot be: 1" [ "$status" = 1 ]
with_tracefs cyclictest -N -b 1 -q -l 100 -C --on-threshold=trace,file=/dev/full
check "a trace that is lost: 1" [ "$status" = 1 ]
warns "cannot write '/dev/full'"
says '^# Break value: '
lacks 'not as before'

# ---- --why -----------------------------------------------------------------------------------------
with_tracefs cyclictest -q -l 300 --why --result=why.json
check "--why: status" [ "$status" = 0 ]
check "it adds up" adds_up
says '^#   due at [0-9]+\.[0-9]{9}.*, ran \+[0-9]+ us$'
lacks '# Break|above the limit|not as before'
holds "the result adds up" why.json 'all(sum(c["ns"] for c in w["causes"]) == w["latency_ns"] == w["ran_ns"] - w["due_ns"] for w in d["cyclictest"]["why"]) and len(d["cyclictest"]["why"]) >= 1'
if grep -qw hypervisor /proc/cpuinfo; then
	says '^# Stolen by the host in all the run, in steps of [0-9]+ ms: ([0-9]+ ms of CPU|none that is told)'
	holds "of each CPU" why.json 'all(s["cpu"] >= 0 and (s["ns"] is None or s["ns"] >= 0) for s in d["cyclictest"]["stolen"]) and d["cyclictest"]["stolen"] != []'
else
	lacks 'Stolen'
	holds "a real machine: null" why.json 'd["cyclictest"]["stolen"] is None'
fi
with_tracefs cyclictest -q -N -l 30 -b 1 --why --keep-going
check "--keep-going --why: all loops" [ "$status" = 0 -a "$(field C)" = 30 ]
says '^# Samples above the limit: 30, explained: [0-9]+$'
check "in nanoseconds it adds up, too" adds_up
finer() { grep -E '^# +[0-9]+ ns .*(interrupt|timer late|leaving)' "$T/.out" | grep -qv '000 ns'; }
check "and the trace's times are not rounded" finer
for clock in boottime tai; do
	with_tracefs cyclictest -q -l 100 --why -c $clock
	check "--why -c $clock adds up" adds_up
done

# ---- the next start after a kill -9 ---------------------------------------------------------------
cat >killed <<'END'
ls $tracing/instances >before_it
cyclictest -q --why -b 1000s &
pid=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	[ -e /dev/shm/cyclictest$pid ] && break
	sleep 0.1
done
ls $tracing/instances | grep rtgauge-cyclictest | grep -vxFf before_it >new
wc -l <new
kill -KILL $pid
wait $pid 2>/dev/null
cyclictest -q -l 3 >/dev/null
# other runs' instances, if there are any, go when these end
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	ls $tracing/instances | grep -qxFf new || { echo removed; break; }
	sleep 0.2
done
END
{ sed '/^state/,$d' private; cat killed; } >both
run unshare -m sh both
says "^[1-9]"
if [ -d /run/rtgauge ]; then says '^removed$'; else skip "no journals on this machine"; fi

# ---- a planted cause ----------------------------------------------------------------------------------
# A SCHED_FIFO 99 thread that keeps CPU 1 for 3 ms, forty times, and never longer than 3 s in all.
if ! can_rt || ! have cc || [ "$(nproc)" -lt 2 ] || is_sanitized; then
	skip "no real-time priority, no compiler, or one CPU only: no planted cause"
	done_testing
fi
has_json || { skip "built without json-c (JSON=0)"; done_testing; }
for program in planted flood; do
	cc -O2 -o $program "$tests_dir/$program.c" || { skip "$program cannot be built"; done_testing; }
done
cat >plant <<'END'
taskset -c 1 chrt -f 99 timeout -s KILL 3 ./planted 40 3000 25000 >planted.log &
"$@"
status=$?
wait
exit $status
END
# In the best of five: on a busy machine others hold the CPU, too, and the host takes it away.
judged() { judge=$(awk -f "$tests_dir/planted.awk" planted.log "$T/.out"); }
for try in 1 2 3 4 5; do
	with_tracefs sh plant timeout -s INT 5 cyclictest -a 1 -t1 -p 80 -b 1500 --why
	judged && break
done
check "a planted cause: its time, and 95 % accounted for (try $try: $judge)" judged
check "and it adds up" adds_up
says '^# *[0-9]+ us .* %  thread planted, pid [0-9]+, real-time priority 99$'
lacks 'not as before'

# Without a limit the worst of the run is explained, which is the planted one's, too.
for try in 1 2 3 4 5; do
	with_tracefs sh plant cyclictest -a 1 -t1 -p 80 --why -q -D 1
	judged && break
done
check "the worst of a run: its time, and 95 % accounted for (try $try: $judge)" judged
lacks '# Break|not as before'

# Of all that was too late 95 % have a cause, and where the thread is one it is one for a good
# part of its 3 ms.
explained() {
	[ "$status" = 0 ] && adds_up &&
		grep -q '^# *[0-9]* us .* %  thread planted, pid [0-9]*, real-time priority 99 (in' "$T/.out" &&
		{ [ -z "$PYTHON" ] || [ "$(value planted.json 'sum(c["ns"] for c in d["cyclictest"]["causes"] if c["kind"] == "unexplained") <= 0.05 * sum(c["ns"] for c in d["cyclictest"]["causes"]) and any(c["name"] == "planted" and c["kind"] == "thread" and c["ns"] >= c["times"] * 500000 for c in d["cyclictest"]["causes"])')" = True ]; }
}
for try in 1 2 3 4 5; do
	with_tracefs sh plant cyclictest -a 1 -t1 -p 80 -b 1500 --why --keep-going -q -D 1 --result=planted.json
	explained && break
done
check "it is in the ranking of a run that goes on (try $try)" explained
lacks 'not as before'

# Datagrams to ourselves, received in softirqs on CPU 1, for two seconds at most.
./flood 0 2>/dev/null || { skip "no loopback interface"; done_testing; }
cat >flooded <<'END'
taskset -c 1 timeout -s KILL 5 ./flood 2 &
cyclictest -a 1 -t1 -p 80 -i 300 -b 1 --why --keep-going -q -D 1 --result=flood.json
status=$?
wait
exit $status
END
received() { grep -q '^# *[0-9]* us .* %  softirq NET_RX (in [1-9]' "$T/.out"; }
for try in 1 2 3 4 5; do
	with_tracefs sh flooded
	received && break
done
check "a softirq is named (try $try)" received
holds "in the result, too" flood.json 'any(c["kind"] == "softirq" and c["name"] == "NET_RX" for c in d["cyclictest"]["causes"])'
lacks 'not as before'
done_testing
