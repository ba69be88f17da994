#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=1 append=selftest=panics
echo "ok 1 - begins"
echo "about to give up" >&2
echo c >/proc/sysrq-trigger
sleep 1000
