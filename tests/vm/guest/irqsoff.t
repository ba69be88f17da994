#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=4
#
# irqsoff on a kernel that has neither tracer nor events: two probes under the events' names
# stand in for them. A "section" is then a read(2), and dd makes long ones.
. "${0%/*}/../guest.sh"
programs irqsoff preemptoff chrt

tracing=/sys/kernel/tracing
refuses 4 'no irqsoff tracer \(it needs CONFIG_IRQSOFF_TRACER\).*; nor the events preemptirq:irq_disable and irq_enable to do without \(CONFIG_PREEMPTIRQ_TRACEPOINTS with CONFIG_TRACE_IRQFLAGS\)' irqsoff -D 1
refuses 4 'CONFIG_PREEMPT_TRACER\).*preempt_enable.*CONFIG_TRACE_PREEMPT_TOGGLE' preemptoff -D 1
{
	echo 'p:preemptirq/irq_disable vfs_read caller=$comm' >$tracing/kprobe_events &&
	echo 'r:preemptirq/irq_enable vfs_read' >>$tracing/kprobe_events
} 2>/dev/null || { skip "no kprobe events in this kernel"; done_testing; }

state() { (cd $tracing && cat tracing_on current_tracer trace_clock set_event; ls instances); }
state >before
taskset 2 sh -c 'while [ ! -e stop ]; do dd if=/dev/zero of=/dev/null bs=8M count=1; done' 2>/dev/null & reader=$!
exits 3 irqsoff -D 2 -a 1 --limit=1
run irqsoff -D 3 -a 1 --trace=saved --json=json
touch stop
wait $reader
check "a run on events" [ "$status" = 0 ]
says '^longest section with interrupts off: [0-9]+ us$'
says '^CPU:        1$'
says '^task:       (dd|<\.\.\.>)-[0-9]+$'
says '^started at: "dd"$'
says '^on CPU 1    [0-9]+ us$'
says '^from events, to a microsecond; lost: [0-9]+'
# of a process that has just begun the kernel may not know the name yet
check "the two events are saved" [ "$(grep -Ec '(dd|<\.\.\.>)-[0-9]+ .*: irq_' saved)" = 2 ]
longest=$(sed -n 's/^longest.*: \([0-9]*\) us$/\1/p' "$T/.out")
from=$(sed -n '1s/.* \([0-9]*\)\.\([0-9]*\): irq_disable: .*/\1\2/p' saved)
to=$(sed -n '2s/.* \([0-9]*\)\.\([0-9]*\): irq_enable: .*/\1\2/p' saved)
check "its length is that between them" [ "$longest" = $((to - from)) ]
check "the document says so" grep -q '"source": *"events"' json
run timeout -s INT 1 irqsoff -D 0
check "SIGINT ends it with a result" grep -q '^from events' "$T/.out"
state >after
check "tracefs is as before" cmp -s before after
echo >$tracing/kprobe_events
done_testing
