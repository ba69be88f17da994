#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# manpages - a program and its man page name the same options: all that --help
# shows is in the page, and all that the page defines exists. Pages have no mistakes
# that man or mandoc can find, and lead to the overview, which leads to each.
. "${0%/*}/tap.sh"

have man || skip_all "there is no man(1)"
have make && [ -f "$top/Makefile" ] || skip_all "no make, or no makefile to ask for the programs"

# Lines of a page that define options begin with a dash; what stands behind two
# blanks on the same line is text, and deeper lines are text too.
defined() {
	MANWIDTH=200 man --nh --nj -l "$1" 2>/dev/null | col -bx |
		sed -n 's/^ \{1,10\}\(-.*\)/\1/p' | sed 's/   *.*//' |
		grep -oE -- '--[a-z0-9][a-z0-9_-]*' | sort -u
}

# names AWK-CONDITION: of the rows of the last --help=table, $9 being their visibility
names() { awk -F '\t' "\$2 != \"-\" && ($1) { print \"--\" \$2 }" "$T/.out" | sort -u; }

# none NAME LIST: the list of what is wrong is empty
none() { if [ -z "$2" ]; then pass "$1"; else fail "$1"; note "wrong:" $2; fi; }

compare() {
	names '$9 == "visible"' >shown
	names 1 >known
	defined "$page" >written
	check "man/$tool.8 defines options" [ -s written ]
	none "man/$tool.8 has all of --help" "$(comm -23 shown written)"
	none "man/$tool.8 has nothing that is no option" "$(comm -13 known written)"
}

for tool in $(make -s -C "$top" list-tools); do
	page=$top/man/$tool.8
	if [ ! -f "$page" ]; then
		fail "man/$tool.8 exists"
		continue
	fi
	exits 0 "$tool" --help=table
	compare
done

# ---- each page by itself -------------------------------------------------------------
# Of mandoc's remarks those of level "style" are left: all are "input text line longer than
# 80 bytes", since a sentence stands on a line of its own, up to 100 columns as in the code.
# A page that only sends to another (.so) has nothing to lint: the other has to be there.
for section in 1 5 7 8; do mkdir -p "man$section" && cp "$top"/man/*."$section" "man$section"; done
for page in man?/*; do
	name=${page#*/}
	if grep -q '^\.so ' "$page"; then
		check "$name sends to a page that is there" [ -f "$(sed -n 's/^\.so //p' "$page")" ]
		continue
	fi
	run man --warnings -E UTF-8 -l -Tutf8 -Z "$page"
	check "$name: man warns of nothing" [ ! -s .err ]
	if have mandoc; then
		run mandoc -T lint -W warning "$page"
		check "$name: nor does mandoc" [ ! -s .out ]
	else
		skip "$name: no mandoc here (package mandoc)"
	fi
	check "$name leads to the overview" grep -qE '^\.(BR|TH) (rtgauge \(7\)|RTGAUGE 7)' "$page"
done
missing=
for page in man?/*; do
	name=${page#*/}
	plain=$(sed 's/\\-/-/g' man7/rtgauge.7 | grep -cF ".BR ${name%.*} (${name##*.})")
	[ "$plain" -gt 0 ] || [ "$name" = rtgauge.7 ] || missing="$missing $name"
done
none "rtgauge(7) leads to every page" "$missing"

# Who looks for a program begins with the README.
missing=
for page in "$top"/man/*.[18]; do
	name=${page##*/}
	grep -qE "^\|.*(^|[^a-z_-])${name%.*}([^a-z_-]|$)" "$top/README.md" || missing="$missing ${name%.*}"
done
none "README.md names every program" "$missing"
done_testing
