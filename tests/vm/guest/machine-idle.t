#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=4 cstates append=isolcpus=2,3
#
# Idle states, and CPUs that are kept free. CPUs that are idle in such a state spin, and all
# CPUs of a guest are one of the host: few of them, and nothing that is in a hurry.
. "${0%/*}/../guest.sh"

check "idle driver" [ "$(cat /sys/devices/system/cpu/cpuidle/current_driver)" = acpi_idle ]
check "idle states on the last CPU" \
	[ "$(cat /sys/devices/system/cpu/cpu3/cpuidle/state*/name | tr '\n' ' ')" = "POLL C1 C2 C3 " ]
check "isolated CPUs" [ "$(cat /sys/devices/system/cpu/isolated)" = 2-3 ]
done_testing
