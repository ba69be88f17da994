#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# deadline_test - options and refusals, layout, documents, verdict.
. "${0%/*}/tap.sh"
T_LIMIT=30

PYTHON=${PYTHON:-/usr/bin/python3}
have "$PYTHON" || PYTHON=
cpus=$(nproc --all)

# shape: the last output, each number replaced by 9
shape() { sed -e 's/-\{0,1\}[0-9][0-9]*/9/g' "$T/.out"; }

# ---- refusals ------------------------------------------------------------------------------
for value in 0 101 abc 5x '' -5; do refuses 2 '--percent: ' deadline_test -p "$value"; done
for value in 0 101 abc 5x '' -5; do refuses 2 '--run-percent: ' deadline_test -P "$value"; done
for value in 99 abc 5x '' -1; do refuses 2 '--rt-prio: ' deadline_test -r "$value"; done
for value in 0 abc 5x '' -1; do refuses 2 '--threads: ' deadline_test -t "$value"; done
for value in 0 abc 5x '' -5; do refuses 2 '--interval: ' deadline_test -i "$value"; done
for value in abc 5x '' -5; do refuses 2 '--step: ' deadline_test -s "$value"; done
for value in 0 abc 5x '' -5; do refuses 2 '--duration: ' deadline_test -D "$value"; done
for value in abc '' -1; do refuses 2 '--limit-missed: ' deadline_test --limit-missed="$value"; done
for value in abc '' 1- 3-1; do refuses 2 '--affinity: ' deadline_test -c "$value"; done
refuses 2 "CPU $cpus does not exist" deadline_test -c "$cpus"
refuses 2 'exclude each other' deadline_test -b -c 0
refuses 2 'period of 50us' deadline_test -i 50
refuses 2 'below 1024ns' deadline_test -i 100 -p 1 -t 100
refuses 2 "'-X' is not an option" deadline_test -X
prints 'deadline_test V 3\.00' deadline_test -h
prints 'deadline_test V 3\.00' deadline_test --version

if is_root && have setpriv; then
	refuses 4 'CAP_SYS_NICE' setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
		"$(command -v deadline_test)" -D 1
else
	skip "not root, or no setpriv: a user without rights"
fi

run deadline_test -i 20000 -p 20 -t1 -D 50ms
[ "$status" != 4 ] || { note "no SCHED_DEADLINE here: $(cat "$T/.err")"; done_testing; }
if [ "$status" = 1 ]; then
	warns 'quieter machine'
	skip "too busy a machine for a calibration"
	done_testing
fi

# ---- the layout ---------------------------------------------------------------------------
check "it ran" [ "$status" = 0 ]
sed 's/TAB/	/g' >wanted <<'END'
9 test loops took 9us total (9 internal)
calculated loops for 9us=9
9 test loops took 9us total (9 internal)
New calculated loops for 9us=9
Diff from last calculation: 9 loops
Setup:
 percent per task:9 nr_cpus:9 loops:9 overhead:9us
  Tested at 9us of 9us
deadline thread 9
thread[9] runtime=9us deadline=9us loops=9

[9]
missed deadlines  = 9
missed periods    = 9
Total adjustments = 9 us
deadline   : 9 us
runtime    : 9 us
nr_periods : 9
max_time: 9usTABmin_time: 9usTABavg_time: 9us
ctx switches vol:9 nonvol:9 migration:9
highest prime: 9

END
shape | grep -Ev '^(# adjustments|Failed to perform|New overhead)' >got
sed -i '/Tested at/{n;/Tested at/d}' got
check "the layout" cmp wanted got
cmp -s wanted got || diff wanted got | sed 's/^/# /'

exits 0 deadline_test -i 20000 -p 20 -P 50 -t2 -D 50ms --json=json --result=result --limit-missed=100000
says '^ percent per task:[0-9]+ run-percent:50 nr_cpus:'
says '^# PASS: '
check "a block a thread" [ "$(grep -c '^nr_periods' "$T/.out")" = 2 ]
holds "--json: a member a thread" json 'd["num_threads"] == 2 and d["thread"]["1"]["deadline"] == 20500 and
	d["thread"]["0"]["met_deadlines"] + d["thread"]["0"]["missed_deadlines"] == d["thread"]["0"]["cycles"]'
holds "--result: two series a thread" result '[s["kind"] for s in d["series"]] == ["wakeup"] * 2 + ["runtime"] * 2'
exits 0 deadline_test -i 20000 -p 20 -t1 -D 20ms --json=-
check "--json=-: nothing else on stdout" [ "$(head -c 1 "$T/.out")" = '{' ]

# A spinner takes every CPU time that is left over; main ends the run all the same.
exits 0 deadline_test -i 20000 -p 20 -t1 -r 5 -D 50ms

run timeout -s INT 0.5 deadline_test -i 20000 -p 20 -t1
check "SIGINT ends it with the result" [ "$(grep -c '^nr_periods' "$T/.out")" = 1 ]

if is_root && [ "$(nproc)" -gt 1 ]; then
	run deadline_test -b -t1 -i 20000 -p 20 -D 50ms
	if [ "$status" = 4 ]; then skip "CPUs can't be set apart here: $(cat "$T/.err")"
	else
		check "-b: the last CPU" [ "$status" = 0 ]
		says 'nr_cpus:1 \([0-9]+\) loops:'
	fi
else
	skip "not root, or one CPU: -b"
fi
done_testing
