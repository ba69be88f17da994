#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=1
# kernel-warns: at no/such.c:[0-9]+ a_known_fault
# kernel-warns: another_one
. "${0%/*}/warning.sh"
kernel_warns 'CPU: 0 PID: 1 at no/such.c:12 a_known_fault+0x1/0x2'
kernel_warns 'CPU: 0 PID: 1 at no/such.c:15 another_one+0x1/0x2'
echo "ok 1 - is good, and the kernel complains of what the head says"
echo "1..1"
