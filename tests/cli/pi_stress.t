#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# pi_stress - each option, each refusal, the layouts, the ends of a run, and that the
# test fails where nothing is inherited. The threads spin at real-time priority, so
# that all runs but the refused ones stay on one CPU, below a limit that kills.
. "${0%/*}/tap.sh"
T_LIMIT=20

# ---- refused before anything is touched: needs no rights ------------------------------------
refuses 2 '^pi_stress: --groups: .*0.* from 1 ' pi_stress -g 0
refuses 2 '^pi_stress: --groups: .*abc' pi_stress -g abc
refuses 2 '^pi_stress: --inversions: .*5m' pi_stress -i 5m
refuses 2 '^pi_stress: --duration: .*1x' pi_stress -D 1x
refuses 2 '^pi_stress: --duration: .*-1' pi_stress -D -1
refuses 2 '^pi_stress: --duration: ' pi_stress -D 99999999999h
refuses 2 '^pi_stress: --watchdog: .*50ms' pi_stress --watchdog=50ms
refuses 2 '^pi_stress: --section: .*1s' pi_stress --section=1s
refuses 2 '^pi_stress: --histogram: ' pi_stress --histogram=0
refuses 2 '^pi_stress: --histogram: .*10ns.*less than one' pi_stress --histogram=10ns
refuses 2 '^pi_stress: --limit: .*10ns.*less than one' pi_stress --limit=10ns
refuses 2 '^pi_stress: --no-pi: .*one group' pi_stress --no-pi -g 2
refuses 2 '^pi_stress: --sched: .*policy=fifo.*id=high' pi_stress -s policy=fifo
refuses 2 '^pi_stress: --sched: .*key=value' pi_stress -s id=high,fifo
refuses 2 '^pi_stress: --sched: .*key=value' pi_stress -s ''
refuses 2 '^pi_stress: --sched: .*middle' pi_stress -s id=middle
refuses 2 '^pi_stress: --sched: .*bogus' pi_stress -s id=low,policy=bogus
refuses 2 '^pi_stress: --sched: .*colour' pi_stress -s id=low,colour=red
refuses 2 '^pi_stress: --sched: priority .100. .* 99' pi_stress -s id=high,priority=100
refuses 2 '^pi_stress: --sched: nice .20. ' pi_stress -s id=low,policy=other,nice=20
refuses 2 '^pi_stress: --sched: .*needs a priority' pi_stress -s id=low,policy=fifo,priority=0
refuses 2 '^pi_stress: --sched: .*no priority' pi_stress -s id=low,policy=other,priority=3
refuses 2 '^pi_stress: --sched: .*med.*above.*low' pi_stress -s id=low,priority=2
refuses 2 '^pi_stress: --sched: .*high.*above.*med' pi_stress -s id=high,policy=other
refuses 2 '^pi_stress: --sched: .*med.*above.*low' pi_stress -s id=med,policy=other -s id=low,policy=idle
for id in low med; do
	refuses 2 "^pi_stress: --sched: id=$id .*deadline" \
		pi_stress -s id=$id,policy=deadline,runtime=200000,period=1000000
done
refuses 2 '^pi_stress: --sched: .*rising order' pi_stress -s id=high,policy=deadline
refuses 2 '^pi_stress: --sched: runtime .0. ' \
	pi_stress -s id=high,policy=deadline,runtime=0,deadline=10,period=1
refuses 2 '^pi_stress: --sched: .*rising order' \
	pi_stress -s id=high,policy=deadline,runtime=300us,deadline=200us,period=1ms
refuses 2 '^pi_stress: --sched: .*belong to policy=deadline' pi_stress -s id=high,runtime=200000
refuses 2 'only one document' pi_stress --json=- --result=-
refuses 2 '^pi_stress: --checkpoint: ' pi_stress --checkpoint=1
prints 'pi_stress v[0-9]+\.[0-9]+' pi_stress -V
prints 'pi_stress v[0-9]+\.[0-9]+' pi_stress --version
prints 'Usage: pi_stress .*' pi_stress -h
if is_root && have setpriv; then
	user='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all'
	refuses 4 'SCHED_FIFO priority 4: .*RLIMIT_RTPRIO' $user pi_stress -i 1
	refuses 4 'SCHED_FIFO priority 51: ' $user pi_stress -i 1 -s id=high,priority=50
else
	skip "not root: cannot give rights away"
fi

if ! can_rt || ! have taskset; then
	skip "no right to real-time priority, or no taskset: all that runs"
	done_testing
fi

# ---- runs --------------------------------------------------------------------------------------
# The last CPU that we may use.
cpu=$(sed -n 's/^Cpus_allowed_list:.*[^0-9]\([0-9]*\)$/\1/p' /proc/self/status)
pi="taskset -c $cpu pi_stress"

total() { sed -n 's/^Total inversion performed: //p' "$T/.out"; }
# own KEY: a number of the result document, of the first group or the run
own() { sed -n '/^  "pi_stress"/,$p' r.json | grep -o "\"$1\": *[0-9]*" | head -n 1 | grep -o '[0-9]*$'; }
shape() { sed 's/[0-9][0-9.]*/N/g' "$1"; }
same() { # NAME WANTED-FILE GOT-FILE
	if unmade "$1"; then return; fi
	if cmp -s "$2" "$3"; then pass "$1"; else fail "$1"; diff "$2" "$3" | sed 's/^/# /'; fi
}

# exactly N in each group
for n in 1 2 50 1000; do
	exits 0 $pi -q -i $n
	check "-i $n: as many" [ "$(total)" = $n ]
done
exits 0 $pi -q -g 3 -i 500
check "-g 3 -i 500: three times as many" [ "$(total)" = 1500 ]
exits 0 $pi -q -i -1 -D 300ms
check "-i -1 has no end of its own" [ "$(total)" -gt 50 ]
check "prints nothing on stderr" [ -z "$(complaints)" ]

# not a second less
exits 0 $pi -q -D 1
says '^Test Duration: 0 days, 0 hours, 0 minutes, [1-9][0-9]* seconds$'

# layouts
cat >wanted <<'END'
Total inversion performed: N
Test Duration: N days, N hours, N minutes, N seconds
END
shape "$T/.out" >got
same "-q prints what it always has" wanted got
cat >wanted <<'END'
Starting PI Stress Test
Number of thread groups: N
Duration of test run: N seconds
Number of inversions per group: N
     Admin thread SCHED_FIFO priority N
N groups of N threads will be created
      High thread SCHED_FIFO priority N
       Med thread SCHED_FIFO priority N
       Low thread SCHED_FIFO priority N

Total inversion performed: N
Test Duration: N days, N hours, N minutes, N seconds
END
exits 0 $pi -D 10 -i 20
shape "$T/.out" | grep -v '^#' >got
same "the banner" wanted got
says '^# Group 0 on CPU [0-9]+: 20 inversions, 0 not inverted; blocking min .* max .* us; bare section min .* us$'
exits 0 $pi -i 20
says '^Duration of test run: infinite$'
exits 0 $pi -D 300ms
says '^Number of inversions per group: unlimited$'
exits 0 $pi -r -i 5
says '^ *High thread SCHED_RR priority 3$'
says '^ *Admin thread SCHED_RR priority 4$'
exits 0 $pi -r -i 5 -s id=high,policy=fifo,priority=30 -s id=low,policy=other,nice=5
says '^ *High thread SCHED_FIFO priority 30$'
says '^ *Med thread SCHED_RR priority 2$'
says '^ *Low thread SCHED_OTHER nice 5$'
says '^ *Admin thread SCHED_RR priority 31$'
exits 0 $pi -q -u -i 5
exits 0 $pi -q -m -i 5
exits 0 $pi -v -i 5
warns '^INFO: Releasing all threads$'
warns '^INFO: All threads terminated!$'
exits 0 $pi -v -q -i 5
check "-q cancels an earlier -v" [ ! -s "$T/.err" ]
exits 0 $pi -q -d -i 2
for step in 'low_priority\[0\]: claiming mutex' 'low_priority\[0\]: mutex locked' \
	    'high_priority\[0\]: locking mutex' 'low_priority\[0\]: unlocking mutex' \
	    'high_priority\[0\]: got mutex'; do
	warns "^DEBUG: $step"
done
order=$(sed -n 's/^DEBUG: \(.*\) (0)$/\1/p' "$T/.err" | grep -E 'locked|locking|unlocking|got' |
	sed 's/_priority.*: / /' | tr '\n' ';')
check "one pass goes in order" \
	[ "$order" = 'low mutex locked;high locking mutex;low unlocking mutex;high got mutex;' ]

# the prompt: Return, the end of the input, and a signal
exits 0 $pi -p -i 5
says '^Press return to start test: '
mkfifo in
unmade=
$pi -p -q -i 5 <in >"$T/.out" 2>"$T/.err" &
pid=$!
exec 9>in
waits_until 5 grep -q '^Press' "$T/.out"
check "-p waits" kill -0 $pid
kill -INT $pid
wait $pid
status=$?
exec 9>&-
check "SIGINT at the prompt ends it well" [ $status = 0 ]
check "and nothing was inverted" [ "$(total)" = 0 ]

# what is measured
exits 0 $pi -q -i 200 --histogram=100000 --percentiles
says '^# Total: 000000200$'
says '^# P99.9: [0-9]{5}$'
exits 0 $pi -q -i 200 --nsecs --percentiles --section=50us --result=r.json
check "blocking lasts longer than the section" \
	[ "$(sed -n 's/^# P50: 0*//p' "$T/.out")" -gt 50000 ]
check "200 inversions in --result" [ "$(own inversions)" = 200 ]
check "all passes were inverted" [ "$(own not_inverted)" = 0 ]
check "two series: blocking and section" [ "$(grep -c '"kind":"\(blocking\|section\)"' r.json)" = 2 ]
exits 3 $pi -q -i 50 --section=20us --limit=2
warns 'limit passed: group 0 on CPU'
says '^Total inversion performed: 50$'
exits 0 $pi -q -i 50 --limit=100s
exits 0 $pi -q -i 50 --samples=s.bin
check "--samples writes them" [ "$(head -c 8 s.bin)" = RTGSMPL1 ]
unmade=
$pi -q -D 20 --load='echo loaded; sleep 60' >"$T/.out" 2>"$T/.err" &
pid=$!
check "a load runs" waits_until 15 grep -qx loaded "$T/.err" # it has but little of the CPU
kill -INT $pid
wait $pid
status=$?
check "and ends with the test" [ $status = 0 ]

# documents
exits 0 $pi -D 1 -q --json=j.json
cat >wanted <<'END'
{
  "file_version": N,
  "cmdline:": T,
  "rt_test_version:": T,
  "start_time": T,
  "end_time": T,
  "return_code": N,
  "sysinfo": {
    "sysname": T,
    "nodename": T,
    "release": T,
    "version": T,
    "machine": T,
    "realtime": N
  },
  "inversion": N
}
END
sed 's/: ".*"/: T/; s/: [0-9]*\(,*\)$/: N\1/' j.json >got
same "--json has the members of rt-tests in their order" wanted got
check "--json tells the total" grep -qx "  \"inversion\": $(total)" j.json
exits 0 $pi -i 5 --json=-
check "with --json=- nothing else is on stdout" [ "$(head -n 1 "$T/.out")" = '{' ]
warns '^Total inversion performed: 5$'
exits 1 $pi -q -i 5 --json=/nowhere/j.json
lacks 'Total'
if [ -w /dev/full ]; then
	exits 1 $pi -q -i 5 --json=/dev/full
	says '^Total inversion performed: 5$'
	exits 1 sh -c "$pi -q -i 5 >/dev/full"
	exits 1 sh -c "$pi -q -i 5 >&-"
fi
exits 0 $pi -q -D 1500ms --checkpoint=1 --result=c.json
check "the checkpoint was replaced by the result" grep -q '"ended_by": "duration"' c.json

# ---- the ends ------------------------------------------------------------------------------------
rounds() { [ "$(ls "/proc/$pid/task" 2>/dev/null | wc -l)" -ge 4 ]; }
# SIGHUP ends a run unless it was inherited as ignored, as under nohup.
ends_by="INT TERM HUP"
case $(sed -n 's/^SigIgn:.*\(.\)$/\1/p' /proc/self/status) in
[13579bdf]) ends_by="INT TERM" ;;
esac
for sig in $ends_by; do
	unmade=
	$pi -q -D 20 $(if_json --json=j.json) >"$T/.out" 2>"$T/.err" &
	pid=$!
	waits_until 10 rounds
	waits_until 10 takes_signals $pid
	sleep 0.2
	kill -$sig $pid
	wait $pid
	status=$?
	check "SIG$sig: good status" [ $status = 0 ]
	check "SIG$sig: a result" [ "$(total)" -gt 0 ]
	may_run --json && check "SIG$sig: a document" grep -q '"return_code": 0' j.json
done
sleep 5 &
bystander=$!
run $pi -q -i 5
check "nobody else in the process group is hurt" kill -0 $bystander
kill $bystander
unmade=
$pi -q -D 20 >"$T/.out" 2>"$T/.err" &
pid=$!
waits_until 5 rounds
kill -KILL $pid
wait $pid 2>/dev/null
check "kill -9 leaves no thread" [ ! -d "/proc/$pid/task" ]
exits 0 $pi -q -i 5

if have script; then
	run script -qec "$pi -i 2 -D 1" typescript
	tr -d '\r' <"$T/.out" | grep -v '^#' | sed 's/[0-9][0-9]* seconds/N seconds/' | tail -n 3 |
		tr '\033' E >got
	cat >wanted <<'END'
E[1BStopping test
Total inversion performed: 2
Test Duration: 0 days, 0 hours, 0 minutes, N seconds
END
	same "the end on a terminal" wanted got
	run script -qec "$pi -D 900ms" typescript
	check "the live line on a terminal" \
		grep -q "^$(printf '\033')\[1ACurrent Inversions: [0-9]*" "$T/.out"
	exits 0 $pi -D 900ms
	lacks "$(printf '\033')"
else
	skip "no script(1): the live line"
fi

# ---- a deadline thread, which may run anywhere and comes when the kernel likes -----------------------
if has_tsan; then
	skip 'the thread sanitizer slows a deadline thread beyond its runtime: a deadline thread'
else
	run pi_stress -g 1 -i 20 -s id=high,policy=deadline,runtime=200000,deadline=1000000,period=1000000 \
		--result=r.json
	if [ "$status" = 4 ]; then
		skip "no deadline thread to be had: $(cat "$T/.err")"
	else
		check "a deadline thread: good status" [ "$status" = 0 ]
		says '^      High thread SCHED_DEADLINE runtime 200000 deadline 1000000 period 1000000$'
		check "a deadline thread: 20 inversions" [ "$(own inversions)" = 20 ]
	fi
fi

# ---- it fails when nothing is inherited ------------------------------------------------------------
exits 1 $pi -q --no-pi --watchdog=500ms --result=r.json
warns '^pi_stress: WATCHDOG triggered: group 0 is deadlocked: its high thread \([0-9]+\) waits for the mutex'
check "no inversion is counted" [ "$(total)" = 0 ]
check "the failed pass is told" [ "$(own failed)" = 1 ]
check "the document says why" grep -q '"watchdog":"deadlocked"' r.json
check "and how it ended" grep -q '"ended_by": "error"' r.json
exits 1 $pi -q --no-pi -D 300ms --watchdog=1
warns 'no priority was inherited'
if have ps; then
	check "no spinner is left" [ -z "$(ps -eLo comm= | grep -E '^pi_(low|med|high)/')" ]
fi
if [ "$(taskset -c "$cpu" nproc)" != "$(nproc)" ]; then
	refuses 4 'affinity' $pi -i 5 -s id=high,policy=deadline,runtime=200000,period=1000000
fi
done_testing
