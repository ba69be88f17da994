#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# signaltest - options, layouts, documents, ends.
. "${0%/*}/tap.sh"
T_LIMIT=20

PYTHON=${PYTHON:-/usr/bin/python3}
have "$PYTHON" || PYTHON=
first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
usable=$(nproc)
LINE='T: ?[0-9]+ \([ 0-9]{5,}\) P:[ 0-9]{2} C:[ 0-9]{7,} Min:[ 0-9]{7,} Act:[ 0-9]{5,} Avg:[ 0-9]{5,} Max:[ 0-9]{8,}'
VALUE='[ 0-9]{8,}:[ 0-9]{8,}:[ 0-9]{8,}'

# lines REGEX: how many lines of stdout match it as a whole
lines() { grep -Ecx -- "$1" "$T/.out"; }
# field NAME: the numbers behind "NAME:" in all status lines
field() { grep '^T:' "$T/.out" | sed "s/.* $1: *\\(-\\{0,1\\}[0-9]*\\).*/\\1/" | tr '\n' ' ' | sed 's/ $//'; }

# ---- refusals ---------------------------------------------------------------------
for value in abc 1 -1 '' 1.5; do refuses 2 '--threads: ' signaltest -t "$value"; done
for value in abc -5 ''; do refuses 2 '--loops: ' signaltest -l "$value"; done
for value in abc -5 5x ''; do refuses 2 '--duration: ' signaltest -D "$value"; done
for value in abc -1 500ns; do refuses 2 '--breaktrace: ' signaltest -b "$value"; done
for value in abc 100 -1; do refuses 2 '--priority: ' signaltest -p "$value"; done
for value in x 1, 5-2 ''; do refuses 2 '--affinity: ' signaltest --affinity="$value"; done
for value in 0 abc 500ns; do refuses 2 '--limit: ' signaltest --limit="$value"; done
refuses 2 '--affinity: CPU 4999 does not exist' signaltest -a 4999
refuses 2 '--checkpoint: needs' signaltest --checkpoint=1
refuses 2 'only one document' signaltest --json=- --result=-
refuses 2 "'--bogus'" signaltest --bogus
refuses 1 "'/proc/nowhere/x'" signaltest -l 1 --json=/proc/nowhere/x
prints 'signaltest V 3\.00' signaltest --version
prints '[Uu]sage: signaltest .*' signaltest -h

# ---- what it prints ------------------------------------------------------------------
exits 0 signaltest -q -l 40
check 'two threads, two lines, nothing else' [ "$(lines "$LINE")" = 2 ]
check 'as many lines as that' [ "$(wc -l <"$T/.out")" = 2 ]
check 'both have been around 40 times' [ "$(field C)" = '40 40' ]
exits 0 signaltest -l 5
check 'the same without a terminal and without -q' [ "$(lines "$LINE")" = 2 ]
exits 0 signaltest -q -t 5 -l 20
check 'five threads' [ "$(field C)" = '20 20 20 20 20' ]
exits 0 signaltest -q -t 0 -l 3
wanted=$usable; [ "$usable" != 1 ] || wanted=2
check '-t 0: one for each CPU' [ "$(lines "$LINE")" = "$wanted" ]
exits 0 signaltest -q -S -l 3
check '-S: one for each CPU' [ "$(lines "$LINE")" = "$wanted" ]
exits 0 signaltest -q -S -t 7 -a "$first" -l 3
warns '--threads is ignored'
warns "only CPU $first may be used: the ring is two threads on it"
check 'a ring is two threads at least' [ "$(lines "$LINE")" = 2 ]
exits 0 signaltest -v -a "$first" -l 4
says '^Using 1 cpus\.$'
says "^Thread 1 using cpu $first\.\$"
check '-v: each value of each thread' [ "$(lines "$VALUE")" = 8 ]
check '-v: the cycles of a thread in order' [ "$(sed -n 's/^ *0: *\([0-9]*\):.*/\1/p' "$T/.out" | tr -d '\n')" = 0123 ]
exits 0 signaltest -q -l 10 -m
exits 0 signaltest -q -l 10 --percentiles
says '^# P99\.9: [0-9]{5} [0-9]{5}$'

# Thread 0 pauses for 10 ms every 16 rounds: that is in nobody's value, or thread 1's mean
# would be above thread 0's by 625 us.
exits 0 signaltest -q -l 200
check 'the pause is in no value' [ "$(field Avg | cut -d' ' -f2)" -lt "$(($(field Avg | cut -d' ' -f1) * 2 + 200))" ]

if have script; then
	script -qec 'signaltest -D 500ms' /dev/null >live </dev/null
	check 'on a terminal the block is drawn several times' [ "$(grep -c 'T: 0 (' live)" -gt 1 ]
	check 'and the cursor goes back by its height' grep -q "$(printf '\033')\[4A" live
	check 'the load average stands above' [ "$(grep -Ec '[0-9.]+ [0-9.]+ [0-9.]+ [0-9]+/[0-9]+ [0-9]+          ' live)" -gt 1 ]
else
	skip 'no script(1) to have a terminal'
fi

# ---- ends ---------------------------------------------------------------------------------
for signal in INT TERM HUP; do
	unmade=
	signaltest -q >"$T/.out" 2>"$T/.err" &
	waits_until 10 takes_signals $!
	sleep 0.3
	kill -$signal $!
	wait $!
	status=$?
	check "SIG$signal is a good end" [ "$status" = 0 ]
	check "SIG$signal: the result is there" [ "$(lines "$LINE")" = 2 ]
done
exits 0 signaltest -q -D 100ms
run signaltest -q -b 1
check '-b ends the run, status 0' [ "$status" = 0 ]
says '^Thread [01] exceeded trace limit\.$'
warns 'thread [01] had a value of [0-9]+ us, above --breaktrace 1$'
exits 0 signaltest -q -b 0 -l 3
exits 3 signaltest -q -l 40 --limit 1us
warns 'limit passed: thread [01] '

# signals from outside stop nothing
unmade=
signaltest -q -D 2 $(if_json --result=foreign.json) >"$T/.out" 2>"$T/.err" &
tool=$!
waits_until 10 holds_back $tool 2367abef
sleep 0.3
for n in 1 2 3 4 5 6 7 8 9 10; do kill -USR1 $tool; done
wait $tool
status=$?
check 'foreign signals: a good end' [ "$status" = 0 ]
holds 'foreign signals: it went on' foreign.json 'd["ended_by"] == "duration" and d["duration_ns"] >= 2000000000'

# ---- documents --------------------------------------------------------------------------------
exits 0 signaltest -q -t 2 -l 20 --json=peer.json --result=ours.json --samples=samples
{
	printf '%s\n' file_version cmdline: rt_test_version: start_time end_time return_code sysinfo \
		num_threads thread
	for n in 0 1; do printf '%s\n' cycles min max avg cpu; done
} >wanted
if [ "$PYTHON" ]; then
	[ -z "$unmade" ] && "$PYTHON" -c 'import json; d = json.load(open("peer.json"))
print("\n".join(list(d) + [k for t in d["thread"].values() for k in t]))' >got
	check '--json: members and their order' cmp -s wanted got
else
	skip 'no python3'
fi
check '--json: avg with two decimals' grep -Eq '^      "avg": [0-9]+\.[0-9][0-9],$' peer.json
holds '--json: cycles' peer.json '[t["cycles"] for t in d["thread"].values()] == [20, 20]'
holds '--result: two series' ours.json \
	'[(s["name"], s["kind"], s["counts"]["samples"]) for s in d["series"]] == [("thread 0", "ring", 20), ("thread 1", "ring", 20)]'
check '--samples begins as told' [ "$(head -c 8 samples)" = RTGSMPL1 ]
if [ "$usable" -gt 1 ]; then
	holds '--json: each its own CPU' peer.json 'd["thread"]["0"]["cpu"] != d["thread"]["1"]["cpu"]'
else
	skip 'one CPU'
fi

# ---- without rights ------------------------------------------------------------------------------
user='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all'
if is_root && have setpriv && $user sh -c "[ -x '$RT_BIN/signaltest' ]"; then
	exits 0 $user signaltest -q -l 3
	exits 4 $user signaltest -q -l 3 -p 5
	warns 'RTPRIO|CAP_SYS_NICE'
	if grep -Eq '__(a|t)san_init' "$RT_BIN/signaltest"; then
		skip 'a sanitizer locks no memory'
	elif have prlimit; then
		exits 4 $user prlimit --memlock=65536 signaltest -q -l 3 -m
		warns 'RLIMIT_MEMLOCK'
	else
		skip 'no prlimit(1)'
	fi
else
	skip 'rights can be dropped by root only'
fi
done_testing
