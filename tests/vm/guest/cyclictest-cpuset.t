#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=16 numa=2
# vm: cpus=4 kernel=stock cgroup=v1 append=isolcpus=2,3 append=nohz_full=2,3
#
# cyclictest in a cpuset, of either cgroup version: its CPUs are all there is.
. "${0%/*}/../guest.sh"
programs cyclictest

group=/sys/fs/cgroup/cpuset/few
if [ ! -d /sys/fs/cgroup/cpuset ]; then
	group=/sys/fs/cgroup/few
	echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
fi
mkdir $group
echo 0-1 >$group/cpuset.cpus
echo 0 >$group/cpuset.mems

# a program that joins the group and becomes the rest of its words
cat >"$T/inside" <<'END'
#!/bin/sh
group=$1; shift
echo $$ >"$group/cgroup.procs" && exec "$@"
END
chmod +x "$T/inside"

start "$T/inside" $group cyclictest -p 80 -i 20000 -q -D 60 -a -t
check "a thread on each CPU of the cpuset, no other" waits_until 30 is_pinned_to "0 1"
finish INT
check "good status" [ "$status" = 0 ]
refuses 4 '0[-,]1' "$T/inside" $group cyclictest -p 80 -q -l 10 -a 3

rmdir $group
[ $group != /sys/fs/cgroup/few ] || echo -cpuset >/sys/fs/cgroup/cgroup.subtree_control
done_testing
