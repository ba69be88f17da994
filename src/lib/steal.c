/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steal - see rt/steal.h.
 */
#include "rt/steal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rt/clock.h"
#include "rt/compiler.h"
#include "rt/sysinfo.h"

#define COLUMN 8 /* user nice system idle iowait irq softirq steal */
#define STAT_MAX (1024 * 1024)

/* ---- /proc/stat ------------------------------------------------------------------------ */

int64_t rt_steal_parse(const char *text, int cpu)
{
	char name[24];
	char *end;
	int64_t steps = -1;

	snprintf(name, sizeof(name), "cpu%d ", cpu);
	while (text && strncmp(text, name, strlen(name)) != 0) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (!text)
		return -1;
	text += strlen(name);
	for (int i = 0; i < COLUMN; i++, text = end) {
		while (*text == ' ')
			text++;
		steps = strtoll(text, &end, 10);
		if (end == text)
			return -1;
	}
	return steps;
}

static char *read_stat(void)
{
	FILE *f = fopen("/proc/stat", "re");
	char *text = f ? malloc(STAT_MAX) : NULL;

	if (text)
		text[fread(text, 1, STAT_MAX - 1, f)] = '\0';
	if (f)
		fclose(f);
	return text;
}

static int64_t *look(const struct rt_steal *steal)
{
	rt_auto_free char *text = read_stat();
	int64_t *ns = text ? calloc(steal->count, sizeof(*ns)) : NULL;

	for (unsigned int i = 0; ns && i < steal->count; i++) {
		ns[i] = rt_steal_parse(text, (int)i);
		if (ns[i] > 0)
			ns[i] *= steal->step_ns;
	}
	return ns;
}

/* ---- two looks --------------------------------------------------------------------------- */

static bool is_virtual(void)
{
	struct rt_sysinfo info;
	bool is;

	rt_sysinfo_get(&info);
	is = info.hypervisor && strcmp(info.hypervisor, "none") != 0;
	rt_sysinfo_done(&info);
	return is;
}

void rt_steal_begin(struct rt_steal *steal)
{
	long hz = sysconf(_SC_CLK_TCK), cpus = sysconf(_SC_NPROCESSORS_CONF);

	*steal = (struct rt_steal){ .is_virtual = is_virtual() };
	if (!steal->is_virtual || hz < 1 || cpus < 1)
		return;
	steal->step_ns = RT_NS_PER_S / hz;
	steal->count = (unsigned int)cpus;
	steal->before_ns = look(steal);
}

void rt_steal_end(struct rt_steal *steal)
{
	if (steal->before_ns && !steal->after_ns)
		steal->after_ns = look(steal);
}

void rt_steal_done(struct rt_steal *steal)
{
	free(steal->before_ns);
	free(steal->after_ns);
	*steal = (struct rt_steal){ 0 };
}

int64_t rt_steal_of(const struct rt_steal *steal, int cpu)
{
	if (!steal->before_ns || !steal->after_ns || cpu < 0 || (unsigned int)cpu >= steal->count ||
	    steal->before_ns[cpu] < 0 || steal->after_ns[cpu] < steal->before_ns[cpu])
		return -1;
	return steal->after_ns[cpu] - steal->before_ns[cpu];
}

/* ---- what was seen ------------------------------------------------------------------------ */

void rt_steal_say(const struct rt_steal *steal, const struct rt_cpuset *cpus, FILE *out)
{
	const char *between = "";

	if (!steal->is_virtual)
		return;
	fprintf(out, "# Stolen by the host in all the run, in steps of %" PRId64 " ms: ",
		steal->step_ns / RT_NS_PER_MS);
	for (int cpu = rt_cpuset_next(cpus, -1); cpu >= 0; cpu = rt_cpuset_next(cpus, cpu)) {
		int64_t ns = rt_steal_of(steal, cpu);

		if (ns <= 0)
			continue;
		fprintf(out, "%s%" PRId64 " ms of CPU %d", between, ns / RT_NS_PER_MS, cpu);
		between = ", ";
	}
	fprintf(out, "%s\n", between[0] ? "" : "none that is told");
}

struct json_object *rt_steal_json(const struct rt_steal *steal, const struct rt_cpuset *cpus)
{
	struct json_object *list;

	if (!steal->is_virtual)
		return NULL;
	list = json_object_new_array();
	for (int cpu = rt_cpuset_next(cpus, -1); cpu >= 0; cpu = rt_cpuset_next(cpus, cpu)) {
		struct json_object *one = json_object_new_object();
		int64_t ns = rt_steal_of(steal, cpu);

		json_object_object_add(one, "cpu", json_object_new_int(cpu));
		json_object_object_add(one, "ns", ns < 0 ? NULL : json_object_new_int64(ns));
		json_object_array_add(list, one);
	}
	return list;
}
