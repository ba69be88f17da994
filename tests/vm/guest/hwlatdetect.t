#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=4 kernel=rt
# vm: cpus=4 kernel=stock cgroup=v1 append=isolcpus=2,3 append=nohz_full=2,3
#
# hwlatdetect on the kernel's own tracer: samples, modes, and that everything is as before.
. "${0%/*}/../guest.sh"
programs hwlatdetect

tracing=/sys/kernel/tracing
[ -e $tracing/current_tracer ] || mount -t tracefs none $tracing || skip_all 'no tracefs'
if ! grep -qw hwlat $tracing/available_tracers; then
	refuses 4 'no hwlat tracer .CONFIG_HWLAT_TRACER.; --user' hwlatdetect --duration=1
	refuses 2 '--width: ' hwlatdetect --duration=1 --window=10 --width=20
	run hwlatdetect --user --duration=1 --window=100ms --width=20ms --cpu-list=1 --threshold=1
	check '--user works without it' grep -q '^   detector: user$' "$T/.out"
	done_testing
fi

# state: all that the tracer has at the top, and who is there
state() {
	(cd $tracing && head -n 1 current_tracer tracing_on tracing_cpumask tracing_thresh hwlat_detector/* instances
	 ls instances) 2>&1
}
# same NAME: the state is as in the file "before"
same() {
	state >after
	check "$1: all is as before" cmp -s before after
	cmp -s before after || diff before after | sed 's/^/# /'
}

# odd values, which nobody would set by chance
echo 900000 >$tracing/hwlat_detector/window
echo 300000 >$tracing/hwlat_detector/width
echo 77 >$tracing/tracing_thresh
state >before

run hwlatdetect --duration=4 --threshold=1 --window=200ms --width=50ms --json=j.json
check 'the emulated machine has gaps: over the hard limit' [ "$status" = 1 ]
says '^hwlatdetect:  test duration 4 seconds$'
says '^   detector: tracer$'
says '^        Sample window:      200000us$'
says '^        Sample width:      50000us$'
says '^ts: [0-9]+\.[0-9]{9}, delta:nan, inner:[0-9]+, outer:[0-9]+, cpu:[0-3], count:[0-9]+$'
says '^ts: .*, delta:[0-9.-]+, inner:'
listed=$(grep -c '^ts: ' "$T/.out")
check "all $listed samples are counted" grep -q "^Samples recorded: $listed\$" "$T/.out"
check 'more than one was read' [ "$listed" -gt 1 ]
says '^Max Latency: [0-9]+us$'
same 'a run'

run hwlatdetect --duration=2 --threshold=500ms
check 'nothing found: good' [ "$status" = 0 ]
says '^Max Latency: Below threshold$'
says '^        Sample window:      900000us$'
says '^        Sample width:      300000us$'
same 'nothing found'

run hwlatdetect --duration=2
says '^        Latency threshold: 77us$'
run hwlatdetect --duration=3 --threshold=1 --hardlimit=10s
check '--hardlimit above all of them: good' [ "$status" = 0 ]
run hwlatdetect --duration=3 --threshold=1 --cpu-list=2 --window=300ms --width=100ms --mode=round-robin
check '--cpu-list: samples of that CPU alone' [ "$(sed -n 's/.*cpu:\([0-9]*\).*/\1/p' "$T/.out" | sort -u | tr '\n' ' ')" = '2 ' ]
run hwlatdetect --duration=3 --threshold=1 --window=300ms --width=100ms --mode=per-cpu --watch --report=saved
check '--mode=per-cpu: samples of several CPUs' [ "$(sed -n 's/.*cpu:\([0-9]*\).*/\1/p' "$T/.out" | sort -u | wc -l)" -gt 1 ]
check '--watch: samples before the end' [ "$(grep -n '^ts: ' "$T/.out" | head -1 | cut -d: -f1)" -lt "$(grep -n '^test finished' "$T/.out" | cut -d: -f1)" ]
grep '^ts: ' "$T/.out" >watched
check '--report: the same samples' cmp -s watched saved
says '^report saved to saved \([0-9]+ samples\)$'
same 'modes and lists'

# two at a time
start hwlatdetect --duration=60 --threshold=1
is_tracing() { [ "$(cat $tracing/instances/rtgauge-hwlat-*/tracing_on 2>/dev/null)" = 1 ]; }
check 'it runs in an instance of its own' waits_until 20 is_tracing
state >meanwhile
holder=$started
hwlatdetect --duration=1 >second.out 2>second.err
status=$?
check 'a second one: 4' [ $status = 4 ]
check 'it names the holder' grep -q "taken: by a hwlatdetect that runs as process $holder;" second.err
check 'it says nothing else' [ ! -s second.out ]
state >meanwhile2
check 'it touches nothing' cmp -s meanwhile meanwhile2
finish INT
check 'SIGINT: a report' grep -q '^Samples recorded: ' "$T/.out"
says '^interrupted$'
same 'SIGINT'
start hwlatdetect --duration=60 --threshold=1
waits_until 20 is_tracing
finish TERM
same 'SIGTERM'

# kill -9, and the next start of any tool
start hwlatdetect --duration=60 --threshold=1 --window=2s --mode=none
waits_until 20 is_tracing
finish KILL
check 'killed: the tracer is still on' is_tracing
exits 0 hwlatdetect --help
check '--help leaves it so' is_tracing
hwlatdetect --user --duration=50ms --cpu-list=0 --window=50ms --width=1ms >"$T/.out" 2>"$T/.err"
same 'after a kill -9, by the next start'

# a holder that is none of us
echo 0 >$tracing/tracing_on
echo hwlat >$tracing/current_tracer
refuses 4 'taken: by the trace at the top' hwlatdetect --duration=1
echo nop >$tracing/current_tracer
mkdir $tracing/instances/other
echo 0 >$tracing/instances/other/tracing_on
echo hwlat >$tracing/instances/other/current_tracer
refuses 4 "taken: by the trace instance 'other'" hwlatdetect --duration=1
echo nop >$tracing/instances/other/current_tracer
rmdir $tracing/instances/other
echo 1 >$tracing/tracing_on
# a user's own trace at the top goes on
echo function >$tracing/current_tracer
run hwlatdetect --duration=1 --threshold=500ms
check 'a trace at the top is not touched' [ "$status:$(cat $tracing/current_tracer):$(cat $tracing/tracing_on)" = 0:function:1 ]
echo nop >$tracing/current_tracer
same 'others'
done_testing
