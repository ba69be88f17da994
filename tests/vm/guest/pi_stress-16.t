#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=16 numa=2 limit=300
#
# pi_stress and pip_stress on many CPUs: where the groups run, more groups than CPUs, a
# deadline thread, and that the watchdog tells deadlock from slowness. An emulated CPU
# can be away for seconds, so that the watchdog has to be patient here.
. "${0%/*}/../guest.sh"
programs pi_stress pip_stress
patient='--watchdog=40s'

total() { sed -n 's/^Total inversion performed: //p' "$T/.out"; }
# own KEY: all numbers of that name in the result document, of each group
own() { sed -n '/^  "pi_stress"/,$p' r.json | grep -o "\"$1\":[0-9][0-9]*" | sed 's/.*://' | tr '\n' ' ' | sed 's/ $//'; }

# groups NAME WANTED-CPUS OPTION...: 20 inversions in each group, on these CPUs
groups() {
	about=$1 places=$2; shift 2
	rm -f r.json
	exits 0 pi_stress -q -i 20 $patient --result=r.json "$@"
	check "$about: CPUs $places" [ "$(own cpu)" = "$places" ]
	check "$about: 20 in each group" [ "$(own inversions | tr ' ' '\n' | sort -u)" = 20 ]
	check "$about: the total" [ "$(total)" = $(($(echo "$places" | wc -w) * 20)) ]
}

T_LIMIT=120
groups "one group for each CPU but the first" "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"
groups "-g 16 shares the first CPU" "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0" -g 16
groups "-g 2" "1 2" -g 2
groups "-u" "0 0 0" -u -g 3
set_online 3 0
groups "CPU 3 is offline" "1 2 4 5 6 7 8 9 10 11 12 13 14 15"
set_online 3 1

# a command that takes a mask, of CPUs 4, 6 and 9
rm -f r.json
exits 0 taskset 250 pi_stress -q -i 20 -g 5 $patient --result=r.json
check "groups stay within the inherited mask" [ "$(own cpu)" = "6 9 4 6 9" ]

# a deadline thread, which runs anywhere: real inversions, the others are told
rm -f r.json
exits 0 pi_stress -q -D 3 -g 2 $patient --result=r.json \
	-s id=high,policy=deadline,runtime=2ms,deadline=20ms,period=20ms
check "inversions with a deadline thread" [ "$(total)" -gt 0 ]
check "all passes are accounted for" awk -v passes="$(own passes)" -v good="$(own inversions)" \
	-v free="$(own not_inverted)" -v failed="$(own failed)" 'BEGIN {
		n = split(passes, p); split(good, g); split(free, f); split(failed, x)
		for (i = 1; i <= n; i++) if (p[i] != g[i] + f[i] + x[i]) exit 1
		exit !n }'
refuses 4 'bandwidth' pi_stress -i 5 -g 40 $patient \
	-s id=high,policy=deadline,runtime=19ms,deadline=20ms,period=20ms -s id=low,policy=fifo

# without inheritance
rm -f r.json
exits 1 pi_stress -q --no-pi --watchdog=5s --result=r.json
warns 'group 0 is deadlocked'
check "no inversion is counted" [ "$(total)" = 0 ]
exits 1 pip_stress --no-pi
exits 0 pip_stress -u 1000000

# a CPU goes away under its group
start pi_stress -q -D 60 -g 1 $patient
busy() { [ "$(ls "/proc/$started/task" | wc -l)" -ge 4 ]; }
waits_until 20 busy
sleep 2
set_online 1 0
sleep 1
finish INT
set_online 1 1
check "a group without its CPU fails" [ "$status" = 1 ]
warns 'lost CPU 1'

# somebody above all three takes their CPU: slow, and not deadlocked
start taskset 3 pi_stress -q --watchdog=3s
waits_until 20 busy
sleep 2
chrt -f 70 timeout -s KILL 20 chrt -f 60 taskset 2 sh -c 'while :; do :; done' &
hog=$!
finish
check "a starved group fails" [ "$status" = 1 ]
warns 'WATCHDOG triggered: group 0 made no pass in 3000 ms: its .* thread .*This is no deadlock'
lacks 'is deadlocked'
wait $hog 2>/dev/null
done_testing
