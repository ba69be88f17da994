# SPDX-License-Identifier: GPL-2.0-or-later
#
# host - what the VM tier needs from the machine it runs on. Sourced by bash scripts.
#
# RT_VM_CACHE holds what was downloaded; RT_VM_INSTALL=1 allows apt-get install.

vm_cache=${RT_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/rtgauge/vm}

EX_TIMEOUT=124		# the guest ran past its time
EX_SETUP=125		# bad usage, or something is missing here
EX_GUEST=126		# the guest died before its script ended

vm_say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
vm_die() { vm_say "$*"; exit $EX_SETUP; }

# vm_apt_for ARCH: from now on apt-get and apt-cache speak of the packages of this Debian
# architecture, by lists of their own in the cache; the machine's are not touched
vm_apt_for() {
	local dir=$vm_cache/apt/$1
	[ "$1" != "$(dpkg --print-architecture 2>/dev/null)" ] || return 0
	mkdir -p "$dir"/{state/lists,cache/archives}/partial && : >>"$dir/status" ||
		vm_die "cannot write in $vm_cache; set RT_VM_CACHE"
	cat >"$dir/conf" <<-END
		APT::Architecture "$1";
		APT::Architectures { "$1"; };
		APT::Sandbox::User "";
		Dir::State "$dir/state";
		Dir::State::status "$dir/status";
		Dir::Cache "$dir/cache";
	END
	export APT_CONFIG=$dir/conf
}

# vm_apt_update: once a process, and only when apt does not know what was asked for
vm_apt_update() {
	[ -z "${vm_apt_updated:-}" ] || return 0
	vm_apt_updated=1
	[ "$(id -u)" = 0 ] || [ -n "${APT_CONFIG:-}" ] && apt-get -qq update >&2
}

# vm_need PROGRAM PACKAGE...: the program is here, or may be installed
vm_need() {
	local program=$1
	shift
	command -v "$program" >/dev/null && return
	[ "${RT_VM_INSTALL:-}" = 1 ] || vm_die "$program is missing; install $*, or set RT_VM_INSTALL=1"
	vm_install "$@"
	hash -r
	command -v "$program" >/dev/null || vm_die "package $1 did not bring $program"
}

vm_install() {
	[ "$(id -u)" = 0 ] || vm_die "only root can install $*"
	command -v apt-get >/dev/null || vm_die "there is no apt-get here to install $* with"
	vm_say "installing $*"
	apt-cache show "$1" >/dev/null 2>&1 || vm_apt_update
	DEBIAN_FRONTEND=noninteractive apt-get -y -qq --no-install-recommends install "$@" >&2 ||
		vm_die "cannot install $*"
}

# vm_busybox [ARCH]: print the path of a static busybox; for another machine one is downloaded
vm_busybox() {
	local b
	if [ "${1:-amd64}" != amd64 ]; then
		vm_foreign=$1
		b=$(vm_cached "busybox-$1" busybox vm_fetch_busybox) && echo "$b/busybox"
		return
	fi
	for b in "$(command -v busybox)" /bin/busybox /usr/bin/busybox; do
		if [ -x "$b" ] && ! ldd "$b" >/dev/null 2>&1; then
			echo "$b"
			return
		fi
	done
	return 1
}

vm_fetch_busybox() {
	vm_apt_for "$vm_foreign"
	vm_say "downloading busybox-static for $vm_foreign, to be kept in $vm_cache"
	vm_download busybox-static "$1"
	mv "$1/root/bin/busybox" "$1/busybox" || vm_die "package busybox-static has no /bin/busybox"
	rm -rf "$1/root"
}

# vm_need_all [ARCH]: everything but the kernel
vm_need_all() {
	case ${1:-amd64} in
	arm64)	vm_need qemu-system-aarch64 qemu-system-arm ;;
	*)	vm_need qemu-system-x86_64 qemu-system-x86 ;;
	esac
	vm_need cpio cpio
	vm_busybox "${1:-}" >/dev/null && return
	[ "${1:-amd64}" = amd64 ] || vm_die "there is no static busybox for $1"
	[ "${RT_VM_INSTALL:-}" = 1 ] ||
		vm_die "a static busybox is missing; install busybox-static, or set RT_VM_INSTALL=1"
	vm_install busybox-static
	vm_busybox >/dev/null || vm_die "package busybox-static brought no static busybox"
}

# vm_work: make $work, a folder that goes away when the script ends
vm_work() {
	work=$(mktemp -d) || vm_die "cannot make a temporary folder"
	trap 'rm -rf "$work"' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# vm_download PACKAGE FOLDER: fetch the package and unpack it there, installing nothing
vm_download() {
	command -v apt-get >/dev/null || vm_die "there is no apt-get here to download $1 with"
	mkdir -p "$2"
	# apt gives up its rights for a download, and must still be able to write here
	[ "$(id -u)" != 0 ] || { chmod 755 "${2%/*}"; chown _apt "$2" 2>/dev/null; }
	(cd "$2" && apt-get -qq download "$1") >"$2/log" 2>&1 || {
		vm_apt_update
		(cd "$2" && apt-get -qq download "$1") >"$2/log" 2>&1
	} || vm_die "cannot download $1: $(tail -n 1 "$2/log")"
	basename "$2"/*.deb .deb >"$2/version"
	dpkg-deb -x "$2"/*.deb "$2/root" || vm_die "cannot unpack $1"
	rm -f "$2"/*.deb
}

# vm_cached NAME FILE FUNCTION: make $vm_cache/NAME by FUNCTION NEWFOLDER unless FILE
# is there; a lock lets one process do it while others wait. Prints the folder.
vm_cached() {
	local dir=$vm_cache/$1
	if [ ! -s "$dir/$2" ]; then
		mkdir -p "$vm_cache" || vm_die "cannot make $vm_cache; set RT_VM_CACHE"
		exec 9>"$vm_cache/.lock" || vm_die "cannot write in $vm_cache; set RT_VM_CACHE"
		flock 9
		if [ ! -s "$dir/$2" ]; then
			rm -rf "$dir" "$dir.new"
			mkdir "$dir.new"
			"$3" "$dir.new" || { rm -rf "$dir.new"; return 1; }
			mv "$dir.new" "$dir"
		fi
		exec 9>&-
	fi
	echo "$dir"
}
