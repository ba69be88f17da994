#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# completions - completion of a tool for a shell, from the tool's own option table
#
#     cyclictest --help=table | completions.sh cyclictest bash|zsh|fish >FILE
#
# bash completes names, not letters: who types letters is faster alone. A value
# that is called FILE or COMMAND is completed as such.

usage='usage: TOOL --help=table | completions.sh TOOL bash|zsh|fish'
tool=${1:?$usage}
shell=${2:?$usage}

# What all three ask of a row. Fields: letter, name, type, value, may the value be
# left out, least, greatest, default, visible, help.
rows='
NF != 10 {
	printf "completions.sh: %s: line %d is no row of an option table\n", tool, NR >"/dev/stderr"
	failed = 1
	exit 1
}
END {
	if (failed || NR == 0)
		exit 1
}

function takes_value() { return $4 != "-" }
function may_lack_value() { return $5 == "yes" }
# what a value is: "file", "command", "other"
function kind() { return $4 ~ /FILE|PATH/ ? "file" : $4 ~ /COMMAND/ ? "command" : "other" }
'

bash_of='
# "-c|--clock": what stands before the value
function pattern() {
	if ($1 == "-")
		return "--" $2
	return $2 == "-" ? "-" $1 : "-" $1 "|--" $2
}
function add(list, word) { return list == "" ? word : list " " word }
function alternative(list, word) { return list == "" ? word : list "|" word }

$9 == "visible" {
	if ($2 != "-")
		words = add(words, "--" $2 (takes_value() && !may_lack_value() ? "=" : ""))
	if (takes_value() && (kind() != "other" || !may_lack_value()))
		patterns[kind()] = alternative(patterns[kind()], pattern())
}

END {
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
	if (patterns["file"] != "") {
		print "\t" patterns["file"] ")"
		print "\t\tcompopt -o filenames"
		print "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")"
		print "\t\treturn ;;"
	}
	if (patterns["command"] != "") {
		print "\t" patterns["command"] ")"
		print "\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$cur\")"
		print "\t\treturn ;;"
	}
	if (patterns["other"] != "")
		print "\t" patterns["other"] ")\n\t\treturn ;;"
	print "\tesac"
	print "\t[[ $cur == -* ]] || return"
	print "\tmapfile -t COMPREPLY < <(compgen -W \"" words "\" -- \"$cur\")"
	print "\t[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace"
	print "\treturn 0"
	print "}"
	print "complete -F _rtgauge_" name " " tool
}'

zsh_of='
# Words of _arguments: each option names the other form that it excludes.
BEGIN {
	print "#compdef " tool
	print "_arguments -s -S \\"
}
function escaped(text) {
	gsub(/\\/, "\\\\\\\\", text)
	gsub(/\[|\]|:/, "\\\\&", text)
	gsub(quote, quote "\\" quote quote, text)
	return text
}
function action() {
	return kind() == "file" ? "_files" : kind() == "command" ? "_command_names -e" : ""
}
function word(option, both) {
	value = takes_value() ? (may_lack_value() ? "::" : ":") escaped($4) ":" action() : ""
	print "\t" quote both option "[" escaped($10) "]" value quote " \\"
}
$9 == "visible" {
	both = $1 != "-" && $2 != "-" ? "(-" $1 " --" $2 ")" : ""
	if ($1 != "-")
		word("-" $1 (!takes_value() ? "" : may_lack_value() ? "-" : "+"), both)
	if ($2 != "-")
		word("--" $2 (!takes_value() ? "" : may_lack_value() ? "=-" : "="), both)
}
END { print "\t" quote "*::word: " quote }
'

fish_of='
BEGIN { print "complete -c " tool " -f" }
function escaped(text) {
	gsub(/\\/, "\\\\\\\\", text)
	gsub(quote, "\\" quote, text)
	return quote text quote
}
$9 == "visible" {
	line = "complete -c " tool
	if ($1 != "-")
		line = line " -s " escaped($1)
	if ($2 != "-")
		line = line " -l " $2
	if (kind() == "file")
		line = line " -F"
	else if (kind() == "command")
		line = line " -a " escaped("(__fish_complete_command)")
	if (takes_value() && !may_lack_value())
		line = line " -r"
	print line " -d " escaped($10)
}'

case $shell in
bash) program=$bash_of ;;
zsh) program=$zsh_of ;;
fish) program=$fish_of ;;
*) echo "completions.sh: '$shell': bash, zsh or fish" >&2; exit 2 ;;
esac
awk -F '\t' -v tool="$tool" -v quote="'" "$rows$program"
