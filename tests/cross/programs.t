#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs that were built for another machine, run there or under emulation: they are
# whole, and measure. $RT_BIN is their folder. hrtimer-test, ssdd and the deadline tools
# want what QEMU's emulator for programs has not.

. "${0%/*}/../cli/tap.sh"

version=$(sed -n 's/.*RT_VERSION "\(.*\)"/\1/p' "$top/src/include/rt/options.h")
for program in "$RT_BIN"/*; do
	name=${program##*/}
	prints "$name [Vv] ?$version" "$name" --version
	exits 0 "$name" --help=table
	check "$name: has options" [ "$(wc -l <"$T/.out")" -ge 3 ]
done

counted() { /usr/bin/python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["series"][0]["counts"]["samples"])' "$T/json"; }
exits 0 cyclictest -q -l 50 --policy=other
if has_json && [ -x /usr/bin/python3 ]; then
	run cyclictest -q -l 50 --policy=other --result="$T/json"
	check "cyclictest: 50 samples" [ "$status:$(counted)" = 0:50 ]
	check "cyclictest: this year" grep -q "\"started\": *\"$(date +%Y)-" "$T/json"
else
	skip "there is no json-c in it, or no python3 here, for a result"
fi
for name in sigwaittest pmqtest ptsematest svsematest; do
	exits 0 "$name" -q -l 20 -i 500
done
exits 0 svsematest -q -f -l 20 -i 500
exits 0 hackbench -g 1 -l 5
exits 0 hackbench -g 1 -l 5 -T
exits 0 signaltest -q -l 20
exits 0 oslat -q -D 1 -c 1
if can_rt; then
	exits 0 cyclictest -q -S -p 80 -l 20
	case $RT_BIN in
	*/s390x/run) skip "pi_stress: the kernel writes a PI futex in its own byte order" ;;
	*) exits 0 pi_stress -q -g 1 -i 20 ;;
	esac
	exits 0 rt-migrate-test -q -l 2
else
	skip "no right to real-time priority"
fi
done_testing
