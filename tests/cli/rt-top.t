#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# rt-top - its table, its document, what it sees and what it leaves alone. Others may run
# tools meanwhile, so claims are about our own.
. "${0%/*}/tap.sh"
T_LIMIT=20
python=/usr/bin/python3
[ -x $python ] || skip_all "no /usr/bin/python3"

refuses_usage() {
	run rt-top "$@"
	check "refused: $*" [ "$status" = 2 -a ! -s "$T/.out" ]
}
refuses_usage --bogus
refuses_usage -i 0; warns "'0' is not a time; give seconds"
refuses_usage -i abc
refuses_usage --interval=nan
refuses_usage word; warns "'word' is not a process id"
prints 'usage: rt-top .*' rt-top -h
prints 'rt-top V .+' rt-top --version

# ---- buckets and percentiles, by hand -----------------------------------------------------------
cat >load.py <<'END'
import importlib.machinery, importlib.util, shutil, sys
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("rt_top", shutil.which("rt-top"))
top = importlib.util.module_from_spec(importlib.util.spec_from_loader("rt_top", loader))
loader.exec_module(top)
END
run $python -c 'from load import top
wanted = {0: 0, 127: 127, 128: 128, 255: 255, 256: 257, 383: 511, 384: 515, 511: 1023, 512: 1031}
assert {b: top.bucket_top(b) for b in wanted} == wanted
last = (44 - 7 + 1) * 128 - 1
assert top.bucket_top(last) == 2**44 - 1'
check "tops of buckets" [ "$status" = 0 ]
run $python -c 'from load import top
def p(percent, low, high, **at):
    counts = [0] * 4866
    for bucket, count in at.items(): counts[int(bucket[1:])] = count
    return top.percentile(counts, percent, low, high)
assert p(99.9, 5, 5, b5=1) == 5
assert p(99.9, 5, 200, b5=999, b200=1) == 5
assert p(99.9, 5, 200, b5=998, b200=2) == 200
assert p(99.9, 5, 256, b5=1, b256=1) == 256      # not above the largest
assert p(50, -7, 9, b4864=3, b9=1) == -7         # below zero
assert p(100, 5, 2**50, b5=1, b4865=1) == 2**50  # above the top'
check "percentiles" [ "$status" = 0 ]
check "text that moves no cursor" $python -c 'from load import top
assert top.text_of(b"a\x1b[2Jb\0c") == "a\ufffd[2Jb"'

# ---- a running tool -------------------------------------------------------------------------------
cyclictest -q -a 0 -t 3 -i 1000 -d 1000 -D 60 $(if_json --result=r.json) >/dev/null 2>&1 &
pid=$!
holds() { $python -c "import json, sys; d = json.load(open('$T/.out')); t = d['tools'][0]; s = t['series']
sys.exit(not ($2))" || { fail "$1"; show; return; }; pass "$1"; }
has_samples() { rt-top --json $pid 2>/dev/null | grep -q '"count": [1-9][0-9][0-9]'; }
waits_until 10 has_samples
run rt-top --once $pid
check "--once: status 0, stderr empty" [ "$status:$(cat "$T/.err")" = 0: ]
says "^cyclictest \\($pid\\), [0-9]+ s: cyclictest -q -a 0 -t 3 "
says '^  SERIES +CPU +TID +PRIO +COUNT +MIN +AVG +P99\.9 +MAX +LATE$'
check "--once: a line a thread" [ "$(grep -Ecx '  thread [0-2] +0 +(-|[0-9]+) +0 +[0-9]+( +[0-9]+\.[0-9]){4} +[0-9]+' "$T/.out")" = 3 ]
check "--once: five lines" [ "$(wc -l <"$T/.out")" = 5 ]
run rt-top -1
says "^cyclictest \\($pid\\)"
run rt-top --json $pid
holds "--json: schema" 'd["schema"] == "rtgauge-top/1" and len(d["tools"]) == 1'
holds "--json: the tool" "(t['tool'], t['pid']) == ('cyclictest', $pid) and t['cmdline'].startswith('cyclictest -q')"
holds "--json: the series" '[(x["name"], x["kind"], x["cpu"], x["interval_ns"]) for x in s] == [("thread %d" % i, "wakeup", 0, 1000000 * (i + 1)) for i in range(3)]'
holds "--json: values are in order" 'all(0 < x["min_ns"] <= x["mean_ns"] <= x["max_ns"] and x["min_ns"] <= x["p99.9_ns"] <= x["max_ns"] for x in s)'
first=$(sed -n 's/.*"count": \([0-9]*\),/\1/p' "$T/.out" | head -n 1)
sleep 0.2
run rt-top --json $pid
check "it looks anew" [ "$(sed -n 's/.*"count": \([0-9]*\),/\1/p' "$T/.out" | head -n 1)" -gt "$first" ]

timeout -s INT 1.5 rt-top -i 0.2 $pid >"$T/.out" 2>"$T/.err"
check "without a terminal: tables, one after the other" [ "$(grep -c "^cyclictest ($pid)" "$T/.out")" -ge 2 ]
lacks "$(printf '\033')"
lacks Traceback
if [ "$(nproc)" -gt 1 ] && have taskset; then
	rt-top -i 0.2 $pid >/dev/null 2>&1 &
	top_pid=$!
	is_off() { ! taskset -cp $top_pid | sed 's/.*: //' | tr ',' '\n' | grep -Eq '^0'; }
	check "it leaves the measured CPU" waits_until 5 is_off
	kill -INT $top_pid
	kill $top_pid 2>/dev/null
	wait $top_pid 2>/dev/null
else
	skip "one CPU"
fi

# ---- what it read is what the result says ---------------------------------------------------------
kill -STOP $pid
sleep 0.1
run rt-top --json $pid
cp "$T/.out" top.json
kill -INT $pid
kill -CONT $pid
wait $pid
may_run --result
check "the same numbers as in the result, but for the samples after it" $python -c 'import json
seen = json.load(open("top.json"))["tools"][0]["series"]
final = json.load(open("r.json"))["series"]
for a, b in zip(seen, final, strict=True):
    l, c = b["latency_ns"], b["counts"]
    assert 10 <= a["count"] <= c["samples"] <= a["count"] + 5000, (a, c)
    assert l["min"] <= a["min_ns"] and a["max_ns"] <= l["max"], (a, l)
    assert a["late"] <= c["late"] and a["early"] <= c["early"], (a, c)'

# ---- none, and others' -------------------------------------------------------------------------------
run rt-top --once $$
check "none: status 1, nothing printed" [ "$status" = 1 -a ! -s "$T/.out" ]
warns '^rt-top: no tool'
run rt-top --json 4194304
check "--json, none: an empty list, status 1" [ "$status" = 1 ]
says '"tools": \[\]'
cyclictest -q -D 60 >/dev/null 2>&1 &
pid=$!
waits_until 10 rt-top --once $pid >/dev/null 2>&1
if is_root && have setpriv; then
	run setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$(command -v rt-top)" -1 $pid
	check "another user's is not seen" [ "$status" = 1 ]
	warns 'no tool of yours'
else
	skip "not root: cannot become another user"; skip "not root"
fi
run sh -c "rt-top --once $pid | :"
lacks Traceback
if [ -c /dev/full ]; then
	rt-top --once $pid >/dev/full 2>"$T/.err"
	check "a full stdout: status 1" [ $? = 1 ]
fi
kill $pid
wait $pid 2>/dev/null

# hackbench has no series, and many processes that inherited its memory
hackbench -g 2 -f 5 -l 100000000 >/dev/null 2>&1 &
pid=$!
sees_hackbench() { rt-top --json 2>/dev/null | grep -q "\"pid\": $pid,"; }
waits_until 10 sees_hackbench
sleep 0.3
run rt-top --once
check "a tool with workers is seen once, by its main process" \
	[ "$(grep -c '^hackbench ([0-9]*), .*-g 2 -f 5 -l 100000000' "$T/.out")" = 1 ]
says "^hackbench \\($pid\\)"
kill $pid
wait $pid 2>/dev/null
done_testing
