# SPDX-License-Identifier: GPL-2.0-or-later
#
# tap - claims about programs, for the command-line tests. POSIX sh, so that the
# same tests run on a development machine and in a guest that has busybox only.
#
#     . "${0%/*}/tap.sh"
#     refuses 2 'interval' cyclictest -i 0
#     done_testing
#
# A failed claim prints what the program said. Programs are taken from $RT_BIN,
# the top of the tree by default; each test file works in a folder of its own,
# which is removed at its end.

LC_ALL=C
export LC_ALL
tests_dir=$(cd "${0%/*}" && pwd)
top=$(cd "$tests_dir/../.." && pwd)
RT_BIN=${RT_BIN:-$top}
PATH=$RT_BIN:$top/scripts:$PATH
export PATH

T_COUNT=0
T_FAILED=0
T=$(mktemp -d) || exit 1
trap 'cd /; rm -rf "$T"' EXIT
trap 'exit 129' HUP INT TERM
cd "$T" || exit 1

# pass NAME, fail NAME: one TAP line
pass() { T_COUNT=$((T_COUNT + 1)); echo "ok $T_COUNT - $*"; }
fail() { T_COUNT=$((T_COUNT + 1)); T_FAILED=$((T_FAILED + 1)); echo "not ok $T_COUNT - $*"; }

# skip WHY: one counted test that could not be made
skip() { T_COUNT=$((T_COUNT + 1)); echo "ok $T_COUNT # SKIP $*"; }

# skip_all WHY: nothing in this file can be tested here
skip_all() { echo "1..0 # SKIP $*"; exit 0; }

# note TEXT: a comment in the output
note() { printf '# %s\n' "$*"; }

# what the last program said, as TAP comments
show() {
	note "status $status; stdout:"; head -n 30 "$T/.out" | sed 's/^/#   /'
	note "stderr:"; head -n 30 "$T/.err" | sed 's/^/#   /'
}

# has_json: are the programs built with json-c (not with JSON=0)? asks_for_json COMMAND...: does
# it have an option that needs that?
has_json() {
	[ -n "${T_JSON:-}" ] || T_JSON=$(cyclictest --help 2>&1 | grep -c 'JSON=0')
	[ "$T_JSON" = 0 ]
}
if_json() { if has_json; then echo "$*"; fi; } # OPTION...: these, if they can be had
asks_for_json() {
	case $1 in rt-hist | rt-top | */rt-hist | */rt-top) return 1 ;; esac
	for asked; do
		case $asked in *--json* | *--result* | *--samples* | *--checkpoint*) return 0 ;; esac
	done
	return 1
}

# may_run COMMAND...: false for what asks a build without json-c for a document; claims are
# counted skips then, up to the next program
may_run() {
	unmade=
	if asks_for_json "$@" && ! has_json; then
		unmade='built without json-c (JSON=0)'
		status=77
		: >"$T/.out" >"$T/.err"
		return 1
	fi
}

# run COMMAND...: keep its stdout, stderr and status; at most 60 seconds
run() { if may_run "$@"; then run_anyway "$@"; fi; }
run_anyway() {
	unmade=
	timeout -s KILL "${T_LIMIT:-60}" "$@" >"$T/.out" 2>"$T/.err" </dev/null
	status=$?
}

# unmade NAME: skip a claim about a program that was not run
unmade=
unmade() {
	[ -n "$unmade" ] || return
	T_COUNT=$((T_COUNT + 1))
	echo "ok $T_COUNT - $* # SKIP $unmade"
}

# check NAME TEST...: is this true? Shows what the last program said if not
check() {
	name=$1; shift
	if unmade "$name"; then return; fi
	if "$@"; then pass "$name"; else fail "$name"; show; fi
}

# exits STATUS COMMAND...: it ends with that status
exits() {
	want=$1; shift
	run "$@"
	if unmade "$*"; then return; fi
	if [ "$status" = "$want" ]; then pass "exit $want: $*"; else fail "exit $want: $*"; show; fi
}

# refuses STATUS WORD COMMAND...: ends with STATUS, one or two lines on stderr
# with WORD (an extended regular expression) in them, nothing on stdout
refuses() {
	want=$1 word=$2; shift 2
	if [ "$want" = 2 ]; then run_anyway "$@"; else run "$@"; fi # bad usage comes first
	if unmade "$*"; then return; fi
	lines=$(wc -l <"$T/.err")
	if [ "$status" = "$want" ] && [ ! -s "$T/.out" ] && [ "$lines" -ge 1 ] && [ "$lines" -le 2 ] &&
	   grep -Eq -- "$word" "$T/.err"; then
		pass "refused ($want, $word): $*"
	else
		fail "refused ($want, $word): $*"; show
	fi
}

# prints REGEX COMMAND...: good status, and a line of stdout matches the whole REGEX
prints() {
	word=$1; shift
	run "$@"
	if unmade "$*"; then return; fi
	if [ "$status" = 0 ] && grep -Eqx -- "$word" "$T/.out"; then pass "prints '$word': $*"
	else fail "prints '$word': $*"; show; fi
}

# says REGEX, warns REGEX: the last program's stdout or stderr has such a line; lacks: has not
says() { check "says '$1'" grep -Eq -- "$1" "$T/.out"; }
warns() { check "warns '$1'" grep -Eq -- "$1" "$T/.err"; }
lacks() { check "lacks '$1'" is_without "$1"; }
is_without() { ! grep -Eq -- "$1" "$T/.out" "$T/.err"; }

# restores PATH COMMAND...: the file's content, or the folder's listing, is as before
restores() {
	path=$1; shift
	before=$(state_of "$path")
	run "$@"
	if unmade "$*"; then return; fi
	after=$(state_of "$path")
	if [ "$before" = "$after" ]; then pass "leaves $path as it was: $*"
	else fail "leaves $path as it was: $*"; note "before: $before"; note "after: $after"; show; fi
}
state_of() { if [ -d "$1" ]; then ls -lAn "$1" | sed 1d; else cat "$1" 2>&1; fi; }

# value FILE EXPRESSION: of the JSON document d, read by $PYTHON
value() { "$PYTHON" -c 'import json,sys; d = json.load(open(sys.argv[1])); print(eval("(" + sys.argv[2] + ")"))' "$1" "$2"; }

# holds NAME FILE EXPRESSION: it is true of the JSON document d
holds() {
	has_json || unmade='built without json-c (JSON=0)'
	if unmade "$1"; then return; fi
	if ! have "${PYTHON:-}"; then skip "no python3 to read JSON: $1"; return; fi
	check "$1" [ "$(value "$2" "$3" 2>&1)" = True ]
}

# have PROGRAM: is it there?
have() { command -v "$1" >/dev/null 2>&1; }

# has_tsan: are the programs built with the thread sanitizer? Its own locks spin, and at
# several real-time priorities on one CPU the spinner can keep the owner from running.
has_tsan() { case $RT_BIN in */thread/*) return 0 ;; *) return 1 ;; esac; }

is_root() { [ "$(id -u)" = 0 ]; }

# can_rt: may this process run threads at real-time priority?
can_rt() { have chrt && chrt -f 1 true 2>/dev/null; }

# can_lock: may this process lock all of its memory?
can_lock() { is_root || [ "$(ulimit -l)" = unlimited ]; }

# complaints: what the last stderr has besides the warnings that an ordinary user gets
complaints() {
	grep -v -e 'cannot keep the CPUs from sleeping deeply: /dev/cpu_dma_latency' \
		-e 'warning: memory is not locked: RLIMIT_MEMLOCK' "$T/.err"
}

# as_user COMMAND...: without rights (needs root and setpriv)
as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$@"; }

# waits_until SECONDS TEST...: poll ten times a second
waits_until() {
	tries=$(($1 * 10)); shift
	while [ $tries -gt 0 ]; do
		"$@" && return 0
		sleep 0.1
		tries=$((tries - 1))
	done
	return 1
}

# takes_signals PID: it waits for SIGINT and SIGTERM. Before, a program that was started in
# the background ignores SIGINT, or dies of SIGTERM.
takes_signals() { grep -q '^SigCgt:.*[4-7c-f].\{5\}$' "/proc/$1/status" 2>/dev/null; }

# holds_back PID DIGITS: its first thread blocks the signals of one of these digits, the
# third from the end of SigBlk: 2 is SIGUSR1, 8 SIGUSR2
holds_back() { grep -q "^SigBlk:.*[$2]..\$" "/proc/$1/status" 2>/dev/null; }

done_testing() {
	echo "1..$T_COUNT"
	[ $T_FAILED = 0 ] || { note "$T_FAILED of $T_COUNT failed"; exit 1; }
	exit 0
}
