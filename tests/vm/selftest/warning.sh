# SPDX-License-Identifier: GPL-2.0-or-later

# kernel_warns TEXT: the kernel log as after a warning of the kernel
kernel_warns() {
	for line in '------------[ cut here ]------------' "WARNING: $*" 'Call Trace:' \
		    '---[ end trace 0000000000000000 ]---'; do
		echo "<4>$line" >/dev/kmsg
	done
}
