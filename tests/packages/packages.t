#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# packages - make check-packages: the tarball and the packages are built, looked at,
# installed in a folder, used, and removed. Nothing is installed on this machine.
#
# What is missing here is skipped with its reason. RT_PACKAGES_ROOT=FOLDER takes an
# unpacked Debian root (debootstrap --variant=minbase) instead of making one; it is
# copied. Needs root for the real installation, and a network for that part alone.

. "${0%/*}/../cli/tap.sh"
T_LIMIT=1800
unset MAKEFLAGS MAKELEVEL
unset PERL_TEST_HARNESS_DUMP_TAP # the build's own tests have no right to write there
chmod 755 "$T" # the build drops root's rights for its tests
export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:+$DEB_BUILD_OPTIONS }parallel=$(getconf _NPROCESSORS_ONLN)"

version=$(sed -n 's/^.define RT_VERSION "\(.*\)"/\1/p' "$top/src/include/rt/options.h")
tools=$(make -s -C "$top" list-tools)
scripts=$(make -s -C "$top" list-scripts)
tarball=$T/rtgauge-$version.tar.gz

# without network, where that can be had
offline=$(unshare -n true 2>/dev/null && echo 'unshare -n')
# unpacked FOLDER: the release, in a new folder
unpacked() { mkdir -p "$1" && tar xf "$tarball" -C "$1" && cd "$1/rtgauge-$version" || exit 1; }
# missing PROGRAM...: the first one that is not here
missing() { for program; do have "$program" || { echo "$program"; return; }; done; }
# has_programs NAMES LIST: is each of them in the list of paths?
has_programs() {
	for wanted in $1; do grep -qE "/s?bin/$wanted\$" "$2" || { note "no $wanted"; return 1; }; done
}

# has_pages LIST: is each man page of the tree in the list of paths, compressed or a link?
has_pages() {
	for page in "$top"/man/*.[1-8]; do
		grep -qE "/man${page##*.}/${page##*/}(\.gz)?( -> .*)?\$" "$1" || { note "no ${page##*/}"; return 1; }
	done
}

# ---- the release -------------------------------------------------------------------
release() {
	git -C "$top" rev-parse -q --verify HEAD >/dev/null 2>&1 ||
		skip_all "not a git clone, of which a release could be made"
	git clone -q "$top" clone && cd clone || exit 1
	run make -s dist
	check "make dist" [ "$status" = 0 ]
	cp "rtgauge-$version.tar.gz" "$tarball" || exit 1
	run make -s dist
	check "the same commit gives the same tarball" cmp "rtgauge-$version.tar.gz" "$tarball"
	cd "$T" || exit 1
	unpacked "$T/plain"
	run $offline make -j2 all
	check "the release builds without network" [ "$status" = 0 ]
	check "and its programs run" ./cyclictest --version
	cp "$tarball" .
	run make -s recipes
	check "recipes are made" [ "$status" = 0 ]
	check "nothing in them waits to be filled in" sh -c "! grep -rE '@[A-Z0-9_]+@' build/packaging"
	sum=$(sha256sum "$tarball" | cut -d ' ' -f 1)
	check "they know the tarball" grep -q "$sum" build/packaging/buildroot/rtgauge.hash
	sum=$(sha256sum LICENSE | cut -d ' ' -f 1)
	check "and the license" grep -q "$sum" build/packaging/yocto/rtgauge.bb
	cd "$T" || exit 1
}

# ---- Debian packages -----------------------------------------------------------------
# build_deb FOLDER VARIABLE=VALUE...: as a user of the release would; make deb is the other way
build_deb() {
	unpacked "$1"
	shift
	run env "$@" dpkg-buildpackage -us -uc -b
	cd "$T" || exit 1
}

debian() {
	lacking=$(missing dpkg-buildpackage dh dh_python3)
	if [ -n "$lacking" ]; then skip "Debian packages: no $lacking here"; return; fi
	run make -C clone deb
	check "make deb, tests included" [ "$status" = 0 ]
	[ "$status" = 0 ] || { note 'the end of it:'; tail -n 60 .out | sed 's/^/# /'; return; }
	cp -r clone/build/deb deb
	build_deb "$T/another/place" TZ=Asia/Tokyo "DEB_BUILD_OPTIONS=nocheck $DEB_BUILD_OPTIONS"
	check "dpkg-buildpackage elsewhere, in another time zone" [ "$status" = 0 ]
	for deb in deb/*.deb; do
		check "${deb#*/} is the same from there" cmp "$deb" "another/place/${deb#*/}"
	done
	dpkg-deb -c deb/rtgauge_*.deb >main.list
	dpkg-deb -c deb/rtgauge-scripts_*.deb >scripts.list
	check "rtgauge has all programs" has_programs "$tools" main.list
	check "rtgauge-scripts has all in Python" has_programs "$scripts" scripts.list
	cat main.list scripts.list >both.list
	check "all man pages are in one of them" has_pages both.list
	check "rtgauge needs no Python" sh -c '! dpkg-deb -f deb/rtgauge_*.deb Depends | grep -q python'
	check "they share no file" [ -z "$(awk '/^-/ { print $6 }' main.list scripts.list | sort | uniq -d)" ]
	if have lintian; then
		[ "$(id -u)" != 0 ] || root=--allow-root
		run lintian -I ${root-} --fail-on error,warning,info deb/*.changes
		check "lintian finds nothing" [ "$status" = 0 ]
	else
		skip "lintian is not here"
	fi
	install_debs
}

# ---- installed, used, upgraded, removed: in a root of its own ----------------------------
# rt-tests and a build of ours that calls itself older come before it.
install_debs() {
	if ! is_root; then skip "installing: root may do that"; return; fi
	if [ -n "${RT_PACKAGES_ROOT-}" ]; then
		cp -a "$RT_PACKAGES_ROOT" root
	elif have debootstrap; then
		run debootstrap --variant=minbase "${RT_PACKAGES_SUITE:-bookworm}" root
	else
		skip "installing: no debootstrap here"
		return
	fi
	if [ ! -x root/usr/bin/apt-get ]; then skip "installing: no Debian root can be had"; return; fi
	mkdir -p root/root/debs root/root/older
	cp deb/rtgauge_*.deb deb/rtgauge-scripts_*.deb root/root/debs
	for deb in root/root/debs/*.deb; do
		rm -rf older && dpkg-deb -R "$deb" older
		sed -i "s/$version-/$version~older-/" older/DEBIAN/control
		dpkg-deb --root-owner-group -b older root/root/older >/dev/null
	done
	cp /etc/resolv.conf root/etc/resolv.conf
	cp "$top/tests/packages/try-debs" root/root/
	run unshare -m sh -c 'mount -t proc proc root/proc && mount --bind /sys root/sys &&
		mount --bind /dev root/dev && mount -t tmpfs shm root/dev/shm; exec chroot root sh /root/try-debs'
	if [ "$status" = 77 ]; then skip "installing: $(tail -n 1 .out)"; return; fi
	note "$(grep -c . .out) lines of apt and of the programs"
	for step in 'replaces rt-tests' 'upgrades an older build' 'cyclictest measures' 'cyclicdeadline measures' \
		    'man pages are found' 'rt-hist shows the result' 'removed and purged' 'nothing is left'; do
		check "in a Debian root: $step" grep -qx "good: $step" .out
	done
}

# ---- rpm ---------------------------------------------------------------------------------
rpm_packages() {
	lacking=$(missing rpmbuild rpm)
	if [ -n "$lacking" ]; then skip "rpm packages: no $lacking here"; return; fi
	run make -C clone rpm
	check "make rpm" [ "$status" = 0 ]
	[ "$status" = 0 ] || return
	r=$T/rpmroot
	mkdir "$r"
	rpm --root "$r" --initdb
	run rpm --root "$r" -i --nodeps --noscripts clone/build/rpm/RPMS/*/*.rpm
	check "rpm --root installs both" [ "$status" = 0 ]
	find "$r" ! -type d >rpm.list
	check "they have all programs" has_programs "$tools $scripts" rpm.list
	check "and all man pages" has_pages rpm.list
	prints "cyclictest V $version" "$r/usr/bin/cyclictest" --version
	run rpm --root "$r" -V --nodeps rtgauge rtgauge-scripts
	check "rpm finds them whole" [ "$status" = 0 ]
	run rpm --root "$r" -e --noscripts rtgauge-scripts rtgauge
	check "rpm erases both" [ "$status" = 0 ]
	check "and no file is left" [ -z "$(find "$r" ! -type d ! -path '*/rpm*/*')" ]
}

release
debian
rpm_packages
done_testing
