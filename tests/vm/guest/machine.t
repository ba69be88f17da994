#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=1
#
# The lab itself: is this the machine that the tests count on?
. "${0%/*}/../guest.sh"

check "PREEMPT_RT kernel" [ "$(cat /sys/kernel/realtime)" = 1 ]
check "one CPU" [ "$(nproc)" = 1 ]
check "root" is_root
check "programs may run at real-time priority" can_rt
for tracer in hwlat osnoise timerlat; do
	check "tracer $tracer" grep -qw $tracer /sys/kernel/tracing/available_tracers
done
check "cgroup v2" grep -q '^cgroup2 /sys/fs/cgroup ' /proc/mounts
for dir in /dev/shm /dev/mqueue /run /tmp /sys/kernel/debug; do
	check "$dir is mounted" grep -q " $dir " /proc/mounts
done
done_testing
