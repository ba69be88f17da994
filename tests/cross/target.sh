# SPDX-License-Identifier: GPL-2.0-or-later
#
# target - the other machines that rtgauge is built for. Sourced by bash scripts, behind
# tests/vm/host.sh, whose cache and rules for installing hold here, too.

# Debian's name, the compiler's, the loader, QEMU's emulator for programs, and what cannot
# be had: Debian 12 has no libraries for riscv64
targets='
i386     i686-linux-gnu       ld-linux.so.2                  qemu-i386
arm64    aarch64-linux-gnu    ld-linux-aarch64.so.1          qemu-aarch64
armhf    arm-linux-gnueabihf  ld-linux-armhf.so.3            qemu-arm
s390x    s390x-linux-gnu      ld64.so.1                      qemu-s390x
riscv64  riscv64-linux-gnu    ld-linux-riscv64-lp64d.so.1    qemu-riscv64  JSON=0 NUMA=0
'

target_names() { printf '%s' "$targets" | sed 's/ .*//' | xargs; }

# target ARCH: set the columns of its row, and where it is built
target() {
	read -r arch triplet loader emulator without < <(printf '%s' "$targets" | grep "^$1 ") ||
		vm_die "'$1' is no architecture to build for; there are:" \
			"$(target_names)"
	[ "$arch" != "$(dpkg --print-architecture 2>/dev/null)" ] ||
		vm_die "this machine is $arch itself; say make check"
	folder=build/cross/$arch
}

# target_needs: the compiler, the C library and the others
target_needs() {
	vm_need "$triplet-gcc" "gcc-$triplet" "libc6-dev-$arch-cross"
	[ -e "/usr/$triplet/lib/$loader" ] ||
		vm_die "the C library for $arch is missing; install libc6-dev-$arch-cross"
	[ -n "$without" ] || vm_cached "libs-$arch" version fetch_libraries >/dev/null
}

# fetch_libraries FOLDER: json-c, libnuma and cmocka of the target, unpacked
fetch_libraries() {
	local package
	vm_apt_for "$arch"
	vm_say "downloading libraries for $arch, to be kept in $vm_cache"
	for package in libjson-c5 libjson-c-dev libnuma1 libnuma-dev libcmocka0 libcmocka-dev; do
		vm_download "$package" "$1"
	done
}

# target_make WORD...: make for the target. Programs name their loader and libraries by path, so
# that they run where the libraries are not installed: in the cache, as guests of tests/vm have
# them, and beside the programs for other users, who may have no way into the cache. -O1 builds
# faster.
target_make() {
	local flags=() paths=/usr/$triplet/lib root lib=
	if [ -d "$folder/cmocka" ]; then
		lib=$top/$folder/cmocka
		flags=(CPPFLAGS="-isystem $lib")
	elif [ -z "$without" ]; then
		root=$(vm_cached "libs-$arch" version fetch_libraries)/root || return $EX_SETUP
		lib=$root/usr/lib/$("$triplet-gcc" -print-multiarch)
		mkdir -p "$top/$folder/libs" && cp -P "$lib"/*.so* "$top/$folder/libs" || return $EX_SETUP
		paths=$paths:$lib:$top/$folder/libs
		export PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
		flags=(CPPFLAGS="-isystem $root/usr/include")
	fi
	flags+=(LDFLAGS="${lib:+-L$lib} -Wl,--dynamic-linker=/usr/$triplet/lib/$loader -Wl,-rpath,$paths")
	# shellcheck disable=SC2086 # words of make
	env -u MAKEFLAGS make -C "$top" -j"$(getconf _NPROCESSORS_ONLN)" B="$folder" CROSS_COMPILE="$triplet-" \
		CFLAGS="${RT_CROSS_CFLAGS:--O1 -Werror} -Wno-psabi" "${flags[@]}" $without "$@"
}
