#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cyclictest-options - the forms in which programs pass options, and what is refused.
. "${0%/*}/tap.sh"
. "$tests_dir/cyclictest.sh"
T_LIMIT=20

# threads N INTERVALS OPTION...: it runs N threads, of these intervals
threads() {
	want=$1 intervals=$2; shift 2
	run cyclictest -q "$@"
	got=$(sed -n 's/^T:.* I:\([0-9]*\) .*/\1/p' "$T/.out" | tr '\n' ' ')
	check "$want threads, intervals $intervals: $*" \
		[ "$status:$(lines "$LINE"):$got" = "0:$want:$intervals " ]
}
cpus=$(grep -c ^processor /proc/cpuinfo)
[ "$(nproc)" = "$cpus" ] || skip_all "not all CPUs may be used here"

# ---- forms that programs use ---------------------------------------------------------
threads 1 1000 -l 2
threads 2 '1000 1500' -t2 -l 2
threads 2 '1000 1500' -t 2 -l 2
threads 2 '1000 1500' --threads 2 -l 2
threads 2 '1000 1500' --threads=2 -l 2
threads 2 '1000 1500' --thread 2 -l 2
threads 3 '500 700 900' -t3 -i 500 -d 200 -l 2
threads 2 '300 300' -t2 -i300 -d0 -l 2
threads 1 1000 -a 0 -l 2
if is_root; then threads 1 1000 -a0 -m -l 2; else skip "-m: no right to lock memory"; fi
threads 1 1000 --affinity 0 -l 2
threads 1 1000 -a all -l 2
threads 1 1000 -t -a 0 -l 2
threads 2 '1000 1500' -a 0 -t 2 -l 2
threads 2 '1000 1500' -t 2 -a -l 2
threads 2 '1000 1500' -a -t 2 -l 2
threads 1 1000 -a '' -l 2
threads 1 1000 '' -l 2
threads 1 1000 -S -a 0 -l 2
threads 1 1000 -a 0 -S -l 2
threads 1 1000 -n -l 2
threads 1 1000 --nanosleep -U --numa --notrace -l 2
threads 1 1000 -qmu -l 2
threads 1 1000 -umq -l 2
threads 1 10000 -i 10ms -l 2
threads 1 1000 -D 10ms
threads 1 1000 -D 0m0.01s
threads 1 1000 -l 2.00
threads 1 1000 '-l 2'
threads 1 1000 -i ' 1000' -l 2
threads 1 1000 --dur=1 -l 2
threads 1 1000 --inter=1000 --loop=2
threads 1 1000 -A -l 2
threads 1 1000 --secaligned=0 -i 1000 -l 1
threads 1 1000 -x -l 2
threads 1 1000 -x -r -l 2
threads 1 1000 -r -l 2
threads 1 1000 -s -l 2
threads 1 1000 -s -r -l 2
threads 1 1000 --policy=OTHER -l 2
threads 1 1000 --policy=norm -l 2
for clock in monotonic realtime tai boottime 0 1; do threads 1 1000 -c $clock -l 2; done

run cyclictest -q -S 2 -l 2
check "-S 2: a thread on each CPU" [ "$status:$(lines "$LINE")" = "0:$cpus" ]
warns "^cyclictest: warning: '2' is not an option, ignored$"
run cyclictest -q foo -l 2 bar
check "stray words: the run goes on" [ "$status:$(lines "$LINE")" = 0:1 ]
check "stray words: one warning each" [ "$(grep -c ignored "$T/.err")" = 2 ]
for form in -t -t0 '-t 0' --threads=0; do
	# shellcheck disable=SC2086 # two words
	run cyclictest -q $form -l 2
	check "$form: a thread for each CPU" [ "$status:$(lines "$LINE")" = "0:$cpus" ]
done
run cyclictest -q -S -t 5 -l 2
check "-S -t 5: a thread for each CPU" [ "$status:$(lines "$LINE")" = "0:$cpus" ]
warns '^cyclictest: warning: --threads is ignored'
run cyclictest -q -s -x -l 2
check "-s -x: sleeps" [ "$status:$(lines "$LINE")" = 0:1 ]
warns '^cyclictest: warning: --posix_timers is ignored'
run cyclictest -q --tracemark -l 2
warns '^cyclictest: warning: --tracemark does nothing'
run cyclictest -q -h 100 -d 300 -t2 -l 2
warns 'distance is ignored and set to 0, if histogram enabled'
run cyclictest -q -h 2000000 -l 2
warns '^cyclictest: warning: --histogram: 2000000 '
check "-h 2000000: is cut and runs" [ $status = 0 ]
run cyclictest -q -h 1000000 -D 1d -l 2
check "-D 1d -l 2: the first of both ends it" [ $status = 0 ]

exits 0 cyclictest --help
says '^  -h, --histogram=US '
says '^Usage: cyclictest \[options\]$'
exits 0 cyclictest '-?'
prints 'cyclictest V [0-9]+\.[0-9]+' cyclictest --version
exits 0 env -i "$(command -v cyclictest)" -q -l 2

# ---- refusals: before anything is touched ----------------------------------------------
for bad in '' -1 -5 100 abc 5x 1e3 50%; do refuses 2 "--priority: '$bad'" cyclictest "--priority=$bad" -l 2; done
for bad in -3 abc 2x 2.5 99999999999999999999; do refuses 2 "--threads: '$bad'" cyclictest "-t$bad" -l 2; done
refuses 2 "'-3' is not an option" cyclictest -t -3 -l 2
refuses 2 "--threads: 'abc'" cyclictest -t abc -l 2
for bad in 0 -5 abc 1e3 5m 5x '' 0.5 1000000001 99999999999 999999999999999999999; do
	refuses 2 "--interval: '$bad'" cyclictest "--interval=$bad" -l 2
done
for bad in -2000 x '' 1000000001; do refuses 2 "--distance: '$bad'" cyclictest "--distance=$bad" -l 2; done
for bad in -3 abc 1.5 9223372036854775808; do refuses 2 "--loops: '$bad'" cyclictest "-l$bad"; done
for bad in 5x x '' -1 1.5 10mm 200000000000d; do refuses 2 "--duration: '$bad'" cyclictest "--duration=$bad"; done
for bad in 0 -1 abc '' 5.5 1e3; do
	refuses 2 "--histogram: '$bad'" cyclictest "--histogram=$bad" -l 2
	refuses 2 "--histofall: '$bad'" cyclictest "--histofall=$bad" -l 2
done
refuses 2 '--histogram: .* too large' cyclictest -h 99999999999999999 -l 2
for bad in 0 -1 abc; do
	refuses 2 "--breaktrace: '$bad'" cyclictest "-b$bad" -l 2
	refuses 2 "--spike: '$bad'" cyclictest "--spike=$bad" -l 2
	refuses 2 "--limit: '$bad'" cyclictest "--limit=$bad" -l 2
	refuses 2 "--spike-nodes: '$bad'" cyclictest "--spike-nodes=$bad" --spike=5 -l 2
	refuses 2 "--oscope: '$bad'" cyclictest -v "--oscope=$bad" -l 2
done
refuses 2 "--limit: '500ns'" cyclictest --limit=500ns -l 2
for bad in -1 abc 2147483648; do refuses 2 "--latency: '$bad'" cyclictest "--latency=$bad" -l 2; done
for bad in -2 abc 65; do
	refuses 2 "--deepest-idle-state: '$bad'" cyclictest "--deepest-idle-state=$bad" -l 2
done
for bad in -1 abc 1000000001; do
	refuses 2 "--aligned: '$bad'" cyclictest "-A$bad" -l 2
	refuses 2 "--secaligned: '$bad'" cyclictest "--secaligned=$bad" -l 2
done
for bad in foo 2 -1 aux8 aux REALTIME_COARSE; do refuses 2 "--clock: '$bad'" cyclictest "-c$bad" -l 2; done
for bad in garbage deadline '' fifo2; do refuses 2 "--policy: '$bad'" cyclictest "--policy=$bad" -l 2; done
for bad in 5-2 1-0 99 0, ,0 0-1x 0-1:2 0-1,!0 x '!all' +99 even; do
	refuses 2 '--affinity: ' cyclictest "-a$bad" -l 2
	refuses 2 '--mainaffinity: ' cyclictest "--mainaffinity=$bad" -l 2
done
exits 0 cyclictest -q --mainaffinity= -l 2 # as rt-tests: not given
exits 0 cyclictest -q --json= -l 2
refuses 2 '--aligned and --secaligned exclude' cyclictest -A --secaligned -l 2
refuses 2 '--oscope: only' cyclictest -o 5 -l 2
refuses 2 '--priospread: 3 threads' cyclictest --priospread -p 2 -t 3 -l 2
refuses 2 '--smi: ' cyclictest --smi -l 2
refuses 2 '--checkpoint: needs' cyclictest --checkpoint=1 -l 2
refuses 2 '--checkpoint: needs' cyclictest --checkpoint=1 --json=- -l 2
refuses 2 "--checkpoint: '0" cyclictest --checkpoint=0 --json=x.json -l 2
refuses 2 'only one document' cyclictest --json=- --result=- -l 2
refuses 2 'only one document' cyclictest -h 5 --histfile=- --result=- -l 2
refuses 2 '--samples: ' cyclictest --samples=- -l 2
for name in result samples histfile fifo load; do refuses 2 "--$name: ''" cyclictest "--$name=" -l 2; done
refuses 2 "'--nope' is not an option" cyclictest --nope -l 2
refuses 2 "'-Z' is not an option" cyclictest -Z -l 2
refuses 2 "'-Z'" cyclictest -qZ -l 2
refuses 2 '--duration' cyclictest -D
refuses 2 "'--hist'.*" cyclictest --hist=5 -l 2
refuses 2 "'--quiet=1'|--quiet" cyclictest --quiet=1 -l 2
for old in -Tfoo -f -I -P -B -w -W -C -E --ftrace --keep-going --on-threshold=stop; do
	exits 0 cyclictest -q $old -l 2
	warns '^cyclictest: warning: --[a-z-]* does nothing without --breaktrace$'
done
for bad in sched : sched: :x ../a:b ''; do refuses 2 "--event: '$bad'" cyclictest "--event=$bad" -l 2; done
for bad in foo '' trace,x shell signal signal,num=1 signal,num=99,pid=1; do
	refuses 2 "--on-threshold: '$bad'" cyclictest "--on-threshold=$bad" -l 2
done
refuses 2 "exclude each other" cyclictest --on-threshold=stop --on-threshold=continue -l 2
refuses 2 "'stop' excludes --keep-going" cyclictest -b 5 --on-threshold=stop --keep-going -l 2
refuses 2 '--why: .*monotonic, boottime or tai' cyclictest --why -c realtime -l 2
check "nothing was left behind" [ "$(ls "$T")" = "" ]
done_testing
