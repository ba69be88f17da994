#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Does the VM tier notice when something goes wrong in a guest? Runs on the host.
. "${0%/*}/../cli/tap.sh"

if [ "${RT_VM_BUDGET:-0}" -gt 0 ] && [ "$RT_VM_BUDGET" -lt 240 ]; then
	skip_all "no time for it in RT_VM_BUDGET=$RT_VM_BUDGET"
fi
vm=$tests_dir
export RT_VM_LOGS="$T/logs" TMPDIR="$T/tmp"
unset RT_VM_BUDGET RT_VM_JOBS
mkdir "$TMPDIR"
T_LIMIT=600

files() { for name; do echo "$vm/selftest/$name.t"; done; }

# checked NAME...: run these files of selftest/ in guests
checked() { run "$vm/check" $(files "$@"); }
whole='planned, ended, left nothing, kernel content'
good() { says "^ok [0-9]+ - vm/selftest/$1"; }
bad() { says "^not ok [0-9]+ - vm/selftest/$1"; }

# Without QEMU, or without a kernel, everything is skipped and says why.
mkdir "$T/path" "$T/noapt"
ln -s /usr/local/bin/* /usr/bin/* "$T/path/" 2>/dev/null
rm -f "$T/path/qemu-system-x86_64"
run env RT_VM_INSTALL= PATH="$T/path" "$vm/check" $(files passes fails)
check "good status without QEMU" [ $status = 0 ]
good 'passes.t .*# SKIP .*qemu-system-x86_64 is missing'
good 'fails.t .*# SKIP .*qemu-system-x86_64 is missing'
says '^1[.][.]2$'
ln -s /bin/false "$T/noapt/apt-get"
ln -s /bin/false "$T/noapt/apt-cache"
run env RT_VM_CACHE="$T/cache" PATH="$T/noapt:$PATH" "$vm/check" $(files passes)
check "good status without a kernel" [ $status = 0 ]
good 'passes.t .*# SKIP '

checked passes skips fails noplan short status warns expects leaves hangs
if grep -q '^ok 1 .*passes.*# SKIP' "$T/.out"; then
	skip "$(sed -n 's/.*# SKIP //p' "$T/.out" | head -n 1)"
	done_testing
fi
check "status 1 of a run with failures" [ $status = 1 ]
good "passes.t: is good"
good "passes.t: $whole"
good "skips.t # SKIP for a reason"
good "fails.t: is good"
bad "fails.t: is bad"
good "fails.t: $whole"
good "expects.t: $whole"
for name in noplan short status warns leaves hangs; do bad "$name.t: $whole"; done
warns 'short.t: planned 3 tests, made 1'
warns 'status.t: ended with status 3'
warns 'warns.t: kernel .*WARNING: made up'
warns 'warns.t: kernel .*WARNING: an unknown one'
lacks 'kernel .*a known fault'
warns 'leaves.t: left [0-9]+ sleep 1000'
warns 'hangs.t: no plan, killed after its time'

checked panics
check "status 1 when the guest died" [ $status = 1 ]
bad "panics.t: $whole"
check 'the panic is shown' grep -q 'Kernel panic' "$T/.err"
warns 'stderr: about to give up'

export RT_VM_BOOT=30
checked stalls passes
check "status 1 when the guest hung" [ $status = 1 ]
bad "stalls.t: $whole"
warns 'the guest has not ended in [0-9]+ s'

export RT_VM_BUDGET=1 RT_VM_JOBS=1
checked passes panics
check "good status when nothing failed" [ $status = 0 ]
good "passes.t: is good"
good 'panics.t .* # SKIP no time left of RT_VM_BUDGET=1'
unset RT_VM_BUDGET RT_VM_JOBS

# a signal in the middle takes everything along, and no other guest is begun
guest_runs() { pgrep -f "^qemu-system.*$TMPDIR/" >/dev/null; }
no_guest_runs() { ! guest_runs; }
for signal in TERM INT KILL; do
	RT_VM_JOBS=1 "$vm/check" $(files stalls panics) >"$T/.out" 2>"$T/.err" &
	pid=$!
	waits_until 60 guest_runs || note "no guest after a minute"
	kill -$signal $pid
	wait $pid 2>/dev/null
	check "no guest is left after SIG$signal" waits_until 10 no_guest_runs
	[ $signal = KILL ] || check "no file is left after SIG$signal" [ -z "$(ls -A "$TMPDIR")" ]
done

# ... and what SIGKILL left goes with the next run, but nothing that somebody else may use
check 'SIGKILL leaves a folder' [ -n "$(ls "$TMPDIR")" ]
mkdir "$TMPDIR/rtvm-unlocked" "$TMPDIR/rtvm-alive"
flock -F "$TMPDIR/rtvm-alive/lock" sleep 60 &
pid=$!
waits_until 10 test -e "$TMPDIR/rtvm-alive/lock"
run env RT_VM_INSTALL= PATH="$T/path" "$vm/check" $(files passes)
check 'the next run clears it' [ "$(ls "$TMPDIR" | tr '\n' ' ')" = 'rtvm-alive rtvm-unlocked ' ]
kill $pid
done_testing
