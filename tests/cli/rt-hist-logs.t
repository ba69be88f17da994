#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# rt-hist: logs of containers, as a kubelet writes them and as kubectl logs prints them.

. "${0%/*}/tap.sh"

[ -x /usr/bin/python3 ] || skip_all "no /usr/bin/python3"
PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8
export PYTHONDONTWRITEBYTECODE PYTHONIOENCODING
data=$tests_dir/../data/rt-hist
hist=$top/scripts/rt-hist
stamp=2026-01-01T00:00:00.123456789Z

# merged FILE...: where the samples of its merge come from, file and count, a line each
merged() {
	"$hist" merge "$@" 2>.err | sed -n 's/^ *{"file":"\([^"]*\)".*"samples":\([0-9]*\).*/\1 \2/p'
}
# gives NAME LINES FILE...: the sources are these
gives() {
	name=$1 wanted=$2; shift 2
	merged "$@" >.sources
	if [ "$(cat .sources)" = "$wanted" ]; then pass "$name"
	else fail "$name"; note "$(head -n 5 .sources) $(head -n 3 .err)"; fi
}
# cri STREAM: each line as a kubelet keeps it; pieces: cut into pieces of 100 bytes
cri() { sed "s/^/$stamp $1 F /"; }
pieces() { fold -w 100 | awk -v s="$stamp" '{ if (length($0) == 100) print s, "stdout P", $0; else print s, "stdout F", $0 }'; }
# words: what the programs write to stderr beside their documents
words() {
	echo '# /dev/cpu_dma_latency set to 0us'
	printf 'T: 0 (  17) P:90 I:1000 C:   1000 Min:      3 Act:    5 Avg:    5 Max:      20\n'
	printf '    001 (us):\t 28492220 28353565\n     Minimum:\t 0 0 (us)\n'
}
# between TEXT FILE: a line of TEXT after each line of FILE, as long as there is one
between() { awk -v other="$1" '{ print } (getline line <other) > 0 { print line }' "$2"; }

cri stdout <"$data/result.json" >cri.log
gives "a kubelet's file" 'cri.log 1000' cri.log
cat "$data/result.json" "$data/samples-result.json" | cri stdout >two.log
gives "with two documents" "$(printf 'two.log 1000\ntwo.log 501')" two.log
pieces <"$data/samples-result.json" >pieces.log
check "long lines are in pieces" grep -q ' stdout P ' pieces.log
gives "they are put together" 'pieces.log 501' pieces.log
words | cri stderr >words.log
between words.log pieces.log >both.log
check "stderr stands within lines of the document" [ "$(grep -n -m 1 stderr both.log | cut -d : -f 1)" = 2 ]
gives "stderr is left out" 'both.log 501' both.log
refuses 1 'neither a JSON document' "$hist" merge words.log
gives "from standard input" 'standard input 501' - <both.log

# kubectl logs: plain, with times, with the names of pods
gives "a file as it is" "$data/result.json 1000" "$data/result.json"
sed "s/^/$stamp /" "$data/result.json" >times.log
gives "with times" 'times.log 1000' times.log
sed 's,^,[pod/rtgauge-b/oslat] ,' "$data/result.json" >b.log
sed 's,^,[pod/rtgauge-a/cyclictest] ,' "$data/samples-result.json" >a.log
between b.log a.log >prefix.log
gives "of two pods whose lines alternate" \
	"$(printf 'prefix.log, pod/rtgauge-a/cyclictest 501\nprefix.log, pod/rtgauge-b/oslat 1000')" prefix.log
sed "s,^\(\[[^]]*\] \),\1$stamp ," prefix.log >stamped.log
gives "and with times" "$(sed s/prefix/stamped/ .sources)" stamped.log

# other output between the lines of a document
words >other
between other "$data/result.json" >mixed.log
gives "lines of other output in a document" 'mixed.log 1000' mixed.log
exits 0 "$hist" show mixed.log
says 'lines of other output stood in the document'
cat mixed.log "$data/result.json" >more.log
gives "and a whole document behind it" "$(printf 'more.log 1000\nmore.log 1000')" more.log
{ cat "$data/result.json"; head -c 300 "$data/result.json"; } >killed.log
gives "a document that a killed run has only begun" 'killed.log 1000' killed.log
exits 0 "$hist" show killed.log
says 'left out: killed.log, line [0-9]+: the document is cut before its series'
head -c 300 "$data/result.json" >begun.log
refuses 1 'begun.log.*cut before its series' "$hist" show begun.log
sed 's/"samples"/"sam\nsudden words\nples"/' "$data/result.json" >torn.log
exits 1 "$hist" show torn.log
warns '^rt-hist: torn\.log'
lacks Traceback
done_testing
