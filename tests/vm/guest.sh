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
