# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of cyclictest share, behind tap.sh.

LINE='T: ?[0-9]+ \([ 0-9]{5,}\) P:[ 0-9]{2} I:[0-9]+ C:[ 0-9]{7,} Min:[ 0-9]{7,} Act:[ 0-9]{5,} Avg:[ 0-9]{5,} Max:[ 0-9]{8,}'
NLINE='T: ?[0-9]+ \([ 0-9]{5,}\) P:[ 0-9]{2} I:[0-9]+ C:[ 0-9]{7,} Min:[ 0-9]{7,} Act:[ 0-9]{8,} Avg:[ 0-9]{8,} Max:[ 0-9]{8,}'
DMA='# /dev/cpu_dma_latency set to 0us'

# can_dma: may this process keep CPUs awake? Without it there is a warning, and no such line.
can_dma() { [ -w /dev/cpu_dma_latency ]; }

PYTHON=${PYTHON:-/usr/bin/python3}
have "$PYTHON" || PYTHON=

# soon SECONDS TEST...: as waits_until, but looks fifty times a second
soon() {
	left=$(($1 * 50)); shift
	until "$@"; do
		[ $left -gt 0 ] || return 1
		sleep 0.02
		left=$((left - 1))
	done
}

# begin OPTION...: start it in the background, as $pid, with its output where
# run() has it; the status object says that it is there
begin() {
	pid=
	may_run "$@" || return 0
	cyclictest "$@" >"$T/.out" 2>"$T/.err" </dev/null &
	pid=$!
	soon 10 has_begun
}
# The object alone may be what a killed run of this process id left.
has_begun() { [ -e "/dev/shm/cyclictest$pid" ] && takes_signals "$pid" || is_gone "$pid"; }
is_gone() { [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }

# ends NAME STATUS: the one that began ends with that status within three seconds. Tests
# let threads sleep for longer, so that this says that they were woken.
ends() {
	if unmade "$1"; then return; fi
	if ! soon 3 is_gone "$pid"; then
		kill -KILL "$pid"
		fail "$1: ends"
	fi
	wait "$pid" 2>/dev/null
	status=$?
	check "$1: status $2" [ "$status" = "$2" ]
}

# lines REGEX: how many lines of stdout match it as a whole
lines() { grep -Ecx -- "$1" "$T/.out"; }

# field NAME [N]: the number behind "NAME:" in the N-th status line
field() { grep '^T:' "$T/.out" | sed -n "${2:-1}p" | sed "s/.* $1: *\\(-\\{0,1\\}[0-9]*\\).*/\\1/"; }

# is_sanitized: built with a sanitizer, which takes memory and time of its own
is_sanitized() { grep -Eq '__(a|t)san_init' "$(command -v cyclictest)"; }
