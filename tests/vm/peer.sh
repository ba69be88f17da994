#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# peer.sh - print the folder with the distribution's rt-tests (usr/bin/*, version),
# downloaded on the first call, kept in the cache and never installed

set -u
export LC_ALL=C
. "${BASH_SOURCE%/*}/host.sh"
vm_work

fetch() {
	vm_download rt-tests "$work/deb"
	mv "$work/deb/root/usr" "$1/" && mv "$work/deb/version" "$1/"
}

vm_cached peer version fetch
