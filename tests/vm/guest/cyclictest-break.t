#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=1
#
# cyclictest -b: stops a real trace, with the marker in it, if asked for.
. "${0%/*}/../guest.sh"
programs cyclictest

cd /sys/kernel/tracing || exit 1
trace_on() { echo 1 >tracing_on; echo >trace; }
echo 1 >events/sched/sched_switch/enable

# Under emulation every wake-up takes more than 1 us.
trace_on
exits 0 cyclictest -p 90 -i 1000 -q -D 60 -a 0 -b 1 --tracemark
says '^# Break value: [0-9]+$'
check "the trace is stopped" [ "$(cat tracing_on)" = 0 ]
cat trace >"$T/.out"
says 'hit latency threshold \([0-9]+ > 1\)'
says 'sched_switch'
# The marker is where it happened: hardly anything follows it.
sed -n '/hit latency/,$p' trace | grep -c sched_switch >"$T/.out"
check "the trace ends with the mark" [ "$(cat "$T/.out")" -le 3 ]

trace_on
exits 0 cyclictest -p 90 -i 1000 -q -D 60 -a 0 -b 1
says '^# Break value: [0-9]+$'
check "a bare -b leaves the trace running" [ "$(cat tracing_on)" = 1 ]

echo 0 >events/sched/sched_switch/enable
done_testing
