#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# get_cyclictest_snapshot - lists, snapshots, what it refuses, and that it never
# signals a process that is no cyclictest. Others may run cyclictests meanwhile, so
# claims are about our own.
. "${0%/*}/tap.sh"
T_LIMIT=20
[ -x /usr/bin/python3 ] || skip_all "no /usr/bin/python3"
[ -d /dev/shm ] || skip_all "no /dev/shm"
snap=get_cyclictest_snapshot

refuses_usage() {
	run $snap "$@"
	check "refused: $*" [ "$status" = 2 -a ! -s "$T/.out" ]
}
refuses_usage --bogus; warns 'unrecognized arguments: --bogus'
refuses_usage word; warns 'unrecognized arguments: word'
refuses_usage -s abc; warns "'abc' is not a process id"
refuses_usage -p 0
refuses_usage -p -5
prints 'usage: get_cyclictest_snapshot .*' $snap -h
prints 'get_cyclictest_snapshot V .+' $snap --version

# begin N: a cyclictest of N threads, its number in $pid
begin() {
	cyclictest -q -t "$1" -i 10000 -D 60 >/dev/null 2>&1 &
	pid=$!
	waits_until 10 [ -e "/dev/shm/cyclictest$pid" ]
}
begin 1; one=$pid
begin 30; two=$pid
sleep 0.2
blocks() { sed -n "$1" "$T/.out"; }
listed() { grep -qx "$1" "$T/.out"; }

run $snap -l
check "-l: both are listed" eval "listed $one && listed $two"
check "-l: in numeric order" [ "$(cat "$T/.out")" = "$(sort -n "$T/.out")" ]
run $snap -p "$one"
check "-p before a snapshot: status 1, nothing printed" [ "$status" = 1 -a ! -s "$T/.out" ]
warns "cyclictest $one has no snapshot yet"
run $snap -s "$one" "$two" -p "$one"
check "-s -p: status 0" [ "$status:$(cat "$T/.err")" = 0: ]
check "-s -p: one block, and an empty line" [ "$(sed -E 's/[0-9]+/9/g; s/  +/ /g' "$T/.out")" = '#---------------------------
# cyclictest current status:
T: 9 (9) P: 9 I:9 C: 9 Min: 9 Act: 9 Avg: 9 Max: 9
#---------------------------' -o "$(grep -c '^T:' "$T/.out")" = 1 ]
check "-p: ends with an empty line" [ "$(tail -n 1 "$T/.out")" = '' ]
good=0
for i in 1 2 3 4 5 6; do
	run $snap -s "$two" -p "$two"
	[ "$(grep -c '^T:' "$T/.out"):$(grep -c '^#---' "$T/.out")" = 30:2 ] && good=$((good + 1))
done
check "snapshots are complete" [ $good = 6 ]
cycles() { sed -n 's/.* C: *\([0-9]*\) .*/\1/p' "$T/.out" | head -n 1; }
first=$(cycles)
sleep 0.1
run $snap -s "$two" -p "$two"
check "a snapshot is new" [ "$(cycles)" -gt "$first" ]
run $snap -p "0000$one" "$two"
check "numbers are numbers; several are printed" [ "$status:$(grep -c '^T:' "$T/.out")" = 0:31 ]
run $snap
check "without options: all, printed" [ "$(grep -c '^T:' "$T/.out")" -ge 31 ]
run sh -c "$snap | head -c 1 >/dev/null"
lacks Traceback

# ---- what is none ------------------------------------------------------------------------------
sleep 60 &
sleeper=$!
truncate -s 4096 "/dev/shm/cyclictest$sleeper"
: >/dev/shm/cyclictest-foo
run $snap -l
check "a process that is no cyclictest is not listed" eval "! listed $sleeper"
check "nor is a foreign name" eval "! listed '' && ! listed 0"
run $snap -s "$sleeper" -p "$sleeper"
check "-s: it is refused" [ "$status" = 1 -a ! -s "$T/.out" ]
warns "process $sleeper is no running cyclictest"
run $snap -s
check "and it lives" kill -0 "$sleeper"
# one with the right name, but with somebody else's object
cp "$(command -v sleep)" cyclictest
./cyclictest 60 &
liar=$!
truncate -s 4096 "/dev/shm/cyclictest$liar"
sleep 0.2
run $snap -l
check "nor is one that has the name but not the object" eval "! listed $liar"
run $snap -s "$liar"
check "and it lives" kill -0 "$liar"
run $snap -s 4194304
warns 'process 4194304 is no running cyclictest'
check "no such process: status 1" [ "$status" = 1 ]
rm -f "/dev/shm/cyclictest$sleeper" "/dev/shm/cyclictest$liar" /dev/shm/cyclictest-foo
if is_root && have setpriv; then
	run setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$(command -v $snap)" -s "$one"
	check "another user's may not be signalled: status 1" [ "$status" = 1 ]
	warns "cyclictest $one: Operation not permitted"
	run setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$(command -v $snap)" -p "$one"
	check "its last snapshot may be read" [ "$status:$(grep -c '^T:' "$T/.out")" = 0:1 ]
else
	skip "not root: cannot become another user"
fi
if [ -c /dev/full ]; then
	$snap -p "$one" >/dev/full 2>"$T/.err"
	check "a full stdout: status 1" [ $? = 1 ]
	lacks Traceback
fi
$snap -p "$one" >&- 2>"$T/.err"
check "a closed stdout: status 1" [ $? = 1 ]
warns '^get_cyclictest_snapshot: .*Bad file descriptor$'
lacks Traceback
$snap -s "$one" >&- 2>"$T/.err"
check "a closed stdout that nothing is written to" [ $? = 0 -a ! -s "$T/.err" ]
$snap -s 99999999 2>&-
check "a closed stderr: the status stays" [ $? = 1 ]
kill "$one" "$two" "$sleeper" "$liar" 2>/dev/null
wait 2>/dev/null

# ---- none at all ---------------------------------------------------------------------------------
if have unshare && unshare -m true 2>/dev/null; then
	run unshare -m sh -c "mount -t tmpfs none /dev/shm && $snap"
	check "none: status 1, stdout empty" [ "$status" = 1 -a ! -s "$T/.out" ]
	check "none: said once" [ "$(cat "$T/.err")" = 'No cyclictest instance found' ]
else
	skip "no mount namespace"; skip "no mount namespace"
fi
done_testing
