#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cyclictest-signals - how a run is ended, and what signals show meanwhile.
. "${0%/*}/tap.sh"
. "$tests_dir/cyclictest.sh"

# result NAME N: there are N status lines
result() { check "$1: the whole result" [ "$(lines "$LINE")" = "$2" ]; }

# ---- the ends, in every way to sleep, with intervals longer than anybody waits ---------------
# (In a script, sh lets its background jobs ignore SIGINT: so these do.)
for mode in '' -r -s -x '-x -r' '-c realtime' '-A 8000000' '--secaligned 8000000'; do
	for sig in INT TERM HUP; do
		# shellcheck disable=SC2086 # no word or two
		begin -q -t3 -i 8000000 -d0 $mode
		sleep 0.05
		kill -$sig "$pid"
		ends "SIG$sig ends $mode" 0
		result "SIG$sig $mode" 3
	done
done
# Until it is cyclictest, it is a shell, whose trap would swallow the signal.
is_cyclictest() { [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = cyclictest ]; }
for when in 0 0.001 0.003 0.01 0.03; do
	cyclictest -q -t20 -i 8000000 >"$T/.out" 2>"$T/.err" &
	pid=$!
	soon 3 is_cyclictest
	sleep $when
	kill -TERM "$pid"
	if ! soon 3 is_gone "$pid"; then kill -KILL "$pid"; fi
	wait "$pid" 2>/dev/null
	status=$?
	# before it takes signals it may be killed as any program
	check "SIGTERM $when s after the start ends it" [ $status = 0 -o $status = 143 ]
done
check "no status object is left" [ "$(ls /dev/shm | grep -c "^cyclictest$pid\$")" = 0 ]

begin -q -t2 -i 8000000 -D 1
ends "-D is kept at a long interval" 0
begin -q -t2 -x -i 8000000 -D 1
ends "-D is kept with timers" 0
run cyclictest -q -D 1 -i 1000 -c realtime
check "-D counts with another clock" [ "$(field C)" -gt 100 ]

sh -c 'trap "" INT TERM; exec cyclictest -q -i 8000000' >"$T/.out" 2>"$T/.err" &
pid=$!
soon 10 has_begun
kill -TERM "$pid"
ends "SIGTERM, inherited as ignored, ends it" 0
result "ignored SIGTERM" 1
if have nohup; then
	nohup cyclictest -q -D 2 >"$T/.out" 2>"$T/.err" &
	pid=$!
	soon 10 has_begun
	kill -HUP "$pid"
	sleep 0.3
	check "nohup: SIGHUP does not end it" [ "$(is_gone "$pid" && echo gone)" = '' ]
	kill -INT "$pid"
	ends "nohup: SIGINT does" 0
else
	skip "no nohup(1)"
fi
if [ -n "$PYTHON" ]; then
	for sig in INT TERM HUP; do
		begin -q -t2 --result=r.json --json=o.json
		[ -n "$unmade" ] || kill -$sig "$pid"
		ends "SIG$sig with documents" 0
		holds "the result names SIG$sig" r.json "d['ended_by'] == 'signal:$sig' and d['exit_status'] == 0"
		holds "the JSON is complete after SIG$sig" o.json 'd["return_code"] == 0 and len(d["thread"]) == 2'
	done
fi

# ---- status on request ---------------------------------------------------------------------------
dashes='#---------------------------'
has_text() { grep -q T: "/dev/shm/cyclictest$pid"; }
begin -q -t2
sleep 0.1
check "the status object holds NUL bytes at first" [ "$(tr -d '\0' <"/dev/shm/cyclictest$pid" | wc -c)" = 0 -a -s "/dev/shm/cyclictest$pid" ]
check "the status object is nobody else's to write" [ "$(ls -l "/dev/shm/cyclictest$pid" | cut -c1-10)" = -rw-r--r-- ]
kill -USR2 "$pid"
soon 3 has_text
cp "/dev/shm/cyclictest$pid" object
kill -USR1 "$pid"
soon 3 grep -q "^T: 1" "$T/.err"
kill -INT "$pid"
ends "after USR1 and USR2" 0
check "the status object is gone" [ ! -e "/dev/shm/cyclictest$pid" ]
complaints >printed
for what in object printed; do
	check "$what: five lines" [ "$(wc -l <"$what")" = 5 ]
	check "$what: dashes around it" [ "$(sed -n '1p;5p' "$what" | tr '\n' ' ')" = "$dashes $dashes " ]
	check "$what: its title" [ "$(sed -n 2p "$what")" = '# cyclictest current status:' ]
	check "$what: the status lines" [ "$(grep -Ecx "$LINE" "$what")" = 2 ]
done

# ---- storms --------------------------------------------------------------------------------------------
for sig in USR1 USR2 ALRM CHLD PIPE WINCH; do
	begin -q -t4 -d0 -i 200 -l 2000
	i=0
	while [ $i -lt 300 ]; do kill -$sig "$pid" 2>/dev/null; i=$((i + 1)); done
	soon 20 is_gone "$pid"
	ends "300 SIG$sig" 0
	check "300 SIG$sig: no thread stopped" awk '/^T:/ { sub(/.* C: */, ""); n++; if ($1 < 1500) exit 1 } END { exit n != 4 }' "$T/.out"
done
begin -q -x -t2 -d0 -i 1000 -l 1000
i=0
while [ $i -lt 200 ]; do
	for task in /proc/$pid/task/*; do kill -ALRM "${task##*/}" 2>/dev/null; done
	i=$((i + 1))
done
soon 20 is_gone "$pid"
ends "foreign SIGALRM with -x" 0
check "foreign SIGALRM: samples of the timer alone" [ "$(field C 1)" = 1000 -o "$(field C 2)" = 1000 ]
check "foreign SIGALRM: nothing is early" [ "$(field Min)" -ge 0 ]
cyclictest -q -t200 -D 1 >"$T/.out" 2>"$T/.err" &
pid=$!
while ! grep -q '^SigBlk:.*[2-9a-f]..$' "/proc/$pid/status" 2>/dev/null && ! is_gone $pid; do :; done
while ! is_gone "$pid"; do kill -USR1 "$pid" 2>/dev/null; sleep 0.01; done
ends "SIGUSR1 from the start on" 0
result "SIGUSR1 from the start on" 200

# ---- no room for pending signals -----------------------------------------------------------------
if have prlimit; then
	for mode in '-i 8000000 -D 300ms' '-l 5' '-x -i 8000000 -D 300ms' '-x -l 5'; do
		# shellcheck disable=SC2086 # words
		T_LIMIT=10 run prlimit --sigpending=1:1 cyclictest -q -t3 $mode
		check "one pending signal allowed: ends: $mode" [ $status = 0 -o $status = 1 ]
	done
else
	skip "no prlimit(1)"
fi

# ---- a reader of stdout that does not read ---------------------------------------------------------
# The pipe is full before the second is over. Who reads it: nobody, for as long as the test lasts.
mkfifo "$T/pipe"
# stalled OPTION...: a run whose output goes there
stalled() {
	sleep 60 <"$T/pipe" &
	reader=$!
	cyclictest -v -i 200 -d0 "$@" >"$T/pipe" 2>"$T/.err" &
	pid=$!
	soon 10 takes_signals $pid
	sleep 1
	: >"$T/.out"
}
stalled -t2
kill -INT $pid
sleep 0.5
check "a signal ends the run, but its text may still be read" [ "$(is_gone $pid && echo gone)" = '' ]
kill -INT $pid
ends "the second one gives up the text" 1
warns 'nobody reads stdout'
kill $reader; wait $reader 2>/dev/null
stalled -t2 -D 1 $(if_json --result="$T/stalled.json")
sleep 1.2
kill -TERM $pid
ends "-D is kept without a reader" 1
holds "the result is whole" "$T/stalled.json" 'd["ended_by"] == "duration"'
kill $reader; wait $reader 2>/dev/null
# Nor is stderr read, as in "2>&1 | less"; the text that fills the pipe comes from all of them.
# stuck COMMAND...: it has much to say in its second, and is done when two signals have come
stuck() {
	sleep 60 <"$T/pipe" &
	reader=$!
	"$@" >"$T/pipe" 2>&1 &
	pid=$!
	soon 10 takes_signals $pid
	sleep 2.5
	kill -INT $pid 2>/dev/null
	sleep 0.5
	kill -INT $pid 2>/dev/null
	: >"$T/.out"
	ends "nobody reads stdout and stderr: $*" 1
	kill $reader; wait $reader 2>/dev/null
}
if has_json; then stuck cyclictest -v -t2 -i 200 -d0 -D 1 --result=-; else skip "built without json-c"; fi
stuck cyclictest -v -t2 -i 200 -d0
# A status is asked for while the last one has no reader: neither waits for the other.
sleep 60 <"$T/pipe" &
reader=$!
cyclictest -q -t200 -i 10000 -d0 -D 2 >"$T/.out" 2>"$T/pipe" &
pid=$!
soon 10 takes_signals $pid
for _ in 1 2 3 4 5 6 7 8; do kill -USR1 $pid; sleep 0.1; done
sleep 2
kill -INT $pid
sleep 0.3
kill -INT $pid 2>/dev/null
ends "SIGUSR1, and nobody reads stderr" 1
check "all of the text is on stdout" [ "$(lines "$LINE")" = 200 ]
kill $reader; wait $reader 2>/dev/null
cyclictest -t1 -v -i 1000 -d0 -D 1 2>"$T/.err" | { sleep 3; cat >"$T/.out"; }
check "a late reader gets all of it" [ "$(tail -n 1 "$T/.out" | cut -c1-9)" = '       0:' ]
if has_json; then
	sleep 60 <"$T/pipe" &
	reader=$!
	cyclictest -q -t4 -i 100 -d0 --samples="$T/pipe" >"$T/.out" 2>"$T/.err" &
	pid=$!
	soon 10 has_begun
	sleep 1.5
	kill -INT $pid
	sleep 0.3
	kill -INT $pid
	ends "--samples without a reader" 1
	kill $reader; wait $reader 2>/dev/null
else
	skip "built without json-c (JSON=0)"
fi

# ---- many threads ------------------------------------------------------------------------------------
T_LIMIT=30 run cyclictest -q -t 1000 -i 10000 -d0 -D 1
check "1000 threads start and end" [ "$status:$(lines "$LINE")" = 0:1000 ]
done_testing
