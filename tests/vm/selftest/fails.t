#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=1 
echo "ok 1 - is good"
echo "not ok 2 - is bad"
echo "1..2"
exit 1
