#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=16 numa=2 limit=500
# vm: cpus=16 cgroup=v1 limit=500
#
# cyclicdeadline on CPUs of its own, with either cgroup version: its threads are there and
# nowhere else, nobody is moved, and all is as before at the end, also after a kill.
. "${0%/*}/../guest.sh"

# starts COMMAND...: it ends well. Right after another partition has gone the kernel may
# still be rebuilding its domains and refuse deadline threads; then once more.
starts() {
	for try in 1 2 3; do
		run "$@"
		[ "$status" = 4 ] && grep -Eq 'EPERM|EBUSY' "$T/.err" || break
		sleep 1
	done
	check "starts (try $try): $*" [ "$status" = 0 ]
}
programs cyclicdeadline deadline_test

root=/sys/fs/cgroup
version=v2
if [ -d /sys/fs/cgroup/cpuset ]; then
	root=/sys/fs/cgroup/cpuset
	version=v1
fi
note "cgroup $version"

# mask PID: where a task may run
mask() { sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$1/status"; }

has_mask() { [ "$(mask "$1")" = "$2" ]; }

# state: what a run could leave changed
state() {
	ls "$root"
	ls /run/rtgauge 2>/dev/null | grep -vx lock
	cat "$root/cgroup.subtree_control" "$root/cpuset.sched_load_balance" 2>/dev/null
	mask 1; mask $$; mask "$foreign"
}

# thread_masks: of all threads of what was started but main, each once
thread_masks() { pinned | tr ' ' '\n' | sort -u | tr '\n' ' ' | sed 's/ $//'; }
runs_on() { [ "$(thread_masks)" = "$1" ] || [ ! -d "/proc/$started/task" ]; }

# is_deadline: all of them are deadline threads, and on CPU 8 or above
is_deadline() {
	for task in "/proc/$started/task"/*; do
		[ "${task##*/}" = "$started" ] && continue
		# field 41 of stat is the policy, 39 the CPU; the name is one word here
		set -- $(cat "$task/stat") || return 1
		[ "${41}" = 6 ] && [ "${39}" -ge 8 ] || return 1
	done
}

taskset -c 7-8 sleep 1000 &
foreign=$!
waits_until 5 has_mask $foreign 7-8
state >before

start cyclicdeadline -t8 -a8-15 -i 20000 -D 10 -q --result=result
check "threads may run on CPUs 8-15 only" waits_until 60 runs_on 8-15
sleep 1
check "they are deadline threads there" is_deadline
check "main is somewhere else" [ "$(mask $started)" = 0-7 ]
finish
check "good status" [ "$status" = 0 ]
check "eight lines" [ "$(grep -c '^T: ' "$T/.out")" = 8 ]
check "the result names the place" grep -q "cgroup $version" result
state >after
check "all is as before" cmp before after

start cyclicdeadline -t8 -a8-15 -i 20000 -D 100 -q
check "another run begins" waits_until 60 runs_on 8-15
kill -9 "$started"; wait "$started" 2>/dev/null
state >killed
check "a kill leaves something" [ "$(cmp before killed 2>&1)" ]
exits 0 cyclicdeadline -t1 -i 20000 -D 100ms -q
state >after
check "the next start puts it back" cmp before after

start cyclicdeadline -t2 -a8-15 -i 20000 -D 100 -q
check "runs until a signal" waits_until 60 runs_on 8-15
finish TERM
check "good status after SIGTERM" [ "$status" = 0 ]
state >after
check "and all is as before" cmp before after

# deadline_test works in the same places
start deadline_test -t2 -c8-9 -i 100000 -p 10 -P 20 -D 100
check "deadline_test: threads on its CPUs" waits_until 60 runs_on 8-9
sleep 1
finish INT
check "deadline_test: good status" [ "$status" = 0 ]
check "deadline_test: a block a thread" [ "$(grep -c '^nr_periods' "$T/.out")" = 2 ]
state >after
check "deadline_test: all is as before" cmp before after

# all CPUs: nothing is needed
exits 0 cyclicdeadline -t2 -a -i 20000 -D 1 -q
exits 0 cyclicdeadline -t2 -a0-15 -i 20000 -D 1 -q
state >after
check "and nothing was done" cmp before after

# the bandwidth of the set, not of the machine
refuses 4 'EBUSY.*190.0 %.*8-9' cyclicdeadline -t4 -a8-9 -i 20000 -s 0 --runtime 16000 -D 1 -q
state >after
check "refused, and all is as before" cmp before after

if [ $version = v2 ]; then
	taskset -c 12 sleep 1000 &
	inside=$!
	waits_until 5 has_mask $inside 12
	refuses 4 "$inside.*sleep.*--force" cyclicdeadline -t2 -a8-15 -i 20000 -D 1 -q
	starts cyclicdeadline -t2 -a8-15 --force -i 20000 -D 1 -q
	check "a mask that was forced away is back" [ "$(mask $inside)" = 12 ]
	kill $inside
	starts cyclicdeadline -t2 -a8-15 --isolated -i 20000 -D 1 -q

	# started in a group: the process joins the root first
	mkdir $root/some
	starts sh -c "echo \$\$ >$root/some/cgroup.procs; exec cyclicdeadline -t2 -a8-15 -i 20000 -D 1 -q"
	rmdir $root/some

	# a partition of the user's own: threaded, and not
	echo +cpuset >$root/cgroup.subtree_control
	mkdir $root/own
	for type in threaded domain; do
		[ $type = domain ] || echo threaded >$root/own/cgroup.type
		echo 10-13 >$root/own/cpuset.cpus
		refuses 4 'no cpuset partition' cyclicdeadline -t2 --cgroup=own -i 20000 -D 1 -q
		echo root >$root/own/cpuset.cpus.partition
		start cyclicdeadline --cgroup=$root/own -i 20000 -D 100 -q
		check "inside a $type partition" waits_until 60 runs_on 10-13
		check "a thread on each of its CPUs" [ "$(pinned | wc -w)" = 4 ]
		finish INT
		check "good status" [ "$status" = 0 ]
		refuses 2 '10-13' cyclicdeadline -t2 -a8-15 --cgroup=own -i 20000 -D 1 -q
		check "the partition is still there" [ "$(cat $root/own/cpuset.cpus.partition)" = root ]
		rmdir $root/own
		# the kernel gives the CPUs of a partition that has gone back when it finds the time
		waits_until 20 has_mask $$ 0-15
		[ $type = domain ] || mkdir $root/own
	done
	echo -cpuset >$root/cgroup.subtree_control
else
	refuses 4 'v2' cyclicdeadline -t2 -a8-15 --isolated -i 20000 -D 1 -q
	mkdir $root/own
	echo 10-13 >$root/own/cpuset.cpus
	echo 0 >$root/own/cpuset.mems
	echo 1 >$root/own/cpuset.cpu_exclusive
	refuses 4 'EPERM|EBUSY|exclusive|domain' cyclicdeadline -t2 --cgroup=own -i 20000 -D 1 -q
	mkdir $root/rest
	echo 0-9,14-15 >$root/rest/cpuset.cpus
	echo 0 >$root/rest/cpuset.mems
	echo 0 >$root/cpuset.sched_load_balance
	start cyclicdeadline --cgroup=/own -i 20000 -D 100 -q
	check "inside an exclusive set" waits_until 60 runs_on 10-13
	finish INT
	check "good status" [ "$status" = 0 ]
	echo 1 >$root/cpuset.sched_load_balance
	rmdir $root/own $root/rest
fi

# HRTICK: said when it is off, switched on for a run, off again at its end and after a kill
features=/sys/kernel/debug/sched/features
[ -f $features ] || mount -t debugfs none /sys/kernel/debug
has_feature() { tr ' ' '\n' <$features | grep -qx "$1"; }
if has_feature NO_HRTICK_DL; then
	exits 0 cyclicdeadline -i 1000 -D 100ms -q
	warns 'HRTICK is off.*--hrtick'
	exits 0 cyclicdeadline -i 100000 -D 100ms -q
	lacks HRTICK
	start cyclicdeadline -i 20000 -D 100 -q --hrtick
	check "HRTICK is on during the run" waits_until 30 has_feature HRTICK_DL
	finish INT
	check "and off again" has_feature NO_HRTICK_DL
	start cyclicdeadline -i 20000 -D 100 -q --hrtick
	waits_until 30 has_feature HRTICK_DL
	kill -9 "$started"; wait "$started" 2>/dev/null
	exits 0 cyclicdeadline -i 20000 -D 100ms -q
	check "off again after a kill and one more start" has_feature NO_HRTICK_DL
	umount /sys/kernel/debug
	refuses 4 'debugfs' cyclicdeadline -i 20000 -D 100ms -q --hrtick
else
	skip "this kernel has HRTICK on, or does not know it"
fi

# a CPU that goes offline ends the run, with the result
start cyclicdeadline -t2 -a -i 20000 -D 200 -q
waits_until 20 runs_on 0-15
sleep 1
check "CPU 15 goes offline" set_online 15 0
finish
check "a lost CPU is a failed run" [ "$status" = 1 ]
says '^T: 0'
warns 'CPU 15 was taken offline'
set_online 15 1

kill $foreign
done_testing
