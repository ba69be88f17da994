#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=1 
sleep 1000 &
echo "ok 1 - is good, but leaves a process"
echo "1..1"
