#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=1 limit=3
echo "ok 1 - begins"
sleep 1000
