#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# queuelat, determine_maximum_mpps - options, layouts, documents, ends. Whether a queue
# gets too long is up to the machine; so limits are chosen that it can't or must pass.
. "${0%/*}/tap.sh"
T_LIMIT=20

PYTHON=${PYTHON:-/usr/bin/python3}
have "$PYTHON" || PYTHON=
is_gone() { [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }

# ---- refusals -------------------------------------------------------------------------
refuses 2 '--max-len is missing: options -m, -c' queuelat
refuses 2 '--cycles is missing' queuelat -m 10000
refuses 2 '--packets is missing' queuelat -m 10000 -c 300
for value in 0 -1 abc 5x '' 1.5; do refuses 2 '--cycles: ' queuelat -m 10000 -p 1 -c "$value"; done
for value in 0 -1 abc 5x '' 1d; do refuses 2 '--max-len: ' queuelat -c 300 -p 1 -m "$value"; done
for value in 0 -1 abc 5x '' 1e3 nan inf 1001; do refuses 2 '--packets: ' queuelat -m 10000 -c 300 -p "$value"; done
for value in 0 -1 abc 5x '' inf nan; do refuses 2 '--freq: ' queuelat -m 10000 -c 300 -p 1 -f "$value"; done
for value in 0 -1 abc 5x ''; do refuses 2 '--timeout: ' queuelat -m 10000 -c 300 -p 1 -t "$value"; done
for value in -1 abc 5x ''; do refuses 2 '--queue-len: ' queuelat -m 10000 -c 300 -p 1 -q "$value"; done
for value in 0 abc ''; do
	refuses 2 '--run-time: ' queuelat -m 10000 -c 300 --find-max --run-time="$value"
	refuses 2 '--confirm-time: ' queuelat -m 10000 -c 300 --find-max --confirm-time="$value"
done
refuses 2 '--find-max .*--packets|--packets .*--find-max' queuelat -m 10000 -c 300 -p 1 --find-max
refuses 2 'find-max' queuelat -m 10000 -c 300 -t 1 --find-max
refuses 2 '--run-time: only has a meaning with --find-max' queuelat -m 10000 -c 300 -p 1 --run-time=1
refuses 2 '--confirm-time: only has a meaning with --find-max' queuelat -m 10000 -c 300 -p 1 --confirm-time=1
refuses 2 '--cycles: a packet .* takes longer than a block' queuelat -m 10 -c 1000000 -p 1
refuses 2 "'-X' is not an option" queuelat -X
refuses 2 'only one document' queuelat -m 10000 -c 300 -p 1 --json=- --result=-
refuses 1 "cannot write '/proc/nowhere/x'" queuelat -m 10000 -c 300 -p 1 --json=/proc/nowhere/x
exits 0 queuelat -h
says '^ +-m, --max-len=NS'
exits 0 queuelat --help
prints 'queuelat V 3\.00' queuelat --version

# ---- a queue that can't get too long: it may grow for a hundred seconds -----------------
shape() { sed -e 's/[0-9][0-9.]*/9/g' "$T/.out" | uniq | sed -e '/^\.\.\.$/d' | uniq; }
run queuelat -m 100s -c 300 -p 0.001 -t 100ms --json=j.json --result=r.json
check 'within the limit: good' [ "$status" = 0 ]
shape >shape
cat >wanted <<'END'
tsc_freq_ghz = 9, cycles_to_ns = 9
max_queue_len = 9
[9 - 9] = 9  packetfillrates=[9 - 9]
[9 - END] = 9
default_n=9 nr_packets_drain_per_block=9
# the loop without a block: 9 ns
[9 - 9] = 9
[9 - END] = 9

 ---------------- 
Min loop processing time: [9 - 9] = 9
Max loop processing time: [9 - 9] = 9
Avg loop processing time: 9
# Min, Max, Avg in ns: 9 9 9; longest queue: 9
END
sed -i 's/\[9 - END\] = 9$/[9 - END] = 9/; s/^\(M.. loop processing time: \)\[9 - END\]/\1[9 - 9]/' shape
check 'the layout' cmp -s wanted shape
cmp -s wanted shape || diff wanted shape | sed 's/^/# /'
says '^tsc_freq_ghz = [0-9]+\.[0-9]{6}, cycles_to_ns = [0-9]+\.[0-9]{6}$'
says '^\[70000 - END\] = [0-9]+$'
check 'no empty row in front of an empty row' \
	[ "$(awk '/ = 0($| )/ { if (was) print; was = 1; next } /^\[/ { was = 0 } /^\.\.\./ { was = 0 }' "$T/.out" | grep -vc END)" = 0 ]
holds 'json: the envelope, then its members' j.json \
	'list(d)[6:] == ["sysinfo", "freq_mhz", "measured_mhz", "cycles", "max_len", "max_queue_len", "block_bytes", "drain_per_block", "loop_cost", "mpps", "longest_queue", "exceeded", "blocks", "min", "avg", "max", "histogram"]'
holds 'json: what was counted' j.json \
	'd["blocks"] == sum(d["histogram"].values()) > 0 and d["min"] <= d["avg"] <= d["max"] and d["exceeded"] is False and d["mpps"] == 0.001 and d["max_len"] == 100 * 10**9'
holds 'json: a block copies something' j.json 'd["block_bytes"] > 0 and d["drain_per_block"] > 0 and d["loop_cost"] < d["avg"]'
holds 'result: the same' r.json \
	'd["series"][0]["counts"]["samples"] == d["queuelat"]["blocks"] and d["series"][0]["kind"] == "block" and d["exit_status"] == 0'
holds 'the time is kept: of the main loop' r.json '0.08e9 < d["duration_ns"]'

# ---- one that must get too long: more arrive than are served ------------------------------
run queuelat -m 20us -c 300 -p 1000 -t 5 --json=e.json
check 'exceeded: 1' [ "$status" = 1 ]
says '^queue length exceeded:  queue_size=[0-9]+ max_queue_len=[0-9]+$'
says '^ ---------------- $'
warns 'the queue grew to [0-9]+ packets, more than [0-9]+$'
holds 'exceeded: in the document' e.json 'd["exceeded"] is True and d["return_code"] == 1 and d["longest_queue"] > d["max_queue_len"]'

# ---- the frequency --------------------------------------------------------------------------
run queuelat -m 100s -c 300 -p 0.001 -t 10ms
mhz=$(sed -n 's/^tsc_freq_ghz = \([0-9.]*\),.*/\1 1000/p' "$T/.out" | awk '{ printf "%d", $1 * $2 }')
run queuelat -m 100s -c 300 -p 0.001 -t 10ms -f "$mhz"
lacks 'warning: --freq'
says "^tsc_freq_ghz = $(awk "BEGIN { printf \"%.6f\", $mhz / 1000 }"),"
run queuelat -m 100s -c 300 -p 0.001 -t 10ms -f $((mhz * 2))
warns 'warning: --freq: the counter .* runs at .* MHz, not at'

# ---- signals -----------------------------------------------------------------------------------
for signal in INT TERM; do
	: >"$T/.out" # what is waited for is said anew
	unmade=
	queuelat -m 100s -c 300 -p 0.001 >"$T/.out" 2>"$T/.err" &
	pid=$!
	waits_until 10 takes_signals $pid
	waits_until 10 grep -q '^default_n' "$T/.out"
	kill "-$signal" $pid
	waits_until 5 is_gone $pid || { kill -KILL $pid; fail "SIG$signal: ends"; }
	wait $pid
	status=$?
	check "SIG$signal: status 0" [ "$status" = 0 ]
	says '^Avg loop processing time: [0-9]+$'
done
: >"$T/.out" # what is waited for is said anew
unmade=
queuelat -m 100s -c 300 -p 0.001 >"$T/.out" 2>"$T/.err" &
pid=$!
waits_until 10 grep -q '^max_queue_len' "$T/.out"
kill -INT $pid
waits_until 5 is_gone $pid || { kill -KILL $pid; fail 'SIGINT in the calibration: ends'; }
wait $pid
status=$?
if grep -q '^default_n' "$T/.out"; then
	skip 'the calibration was faster than the signal'
else
	check 'SIGINT in the calibration: 1, no histogram' [ "$status:$(grep -c '^\[' "$T/.out")" = 1:0 ]
	warns 'ended in the calibration; nothing was measured'
fi

# ---- --find-max -----------------------------------------------------------------------------------
run queuelat -m 100s -c 1 --find-max --run-time=2ms --confirm-time=5ms --json=m.json
check 'a limit of 100 s: any rate holds' [ "$status" = 0 ]
says '^Determining maximum mpps the machine can handle$'
says '^testing 3 Mpps$'
says '^success$'
says '^Final mpps is: 1000, the most that is tried$'
holds '--find-max: in the document' m.json \
	'd["max_mpps"] == 1000.0 and d["runs"][0] == {"mpps": 3.0, "seconds": 0.002, "held": True} and d["exceeded"] is False'
: >"$T/.out" # what is waited for is said anew
unmade=
queuelat -m 100s -c 1 --find-max --run-time=60 >"$T/.out" 2>"$T/.err" &
pid=$!
waits_until 10 grep -q '^testing' "$T/.out"
kill -INT $pid
waits_until 5 is_gone $pid || { kill -KILL $pid; fail '--find-max, SIGINT: ends'; }
wait $pid
status=$?
check '--find-max, SIGINT: 1' [ "$status" = 1 ]
warns 'ended before a rate was confirmed'
lacks 'Final mpps'

# ---- the script --------------------------------------------------------------------------------------
if have taskset && have chrt; then
	for value in 0 100 abc ''; do refuses 2 'PRIO must be a number between 1 and 99' determine_maximum_mpps -p "$value"; done
	refuses 2 'specify -f or -r, but not both' determine_maximum_mpps -f -r
	refuses 2 'no such option: -X' determine_maximum_mpps -X
	refuses 2 '-m needs a value' determine_maximum_mpps -m
	refuses 2 "-a: '9999' is not a list" determine_maximum_mpps -a 9999
	exits 0 determine_maximum_mpps -h
	if can_rt && [ "$(nproc)" -gt 1 ]; then
		T_LIMIT=10
		run chrt -f 99 timeout -s KILL 8 determine_maximum_mpps -a 1 -m 100000000000 -n 1 -- --run-time=1ms --confirm-time=2ms
		check 'determine_maximum_mpps: runs the search' [ "$status" = 0 ]
		says '^Final mpps is: 1000'
	else
		skip 'no right for real-time priorities, or one CPU only'
	fi
else
	skip 'no taskset or chrt: determine_maximum_mpps'
fi
done_testing
