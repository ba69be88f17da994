#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cyclictest-files - a disk that is full, a folder that vanishes: it is said, the
# run goes on to its end, the other results are there, the status is 1.
. "${0%/*}/tap.sh"
. "$tests_dir/cyclictest.sh"
T_LIMIT=20
has_json || skip_all "built without json-c (JSON=0)"

# on DISK SCRIPT: with a small file system on ./disk; "fill" takes all of its room
cat >fill <<'END'
#!/bin/sh
dd if=/dev/zero of=disk/filler bs=4k >/dev/null 2>&1
exit 0
END
chmod +x fill
mkdir disk
on() {
	size=$1; shift
	run unshare -m sh -c "mount -t tmpfs -o size=$size none disk && $*"
	cp "$T/.out" out
}
if ! is_root || ! have unshare || ! unshare -m mount -t tmpfs none disk 2>/dev/null; then
	skip "no file system of one's own: full disks"
else
	for option in json result histfile; do
		on 64k "./fill && exec cyclictest -q -h 1000 -l 30 --$option=disk/x"
		check "--$option, no room: status 1" [ $status = 1 ]
		warns "^cyclictest: cannot write 'disk/x': No space left on device$"
		check "--$option, no room: one line" [ "$(wc -l <"$T/.err")" = 1 ]
		[ $option = histfile ] || says '^# Total: '
	done
	on 64k './fill && cyclictest -q -l 30 --json=disk/x --result=r.json; cat disk/x'
	warns 'No space left'
	check "no room for one document: the other is there" [ -s r.json ]
	check "no room: no half document" [ "$(grep -c '[{}]' out)" = 0 ]
	# the old content stays
	on 64k 'echo old >disk/x; ./fill; cyclictest -q -l 30 --json=disk/x; cat disk/x; ls -A disk'
	says '^old$'
	check "no room: nothing unfinished is left" [ "$(sed -n '/^old$/,$p' out | tr '\n' ' ')" = 'old filler x ' ]

	cat >room <<-'END'
		for i in $(seq 100); do grep -q 'No space' .err && break; sleep 0.1; done
		rm disk/filler
	END
	on 64k './fill; sh room & cyclictest -q -D 3 --result=disk/x --checkpoint=1; echo "status $?"; cat disk/x'
	warns 'No space left on device; the run goes on$'
	check "a checkpoint without room is a warning, the end has it" grep -q '"ended_by": "duration"' out
	says '^status 0$'

	on 16k 'cyclictest -q -i 50 -l 8000 --samples=disk/s --result=r.json; echo "status $?"'
	says '^status 1$'
	warns 'cannot write samples to disk/s: No space left on device'
	warns 'thread 0: [0-9]* samples are not in the --samples file'
	check "--samples, no room: the run went on" [ "$(field C)" = 8000 ]
	check "--samples, no room: the document is there" [ -s r.json ]
	holds "--samples, no room: counted in the result" r.json '0 < d["series"][0]["counts"]["lost"] < 8000 and d["exit_status"] == 1'
	# the kernel refuses to remove there before it looks whether something is there
	for option in json result histfile samples fifo; do
		on 64k "mount -o remount,ro disk; cyclictest -q -h 9 -l 3 --$option=disk/x"
		check "--$option, read-only: refused" [ $status = 1 -a ! -s "$T/.out" ]
		check "--$option, read-only: one line" [ "$(wc -l <"$T/.err")" = 1 ]
		warns 'disk/x.*: Read-only file system$'
	done
	on 64k './fill; exec cyclictest -q -l 3 --samples=disk/s'
	check "--samples, no room at all: refused" [ $status = 1 -a ! -s "$T/.out" ]
fi

# ---- what happens to folders and files meanwhile ----------------------------------------------
mkdir gone
begin -q -D 1 --json=gone/x --result=r.json
rm -r gone
ends "a folder that vanishes" 1
warns "cannot write 'gone/x': No such file or directory"
check "a folder that vanishes: the other document" [ -s r.json ]
check "a folder that vanishes: the summary" [ "$(lines "$LINE")" = 1 ]
begin -q --json=x.json --checkpoint=1
soon 20 [ -s x.json ]
rm x.json
kill -INT $pid
ends "a document that is removed" 0
check "a document that is removed is written again" [ -s x.json ]
begin -q -i 100 -D 1 --samples=s.bin
rm s.bin
ends "a --samples file that is removed" 0
# Named pipes: a reader may come later; while there is none a signal is heard.
mkfifo pipe
for option in json result histfile samples; do
	T_LIMIT=5 run timeout 0.3 cyclictest -q -h 100 -l 3 --$option=pipe
	check "--$option=PIPE without a reader is ended by SIGTERM" [ $status = 124 ]
	(sleep 0.2; cat pipe >got) &
	exits 0 cyclictest -q -h 100 -l 3 --$option=pipe
	wait
	check "--$option=PIPE: its reader has it" [ -s got ]
done
check "the pipe stays" [ -p pipe ]
run sh -c 'cyclictest -v -i 100 -l 5000 | head -n 20'
check "a reader of stdout that leaves" [ "$(wc -l <"$T/.out")" = 20 ]
run sh -c 'cyclictest -v -i 100 -l 3000 --result=r.json 2>err | head -n 1; cat err'
check "and the document is complete" [ "$(tail -c 2 r.json)" = '}' ]
run sh -c 'cyclictest -q -l 5 >/dev/full'
check "stdout that takes nothing: status 1" [ $status = 1 ]
warns 'stdout|standard output'
run sh -c 'cyclictest -q -l 5 >&-'
check "stdout that is closed: status 1" [ $status = 1 ]
for option in --help --version; do
	run sh -c "cyclictest $option >/dev/full"
	check "$option to a full disk: 1, and why" [ "$status" = 1 ]
	warns '^cyclictest: cannot write all of the output to stdout: No space left on device$'
done
run sh -c 'cyclictest -q -l 5 --json=- >/dev/full'
warns 'cannot write to stdout: No space left on device$'
run sh -c 'cyclictest -q -l 5 2>&-'
check "stderr that is closed" [ "$status:$(lines "$LINE")" = 0:1 ]
run sh -c 'cyclictest -q -l 5 --result=r.json --samples=s.bin <&- >&- 2>&-'
holds "no standard file at all: the document is whole" r.json 'd["ended_by"] == "loops"'
# Nothing that is opened later may get their numbers.
run sh -c 'cyclictest -q -D 1 <&- >&- 2>&- & sleep 0.5; ls -l /proc/$!/fd | sed -n "s/.* \([012]\) -> /\1 /p"'
check "closed standard files stay taken" [ "$(tr '\n' ' ' <"$T/.out")" = '0 /dev/null 1 /dev/null 2 /dev/null ' ]
done_testing
