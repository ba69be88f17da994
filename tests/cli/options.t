#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# options - for every program and every option that takes a number: values that
# are none, or out of range, are refused before anything else happens, in one or
# two lines that name the option. What to try comes from --help=table. Texts and
# values that a tool reads itself are left to its own tests.
. "${0%/*}/tap.sh"

have make && [ -f "$top/Makefile" ] || skip_all "no make, or no makefile to ask for the programs"
T_LIMIT=10
LARGEST=9223372036854775807
tab=$(printf '\t')

# tries VALUE...: each as the value of $option of $tool
tries() {
	for value; do
		refuses 2 "^$tool: $label: " "$tool" "$option$equals$value"
	done
}

# both sides of the range; times are in nanoseconds there and need that unit
try_range() {
	unit=
	[ "$kind" != time ] || unit=ns
	if [ "$max" != $LARGEST ]; then tries "$((max + 1))$unit"; fi
	if [ "$min" -gt 0 ]; then tries "$((min - 1))$unit"; else tries "$((min - 1))"; fi
}

try_row() {
	if [ "$name" != - ]; then option=--$name equals='='; else option=-$letter equals=; fi
	label=$option
	[ "$seen" != hidden ] || label='--?[A-Za-z0-9_-]+' # an alias is told under its first name
	case $kind in
	int | time | span | size)
		tries 5x abc -- 1e3 0x10 5,5 99999999999999999999
		[ -z "$equals" ] || tries ''
		try_range ;;
	flag) [ -z "$equals" ] || [ "$name" = help ] || tries '' 1 ;;
	gone) tries 1 ;;
	esac
}

try_tool() {
	exits 0 "$tool" --help
	check "$tool --help says nothing on stderr" [ ! -s "$T/.err" ]
	exits 0 "$tool" --version
	refuses 2 "^$tool: '--no-such-option' " "$tool" --no-such-option
	exits 0 "$tool" --help=table
	cp "$T/.out" table
	check "$tool --help=table has rows of ten" awk -F '\t' 'NF != 10 { exit 1 } END { exit !NR }' table
	# No field is empty, so that it does no harm that read runs tabs together.
	while IFS=$tab read -r letter name kind arg optional min max default seen help; do
		try_row
	done <table
}

for tool in $(make -s -C "$top" list-tools); do
	try_tool
done
done_testing
