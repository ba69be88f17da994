#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# rt-migrate-test on many CPUs: one task more than CPUs, and the lowest one waits.
# vm: cpus=16 numa=2
. "${0%/*}/../guest.sh"
T_LIMIT=100

run rt-migrate-test -q -l 3 -r 50 -s 200
check "status 0" [ "$status" = 0 ]
check "a task more than CPUs" [ "$(grep -c '^ Task ' "$T/.out")" = 17 ]
lowest=$(sed -n 's/^   Max: \([0-9]*\) us/\1/p' "$T/.out" | head -n 1)
check "the lowest waits for the run time of another" [ "$lowest" -ge 50000 ]
run rt-migrate-test -q -c -l 2 -r 20 -s 100 -e 90 -m 1
check "90 tasks on 16 CPUs, equal: the rule is broken" [ "$status" = 1 ]
warns 'iteration [0-9]: task [0-9]+ '
done_testing
