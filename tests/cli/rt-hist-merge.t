#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# rt-hist merge and export: exact counts, what is kept apart, and the three formats.

. "${0%/*}/tap.sh"

[ -x /usr/bin/python3 ] || skip_all "no /usr/bin/python3"
PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8
export PYTHONDONTWRITEBYTECODE PYTHONIOENCODING
data=$tests_dir/../data/rt-hist
hist=$top/scripts/rt-hist

exits 0 "$hist" merge "$data/result.json" "$data/result.json" "$data/samples-result.json" -o three.json
says '^wrote three\.json: 2501 samples of 3 runs$'
exits 0 "$hist" show three.json
says 'merged of 3 runs'
says '^CPU 2 +2000 +-0\.150 +5\.0 +8\.3 +16\.5 +20\.1$'
says '^CPU 0 +300 '
says '< 0 +6 '
check "all sources are named" [ "$(grep -c '"file":' three.json)" = 3 ]
check "what they do not share is null" grep -q '"kernel":null' three.json

# merged documents can be merged, and name the first sources
exits 0 "$hist" merge three.json "$data/result.json" -o four.json
check "four sources" [ "$(grep -c '"file":' four.json)" = 4 ]
exits 0 "$hist" show four.json
says '^CPU 2 +3000 '

# rows of 1 us and log-linear ones are not mixed, nor ends at different places
exits 0 "$hist" merge "$data/peer.json" "$data/samples-result.json" -o mixed.json
exits 0 "$hist" show mixed.json
says '^CPU 0, log-linear +300 |CPU 0 +300 '
check "rows are named" grep -q '"name":"CPU 0, rows of 1 µs' mixed.json
check "and so are log-linear ones" grep -q '"name":"CPU 0, log-linear"' mixed.json

"$hist" merge "$data/result.json" | "$hist" show - >piped.txt
check "merge writes to a pipe" grep -q '^CPU 2 *1000 ' piped.txt
exits 1 "$hist" merge "$data/result.json" -o /absent/x.json
warns '/absent/x\.json: cannot be written: No such file'

# ---- export
exits 0 "$hist" export --format=csv "$data/result.json"
says '^file,tool,kind,series,cpu,low_ns,high_ns,count$'
says ',wakeup,T0,2,,0,3$'
says ',wakeup,T0,2,4096,4128,900$'
check "the rows add up" [ "$(awk -F, 'NR > 1 { sum += $8 } END { print sum }' "$T/.out")" = 1000 ]

exits 0 "$hist" export --format=hgrm "$data/histofall.txt"
says '^ +Value +Percentile +TotalCount 1/\(1-Percentile\)$'
says '^ +1448\.000 1\.000000000000 +19964$'
says '^#\[Max +=  *1448\.000, Total count +=  *19964\]$'
check "values and counts only rise" awk '$4 ~ /^[0-9.]+$/ { if ($1 < v || $3 < n) exit 1; v = $1; n = $3 }' "$T/.out"
refuses 2 'kinds irq, wakeup' "$hist" export --format=hgrm "$data/rtla-timerlat.txt"
exits 0 "$hist" export --format=hgrm --kind=irq --cpu=1 "$data/rtla-timerlat.txt"
says 'Total count += +2964\]$'

exits 0 "$hist" export --format=openmetrics "$data/peer.json" "$data/result.json"
says '^# UNIT rtgauge_latency_seconds seconds$'
says '_bucket\{.*cpu="1",le="2e-05"\} [1-9][0-9]*$'
says '_bucket\{.*cpu="1",le="\+Inf"\} 500$'
says '^rtgauge_latency_max_seconds\{.*cpu="1"\} 0\.000208$'
check "early samples forbid a sum" [ "$(grep -c '_sum{' "$T/.out")" = 2 ]
check "it ends as it should" [ "$(tail -n 1 "$T/.out")" = "# EOF" ]
cp "$T/.out" metrics.txt
if /usr/bin/python3 -c 'import prometheus_client' 2>/dev/null; then
	exits 0 /usr/bin/python3 -c "from prometheus_client.openmetrics.parser import text_string_to_metric_families as p
print(len(list(p(open('metrics.txt').read()))))"
	says '^3$'
else
	skip "the parser of prometheus_client is not here"
fi
refuses 1 'no samples of that CPU' "$hist" export --format=csv --cpu=77 "$data/result.json"
refuses 2 'format' "$hist" export "$data/result.json"
done_testing
