#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# pip_stress - the verdicts, the refusals, and that nothing is left when any of its
# processes is killed. One of them spins at real-time priority: all stay on one CPU.
. "${0%/*}/tap.sh"
T_LIMIT=20

refuses 2 '^pip_stress: --usleep: .*abc' pip_stress -u abc
refuses 2 '^pip_stress: --usleep: .*-5.*10000000' pip_stress -u -5
refuses 2 '^pip_stress: --usleep: .*4294968295.*10000000' pip_stress --usleep=4294968295
refuses 2 '^pip_stress: --usleep: .*11s' pip_stress -u 11s
refuses 2 '^pip_stress: .*--bogus' pip_stress --bogus
prints 'pip_stress V [0-9.]+' pip_stress -h
prints 'Usage: pip_stress .*' pip_stress --help
if is_root && have setpriv; then
	refuses 4 'SCHED_FIFO priority 4: .*RLIMIT_RTPRIO' \
		setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all pip_stress
else
	skip "not root: cannot give rights away"
fi
if ! can_rt || ! have taskset; then
	skip "no right to real-time priority, or no taskset: all that runs"
	done_testing
fi

# The last CPU that we may use.
cpu=$(sed -n 's/^Cpus_allowed_list:.*[^0-9]\([0-9]*\)$/\1/p' /proc/self/status)
pip="taskset -c $cpu pip_stress"
good='Successfully used priority inheritance to handle an inversion'

# ---- verdicts ----------------------------------------------------------------------------
# How soon medium comes to run is up to the machine, so low holds the resource for long.
for option in '-u 20000' '--usleep=20ms' '-u 50ms'; do
	exits 0 $pip $option
	check "one line and no other: $option" [ "$(cat "$T/.out" "$T/.err")" = "$good" ]
done
exits 1 $pip -u 0
check "nothing to see at -u 0" [ "$(cat "$T/.out")" = 'No inversion incurred' ]
warns '^pip_stress: the medium process did not come to run .*--usleep'
exits 1 $pip --no-pi -u 1000
check "no success without inheritance" [ ! -s "$T/.out" ]
warns '^pip_stress: the medium process ran for [0-9]+ ms on CPU [0-9]+ .*no priority was inherited'
exits 1 sh -c "$pip -u 20000 >&-"
[ ! -w /dev/full ] || exits 1 sh -c "$pip -u 20000 >/dev/full"

# SIGHUP ends a run unless it was inherited as ignored, as under nohup.
ends_by="INT TERM HUP"
case $(sed -n 's/^SigIgn:.*\(.\)$/\1/p' /proc/self/status) in
[13579bdf]) ends_by="INT TERM" ;;
esac

# ---- ended from outside --------------------------------------------------------------------
# alive PID: neither gone nor a zombie that nobody has reaped yet
alive() { [ -d "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }
children() { cat "/proc/$pid/task/$pid/children" 2>/dev/null; }
child() { for p in $(children); do grep -qx "$1" "/proc/$p/comm" 2>/dev/null && echo "$p"; done; }
all_there() { [ -n "$(child pip_low)" ] && [ -n "$(child pip_med)" ] && [ -n "$(child pip_high)" ]; }
none_alive() { for p in $processes; do ! alive "$p" || return 1; done; }
begin() {
	$pip -u 3000000 >"$T/.out" 2>"$T/.err" &
	pid=$!
	waits_until 5 all_there
	sleep 0.2
	processes="$pid $(children)"
}
ends() { # NAME STATUS
	wait $pid 2>/dev/null
	status=$?
	check "$1: status $2" [ $status = "$2" ]
	check "$1: no process is left" waits_until 2 none_alive
	check "$1: no success" [ ! -s "$T/.out" ]
}
if [ -r /proc/self/task/self/children ] || ls /proc/$$/task/$$/children >/dev/null 2>&1; then
	for sig in $ends_by; do
		begin
		kill -$sig $pid
		ends "SIG$sig" 1
	done
	begin
	kill -KILL $pid
	ends "kill -9" 137
	for who in low med high; do
		begin
		kill -KILL "$(child pip_$who)"
		ends "kill -9 of $who" 1
	done
	exits 0 $pip -u 20000
else
	skip "this kernel does not tell a process's children"
fi
done_testing
