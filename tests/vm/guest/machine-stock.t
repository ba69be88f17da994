#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=4 kernel=stock cgroup=v1 append=isolcpus=2,3 append=nohz_full=2,3
#
# The distribution's usual kernel, the old cgroups, isolated CPUs.
. "${0%/*}/../guest.sh"

check "no PREEMPT_RT" [ ! -e /sys/kernel/realtime ]
check "no hwlat tracer" sh -c '! grep -qw hwlat /sys/kernel/tracing/available_tracers'
check "cpuset of cgroup v1" [ -w /sys/fs/cgroup/cpuset/cpuset.cpus ]
check "isolated CPUs" [ "$(cat /sys/devices/system/cpu/isolated)" = 2-3 ]
check "CPUs without tick" [ "$(cat /sys/devices/system/cpu/nohz_full)" = 2-3 ]
check "processes begin on the others" [ "$(taskset -p $$ | sed 's/.*: //')" = 3 ]
done_testing
