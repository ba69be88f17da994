#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The --result of every program follows share/rtgauge-result-1.schema.json. What was
# measured does not matter here, so the runs are short, at ordinary priority, and many
# at once.

. "${0%/*}/tap.sh"

[ -x /usr/bin/python3 ] || skip_all "no /usr/bin/python3"
have make && [ -f "$top/Makefile" ] || skip_all "no make, or no makefile to ask for the programs"
has_json || skip_all "built without json-c (JSON=0)"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
schema=$top/share/rtgauge-result-1.schema.json
valid() { run /usr/bin/python3 "$tests_dir/validate.py" "$schema" "$@"; [ "$status" = 0 ]; }

words_for() {
	case $1 in
	cyclictest) echo "-t2 -l 50 -q --limit=1000000" ;;
	cyclicdeadline) echo "-t1 -i 4000 -D 1 -q" ;;
	deadline_test) echo "-t 1 -i 10000 -s 500" ;;
	sigwaittest | pmqtest | ptsematest | svsematest) echo "-t1 -l 50 -q" ;;
	pairtest) echo "--via=futex -l 50 -q" ;;
	signaltest) echo "-t2 -l 50 -q" ;;
	pi_stress) echo "-D 1 -g 1 -q" ;;
	oslat) echo "-c 0 -D 1 -q" ;;
	hwlatdetect) echo "--user --duration=1 --threshold=50 --quiet" ;;
	queuelat) echo "-m 100s -c 300 -p 0.001 -t 100ms" ;;
	hrtimer-test) echo "-c monotonic -i 1ms -l 5 -q" ;;
	rt-migrate-test) echo "-l 2 -q" ;;
	ssdd) echo "-f 1 -i 5 -q" ;;
	hackbench) echo "-g 1 -l 5" ;;
	irqsoff | preemptoff) echo "-D 1" ;;
	pip_stress) ;; # has no --result
	*) echo unknown ;;
	esac
}

one() { # shellcheck disable=SC2046
	timeout -s KILL 60 "$1" $(words_for "$1") --result="$1.json" >"$1.out" 2>&1; echo $? >"$1.status"
}

for tool in $(make -s -C "$top" list-tools); do
	case $(words_for "$tool") in
	'') continue ;;
	unknown) fail "words_for has no line for $tool"; continue ;;
	esac
	one "$tool" &
	echo "$tool" >>tools
done
wait
while read -r tool; do
	if [ -s "$tool.json" ]; then
		check "$tool follows the schema" valid "$tool.json"
	elif [ "$(cat "$tool.status")" = 4 ]; then
		skip "$tool cannot run here: $(head -n 1 "$tool.out")"
	else
		fail "$tool wrote a result"; sed 's/^/# /' "$tool.out"
	fi
done <tools

# merged documents do, too; and the check can fail
data=$tests_dir/../data/rt-hist
"$top/scripts/rt-hist" merge "$data/peer.json" "$data/result.json" "$data/samples-result.json" >merged.json
check "a merged document follows the schema" valid merged.json
refused() { # NAME SED-SCRIPT WORD
	sed "$2" "$data/samples-result.json" >bad.json
	run /usr/bin/python3 "$tests_dir/validate.py" "$schema" bad.json
	check "$1 is found" [ "$status" = 1 ]
	says "$3"
}
refused "a wrong schema" 's,result/1,result/2,' "schema: 'rtgauge-result/2' should be rtgauge-result/1"
refused "a missing member" '/"clock"/d' "'clock' is missing"
refused "a wrong type" 's/"cpu":1/"cpu":"1"/' 'series\[1\]\.cpu: .* should be integer or null'
refused "a wrong count" 's/"samples":300/"samples":301/' '301 samples, but 300 in the buckets'
done_testing
