#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cyclictest-undo - what it changes is put back: at every end, and by the next
# start after a kill -9. The status object, the pipe of -F, traces, idle states,
# the load.
. "${0%/*}/tap.sh"
. "$tests_dir/cyclictest.sh"
T_LIMIT=20

journals() { find /run/rtgauge -type f ! -name lock -size +0 2>/dev/null | wc -l; }
running() { [ -d "/proc/$1" ] && ! is_gone "$1"; }
killed() { kill -KILL "$pid"; wait "$pid" 2>/dev/null; }

# ---- the status object --------------------------------------------------------------------
# Other runs may come and go meanwhile: ours is known by its process id.
for options in '-l 3' '-N -b 1 -l 3' '-l 3 --json=/nonexistent/x' '-l 3 -h 0'; do
	run sh -c "echo \$\$ >id; exec cyclictest -q $options"
	check "no status object is left: $options" [ ! -e "/dev/shm/cyclictest$(cat id)" ]
done
begin -q
check "the status object is there" [ -e "/dev/shm/cyclictest$pid" ]
killed
check "kill -9 leaves it" [ -e "/dev/shm/cyclictest$pid" ]
if is_root && [ -d /run/rtgauge ]; then
	check "and a journal" [ "$(journals)" -ge 1 ]
	exits 0 cyclictest --help
	check "--help puts nothing back" [ -e "/dev/shm/cyclictest$pid" ]
	run cyclictest -q -l 3
	check "the next start puts it back" [ "$status" = 0 -a ! -e "/dev/shm/cyclictest$pid" ]
else
	rm -f "/dev/shm/cyclictest$pid"
	skip "no journal for this user"
fi
if is_root && have setpriv; then
	# neither a session nor an environment
	killed_user() {
		rm -f id
		as_user sh -c 'echo $$ >&3; exec env -i "$0/cyclictest" -q' "$RT_BIN" 3>id 2>/dev/null &
		waits_until 10 [ -s id ]
		pid=$(cat id)
		soon 10 [ -e "/dev/shm/cyclictest$pid" ]
		kill -KILL "$pid"
		wait
	}
	killed_user
	check "a user's kill -9 leaves the status object" [ -e "/dev/shm/cyclictest$pid" ]
	as_user env -i "$RT_BIN/cyclictest" -q -l 3 >"$T/.out" 2>"$T/.err"
	status=$?
	check "the user's next start puts it back" [ "$status" = 0 -a ! -e "/dev/shm/cyclictest$pid" ]
	killed_user
	run cyclictest -q -l 3
	check "root's next start leaves it to its owner" [ "$status" = 0 -a -e "/dev/shm/cyclictest$pid" ]
	as_user env -i XDG_RUNTIME_DIR=/nowhere "$RT_BIN/cyclictest" -q -l 3 >"$T/.out" 2>"$T/.err"
	check "a session's folder that is not there is passed over" [ ! -e "/dev/shm/cyclictest$pid" ]
else
	skip "not root, or no setpriv: a user's journal"
fi
begin -q
other=$pid
begin -q
run cyclictest -q -l 3
check "those of live runs stay" [ -e "/dev/shm/cyclictest$pid" -a -e "/dev/shm/cyclictest$other" ]
kill -INT "$other"
soon 3 is_gone "$other"
check "and one run's end leaves the other's" [ -e "/dev/shm/cyclictest$pid" ]
kill -INT "$pid"
ends "two runs" 0
# A stranger's object under the name that we shall have: sh becomes cyclictest, with its id.
run sh -c 'echo mine >/dev/shm/cyclictest$$; exec cyclictest -q -l 3'
check "a stale object of our own is replaced" [ "$status:$(complaints)" = 0: ]
run sh -c 'mkdir /dev/shm/cyclictest$$; echo $$ >id; exec cyclictest -q -l 3'
check "what is no such object is a warning" [ $status = 0 ]
warns '^cyclictest: warning: .*/dev/shm/cyclictest'
check "and stays" rmdir "/dev/shm/cyclictest$(cat id)"
ln -s "$T/precious" "/dev/shm/link$$"
echo precious >precious
run sh -c 'mv /dev/shm/link'$$' /dev/shm/cyclictest$$; echo $$ >id; exec cyclictest -q -l 3'
check "a symlink there is not followed" [ "$(cat precious)" = precious ]
rm -f "/dev/shm/cyclictest$(cat id)"

# ---- the pipe of -F ---------------------------------------------------------------------------
begin -q -t2 -F pipe
check "-F: a pipe" [ -p pipe ]
for reader in 1 2; do
	timeout 5 cat pipe >got
	check "-F: reader $reader gets the status lines" [ "$(grep -Ecx "$LINE" got):$(wc -l <got)" = 2:2 ]
done
timeout 5 sh -c 'exec 3<pipe; exec 3<&-' # one that closes at once
refuses 1 'pipe' cyclictest -q -l 3 -F pipe
check "-F: a second run does not take it" [ -p pipe ]
kill -INT "$pid"
ends "-F" 0
check "-F: gone at the end" [ ! -e pipe ]
exits 0 cyclictest -q -l 2 -F pipe
check "-F: gone after a short run" [ ! -e pipe ]
begin -q -F pipe
killed
check "-F: kill -9 leaves it" [ -p pipe ]
run cyclictest -q -l 2
if is_root; then check "-F: the next start removes it" [ ! -e pipe ]; fi
rm -f pipe
echo text >regular
refuses 1 'regular.*no named pipe' cyclictest -q -l 2 -F regular
check "-F: a file stays as it was" [ "$(cat regular)" = text ]
mkdir folder
refuses 1 folder cyclictest -q -l 2 -F folder
refuses 1 nonexistent cyclictest -q -l 2 -F /nonexistent/pipe
ln -s regular link
refuses 1 link cyclictest -q -l 2 -F link
mkfifo own
exits 0 cyclictest -q -l 2 -F own
check "-F: a pipe that was there is used and stays" [ -p own ]
begin -q -F moved
mv moved elsewhere
echo other >moved
kill -INT "$pid"
ends "-F, replaced by somebody" 0
check "-F: only the pipe that we made is removed" [ "$(cat moved)" = other ]
rm -f elsewhere

# ---- PM QoS -----------------------------------------------------------------------------------
if is_root && [ -r /dev/cpu_dma_latency ]; then
	# The kernel shows the smallest of all requests: others may ask for less meanwhile.
	qos() { od -An -td4 -N4 /dev/cpu_dma_latency | tr -d ' '; }
	holds_it() { ls -l "/proc/$pid/fd" | grep -c cpu_dma_latency; }
	begin -q --latency=7
	check "--latency=7 is asked for" [ "$(qos)" -le 7 -a "$(holds_it)" = 1 ]
	killed
	run cyclictest -q -l 2
	begin -q --laptop
	check "--laptop asks nothing" [ "$(holds_it)" = 0 ]
	kill -INT "$pid"
	ends "--laptop" 0
else
	skip "no /dev/cpu_dma_latency"
fi

# ---- idle states --------------------------------------------------------------------------------
states=/sys/devices/system/cpu/cpu0/cpuidle
if is_root && [ -w $states/state1/disable ] && echo 0 2>/dev/null >$states/state1/disable; then
	disabled() { cat $states/state*/disable | tr -d '\n'; }
	before=$(disabled)
	last=$(ls -d $states/state* | wc -l)
	begin -q -a 0 --deepest-idle-state=0
	check "--deepest-idle-state=0" [ "$(disabled)" = "$(printf 0; printf '1%.0s' $(seq 2 "$last"))" ]
	cyclictest -q -a 0 --deepest-idle-state=0 -D 100 >/dev/null 2>&1 &
	second=$!
	soon 5 [ -e "/dev/shm/cyclictest$second" ]
	kill -INT "$pid"
	ends "one of two" 0
	check "two runs: the first end leaves it" [ "$(disabled)" != "$before" ]
	kill -TERM $second
	wait $second
	check "two runs: the last end puts it back" [ "$(disabled)" = "$before" ]
	begin -q -a 0 --deepest-idle-state=-1
	check "--deepest-idle-state=-1: all" [ "$(disabled)" = "$(printf '1%.0s' $(seq "$last"))" ]
	killed
	check "kill -9 leaves them" [ "$(disabled)" != "$before" ]
	run cyclictest -q -l 2
	check "the next start puts them back" [ "$(disabled)" = "$before" ]
	echo 1 >$states/state1/disable
	run cyclictest -q -a 0 --deepest-idle-state=0 -l 2
	check "what was disabled before stays so" [ "$(cat $states/state1/disable)" = 1 ]
	echo 0 >$states/state1/disable
	refuses 2 'deepest-idle-state|idle state' cyclictest -q -a 0 --deepest-idle-state=60 -l 2
	check "a refused one changes nothing" [ "$(disabled)" = "$before" ]
else
	skip "no idle states that can be switched off"
fi

# ---- the trace -------------------------------------------------------------------------------------
cat >traced <<'END'
tracing=/sys/kernel/tracing
[ -e $tracing/tracing_on ] || mount -t tracefs none $tracing 2>/dev/null || exit 77
before=$(cat $tracing/tracing_on)
echo 1 >$tracing/tracing_on
cyclictest -q -N -b 1 -l 100 || exit 1
[ "$(cat $tracing/tracing_on)" = 1 ] || { echo "-b alone switches tracing off"; exit 1; }
cyclictest -q -b 1000s --tracemark -l 5 || exit 1
[ "$(cat $tracing/tracing_on)" = 1 ] || { echo "switches tracing off without a hit"; exit 1; }
echo >$tracing/trace
cyclictest -q -N -b 1 --tracemark -l 100 || exit 1
[ "$(cat $tracing/tracing_on)" = 0 ] || { echo "leaves tracing on"; exit 1; }
grep -E 'tracing_mark_write: hit latency threshold \([0-9]+ > 1\)$' $tracing/trace
echo "marks: $(grep -c 'hit latency threshold' $tracing/trace)"
cyclictest -q -N -b 1 --tracemark -l 100
echo "off: $?"
echo "$before" >$tracing/tracing_on
END
if is_root && have unshare && unshare -m true 2>/dev/null; then
	run unshare -m sh traced
	if [ $status = 77 ]; then
		skip "no tracefs in this kernel"
	else
		check "-b --tracemark: the trace" [ $status = 0 ]
		says '^marks: 1$'
		says '^off: 0$'
		warns 'tracing is switched off: the break will leave no mark'
		value=$(sed -n 's/.*hit latency threshold (\([0-9]*\) > 1).*/\1/p' "$T/.out")
		check "the mark has the break value" grep -qx "# Break value: $value" "$T/.out"
		run unshare -m sh -c 'mount -t tmpfs none /sys/kernel; exec cyclictest -q -b 5 --tracemark -l 5'
		check "a mark that can't be had: 4" [ $status = 4 ]
		exits 0 unshare -m sh -c 'mount -t tmpfs none /sys/kernel; exec cyclictest -q -b 1000s -l 5'
	fi
else
	skip "no mount namespaces for tracefs"
fi

# ---- the load ------------------------------------------------------------------------------------------
group_is_gone() { ! kill -0 "-$1" 2>/dev/null; }
load='echo $$ >leader; sleep 300 & sleep 300 & echo from the load; wait'
begin -q $(can_rt && echo -p 1) --load="$load"
soon 3 [ -s leader ]
leader=$(cat leader)
check "--load: runs in a process group of its own" [ "$(awk '{ print $5 }' "/proc/$leader/stat")" = "$leader" ]
check "--load: all signals are let in" grep -q '^SigBlk:[[:space:]]*0*$' "/proc/$leader/status"
# but 32 and 33, the C library's own: those of glibc's posix_spawn, as make is one, ignore them
check "--load: nothing is ignored" grep -Eq '^SigIgn:[[:space:]]*0*(1?80000000|100000000)?$' "/proc/$leader/status"
check "--load: no files of ours" [ "$(ls -l "/proc/$leader/fd" | grep -Ec 'anon_inode|memfd|cpu_dma|rtgauge|/dev/shm')" = 0 ]
kill -INT "$pid"
ends "--load" 0
check "--load: its group is gone" group_is_gone "$leader"
warns '^from the load$'
lacks 'has ended'
check "--load: stdout is ours alone" [ "$(grep -c load "$T/.out")" = 0 ]
rm -f leader
begin -q --load="$load"
soon 3 [ -s leader ]
leader=$(cat leader)
killed
check "--load: gone after a kill -9 of cyclictest" soon 5 group_is_gone "$leader"
rm -f leader
run cyclictest -q -D 300ms --load='trap "echo cleaned up >&2; exit" TERM; while :; do sleep 0.05; done'
warns '^cleaned up$'
run cyclictest -q -D 300ms --load='(trap "sleep 0.3; echo child cleaned up >&2; exit" TERM; while :; do sleep 0.05; done) & wait'
warns '^child cleaned up$'
begin -q -D 300ms --load='trap "" TERM; echo $$ >leader; while :; do sleep 0.05; done'
soon 10 is_gone "$pid"
ends "--load that ignores SIGTERM" 0
check "--load that ignores SIGTERM: killed" group_is_gone "$(cat leader)"
run cyclictest -q -D 300ms --load='exit 3'
check "--load that ends: the run goes on" [ "$status:$(lines "$LINE")" = 0:1 ]
warns "^cyclictest: warning: --load: 'exit 3' has ended with status 3"
run cyclictest -q -D 300ms --load=no-such-command
warns 'has ended with status 127'
done_testing
