#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cyclicdeadline - options and refusals, layouts, documents, and that all is put back.
. "${0%/*}/tap.sh"
T_LIMIT=30

PYTHON=${PYTHON:-/usr/bin/python3}
have "$PYTHON" || PYTHON=
LINE='T: ?[0-9]+ \([ 0-9]{5,}\) I:[0-9]+ C:[ 0-9]{7,} Min:[ 0-9]{7,} Act:[ 0-9]{5,} Avg:[ 0-9]{5,} Max:[ 0-9]{8,}'
MISSED='# (Missed Deadlines|Skipped Periods):( [0-9]{5,})+'
cpus=$(nproc --all)

# only NAME REGEX...: the lines of stdout match these, in this order, each once or more
only() {
	name=$1; shift
	regex=
	for line; do regex="$regex($line~)+"; done
	check "$name" sh -c 'tr "\n" "~" <"$1" | grep -Eqx -- "$2"' - "$T/.out" "$regex"
}

# ---- refusals: nothing is touched ------------------------------------------------------
for value in abc 5x '' -5 0 5m; do refuses 2 '--interval: ' cyclicdeadline -i "$value"; done
for value in abc 5x '' -5; do refuses 2 '--step: ' cyclicdeadline -s "$value"; done
for value in abc 5x -3 ''; do refuses 2 '--threads: ' cyclicdeadline --threads="$value"; done
for value in abc 5x -5 '' 1e3; do refuses 2 '--duration: ' cyclicdeadline -D "$value"; done
for value in abc 0 -5 ''; do refuses 2 '--breaktrace: ' cyclicdeadline -b "$value"; done
for value in abc 0 1000001 ''; do refuses 2 '--histogram: ' cyclicdeadline --histogram="$value"; done
for value in abc -1 1.5 ''; do refuses 2 '--limit-missed: ' cyclicdeadline --limit-missed="$value"; done
for value in abc 1, 3-1 1- '' 0-1:1; do refuses 2 '--affinity: ' cyclicdeadline --affinity="$value"; done
refuses 2 "CPU $cpus does not exist" cyclicdeadline -a "$cpus"
refuses 2 "CPU $cpus does not exist" cyclicdeadline -c "$cpus"
refuses 2 'period of 50us .*100 to 4194304' cyclicdeadline -i 50
refuses 2 'thread 3: the period' cyclicdeadline -t4 -i 4194 -s 1500ms
refuses 2 'runtime of 2ms is longer than its deadline of 1ms' cyclicdeadline --runtime=2000
refuses 2 'deadline of 2ms is longer than its period' cyclicdeadline --deadline=2000
refuses 2 'below 1024ns' cyclicdeadline --runtime=1us
refuses 2 "--runtime: '1,2,3' has more values" cyclicdeadline -t2 --runtime=1,2,3
refuses 2 "--period: '' in '5,'" cyclicdeadline -t2 --period=5,
refuses 2 'exclude each other' cyclicdeadline --period=5000 -i 5000
refuses 2 '--checkpoint: ' cyclicdeadline --checkpoint=1
refuses 2 'only one document' cyclicdeadline --json=- --result=-
refuses 2 '--isolated' cyclicdeadline --isolated
refuses 2 '/nowhere is no cgroup' cyclicdeadline --cgroup=/nowhere
refuses 2 "'-X' is not an option" cyclicdeadline -X
prints 'cyclicdeadline V 3\.00' cyclicdeadline --version
prints 'cyclicdeadline V 3\.00' cyclicdeadline -h

if is_root && have setpriv; then
	refuses 4 'CAP_SYS_NICE' setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
		"$(command -v cyclicdeadline)" -D 1
else
	skip "not root, or no setpriv: a user without rights"
fi

run cyclicdeadline -D 10ms -q
[ "$status" != 4 ] || { note "no SCHED_DEADLINE here: $(cat "$T/.err")"; done_testing; }

# ---- layouts -----------------------------------------------------------------------------
exits 0 cyclicdeadline -t2 -i 4000 -D 100ms -q
only "the quiet layout" 'Using all CPUS' "$LINE" "$MISSED"
check "two threads" [ "$(grep -c '^T:' "$T/.out")" = 2 ]
says '^T: 0 .* I:4000 '
says '^T: 1 .* I:4500 '
lacks "$(printf '\033')"

exits 0 cyclicdeadline -D 50ms -i 5000
only "not quiet, no terminal: the same" 'Using all CPUS' "$LINE" "$MISSED"

exits 0 cyclicdeadline -t1 -D 50ms -q -a
only "-a alone says nothing about CPUs" "$LINE" "$MISSED"
exits 0 cyclicdeadline -q -a -D 1ms
check "-a: a thread on each CPU" [ "$(grep -c '^T:' "$T/.out")" = "$(nproc)" ]

exits 0 cyclicdeadline -D 100ms -q --histogram=1000
only "the histogram" 'Using all CPUS' '# Histogram' '[0-9]{6} [0-9]{6}' '# Total: [0-9]{9}' \
	'# Min Latencies: [0-9]{5,}' '# Avg Latencies: [0-9]{5,}' '# Max Latencies: [0-9]{5,}' \
	'# Histogram Overflows: [0-9]{5,}' '# Histogram Overflow at cycle number:' \
	'# Thread 0: .*' '' "$MISSED"
exits 0 cyclicdeadline -D 50ms -q --histogram=1000 --histfile=hist
check "in a file" grep -qx '# Histogram' hist
lacks '# Histogram'

exits 0 cyclicdeadline -D 50ms -q --percentiles
says '^# P99\.99: [0-9]{5}'

exits 0 cyclicdeadline -D 10 -q -i 2000 -b 1ns -N
says '^# Break thread: [0-9]+$'
says '^# Break value: [0-9]+$'

# ---- what is counted ------------------------------------------------------------------------
# periods that were missed on a busy machine are counted, so the sum holds anyway
exits 0 cyclicdeadline -i 1000 -D 500ms -q
cycles=$(sed -n 's/.* C: *\([0-9]*\) .*/\1/p' "$T/.out")
skipped=$(sed -n 's/^# Skipped Periods: *0*\([0-9]\)/\1/p' "$T/.out")
check "cycles and skipped periods are the duration" \
	[ $((cycles + skipped)) -ge 500 -a $((cycles + skipped)) -le 505 ]

exits 3 cyclicdeadline -i 1000 -D 20ms -q --limit=1ns -N
warns 'limit'
exits 0 cyclicdeadline -i 1000 -D 20ms -q --limit-missed=100000
exits 0 cyclicdeadline -i 1000 -D 20ms -q --overrun --reclaim
says '^# Overruns \(at least\): [0-9]{5}$'

# ---- documents --------------------------------------------------------------------------------
exits 0 cyclicdeadline -t2 -i 4000 -D 50ms -q --json=json --result=result --samples=samples
holds "--json: members in order" json 'list(d) == ["file_version", "cmdline:", "rt_test_version:",
	"start_time", "end_time", "return_code", "sysinfo", "num_threads", "resolution_in_ns", "thread"]'
holds "--json: threads" json '[list(t) for t in d["thread"].values()] == [["cycles", "min", "max", "avg"]] * 2'
holds "--result: reservations" result '[(s["policy"], s["runtime_ns"], s["deadline_ns"], s["period_ns"])
	for s in d["series"]] == [("deadline", 2400000, 4000000, 4000000), ("deadline", 2700000, 4500000, 4500000)]'
holds "--result: own member" result 'len(d["cyclicdeadline"]["threads"]) == 2 and
	"missed_deadlines" in d["cyclicdeadline"]["threads"][0]'
holds "--result: samples are the buckets' sum" result 'all(s["counts"]["samples"] ==
	sum(b[2] for b in s["histogram"]["buckets"]) for s in d["series"])'
check "--samples: a file" [ -s samples ]
exits 0 cyclicdeadline -D 20ms -q --histogram=500 --json=-
check "--json=-: nothing else on stdout" [ "$(head -c 1 "$T/.out")" = '{' ]
warns '^Using all CPUS'

# ---- reservations and refusals of the kernel -----------------------------------------------
exits 0 cyclicdeadline -t2 --period=5000,10ms --deadline=4000 --runtime=100,200 -D 20ms -q --verbose
warns 'thread 1 .*: runtime 200us, deadline 4ms, period 10ms'
refuses 4 'EBUSY.*36 threads ask for 90.0 % each, 3240.0 % in sum.*allow.*fair server.*--runtime' \
	cyclicdeadline -t36 -i 1000 -s 0 --runtime=900 -D 1 -q
if have taskset && [ "$(nproc)" -gt 1 ]; then
	first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	refuses 4 "EPERM.*all CPUs of its scheduling domain.*CPUs $first, " taskset -c "$first" "$(command -v cyclicdeadline)" -D 1
else
	skip "one CPU, or no taskset: a narrowed mask"
fi

# ---- ends -----------------------------------------------------------------------------------
has_threads() { [ "$(ls /proc/$pid/task 2>/dev/null | wc -l)" -ge "$1" ]; }
for signal in INT TERM; do
	cyclicdeadline -q -i 2000 -t2 >"$T/.out" 2>"$T/.err" &
	pid=$!
	waits_until 10 has_threads 3
	waits_until 10 takes_signals $pid
	sleep 0.2
	kill -$signal $pid
	wait $pid; status=$?
	check "SIG$signal ends it well" [ "$status" = 0 ]
	check "SIG$signal: with the result" [ "$(grep -c '^T:' "$T/.out")" = 2 ]
done

# ---- CPUs of their own ---------------------------------------------------------------------
left() {
	for at in /sys/fs/cgroup /sys/fs/cgroup/*; do
		case $at in *rtgauge*) echo "$at" ;; esac
		[ ! -d "$at" ] || ls -d "$at"/rtgauge* 2>/dev/null
		cat "$at/cgroup.subtree_control" "$at/cpuset.sched_load_balance" \
			"$at/cpuset.cpu_exclusive" 2>/dev/null
	done
	ls /run/rtgauge 2>/dev/null | grep '^cyclicdeadline'
	grep cgroup /proc/self/mounts
	cat /sys/kernel/debug/sched/features 2>/dev/null
}
last=$(taskset -cp $$ 2>/dev/null | sed 's/.*[ ,-]//')
if ! is_root || [ "$(nproc)" -lt 2 ] || [ -z "$last" ]; then
	skip "not root, or one CPU: no partition"
	done_testing
fi
left >before
# deadline threads of others may be in the way for a while
for i in 1 2 3 4 5; do
	run cyclicdeadline -t1 -a"$last" -i 2000 -D 100ms -q $(if_json --result=result)
	[ "$status" = 4 ] || break
	sleep 1
done
if [ "$status" = 4 ]; then
	warns 'set apart|domain|EBUSY'
	skip "CPUs can't be set apart here: $(cat "$T/.err")"
	done_testing
fi
check "a CPU of its own" [ "$status" = 0 ]
holds "the result names the partition" result 'any(a["name"] == "partition" and "rtgauge" in a["got"] for a in d["asked"])'
left >after
check "all is as before" cmp before after

measures() { grep -qx "Cpus_allowed_list:	$last" /proc/$pid/task/*/status 2>/dev/null; }
# Any other start of one of our programs on this machine may put it back before we look.
kill_leaves_it() {
	for i in 1 2 3 4 5; do
		cyclicdeadline -t1 -a"$last" -i 2000 -q >"$T/.out" 2>"$T/.err" &
		pid=$!
		waits_until 10 measures && alone=yes
		kill -KILL $pid; wait $pid 2>/dev/null
		left >killed
		cmp -s before killed || return 0
	done
	return 1
}
alone=no
check "a kill leaves it" kill_leaves_it
check "the thread was there alone" [ $alone = yes ]
exits 0 cyclicdeadline -D 10ms -q
left >after
check "the next start puts it back" cmp before after
refuses 4 'EBUSY.* % on the 1 CPUs' cyclicdeadline -t2 -a"$last" -i 2000 --runtime=1200 -D 1 -q
left >after
check "also after a refusal" cmp before after
done_testing
