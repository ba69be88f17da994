#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=4
#
# tracing-top - cyclictest -T with a tracer that the kernel runs at the top level of tracefs
# only: used there, its trace is saved, and all is put back.
. "${0%/*}/tap.sh"

have cyclictest || skip_all "cyclictest has not been built"
{ is_root && have unshare && unshare -m true 2>/dev/null; } || skip_all "not root, or no mount namespaces"

# Which tracers the kernel takes where is found by trying. (Not with all of them: mmiotrace takes
# CPUs offline, function tracing takes time.)
cat >find <<'END'
tracing=/sys/kernel/tracing
[ -e $tracing/tracing_on ] || mount -t tracefs none $tracing 2>/dev/null || exit 77
mkdir $tracing/instances/probe$$ 2>/dev/null || exit 77
for tracer in blk wakeup_rt irqsoff preemptoff; do
	where=
	grep -qw $tracer $tracing/available_tracers || continue
	if echo nop >$tracing/instances/probe$$/current_tracer &&
	   echo $tracer >$tracing/instances/probe$$/current_tracer; then
		where=instance
	elif [ "$(cat $tracing/current_tracer)" = nop ] && echo $tracer >$tracing/current_tracer; then
		echo nop >$tracing/current_tracer
		where=top
	fi
	[ -z "$where" ] || echo $where $tracer
done >tracers 2>/dev/null
echo nop >$tracing/instances/probe$$/current_tracer
rmdir $tracing/instances/probe$$
END
run unshare -m sh find
[ "$status" != 77 ] || skip_all "no tracefs, or no instances in it"
note "$(tr '\n' ';' <tracers)"

cat >private <<'END'
tracing=/sys/kernel/tracing
[ -e $tracing/tracing_on ] || mount -t tracefs none $tracing
mount -t tmpfs -o mode=755 none /run
state() { (cd $tracing && cat tracing_on current_tracer trace_clock trace_options set_event tracing_cpumask); }
[ -z "$OFF" ] || echo 0 >$tracing/tracing_on
[ -z "$TAKEN" ] || echo $TAKEN >$tracing/current_tracer
state >before
"$@"
status=$?
state >after
[ -z "$OFF" ] || echo 1 >$tracing/tracing_on
[ -z "$TAKEN" ] || echo nop >$tracing/current_tracer
cmp before after >&2 || echo "tracefs is not as before" >&2
exit $status
END
with_tracefs() { run env OFF="$OFF" TAKEN="$TAKEN" unshare -m sh private "$@"; }
saves() {
	check "$1 ($2): 0" [ "$status" = 0 ]
	says '^# Trace: cyclictest-trace.txt$'
	check "its trace is saved" grep -q "^# tracer: $1\$" cyclictest-trace.txt
	lacks 'not as before|switched off now'
	rm -f cyclictest-trace.txt
}
OFF= TAKEN=

tracer=$(sed -n 's/^top //p' tracers | head -n 1)
if [ -n "$tracer" ]; then
	with_tracefs cyclictest -N -b 1 -q -l 100 -T $tracer
	saves $tracer "the top level"
else
	skip "those tracers that this kernel has run in instances"
fi
# In a guest all takes longer, and is the same.
if [ -n "$tracer" ] && ! grep -q rtvm_ /proc/cmdline; then
	OFF=1
	with_tracefs cyclictest -N -b 1 -q -l 100 -T $tracer -O noirq-info
	saves $tracer "tracing was off, and an option"
	OFF=
	with_tracefs cyclictest -N -b 1 -q -l 20 -T $tracer --keep-going --tracemark
	saves $tracer "it goes on"
	with_tracefs cyclictest -N -b 1 -q -l 20 -T $tracer --why
	saves $tracer "beside an explanation"
	TAKEN=$tracer
	with_tracefs cyclictest -N -b 1 -q -l 100 -T $tracer
	check "somebody else's tracer: 4" [ "$status" = 4 ]
	warns "^cyclictest: --tracer: the tracer '$tracer' is running already"
	lacks 'not as before'
	TAKEN=
	with_tracefs cyclictest -N -b 1 -q -l 100 -T $tracer -C
	check "with events: 4" [ "$status" = 4 ]
	warns "--tracer: '$tracer' runs at the top level of tracefs only.* leave out --event"
	with_tracefs cyclictest -N -b 1 -q -l 100 -T $tracer -O foo
	check "a bad option: 2" [ "$status" = 2 ]
	warns "--traceopt: 'foo' is no option"
	lacks 'not as before'
	cat >killed <<'END'
timeout -s KILL 3 cyclictest -b 1000s -q -T "$1"
cat $tracing/current_tracer >during
exec cyclictest -q -l 3
END
	with_tracefs sh -c "tracing=/sys/kernel/tracing; . ./killed" - $tracer
	check "kill -9 leaves it" grep -qx $tracer during
	lacks 'not as before'
fi

# The max-latency tracers, where there are some
for tracer in wakeup_rt irqsoff preemptoff; do
	where=$(sed -n "s/ $tracer\$//p" tracers)
	if [ -n "$where" ]; then
		with_tracefs cyclictest -N -p 80 -b 1 -q -l 100 -T $tracer -O nofunction-trace
		saves $tracer "$where"
	else
		skip "this kernel has no $tracer"
	fi
done
done_testing
