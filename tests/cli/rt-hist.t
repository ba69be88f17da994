#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# rt-hist: every format read, both views, and what it refuses.

. "${0%/*}/tap.sh"

[ -x /usr/bin/python3 ] || skip_all "no /usr/bin/python3"
PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8
export PYTHONDONTWRITEBYTECODE PYTHONIOENCODING
data=$tests_dir/../data/rt-hist
hist=$top/scripts/rt-hist

# ---- show: counts, and the table of each format
exits 0 "$hist" show "$data/result.json"
says '^cyclictest on Linux 6\.12\.30-rt \(PREEMPT_RT, x86_64\)$'
says "'--result=a b\.json'"
says '< 0 +3 '
says '^CPU 2 +1000 +-0\.150 +5\.0 +8\.3 +16\.5 +20\.1$'
says '^CPU 3 +0 +- +- +- +- +-$'
says '^all +1000 '

exits 0 "$hist" show "$data/sparse.txt"
says '^thread 0 +1000 +9 +[0-9.]+ '
exits 0 "$hist" show "$data/peer.json"
says '^CPU 0 +500 +9 +26\.1 .* 71$'
says '^CPU 1 +500 +15 +25\.2 .* 208$'
says '^from +72 +1 '

# 959 + 41 overflows and 990 + 10: the full rows and the Total line add nothing
exits 0 "$hist" show "$data/full-rows.txt"
says '^thread 0 +1000 +7 '
says '^thread 1 +1000 +12 '

# the sum over the threads is no thread
exits 0 "$hist" show "$data/histofall.txt"
says '^thread 1 +9976 +4 +8\.0 .* 1448$'
says '^all +19964 '
lacks '^thread 2'

exits 0 "$hist" show "$data/cut.txt"
says 'summary lines are missing'
exits 0 "$hist" show --unit ns "$data/sparse.txt"
says '^latency \(ns\)'

# several documents in one file, and two files
cat "$data/result.json" "$data/peer.json" >stream.json
exits 0 "$hist" show stream.json "$data/sparse.txt"
check "three runs are shown" [ "$(grep -c '^latency (' "$T/.out")" = 3 ]

"$hist" show - <"$data/sparse.txt" >piped.txt
"$hist" show "$data/sparse.txt" >named.txt
check "standard input reads as a file does" cmp -s piped.txt named.txt
cat "$data/sparse.txt" | "$hist" show >bare.txt
check "a pipe without FILE, too" cmp -s bare.txt named.txt
"$hist" export --format=csv <"$data/sparse.txt" >bare.csv
"$hist" export --format=csv - <"$data/sparse.txt" | cmp -s - bare.csv
check "and with other commands" [ $? = 0 ]
run env PYTHONIOENCODING=ascii "$hist" show "$data/peer.json"
check "an ASCII terminal gets ASCII" sh -c "! LC_ALL=C grep -q '[^ -~]' '$T/.out' && grep -q '##' '$T/.out'"
widest=$(COLUMNS=60 "$hist" show "$data/sparse.txt" | wc -L)
check "no line is wider than the terminal ($widest)" [ "$widest" -le 60 ]

# the unit is the body's: one far sample does not make it milliseconds
sed 's/\[20096,20224,1\]/[25165824,25296896,1]/; s/"max": 20100/"max": 25200000/' "$data/result.json" >far.json
exits 0 "$hist" show far.json
says '^CPU 2 +1000 .* 25200$'
says '\(µs\)$'

# what was measured differently is not added up, and two series of one CPU are told apart
sed 's/"name": "T1", "kind": "wakeup", "cpu": 3/"name": "T1", "kind": "blocking", "cpu": 2/' "$data/result.json" >kinds.json
exits 0 "$hist" show kinds.json
says '^wakeup:$'
says '^blocking:$'
says '^no samples$'
lacks '^all '
sed 's/"cpu": 3/"cpu": 2/' "$data/result.json" >shared.json
exits 0 "$hist" show shared.json
says '^T0 +1000 '

# ---- refusals: status, what was wrong
refuses 2 'COMMAND' "$hist"
refuses 2 "'paint'" "$hist" paint x
# /dev/null, a closed one, a terminal: nothing is waiting there
refuses 2 "show: which FILE\? '-' is standard input" "$hist" show
refuses 2 'merge: which FILE' "$hist" merge
run sh -c "\"$hist\" plot <&-"
check "a closed stdin: status 2" [ "$status" = 2 ]
warns 'plot: which FILE'
if have script; then
	run script -qec "\"$hist\" show" /dev/null
	check "a terminal: status 2" [ "$status" = 2 ]
	says 'show: which FILE'
else
	skip "a terminal: script is not here"
fi
refuses 2 'FILE' "$hist" html -o page.html
refuses 2 "\.png, \.svg or \.pdf" "$hist" plot -o picture.bmp "$data/peer.json"
refuses 2 "'5q'" "$hist" plot --max 5q "$data/peer.json"
refuses 2 'only once' "$hist" show - -
refuses 1 'absent\.json: cannot be read: No such file' "$hist" show absent.json
printf '{ "a": 1,\n"b" 2 }' >broken.json
refuses 1 'cut before its series' "$hist" show "$data/cut.json"
refuses 1 'line 2: not JSON' "$hist" show broken.json
refuses 1 'thread 0 has no histogram' "$hist" show "$data/no-histogram.json"
echo '{ "a": 1 }' >other.json
refuses 1 'rtgauge-result/1' "$hist" show other.json
echo 'hello' >hello.txt
refuses 1 'histogram rows' "$hist" show hello.txt
: >empty.txt
refuses 1 'is empty' "$hist" show empty.txt
printf '000001 000001\t000001\n000002 000001\n' >ragged.txt
refuses 1 'ragged\.txt, line 2: 1 counts; expected 2' "$hist" show ragged.txt
sed 's/\[4096,4128,900\]/[4096,900]/' "$data/result.json" >bucket.json
refuses 1 'series "T0" should be \[low, high, count\]' "$hist" show bucket.json
sed 's,result/1,result/9,' "$data/result.json" >schema.json
refuses 1 'rtgauge-result/9 is not known' "$hist" show schema.json
prints 'usage: .*' "$hist" --help
prints 'rt-hist V .+' "$hist" --version

# ---- the man page has every option of every command
page=$top/man/rt-hist.1
for command in show plot compare merge export html; do
	"$hist" $command --help | grep -oE '^  (-[a-z], )?--[a-z-]+|, --[a-z-]+' | grep -oE -- '--[a-z-]+'
done | sort -u >options
while read -r option; do
	check "man page: $option" grep -q -- "$(printf '%s' "$option" | sed 's/-/\\\\-/g')" "$page"
done <options
check "there are some" [ "$(wc -l <options)" -ge 4 ]

# ---- plot
mkdir -p shadow/matplotlib
echo 'raise ImportError("hidden by the test")' >shadow/matplotlib/__init__.py
refuses 4 'python3-matplotlib' env PYTHONPATH="$T/shadow" "$hist" plot "$data/peer.json"
if /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
	exits 0 "$hist" plot "$data/result.json"
	check "the picture has the file's name, here" [ -s result.png ]
	check "it is a PNG" [ "$(dd if=result.png bs=1 skip=1 count=3 2>/dev/null)" = PNG ]
	exits 0 "$hist" plot -o two.svg "$data/sparse.txt" "$data/peer.json"
	check "the SVG names lines, axis and what is off it" sh -c \
		"grep -q 'sparse.txt thread 1' two.svg && grep -q 'peer.json CPU 1' two.svg && grep -q 'samples per 1 µs' two.svg && grep -q '72 µs or more' two.svg"
	exits 0 "$hist" plot --max 30us -o cropped.svg "$data/sparse.txt"
	check "what --max cuts off is said" grep -q 'more behind the right edge' cropped.svg
	"$hist" plot - <"$data/peer.json" >/dev/null
	check "standard input goes to rt-hist.png" [ -s rt-hist.png ]
	exits 0 "$hist" plot -o again.svg "$data/sparse.txt" "$data/peer.json"
	check "the same data give the same bytes" cmp -s two.svg again.svg
	sed 's/\[20096,20224,1\]/[20097152,20113536,1]/' "$data/result.json" >far.json
	exits 0 "$hist" plot -o far.svg far.json
	check "a sample far behind the others has a panel of its own" grep -q 'coarser: samples per' far.svg
	check "one that is near has not" sh -c "! grep -q coarser two.svg"
	exits 0 "$hist" plot -o page.pdf "$data/histofall.txt"
	exits 1 "$hist" plot -o /absent/x.png "$data/peer.json"
	warns '/absent/x\.png: cannot be written: No such file'
else
	skip "plot: matplotlib is not here"
fi

# what cannot be written is a sentence, no traceback
run sh -c "\"$hist\" show \"$data/full-rows.txt\" >/dev/full"
check "a full stdout: status 1" [ "$status" = 1 ]
warns "^rt-hist: cannot use stdout: No space left on device$"
run sh -c "\"$hist\" show \"$data/full-rows.txt\" >&-"
check "a closed stdout: status 1" [ "$status" = 1 ]
warns "^rt-hist: cannot use stdout:"
lacks Traceback

done_testing
