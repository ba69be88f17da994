#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=16 numa=2
#
# cyclictest --smi: exactly the interrupts that came, on the thread they came to.
. "${0%/*}/../guest.sh"
programs cyclictest

smis() { sed -n 's/^T:.* SMI: *\([0-9]*\).*/\1/p' "$T/.out" | tr '\n' ' ' | sed 's/ $//'; }

# three on CPU 0, with others beside it and CPU 0 not the first thread's
start cyclictest -p 80 -i 20000 -q -D 60 --smi -a 0-3 -t
waits_until 30 is_pinned_to "0 1 2 3"
sleep 1
smi; smi; smi
sleep 1
finish INT
check "good status" [ "$status" = 0 ]
check "3 SMIs for the thread on CPU 0, none for the others" [ "$(smis)" = "3 0 0 0" ]

# what was counted before the run is not of the run
exits 0 cyclictest -p 80 -i 10000 -q -l 20 --smi -a 0
check "no SMI in a run without one" [ "$(smis)" = 0 ]
done_testing
