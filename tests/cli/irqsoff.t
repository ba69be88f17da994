#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# irqsoff - options and refusals of irqsoff and preemptoff, and a run of each on a
# folder that looks like tracefs, since most kernels are built without the tracers.
. "${0%/*}/tap.sh"
. "$tests_dir/cyclictest.sh"

for tool in irqsoff preemptoff; do
	prints "$tool V 3\\.00" $tool --version
	prints "Usage: $tool .*" $tool --help
	prints "Usage: $tool .*" $tool -h
	for bad in abc -5 5x ''; do refuses 2 '--duration: ' $tool -D "$bad"; done
	refuses 2 '--limit: ' $tool --limit=0
	refuses 2 "--affinity: .*x" $tool -a x
	refuses 2 "'--nope' is not an option" $tool --nope
	refuses 2 '.' $tool --json=- --result=- -D 1
done
if ! { is_root && have unshare && unshare -m true 2>/dev/null; }; then
	skip "not root, or no mount namespaces: no tracefs"
	done_testing
fi

# ---- this kernel -----------------------------------------------------------------------------
cat >private <<'END'
[ -e /sys/kernel/tracing/tracing_on ] || mount -t tracefs none /sys/kernel/tracing 2>/dev/null || exit 77
grep -qw "$1" /sys/kernel/tracing/available_tracers && exit 78
[ ! -d /sys/kernel/tracing/events/preemptirq ] || exit 78
exec "$@" -D 1
END
for pair in irqsoff:IRQSOFF preemptoff:PREEMPT; do
	tool=${pair%:*}
	run unshare -m sh private "$tool"
	case $status in
	77) skip "no tracefs" ;;
	78)
		run unshare -m sh -c 'mount -t tracefs none /sys/kernel/tracing 2>/dev/null; exec "$1" -D 1' - "$tool"
		check "$tool: a run" [ "$status" = 0 ]
		says 'section with (interrupts|preemption) off'
		;;
	*)
		check "$tool: no such tracer: 4" [ "$status:$(wc -c <"$T/.out")" = 4:0 ]
		warns "^$tool: this kernel has no $tool tracer \(it needs CONFIG_${pair#*:}_TRACER\); it has: .*; nor the events preemptirq:.*CONFIG_PREEMPTIRQ_TRACEPOINTS"
		;;
	esac
done

# ---- a folder that looks like tracefs, without instances ------------------------------------------
mock() {
	rm -rf mock; mkdir mock
	: >mock/trace_marker
	echo 'irqsoff preemptoff nop' >mock/available_tracers
	echo "${1:-nop}" >mock/current_tracer
	echo "${2:-1}" >mock/tracing_on
	echo 7 >mock/tracing_thresh
	echo 0 >mock/tracing_max_latency
	cp "$tests_dir/../data/irqsoff/trace.txt" mock/trace
}
cat >mocked <<'END'
mkdir -p /sys/kernel/tracing 2>/dev/null
mount --bind mock /sys/kernel/tracing || exit 77
[ -z "$VALUE" ] || { sleep 0.4; cat mock/current_tracer mock/tracing_on mock/tracing_thresh >mock.during; echo $VALUE >mock/tracing_max_latency; } &
"$@"
status=$?
wait
exit $status
END
with_mock() { run env VALUE="$VALUE" unshare -m sh mocked "$@"; }
VALUE=259
mock nop 0
with_mock irqsoff -D 1 --result=r.json --json=j.json --trace=saved
if [ "$status" = 77 ]; then
	skip "no folder to mount on"
	done_testing
fi
check "a run: status" [ "$status" = 0 ]
cat >want <<'END'
longest section with interrupts off: 259 us
CPU:        3
task:       my ps-6143
started at: __lock_task_sighand
ended at:   _raw_spin_unlock_irqrestore
call chain: trace_hardirqs_on_caller
         <- trace_hardirqs_on
         <- _raw_spin_unlock_irqrestore
         <- do_task_stat
END
check "the text" cmp -s "$T/.out" want
check "the trace is saved" cmp -s saved mock/trace
check "the tracer was on, without a threshold" [ "$(tr '\n' ' ' <mock.during)" = "irqsoff 1 0 " -o "$(tr -d '\n' <mock.during)" = irqsoff10 ]
check "all is put back" [ "$(cat mock/current_tracer mock/tracing_on mock/tracing_thresh | tr '\n' ' ')" = "nop 0 7 " ]
holds "the result" r.json 'd["irqsoff"]["max_ns"] == 259000 and d["irqsoff"]["cpu"] == 3 and d["irqsoff"]["call_chain"][3] == "do_task_stat" and d["exit_status"] == 0 and d["ended_by"] == "duration"'
if [ -n "$PYTHON" ]; then
	run "$PYTHON" "$tests_dir/validate.py" "$top/share/rtgauge-result-1.schema.json" r.json
	check "it follows the schema" [ "$status" = 0 ]
else
	skip "no python3 to read JSON"
fi
holds "the other document" j.json 'd["max_ns"] == 259000 and d["return_code"] == 0'
mock
with_mock preemptoff -D 1 --limit=200 --result=r.json
check "--limit: 3" [ "$status" = 3 ]
says '^longest section with preemption off: 259 us$'
warns '^preemptoff: --limit: a section of 259 us was above 200 us$'
holds "the result has the status" r.json 'd["exit_status"] == 3'
mock
with_mock irqsoff -D 1 --limit=259
check "at the limit: 0" [ "$status" = 0 ]
VALUE=
mock
with_mock irqsoff -D 100ms
check "nothing found" [ "$status" = 0 ]
says '^no section with interrupts off of a microsecond or more$'
mock function
with_mock irqsoff -D 100ms
check "another tracer: 4" [ "$status:$(cat mock/current_tracer)" = 4:function ]
warns "the tracer 'function' is running already"
mock
with_mock irqsoff -D 100ms -a 0
check "-a without an instance: 2" [ "$status:$(cat mock/current_tracer)" = 2:nop ]
mock
with_mock timeout -s INT 1 irqsoff -D 0
check "SIGINT: put back" [ "$(cat mock/current_tracer)" = nop ]
says 'interrupts off'
mock
with_mock timeout -s KILL 0.5 irqsoff -D 0
check "kill -9 leaves the tracer" [ "$(head -c 7 mock/current_tracer)" = irqsoff ]
if [ -d /run/rtgauge ]; then
	with_mock irqsoff -D 100ms
	check "the next start puts it back" [ "$status:$(cat mock/current_tracer mock/tracing_thresh | tr '\n' ' ')" = "0:nop 7 " ]
else
	skip "no journals on this machine"
fi
done_testing
