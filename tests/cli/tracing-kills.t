#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=4
# kernel-warns: trace_rb_cpu_prepare
#
# tracing-kills - runs beside a trace that are killed at random, or not, and some that do not
# see tracefs: after one more start tracefs is as before. T_RUNS=100 for more of them than the
# few of every day; T_SEED=N for those of a run that failed. A kill in the middle of the mkdir of
# an instance makes Linux 6.1 warn that it could not allocate the ring buffer.
. "${0%/*}/tap.sh"

runs=${T_RUNS:-12}
seed=${T_SEED:-$$}
have cyclictest || skip_all "cyclictest has not been built"
{ is_root && have unshare && unshare -m true 2>/dev/null; } || skip_all "not root, or no mount namespaces"

# The runs, one a line: seconds until it is killed, "-" for never, and its options; or "blind".
# In a guest all takes longer.
slow=1
grep -q rtvm_ /proc/cmdline && slow=5
awk -v runs="$runs" -v seed="$seed" -v slow=$slow 'BEGIN {
	srand(seed)
	n = split("--why|--why -b 1 --keep-going|-b 1 -C -T nop|-b 1 -C -O noirq-info --keep-going" \
		  "|-b 1 --why --on-threshold=trace,file=mine", options, "|")
	print slow, "--why" # this one surely has an instance
	for (i = 2; i <= runs; i++) {
		kind = rand()
		limit = slow * (0.02 + rand() * rand() * 0.3)
		print kind < 0.1 ? "blind" : kind < 0.7 ? limit : "-", options[1 + int(rand() * n)]
	}
}' >plan

cat >private <<'END'
tracing=/sys/kernel/tracing
[ -e $tracing/tracing_on ] || mount -t tracefs none $tracing 2>/dev/null || exit 77
[ -d $tracing/instances ] && [ -d $tracing/events/sched/sched_switch ] || exit 77
# journals of our own, which no other run on this machine replays
mount -t tmpfs -o mode=755 none /run || exit 77
state() {
	for file in tracing_on current_tracer trace_clock set_event events/enable trace_options \
		    tracing_cpumask tracing_thresh; do
		echo "$file: $(cat $tracing/$file 2>/dev/null)"
	done
}
state >before
# Whose instance is whose their journals tell: other runs on this machine have some, too.
note_journals="cat /run/rtgauge/*.journal >>journals"
while read -r limit options; do
	case $limit in
	blind) unshare -m sh -c "umount -l $tracing; exec cyclictest -q -l 3" >/dev/null 2>>said ;;
	-) cyclictest -q -l 20 $options -b 1 --keep-going --on-threshold="shell,command=$note_journals" \
		>/dev/null 2>>said ;;
	*) # timeout(1) would kill itself as well, and not wait until the other one has gone
	   cyclictest -q -l 100000 $options >/dev/null 2>>said & pid=$!
	   sleep "$limit"
	   kill -KILL $pid 2>/dev/null
	   wait $pid
	   [ $? != 137 ] || echo killed >>killed
	   sh -c "$note_journals" 2>/dev/null ;;
	esac
	sed -n 's|.*rmdir .*/instances/||p' journals | sort -u >ours
	ls $tracing/instances | grep -cxFf ours >>left
done <plan
cyclictest -q -l 3 >/dev/null
state >after
ls $tracing/instances | grep -xFf ours >instances.left
exit 0
END
: >killed; : >said; : >left; : >journals; : >ours; : >instances.left
T_LIMIT=250 run unshare -m sh private
[ "$status" != 77 ] || skip_all "no tracefs, or no instances or events in it"
note "seed $seed: $(wc -l <killed) of $runs were killed, $(wc -l <ours) had an instance"
check "$runs runs: done" [ "$status" = 0 -a "$(wc -l <left)" = "$runs" ]
check "some were killed" [ -s killed ]
check "and left something for the next start" grep -q '^[1-9]' left
check "no run was refused" sh -c '! grep -Ev "warning|^Killed" said'
diff before after >"$T/.out"
check "tracefs is as before" cmp -s before after
check "no instance is left" [ ! -s instances.left ]
done_testing
