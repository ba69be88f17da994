#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cyclictest-output - what it prints, by its form and its counts: programs match
# these lines character by character.
. "${0%/*}/tap.sh"
. "$tests_dir/cyclictest.sh"
T_LIMIT=20
tab=$(printf '\t')

# shape: the last output with each number replaced, each kind of line once
shape() { sed -e 's/[0-9][0-9.]*/9/g' -e 's/  */ /g' -e 's/( 9)/(9)/' -e 's/: *9/:9/g' "$T/.out" | uniq; }

# shaped NAME: the last output has the shape that stdin tells
shaped() {
	sed 's/: *9/:9/g' >"$T/all"
	if can_dma; then cp "$T/all" "$T/wanted"; else grep -v cpu_dma_latency "$T/all" >"$T/wanted"; fi
	shape >"$T/shape"
	check "$1: status 0" [ "$status" = 0 ]
	check "$1: the layout" cmp -s "$T/wanted" "$T/shape"
	cmp -s "$T/wanted" "$T/shape" || diff "$T/wanted" "$T/shape" | sed 's/^/# /'
}

# ---- status lines ------------------------------------------------------------------------
run cyclictest -q -t2 -l 20
shaped quiet <<'END'
# /dev/cpu_dma_latency set to 9us
T: 9 (9) P: 9 I:9 C: 9 Min: 9 Act: 9 Avg: 9 Max: 9
END
check "quiet: widths" [ "$(lines "$LINE")" = 2 ]
check "-l ends the run with the first thread" [ "$(field C 1)" = 20 ]
check "the slower thread has done fewer" [ "$(field C 2)" -lt 20 ]
check "min <= avg <= max" [ "$(field Min)" -le "$(field Avg)" -a "$(field Avg)" -le "$(field Max)" ]
run cyclictest -q -N -l 20
check "-N: widths" [ "$status:$(lines "$NLINE")" = 0:1 ]
check "-N: the minimum is a real one" [ "$(field Min)" -le "$(field Act)" ]
run cyclictest -t2 -l 20
shaped 'no terminal' <<'END'
# /dev/cpu_dma_latency set to 9us
T: 9 (9) P: 9 I:9 C: 9 Min: 9 Act: 9 Avg: 9 Max: 9
END
esc=$(printf '\033')
lacks "$esc"
run cyclictest -M -l 300
check "-M: lines while it runs" [ "$(lines "$LINE")" -ge 2 ]
lacks "$esc"
run cyclictest -q --latency=20 -l 2
if can_dma; then
	says '^# /dev/cpu_dma_latency set to 20us$'
else
	skip "no right to write /dev/cpu_dma_latency: --latency"
fi
for quiet in --laptop --default-system; do
	run cyclictest -q $quiet -l 2
	lacks '/dev/cpu_dma_latency'
	warns '^cyclictest: warning: not setting cpu_dma_latency'
done
if can_rt; then
	run cyclictest -q -t3 --priospread -p 5 -l 2
	check "--priospread: one lower each" [ "$(sed -n 's/.* P:\(..\).*/\1/p' "$T/.out" | tr '\n' .)" = ' 5. 4. 3.' ]
	run cyclictest -q -t3 --policy=rr -l 2
	warns 'defaulting realtime priority to 4$'
	check "the default priority" [ "$(sed -n 's/.* P:\(..\).*/\1/p' "$T/.out" | tr '\n' .)" = ' 4. 4. 4.' ]
	run cyclictest -q -p 3 --policy=other -l 2
	warns "policy and priority don't match: setting policy to SCHED_FIFO"
else
	skip "no right to real-time priorities"
fi
if have script; then
	script -qec 'cyclictest -t2 -D 300ms' /dev/null >"$T/.out" 2>"$T/.err" </dev/null
	tr -d '\r' <"$T/.out" >live
	check "terminal: the block is redrawn" grep -q "^$esc\[4Apolicy: other/other: loadavg: " live
	check "terminal: ten blanks behind the load" grep -Eq '^(.\[4A)?policy: .* [0-9]+/[0-9]+ [0-9]+ {10}' live
	check "terminal: the first block has no cycles" \
		[ "$(grep -c ' C:      0 Min:1000000 Act:    0 Avg:    0 Max:       0$' live)" -ge 2 ]
	check "terminal: all blocks have both threads" [ $(($(grep -c '^T:' live) % 2)) = 0 ]
	script -qec 'cyclictest -q -t2 -l 20' /dev/null >"$T/.out" 2>"$T/.err" </dev/null
	lacks "$esc"
	script -qec 'cyclictest -M -l 20' /dev/null >"$T/.out" 2>"$T/.err" </dev/null
	says ' C:     20 '
else
	skip "no script(1) for a terminal"
fi

# ---- histogram -----------------------------------------------------------------------------
# row N [SUM]: sums of the rows' columns, and whether SUM is the sum of the others
columns() { sed -n "s/^[0-9]\{6\} //p" "$T/.out" | awk -v c="$1" '{ sub(/^0+/, "", $c); s += $c } END { print s + 0 }'; }
word() { sed -n "s/^# $1: *//p" "$T/.out" | awk -v c="$2" '{ sub(/^0+/, "", $c); print $c + 0 }'; }

run cyclictest -q -h 1000000 -t2 -l 100
shaped '-h' <<END
# /dev/cpu_dma_latency set to 9us
# Histogram
9 9${tab}9
# Total: 9 9
# Min Latencies: 9 9
# Avg Latencies: 9 9
# Max Latencies: 9 9
# Histogram Overflows: 9 9
# Histogram Overflow at cycle number:
# Thread 9:$(printf ' ')

END
check "-h: only rows with samples" [ "$(grep -Ec "^[0-9]{6} 000000${tab}000000$" "$T/.out")" = 0 ]
check "-h: all other rows" [ "$(lines "[0-9]{6} [0-9]{6}${tab}[0-9]{6}")" = "$(grep -c '^[0-9]' "$T/.out")" ]
check "-h: same intervals, the first has 100" [ "$(columns 1)" = 100 -o "$(columns 2)" = 100 ]
check "-h: Total is the sum, thread 0" [ "$(word Total 1)" = "$(columns 1)" ]
check "-h: Total is the sum, thread 1" [ "$(word Total 2)" = "$(columns 2)" ]
check "-h: nine digits" [ "$(lines '# Total: [0-9]{9} [0-9]{9}')" = 1 ]
check "-h: first row is the minimum, last the maximum" [ \
	"$(grep '^[0-9]' "$T/.out" | awk '{ sub(/^0+/, "", $1) } $2 > 0 { if (!n++) print $1; l = $1 } END { print l }' | tr '\n' ' ')" = \
	"$(word 'Min Latencies' 1) $(word 'Max Latencies' 1) " ]
for line in 'Min Latencies' 'Avg Latencies' 'Max Latencies' 'Histogram Overflows'; do
	check "-h: $line has five digits" [ "$(lines "# $line:( [0-9]{5,}){2}")" = 1 ]
done

run cyclictest -q -H 1000000 -t2 -l 50
check "-H: rows end with their sum" awk -F '[ \t]' '/^[0-9]/ && $4 != $2 + $3 { exit 1 }' "$T/.out"
check "-H: Total ends with the sum over all" [ "$(word Total 3)" = $(($(columns 1) + $(columns 2))) ]
check "-H: Max and Overflows have one more" [ "$(lines '# (Max Latencies|Histogram Overflows):( [0-9]{5,}){3}')" = 2 ]
check "-H: Min and Avg have not" [ "$(lines '# (Min|Avg) Latencies:( [0-9]{5,}){2}')" = 2 ]
run cyclictest -q -H 1000000 -l 5
check "-H, one thread: rows have a sum" [ "$(lines "[0-9]{6} [0-9]{6}${tab}[0-9]{6}")" -ge 1 ]
check "-H, one thread: the lines have no total" [ "$(lines '# (Max Latencies|Histogram Overflows):( [0-9]{5,})')" = 2 ]
run cyclictest -q -H 50 -h 1000000 -l 5
check "-H -h: the last one counts" [ "$(lines "[0-9]{6} [0-9]{6}")" -ge 1 ]
run cyclictest -q -h 20 --zero-rows -t2 -l 5
check "--zero-rows: all of them" [ "$(lines "[0-9]{6} [0-9]{6}${tab}[0-9]{6}")" = 20 ]

run cyclictest -q -N -h 1 -l 5
check "overflow: none in the rows" [ "$(word Total 1)" = 0 ]
check "overflow: all counted" [ "$(word 'Histogram Overflows' 1)" = 5 ]
says '^# Thread 0: 00000 # 00004 others$'
run cyclictest -q -N -h 5 -l 5
says '^# Thread 0: 00000 00001 00002 00003 00004$'
run cyclictest -h 1000000 -l 5
check "-h, not quiet: status lines too" [ "$(lines "$LINE")" = 1 ]
says '^# Histogram$'

# ---- percentiles ---------------------------------------------------------------------------
run cyclictest -q --percentiles -t2 -l 50
check "--percentiles: six lines, two columns" \
	[ "$(lines '# P(50|90|99|99\.9|99\.99|99\.999):( [0-9]{5,}){2}')" = 6 ]
check "--percentiles: they rise" awk '/^# P/ { if ($3 < last) exit 1; last = $3 }' "$T/.out"
run cyclictest -q --percentiles -H 1000000 -t2 -l 50
check "--percentiles -H: the overall last" [ "$(lines '# P[0-9.]+:( [0-9]{5,}){3}')" = 6 ]
check "--percentiles -h: behind the overflows" [ "$(sed -n '/^# Thread 1:/{n;p}' "$T/.out" | cut -c1-6)" = '# P50:' ]

# ---- verbose -------------------------------------------------------------------------------
run cyclictest -v -t2 -l 30
shaped '-v' <<'END'
Max CPUs = 9
Online CPUs = 9
# /dev/cpu_dma_latency set to 9us
Thread 9 Interval: 9
 9: 9: 9
END
says '^Thread 0 Interval: 1000$'
says '^Thread 1 Interval: 1500$'
check "-v: widths" [ "$(lines ' {7}[01]:[ 0-9]{8}:[ 0-9]{8,}')" = "$(grep -Ec '^ +[01]: +[0-9]+: +[0-9]+$' "$T/.out")" ]
check "-v: each cycle of thread 0, from 0, in order" [ "$(grep '^ *0:' "$T/.out" | awk -F: '{ print $2 + 0 }' | tr '\n' ' ')" = "$(seq -s ' ' 0 29) " ]
run cyclictest -v -q -l 20 -N
check "-v -q: the status line behind the values" [ "$(tail -n 1 "$T/.out" | grep -Ecx "$NLINE")" = 1 ]
check "-v: the largest value is the maximum" [ "$(awk -F: '/^ +0:/ && $3 + 0 > m { m = $3 + 0 } END { print m }' "$T/.out")" = "$(field Max)" ]
check "-v: the smallest value is the minimum" [ "$(awk -F: '/^ +0:/ && (!n++ || $3 + 0 < m) { m = $3 + 0 } END { print m }' "$T/.out")" = "$(field Min)" ]
check "-v: the last value is Act" [ "$(awk -F: '/^ +0:/ { m = $3 + 0 } END { print m }' "$T/.out")" = "$(field Act)" ]
check "-v: their mean is Avg" [ "$(awk -F: '/^ +0:/ { n++; s += $3 } END { print int(s / n) }' "$T/.out")" = "$(field Avg)" ]
run cyclictest -v -l 60 -o 10
check "-o 10: a tenth of the values" [ "$(grep -Ec '^ +0:' "$T/.out")" = 6 ]
run cyclictest -v -q -l 2000 -i 50
check "-v: all values, also the last" [ "$(grep -Ec '^ +0:' "$T/.out")" = 2000 ]
run cyclictest -v -b 1 -N -l 100
check "-v -b: the value that broke is there" [ "$(grep -Ec '^ +0: +0:' "$T/.out")" = 1 ]
run cyclictest -v -t2 -a 0 -l 2
says '^Using 1 cpus\.$'
says '^Thread 0 using cpu 0\.$'
says '^Thread 1 using cpu 0\.$'
# A reader that is late: what the ring can't hold is told, not made up.
mkfifo slow
fast=; if can_rt; then fast='-p 1'; fi
(sleep 1.5; cat >late) <slow &
reader=$!
cyclictest -v $fast -i 20 -l 30000 >slow 2>"$T/.err"
status=$?
wait $reader
cp late "$T/.out"
got=$(grep -Ec '^ +0:' late)
lost=$(sed -n 's/.*thread 0: \([0-9]*\) values were lost.*/\1/p' "$T/.err")
check "-v into a late pipe: lost values are counted" [ "$status:$((got + ${lost:-0}))" = 0:30000 ]

# ---- spikes and breaks ------------------------------------------------------------------------
run cyclictest -q -N -t2 --spike=1 -l 5
shaped '--spike' <<'END'
# /dev/cpu_dma_latency set to 9us
T: 9 (9) P: 9 I:9 C: 9 Min: 9 Act: 9 Avg: 9 Max: 9

T: 9 Spike: 9: TS: 9
spikes = 9

END
spikes=$(sed -n 's/^spikes = //p' "$T/.out")
check "--spike: each sample is one" [ "$spikes" = $(($(field C 1) + $(field C 2))) ]
check "--spike: each is listed" [ "$(lines 'T: [01] Spike:[ 0-9]{8,}: TS: [ 0-9]{12,}')" = "$spikes" ]
run cyclictest -q -N --spike=1 --spike-nodes=2 -l 5
check "--spike-nodes: two are listed" [ "$(lines 'T: 0 Spike:.*')" = 2 ]
says '^spikes = 5$'
run cyclictest -q -N --spike-nodes=2 --spike=1 -l 5
check "--spike-nodes before --spike" [ "$(lines 'T: 0 Spike:.*')" = 2 ]
run cyclictest -q --spike=1000s -l 5
lacks 'pike'
run cyclictest -q -b 1000s -l 5
shaped '-b, not passed' <<'END'
# /dev/cpu_dma_latency set to 9us
T: 9 (9) P: 9 I:9 C: 9 Min: 9 Act: 9 Avg: 9 Max: 9
# Thread Ids: 9
END
run cyclictest -q -N -t2 -b 1 -l 1000
shaped '-b' <<'END'
# /dev/cpu_dma_latency set to 9us
T: 9 (9) P: 9 I:9 C: 9 Min: 9 Act: 9 Avg: 9 Max: 9
# Thread Ids: 9 9
# Break thread: 9
# Break value: 9
END
check "-b: five digits each" [ "$(lines '# Thread Ids:( [0-9]{5,}){2}')" = 1 ]
breaker=$(sed -n 's/^# Break thread: //p' "$T/.out")
value=$(sed -n 's/^# Break value: //p' "$T/.out")
check "-b: the thread is one of ours" grep -Eq "^T: . \\( *$breaker\\)" "$T/.out"
check "-b: the value is its latency" [ "$(grep "($(printf %5d "$breaker"))" "$T/.out" | sed 's/.*Max: *//')" -ge "$value" ]
check "-b: the run has ended" [ "$(field C)" -lt 1000 ]

# ---- clock resolution ----------------------------------------------------------------------------
run cyclictest -q -R -v -l 2
warns '^WARN: reported clock resolution: [0-9]+ nsec$'
warns '^WARN: measured clock resolution approximately: [0-9]+ nsec$'
check "-R: the run goes on" [ "$(lines "$LINE")" = 1 ]
run cyclictest -q -R --dbg_cyclictest -l 2
warns '^INFO: For [0-9]+ consecutive calls to clock_gettime\(\):$'
check "-R: a line for each reading" [ "$(grep -Ec '^INFO: [0-9]+\.[0-9]{9} ' "$T/.err")" = \
	"$(sed -n 's/^INFO: For \([0-9]*\) .*/\1/p' "$T/.err")" ]
done_testing
