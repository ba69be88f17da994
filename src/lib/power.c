/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * power - see rt/power.h. Idle states are limited by the kernel's files alone:
 * all writing is the undo room's, and what remains is to list folders.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "power_internal.h"
#include "rt/compiler.h"
#include "rt/power.h"

static const char *root = "";

void rt_power_root_for_tests(const char *path)
{
	root = path;
}

/* ---- the latency request --------------------------------------------------------- */

static void end_request(void *data)
{
	close((int)(intptr_t)data);
}

int rt_power_latency(struct rt_undo *undo, int32_t us, struct rt_err *err)
{
	rt_auto_free char *path = NULL;
	int fd, status = 0;

	if (us < 0)
		return rt_err_set(err, RT_EXIT_USAGE, ERANGE,
				  "a wake-up latency of %ld us can't be asked for", (long)us);
	if (asprintf(&path, "%s/dev/cpu_dma_latency", root) < 0) {
		path = NULL;
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for a path");
	}
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0) {
		status = -errno;
		return rt_err_set(err, RT_EXIT_MISSING, status,
				  "cannot keep the CPUs from sleeping deeply: %s: %s%s", path,
				  strerror(-status), status == -EACCES ? "; run as root" : "");
	}
	/* Four bytes are a binary number here; any other length is taken as text. */
	if (write(fd, &us, sizeof(us)) < 0)
		status = -errno;
	if (!status)
		status = rt_undo_call(undo, end_request, (void *)(intptr_t)fd);
	if (status < 0) {
		close(fd);
		return rt_err_set(err, RT_EXIT_MISSING, status, "cannot write %s: %s", path,
				  strerror(-status));
	}
	return 0;
}

/* ---- idle states ----------------------------------------------------------------- */

static char *state_file(int cpu, int state)
{
	char *path;

	if (asprintf(&path, "%s/sys/devices/system/cpu/cpu%d/cpuidle/state%d/disable", root, cpu,
		     state) < 0)
		return NULL;
	return path;
}

/* How many states a CPU has; they are numbered without gaps. */
static int count_states(int cpu)
{
	for (int state = 0;; state++) {
		rt_auto_free char *path = state_file(cpu, state);

		if (!path)
			return -ENOMEM;
		if (access(path, F_OK) < 0)
			return state;
	}
}

static int check_cpu(int cpu, int deepest, struct rt_err *err)
{
	int states = count_states(cpu);

	if (states < 0)
		return rt_err_set(err, RT_EXIT_FAILED, states, "no memory for a path");
	if (states == 0)
		return rt_err_set(err, RT_EXIT_MISSING, ENODEV,
				  "CPU %d has no idle states to choose from "
				  "(no cpuidle driver, or the CPU is offline)", cpu);
	if (deepest >= states)
		return rt_err_set(err, RT_EXIT_USAGE, ERANGE,
				  "CPU %d has no idle state %d; give -1 to %d", cpu, deepest,
				  states - 1);
	return 0;
}

static int limit_cpu(struct rt_undo *undo, int cpu, int deepest, struct rt_err *err)
{
	int states = count_states(cpu);
	int status = 0;

	for (int state = deepest + 1; !status && state < states; state++) {
		rt_auto_free char *path = state_file(cpu, state);

		if (!path)
			return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for a path");
		status = rt_undo_knob(undo, path, "1", err);
	}
	return status;
}

int rt_power_idle_limit(struct rt_undo *undo, const struct rt_cpuset *cpus, int deepest,
			struct rt_err *err)
{
	int status = 0;

	if (deepest < -1)
		return rt_err_set(err, RT_EXIT_USAGE, ERANGE,
				  "there is no idle state %d; -1 disables all of them", deepest);
	/* All of them first: a refusal must leave nothing half done. */
	rt_cpuset_for_each(cpu, cpus)
	{
		status = check_cpu(cpu, deepest, err);
		if (status < 0)
			return status;
	}
	rt_cpuset_for_each(cpu, cpus)
	{
		status = limit_cpu(undo, cpu, deepest, err);
		if (status < 0)
			return status;
	}
	return 0;
}
