#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cyclictest-cpus - where the threads run and as what; rights that are missing;
# containers.
. "${0%/*}/tap.sh"
. "$tests_dir/cyclictest.sh"
T_LIMIT=20

# tasks FIELD: of /proc/PID/task/*/status, main's first
tasks() { for task in $(ours); do sed -n "s/^$1:[[:space:]]*//p" "/proc/$task/status"; done | tr '\n' ' '; }
# ours: main and the threads that we have named; a sanitizer has one of its own
ours() {
	echo "$pid"
	for task in /proc/"$pid"/task/*; do
		case $(cat "$task/comm") in cyclictest/* | rt-*) echo "${task##*/}" ;; esac
	done
}
# policies: policy and priority of each task as chrt names them
policies() { for task in $(ours); do chrt -p "$task" | sed 's/.*: //' | tr '\n' ' '; done; }
stop() { [ -n "$unmade" ] || kill -INT "$pid"; ends "$1" 0; }
# named N OPTION...: it has begun, and N threads are where they shall be: they have a name then
named() { want=$1; shift; begin "$@"; [ -z "$unmade" ] && soon 10 all_named "$want"; }
all_named() { [ "$(cat /proc/"$pid"/task/*/comm 2>/dev/null | grep -c '^cyclictest/')" = "$1" ] && sleep 0.1; }

# ---- places --------------------------------------------------------------------------------
if ! have taskset || [ "$(nproc)" -lt 2 ] || ! taskset -c 0-1 true; then
	skip "not two CPUs and taskset: places"
else
	named 4 -q -t 4 -a 0-1
	check "-t 4 -a 0-1: in turn" [ "$(tasks Cpus_allowed_list | cut -d' ' -f2-)" = '0 1 0 1 ' ]
	stop "-t 4 -a 0-1"
	named 2 -q -t 2 -a 1
	check "-t 2 -a 1: both on it" [ "$(tasks Cpus_allowed_list | cut -d' ' -f2-)" = '1 1 ' ]
	check "-a 1: main is not on it" [ "$(taskset -pc "$pid" | grep -c ': .*[,-]*1$')" = 0 ]
	stop "-t 2 -a 1"
	named 1 -q -t 1 -a 1 --mainaffinity=0
	check "--mainaffinity=0" [ "$(tasks Cpus_allowed_list)" = '0 1 ' ]
	stop "--mainaffinity=0"
	named 1 -q -a 0 --mainaffinity 0
	check "--mainaffinity on a measured CPU" [ "$(tasks Cpus_allowed_list)" = '0 0 ' ]
	stop "--mainaffinity on a measured CPU"
	named 2 -q -t 2
	check "without -a: not pinned" [ "$(tasks Cpus_allowed_list | tr ' ' '\n' | sort -u | wc -l)" = 1 ]
	stop "without -a"

	# restricted: nobody leaves the mask unless a CPU is named
	restricted() {
		want=$1; shift
		taskset -c 1 cyclictest -q "$@" >"$T/.out" 2>"$T/.err" &
		pid=$!
		soon 10 all_named "$want"
		got=$(tasks Cpus_allowed_list)
		stop "taskset -c 1 $*"
	}
	restricted 1
	check "taskset -c 1: stays there" [ "$got" = '1 1 ' ]
	restricted 2 -a -t 2
	check "taskset -c 1, -a: its CPUs" [ "$got" = '1 1 1 ' ]
	restricted 1 -a all
	check "taskset -c 1, -a all: its CPUs" [ "$got" = '1 1 ' ]
	restricted 1 -a +0
	check "taskset -c 1, -a +0: the first of its CPUs" [ "$got" = '1 1 ' ]
	restricted 1 -a '!0'
	check "taskset -c 1, -a !0" [ "$got" = '1 1 ' ]
	restricted 1 -S
	check "taskset -c 1, -S: one thread" [ "$got" = '1 1 ' ]
	restricted 1 -t
	check "taskset -c 1, -t: one thread" [ "$got" = '1 1 ' ]
	restricted 1 -a 0
	check "taskset -c 1, -a 0: a CPU that is named wins" [ "$(echo "$got" | cut -d' ' -f2)" = 0 ]
	refuses 4 '--affinity: ' taskset -c 1 cyclictest -q -a '!1' -l 2
	refuses 2 '--affinity: ' taskset -c 1 cyclictest -q -a +1 -l 2
fi

# ---- policies --------------------------------------------------------------------------------
if can_rt; then
	named 5 -q -t5 -p 80 -n -i 10000
	check "-t5 -p 80: five FIFO threads" [ "$(policies)" = "SCHED_OTHER 0 $(printf 'SCHED_FIFO 80 %.0s' 1 2 3 4 5)" ]
	stop "-t5 -p 80"
	named 1 -q -p 10 --policy=rr
	check "--policy=rr" [ "$(policies)" = "SCHED_OTHER 0 SCHED_RR 10 " ]
	stop "--policy=rr"
	named 3 -q -t3 --priospread -p 9
	check "--priospread" [ "$(policies)" = "SCHED_OTHER 0 SCHED_FIFO 9 SCHED_FIFO 8 SCHED_FIFO 7 " ]
	stop "--priospread"
	named 1 -q --policy=batch
	check "--policy=batch is set" [ "$(policies)" = "SCHED_OTHER 0 SCHED_BATCH 0 " ]
	stop "--policy=batch"
	named 1 -q --policy=idle
	check "--policy=idle is set" [ "$(policies)" = "SCHED_OTHER 0 SCHED_IDLE 0 " ]
	stop "--policy=idle"
	named 1 -q -p 50 --samples=s.bin
	check "the writer of --samples has no priority" [ "$(policies | grep -o OTHER | wc -l)" = 2 ]
	stop "--samples"
else
	skip "no right to real-time priorities: policies"
fi

# ---- clocks that are not there -----------------------------------------------------------------
run cyclictest -q -c aux0 -l 2
if [ $status = 0 ]; then
	skip "this kernel has aux0"
else
	refuses 4 'aux0' cyclictest -q -c aux0 -l 2
	refuses 4 'aux0' cyclictest -q -c aux0 -x -l 2
fi
if ! grep -q GenuineIntel /proc/cpuinfo || [ ! -e /dev/cpu/0/msr ]; then
	refuses 4 'SMI|msr' cyclictest -q -a 0 --smi -l 2
else
	skip "SMIs may be counted here"
fi

# ---- a plain user, and containers --------------------------------------------------------------
if is_root && have setpriv; then
	user='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all'
	chmod 711 "$T"
	mkdir user
	chown 65534 user
	exits 0 $user cyclictest -q -l 3
	check "plain user: a result" [ "$(lines "$LINE")" = 1 ]
	exits 0 $user cyclictest -q --policy=other -l 3
	exits 0 $user cyclictest -q --policy=batch -l 3
	exits 0 $user cyclictest -q -S -l 3
	refuses 4 'CAP_SYS_NICE.*ulimit -r' $user cyclictest -q -p 80 -l 3
	refuses 4 'CAP_SYS_NICE' $user cyclictest -q --policy=fifo -l 3
	run $user sh -c "cd user && cyclictest -q -l 3 --result=r.json"
	check "plain user: documents" [ $status = 0 -a -s user/r.json ]
	holds "plain user: what was not had" user/r.json 'any(a["name"] == "dma_latency" and not a["got"] and a["reason"] for a in d["asked"])'
	# limited LIMIT OPTION...: with that limit of real-time priority, soft:hard
	limited() { limit=$1; shift; run prlimit "--rtprio=$limit" $user cyclictest -q -l 3 "$@"; }
	if prlimit --rtprio=50:50 true 2>/dev/null; then
		limited 50:50 -p 50
		check "ulimit -r 50: -p 50 runs" [ "$status:$(lines "$LINE")" = 0:1 ]
		limited 50:50 -p 51
		check "ulimit -r 50: -p 51 does not" [ $status = 4 ]
		warns 51
		limited 0:50 -p 50
		check "the soft limit is raised to the hard one" [ "$status:$(lines "$LINE")" = 0:1 ]
	else
		skip "the limit of real-time priority can't be raised"
	fi
	if have prlimit && ! is_sanitized; then
		run prlimit --memlock=65536:65536 $user cyclictest -q -m -l 3
		check "-m without the limit: 4" [ $status = 4 ]
		warns 'ulimit -l|RLIMIT_MEMLOCK|CAP_IPC_LOCK'
	else
		skip "no prlimit(1), or a sanitizer that does not lock memory"
	fi
else
	skip "only root can try as a plain user"
fi
if is_root && have unshare && unshare -m true 2>/dev/null; then
	# container COMMAND: that in a mount namespace, then cyclictest
	container() { run unshare -m sh -c "$1 && exec cyclictest -q -t2 -l 5 --result=$T/r.json"; }
	mkdir dev
	container 'mount --bind dev /dev'
	check "no devices, no /dev/shm: the run goes on" [ "$status:$(lines "$LINE")" = 0:2 ]
	warns '^cyclictest: warning: .*cpu_dma_latency'
	warns '^cyclictest: warning: .*/dev/shm'
	check "two warnings" [ "$(wc -l <"$T/.err")" = 2 ]
	container 'mount -o bind,ro /sys /sys && mount -o remount,bind,ro /sys'
	check "read-only /sys: the run goes on" [ "$status:$(lines "$LINE")" = 0:2 ]
	container 'mount -t tmpfs none /sys'
	check "no /sys at all: the run goes on" [ "$status:$(lines "$LINE")" = 0:2 ]
	container 'mount --bind dev /run && mount -o remount,bind,ro /run'
	check "no journal can be kept: the run goes on" [ "$status:$(lines "$LINE")" = 0:2 ]
	check "and says nothing of it" [ ! -s "$T/.err" ]
	run unshare -m sh -c 'mount -t tmpfs none /sys && exec cyclictest -q -l 5 --deepest-idle-state=0'
	check "idle states that can't be limited: 4" [ $status = 4 ]
	if is_sanitized; then
		skip "sanitizers need /proc"
	else
		container 'mount -t tmpfs none /proc'
		check "no /proc: the run goes on" [ "$status:$(lines "$LINE")" = 0:2 ]
	fi
else
	skip "no mount namespaces: containers"
fi
done_testing
