/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysinfo - what a result must carry about the system to be comparable.
 */
#ifndef RT_SYSINFO_H
#define RT_SYSINFO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/utsname.h>

/**
 * struct rt_sysinfo - everything as text, NULL where the kernel does not tell
 * @preempt:    "rt", "full", "lazy", "voluntary", "none"; from /sys/kernel/realtime,
 *              the kernel's version string and /sys/kernel/debug/sched/preempt
 * @realtime:   first byte of /sys/kernel/realtime is 1
 * @hypervisor: CPU flag or /sys/hypervisor/type; "none" when there is none
 * @rt_runtime: "950000/1000000": /proc/sys/kernel/sched_rt_{runtime,period}_us
 */
struct rt_sysinfo {
	struct utsname uts;
	bool realtime;
	char *preempt;
	char *cmdline;
	char *machine;
	char *online;
	char *isolated;
	char *nohz_full;
	char *clocksource;
	char *governor;
	char *idle_driver;
	char *smt;
	char *hypervisor;
	char *rt_runtime;
};

/** rt_sysinfo_get() - read it all; never fails, end with rt_sysinfo_done() */
void rt_sysinfo_get(struct rt_sysinfo *ret);
void rt_sysinfo_done(struct rt_sysinfo *info);

/** rt_loadavg() - the content of /proc/loadavg; "" when it can't be read; heap memory or NULL */
char *rt_loadavg(void);

#endif
