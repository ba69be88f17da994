#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=16 numa=2
#
# pairtests - hand-overs on many CPUs, under PREEMPT_RT, threads and processes.
. "${0%/*}/../guest.sh"
programs sigwaittest pmqtest ptsematest svsematest pairtest signaltest

all='0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15'
queues=/tmp/mqueue
mkdir -p $queues && mount -t mqueue none $queues

# each_cpu: where the pairs' receivers are, as told
each_cpu() { sed -n 's/^#[0-9]*: ID[0-9]*, P[0-9]*, CPU\([0-9]*\), I.*/\1/p' "$T/.out" | tr '\n' ' ' | sed 's/ $//'; }
cycles() { sed -n 's/.*Cycles \([0-9]*\)$/\1/p' "$T/.out" | sort -u | tr '\n' ' ' | sed 's/ $//'; }

for tool in sigwaittest pmqtest ptsematest svsematest; do
	exits 0 $tool -S -p 80 -l 20 -q
	check "$tool -S: one pair on each CPU" [ "$(each_cpu)" = "$all" ]
	check "$tool -S: every pair made 20" [ "$(cycles)" = 20 ]
	exits 0 $tool --fork -a 3,8-10 -t 4 -p 80 -l 20 -q
	check "$tool --fork -a LIST: pair n on its n-th CPU" [ "$(each_cpu)" = "3 8 9 10" ]
	check "$tool --fork: every pair made 20" [ "$(cycles)" = 20 ]
	exits 0 $tool -a 2 --sender-affinity=9 -l 10 -q
	check "$tool: an end on each of two nodes" [ "$(sed -n 's/^#0: .* CPU2, .*#1: .* CPU\([0-9]*\), .*/\1/p' "$T/.out")" = 9 ]
done
refuses 2 '16' svsematest -a 16 -l 1
exits 0 signaltest -S -p 80 -l 20 -q
check 'signaltest -S: a ring over all CPUs' [ "$(grep -c '^T:' "$T/.out")" = 16 ]
exits 0 pairtest --via=cond -S -p 80 -l 20 -q
check 'a PI mutex on every CPU' [ "$(cycles)" = 20 ]

# A bare -b stops the trace, as it does in these tools; a mark is left if asked for.
tracing=/sys/kernel/tracing
for command in 'svsematest -i 1000' 'pairtest --via=futex --fork -i 1000' 'signaltest'; do
	echo 1 >$tracing/tracing_on
	exits 0 $command -q -b 1 -D 60
	warns 'above --breaktrace 1$'
	warns 'tracing is switched off now'
	check "$command -b: the trace is stopped" [ "$(cat $tracing/tracing_on)" = 0 ]
	echo 1 >$tracing/tracing_on
	echo >$tracing/trace
	exits 0 $command -q -b 1 -D 60 --tracemark
	check "$command --tracemark: the mark is there" grep -q 'hit latency threshold ([0-9]* > 1)' $tracing/trace
	check "$command --tracemark: the trace is stopped" [ "$(cat $tracing/tracing_on)" = 0 ]
done
echo 1 >$tracing/tracing_on

# An end on a CPU that goes away is somewhere else from then on: the user must hear of it.
start svsematest -a 3,4 -t 2 -i 1000 -D 60 -q
sleep 2
set_online 4 0
sleep 1
finish INT
set_online 4 1
check 'results of both pairs' [ "$(grep -c '^#.* -> .*Max' "$T/.out")" = 2 ]
warns 'CPU 4'

start pmqtest --fork -t 3 -D 60 -q
sleep 2
finish KILL
check 'no queue is ever seen' [ -z "$(ls $queues)" ]
start svsematest --fork -t 3 -D 60 -q
sleep 2
finish KILL
exits 0 svsematest -l 1 -q
check 'no semaphore stays' [ "$(sed 1d /proc/sysvipc/sem | wc -l)" = 0 ]
done_testing
