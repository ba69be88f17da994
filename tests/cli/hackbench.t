#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hackbench - each option, each refusal, the layouts, the ends of a run, and that
# no worker outlives it whatever happens.
. "${0%/*}/tap.sh"
T_LIMIT=30
PYTHON=${PYTHON:-/usr/bin/python3}
SMALL='-g 1 -f 2 -l 5'

# ---- refused before anything is touched --------------------------------------------------
refuses 2 '^hackbench: --groups: .*0' hackbench -g 0
refuses 2 '^hackbench: --groups: .*2x' hackbench -g 2x
refuses 2 '^hackbench: --groups: .*-1' hackbench -g -1
refuses 2 '^hackbench: --groups: .*tasks' hackbench -f 1000000 -g 1000000
refuses 2 '^hackbench: --fds: ' hackbench --fds=0
refuses 2 '^hackbench: --fds: .*2000000000' hackbench -f 2000000000 -g 2
refuses 2 '^hackbench: --loops: .*abc' hackbench -l abc
refuses 2 '^hackbench: --loops: .*counted' hackbench -l 9223372036854775807
refuses 2 '^hackbench: --datasize: ' hackbench -s 0
refuses 2 '^hackbench: --datasize: ' hackbench -s 2G
refuses 2 '--pipe and --inet' hackbench -p -i
refuses 2 'only one document' hackbench --json=- --result=-
refuses 2 "'--bogus'" hackbench --bogus
refuses 2 '^hackbench: --groups: .*x' hackbench '-g x -l 5'
refuses 1 'no-such-folder' hackbench $SMALL --json=no-such-folder/f

# ---- modes and channels, the two lines and the time ----------------------------------------
HEAD='Running in process mode with 1 groups using 4 file descriptors each \(== 4 tasks\)'
THEAD='Running in threaded mode with 1 groups using 4 file descriptors each \(== 4 tasks\)'
PASS='Each sender will pass 5 messages of 100 bytes'
TIME='Time: [0-9]+\.[0-9]{3}'

# prints_all HEAD OPTION...: exactly the three lines, nothing on stderr
prints_all() {
	head=$1; shift
	run hackbench $SMALL "$@"
	check "hackbench $*: status 0, stderr empty" [ "$status:$(cat "$T/.err")" = 0: ]
	printf '%s\n' "$head" "$PASS" "$TIME" >wanted
	good=0
	[ "$(wc -l <"$T/.out")" = 3 ] && while read -r line && IFS= read -r regex <&3; do
		printf '%s\n' "$line" | grep -Eqx -- "$regex" && good=$((good + 1))
	done <"$T/.out" 3<wanted
	check "hackbench $*: the three lines" [ "$good" = 3 ]
}
prints_all "$HEAD"
prints_all "$HEAD" -P
prints_all "$HEAD" --process
prints_all "$HEAD" -p
prints_all "$HEAD" --inet
prints_all "$THEAD" -T
prints_all "$THEAD" --threads --pipe
prints_all "$THEAD" -T -i
prints_all "$THEAD" -P -T
prints_all "$HEAD" -T -P
prints 'Each sender will pass 5 messages of 1048576 bytes' hackbench $SMALL -T -s 1M
prints 'Each sender will pass 5 messages of 3000000 bytes' hackbench $SMALL --datasize=3000000
prints 'Running in process mode with 3 groups .*' hackbench -g 3 -f 1 -l 1
prints '.* \(== 1200 tasks\)' hackbench -T -p -g 30 -l 1

# ---- words --------------------------------------------------------------------------------
prints 'Running in process mode with 2 groups .*' hackbench -f 1 -l 1 2
prints 'Running in threaded mode with 2 groups .*' hackbench 2 -f 1 thread -l 1
prints 'Each sender will pass 3 messages .*' hackbench -f 1 2 process 3
prints 'Running in process mode with 1 groups .*' hackbench 2 thread 3 -f 1 -g 1 -l 1 -P
run hackbench $SMALL 2 many
warns "'many' is not an option, ignored"
run hackbench '-s 50 -l 10 -g 2 -f 3'
says '^Running in process mode with 2 groups using 6 '
says '^Each sender will pass 10 messages of 50 bytes$'
warns 'one word.*cut at its blanks'
exits 0 hackbench ' -f 1  -l 1 '
prints 'Running in process mode with 1 groups .*' hackbench '' -g 1 -f 1 -l 1
prints 'Usage: hackbench .*' hackbench -h
prints 'hackbench V [0-9.]+' hackbench --version

# ---- the main thread's priority ----------------------------------------------------------------
if can_rt; then prints "$TIME" hackbench $SMALL -F; else skip "no right to real-time priority"; fi
if is_root && have setpriv; then
	user='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all'
	refuses 4 'SCHED_FIFO priority 1: ' $user hackbench $SMALL --fifo
	prints "$TIME" $user hackbench $SMALL
else
	skip "not root: cannot give rights away"
	skip "not root: cannot give rights away"
fi

# ---- documents ---------------------------------------------------------------------------------
run hackbench $SMALL -p --json=o.json --result=r.json
check "documents: status 0" [ "$status" = 0 ]
sed -n 's/^  "\([^"]*\)".*/\1/p' o.json | tr '\n' ' ' >members
check "--json: the envelope, then the members in order" [ "$(cat members)" = "file_version cmdline: \
rt_test_version: start_time end_time return_code sysinfo mode channel groups fds tasks loops \
datasize messages bytes time " ]
check "--json: its time is the printed one" \
	[ "$(sed -n 's/^  "time": //p' o.json)" = "$(sed -n 's/^Time: //p' "$T/.out")" ]
if have "$PYTHON"; then
	check "--json: numbers" "$PYTHON" -c 'import json; d = json.load(open("o.json"))
assert (d["mode"], d["channel"], d["groups"], d["fds"], d["tasks"]) == ("processes", "pipe", 1, 2, 4)
assert (d["loops"], d["datasize"], d["messages"], d["bytes"]) == (5, 100, 20, 2000)'
	check "--result: numbers" "$PYTHON" -c 'import json; d = json.load(open("r.json"))
h = d["hackbench"]
assert d["schema"] == "rtgauge-result/1" and d["tool"] == "hackbench" and d["exit_status"] == 0
assert h["time_ns"] > 0 and h["messages"] == 20 and h["messages_per_second"] > 0'
else
	skip "no python3"; skip "no python3"
fi
may_run --json && hackbench $SMALL --json=- 2>err | head -n 1 >first
check "--json=-: stdout is the document" [ "$(cat first)" = "{" ]
check "--json=-: the text is on stderr" grep -q '^Time: ' err

# ---- the ends of a run -------------------------------------------------------------------------
# begin OPTION...: an endless one in the background, as $pid, all its workers ready
begin() {
	unmade=
	hackbench -g 2 -f 3 -l 1000000000000000 "$@" >"$T/.out" 2>"$T/.err" </dev/null &
	pid=$!
	waits_until 10 has_begun
}
tasks() { ls "/proc/$pid/task" 2>/dev/null | wc -l; }
children() { cat "/proc/$pid/task/$pid/children" 2>/dev/null; }
has_begun() { [ "$(children | wc -w)" = 12 ] || [ "$(tasks)" = 13 ]; }
is_gone() { [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }
are_gone() { for p; do is_gone "$p" || return 1; done; }
# ends NAME: with status 1 and without a time, and nobody is left, within two seconds
ends() {
	if ! waits_until 2 is_gone "$pid"; then kill -KILL "$pid"; fail "$1: ends"; fi
	wait "$pid" 2>/dev/null
	status=$?
	check "$1: status 1" [ "$status" = 1 ]
	check "$1: no worker is left" are_gone $workers
	lacks '^Time:'
	check "$1: one line on stderr" [ "$(wc -l <"$T/.err")" = 1 ]
}
for mode in -P -T; do
	for signal in INT TERM HUP; do
		[ $signal = INT ] || [ $mode = -P ] || continue
		begin $mode
		workers=$(children)
		kill -$signal "$pid"
		ends "$mode SIG$signal"
		warns "ended by SIG$signal"
	done
done
begin -T -p
workers=
kill -TERM "$pid"
ends "threads at pipes, SIGTERM"

# nth NUMBER: of the children; receivers of a group come before its senders
nth() { set -- "$1" $(children); shift "$1"; echo "$1"; }
for channel in '' -p -i; do
	for victim in 1 4; do
		begin $channel
		workers=$(children)
		kill -KILL "$(nth $victim)"
		ends "${channel:-socketpair}, worker $victim killed"
		warns 'killed by signal 9|the other side has gone'
	done
done
begin $(if_json --json=killed.json)
workers=$(children)
kill -KILL "$(nth 2)"
ends "killed worker and --json"
may_run --json
check "killed worker: return_code 1, no time" [ "$(grep -c -e '"return_code": 1' -e '"time": null' killed.json)" = 2 ]
begin
workers=$(children)
kill -KILL "$pid"
wait "$pid" 2>/dev/null
check "kill -9: the workers die with the main process" waits_until 2 are_gone $workers

# ---- limits -----------------------------------------------------------------------------------------
if is_root && have setpriv && have prlimit; then
	run $user prlimit --nofile=60:60 hackbench -T -g 20
	check "too few open files: status 4" [ "$status" = 4 ]
	warns 'hackbench: [0-9]+ open files are needed, and 60 is the limit'
	run $user prlimit --nofile=60:5000 hackbench -T -p -g 20 -f 5 -l 1
	check "a soft limit is raised" [ "$status" = 0 ]
	if prlimit --nofile=60:60 sh -c 'ulimit -Hn 500' 2>/dev/null; then
		run prlimit --nofile=60:60 hackbench -T -p -g 20 -f 5 -l 1
		check "root raises the hard limit" [ "$status" = 0 ]
	else
		skip "root may not raise hard limits here"
	fi
	# a user of our own, whose processes nobody else makes
	own='setpriv --reuid 61708 --regid 61708 --clear-groups --inh-caps=-all'
	run $own prlimit --nproc=12 hackbench -g 5 -f 5 -l 1
	check "too few processes: status 1" [ "$status" = 1 ]
	warns 'cannot make worker [0-9]+ of 50: .*ulimit -u'
	left() { ps -o pid= -u 61708 2>/dev/null | grep -c . ; }
	check "too few processes: none is left" [ "$(left)" = 0 ]
else
	skip "needs root, setpriv and prlimit: limits"
fi
if [ -c /dev/full ]; then
	hackbench $SMALL >/dev/full 2>"$T/.err"
	check "a full stdout is a failed run" [ $? = 1 ]
fi
done_testing
