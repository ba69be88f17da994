#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=1 
echo "1..3"
echo "ok 1 - the first of three"
