#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tasks - more threads or processes than a limit allows are refused before one has begun.
. "${0%/*}/tap.sh"

have prlimit || skip_all "no prlimit(1)"
user=
if is_root; then
	have setpriv || skip_all "root has no such limit, and there is no setpriv"
	user='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all'
	chmod 755 "$T"
fi

for command in 'cyclictest -q -t 1000' 'cyclicdeadline -t 1000' 'deadline_test -t 1000' \
	'signaltest -t 1000' 'sigwaittest -t 500' 'svsematest --fork -t 500' \
	'pi_stress -g 400' 'hackbench -g 10' 'hackbench -T -g 10' 'ssdd -f 500'; do
	# shellcheck disable=SC2086 # a list of words
	refuses 4 "[0-9]+ (threads|processes) cannot be had: RLIMIT_NPROC \('ulimit -u'\) is 200, and it counts" \
		$user prlimit --nproc=200 $command
done
done_testing
