#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# rt-migrate-test - each option, each refusal, the layouts, and the ends of a run.
# The tasks are busy at real-time priority: all runs but one stay on one CPU, are short,
# and lie below a limit that kills.
. "${0%/*}/tap.sh"
T_LIMIT=20
PYTHON=${PYTHON:-/usr/bin/python3}

# ---- refused before anything is touched: needs no rights --------------------------------
refuses 2 '^rt-migrate-test: --loops: .*0' rt-migrate-test -l 0
refuses 2 '^rt-migrate-test: --loops: .*abc' rt-migrate-test -l abc
refuses 2 '^rt-migrate-test: --loops: .*-3' rt-migrate-test -l -3
refuses 2 '^rt-migrate-test: --prio: .*99' rt-migrate-test -p 99
refuses 2 '^rt-migrate-test: --prio: .*abc' rt-migrate-test --priority=abc
refuses 2 '^rt-migrate-test: --prio: .*98 tasks from priority 2 .*would pass 99' rt-migrate-test 98
refuses 2 '^rt-migrate-test: --prio: .*--equal' rt-migrate-test 4 -p 96
refuses 2 "'0' is not a number of tasks" rt-migrate-test 0
refuses 2 "'1' is not a number of tasks" rt-migrate-test 1
refuses 2 "'400' is not a number of tasks" rt-migrate-test -l 1 -c 400
refuses 2 "'abc' is not a number of tasks" rt-migrate-test abc
refuses 2 '^rt-migrate-test: --maxerr: ' rt-migrate-test -m abc
refuses 2 '^rt-migrate-test: --run-time: .*0' rt-migrate-test -r 0
refuses 2 '^rt-migrate-test: --run-time: .*501' rt-migrate-test -r 501
refuses 2 '^rt-migrate-test: --sleep-time: .*0' rt-migrate-test -s 0
refuses 2 '^rt-migrate-test: --sleep-time: .*2s' rt-migrate-test -s 2s
refuses 2 '^rt-migrate-test: --duration: ' rt-migrate-test -D 5x
refuses 2 "'--bogus'" rt-migrate-test --bogus
refuses 2 'only one document' rt-migrate-test --json=- --result=-
prints 'Usage: rt-migrate-test .*' rt-migrate-test -h
prints 'rt-migrate-test V [0-9.]+' rt-migrate-test --version
if is_root && have setpriv; then
	user='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all'
	refuses 4 'SCHED_FIFO priority [0-9]+: .*RLIMIT_RTPRIO' $user rt-migrate-test -l 1
else
	skip "not root: cannot give rights away"
fi
if ! can_rt || ! have taskset; then
	skip "no right to real-time priority, or no taskset: all that runs"
	done_testing
fi
refuses 1 'no-such-folder' rt-migrate-test -l 1 -r 1 --json=no-such-folder/f

# ---- layouts ---------------------------------------------------------------------------------
cpu=$(taskset -cp $$ | sed 's/.*[^0-9]//') # the last one that we may use
# on_one OPTION...: on that CPU; the limit is above the tasks, the tool itself is not
on_one() {
	run chrt -f 99 timeout -s KILL 15 chrt -o 0 taskset -c "$cpu" rt-migrate-test "$@"
}
shape() { sed -e 's/  *[0-9][0-9]*/ 9/g' -e 's/(pid 9)/(pid 9)/'; }

on_one -l 2 -r 2 -s 5
check "status 0, stderr empty without a terminal" [ "$status:$(cat "$T/.err")" = 0: ]
cat >wanted <<'END'
Iter: 9 9  
 9: 9 9  
 len: 9 9  
 loops: 9 9  

 9: 9 9  
 len: 9 9  
 loops: 9 9  

Parent pid: 9
 Task 9 (prio 9) (pid 9):
   Max: 9 us
   Min: 9 us
   Tot: 9 us
   Avg: 9 us

 Task 9 (prio 9) (pid 9):
   Max: 9 us
   Min: 9 us
   Tot: 9 us
   Avg: 9 us

END
shape <"$T/.out" >got
check "text: one task more than CPUs, no verdict" cmp -s wanted got
cmp -s wanted got || diff wanted got | sed 's/^/# /'
check "text: columns" [ "$(sed -n 1p "$T/.out")" = 'Iter:      0       1  ' ]
check "text: start row" grep -Eqx '   1:   ( *[0-9]+  ){2}' "$T/.out"
says '^ Task 1 \(prio 3\) \(pid [0-9]+\):$'

# ---- options -----------------------------------------------------------------------------------
# row NAME TASK: of the first iteration
row() { sed -n "/^$1/{p;q;}" "$T/.out" | awk -v n="$2" '{ print $(n + 2) }'; }
on_one -q -c -l 3 -r 4 -s 5 -p 10 3
check "-c: status 0" [ "$status" = 0 ]
check "-c: the last line is the verdict" [ "$(tail -n 1 "$T/.out")" = ' Passed!' ]
check "-l: three iterations" [ "$(grep -c '^ len:' "$T/.out")" = 3 ]
says '^ Task 0 \(prio 10\) '
says '^ Task 2 \(prio 12\) '
check "the highest runs first, the lowest last" \
	[ "$(row '   0:' 2)" -lt "$(row '   0:' 1)" -a "$(row '   0:' 1)" -lt "$(row '   0:' 0)" ]
check "-r: nobody is busy for less" [ $(($(row ' len:' 2) - $(row '   0:' 2))) -ge 4000 ]
short=$(row ' len:' 0)
on_one -q -l 1 -r 20 -s 5 3
check "-r: takes effect" [ "$(row ' len:' 0)" -gt "$short" ]
on_one -q -l 1 -r 1500us -s 1 --prio 20 -e 4
check "-e: all but the ends are alike" [ "$(sed -n 's/.*(prio \([0-9]*\)).*/\1/p' "$T/.out" |
	tr '\n' ' ')" = '20 21 21 23 ' ]
on_one -q -l 1 -r 1 -s 1 -e -p 97 4
refused=$status # a highest one above the others and main above it would pass 99
on_one -q -l 1 -r 1 -s 1 -e -p 96 4
check "-e: the highest stays below the main thread" \
	[ "$refused:$status:$(sed -n 's/.*(prio \([0-9]*\)).*/\1/p' "$T/.out" | tr '\n' ' ')" = '2:0:96 97 97 98 ' ]
# Eight alike on one CPU run one behind the other: not all can be in time
on_one -q -c -l 3 -r 3 -s 5 -m 100 -e 10
check "-c: a wrong order is status 1" [ "$status" = 1 ]
check "-c: the verdict" [ "$(tail -n 1 "$T/.out")" = ' Failed!' ]
check "-c: ends at the first failure" [ "$(grep -c '^ len:' "$T/.out")" -lt 3 ]
warns '^rt-migrate-test: iteration [0-9]: task [0-9] \(prio 3, [0-9]+ to [0-9]+ us, [0-9]+ loops\) started later than task '
on_one -q -c -l 1 -r 3 -s 5 -m 500ms -e 10
check "-m: the tolerance lets it pass" [ "$status" = 0 ]
on_one 3 5 -l 1 -r 1 -s 1
warns "'5' is not an option, ignored"

# ---- documents ----------------------------------------------------------------------------------
on_one -q -c -l 2 -r 2 -s 30 --json=o.json --result=r.json
sed -e 's/: "[^"]*"/: "x"/' -e 's/: [0-9][0-9]*/: 9/' o.json >got
cat >wanted <<'END'
{
  "file_version": 9,
  "cmdline:": "x",
  "rt_test_version:": "x",
  "start_time": "x",
  "end_time": "x",
  "return_code": 9,
  "sysinfo": {
    "sysname": "x",
    "nodename": "x",
    "release": "x",
    "version": "x",
    "machine": "x",
    "realtime": 9
  },
  "num_threads": 9,
  "thread": {
    "0": {
      "prio": 9,
      "min": 9,
      "avg": 9,
      "max": 9,
      "total": 9
    },
    "1": {
      "prio": 9,
      "min": 9,
      "avg": 9,
      "max": 9,
      "total": 9
    }
  }
}
END
check "--json: members, order, layout" cmp -s wanted got
if have "$PYTHON"; then
	check "--json: numbers" "$PYTHON" -c 'import json; d = json.load(open("o.json"))
assert d["return_code"] == 0 and d["num_threads"] == 2
for t in d["thread"].values(): assert t["min"] <= t["avg"] <= t["max"] and t["total"] // 2 == t["avg"]'
	check "--json: is what the text says" [ "$(sed -n 's/ *"total": \([0-9]*\)/\1/p' o.json)" = \
		"$(sed -n 's/ *Tot: \([0-9]*\) us/\1/p' "$T/.out")" ]
	check "--result: settings, and -s takes effect" "$PYTHON" -c 'import json; d = json.load(open("r.json"))
o = d["rt-migrate-test"]
assert (o["tasks"], o["iterations"], o["run_time_ns"], o["sleep_time_ns"]) == (2, 2, 2000000, 30000000)
assert o["checked"] and o["fault"] is None and d["ended_by"] == "loops"
assert [s["counts"]["samples"] for s in d["series"]] == [2, 2] and d["series"][1]["priority"] == 3
assert d["duration_ns"] >= 2 * (30000000 + 2 * 2000000)'
	on_one -q -c -l 3 -r 3 -s 5 -m 100 -e 10 --json=o.json --result=r.json
	check "documents of a failed run" "$PYTHON" -c 'import json
assert json.load(open("o.json"))["return_code"] == 1
d = json.load(open("r.json"))
assert d["exit_status"] == 1 and d["ended_by"] == "error" and d["rt-migrate-test"]["fault"]["task"] >= 1'
else
	skip "no python3"; skip "no python3"; skip "no python3"
fi

# ---- the ends of a run ------------------------------------------------------------------------
on_one -q -c -l 1000 -r 1 -s 10 -D 100ms
check "-D: ends a good run with status 0" [ "$status" = 0 ]
says '^ Passed!$'
check "-D: before all loops" [ "$(grep -c '^ len:' "$T/.out")" -lt 100 ]
is_busy() { [ "$(ls "/proc/$(cat pid)/task" 2>/dev/null | wc -l)" = 3 ]; }
for signal in INT TERM; do
	: >pid
	chrt -f 99 timeout -s KILL 15 chrt -o 0 taskset -c "$cpu" sh -c 'echo $$ >pid
		exec rt-migrate-test -q -l 1000 -r 1 -s 50' >"$T/.out" 2>"$T/.err" &
	waits_until 10 is_busy
	kill -$signal "$(cat pid)"
	wait $!
	status=$?
	check "SIG$signal: status 0" [ "$status" = 0 ]
	says '^ Task 1 '
done

# ---- all CPUs, once, shortly ---------------------------------------------------------------------
run chrt -f 99 timeout -s KILL 15 chrt -o 0 rt-migrate-test -q -l 2 -r 5 -s 20
tasks=$(($(nproc) + 1))
check "one task more than usable CPUs" [ "$status:$(grep -c '^ Task' "$T/.out")" = "0:$tasks" ]
done_testing
