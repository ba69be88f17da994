#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=1 append=selftest=stalls limit=2
# The limit of the file fails too, as its watchdog is stopped; that of the boot is left.
echo "ok 1 - begins"
for d in /proc/[0-9]*; do
	pid=${d#/proc/}
	[ "$pid" = 1 ] || [ "$pid" = $$ ] || kill -STOP "$pid"
done 2>/dev/null
kill -STOP $$
