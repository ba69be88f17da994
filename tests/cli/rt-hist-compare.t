#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# rt-hist compare: statistics and intervals worked out by hand, verdicts and statuses.

. "${0%/*}/tap.sh"

[ -x /usr/bin/python3 ] || skip_all "no /usr/bin/python3"
PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8
export PYTHONDONTWRITEBYTECODE PYTHONIOENCODING
data=$tests_dir/../data/rt-hist
hist=$top/scripts/rt-hist

# made FILE US [KIND]: 99 % of 2000 samples at US, the others at twice of that
made() {
	cat >"$1" <<-END
	{ "schema": "rtgauge-result/1", "tool": "made", "series": [
	{ "name": "a", "kind": "${3:-wakeup}", "cpu": 0, "counts": {},
	  "latency_ns": { "min": $2000, "mean": $2010, "max": $(($2 * 2))000 },
	  "histogram": { "unit": "ns", "buckets": [[$2000, $2001, 1980], [$(($2 * 2))000, $(($2 * 2))001, 20]] } } ] }
	END
}
made a1 100; made a2 110; made a3 120
made b1 200; made b2 220; made b3 240
made c1 101

# p50 of A: mean 110, s = 10, 4.303 * 10 / sqrt(3) = 24.8; all of B is twice that of A
exits 0 "$hist" compare a1 a2 a3 -- b1 b2 b3
says '^p50 +110\.0 +85\.2 \.\. 134\.8 +220\.0 +170\.3 \.\. 269\.7 +\+100\.0 % +\+62\.7 \.\. \+145\.9 % +worse$'
says '^max +240 +480 +\+100\.0 % +no interval$|^max +240\.0 +480\.0 +\+100\.0 % +no interval$'
says '^verdict: worse: p99 of wakeup is 100\.0 % larger, 95 % interval'
lacks 'p99\.9'
exits 0 "$hist" compare b1 b2 b3 -- a1 a2 a3
says '^verdict: better: p99 of wakeup is 50\.0 % smaller'
exits 3 "$hist" compare a1 a2 a3 --fail-if-worse 99 -- b1 b2 b3
exits 0 "$hist" compare a1 a2 a3 -- b1 b2 b3 --fail-if-worse=101
exits 0 "$hist" compare a1 a3 -- a2 a2 --fail-if-worse=0
says '^verdict: same'

# one run a side: no interval, and said so
exits 0 "$hist" compare a1 c1
says '^p50 +100\.0 +101\.0 +\+1\.0 % +same$'
says 'One run on a side: there is no interval'
exits 3 "$hist" compare --fail-if-worse=0.5 a1 c1
exits 3 "$hist" compare --by=max --fail-if-worse=5 a1 b1
says '^verdict: worse: max of wakeup is 100\.0 % larger$'

# half of the pairs of equal sides; none of the pairs where B is always earlier
exits 0 "$hist" compare a1 a1
says 'later one in 50\.0 %'
says '^verdict: same'

# CPUs side by side; a difference within a row of the histogram is none
exits 0 "$hist" compare "$data/peer.json" "$data/peer.json"
says '^CPU 1 +[0-9.]+ '
run sh -c "\"$hist\" compare \"$data/sparse.txt\" - <\"$data/sparse.txt\""
says "^verdict: same"

made s1 100 section; made h1 100 handover
refuses 1 'no kind of series in common' "$hist" compare a1 h1
refuses 1 'for comparison only' "$hist" compare s1 s1
refuses 1 'p99\.99 needs 10 samples behind it' "$hist" compare --by=p99.99 a1 b1
refuses 2 'two files' "$hist" compare a1
refuses 2 'each side' "$hist" compare a1 --
refuses 2 'stands once' "$hist" compare a1 -- b1 -- c1
refuses 2 "'5q' is no percentage" "$hist" compare --fail-if-worse=5q a1 b1

if /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
	exits 0 "$hist" compare -o both.svg a1 a2 -- b1 b2
	check "the picture has both sides, as shares" sh -c \
		"grep -q '>A.*220' both.svg && grep -q '>B.*440' both.svg && grep -q 'share of the samples' both.svg"
	check "and the single runs" grep -q 'single runs' both.svg
else
	skip "compare -o: matplotlib is not here"
fi
done_testing
