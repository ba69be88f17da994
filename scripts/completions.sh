#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# completions - bash completion of a tool, from its own option table
#
#     cyclictest --help=table | completions.sh cyclictest >FILE
#
# Names are completed, not letters: who types letters is faster alone. A value
# that is called FILE or COMMAND is completed as such.

tool=${1:?usage: TOOL --help=table | completions.sh TOOL}

awk -F '\t' -v tool="$tool" '
NF != 10 {
	printf "completions.sh: %s: line %d is no row of an option table\n", tool, NR >"/dev/stderr"
	failed = 1
	exit 1
}

# "-c|--clock": what stands before the value
function pattern() {
	if ($1 == "-")
		return "--" $2
	return $2 == "-" ? "-" $1 : "-" $1 "|--" $2
}
function add(list, word) { return list == "" ? word : list " " word }
function alternative(list, word) { return list == "" ? word : list "|" word }

$9 == "visible" {
	takes_value = $4 != "-"
	if ($2 != "-")
		words = add(words, "--" $2 (takes_value && $5 == "no" ? "=" : ""))
	if (!takes_value)
		next
	if ($4 ~ /FILE|PATH/)
		files = alternative(files, pattern())
	else if ($4 ~ /COMMAND/)
		commands = alternative(commands, pattern())
	else if ($5 == "no")
		others = alternative(others, pattern())
}

END {
	if (failed || NR == 0)
		exit 1
	name = tool
	gsub(/[^A-Za-z0-9]/, "_", name)
	print "# bash completion of " tool
	print "_rtgauge_" name "() {"
	print "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}"
	print ""
	print "\t# bash takes --name=value for three words"
	print "\tif [[ $cur == \"=\" ]]; then"
	print "\t\tcur="
	print "\telif [[ $prev == \"=\" ]]; then"
	print "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}"
	print "\tfi"
	print "\tCOMPREPLY=()"
	print "\tcase $prev in"
	if (files != "") {
		print "\t" files ")"
		print "\t\tcompopt -o filenames"
		print "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")"
		print "\t\treturn ;;"
	}
	if (commands != "") {
		print "\t" commands ")"
		print "\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$cur\")"
		print "\t\treturn ;;"
	}
	if (others != "")
		print "\t" others ")\n\t\treturn ;;"
	print "\tesac"
	print "\t[[ $cur == -* ]] || return"
	print "\tmapfile -t COMPREPLY < <(compgen -W \"" words "\" -- \"$cur\")"
	print "\t[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace"
	print "\treturn 0"
	print "}"
	print "complete -F _rtgauge_" name " " tool
}'
