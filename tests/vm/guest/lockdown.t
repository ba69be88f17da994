#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=1 append=lockdown=confidentiality
#
# A kernel that is locked down has an empty tracefs: what needs it says so, and all else goes on.
. "${0%/*}/../guest.sh"
programs cyclictest irqsoff

mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
grep -q '\[confidentiality\]' /sys/kernel/security/lockdown || skip_all "this kernel cannot be locked down"
locked='tracefs is empty: this kernel is locked down .*boot it without lockdown=confidentiality'
refuses 4 "--why: $locked" cyclictest -q -l 3 --why
refuses 4 "--tracer: $locked" cyclictest -q -l 3 -b 1000s -T wakeup
refuses 4 "$locked" cyclictest -q -l 3 -b 1000s --tracemark
refuses 4 "$locked" irqsoff -D 1
exits 0 cyclictest -q -l 3 -b 1000s
done_testing
