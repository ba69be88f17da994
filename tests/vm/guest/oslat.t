#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=4
# vm: cpus=4 cstates append=isolcpus=2,3
#
# oslat, queuelat, hrtimer-test on PREEMPT_RT and on isolated CPUs.
. "${0%/*}/../guest.sh"
programs oslat queuelat hrtimer-test

# row LABEL: the values of that row
row() { grep "^ *$1:" "$T/.out" | sed 's/.*:	 //; s/ (.*//'; }
isolated=$(cat /sys/devices/system/cpu/isolated)

# ---- CPUs --------------------------------------------------------------------------------
usable='0 1 2 3'
[ -z "$isolated" ] || usable='0 1'
run oslat --preheat=100ms -D 300ms -z
check "without a list: CPUs $usable" [ "$status:$(row Core)" = "0:$usable" ]
run oslat --preheat=100ms -D 300ms -c 2,3 -z
check 'named ones, also isolated' [ "$status:$(row Core)" = '0:2 3' ]
says '^CPU for main thread: 	0$'
start oslat --preheat=100ms -D 60 -c 2,3
is_on() { is_pinned_to '2 3'; }
check 'threads are where they are said to be' waits_until 20 is_on
finish INT
check 'SIGINT: good' [ "$status" = 0 ]
set_online 3 0
refuses 4 'CPU 3 .*offline' oslat -c 2-3
set_online 3 1

start oslat --preheat=100ms -D 4 -c 3
waits_until 30 grep -q '^Test starts' "$T/.out"
set_online 3 0
finish
set_online 3 1
check 'a CPU that goes offline in the run: 1' [ "$status" = 1 ]
warns 'the loop lost CPU 3 during the run'

# ---- real-time priority on all CPUs: it ends by itself, and by a signal -----------------------
run oslat --preheat=100ms -D 1 -c 0-3 -f 1 -z
check 'SCHED_FIFO on every CPU: ends by itself' [ "$status:$(row Core)" = '0:0 1 2 3' ]
warns 'main thread.s CPU 0 is tested at SCHED_FIFO, too'
start chrt -f 50 sh -c 'oslat --preheat=100ms -D 60 -c 0-3 -f 1 -z & sleep 4; kill -TERM $!; wait $!'
check 'and a signal ends it' waits_until 30 grep -q '^    Duration:' "$T/.out"
finish
check 'with status 0' [ "$status" = 0 ]

# ---- -T ------------------------------------------------------------------------------------------
tracing=/sys/kernel/tracing
[ -e $tracing/tracing_on ] || mount -t tracefs none $tracing
echo 1 >$tracing/tracing_on
run oslat --preheat=100ms -D 30 -c 2 -T 1 -q -z
check '-T: 1' [ "$status" = 1 ]
warns 'Trace threshold \(1 us\) triggered on cpu 2 with [0-9]+ us!'
check '-T: a mark, and tracing is off' \
	[ "$(grep -c 'Trace threshold' $tracing/trace):$(cat $tracing/tracing_on)" = 1:0 ]
echo 1 >$tracing/tracing_on

# ---- the others -------------------------------------------------------------------------------------
run hrtimer-test -i 1ms -l 5 -p 10 -a 2 --check
check 'hrtimer-test: nothing early, timers are fine' [ "$status" = 0 ]
says '^ok +high-resolution timers are active on all CPUs$'
run hrtimer-test -c monotonic -w deadline -i 10ms -l 5
says '^monotonic  deadline +10ms +5 '
run queuelat -m 100s -c 300 -p 0.001 -t 1
check 'queuelat: within a limit of 100 s' [ "$status" = 0 ]
run queuelat -m 20us -c 300 -p 100 -t 20
check 'queuelat: more arrive than are served' [ "$status" = 1 ]
done_testing
