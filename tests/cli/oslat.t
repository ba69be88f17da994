#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# oslat - options, layouts, documents, ends.
. "${0%/*}/tap.sh"
T_LIMIT=20

PYTHON=${PYTHON:-/usr/bin/python3}
have "$PYTHON" || PYTHON=
# Preheats and runs are short: what is tested is never how long a gap was.
SHORT='--preheat=20ms -D 60ms'
usable=$(nproc)
first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
cpus=$(grep -c ^processor /proc/cpuinfo)

# shape: the last output, each number replaced by 9, a line like the one before only once
shape() { sed -e 's/[0-9][0-9.]*/9/g' "$T/.out" | uniq; }

# shaped NAME: the last output has the shape that stdin tells, byte by byte
shaped() {
	sed 's/TAB/	/g' >"$T/wanted"
	shape >"$T/shape"
	check "$1: the layout" cmp -s "$T/wanted" "$T/shape"
	cmp -s "$T/wanted" "$T/shape" || diff "$T/wanted" "$T/shape" | sed 's/^/# /'
}

# row LABEL [N]: the N-th value of that row
row() { grep "^ *$1:" "$T/.out" | sed 's/.*:	 //' | cut -d' ' -f"${2:-1}"; }
# is EXPRESSION: true for awk
is() { awk "BEGIN { exit !($1) }"; }
is_gone() { [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }

# ---- refusals ------------------------------------------------------------------------
for value in 3 1025 0 7x abc '' -5 1e2; do refuses 2 '--bucket-size: ' oslat -b "$value"; done
for value in 0 -1 abc 5x '' 2s; do refuses 2 '--bucket-width: ' oslat -W "$value"; done
for value in 0 -1 abc 5x '' 99999999999999999999; do refuses 2 '--duration: ' oslat -D "$value"; done
for value in 0 1ms 2d abc; do refuses 2 '--preheat: ' oslat --preheat="$value"; done
for value in 0 100 5x abc -1 ''; do refuses 2 '--rtprio: ' oslat -f "$value"; done
for value in abc 0 0K -5K 5x 4X 1.5k '' 2000G; do refuses 2 '--workload-mem: ' oslat -m "$value"; done
for value in 0 -1 abc 5x ''; do refuses 2 '--trace-threshold: ' oslat -T "$value"; done
for value in foo memmov NO ''; do refuses 2 '--workload: ' oslat -w "$value"; done
for value in abc -1 1x ''; do refuses 2 '--cpu-main-thread: ' oslat -C "$value"; done
refuses 2 "--cpu-main-thread: CPU $cpus does not exist" oslat -C "$cpus"
for value in abc 1, 3-1 1- '' '0;1'; do refuses 2 '--cpu-list: ' oslat -c "$value"; done
refuses 2 '--cpu-list: CPU 4999 does not exist' oslat -c 0,4999
for value in 0 -1 abc 0.5us; do refuses 2 '--limit: ' oslat --limit="$value"; done
refuses 2 '--checkpoint: ' oslat --checkpoint=1
refuses 2 'only one document' oslat --json=- --result=-
refuses 2 "'-X' is not an option" oslat -X
refuses 2 "'--nonsense'" oslat --nonsense
refuses 1 "cannot write '/proc/nowhere/x'" oslat --json=/proc/nowhere/x
refuses 1 "cannot write '/proc/nowhere/x'" oslat --result=/proc/nowhere/x

prints 'oslat V 3\.00' oslat -v
prints 'oslat V 3\.00' oslat --version
exits 0 oslat -h
says '^ +-D, --duration='
exits 0 oslat --help

# ---- layouts ---------------------------------------------------------------------------
run oslat -c "$first" --preheat=1 -D 1 -b 6
shaped 'default' <<'END'
oslat V 9
Total runtime: TABTAB9 seconds
Thread priority: TABdefault
CPU list: TABTAB9
CPU for main thread: TAB9
Workload: TABTABno
Workload mem: TABTAB9 (KiB)
Preheat cores: TABTAB9

Pre-heat for 9 seconds...
Test starts...
Test completed.

        Core:TAB 9
Counter Freq:TAB 9 (MHz)
    9 (us):TAB 9
    9 (us):TAB 9 (including overflows)
     Minimum:TAB 9 (us)
     Average:TAB 9 (us)
     Maximum:TAB 9 (us)
     Max-Min:TAB 9 (us)
    Duration:TAB 9 (sec)

END
says '^    001 \(us\):	 [0-9]+$'
says '^    006 \(us\):	 [0-9]+ \(including overflows\)$'
says '^     Minimum:	 [0-9]+ \(us\)$'
says '^     Average:	 [0-9]+\.[0-9]{3} \(us\)$'
says '^    Duration:	 [0-9]+\.[0-9]{3} \(sec\)$'
check 'as many rows as buckets' [ "$(grep -c '^    0.*(us):' "$T/.out")" = 6 ]
check 'a second of it lasts a second or more' is "$(row Duration) >= 0.999"

# shellcheck disable=SC2086 # words
run oslat -q $SHORT -c "$first" -W 500 -b 8
shaped '-q with nanoseconds' <<'END'
oslat V 9
        Core:TAB 9
Counter Freq:TAB 9 (MHz)
  9 (us):TAB 9
  9 (us):TAB 9 (including overflows)
     Minimum:TAB 9 (us)
     Average:TAB 9 (us)
     Maximum:TAB 9 (us)
     Max-Min:TAB 9 (us)
    Duration:TAB 9 (sec)

END
says '^  0\.500 \(us\):	 [0-9]+$'
says '^  4\.000 \(us\):	 [0-9]+ \(including overflows\)$'
says '^     Minimum:	 [0-9]+\.[0-9]{3} \(us\)$'
check 'minimum <= average <= maximum' is "$(row Minimum) <= $(row Average) && $(row Average) <= $(row Maximum)"
check 'maximum - minimum' is "$(row Maximum) - $(row Minimum) - $(row Max-Min) < 0.0005"

# buckets N OPTION...: so many of them
buckets() {
	want=$1; shift
	# shellcheck disable=SC2086 # words
	run oslat -q --preheat=10ms -D 5ms -c "$first" "$@"
	check "$want buckets: $*" [ "$status:$(grep -c '^ *[0-9.]* (us):' "$T/.out")" = "0:$want" ]
}
buckets 32
buckets 4 -b 4
buckets 1024 -b 1024
buckets 64 -W 500
buckets 320 -W 100ns
buckets 32 -W 1500
buckets 32 -W 2us
says '^    064 \(us\):'
buckets 5 -W 1us --bucket-size=5

run oslat -q --preheat=10ms -D 20ms -c "$first" -z -W 100
says '^    \.\.\.$'
check '-z: no empty row but the last' [ "$(sed '$d' "$T/.out" | grep -c '(us):	 0$')" = 0 ]
says '\(including overflows\)'

# ---- workload, bias, CPUs ------------------------------------------------------------------
# shellcheck disable=SC2086 # words
run oslat $SHORT -c "$first" -w memmove -m 64K -B -s
says '^Workload: 		memmove$'
says '^Workload mem: 		64 \(KiB\)$'
says '^Global bias set to [0-9]+ \(us\)$'
bias=$(sed -n 's/^Global bias set to \([0-9]*\) .*/\1/p' "$T/.out")
says "^    $(printf %03d $((bias + 1))) \(us\):"
# shellcheck disable=SC2086 # words
run oslat -q $SHORT -c "$first" -B -W 100
says '^Global bias set to [0-9]\.[0-9]{3} \(us\)$'
check '-B: the smallest gap is in the first bucket' is "$(grep -m1 '(us):' "$T/.out" | sed 's/.*	 //') > 0"
small=$(oslat -q --preheat=10ms -D 50ms -c "$first" -w memmove -m 4k -b 4 | sed -n 's/^ *Average:	 \([0-9.]*\).*/\1/p')
large=$(oslat -q --preheat=10ms -D 50ms -c "$first" -w memmove -m 4M -b 4 | sed -n 's/^ *Average:	 \([0-9.]*\).*/\1/p')
check "memmove takes longer for more memory: $small, $large" is "$small < $large"

# shellcheck disable=SC2086 # words
run oslat $SHORT
says '^CPU list: 		all$'
says "^Preheat cores: 		$usable$"
check 'one column for each usable CPU' [ "$(row Core "1-$cpus" | wc -w)" = "$usable" ]
# shellcheck disable=SC2086 # words
run oslat $SHORT -s
says '^Preheat cores: 		1$'
check '-s: all CPUs run' [ "$(row Core "1-$cpus" | wc -w)" = "$usable" ]
# shellcheck disable=SC2086 # words
run oslat $SHORT -c "$first" -C "$first"
says "^CPU for main thread: 	$first$"
if have taskset; then
	# shellcheck disable=SC2086 # words
	run taskset -c "$first" oslat $SHORT
	check 'a restricted set: that CPU alone' [ "$(row Core "1-$cpus")" = "$first" ]
	says "^CPU for main thread: 	$first$"
fi

# ---- documents ---------------------------------------------------------------------------------
# shellcheck disable=SC2086 # words
run oslat -q $SHORT -c "$first" --json=j.json --result=r.json --percentiles --samples=s.bin -W 500 -b 8
check 'documents: good' [ "$status" = 0 ]
holds 'json: members and their order' j.json \
	'list(d) == ["file_version", "cmdline:", "rt_test_version:", "start_time", "end_time", "return_code", "sysinfo", "num_threads", "thread"] and list(d["thread"]["0"]) == ["cpu", "freq", "min", "avg", "max", "duration", "histogram"]'
holds 'json: nanoseconds as integers, average in us' j.json \
	'(lambda t: type(t["min"]) is int and type(t["max"]) is int and t["min"] / 1000 <= t["avg"] <= t["max"] / 1000)(d["thread"]["0"])'
holds 'json: only buckets with something in them, by their label' j.json \
	'(lambda h: "0.500" in h and all(h.values()) and all(float(k) * 1000 % 500 == 0 for k in h))(d["thread"]["0"]["histogram"])'
check 'json: six and three decimals' grep -Eq '"avg": [0-9]+\.[0-9]{6},' j.json
check 'json: duration with three decimals' grep -Eq '"duration": [0-9]+\.[0-9]{3},' j.json
holds 'result: samples are the sum of the buckets' r.json \
	'd["tool"] == "oslat" and all(s["counts"]["samples"] == sum(b[2] for b in s["histogram"]["buckets"]) > 0 for s in d["series"])'
holds 'result: buckets of both documents count the same' j.json \
	"sum(d['thread']['0']['histogram'].values()) == json.load(open('r.json'))['series'][0]['counts']['samples']"
holds 'result: kind and own members' r.json \
	'd["series"][0]["kind"] == "gap" and d["oslat"]["bucket_width_ns"] == 500 and d["oslat"]["buckets"] == 8 and d["oslat"]["counter_hz"][0] > 1000'
holds 'result: the mean is that of the whole time' r.json \
	'(lambda s, d: abs(s["latency_ns"]["mean"] * s["counts"]["samples"] / d - 1) < 0.1)(d["series"][0], 1e9 * json.load(open("j.json"))["thread"]["0"]["duration"])'
says '^# P99\.9: [0-9]{5}'
check 'samples: a file of its form' [ "$(head -c 8 s.bin)" = RTGSMPL1 ]
run oslat -q --preheat=10ms -D 10ms -c "$first" --json=-
holds 'json on stdout: that alone' "$T/.out" 'd["num_threads"] == 1 and type(d["thread"]["0"]["min"]) is int'
warns '^     Minimum:'
holds 'json: whole microseconds as keys' "$T/.out" '"1" in d["thread"]["0"]["histogram"]'
run oslat -q --preheat=10ms -D 1200ms -c "$first" --checkpoint=1 --result=c.json
holds 'checkpoint: the end is in the file' c.json 'd["ended_by"] == "duration" and d["exit_status"] == 0'
run oslat -q --preheat=10ms -D 100ms -c "$first" --limit=100s
check '--limit: kept' [ "$status" = 0 ]
run oslat -q --preheat=10ms -D 100ms -c "$first" -W 1ns --limit=1ns --result=l.json
check '--limit: passed' [ "$status" = 3 ]
holds '--limit: the verdict' l.json 'd["verdict"]["passed"] is True and d["exit_status"] == 3'
run oslat -q --preheat=10ms -D 300ms -c "$first" --load='echo loaded'
warns '^loaded$'

# ---- ends ------------------------------------------------------------------------------------------
# ended NAME SIGNAL TEXT OPTION...: by that signal once it has said TEXT, with the result
ended() {
	name=$1 signal=$2 text=$3; shift 3
	: >"$T/.out"
	unmade=
	oslat -D 60 -c "$first" $(if_json --result=e.json) "$@" >"$T/.out" 2>"$T/.err" </dev/null &
	pid=$!
	waits_until 10 grep -q "$text" "$T/.out"
	sleep 0.2
	kill "-$signal" $pid
	if ! waits_until 5 is_gone $pid; then kill -KILL $pid; fail "$name: ends"; fi
	wait $pid
	status=$?
	check "$name: status 0, with the result" [ "$status:$(grep -c '^    Duration:' "$T/.out")" = 0:1 ]
	holds "$name: why" e.json "d['ended_by'] == 'signal:$signal'"
}
ended 'SIGINT in the run' INT 'Test starts' --preheat=20ms
check 'it has measured' is "$(row Duration) > 0"
ended 'SIGTERM in the run' TERM 'Test starts' --preheat=20ms
ended 'SIGINT in the preheat: no run follows' INT 'Pre-heat' --preheat=60
warns 'ended in the preheat; nothing was measured'
check 'nothing was measured' [ "$(row Duration)" = 0.000 ]

oslat -q -D 60 -c "$first" >/dev/null 2>&1 &
pid=$!
sleep 0.3
kill -KILL $pid
wait $pid 2>/dev/null
run oslat -q --preheat=10ms -D 10ms -c "$first"
check 'kill -9, then one more run' [ "$status" = 0 ]

if [ -e /dev/full ]; then
	oslat -q --preheat=10ms -D 10ms -c "$first" >/dev/full 2>"$T/.err"
	status=$?
	check 'a full stdout is a failed run' [ $status = 1 ]
	may_run --json && oslat -q --preheat=10ms -D 10ms -c "$first" --json=/dev/full >"$T/.out" 2>"$T/.err"
	status=$?
	check 'a full disk for the document is a failed run' [ $status = 1 ]
	says '^    Duration:'
fi

# ---- rights -------------------------------------------------------------------------------------------
if is_root && have setpriv; then
	chmod 755 "$T"
	run setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all oslat -q --preheat=10ms -D 10ms -c "$first" -f 5
	check 'a user without rights: 4' [ "$status" = 4 ]
	warns 'SCHED_FIFO priority 5'
	run setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all oslat -q --preheat=10ms -D 10ms -c "$first"
	check 'a user: SCHED_OTHER works' [ "$status" = 0 ]
else
	skip 'not root, or no setpriv: what a user may'
fi
last=$((cpus - 1))
if can_rt && [ "$cpus" -gt 1 ] && [ "$usable" = "$cpus" ]; then
	run chrt -f 99 timeout -s KILL 10 oslat --preheat=10ms -D 50ms -f 2 -c "$last" -C 0 --result=f.json
	check '-f: good' [ "$status" = 0 ]
	says '^Thread priority: 	SCHED_FIFO:2$'
	holds '-f: what it ran as' f.json 'd["series"][0]["policy"] == "fifo" and d["series"][0]["priority"] == 2'
	run chrt -f 99 timeout -s KILL 10 oslat -q --preheat=10ms -D 50ms -f 2 -c "$last" -C "$last"
	check '-f on the CPU of main: ends' [ "$status" = 0 ]
	warns 'is tested at SCHED_FIFO, too'
else
	skip 'no right for real-time priorities, or one CPU only'
fi

# ---- -T, on a tracefs of this test's own mount namespace ---------------------------------------------------
cat >"$T/traced" <<'END'
tracing=/sys/kernel/tracing
[ -e $tracing/tracing_on ] || mount -t tracefs none $tracing 2>/dev/null || exit 77
was=$(cat $tracing/tracing_on)
echo 1 >$tracing/tracing_on
marks() { grep -c 'oslat: Trace threshold (1 us) triggered on cpu' $tracing/trace; }
before=$(marks) # of runs before
oslat -q --preheat=20ms -D 20 -c "$1" -T 1 $2
status=$?
echo $(($(marks) - before)) >marks
cat $tracing/tracing_on >switch
echo "$was" >$tracing/tracing_on
exit $status
END
if is_root && have unshare && unshare -m true 2>/dev/null; then
	run unshare -m sh traced "$first" $(if_json --result=t.json)
	if [ "$status" = 77 ]; then
		skip 'no tracefs in this kernel'
	else
		check '-T: ends with 1' [ "$status" = 1 ]
		warns "^oslat: Trace threshold \(1 us\) triggered on cpu $first with [0-9]+ us!$"
		says '^    Duration:'
		check '-T: marked and stopped' [ "$(cat marks):$(cat switch)" = 1:0 ]
		holds '-T: in the result' t.json 'd["ended_by"] == "threshold" and d["exit_status"] == 1 and d["oslat"]["trace_threshold"]["value_ns"] >= 1000'
	fi
	run unshare -m sh -c "mount -t tmpfs none /sys/kernel; exec oslat -q --preheat=20ms -D 20 -c $first -T 1"
	check '-T without tracefs: still ends at the threshold' [ "$status" = 1 ]
	warns 'tracefs is not mounted.*continuing without it'
	warns "^oslat: Trace threshold \(1 us\) triggered on cpu $first with [0-9]+ us!$"
	lacks 'could not be marked'
else
	skip 'not root, or no mount namespaces: -T'
fi
done_testing
