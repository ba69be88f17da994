#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=4 bits=32 limit=300
# vm: cpus=4 arch=arm64 limit=300
#
# Programs of 32 bit on a 64-bit kernel, and those of arm64: each one once, on PREEMPT_RT.
. "${0%/*}/../guest.sh"
programs cyclictest cyclicdeadline pi_stress oslat svsematest

# kind_of PROGRAM: class and machine in its ELF header
kind_of() { hexdump -s 4 -n 1 -e '1/1 "%d "' "$1"; hexdump -s 18 -n 2 -e '1/2 "%d"' "$1"; }
case $(uname -m) in x86_64) want='1 3' ;; aarch64) want='2 183' ;; esac
others=
for program in "$RT_BIN"/*; do
	[ "$(kind_of "$program")" = "$want" ] || others="$others $program"
done
check "programs of class and machine $want" [ -z "$others" ]
check 'the kernel is PREEMPT_RT' [ "$(cat /sys/kernel/realtime)" = 1 ]

# ---- cyclictest: policy, places, documents --------------------------------------------------
start cyclictest -S -p 80 -m -D 60 -q
is_everywhere() { is_pinned_to '0 1 2 3'; }
check 'a thread on each CPU' waits_until 30 is_everywhere
# policies: of how many threads the 41st field of proc_pid_stat(5) is 1, SCHED_FIFO
policies() { cat "/proc/$started/task"/*/stat | sed 's/.*) //' | cut -d ' ' -f 39 | grep -cx 1; }
check 'four of SCHED_FIFO' [ "$(policies)" = 4 ]
check 'memory is locked' grep -q '^VmLck:.*[1-9]' "/proc/$started/status"
finish INT
check 'SIGINT: good' [ "$status" = 0 ]

exits 0 cyclictest -S -p 80 -l 50 -q --json="$T/json"
check 'a series for each CPU' [ "$(json_list cpu)" = '0 1 2 3' ]
check 'the fastest has all of its samples' [ "$(json_list cycles | cut -d ' ' -f 1)" = 50 ]
exits 0 cyclictest -a 2 -l 20 -q --result="$T/json"
check 'times are whole: this year' grep -q "\"started\": *\"$(date +%Y)-" "$T/json"
case $(uname -m) in
x86_64) exits 0 cyclictest -a 1 --smi -l 20 -q ;;
*) refuses 4 'does not count its SMIs' cyclictest -a 1 --smi -l 20 -q ;;
esac
exits 0 cyclictest -a 1 -b 1 -D 60 -q
refuses 2 'interval' cyclictest -i 0

# ---- deadlines, priority inheritance ------------------------------------------------------------
exits 0 cyclicdeadline -t 2 -i 20000 -D 2 -q
check 'two deadline threads have measured' [ "$(grep -c '^T: *[01] ' "$T/.out")" = 2 ]
exits 0 pi_stress -g 2 -D 2 -q
says 'Total inversion performed: [1-9]'

# ---- the machine's noise: the CPU's counter is of 64 bit ---------------------------------------
exits 0 oslat --preheat=100ms -D 500ms -c 2,3 -z
check 'oslat: a frequency for each CPU' grep -q 'Counter Freq:.* [1-9].* [1-9]' "$T/.out"
exits 0 hrtimer-test -i 1ms -l 5 -p 10 -a 2
exits 0 hwlatdetect --duration=2s --threshold=10s

# ---- hand-overs, by threads and by processes -------------------------------------------------------
cycles() { sed -n 's/.*Cycles \([0-9]*\)$/\1/p' "$T/.out" | sort -u | tr '\n' ' ' | sed 's/ $//'; }
for tool in sigwaittest pmqtest ptsematest svsematest; do
	exits 0 $tool -S -p 80 -l 20 -q
	check "$tool: every pair made 20" [ "$(cycles)" = 20 ]
	exits 0 $tool --fork -a 1,3 -t 2 -p 80 -l 20 -q
	check "$tool --fork: every pair made 20" [ "$(cycles)" = 20 ]
done
exits 0 signaltest -S -p 80 -l 20 -q
exits 0 rt-migrate-test -q -l 2
exits 0 hackbench -g 2 -l 20
exits 0 ssdd --forks=2 --iters=20
done_testing
