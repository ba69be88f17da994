#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kernel.sh rt|stock [arm64] - print the folder that holds this kernel: vmlinuz, version, *.ko
#
# Debian's kernel of that kind is downloaded on the first call and kept in the cache.
# Another kernel can be put there by hand, as $RT_VM_CACHE/rt/vmlinuz.

set -u
export LC_ALL=C
. "${BASH_SOURCE%/*}/host.sh"

arch=${2:-amd64}
case ${1:-} in
rt)	meta=linux-image-rt-$arch ;;
stock)	meta=linux-image-$arch ;;
*)	vm_die "give rt or stock, not '${1:-}'" ;;
esac
vm_work

# the package behind the meta package
kernel_package() {
	apt-cache depends "$meta" 2>/dev/null |
		sed -n 's/^ *Depends: *\(linux-image-[^ ]*\)$/\1/p' | head -n 1
}

fetch() {
	local package root=$work/deb/root module
	command -v apt-cache >/dev/null || vm_die "there is no apt here to get $meta with"
	[ "$arch" = amd64 ] || vm_apt_for "$arch"
	package=$(kernel_package)
	[ -n "$package" ] || { vm_apt_update; package=$(kernel_package); }
	[ -n "$package" ] || vm_die "apt knows no package $meta"
	vm_say "downloading $package, to be kept in $vm_cache"
	vm_download "$package" "$work/deb"
	mv "$root"/boot/vmlinuz-* "$1/vmlinuz" || vm_die "$package has no kernel image"
	mv "$root"/boot/config-* "$1/config"
	mv "$work/deb/version" "$1/version"
	module=$(find "$root" -name 'msr.ko*' | head -n 1)
	case $module in
	*.xz)	xz -dc "$module" >"$1/msr.ko" ;;
	*.zst)	zstd -qdc "$module" >"$1/msr.ko" ;;
	*.ko)	mv "$module" "$1/" ;;
	esac
}

vm_cached "$1${2:+-$2}" vmlinuz fetch
