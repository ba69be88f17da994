# SPDX-License-Identifier: GPL-2.0-or-later
#
# json - claims about documents, behind tap.sh.

PYTHON=${PYTHON:-/usr/bin/python3}
have "$PYTHON" || PYTHON=

# value FILE EXPRESSION: of the JSON document d
value() {
	"$PYTHON" -c 'import json,sys; d = json.load(open(sys.argv[1])); print(eval("(" + sys.argv[2] + ")"))' "$1" "$2" 2>&1
}
# holds NAME FILE EXPRESSION: it is true
holds() {
	if [ -z "$PYTHON" ]; then skip "no python3 to read JSON: $1"; return; fi
	check "$1" [ "$(value "$2" "$3")" = True ]
}
