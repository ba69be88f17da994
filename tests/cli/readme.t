#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# readme - the goals, variables and files that the documents name are there.

. "${0%/*}/tap.sh"

[ -f "$top/Makefile" ] && [ -f "$top/README.md" ] || skip_all "no source tree"
none() { if [ -z "$2" ]; then pass "$1"; else fail "$1"; note "wrong:" $2; fi; }
documents=$(cd "$top" && ls ./*.md packaging/*.md packaging/*/*.md tests/*/README.md)

# goals FILE: each NAME of "make NAME NAME" in its code: in backticks and in blocks
goals() {
	{ grep -oE '`[^`]*`' "$1"; awk '/^```/ { code = !code; next } code || /^    /' "$1"; } |
		sed 's,[A-Za-z-]*/[^ ]*,/,g' |
		grep -oE '(^|[^a-z])make( -[A-Za-z0-9]+)*( [a-z][a-z-]*)+' | sed 's/.*make //' | tr ' ' '\n' |
		grep -E '^[a-z][a-z-]*$' | sort -u
}
known() { grep -qE "^([a-z-]+ )*$1( [a-z-]+)*:" "$top/Makefile" || [ -d "$top/src/$1" ]; }
for file in $documents; do
	missing=
	for goal in $(goals "$top/$file"); do known "$goal" || missing="$missing $goal"; done
	none "the goals that $file names exist" "$missing"
done
printf 'Say `make -j2 wonders`.\n\n    sudo make install # and make nothing: else\n' >other.md
check "goals are found" [ "$(goals other.md | tr '\n' ' ')" = 'install nothing wonders ' ]
check "and those that are not there" sh -c '! grep -qE "^([a-z-]+ )*wonders( [a-z-]+)*:" "$0"' "$top/Makefile"

missing=
for goal in $(sed -n 's/^## make  *\([a-z][a-z-]*\)  .*/\1/p; s/^## make  *\([a-z-]*\), \([a-z-]*\)  .*/\1 \2/p' "$top/Makefile"); do
	known "$goal" || missing="$missing $goal"
done
none "the goals of make help exist" "$missing"

# the README's table of variables: each is used in the makefile, by make, or by the compiler's flags
missing=
for name in $(sed -n '/^| variable/,/^$/s/^| \([^|]*\)|.*/\1/p' "$top/README.md" | grep -oE '`[A-Z][A-Z_0-9]*' | tr -d '`' | sort -u); do
	grep -qE "\\$\\($name\\)|\\$\\(filter [^)]*\\$\\($name|^$name " "$top/Makefile" || missing="$missing $name"
done
none "the README's variables exist" "$missing"

# places of the README's last table
missing=
for place in $(sed -n '/^| place/,/^$/s/^| \([^|]*\)|.*/\1/p' "$top/README.md" | sed 1d | tr -d ',' | tr ' ' '\n' | grep -E '^[a-z]'); do
	case $place in src/TOOL) continue ;; esac
	[ -e "$top/$place" ] || missing="$missing $place"
done
none "the README's places exist" "$missing"
done_testing
