/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysinfo - what the kernel's files tell about the system that was measured.
 * All of it is read once, before or after a run, never during it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "rt/compiler.h"
#include "rt/cpuset.h"
#include "rt/files.h"
#include "rt/sysinfo.h"

#define CPU_FOLDER "/sys/devices/system/cpu/"

char *rt_loadavg(void)
{
	char *line = rt_read_line("/proc/loadavg");

	return line ? line : strdup("");
}

/* The word in brackets, as in "none voluntary (full) lazy". */
static char *chosen_word(const char *choices)
{
	const char *open = choices ? strchr(choices, '(') : NULL;
	const char *close = open ? strchr(open, ')') : NULL;

	return close ? strndup(open + 1, (size_t)(close - open - 1)) : NULL;
}

/* The value of "NAME=" among the words of the kernel's command line; the last one wins there. */
static char *cmdline_value(const char *cmdline, const char *name)
{
	const char *value = NULL;
	size_t len = strlen(name);

	for (const char *at = cmdline; at && *at; at += strcspn(at, " ")) {
		at += strspn(at, " ");
		if (strncmp(at, name, len) == 0)
			value = at + len;
	}
	return value ? strndup(value, strcspn(value, " ")) : NULL;
}

/*
 * @version: as uname(2) has it, "#1 SMP PREEMPT_DYNAMIC ..."
 * @choices: of /sys/kernel/debug/sched/preempt; NULL without the right to read it
 */
static char *preempt_model(bool is_realtime, const char *version, const char *choices,
			   const char *cmdline)
{
	char *model;

	if (is_realtime || strstr(version, "PREEMPT_RT") || strstr(version, "PREEMPT RT"))
		return strdup("rt");
	model = chosen_word(choices);
	if (model)
		return model;
	if (strstr(version, "PREEMPT_DYNAMIC"))
		return cmdline_value(cmdline, "preempt="); /* its built-in default is not told */
	if (strstr(version, "PREEMPT_LAZY"))
		return strdup("lazy");
	return strstr(version, "PREEMPT") ? strdup("full") : NULL;
}

static char *join(const char *a, const char *separator, const char *b)
{
	char *text;

	return asprintf(&text, "%s%s%s", a, separator, b) < 0 ? NULL : text;
}

static char *machine_name(void)
{
	rt_auto_free char *vendor = rt_read_line("/sys/class/dmi/id/sys_vendor");
	rt_auto_free char *product = rt_read_line("/sys/class/dmi/id/product_name");

	if (vendor && product)
		return join(vendor, " ", product);
	if (product)
		return rt_take(product);
	return rt_read_line("/proc/device-tree/model");
}

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; *at; at += *at == ',') {
		size_t n = strcspn(at, ",");

		if (n == len && strncmp(at, word, n) == 0)
			return true;
		at += n;
	}
	return false;
}

/* All governors in use, each once: CPUs may differ, and then a result is hard to repeat. */
static char *governors(const struct rt_cpuset *online)
{
	char *all = NULL;

	rt_cpuset_for_each(cpu, online) {
		char path[96];
		rt_auto_free char *one = NULL;
		char *longer;

		snprintf(path, sizeof(path), CPU_FOLDER "cpu%d/cpufreq/scaling_governor", cpu);
		one = rt_read_line(path);
		if (!one || (all && has_word(all, one)))
			continue;
		longer = all ? join(all, ",", one) : rt_take(one);
		if (!longer)
			break;
		free(all);
		all = longer;
	}
	return all;
}

#if defined(__x86_64__) || defined(__i386__)
static char *cpu_hypervisor(void)
{
	static const char *const known[][2] = {
		{ "KVMKVMKVM", "kvm" },       { "Microsoft Hv", "hyperv" },
		{ "VMwareVMware", "vmware" }, { "XenVMMXenVMM", "xen" },
		{ "TCGTCGTCGTCG", "qemu" },   { "ACRNACRNACRN", "acrn" },
		{ "bhyve bhyve ", "bhyve" },  { "Jailhouse", "jailhouse" },
	};
	unsigned int a, b, c, d;
	char vendor[13] = "";

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 31))
		return strdup("none");
	__cpuid(0x40000000, a, b, c, d);
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &c, 4);
	memcpy(vendor + 8, &d, 4);
	for (size_t i = 0; i < RT_ARRAY_SIZE(known); i++)
		if (strcmp(vendor, known[i][0]) == 0)
			return strdup(known[i][1]);
	return strdup(*vendor ? vendor : "unknown");
}
#else
static char *cpu_hypervisor(void)
{
	return NULL; /* no flag tells */
}
#endif

static char *hypervisor_name(void)
{
	char *type = rt_read_line("/sys/hypervisor/type");

	return type ? type : cpu_hypervisor();
}

static char *rt_runtime(void)
{
	rt_auto_free char *runtime = rt_read_line("/proc/sys/kernel/sched_rt_runtime_us");
	rt_auto_free char *period = rt_read_line("/proc/sys/kernel/sched_rt_period_us");

	return runtime && period ? join(runtime, "/", period) : NULL;
}

/* A set as text; one that has no file is empty, not unknown. */
static char *set_text(int (*read)(struct rt_cpuset *ret))
{
	struct rt_cpuset set = RT_CPUSET_INIT;
	char *text = read(&set) < 0 ? NULL : rt_cpuset_text(&set);

	rt_cpuset_done(&set);
	return text;
}

static void get_preemption(struct rt_sysinfo *info)
{
	rt_auto_free char *realtime = rt_read_line("/sys/kernel/realtime");
	rt_auto_free char *choices = rt_read_line("/sys/kernel/debug/sched/preempt");

	info->realtime = realtime && *realtime == '1';
	info->preempt = preempt_model(info->realtime, info->uts.version, choices, info->cmdline);
}

void rt_sysinfo_get(struct rt_sysinfo *ret)
{
	struct rt_cpuset online = RT_CPUSET_INIT;

	*ret = (struct rt_sysinfo){ 0 };
	uname(&ret->uts);
	ret->cmdline = rt_read_line("/proc/cmdline");
	get_preemption(ret);
	ret->machine = machine_name();
	ret->online = set_text(rt_cpuset_online);
	ret->isolated = set_text(rt_cpuset_isolated);
	ret->nohz_full = set_text(rt_cpuset_nohz_full);
	ret->clocksource =
		rt_read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
	if (rt_cpuset_online(&online) == 0)
		ret->governor = governors(&online);
	rt_cpuset_done(&online);
	ret->idle_driver = rt_read_line(CPU_FOLDER "cpuidle/current_driver");
	ret->smt = rt_read_line(CPU_FOLDER "smt/control");
	ret->hypervisor = hypervisor_name();
	ret->rt_runtime = rt_runtime();
}

void rt_sysinfo_done(struct rt_sysinfo *info)
{
	char *const texts[] = {
		info->preempt,     info->cmdline,  info->machine,     info->online, info->isolated,
		info->nohz_full,   info->clocksource, info->governor, info->idle_driver, info->smt,
		info->hypervisor,  info->rt_runtime,
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(texts); i++)
		free(texts[i]);
	*info = (struct rt_sysinfo){ 0 };
}
