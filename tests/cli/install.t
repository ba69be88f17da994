#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make install and uninstall, staged into a folder with blanks in its name; make dist.

. "${0%/*}/tap.sh"

have make && [ -f "$top/Makefile" ] || skip_all "no make or no source tree"
T_LIMIT=300
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
stage="$T/a staged  tree"

# The make that runs the tests may have been asked for goals or jobs of its own.
install_to() { goal=$1; shift; run make -s -C "$top" "$goal" DESTDIR="$stage" prefix=/usr "$@"; }
listing() { (cd "$stage" && find . ! -type d | sort); }

install_to install
check "make install ends well" [ "$status" = 0 ]
for program in $(make -s -C "$top" list-tools) rt-hist; do
	check "$program is there and may be run" [ -x "$stage/usr/bin/$program" ]
done
for program in $(make -s -C "$top" list-tools); do
	check "$program has its completions" [ -s "$stage/usr/share/bash-completion/completions/$program" ]
done
check "the Python package is there" [ -f "$stage/usr/share/rtgauge/rthist/main.py" ]
for page in "$top"/man/*.[1-8]; do
	[ -f "$page" ] || continue
	name=${page##*/}
	check "man page $name is there" cmp -s "$page" "$stage/usr/share/man/man${name##*.}/$name"
done
check "nothing but programs may be run" \
	[ -z "$(find "$stage" -type f -perm /111 ! -path '*/usr/bin/*')" ]
check "all may read what is installed" [ -z "$(find "$stage" -type f ! -perm -444)" ]
check "no byte code is installed" [ -z "$(find "$stage" -name '*.pyc')" ]
check "nothing lies outside of the prefix" [ "$(ls "$stage")" = usr ]

prints 'cyclictest V 3\.00' "$stage/usr/bin/cyclictest" --version
if [ -x /usr/bin/python3 ]; then
	prints 'rt-hist V 3\.00' "$stage/usr/bin/rt-hist" --version
else
	skip "rt-hist: no /usr/bin/python3"
fi

listing >first
install_to install
listing >second
check "installing again changes nothing" cmp -s first second

install_to uninstall
check "make uninstall ends well" [ "$status" = 0 ]
check "nothing is left" [ -z "$(listing)" ]
check "nor our folder" [ ! -e "$stage/usr/share/rtgauge" ]

install_to install COMPRESS_MAN=1 bindir=/opt/bin pkgdatadir=/opt/lib/rtgauge
check "folders can be chosen" [ -x "$stage/opt/bin/cyclictest" ]
check "man pages are compressed on request" [ -z "$(find "$stage" -name '*.[1-8]')" ]
find "$stage" -name '*.[1-8].gz' >pages
check "as many pages as before" [ "$(wc -l <pages)" = "$(grep -c '/man/man' first)" ]
while read -r page; do gzip -t "$page" || echo "$page"; done <pages >broken
check "they are whole" [ ! -s broken ]
if [ -x /usr/bin/python3 ]; then
	prints 'rt-hist V 3\.00' "$stage/opt/bin/rt-hist" --version
else
	skip "rt-hist: no /usr/bin/python3"
fi
install_to uninstall bindir=/opt/bin pkgdatadir=/opt/lib/rtgauge
check "nothing is left of that either" [ -z "$(listing)" ]

if have git && git -C "$top" rev-parse -q --verify HEAD >/dev/null 2>&1; then
	git -C "$top" archive --prefix=x/ HEAD | tar x
	check "a release has what it takes to build" [ -f x/Makefile ]
	check "and nothing that was built" [ ! -e x/build ]
else
	skip "make dist: not a git clone"
fi

done_testing
