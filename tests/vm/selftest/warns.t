#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=1
# kernel-warns: a known fault
. "${0%/*}/warning.sh"
kernel_warns 'a known fault'
kernel_warns 'an unknown one'
echo "<4>WARNING: made up by a test" >/dev/kmsg
echo "ok 1 - is good, but the kernel complains"
echo "1..1"
