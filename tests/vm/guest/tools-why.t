#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=4
#
# --why of the other tools on PREEMPT_RT: a planted SCHED_FIFO 99 thread on CPU 1 is named by a
# hand-over test, with threads and with processes, and by oslat; cyclicdeadline explains periods
# on a CPU that is set apart. The numbers add up, and tracefs is as before.
. "${0%/*}/../guest.sh"
programs cyclicdeadline oslat pairtest chrt taskset planted

state() { cd /sys/kernel/tracing && cat tracing_on current_tracer trace_clock set_event; ls instances; cd "$T" || exit; }
state >before

adds_up() {
	awk '/^# Why: / {
		lines++
		split($0, half, " = ")
		n = split(half[1], word, " ")
		sum = 0
		for (i = split(half[2], part, / \+ /); i > 0; i--) sum += part[i]
		if (sum != word[n - 1]) bad = 1
	} END { exit !(lines && !bad) }' "$T/.out"
}
plant() { taskset -c 1 chrt -f 99 timeout -s KILL 20 planted 40 6000 60000 >planted.log & }
names_it() {
	grep -Eq '^# *[0-9]+ us .* %  thread planted, pid [0-9]+, real-time priority 99 \(in' "$T/.out"
}

# named COMMAND...: in the best of five, since emulation makes other latencies, too
named() {
	for try in 1 2 3 4 5; do
		plant
		exits 0 "$@" --why --keep-going -q -D 4
		wait
		check "it adds up (try $try)" adds_up
		names_it && break
	done
	check "the planted thread is in the ranking of $1 (try $try)" names_it
}
named pairtest --via=futex -a 1 --sender-affinity=2 -t1 -p 80 -i 1000 -b 3000
says '^#   posted at [0-9.]+'
lacks 'timer late'
named pairtest --via=futex --fork -a 1 --sender-affinity=2 -t1 -p 80 -i 1000 -b 3000
named oslat -c 1 --preheat=100ms -T 3000
says '^#   ran last at [0-9.]+'

exits 0 cyclicdeadline -a 1 -t1 -i 20000 --runtime=2000 -q -D 2 --why
check "cyclicdeadline: it adds up" adds_up
says '^# Why: thread 0 on CPU 1: '
says '^#   due at [0-9.]+'

state >after
check "tracefs is as before" cmp -s before after
done_testing
