#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hrtimer-test - options, tables, verdict, documents, ends.
. "${0%/*}/tap.sh"
T_LIMIT=20

PYTHON=${PYTHON:-/usr/bin/python3}
have "$PYTHON" || PYTHON=
is_gone() { [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }
cpus=$(grep -c ^processor /proc/cpuinfo)

# ---- refusals ----------------------------------------------------------------------------
for value in foo '' monotonic, ,tai raw MONOTONIC; do refuses 2 '--clocks: ' hrtimer-test -c "$value"; done
for value in foo '' nanosleep, sleep; do refuses 2 '--ways: ' hrtimer-test -w "$value"; done
for value in 0 -1 abc 5x '' 1ms, 61s 100ns 1.5; do refuses 2 '--periods: ' hrtimer-test -i "$value"; done
refuses 2 'more than 32 periods' hrtimer-test -i "$(seq -s, 1 33)"
for value in 0 -1 abc ''; do refuses 2 '--loops: ' hrtimer-test -l "$value"; done
for value in 0 -1 abc ''; do refuses 2 '--cell-time: ' hrtimer-test --cell-time="$value"; done
for value in 0 -1 abc ''; do refuses 2 '--slack: ' hrtimer-test --slack="$value"; done
for value in 0 100 abc ''; do refuses 2 '--priority: ' hrtimer-test -p "$value"; done
for value in abc 1- ''; do refuses 2 '--affinity: ' hrtimer-test -a "$value"; done
refuses 2 '--affinity: CPU 4999 does not exist' hrtimer-test -a 4999
[ "$cpus" -lt 2 ] || refuses 2 '--affinity: .* more than one CPU' hrtimer-test -a 0-1
refuses 2 "'-X' is not an option" hrtimer-test -X
refuses 2 'only one document' hrtimer-test --json=- --result=-
refuses 1 "cannot write '/proc/nowhere/x'" hrtimer-test --json=/proc/nowhere/x
exits 0 hrtimer-test -h
says '^ +-i, --periods=LIST'
exits 0 hrtimer-test --help
prints 'hrtimer-test V 3\.00' hrtimer-test --version

# ---- the tables ----------------------------------------------------------------------------
run hrtimer-test -i 100us,2ms -l 5 --json=j.json --result=r.json --check
check 'a run: nothing early, granularity kept' [ "$(grep -c '^FAILED  *\(expired\|sleeps\)' "$T/.out")" = 0 ]
says '^# monotonic: resolution [0-9]+ ns, step [0-9]+ ns, drift [-+0-9.]+'
says '^# clock    way              period samples   earliest       mean     latest early  over$'
for way in nanosleep nanosleep-abs timerfd posix setitimer poll futex; do
	says "^monotonic  $way +100us +5 +[0-9.]+ +[0-9.]+ +[0-9.]+ +0 +[0-9]+$"
done
says '^monotonic  epoll +100us +- +- +- +- +- +-$'
says '^monotonic  epoll +2ms +5 '
for clock in realtime boottime tai; do says "^$clock +nanosleep-abs +2ms +5 "; done
says '^tai +timerfd +2ms +- '
says '^realtime +setitimer +2ms +- '
says '^monotonic  futex +[0-9.]+$'
says '^# timer slack \(here [0-9]+ ns\), 1ms by nanosleep-abs'
says '^500us +[0-9.]+ +[0-9.]+ +[0-9.]+$'
says '^ok     expired early: 0$'
holds 'json: the envelope, then its members' j.json \
	'list(d)[6:] == ["sysinfo", "clocks", "cells", "shortest", "slack", "slacks", "check"]'
holds 'json: a cell for each clock, way and period' j.json 'len(d["cells"]) == 4 * 9 * 2'
holds 'json: earliest <= mean <= latest, none early' j.json \
	'all(c["earliest"] <= c["mean"] <= c["latest"] and c["early"] == 0 and c["samples"] == 5 for c in d["cells"] if c["state"] == "done")'
holds 'json: a longer sleep is not shorter: shortest of a millisecond call' j.json \
	'all(s["shortest"] >= (1000000 if s["way"] == "epoll" else 1) for s in d["shortest"])'
holds 'json: with a slack of 500us sleeps end later than with 1ns' j.json \
	'd["slacks"][0]["slack"] == 1 and d["slacks"][2]["slack"] == 500000 and d["slacks"][0]["earliest"] < d["slacks"][2]["latest"]'
holds 'result: a series a cell' r.json \
	'len(d["series"]) == 72 and d["series"][0]["name"] == "monotonic nanosleep 100us" and d["series"][0]["kind"] == "wakeup" and d["hrtimer-test"]["check"]["early"] == 0'

# rows OPTION...: how many rows with numbers, how many without
rows() { run hrtimer-test -l 2 "$@"; check "status 0: $*" [ "$status" = 0 ]; }
numbers() { grep -Ec "^(monotonic|realtime|boottime|tai) +[a-z-]+ +[0-9.]+[mun]?s +[0-9]" "$T/.out"; }
rows -c tai -w nanosleep,posix -i 1000
check 'clocks, ways and periods are chosen' [ "$(numbers)" = 2 ]
lacks '^# monotonic: '
rows -c monotonic,realtime -w futex -i 50,100us,1ms
check 'lists' [ "$(numbers)" = 6 ]
rows -c monotonic -w setitimer -i 1500ns
check 'a period that the call can not have: no numbers' [ "$(numbers)" = 0 ]
run hrtimer-test -c monotonic -w nanosleep -i 1ms -l 1000 --cell-time=10ms --json=c.json
holds '--cell-time' c.json 'd["cells"][0]["samples"] == 10'
run hrtimer-test -c monotonic -w nanosleep -i 30ms --cell-time=10ms --json=c.json
holds 'one expiry at least' c.json 'd["cells"][0]["samples"] == 1'
run hrtimer-test -c monotonic -w nanosleep-abs -i 1ms -l 20 --slack=20ms --json=c.json
holds '--slack: sleeps may end that much later' c.json 'd["cells"][0]["latest"] >= d["cells"][0]["earliest"] >= 0'
run hrtimer-test -q -c monotonic -w nanosleep -i 1ms -l 2
check '-q: nothing' [ "$status:$(wc -c <"$T/.out")" = 0:0 ]
run hrtimer-test -q -c monotonic -w nanosleep -i 1ms -l 2 --json=-
holds 'json on stdout: that alone' "$T/.out" 'd["cells"][0]["way"] == "nanosleep"'
run hrtimer-test -q --check -c monotonic -w nanosleep -i 1ms -l 2
check '--check -q: the verdict alone' [ "$(grep -Ec '^(ok|FAILED) ' "$T/.out"):$(grep -c . "$T/.out")" = 4:4 ]
check '--check: the status says the same' [ "$status" = "$(grep -q ^FAILED "$T/.out" && echo 1 || echo 0)" ]

# ---- rights, CPUs -----------------------------------------------------------------------------
last=$((cpus - 1))
if can_rt && [ "$(nproc)" = "$cpus" ]; then
	run hrtimer-test -p 5 -a "$last" -w nanosleep,timerfd,deadline -i 1ms -l 5 --result=p.json
	check '-p -a: good' [ "$status" = 0 ]
	holds '-p -a: in the result' p.json "d['series'][0]['policy'] == 'fifo' and d['series'][0]['priority'] == 5 and d['series'][0]['cpu'] == $last"
	says '^500us +- +- +-$'
else
	skip 'no right for real-time priorities: -p'
fi
if is_root && have setpriv; then
	chmod 755 "$T"
	run setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all hrtimer-test -p 5
	check 'a user, -p: 4' [ "$status" = 4 ]
	run setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all hrtimer-test -c monotonic -i 1ms -l 2
	check 'a user: works' [ "$status" = 0 ]
	says '^monotonic  deadline +1ms +- '
	says '^monotonic  nanosleep +1ms +2 '
else
	skip 'not root, or no setpriv'
fi

# ---- a terminal: how far it is; nowhere else --------------------------------------------------------
if have script; then
	unmade= status=0
	script -qec 'hrtimer-test -l 1 -c monotonic -w nanosleep -i 1ms,500ms' /dev/null >"$T/.out" 2>"$T/.err" </dev/null ||
		status=$?
	check 'on a terminal: status 0' [ $status = 0 ]
	says '^# row 2 of 2: monotonic  nanosleep +500ms.$'
	says '^monotonic  nanosleep +500ms +1 '
else
	skip 'no script(1), so no terminal'
fi
run hrtimer-test -l 1 -c monotonic -w nanosleep -i 1ms
lacks 'row 1 of 1'

# ---- ends ------------------------------------------------------------------------------------------
for way in nanosleep-abs timerfd posix epoll futex; do
	unmade=
	hrtimer-test -c monotonic -w $way -i 60s >"$T/.out" 2>"$T/.err" &
	pid=$!
	waits_until 10 takes_signals $pid
	sleep 0.5
	kill -TERM $pid
	waits_until 5 is_gone $pid || { kill -KILL $pid; fail "$way, SIGTERM: ends"; }
	wait $pid
	status=$?
	check "$way, SIGTERM: ends a sleep of a minute with status 0" [ "$status" = 0 ]
	says "^monotonic  $way +1m +- "
	lacks 'ended early'
done
# "-" is for what can't be had, not for what nobody waited for
unmade=
hrtimer-test -c monotonic -w nanosleep,timerfd -i 1ms,60s -l 1 >"$T/.out" 2>"$T/.err" &
pid=$!
waits_until 10 takes_signals $pid
sleep 0.5
kill -INT $pid
wait $pid
status=$?
check 'ended in the second cell of four: status 0' [ "$status" = 0 ]
says '^monotonic  nanosleep +1ms +1 '
says '^monotonic  nanosleep +1m +- '
says '^# ended early: 2 of 4 not measured$'
lacks '^monotonic  timerfd'
done_testing
