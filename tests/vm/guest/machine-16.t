#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=16 numa=2
#
# Many CPUs on two nodes, an SMI counter.
. "${0%/*}/../guest.sh"

check "16 CPUs" [ "$(cat /sys/devices/system/cpu/online)" = 0-15 ]
check "node 0 has half of them" [ "$(cat /sys/devices/system/node/node0/cpulist)" = 0-7 ]
check "node 1 has the others" [ "$(cat /sys/devices/system/node/node1/cpulist)" = 8-15 ]

before=$(smi_count 0) other=$(smi_count 5)
smi; smi; smi
check "three SMIs counted on CPU 0" [ $(($(smi_count 0) - before)) = 3 ]
check "none on CPU 5" [ "$(smi_count 5)" = "$other" ]
done_testing
