#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# rt-hist html, and the shells' completions.

. "${0%/*}/tap.sh"

[ -x /usr/bin/python3 ] || skip_all "no /usr/bin/python3"
PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8
export PYTHONDONTWRITEBYTECODE PYTHONIOENCODING
data=$tests_dir/../data/rt-hist
hist=$top/scripts/rt-hist

for shell in bash zsh fish; do
	exits 0 env PYTHONPATH="$top/scripts" /usr/bin/python3 -m rthist.completions $shell
	says 'fail-if-worse'
	cp "$T/.out" "for-$shell"
done
if have bash; then
	# completed WORD...: what bash offers for the last word
	completed() {
		bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }
			_rtgauge_rt_hist; echo "${COMPREPLY[@]}"' sh ./for-bash "$@"
	}
	check "a command is completed" [ "$(completed rt-hist me)" = merge ]
	check "an option of a command" [ "$(completed rt-hist compare --fa)" = --fail-if-worse= ]
	check "a value of an option" [ "$(completed rt-hist export --format = h)" = hgrm ]
	check "a file" [ "$(completed rt-hist show for-z)" = for-zsh ]
	check "no option of another command" [ -z "$(completed rt-hist show --fa)" ]
else
	skip "no bash"
fi
refuses 2 'output' "$hist" html "$data/peer.json"
if ! /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
	skip "html: matplotlib is not here"
	done_testing
fi

sed 's/"verdict": null/"verdict": {"limit_ns": 100000, "passed": true, "value_ns": 169000, "series": "<thread 1>"}/' \
	"$data/samples-result.json" >limit.json
exits 0 "$hist" html "$data/peer.json" -- limit.json "$data/samples.bin" -o page.html
check "it is a page" grep -q '^<!DOCTYPE html>' page.html
check "it has the comparison" grep -q '<h2>Comparison' page.html
check "the limit, with what must be escaped" grep -q '169 µs passed the limit of 100 µs, of &lt;thread 1&gt;' page.html
check "a picture a view" [ "$(grep -c '<figure><svg' page.html)" = 8 ]
check "percentiles of each series" grep -q '<th scope="col">p99.99</th>' page.html
check "it loads nothing" sh -c "! grep -Eq '(src|href)=.(https?:|//|[a-z])|@import|url\(h' page.html"
check "no id is there twice" [ -z "$(grep -o ' id="[^"]*"' page.html | sort | uniq -d)" ]
grep -o 'xlink:href="#[^"]*"\|url(#[^)]*)' page.html | sed 's/.*#//; s/[")]//g' | sort -u >wanted
grep -o ' id="[^"]*"' page.html | cut -d '"' -f 2 | sort -u >there
check "what pictures refer to is there" [ -s wanted -a -z "$(comm -23 wanted there)" ]
check "the page is well formed" /usr/bin/python3 -c "
import html.parser
class P(html.parser.HTMLParser):
    open = []
    def handle_starttag(self, tag, attrs):
        if tag not in ('meta', 'br'): self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
p = P(); p.feed(open('page.html', encoding='utf-8').read()); assert not p.open"
done_testing
