#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=4 cstates append=isolcpus=2,3
#
# cyclictest --deepest-idle-state: what is switched off, and that it comes back.
. "${0%/*}/../guest.sh"
programs cyclictest

run_on_2() { start cyclictest -p 80 -i 20000 -q -D 60 -a 2 "$@"; }

run_on_2 --deepest-idle-state=1
check "deeper states of CPU 2 are off" waits_until 30 has_idle_states 2 "0 0 1 1"
check "those of CPU 3 are not" has_idle_states 3 "0 0 0 0"
finish INT
check "good status" [ "$status" = 0 ]
check "all are back after the run" has_idle_states 2 "0 0 0 0"

run_on_2 --deepest-idle-state=-1
check "-1: all states are off" waits_until 30 has_idle_states 2 "1 1 1 1"
finish TERM
check "all are back after SIGTERM" has_idle_states 2 "0 0 0 0"

# what someone else has switched off stays so
echo 1 >/sys/devices/system/cpu/cpu2/cpuidle/state3/disable
run_on_2 --deepest-idle-state=1
check "deeper states of CPU 2 are off again" waits_until 30 has_idle_states 2 "0 0 1 1"
finish KILL
check "killed: they stay off" has_idle_states 2 "0 0 1 1"
exits 0 cyclictest --help
check "--help does not touch them" has_idle_states 2 "0 0 1 1"
exits 0 cyclictest -q -l 5 -a 3
check "the next run puts back what was before" has_idle_states 2 "0 0 0 1"
echo 0 >/sys/devices/system/cpu/cpu2/cpuidle/state3/disable

# two runs on one CPU: the last one to go puts back
run_on_2 --deepest-idle-state=1
first=$started
waits_until 30 has_idle_states 2 "0 0 1 1"
cyclictest -p 80 -i 20000 -q -D 60 -a 2 --deepest-idle-state=1 >"$T/second" 2>&1 &
second=$!
sleep 2
kill -INT $first; wait $first
check "states are off while the second run lasts" has_idle_states 2 "0 0 1 1"
kill -INT $second; wait $second
check "the last one puts them back" has_idle_states 2 "0 0 0 0"

refuses 2 'deepest-idle-state' cyclictest -q -l 5 -a 2 --deepest-idle-state=9
check "a refused run changes nothing" has_idle_states 2 "0 0 0 0"
done_testing
