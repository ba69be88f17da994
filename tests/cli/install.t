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
[ "$status" = 0 ] || done_testing # all else would fail, too
tools=$(make -s -C "$top" list-tools)
scripts=$(make -s -C "$top" list-scripts)
for program in $tools $scripts; do
	check "$program is there and may be run" [ -x "$stage/usr/bin/$program" ]
done
# Whatever has a page in the man section of programs is a program, and the other way round.
for program in "$stage"/usr/bin/*; do
	name=${program##*/}
	set -- "$stage"/usr/share/man/man[18]/"$name".[18]
	check "$name has a man page" [ -f "$1" ]
done
for page in "$stage"/usr/share/man/man[18]/*; do
	name=${page##*/}
	check "${name%.*} is what the page $name is about" [ -x "$stage/usr/bin/${name%.*}" ]
done
# Scripts that are there for developers only; all others have to be installed.
for script in "$top"/scripts/*; do
	name=${script##*/}
	case $name in bootstrap | completions.sh | *.md | __pycache__) continue ;; esac
	if [ -d "$script" ]; then
		check "scripts/$name is installed" [ -d "$stage/usr/share/rtgauge/$name" ]
	else
		check "scripts/$name is installed" [ -x "$stage/usr/bin/$name" ]
	fi
done
share=$stage/usr/share
for program in $tools; do
	check "$program has its completions for bash" [ -s "$share/bash-completion/completions/$program" ]
	check "$program has its completions for zsh" [ -s "$share/zsh/site-functions/_$program" ]
	check "$program has its completions for fish" [ -s "$share/fish/vendor_completions.d/$program.fish" ]
done
# syntax SHELL FILES...: does it read them all?
syntax() {
	shell=$1; shift
	have "$shell" || { skip "completions for $shell: it is not here"; return; }
	for file; do $shell -n "$file" || echo "$file"; done >broken 2>&1
	check "$shell can read its completions" [ ! -s broken ]
}
syntax bash "$share"/bash-completion/completions/*
syntax zsh "$share"/zsh/site-functions/*
syntax fish "$share"/fish/vendor_completions.d/*
check "the Python package is there" [ -f "$stage/usr/share/rtgauge/rthist/main.py" ]
version=$(sed -n 's/^.define RT_VERSION "\(.*\)"/\1/p' "$top/src/include/rt/options.h")
check "the sources name a version" [ -n "$version" ]
for page in "$top"/man/*.[1-8]; do
	[ -f "$page" ] || continue
	name=${page##*/}
	installed=$stage/usr/share/man/man${name##*.}/$name
	sed '/^\.TH/d' "$page" >plain
	check "man page $name is there" sh -c "sed /^.TH/d '$installed' | cmp -s - plain"
	grep -q '^\.so' "$page" || check "and it names the version" grep -q "^\.TH.*\"rtgauge $version\"" "$installed"
done
check "nothing but programs may be run" \
	[ -z "$(find "$stage" -type f -perm /111 ! -path '*/usr/bin/*')" ]
check "all may read what is installed" [ -z "$(find "$stage" -type f ! -perm -444)" ]
check "no byte code is installed" [ -z "$(find "$stage" -name '*.pyc')" ]
check "nothing lies outside of the prefix" [ "$(ls "$stage")" = usr ]

prints "cyclictest V $version" "$stage/usr/bin/cyclictest" --version
if [ -x /usr/bin/python3 ]; then
	for program in $scripts; do prints "$program V $version" "$stage/usr/bin/$program" --version; done
else
	skip "Python programs: no /usr/bin/python3"
fi
check "the version is typed once" [ -z "$(grep -rlF "\"$version\"" "$top/src" "$top/scripts" --include='*.[ch]' --include='*.py' | grep -v 'src/include/rt/options\.h$')" ]

listing >first
install_to install
listing >second
check "installing again changes nothing" cmp -s first second

install_to uninstall
check "make uninstall ends well" [ "$status" = 0 ]
check "nothing is left" [ -z "$(listing)" ]
check "nor our folder" [ ! -e "$stage/usr/share/rtgauge" ]

# What needs Python can be left out, or be had alone.
install_to install-programs
for program in $scripts; do check "$program is not among the programs" [ ! -e "$stage/usr/bin/$program" ]; done
check "nothing of it needs Python" [ -z "$(grep -rl '^#!.*python' "$stage")" ]
listing >programs
install_to uninstall
install_to install-scripts
listing >scripts
check "the two halves are the whole" sh -c 'sort programs scripts | cmp -s - first'
install_to uninstall
check "nothing is left of the halves" [ -z "$(listing)" ]

install_to install SBIN_PROGRAMS=hwlatdetect
check "a program can go to sbin" [ -x "$stage/usr/sbin/hwlatdetect" ]
install_to uninstall SBIN_PROGRAMS=hwlatdetect
check "and is removed from there" [ -z "$(listing)" ]

install_to install COMPRESS_MAN=1 bindir=/opt/bin pkgdatadir=/opt/lib/rtgauge
check "folders can be chosen" [ -x "$stage/opt/bin/cyclictest" ]
check "man pages are compressed on request" [ -z "$(find "$stage" -name '*.[1-8]')" ]
find "$stage" -name '*.[1-8].gz' >pages
check "as many pages as before" [ "$(wc -l <pages)" = "$(grep -c '/man/man' first)" ]
while read -r page; do gzip -t "$page" || echo "$page"; done <pages >broken
check "they are whole" [ ! -s broken ]
if [ -x /usr/bin/python3 ]; then
	prints "rt-hist V $version" "$stage/opt/bin/rt-hist" --version
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

# Packages: what building them needs is named before anything is done.
mkdir few
for program in make sh env sed; do ln -s "$(command -v $program)" few/; done
for goal in deb:dpkg-buildpackage rpm:rpmbuild; do
	run env PATH="$T/few" make -s -C "$top" "${goal%:*}"
	check "make ${goal%:*} fails where it has not what it needs" [ "$status" = 2 ]
	warns "^make ${goal%:*} needs ${goal#*:}: install the package "
done

done_testing
