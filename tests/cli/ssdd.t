#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# ssdd - each option, each refusal, the layouts, failing pairs, and that neither
# tracer nor tracee outlives a run.
. "${0%/*}/tap.sh"
T_LIMIT=30
PYTHON=${PYTHON:-/usr/bin/python3}

# ---- refused before anything is touched ----------------------------------------------------
refuses 2 '^ssdd: --forks: .*0' ssdd -f 0
refuses 2 '^ssdd: --forks: .*-1' ssdd --forks=-1
refuses 2 '^ssdd: --forks: .*abc' ssdd -f abc
refuses 2 '^ssdd: --iters: .*0' ssdd -i 0
refuses 2 '^ssdd: --iters: .*-4' ssdd -i -4
refuses 2 '^ssdd: --iters: .*abc' ssdd --iters abc
refuses 2 '^ssdd: --iters: ' ssdd -i 99999999999999999999
refuses 2 "'--bogus'" ssdd --bogus
refuses 2 'only one document' ssdd --json=- --result=-
refuses 1 'no-such-folder' ssdd -f 1 -i 1 --json=no-such-folder/f
prints 'Usage: ssdd .*' ssdd -h
prints 'ssdd V [0-9.]+' ssdd --version
run ssdd -f 1 -i 1
[ "$status" = 4 ] && skip_all "processes may not be traced here"

# ---- layouts -------------------------------------------------------------------------------
shape() { sed -E 's/[0-9]+/9/g'; }
run ssdd -f 2 -i 50
check "status 0, stderr empty" [ "$status:$(cat "$T/.err")" = 0: ]
check "header" [ "$(sed -n '1,4p' "$T/.out" | shape)" = '#main : 9
#forks: 9
#steps: 9' ]
says '^#forks: 2$'
says '^#steps: 50$'
check "a line for each start" [ "$(grep -Ecx 'forktest#[01]/[0-9]+/[0-9]+: STARTING' "$T/.out")" = 2 ]
check "a line for each end" [ "$(grep -Ecx 'forktest#[01]/[0-9]+: EXITING, no error' "$T/.out")" = 2 ]
check "the verdict is last of nine lines" [ "$(sed -n '9p' "$T/.out")" = 'All tests PASSED.' ]
run ssdd -q --forks 3 --iters=20
check "-q: only the verdict" [ "$status:$(cat "$T/.out")" = '0:All tests PASSED.' ]
run ssdd -q -f 1 -i 20 10 foo
warns "'foo' is not an option, ignored"
check "words are ignored" [ "$status" = 0 ]
run ssdd -q -f 100 -i 10
check "many pairs" [ "$status" = 0 ]
run ssdd -f 30 -i 5
check "lines are whole" [ "$(grep -Evc '^(#(main |forks|steps): ?[0-9]+|forktest#[0-9]+/[0-9]+(/[0-9]+: STARTING|: EXITING, no error)|All tests PASSED\.|)$' "$T/.out")" = 0 ]
if is_root && have setpriv; then
	run setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all ssdd -q -f 2 -i 20
	check "needs no rights" [ "$status" = 0 ]
else
	skip "not root: cannot give rights away"
fi

# ---- documents -----------------------------------------------------------------------------
run ssdd -q -f 2 -i 20 --json=o.json --result=r.json
sed -n 's/^  "\([^"]*\)".*/\1/p' o.json | tr '\n' ' ' >members
check "--json: the envelope alone" [ "$(cat members)" = \
	"file_version cmdline: rt_test_version: start_time end_time return_code sysinfo " ]
if have "$PYTHON"; then
	check "--result: numbers" "$PYTHON" -c 'import json; d = json.load(open("r.json")); o = d["ssdd"]
assert json.load(open("o.json"))["return_code"] == 0 and d["exit_status"] == 0
assert (o["forks"], o["iters"], o["steps"], o["ended"], o["failed"]) == (2, 20, 40, 2, 0)
assert o["failures"] == []'
else
	skip "no python3"
fi
may_run --json && ssdd -f 1 -i 5 --json=- 2>err | head -n 1 >first
check "--json=-: stdout is the document" [ "$(cat first)" = "{" ]
check "--json=-: the text is on stderr" grep -qx 'All tests PASSED.' err

# ---- pairs that fail, and the ends of a run -----------------------------------------------------
# begin OPTION...: an endless run of two pairs in the background, as $pid
begin() {
	: >"$T/.out" # or has_begun() could see the run before
	unmade=
	ssdd -f 2 -i 1000000000 "$@" >"$T/.out" 2>"$T/.err" </dev/null &
	pid=$!
	waits_until 10 has_begun
	all=$(grep -o '/[0-9/]*' "$T/.out" | tr / ' ')
}
has_begun() { [ "$(grep -c STARTING "$T/.out")" = 2 ]; }
# nth N: process of the first pair: 1 its tracer, 2 its tracee
nth() { sed -n "s|^forktest#0/\([0-9]*\)/\([0-9]*\): STARTING|\\$1|p" "$T/.out"; }
is_gone() { [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }
are_gone() { for p; do is_gone "$p" || return 1; done; }
ends() {
	if ! waits_until 2 is_gone "$pid"; then kill -KILL "$pid"; fail "$1: ends"; fi
	wait "$pid" 2>/dev/null
	status=$?
	check "$1: status 1" [ "$status" = 1 ]
	check "$1: nobody is left" are_gone $all
}
for signal in INT TERM HUP; do
	begin
	kill -$signal "$pid"
	ends "SIG$signal"
	warns "ended by SIG$signal"
	lacks 'PASSED'
done
begin
kill -KILL "$pid"
wait "$pid" 2>/dev/null
check "kill -9: all die with the main process" waits_until 2 are_gone $all

begin $(if_json --result=r.json)
kill -KILL "$(nth 2)"
check "a killed tracee: its pair says so" waits_until 5 grep -Eqx 'forktest#0/[0-9]+: EXITING, ERROR: wait on PTRACE_SINGLESTEP #[0-9]+: wanted STATE_STOPPED, saw STATE_SIGNALED instead \(and saw signo 9 too\)' "$T/.out"
kill -INT "$pid"
ends "a killed tracee"
check "a killed tracee: the verdict" [ "$(tail -n 1 "$T/.out")" = 'One or more tests FAILED.' ]
warns '^ssdd: 1 of 2 pairs failed, pair 0 first: wait on PTRACE_SINGLESTEP '
may_run --result
check "a killed tracee: --result" grep -q '"failed": 1' r.json
begin
kill -KILL "$(nth 1)"
waits_until 2 is_gone "$(nth 2)"
kill -INT "$pid"
ends "a killed tracer"
warns 'pair 0 first: the tracer ended as STATE_SIGNALED \(signo 9\)'

if is_root && have setpriv && have prlimit; then
	# a user of our own, whose processes nobody else makes
	run setpriv --reuid 61709 --regid 61709 --clear-groups --inh-caps=-all \
		prlimit --nproc=8 ssdd -f 10 -i 100
	check "too few processes: status 1" [ "$status" = 1 ]
	# killed ones need a moment until process 1 has reaped them
	has_none() { [ "$(ps -o pid= -u 61709 2>/dev/null | grep -c .)" = 0 ]; }
	check "too few processes: nobody is left" waits_until 2 has_none
else
	skip "needs root, setpriv and prlimit: limits"; skip "limits"
fi
if [ -c /dev/full ]; then
	ssdd -f 1 -i 5 >/dev/full 2>"$T/.err"
	check "a full stdout is a failed run" [ $? = 1 ]
fi
done_testing
