# SPDX-License-Identifier: GPL-2.0-or-later
#
# guest - what VM tests share beyond tests/cli/tap.sh, which it brings along.
#
#     . "${0%/*}/../guest.sh"

tap=${0%/*}/../../cli/tap.sh
. "$tap"

# programs NAME...: all of them are in this guest, or the file is skipped
programs() {
	for program; do
		have "$program" || skip_all "$program has not been built"
	done
}

# smi: make the firmware interrupt CPU 0 once. Only CPU 0 may write there: QEMU hangs
# when another one does.
smi() { printf '\001' | taskset 1 dd of=/dev/port bs=1 seek=178 count=1 conv=notrunc 2>/dev/null; }

# smi_count CPU: what the CPU's own counter says
smi_count() { hexdump -s 0x34 -n 8 -e '2/4 "%u " "\n"' "/dev/cpu/$1/msr" | cut -d ' ' -f 1; }

# start COMMAND...: in the background; its output goes where run() puts it
start() {
	"$@" >"$T/.out" 2>"$T/.err" </dev/null &
	started=$!
}

# finish [SIGNAL]: send the signal, if one is given, and take the status of what was started
finish() {
	[ $# = 0 ] || kill "-$1" "$started"
	wait "$started" 2>/dev/null
	status=$?
}

# pinned: the CPUs that the started program's threads are pinned to, as the kernel has it.
# The main thread is left out.
pinned() {
	for task in "/proc/$started/task"/*; do
		[ "${task##*/}" = "$started" ] || sed -n 's/^Cpus_allowed_list:\t//p' "$task/status"
	done 2>/dev/null | sort -n | tr '\n' ' ' | sed 's/ $//'
}
is_pinned_to() { [ "$(pinned)" = "$1" ]; }

# json_list KEY: the values of this key in the document $T/json, in their order
json_list() { sed -n "s/.*\"$1\": *\\([^,]*\\),*\$/\\1/p" "$T/json" | tr '\n' ' ' | sed 's/ $//'; }

# set_online CPU 0|1: switch a CPU off or on
set_online() { echo "$2" >"/sys/devices/system/cpu/cpu$1/online"; }

# idle_states CPU: the switches of its idle states, 1 for disabled
idle_states() { cat "/sys/devices/system/cpu/cpu$1/cpuidle"/state*/disable | tr '\n' ' ' | sed 's/ $//'; }
has_idle_states() { [ "$(idle_states "$1")" = "$2" ]; }
