#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hwlatdetect - options, refusals, and the detector in user space. The kernel's tracer
# is tested in guests (tests/vm/guest/hwlatdetect.t).
. "${0%/*}/tap.sh"
T_LIMIT=20

PYTHON=${PYTHON:-/usr/bin/python3}
have "$PYTHON" || PYTHON=
cpus=$(grep -c ^processor /proc/cpuinfo)
last=$((cpus - 1))
usable=$(nproc)

is_gone() { [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }

# ---- refusals: before anything is touched -----------------------------------------------
for value in 0 -5 abc 5x 1.5 s '' 1e3 5y 99999999999999999999; do
	refuses 2 '--duration: ' hwlatdetect --duration="$value"
done
for value in 0 -5 abc 5x 5m us '' 1.5 0.5us 1500ns; do refuses 2 '--threshold' hwlatdetect --threshold="$value"; done
for value in -5 abc 5x 5m ''; do refuses 2 '--hardlimit: ' hwlatdetect --hardlimit="$value"; done
for value in 0 1 -5 abc 5m ''; do refuses 2 '--window: ' hwlatdetect --window="$value"; done
for value in 0 -5 abc 5m ''; do refuses 2 '--width: ' hwlatdetect --width="$value"; done
refuses 2 '--width: .* no rest of a window' hwlatdetect --window=10 --width=20
refuses 2 '--width: .* no rest of a window' hwlatdetect --window=1s --width=1s
refuses 2 '--width: .* no rest of a window' hwlatdetect --width=1000ms --window=1000000us
for value in 0- 3-1 abc '' '1,' 1,,2; do refuses 2 '--cpu-list: ' hwlatdetect --cpu-list="$value"; done
refuses 2 '--cpu-list: CPU 99999 does not exist' hwlatdetect --cpu-list=99999
for value in foo robin '' PER-CPU; do refuses 2 '--mode: ' hwlatdetect --mode="$value"; done
for value in 0 -1 abc; do refuses 2 '--limit: ' hwlatdetect --limit="$value"; done
refuses 2 "'--nonsense'" hwlatdetect --nonsense
refuses 2 'only one document' hwlatdetect --json=- --result=-
exits 0 hwlatdetect -h
says '^ +--duration=TIME'
exits 0 hwlatdetect --help
prints 'hwlatdetect V 3\.00' hwlatdetect --version

# ---- no tracer here ------------------------------------------------------------------------
if is_root && have unshare && unshare -m true 2>/dev/null; then
	run unshare -m sh -c 'mount -t tmpfs none /sys/kernel; exec hwlatdetect --duration=1'
	check 'no tracefs: 4' [ "$status:$(wc -c <"$T/.out")" = 4:0 ]
	warns 'tracefs is not mounted.*--user'
	cat >traced <<'END'
t=/sys/kernel/tracing
[ -e $t/tracing_on ] || mount -t tracefs none $t 2>/dev/null || exit 77
grep -qw hwlat $t/available_tracers && exit 78
exec hwlatdetect --duration=1
END
	run unshare -m sh traced
	case $status in
	77) skip 'no tracefs in this kernel' ;;
	78) skip 'this kernel has the tracer' ;;
	*)
		check 'no hwlat tracer: 4' [ "$status:$(wc -c <"$T/.out")" = 4:0 ]
		warns 'CONFIG_HWLAT_TRACER.*--user'
		;;
	esac
else
	skip 'not root, or no mount namespaces: no tracefs'
fi
if is_root && have setpriv; then
	chmod 755 "$T"
	run setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all hwlatdetect --duration=1
	check 'a user without rights: 4' [ "$status" = 4 ]
	run setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all hwlatdetect --user --duration=1
	check '--user without rights: 4' [ "$status" = 4 ]
	warns 'SCHED_FIFO priority'
else
	skip 'not root, or no setpriv'
fi

# ---- --user: one CPU, a tenth of its time -----------------------------------------------------
can_rt && [ "$cpus" -gt 1 ] && [ "$usable" = "$cpus" ] ||
	{ skip 'no right for real-time priorities, or one CPU only: --user'; done_testing; }
# user OPTION...: on the last CPU alone, with a way to end it
user() { run chrt -f 99 timeout -s KILL 15 hwlatdetect --user --cpu-list="$last" --window=50ms --width=5ms "$@"; }

user --duration=300ms --threshold=1 --hardlimit=10s --report=saved
check '--user: within the hard limit' [ "$status" = 0 ]
warns 'polls in user space: interrupts .* count as well'
sed -e 's/[0-9][0-9.]*/9/g' -e "s/CPU list:          9/CPU list:          9/" "$T/.out" | uniq >shape
cat >wanted <<'END'
hwlatdetect:  test duration 9 seconds
   detector: user
   parameters:
        CPU list:          9
        Latency threshold: 9us
        Sample window:      9us
        Sample width:      9us
     Non-sampling period:  9us
        Output File:       saved

Starting test
test finished
Max Latency: 9us
Samples recorded: 9
Samples exceeding threshold: 9
MTBF: 9 seconds
report saved to saved (9 samples)
ts: 9, delta:nan, inner:9, outer:9, cpu:9, count:9
ts: 9, delta:9, inner:9, outer:9, cpu:9, count:9
END
listed=$(grep -c '^ts: ' "$T/.out")
if [ "$listed" -gt 1 ]; then
	check '--user: the layout' cmp -s wanted shape
	cmp -s wanted shape || diff wanted shape | sed 's/^/# /'
else
	skip 'less than two gaps of a microsecond in 300 ms: the layout'
fi
says '^     Non-sampling period:  45000us$'
grep '^ts: ' "$T/.out" >lines
check '--report: the same lines' cmp -s lines saved
check 'at most one sample a window' [ "$listed" -le 8 ]

user --duration=150ms --threshold=10s
check 'nothing above the threshold: good' [ "$status" = 0 ]
says '^Max Latency: Below threshold$'
says '^Samples recorded: 0$'
says '^Samples exceeding threshold: 0$'
lacks '^MTBF'

user --duration=300ms --threshold=1 --hardlimit=0 --json=j.json --result=r.json --percentiles --samples=s.bin
if grep -q '^Samples recorded: 0$' "$T/.out"; then
	skip 'no gap of a microsecond in 300 ms'
else
	check '--hardlimit passed: 1' [ "$status" = 1 ]
	warns 'the largest latency, [0-9]+us, is above the hard limit of 0us'
	says '^# P50: [0-9]{5}'
	holds 'json: the envelope, then its members' j.json \
		'list(d)[6:] == ["sysinfo", "detector", "mode", "threshold", "hardlimit", "window", "width", "recorded", "exceeding", "lost", "max", "mtbf", "smis", "samples"] and d["return_code"] == 1'
	holds 'json: samples' j.json \
		'len(d["samples"]) == d["recorded"] > 0 and d["samples"][0]["delta"] is None and d["max"] == max(max(s["inner"], s["outer"]) for s in d["samples"]) and sum(s["count"] for s in d["samples"]) == d["exceeding"]'
	holds 'result: a series of that CPU' r.json \
		"[s['cpu'] for s in d['series']] == [$last] and d['series'][0]['counts']['samples'] == d['hwlatdetect']['recorded'] and d['exit_status'] == 1"
	check 'samples: a file of its form' [ "$(head -c 8 s.bin)" = RTGSMPL1 ]
fi
user --duration=200ms --threshold=1 --hardlimit=10s --limit=1
check '--limit passed: 3' [ "$status" = 3 ]

user --duration=200ms --threshold=1 --hardlimit=10s --watch
first=$(grep -n '^ts: ' "$T/.out" | head -1 | cut -d: -f1)
check '--watch: samples before the end, none behind it' \
	[ "${first:-0}" -lt "$(grep -n '^test finished' "$T/.out" | cut -d: -f1)" ]
check '--watch: nothing behind the summary' [ "$(sed '1,/^test finished/d' "$T/.out" | grep -c '^ts: ')" = 0 ]
user --duration=200ms --threshold=1 --hardlimit=10s --time-format='%H:%M:%S.%n'
says '^ts: [0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{9}, delta:nan'
user --duration=100ms --threshold=1 --hardlimit=10s --quiet --report=quiet
check '--quiet: nothing on stdout' [ "$status:$(wc -c <"$T/.out")" = 0:0 ]
check '--quiet: the report all the same' [ -e quiet ]
user --duration=100ms --debug --threshold=10s
says '^c-states disabled$|^Starting test$'
for mode in round-robin per-cpu none; do
	user --duration=100ms --threshold=10s --mode=$mode --result=m.json
	holds "--mode=$mode" m.json "d['hwlatdetect']['mode'] == '$mode'"
done
run hwlatdetect --user --cpu-list="$last" --window=20ms --duration=50ms --threshold=10s
says '^        Sample width:      10000us$'
run hwlatdetect --user --cpu-list="$last" --width=1s --duration=1ms --threshold=10s
says '^        Sample window:      2000000us$'

: >"$T/.out" # what is waited for is said anew
unmade=
hwlatdetect --user --cpu-list="$last" --window=50ms --width=1ms --duration=60 --threshold=10s >"$T/.out" 2>"$T/.err" &
pid=$!
waits_until 5 grep -q '^Starting test' "$T/.out"
kill -INT $pid
waits_until 5 is_gone $pid || { kill -KILL $pid; fail 'SIGINT: ends'; }
wait $pid
status=$?
check 'SIGINT: the report, status 0' [ "$status" = 0 ]
says '^interrupted$'
says '^Samples recorded: 0$'
exits 1 hwlatdetect --user --cpu-list="$last" --duration=50ms --report=/proc/nowhere/x
check 'an unwritable report: said before the run' [ ! -s "$T/.out" ]
done_testing
