#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# container - the image is built from its Containerfile and run with the rights that the
# manifests of packaging/kubernetes give, on one CPU of its own.
#
# Needs root, podman with an OCI runtime, and a network for Debian's packages. The base
# image is made with debootstrap, or of RT_PACKAGES_ROOT; no registry of images is asked.
# Images and containers live in this test's own folder.

. "${0%/*}/../cli/tap.sh"
T_LIMIT=1200
unset MAKEFLAGS MAKELEVEL
manifests="/usr/bin/python3 $top/tests/cli/manifests.py"
folder=$top/packaging/kubernetes

is_root || skip_all "containers with real-time rights: root may make them"
have podman || skip_all "no podman here"
can_rt || skip_all "no real-time priorities here"
/usr/bin/python3 -c 'import yaml' 2>/dev/null || skip_all "no PyYAML (package python3-yaml)"
git -C "$top" rev-parse -q --verify HEAD >/dev/null 2>&1 || skip_all "not a git clone, of which a release could be made"

# pod WORDS...: podman in this folder. Runtimes take no mixture of both kinds of control
# groups: there it sees the second kind alone. It has no rights to raise limits everywhere.
cat >pod <<'END'
#!/bin/sh
if [ "$(stat -f -c %T /sys/fs/cgroup)" = tmpfs ] && [ "${HYBRID-}" != seen ]; then
	export HYBRID=seen
	exec unshare -m sh -c 'umount -R /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup && exec "$0" "$@"' "$0" "$@"
fi
place=${0%/*}
exec podman --root "$place/images" --runroot "$place/running" --storage-driver "$(cat "$place/driver")" \
	--cgroup-manager cgroupfs --events-backend none "$@"
END
chmod +x pod

# leave: the cpuset goes when the last helper of podman has ended
gone() { [ ! -d "$set" ] || rmdir "$set" 2>/dev/null; }
leave() {
	cd /
	waits_until 10 gone || note "$set is still in use"
	rm -rf "$T"
}
set=/sys/fs/cgroup/cpuset/rtgauge-test-$$
trap leave EXIT

# ---- the image ------------------------------------------------------------------------
if [ -n "${RT_PACKAGES_ROOT-}" ]; then
	tar -C "$RT_PACKAGES_ROOT" -c . >base.tar
else
	have debootstrap || skip_all "no debootstrap here"
	run debootstrap --variant=minbase "${RT_PACKAGES_SUITE:-bookworm}" base
	[ "$status" = 0 ] || skip_all "no Debian root can be had"
	tar -C base -c . >base.tar
	rm -rf base
fi
# overlay is fast, vfs works everywhere
for driver in overlay vfs; do
	echo $driver >driver
	run ./pod import base.tar localhost/base
	[ "$status" != 0 ] || break
done
[ "$status" = 0 ] || skip_all "podman cannot import an image here: $(tail -n 1 .err)"
rm base.tar
git clone -q "$top" clone && make -s -C clone dist || exit 1

# build TARGET NAME
build() {
	run ./pod build --pull=never --isolation=chroot --network=host --build-arg BASE=localhost/base \
		--target="$1" -f clone/packaging/container/Containerfile -t "localhost/$2" clone
	[ "$status" = 0 ] || tail -n 40 .out | sed 's/^/# /'
}
build programs rtgauge
check "the Containerfile builds" [ "$status" = 0 ]
[ "$status" = 0 ] || done_testing
build with-scripts rtgauge-scripts
check "and the target with Python programs" [ "$status" = 0 ]

limits='--ulimit nofile=1024:1024 --ulimit nproc=1024:1024' # any that need no right to raise them
# contained OPTIONS IMAGE COMMAND...: without a network; stdout, stderr and status are kept
contained() { run ./pod run --rm --network=none --cgroups=disabled $limits "$@"; }

contained localhost/rtgauge sh -c 'command -v python3; for each; do $each --version; done' sh $(make -s -C "$top" list-tools)
check "it runs here" [ "$status" = 0 ]
check "all programs are in it" [ "$(grep -ciE '^[a-z_-]+ v ?[0-9.]+$' .out)" = "$(make -s -C "$top" list-tools | wc -l)" ]
check "and no Python" sh -c '! grep -q python .out'
contained -i localhost/rtgauge-scripts rt-hist --version
check "the other one has rt-hist" [ "$status" = 0 ]

# ---- as the manifests have it ------------------------------------------------------------
# one CPU of two: that of a cpuset, as the static CPU manager gives it
cpus=$(nproc) alone=
if [ -d /sys/fs/cgroup/cpuset ] && mkdir "$set" 2>/dev/null; then
	cat /sys/fs/cgroup/cpuset/cpuset.mems >"$set/cpuset.mems"
	alone=$(cut -d - -f 2 /sys/fs/cgroup/cpuset/cpuset.cpus | cut -d , -f 1)
	echo "$alone" >"$set/cpuset.cpus"
	cpus=1
fi
# apart COMMAND...: inside of that cpuset
cat >apart <<'END'
#!/bin/sh
[ ! -d "$SET" ] || echo $$ >"$SET/cgroup.procs"
exec "$@"
END
chmod +x apart

# as_pod FILE NAME: the container NAME of the manifest, shorter
as_pod() {
	options=$($manifests podman "$folder/$1" | sed -n "s/^$2	//p")
	line=$($manifests commands "$folder/$1" | sed -n "s/^$2	//p" | sed "s/ -D1[0-9]*m / -D 1 /")
	: >words
	eval "set -- $limits $options -v $T/words:/dev/termination-log localhost/rtgauge $line"
	run env SET="$set" ./apart ./pod run --rm --network=none --cgroups=disabled "$@"
	cat words >>.err
}
# series: how many the document has
series() { grep -c '{"name":.*"histogram"' .out; }

as_pod job.yaml cyclictest
check "capabilities only: cyclictest -p90 measures" [ "$status" = 0 ]
says '"policy":"fifo","priority":90'
check "each CPU of the container, and no other" [ "$(series)" = "$cpus" ]
[ -z "$alone" ] || says "\"cpu\":$alone,"
[ -n "$alone" ] || skip "a cpuset of one CPU: no version 1 controller here"
says '"name":"dma_latency","asked":"0us","got":null,"reason":"[^"]*/dev/cpu_dma_latency'
says '"name":"mlock","asked":"[^"]*","got":"all"'
warns 'cpu_dma_latency'
cp .out log

as_pod job.yaml oslat
check "oslat measures" [ "$status" = 0 ]
check "on the same CPUs" [ "$(series)" = "$cpus" ]
cat .out >>log
run "$top/scripts/rt-hist" merge log
check "rt-hist merges what both wrote" [ "$(grep -c '"file":' .out)" = 2 ]

as_pod daemonset.yaml cyclictest
check "as DaemonSet: cyclictest measures" [ "$status" = 0 ]

# a pod that is deleted: SIGTERM to process 1
options=$($manifests podman "$folder/daemonset.yaml" | sed -n 's/^cyclictest	//p')
./pod run --name=deleted --network=none --cgroups=disabled $limits $options localhost/rtgauge \
	cyclictest -q -S -p90 -m -D10m --result=- >.out 2>.err &
runs() { takes_signals "$(./pod inspect -f '{{.State.Pid}}' deleted 2>/dev/null)"; }
waits_until 30 runs || fail "it did not start"
kill -TERM "$(./pod inspect -f '{{.State.Pid}}' deleted)"
wait $!
says '"ended_by": "signal:TERM"'

# ---- what is missing is named ------------------------------------------------------------
options=$(echo "$options" | sed 's/ --cap-add=SYS_NICE//')
contained $options localhost/rtgauge cyclictest -q -S -p90 -D1 --result=-
check "without SYS_NICE: status 4" [ "$status" = 4 ]
warns 'CAP_SYS_NICE'
check "and no document" [ ! -s .out ]
options=$(echo "$options --cap-add=SYS_NICE" | sed 's/ --cap-add=IPC_LOCK//')
contained $options --ulimit memlock=65536 localhost/rtgauge cyclictest -q -S -p90 -m -D1 --result=-
check "without IPC_LOCK: status 4" [ "$status" = 4 ]
warns 'CAP_IPC_LOCK|RLIMIT_MEMLOCK'

# ---- with the device ----------------------------------------------------------------------
as_pod job-device.yaml cyclictest
if grep -q 'Operation not permitted' .err && ! grep -q cyclictest .err; then
	skip "privileged: this machine may not give all rights"
else
	check "privileged: cyclictest measures" [ "$status" = 0 ]
	says '"name":"dma_latency","asked":"0us","got":"0us"'
	check "on its own CPUs, too" [ "$(series)" = "$cpus" ]
fi
done_testing
