#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=16 numa=2
#
# cyclictest: which threads run where on many CPUs, two nodes, offline CPUs.
. "${0%/*}/../guest.sh"
programs cyclictest

all='0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15'
options='-p 80 -i 20000 -q'

# spread WANT OPTION...: a run ends well, its threads pinned as wanted, told alike in JSON
spread() {
	want=$1; shift
	rm -f "$T/json"
	start cyclictest $options -D 60 --json="$T/json" "$@"
	check "threads are pinned to $want: $*" waits_until 30 is_pinned_to "$want"
	finish INT
	check "good status: $*" [ "$status" = 0 ]
	check "JSON has the same CPUs: $*" [ "$(json_list cpu)" = "$want" ]
	check "as many lines as threads: $*" [ "$(grep -c '^T:' "$T/.out")" = "$(echo "$want" | wc -w)" ]
}

spread "$all" -a -t
check "half of the threads on each node" \
	[ "$(json_list node)" = "0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1" ]
spread "$all" -S
spread "3 8 9 10" -a 3,8-10 -t
spread "3 8" -a 3,8-10 -t 2
spread "15 15 15" -a 15 -t 3

refuses 2 '16' cyclictest $options -l 10 -a 16

set_online 5 0
refuses 4 '5' cyclictest $options -l 10 -a 5
refuses 4 '5' cyclictest $options -l 10 -a 4-6 -t
spread "${all% 5 *} 6 7 8 9 10 11 12 13 14 15" -a -t
set_online 5 1

# A thread whose CPU goes away is somewhere else from then on: the user must hear of it.
start cyclictest $options -D 60 -a 3,4 -t
check "threads are pinned to 3 and 4" waits_until 30 is_pinned_to "3 4"
sleep 1
set_online 4 0
sleep 1
finish INT
set_online 4 1
says '^T: 0 .* C: *[1-9]'
says '^T: 1 .* C: *[1-9]'
warns 'thread 1 lost CPU 4'
check "status 1: it is not the run that was asked for" [ "$status" = 1 ]
done_testing
