#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# pairtests-options - what the hand-over tests refuse, before anything is touched.
. "${0%/*}/tap.sh"
T_LIMIT=20

for tool in sigwaittest pmqtest ptsematest svsematest pairtest; do
	via=; [ $tool != pairtest ] || via=--via=futex
	for value in 0 -5 abc 5m '' 2000s; do refuses 2 '--interval: ' $tool $via -i "$value"; done
	for value in -700 abc 1x ''; do refuses 2 '--distance: ' $tool $via -d "$value"; done
	for value in abc -1 1.5 ''; do refuses 2 '--loops: ' $tool $via -l "$value"; done
	for value in abc -3 5x ''; do refuses 2 '--duration: ' $tool $via -D "$value"; done
	for value in 100 -1 abc ''; do refuses 2 '--priority: ' $tool $via -p "$value"; done
	for value in abc -1 500ns 1e3; do refuses 2 '--breaktrace: ' $tool $via -b "$value"; done
	for value in abc -2 99999; do refuses 2 '--threads: ' $tool $via --threads="$value"; done
	for value in abc 1, 5-2 -1; do refuses 2 '--affinity: ' $tool $via --affinity="$value"; done
	refuses 2 '--affinity: CPU 4999 does not exist' $tool $via -a 4999
	refuses 2 '--sender-affinity: ' $tool $via --sender-affinity=abc
	for value in 0 abc 500ns; do refuses 2 '--limit: ' $tool $via --limit="$value"; done
	refuses 2 '--checkpoint: needs' $tool $via --checkpoint=1
	refuses 2 'only one document' $tool $via --json=- --result=-
	refuses 2 '--samples: needs a file' $tool $via --samples=-
	refuses 2 "'--bogus'" $tool $via --bogus
	refuses 1 "'/proc/nowhere/x'" $tool $via -l 1 --json=/proc/nowhere/x
	refuses 1 "'/proc/nowhere/x'" $tool $via -l 1 --result=/proc/nowhere/x
	prints "$tool V 3\.00" $tool --version
	prints "[Uu]sage: $tool .*" $tool -h
done
refuses 2 '--forcetimeout: .* --timeout' pmqtest -f 1
for value in abc -1 5x; do
	refuses 2 '--timeout: ' pmqtest -T "$value"
	refuses 2 '--forcetimeout: ' pmqtest -T 1 -f "$value"
done
for tool in sigwaittest svsematest; do refuses 2 "'-r'" $tool -fr0; done
refuses 2 "'-f'" ptsematest -f
refuses 2 'give --via=MECHANISM' pairtest -l 1
refuses 2 '--via: .* is no mechanism' pairtest --via=tcp
done_testing
