#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tasks - more threads, processes or memory than can be had are refused before a thread has begun.
. "${0%/*}/tap.sh"

# Memory that is not there would be asked for without a word, and the process killed once it
# touches it. Where a limit of tasks is lower, that is named.
refuses 4 'needs [0-9]+ MiB of memory' oslat -q -w memmove -m 1000G -D 1
gib=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
if [ "${gib:-999}" -lt 50 ]; then
	for command in 'cyclictest -q -t 15000' 'cyclicdeadline -q -t 15000 -s 0 -i 1000000' \
		'pi_stress -q -g 10000'; do
		if is_root || [ "${command%% *}" = cyclictest ]; then
			# shellcheck disable=SC2086 # a list of words
			refuses 4 'MiB of memory, and MemAvailable.* fewer|cannot be had' \
				$command --histogram=1000000 -D 1
		else
			skip "without rights: $command"
		fi
	done
else
	skip "the system has $gib GiB: 15000 threads with a million buckets might fit"
fi

# A group of version 1 or 2 that may have 128 MiB. Only a lower group than what is mounted has a limit.
group=
if is_root; then
	for top in /sys/fs/cgroup/memory /sys/fs/cgroup; do
		[ -e "$top/memory.limit_in_bytes" ] || grep -qw memory "$top/cgroup.subtree_control" 2>/dev/null || continue
		mkdir "$top/rtgauge-test-$$" 2>/dev/null && group=$top/rtgauge-test-$$ && break
	done
fi
if [ -n "$group" ]; then
	limit=$(ls "$group" | grep -x -e memory.max -e memory.limit_in_bytes)
	echo 128M >"$group/$limit"
	# shellcheck disable=SC2016 # the inner shell's
	in_group='echo $$ >"$0/cgroup.procs"; exec "$@"'
	refuses 4 "needs [0-9]+ MiB of memory, and $group/$limit leaves [0-9]+ MiB; use fewer" \
		sh -c "$in_group" "$group" cyclictest -q -t 64 --histogram=1000000 -D 1
	# 30 MiB fit, also when the group is full of what it has written to a disk
	case $(stat -f -c %T "$T") in tmpfs | ramfs) ;; *)
		sh -c "$in_group" "$group" dd if=/dev/zero of="$T/big" bs=1M count=120 2>/dev/null ;;
	esac
	if has_tsan; then
		skip "the thread sanitizer takes a multiple of the memory"
	else
		exits 0 sh -c "$in_group" "$group" cyclictest -q -t 8 --histogram=1000000 -l 10 -i 1000
	fi
	rm -f "$T/big"
	# whoever has just ended may still be in it
	waits_until 10 rmdir "$group" 2>/dev/null || note "$group stays"
else
	skip "no group with a limit of memory can be made here"
fi

have prlimit || { skip "no prlimit(1)"; done_testing; exit; }
user=
if is_root; then
	have setpriv || { skip "root has no such limit, and there is no setpriv"; done_testing; exit; }
	user='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all'
	chmod 755 "$T"
fi

for command in 'cyclictest -q -t 1000' 'cyclicdeadline -t 1000' 'deadline_test -t 1000' \
	'signaltest -t 1000' 'sigwaittest -t 500' 'svsematest --fork -t 500' \
	'pi_stress -g 400' 'hackbench -g 10' 'hackbench -T -g 10' 'ssdd -f 500'; do
	# shellcheck disable=SC2086 # a list of words
	refuses 4 "[0-9]+ (threads|processes) cannot be had: RLIMIT_NPROC \('ulimit -u'\) is 200, and it counts" \
		$user prlimit --nproc=200 $command
done
done_testing
