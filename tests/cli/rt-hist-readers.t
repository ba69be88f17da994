#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# rt-hist: samples files, oslat, hwlatdetect and rtla; logs with several documents; cut files.

. "${0%/*}/tap.sh"

[ -x /usr/bin/python3 ] || skip_all "no /usr/bin/python3"
PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8
export PYTHONDONTWRITEBYTECODE PYTHONIOENCODING
data=$tests_dir/../data/rt-hist
hist=$top/scripts/rt-hist

# the same run as samples and as histogram: the same counts, bucket for bucket
"$hist" show "$data/samples.bin" | sed -n '/latency (/,$p' >from-samples
"$hist" show "$data/samples-result.json" | sed -n '/latency (/,$p' >from-result
check "samples give the histogram of the result" cmp from-samples from-result
check "and there is one" grep -q '^CPU 0 ' from-samples
head -c 2500 "$data/samples.bin" >growing.bin
exits 0 "$hist" show growing.bin
says 'last block is not whole'
says '^CPU 0 '
head -c 30 "$data/samples.bin" >head.bin
refuses 1 'ends within the header' "$hist" show head.bin
sed 's/BLK1/BLKX/' "$data/samples.bin" >broken.bin
refuses 1 'broken\.bin: byte [0-9]+: .*expected a block, BLK1' "$hist" show broken.bin

# a row of oslat is called by its upper end; the last one has all that lies above
exits 0 "$hist" show "$data/oslat.txt" "$data/oslat-zero.txt"
says '^from +31 +168 '
says '^CPU 1 +28741950 +0 +1\.0 +0 +0 +696$'
says '^CPU 0 +28493538 +0 .* 1328$'
says '^CPU 1 +28354909 +0 .* 600$'
exits 0 "$hist" show "$data/oslat.json" "$data/oslat-ns.json"
says '^CPU 1 +28680053 +0 +1\.0 .* 127$'
says '^ *0 - 0\.500 29020730 '
says '^CPU 1 +29022094 +0\.029 +1\.1 .* 111\.4$'
sed 's/28492220 28353565/28492220/' "$data/oslat-zero.txt" >ragged.txt
refuses 1 'ragged\.txt, line 4: 1 counts; expected 2' "$hist" show ragged.txt

exits 0 "$hist" show "$data/hwlatdetect.txt" "$data/hwlat-report.txt"
says '^CPU 0 +3 +724 .* 3479$'
says '^CPU 1 +3 +791 .* 4032$'
says 'the windows had 3659 gaps'
printf 'hwlatdetect:  test duration 6 seconds\nSamples recorded: 0\n' >clean.txt
refuses 1 'found no gap' "$hist" show clean.txt
sed 's/inner:655/inner:/' "$data/hwlat-report.txt" >bad.txt
refuses 1 'bad\.txt, line 2: .*is no sample' "$hist" show bad.txt

# interrupt and thread of one CPU are kinds of their own
exits 0 "$hist" show "$data/rtla-timerlat.txt"
says '^irq:$'
says '^wakeup:$'
says '^CPU 1 +2964 +49 +130\.0 .* 6312$'
says '^from +4000 +3 '
lacks 'do not add up'
exits 0 "$hist" show "$data/rtla-osnoise.txt"
says '^CPU 0 +3051 +5 '
says 'summary lines are missing'
sed 's/^count: .*/count: 1 2 3 4/' "$data/rtla-timerlat.txt" >wrong.txt
exits 0 "$hist" show wrong.txt
says 'do not add up'
sed 's/^100 .*/100 1 2 3/' "$data/rtla-timerlat.txt" >short.txt
refuses 1 'short\.txt, line 6: .*expected 4 numbers' "$hist" show short.txt

# a log: words, a document, words, a text histogram, and a document that ends too early
{
	echo 'starting {container}'
	cat "$data/result.json"
	echo 'done'
	cat "$data/sparse.txt"
	head -c -900 "$data/samples-result.json"
} >log.txt
exits 0 "$hist" show log.txt
check "three runs are shown" [ "$(grep -c '(bars: ' "$T/.out")" = 3 ]
says '^CPU 2 +1000 '
says '^thread 1 +1000 '
says 'the document is cut: read as far as it is whole'
done_testing
