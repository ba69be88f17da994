#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# pairtests - sigwaittest, pmqtest, ptsematest, svsematest, pairtest: layouts,
# documents, ends, and what is left behind. Refusals: pairtests-options.t.
. "${0%/*}/tap.sh"
T_LIMIT=20

PYTHON=${PYTHON:-/usr/bin/python3}
have "$PYTHON" || PYTHON=
peers='sigwaittest pmqtest ptsematest svsematest'
vias='futex eventfd pipe unix cond signal mq ptsem svsem'
first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
usable=$(nproc)
rt=; can_rt && rt=yes

# shape: the last stdout, each number and the blanks before it replaced by 9
shape() { sed -e 's/ *-\{0,1\}[0-9][0-9]*/9/g' "$T/.out"; }

# shaped NAME: the last output has the shape in the file wanted, byte by byte
shaped() {
	shape >shape
	check "$1: the layout" cmp -s wanted shape
	cmp -s wanted shape || diff wanted shape | sed 's/^/# /'
}

# block PAIRS [TO]: the lines of a result as a shape
block() {
	lines=$1
	while [ "$lines" -gt 0 ]; do
		echo "#9: ID9, P9, CPU9, I9; #9: ID9, P9, CPU9,${2:+ TO9,} Cycles9"
		lines=$((lines - 1))
	done
	lines=$1
	while [ "$lines" -gt 0 ]; do
		echo "#9 -> #9, Min9, Cur9, Avg9, Max9"
		lines=$((lines - 1))
	done
}
to_of() { [ "$1" != pmqtest ] || echo TO; }

# field N LINE NAME: of the last output, the number behind NAME in a line
field() { sed -n "$1p" "$T/.out" | sed -n "s/.*$2 *\(-\{0,1\}[0-9][0-9]*\).*/\1/p"; }

# is_all LINES NAME VALUE: that field of each of the first lines
is_all() {
	n=1
	while [ $n -le "$1" ]; do
		[ "$(field $n "$2")" = "$3" ] || return 1
		n=$((n + 1))
	done
}

# ---- what they print ------------------------------------------------------------------
for tool in $peers; do
	exits 0 $tool -q -l 20 -i 200
	block 1 "$(to_of $tool)" >wanted
	shaped "$tool, one pair"
	check "$tool: the sender made 20" [ "$(field 1 Cycles)" = 20 ]
	check "$tool: nothing on stderr" [ -z "$(complaints)" ]
	exits 0 $tool -q -t 2 -l 20 -i 200 -d 300
	block 2 "$(to_of $tool)" >wanted
	shaped "$tool, two pairs"
	check "$tool: every pair made 20" is_all 2 Cycles 20
	check "$tool: the first interval" [ "$(sed -n 1p "$T/.out" | grep -c 'I200;')" = 1 ]
	check "$tool: the second is longer by the distance" [ "$(sed -n 2p "$T/.out" | grep -c 'I500;')" = 1 ]
	says '^#0: ID[0-9]+, P0, CPU[0-9]+, I200; #1: ID'
	says '^#3 -> #2, Min +[0-9]+, '
	exits 0 $tool -l 5 -i 1500000us -D 100ms
	block 1 "$(to_of $tool)" >wanted
	shaped "$tool without a terminal and without -q"
	says 'I1500000;'
	exits 0 $tool -q -t -l 3
	check "$tool -t: a pair for each CPU" [ "$(grep -c '^#.* -> ' "$T/.out")" = "$usable" ]
	exits 0 $tool -q -t 0 -l 3
	check "$tool -t 0: the same" [ "$(grep -c '^#.* -> ' "$T/.out")" = "$usable" ]
	exits 0 $tool -q -a "$first" -t 3 -l 3
	check "$tool -a CPU: all pairs there" is_all 3 ', CPU' "$first"
	exits 0 $tool -q -S -l 3 -i 300
	check "$tool -S: a pair on each CPU" [ "$(grep -c '^#.* -> ' "$T/.out")" = "$usable" ]
	exits 0 $tool -S -a "$first" -t 5 -q -l 3
	warns '--threads is ignored'
	check "$tool -S -a CPU: one pair" [ "$(grep -c '^#.* -> ' "$T/.out")" = 1 ]
	exits 0 $tool -q -a0 -l 3 --sender-affinity="$first"
	exits 0 $tool -q -l 3 stray
	warns 'stray'
	exits 0 $tool -q -l 20 -i 100 --percentiles
	says '^# P50: [0-9]{5}$'
	says '^# P99\.999: [0-9]{5}$'
done
exits 0 taskset -c "$first" svsematest -a -t 2 -l 3 -q
check 'a restricted mask: all pairs inside' is_all 2 ', CPU' "$first"
# The sender has no sample yet when the run ends.
for tool in sigwaittest "pairtest --via=futex --fork"; do
	# shellcheck disable=SC2086 # a word or more
	run $tool -q -i 5000000 -D 1
	says '; #1: ID[0-9]+, P0, CPU[0-9]+, '
done

if has_tsan; then
	skip 'the thread sanitizer spins at mixed real-time priorities'
elif [ "$rt" ]; then
	for tool in pmqtest ptsematest svsematest; do
		exits 0 $tool -q -p 2 -t 3 -l 3
		check "$tool: priorities go down to 1" [ "$(sed -n 's/.*#[135]:.* P\([0-9]\),.*/\1/p' "$T/.out" | tr -d '\n')" = 211 ]
	done
	exits 0 sigwaittest -q -p 2 -t 3 -l 3
	warns 'SCHED_OTHER'
	check 'sigwaittest: priorities go down to 0' [ "$(sed -n 's/.*#[135]:.* P\([0-9]\),.*/\1/p' "$T/.out" | tr -d '\n')" = 210 ]
	exits 0 ptsematest -q -p 2 -S -l 3
	check '-S: all have the same' [ "$(grep -c ', P2, .*, P2, ' "$T/.out")" = "$usable" ]
else
	skip 'no right to real-time priorities'
fi

# live: the block is drawn again and again, the last one stays
if have script; then
	script -qec 'sigwaittest -D 500ms -t 2' /dev/null >live </dev/null
	check 'on a terminal the block is drawn several times' [ "$(grep -c '#1 -> #0' live)" -gt 1 ]
	check 'and the cursor goes back by its height' grep -q "$(printf '\033')\[4A#0: ID" live
	script -qec 'sigwaittest -D 300ms -q' /dev/null >live </dev/null
	check '-q: once' [ "$(grep -c '#1 -> #0' live)" = 1 ]
	check '-q: no escapes' [ "$(grep -c "$(printf '\033')" live)" = 0 ]
else
	skip 'no script(1) to have a terminal'
fi

# ---- processes -----------------------------------------------------------------------
for command in 'sigwaittest -f' 'sigwaittest --fork' 'pmqtest --fork' 'ptsematest --fork' \
	'svsematest -f' 'svsematest --fork'; do
	exits 0 $command -q -t 2 -l 20 -i 200
	check "$command: every pair made 20" is_all 2 Cycles 20
	block 2 "$(to_of "${command%% *}")" >wanted
	shaped "$command"
done

# one_dies TOOL OPTION...: one of its processes is killed in mid-run
one_dies() {
	unmade=
	"$@" -q -t 2 -i 500 -D 20 $(if_json --result=dies.json) >"$T/.out" 2>"$T/.err" &
	parent=$!
	waits_until 5 has_children $parent 4
	sleep 0.3
	kill -9 "$(children $parent | sed -n 2p)"
	waits_until 5 is_gone $parent && gone=yes || gone=
	[ "$gone" ] || kill -9 $parent
	wait $parent
	status=$?
	check "$*: it ends by itself" [ "$gone" ]
	check "$*: as a failure" [ "$status" = 1 ]
	warns 'is gone: killed by signal 9'
	check "$*: both pairs' results are there" [ "$(grep -c '^#.* -> #.*Max' "$T/.out")" = 2 ]
	holds "$*: the document says so" dies.json 'd["ended_by"] == "error" and d["exit_status"] == 1'
}
children() { ps -o pid= --ppid "$1" | tr -d ' '; }
has_children() { [ "$(children "$1" | wc -l)" = "$2" ]; }
is_gone() { [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }
if have ps; then
	for tool in 'sigwaittest -f' 'pmqtest --fork' 'pairtest --via=cond --fork'; do one_dies $tool; done
	ptsematest --fork -q -D 20 >/dev/null 2>&1 &
	parent=$!
	waits_until 5 has_children $parent 2
	kids=$(children $parent)
	kill -9 $parent
	wait $parent 2>/dev/null
	for kid in $kids; do check 'a killed parent takes its processes along' waits_until 2 is_gone "$kid"; done
else
	skip 'no ps(1)'
fi

# ---- pairtest ---------------------------------------------------------------------------
for via in $vias; do
	exits 0 pairtest --via=$via -q -t 2 -l 10 -i 200
	block 2 >wanted
	shaped "pairtest --via=$via"
	check "$via: every pair made 10" is_all 2 Cycles 10
	exits 0 pairtest --via=$via -q -D 50ms -i 100s
	exits 0 pairtest --via=$via -q -f -l 10 -i 200
	check "$via between processes" [ "$(field 1 Cycles)" = 10 ]
done

# ---- ends ----------------------------------------------------------------------------------
# The pause is long: whoever ends it must not wait for it.
for signal in INT TERM HUP; do
	unmade=
	sigwaittest -q -i 1000s >"$T/.out" 2>"$T/.err" &
	waits_until 10 takes_signals $!
	sleep 0.3
	kill -$signal $!
	wait $!
	status=$?
	check "SIG$signal ends a long pause well" [ "$status" = 0 ]
	block 1 >wanted
	shaped "after SIG$signal"
done
T_LIMIT=5
exits 0 svsematest -q -D 200ms -i 100s
exits 0 pmqtest -q -D 200ms -i 100s
T_LIMIT=20

# signals from outside are no hand-overs, and stop nothing
unmade=
sigwaittest -q -l 300 -i 2000 $(if_json --result=foreign.json) >"$T/.out" 2>"$T/.err" &
tool=$!
waits_until 10 holds_back $tool abef
for n in 1 2 3 4 5 6 7 8 9 10; do kill -USR1 $tool; kill -USR2 $tool; done
wait $tool
status=$?
check 'foreign signals: a good end' [ "$status" = 0 ]
holds 'foreign signals: all hand-overs are accounted for' foreign.json \
	'all(s["counts"]["samples"] + s["counts"]["lost"] == 300 for s in d["series"])'

# ---- time-outs ---------------------------------------------------------------------------
exits 0 pmqtest -q -l 2 -T 100ms -f 250ms --json=to.json
check 'time-outs are counted, the run goes on' [ "$(field 1 TO)" -ge 3 ]
check 'and are no samples' [ "$(field 1 Cycles)" = 2 ]
holds 'timeoutcount' to.json 'd["thread"]["0"]["receiver"]["timeoutcount"] >= 3'
exits 1 pmqtest -q -D 500ms -T 100ms -f 5
warns 'pair 0 got no sample'
says 'not yet ready'
exits 0 pmqtest -q -l 5 -T 1
check 'no time-out, none counted' [ "$(field 1 TO)" = 0 ]

# ---- limits ----------------------------------------------------------------------------------
exits 3 ptsematest -q -l 2000 -i 100 --limit 1us
warns 'limit passed: pair 0 '
exits 0 ptsematest -q -l 5 --limit 1000s
T_LIMIT=5
run svsematest -q -b 1 -i 1000
check '-b ends the run, status 0' [ "$status" = 0 ]
warns 'pair 0 had a latency of [0-9]+ us, above --breaktrace 1$'
T_LIMIT=20
exits 0 svsematest -q -b 0 -l 3
exits 0 svsematest -q -b 1000000 -l 3

# ---- documents --------------------------------------------------------------------------------
members() { "$PYTHON" -c 'import json,sys
def walk(d, at=""):
    for key, value in d.items():
        print(at + key)
        if isinstance(value, dict): walk(value, at + key + ".")
walk(json.load(open(sys.argv[1])))' "$1"; }
for tool in $peers; do
	exits 0 $tool -q -t 2 -l 5 -i 200 --json=peer.json --result=ours.json --samples=samples
	pair='sender sender.cpu sender.priority sender.samples sender.interval receiver receiver.cpu receiver.priority'
	[ $tool != pmqtest ] || pair="$pair receiver.timeoutcount"
	pair="$pair receiver.min receiver.avg receiver.max"
	{
		for name in file_version cmdline: rt_test_version: start_time end_time return_code sysinfo; do echo $name; done
		for name in sysname nodename release version machine realtime; do echo sysinfo.$name; done
		echo num_threads; echo thread
		for n in 0 1; do echo thread.$n; for name in $pair; do echo thread.$n.$name; done; done
	} >wanted
	if [ "$PYTHON" ]; then
		members peer.json >got
		check "$tool --json: members and their order" cmp -s wanted got
	else
		skip 'no python3'
	fi
	check "$tool --json: two blanks a level" grep -q '^        "priority": 0,$' peer.json
	check "$tool --json: avg with two decimals" grep -Eq '^        "avg": [0-9]+\.[0-9][0-9],$' peer.json
	holds "$tool --json: samples and interval" peer.json \
		'[(t["sender"]["samples"], t["sender"]["interval"]) for t in d["thread"].values()] == [(5, 200), (5, 700)]'
	holds "$tool --result: both ways of both pairs" ours.json \
		'[s["name"] for s in d["series"]] == ["pair 0", "pair 1", "pair 0 back", "pair 1 back"] and all(s["counts"]["samples"] == 5 and sum(b[2] for b in s["histogram"]["buckets"]) == 5 for s in d["series"])'
	holds "$tool --result: its own part" ours.json 'd[d["tool"]]["processes"] is False and len(d[d["tool"]]["ways"]) == 4'
	check "$tool --samples begins as told" [ "$(head -c 8 samples)" = RTGSMPL1 ]
done
exits 0 svsematest --json=- -q -l 3
cp "$T/.out" only.json
holds '--json=-: stdout has the document alone' only.json 'd["thread"]["0"]["sender"]["samples"] == 3'
warns '^#1 -> #0, Min'
exits 0 ptsematest -q -D 1500ms -i 500 --checkpoint=1 --result=point.json
holds 'a checkpoint is replaced by the end' point.json 'd["ended_by"] == "duration" and d["exit_status"] == 0'
run sigwaittest -q -l 3 --json=/dev/full
check 'a full disk is a failure' [ "$status" = 1 ]
says '^#1 -> #0, Min'
exits 0 sigwaittest -q -D 100ms --load='sleep 5'

# ---- without rights -------------------------------------------------------------------------------
user='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all'
if is_root && have setpriv && $user sh -c "[ -x '$RT_BIN/pmqtest' ]"; then
	for tool in $peers; do
		exits 0 $user $tool -q -l 3
		exits 4 $user $tool -q -l 3 -p 5
		warns 'RTPRIO|CAP_SYS_NICE'
	done
	if have prlimit; then
		exits 4 $user prlimit --msgqueue=1000 pmqtest -q -t 50 -l 1
		warns 'RLIMIT_MSGQUEUE'
	else
		skip 'no prlimit(1)'
	fi
	if have unshare && unshare -i true 2>/dev/null; then
		exits 4 unshare -i sh -c 'echo "250 100 32 5" >/proc/sys/kernel/sem && exec svsematest -q -t 5 -l 1'
		warns '/proc/sys/kernel/sem'
	else
		skip 'no IPC namespace of our own'
	fi
	exits 4 sh -c 'ulimit -n 20; exec pairtest --via=pipe -q -t 50 -l 1'
	warns 'RLIMIT_NOFILE'
else
	skip 'rights can be dropped by root only'
fi

# ---- nothing stays ------------------------------------------------------------------------------------
has_sets() { [ "$(sets | wc -l)" -gt "$1" ]; }
sets() { ipcs -s | grep '^0x' | cut -d ' ' -f 1 | sort; }
if have ipcs; then
	sets >before
	svsematest -q -t 3 -D 20 >/dev/null 2>&1 &
	waits_until 5 has_sets "$(wc -l <before)"
	kill -9 $!
	wait $! 2>/dev/null
	sets | comm -13 before - >ours
	check 'killed runs leave semaphores' [ -s ours ]
	exits 0 svsematest -q -l 1
	check 'one more start removes them' [ -z "$(sets | comm -12 ours -)" ]
else
	skip 'no ipcs(1)'
fi
run sh -c 'svsematest -q -l 3 >&-'
check 'a closed stdout is no crash' [ "$status" -lt 100 ]
done_testing
