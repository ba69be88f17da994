#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# initramfs.sh [--arch arm64] -o OUT [--python] [--bin PROGRAM[:DEST]]... [--file PATH:DEST]...
#
# Packs a root file system for a guest: busybox, guest-init as /init, programs with
# the shared libraries that they need (into /usr/local/bin, or at DEST), and files or
# folders as they are. Not compressed: under emulation unpacking costs more than reading.

set -u
export LC_ALL=C
here=$(cd "${BASH_SOURCE%/*}" && pwd)
. "$here/host.sh"
vm_work
root=$work/root

# guest-init makes busybox' names where it could not be run here
make_base() {
	local busybox name
	busybox=$(vm_busybox "$arch") || vm_die "a static busybox is missing; install busybox-static"
	mkdir -p "$root"/{bin,sbin,proc,sys,dev,tmp,etc,root,lib,run,mnt,var/tmp,usr/bin,usr/local/bin}
	ln -s lib "$root/lib64"
	install "$busybox" "$root/bin/busybox"
	for name in $([ -n "$arch" ] || "$busybox" --list); do
		ln -s busybox "$root/bin/$name" 2>/dev/null
	done
	cp "$here/guest-init" "$root/init"
	printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' >"$root/etc/passwd"
	printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group"
	echo '127.0.0.1 localhost' >"$root/etc/hosts"
}

# libraries_of FILE: the paths of its shared libraries and its loader. ldd shows another
# loader than the one that a program of 32 bit names, if it finds one.
libraries_of() {
	readelf -l "$1" 2>/dev/null | sed -n 's/.*interpreter: \(.*\)]$/\1/p'
	ldd "$1" 2>/dev/null | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^\t\(\/[^ ]*\) (.*/\1/p'
	[ "${PIPESTATUS[0]}" = 0 ] || foreign_libraries_of "$1"
}

# The libraries of a program for another machine, which names all of them, and where they are
foreign_libraries_of() {
	local folder name
	for name in $(readelf -d "$1" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)]$/\1/p'); do
		readelf -d "$1" | sed -n 's/.*(RUNPATH).*\[\(.*\)]$/\1/p' | tr ':' '\n' |
		while read -r folder; do
			[ ! -e "$folder/$name" ] || { echo "$folder/$name"; break; }
		done
	done
}

# the shared libraries of a program or library, at their own paths
add_libraries() {
	local lib
	libraries_of "$1" |
	while read -r lib; do
		[ -e "$root$lib" ] || install -D "$lib" "$root$lib"
	done
}

# add_program FILE[:DEST], or a name to be found in PATH
add_program() {
	local path=${1%%:/*} dest=
	case $1 in *:/*) dest=/${1##*:/} ;; esac
	path=$(command -v -- "$path") && [ -f "$path" ] || vm_die "no such program: ${1%%:/*}"
	dest=${dest:-/usr/local/bin/${path##*/}}
	rm -f "$root$dest"
	install -D "$path" "$root$dest" || vm_die "cannot copy $path"
	add_libraries "$path"
}

add_file() {
	local path=${1%%:/*} dest=$root/${1##*:/}
	[ -e "$path" ] || vm_die "no such file or folder: $path"
	mkdir -p "${dest%/*}"
	cp -rL "$path" "$dest" || vm_die "cannot copy $path"
}

# Debian's python3 with its standard library, less what no test needs
add_python() {
	local python lib so
	python=$(readlink -f /usr/bin/python3) || vm_die "there is no /usr/bin/python3 to copy"
	lib=$("$python" -I -c 'import os; print(os.path.dirname(os.__file__))') ||
		vm_die "$python does not run"
	add_program "$python:$python"
	[ -e "$root/usr/bin/python3" ] || ln -s "${python##*/}" "$root/usr/bin/python3"
	mkdir -p "$root$lib"
	tar -C "$lib" -ch --exclude={__pycache__,test,tests,dist-packages,site-packages} \
		--exclude={idlelib,tkinter,lib2to3,'config-*',ensurepip,pydoc_data} . 2>/dev/null |
		tar -x -C "$root$lib"
	for so in "$root$lib"/lib-dynload/*.so; do add_libraries "$so"; done
}

out= arch=
if [ "${1:-}" = --arch ]; then
	arch=${2:-}
	shift 2
fi
make_base
while [ $# -gt 0 ]; do
	case $1 in
	--python) add_python; shift; continue ;;
	-o|--bin|--file) [ $# -ge 2 ] || vm_die "$1 needs a value" ;;
	*) vm_die "unknown option '$1'" ;;
	esac
	case $1 in
	-o) out=$2 ;;
	--bin) add_program "$2" ;;
	--file) add_file "$2" ;;
	esac
	shift 2
done
[ -n "$out" ] || vm_die "give the file to write with -o"
(cd "$root" && find . -print0 | cpio --null -o -H newc --quiet) >"$out" || vm_die "cannot write $out"
