#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# rt-hist plot: the other pictures. Their texts are read, their looks are not.

. "${0%/*}/tap.sh"

[ -x /usr/bin/python3 ] || skip_all "no /usr/bin/python3"
/usr/bin/python3 -c 'import matplotlib' 2>/dev/null || skip_all "matplotlib is not here"
PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8
export PYTHONDONTWRITEBYTECODE PYTHONIOENCODING
data=$tests_dir/../data/rt-hist
hist=$top/scripts/rt-hist

has() { check "$1 says '$2'" grep -q -- ">$2<" "$1"; }

exits 0 "$hist" plot --cdf -o cdf.svg "$data/peer.json"
has cdf.svg 'samples up to it (%)'
has cdf.svg '.*more behind the right edge.*'

exits 0 "$hist" plot --percentiles -o percentiles.svg "$data/result.json" "$data/rtla-timerlat.txt"
has percentiles.svg '99.9 %'
has percentiles.svg 'percentile of the samples'
check "interrupt and thread are told apart" grep -q 'rtla-timerlat.txt IRQ-001' percentiles.svg

# 128 CPUs: every row is drawn, not every one is named
sed '/"series"/q' "$data/samples-result.json" >many.json
row=$(grep -m1 '"name":"thread 0"' "$data/samples-result.json" | sed 's/,$//')
cpu=0
while [ $cpu -lt 128 ]; do
	printf '%s,\n' "$row" | sed "s/\"cpu\":0/\"cpu\":$cpu/"
	cpu=$((cpu + 1))
done | sed '$s/,$/]}/' >>many.json
exits 0 "$hist" plot --heatmap -o heat.svg many.json
has heat.svg 'samples in a bin'
has heat.svg 'CPU 120'
check "not every row has a name" [ "$(grep -c '>CPU [0-9]*<' heat.svg)" -le 16 ]

exits 0 "$hist" plot --over-time -o time.svg "$data/samples.bin"
has time.svg 'CPU 1.*max.*'
has time.svg 'time from the first sample (s); spans of .* ms'
exits 0 "$hist" plot --over-time -o gaps.svg "$data/hwlat-report.txt"
has gaps.svg 'CPU 0.*max 3479.*'

refuses 1 'needs a --samples file' "$hist" plot --over-time -o none.svg "$data/peer.json"
check "and leaves nothing" [ ! -e none.svg ]
refuses 2 'not allowed with' "$hist" plot --cdf --heatmap "$data/peer.json"
done_testing
