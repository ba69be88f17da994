#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=4 kernel=stock cgroup=v1 append=isolcpus=2,3 append=nohz_full=2,3
#
# cyclictest and isolated CPUs: reached by number only.
. "${0%/*}/../guest.sh"
programs cyclictest

# where WANT OPTION...
where() {
	want=$1; shift
	start cyclictest -p 80 -i 20000 -q -D 60 "$@"
	check "threads are pinned to $want: $*" waits_until 30 is_pinned_to "$want"
	finish INT
	check "good status: $*" [ "$status" = 0 ]
}

where "2 3" -a 2,3 -t
where "2 3" -a 2-3 -t 2
where "3" -a 3
where "1 2" -a 1,2 -t
where "0 1" -a -t
where "0 1" -S
done_testing
