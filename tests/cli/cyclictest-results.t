#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cyclictest-results - the documents and files: --json, --result, --checkpoint,
# --samples, --histfile, --limit.
. "${0%/*}/tap.sh"
. "$tests_dir/cyclictest.sh"
T_LIMIT=20
[ -n "$PYTHON" ] || skip_all "no python3 to read the documents"
has_json || skip_all "built without json-c (JSON=0)"

# ---- --json: programs match its members, order and layout -----------------------------------
run cyclictest -q -t2 -a 0 -h 1000000 -l 30 --json=o.json
check "--json: status 0" [ $status = 0 ]
sed -e 's/"[0-9]*": [0-9]*,\{0,1\}$/"9": 9/' -e 's/: "[^"]*"/: "x"/' -e 's/: [0-9][0-9]*\.[0-9][0-9]\(,\{0,1\}\)$/: 9.99\1/' \
	-e 's/: [0-9][0-9]*\(,\{0,1\}\)$/: 9\1/' o.json | uniq >shape
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
  "resolution_in_ns": 9,
  "thread": {
    "0": {
      "histogram": {
        "9": 9
      },
      "cycles": 9,
      "min": 9,
      "max": 9,
      "avg": 9.99,
      "cpu": 9,
      "node": 9
    },
    "1": {
      "histogram": {
        "9": 9
      },
      "cycles": 9,
      "min": 9,
      "max": 9,
      "avg": 9.99,
      "cpu": 9,
      "node": 9
    }
  }
}
END
check "--json: members, order, layout" cmp -s wanted shape
cmp -s wanted shape || diff wanted shape | sed 's/^/# /'
check "--json: ends with a newline" [ "$(tail -c 2 o.json | od -An -c | tr -d ' ')" = '}\n' ]
holds "--json: file_version" o.json 'd["file_version"] == 1'
holds "--json: the command line" o.json 'd["cmdline:"] == "cyclictest -q -t2 -a 0 -h 1000000 -l 30 --json=o.json"'
holds "--json: times as in mails" o.json 'bool(__import__("email.utils").utils.parsedate_to_datetime(d["start_time"]))'
holds "--json: return_code, num_threads" o.json '(d["return_code"], d["num_threads"], d["resolution_in_ns"]) == (0, 2, 0)'
holds "--json: cycles are -l" o.json 'max(t["cycles"] for t in d["thread"].values()) == 30'
holds "--json: cycles are the sum of the histogram" o.json 'all(sum(t["histogram"].values()) == t["cycles"] for t in d["thread"].values())'
holds "--json: min and max are its ends" o.json 'all([min(map(int, t["histogram"])), max(map(int, t["histogram"]))] == [t["min"], t["max"]] for t in d["thread"].values())'
holds "--json: avg is its mean" o.json 'all(abs(sum(int(k) * v for k, v in t["histogram"].items()) / t["cycles"] - t["avg"]) < 0.006 for t in d["thread"].values())'
holds "--json: cpu" o.json '[t["cpu"] for t in d["thread"].values()] == [0, 0]'
run cyclictest -q -N -l 5 --json=o.json
holds "--json -N: resolution, and no histogram" o.json 'd["resolution_in_ns"] == 1 and "histogram" not in d["thread"]["0"]'
holds "--json: not pinned is -1" o.json 'd["thread"]["0"]["cpu"] == -1'
run cyclictest -q -N -h 1 -l 5 --json=o.json
check "--json: an empty histogram has two lines" grep -q '^      "histogram": {$' o.json
holds "--json: overflows are not in the histogram" o.json 'd["thread"]["0"]["histogram"] == {} and d["thread"]["0"]["cycles"] == 5'
run cyclictest -q -S -l 5 --json=o.json
holds "--json -S: node is -1" o.json 'all(t["node"] == -1 for t in d["thread"].values())'
run cyclictest -q -i 100s -D 50ms --json=o.json
holds "--json: no cycles are zeros" o.json '[d["thread"]["0"][k] for k in ("cycles", "min", "max", "avg")] == [0, 0, 0, 0]'
run cyclictest -q -l 2 '' 'say "hi" \ there' "$(printf 'tab\there\001\377')" --json=o.json
check "--json: odd words are escaped" [ "$(value o.json '"say \"hi\" \\ there tab\there\x01\ufffd" in d["cmdline:"]')" = True ]
run cyclictest -q -l 2 "$(head -c 100000 /dev/zero | tr '\0' x)" --json=o.json
holds "--json: a long command line is kept" o.json 'len(d["cmdline:"]) > 100000'
run cyclictest -t2 -v -l 5 --json=-
cp "$T/.out" o.json
holds "--json=-: stdout is the document alone" o.json 'd["num_threads"] == 2'
warns '^ +0: +0: '
check "--json=-: no line of it on stderr" [ "$(grep -c '[{}]' "$T/.err")" = 0 ]
run cyclictest -q -l 5 --json o.json --result r.json
holds "--json FILE" o.json 'd["return_code"] == 0'

# ---- --result ------------------------------------------------------------------------------------
cat >sane.py <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["schema"] == "rtgauge-result/1" and d["tool"] == "cyclictest"
assert d["clock"] and d["cyclictest"]["sleep"]
for s in d["series"]:
    buckets, counts, lat = s["histogram"]["buckets"], s["counts"], s["latency_ns"]
    assert counts["samples"] == sum(b[2] for b in buckets), "samples are not the sum"
    assert all(b[2] > 0 for b in buckets)
    if d["ended_by"] == "checkpoint" or not counts["samples"]:
        continue
    order = [lat[k] for k in ("min", "p50", "p90", "p99", "p99.9", "p99.99", "p99.999", "max")]
    assert order == sorted(order), order
    assert lat["min"] <= lat["mean"] <= lat["max"]
print(d["ended_by"], d["exit_status"], len(d["series"]), sum(s["counts"]["samples"] for s in d["series"]))
END
sane() { want=$2; check "$1" [ "$("$PYTHON" sane.py r.json 2>&1)" = "$want" ]; }
run cyclictest -q -l 20 --result=r.json
sane "--result: loops" 'loops 0 1 20'
run cyclictest -q -D 20ms --result=r.json
holds "--result: duration" r.json 'd["ended_by"] == "duration" and d["duration_ns"] >= 20000000'
run cyclictest -q -N -b 1 -t2 -l 99 --result=r.json
holds "--result: break" r.json 'd["ended_by"] == "threshold" and d["exit_status"] == 0 and d["cyclictest"]["break"]["value_ns"] > 1'
for clock in realtime tai boottime; do
	run cyclictest -q -c $clock -l 5 --result=r.json
	holds "--result: clock $clock" r.json "d['clock'] == '$clock'"
	holds "--result: a date for the largest, $clock" r.json 'd["started"][:10] <= d["series"][0]["latency_ns"]["max_at"][:10] <= d["ended"][:10]'
done
run cyclictest -q -i 1 -l 200 --result=r.json
holds "--result: late ones and missed ones" r.json 'd["series"][0]["counts"]["late"] > 0 and d["series"][0]["counts"]["missed"] > 0'
run cyclictest -q -x -i 1 -l 200 --result=r.json
holds "-x: overruns are missed ones, nothing is early" r.json 'd["series"][0]["counts"]["missed"] > 0 and d["series"][0]["counts"]["early"] == 0'
run cyclictest -q -a 0 -t2 $(can_lock && echo -m) -l 5 --result=r.json
if can_lock; then
	holds "--result: what was asked and had" r.json '{"mlock", "dma_latency"} <= {a["name"] for a in d["asked"]}'
else
	skip "no right to lock all memory: that --result tells of it"
fi
holds "--result: CPUs and intervals" r.json '[(s["cpu"], s["interval_ns"]) for s in d["series"]] == [(0, 1000000), (0, 1500000)]'

# ---- --limit ----------------------------------------------------------------------------------------
run cyclictest -q -N --limit=1 -l 20 --result=r.json --json=o.json
check "--limit: status 3" [ $status = 3 ]
check "--limit: the run was not stopped" [ "$(field C)" = 20 ]
check "--limit: one line on stderr" [ "$(complaints | wc -l)" = 1 ]
warns '^cyclictest: .*thread 0.* [0-9]'
holds "--limit: the verdict" r.json 'd["exit_status"] == 3 and d["verdict"]["passed"] is False or d["verdict"]["value_ns"] > 1'
holds "--limit: return_code" o.json 'd["return_code"] == 3'
exits 3 cyclictest -q -N --limit=1 -b 1 -l 20
exits 0 cyclictest -q --limit=1000s -l 20

# ---- --checkpoint -------------------------------------------------------------------------------------
rm -f r.json o.json
begin -q -i 100 -t2 -D 3 --result=r.json --json=o.json --checkpoint=1
soon 5 [ -s r.json -a -s o.json ]
polls=0 bad=0
while ! is_gone $pid; do
	polls=$((polls + 1))
	"$PYTHON" sane.py r.json >said 2>&1 && "$PYTHON" -m json.tool o.json >/dev/null 2>&1 || bad=$((bad + 1))
	[ $polls = 1 ] && cp r.json first.json
	case $(cat said) in checkpoint\ None\ 2\ *) seen=1 ;; esac
done
ends "--checkpoint" 0
check "--checkpoint: $polls looks, all valid" [ "$bad" = 0 -a $polls -gt 2 ]
check "--checkpoint: documents of a run that goes on" [ "${seen:-0}" = 1 ]
check "--checkpoint: the last one is final" [ "$("$PYTHON" sane.py r.json | cut -d' ' -f1,2)" = 'duration 0' ]
holds "--checkpoint: exit_status is null in it" first.json 'd["exit_status"] is None and d["ended_by"] == "checkpoint"'
check "nothing is left beside them" [ "$(ls -A | grep -c rtgauge)" = 0 ]

# ---- --samples ------------------------------------------------------------------------------------------
cat >decode.py <<'END'
import json, struct, sys
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"RTGSMPL1"
length, = struct.unpack_from("<I", data, 8)
head, at = json.loads(data[12:12 + length]), 12 + length
series = [[] for _ in head["series"]]
lost = [0] * len(series)

def varint():
    global at
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value

def signed():
    value = varint()
    return value >> 1 ^ -(value & 1)

while at < len(data):
    magic, which, count, size, cycle, wake, lost[which] = struct.unpack_from("<4sIIIQqQ", data, at)
    assert magic == b"BLK1"
    at += 40
    end = at + size
    for i in range(count):
        step, drift, latency = varint(), signed(), signed()
        if i:
            cycle += step + 1
            wake += head["series"][which]["interval_ns"] + drift
        series[which].append((cycle, wake, latency))
    assert at == end
if len(sys.argv) > 2:
    d = json.load(open(sys.argv[2]))
    for samples, s in zip(series, d["series"]):
        lat = s["latency_ns"]
        assert [c for c, _, _ in samples] == list(range(len(samples)))
        assert len(samples) == s["counts"]["samples"]
        assert (min(l for _, _, l in samples), max(l for _, _, l in samples), samples[-1][2]) == (lat["min"], lat["max"], lat["last"])
        assert abs(sum(l for _, _, l in samples) / len(samples) - lat["mean"]) < 1
        assert all(b[1] > a[1] for a, b in zip(samples, samples[1:]))
        assert lat["max_at_ns"] in [w + l for _, w, l in samples]
print(head["tool"], head["clock"], len(series), " ".join(str(len(s)) for s in series), sum(lost))
END
fast=; if can_rt; then fast='-p 1'; fi
for way in '' -r -s -x '-c realtime'; do
	# shellcheck disable=SC2086 # no word or two
	run cyclictest -q -t2 -d0 -i 100 -l 3000 $way --samples=s.bin --result=r.json
	check "--samples $way: as counted, min, max, mean, last, order" [ "$("$PYTHON" decode.py s.bin r.json 2>&1 | cut -d' ' -f1,3)" = 'cyclictest 2' ]
	note "$("$PYTHON" decode.py s.bin r.json 2>&1)"
done
run cyclictest -q $fast -i 20 -l 20000 --samples=s.bin --result=r.json
check "--samples at 20 us: all, or their loss is known" [ "$("$PYTHON" decode.py s.bin 2>&1 | awk '{ print $4 + $5 }')" = 20000 ]
holds "--samples at 20 us: as in the result" r.json "d['series'][0]['counts']['lost'] == $("$PYTHON" decode.py s.bin 2>&1 | cut -d' ' -f5)"
begin -q -i 100 -D 100 --samples=s.bin
soon 10 [ -s s.bin -a "$(stat -c %s s.bin 2>/dev/null || echo 0)" -gt 0 ]
sleep 1.2
kill -KILL "$pid"
wait "$pid" 2>/dev/null
check "--samples: readable after a kill -9" [ "$("$PYTHON" decode.py s.bin 2>&1 | cut -d' ' -f4)" -gt 100 ]
run cyclictest -q -l 3 # clears up behind the killed one

# ---- --histfile --------------------------------------------------------------------------------------------
run cyclictest -q -h 1000000 -l 10 --histfile=h.txt
check "--histfile: the block is there" grep -q '^# Total: 000000010$' h.txt
lacks Histogram
run cyclictest -q -l 10 --histfile=none.txt
check "--histfile without -h: no file" [ "$status" = 0 -a ! -e none.txt ]
run cyclictest -q -h 100 -l 10 --histfile=-
says '^# Histogram$'
check "--histfile=-: the block alone" [ "$(grep -vc '^[#0-9]' "$T/.out")" = 1 ]
if can_dma; then warns "^$DMA\$"; else skip "no right to write /dev/cpu_dma_latency"; fi
ln -s h.txt link
run cyclictest -q -h 1000000 -l 20 --histfile=link
check "a symlink stays, its target is written" [ -L link -a "$(grep -c '^# Total: 000000020$' h.txt)" = 1 ]
name=$(printf 'x%.0s' $(seq 250))
run cyclictest -q -l 2 --json="$name"
check "a name of 250 bytes is not cut" [ -s "$name" ]
run cyclictest -q -l 2 --json=/dev/null --result=/dev/null
check "devices are written to" [ $status = 0 -a -c /dev/null ]
for option in json result histfile samples; do
	refuses 1 "/nonexistent/x" cyclictest -q -h 5 -l 2 --$option=/nonexistent/x
	refuses 1 "$T" cyclictest -q -h 5 -l 2 "--$option=$T"
done
done_testing
