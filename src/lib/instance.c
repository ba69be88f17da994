/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instance - see rt/instance.h. Plain file operations.
 */
#include "instance_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "rt/compiler.h"
#include "rt/tracefs.h"
#include "rt/trace_line.h"

static int no_memory(struct rt_err *err)
{
	return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for a trace");
}

static char *path_of(const char *folder, const char *file)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, file) < 0 ? NULL : path;
}

/* ---- its files ------------------------------------------------------------------- */

int rt_instance_set(const struct rt_instance *in, const char *file, const char *value,
		    struct rt_err *err)
{
	int status = rt_tracefs_put(in->folder, file, value, 0);

	if (status)
		return rt_err_set(err, RT_EXIT_MISSING, status, "cannot set %s/%s to '%s': %s",
				  in->folder, file, value, strerror(-status));
	return 0;
}

bool rt_instance_has(const struct rt_instance *in, const char *file)
{
	rt_auto_free char *path = path_of(in->folder, file);

	return path && access(path, F_OK) == 0;
}

/* ---- the instance ------------------------------------------------------------------ */

int rt_instance_open_at(struct rt_instance **ret, const char *top, const char *folder, bool is_ours,
			struct rt_err *err)
{
	struct rt_instance *in = calloc(1, sizeof(*in));
	rt_auto_free char *path = path_of(folder, "tracing_on");

	if (in) {
		in->top = strdup(top);
		in->folder = strdup(folder);
		in->switch_fd = -1;
	}
	if (!in || !path || !in->top || !in->folder) {
		rt_instance_free(in);
		return no_memory(err);
	}
	in->switch_fd = open(path, O_WRONLY | O_CLOEXEC);
	if (in->switch_fd < 0 || (is_ours && write(in->switch_fd, "0", 1) < 0)) {
		int code = errno;

		rt_instance_free(in);
		return rt_err_set(err, RT_EXIT_MISSING, code, "cannot use %s: %s%s", path,
				  strerror(code), rt_tracefs_hint(code));
	}
	*ret = in;
	return 0;
}

int rt_instance_open(struct rt_instance **ret, const char *top, const char *folder,
		     struct rt_err *err)
{
	return rt_instance_open_at(ret, top, folder, true, err);
}

static const char *why_refused(int code)
{
	if (geteuid() == 0 && code == ENOENT)
		return "; this kernel has no tracefs instances";
	return rt_tracefs_hint(code);
}

static int make_folder(const char *path, struct rt_undo *undo, struct rt_err *err)
{
	int code, status = rt_undo_rmdir(undo, path, err);

	if (status)
		return status;
	if (mkdir(path, 0700) == 0)
		return 0;
	code = errno;
	rt_undo_forget(undo);
	return rt_err_set(err, RT_EXIT_MISSING, code, "cannot make the trace instance %s: %s%s",
			  path, strerror(code), why_refused(code));
}

int rt_instance_new_in(struct rt_instance **ret, const char *top, struct rt_undo *undo,
		       struct rt_err *err)
{
	rt_auto_free char *folder = NULL;
	char name[RT_UNDO_NAME_MAX];
	int status = rt_undo_random_name(name);

	if (status)
		return rt_err_set(err, RT_EXIT_FAILED, status, "no random name to be had");
	if (asprintf(&folder, "%s/instances%s", top, name) < 0) {
		folder = NULL;
		return no_memory(err);
	}
	status = make_folder(folder, undo, err);
	return status ? status : rt_instance_open(ret, top, folder, err);
}

int rt_instance_new(struct rt_instance **ret, struct rt_undo *undo, struct rt_err *err)
{
	const char *top = rt_tracefs_path(err);

	return top ? rt_instance_new_in(ret, top, undo, err) : -ENOENT;
}

void rt_instance_free(struct rt_instance *in)
{
	if (!in)
		return;
	rt_close_fd(&in->switch_fd);
	free(in->top);
	free(in->folder);
	free(in);
}

int rt_instance_switch(const struct rt_instance *in, bool on)
{
	return write(in->switch_fd, on ? "1" : "0", 1) < 0 ? -errno : 0;
}

/* ---- what is recorded -------------------------------------------------------------- */

/*
 * The kernel's mask: words of 32 bits in hexadecimal, the highest first, commas
 * between them.
 */
static char *mask_of(const struct rt_cpuset *cpus)
{
	int words = 1;
	char *text, *at;

	for (int cpu = rt_cpuset_next(cpus, -1); cpu >= 0; cpu = rt_cpuset_next(cpus, cpu))
		words = cpu / 32 + 1;
	text = at = malloc((size_t)words * 9 + 1);
	for (int word = words - 1; text && word >= 0; word--) {
		unsigned int bits = 0;

		for (int bit = 0; bit < 32; bit++)
			if (rt_cpuset_has(cpus, word * 32 + bit))
				bits |= 1u << bit;
		at += sprintf(at, "%08x%s", bits, word ? "," : "");
	}
	return text;
}

int rt_instance_cpus(const struct rt_instance *in, const struct rt_cpuset *cpus,
		     struct rt_err *err)
{
	rt_auto_free char *mask = mask_of(cpus);

	return mask ? rt_instance_set(in, "tracing_cpumask", mask, err) : no_memory(err);
}

int rt_instance_buffer(const struct rt_instance *in, const struct rt_cpuset *cpus, unsigned int kb,
		       struct rt_err *err)
{
	char file[64], size[16];
	int status = 0;

	snprintf(size, sizeof(size), "%u", kb);
	for (int cpu = rt_cpuset_next(cpus, -1); !status && cpu >= 0;
	     cpu = rt_cpuset_next(cpus, cpu)) {
		snprintf(file, sizeof(file), "per_cpu/cpu%d/buffer_size_kb", cpu);
		status = rt_instance_set(in, file, size, err);
	}
	return status;
}

int rt_instance_clock(const struct rt_instance *in, const char *clock, struct rt_err *err)
{
	return rt_instance_set(in, "trace_clock", clock, err);
}

/* events/SYSTEM/NAME, and where the filter begins behind it; NULL: there is none. */
static char *event_folder(const char *event, const char **filter)
{
	size_t length = strcspn(event, " \t");
	char *path;

	if (asprintf(&path, "events/%.*s", (int)length, event) < 0)
		return NULL;
	*strchr(path, ':') = '/';
	event += length;
	event += strspn(event, " \t");
	*filter = *event ? event : NULL;
	return path;
}

/* The kernel shows a filter with an explanation below it when it did not take it. */
static int set_filter(const struct rt_instance *in, const char *folder, const char *filter,
		      struct rt_err *err)
{
	rt_auto_free char *file = path_of(folder, "filter");
	rt_auto_free char *answer = NULL;
	const char *reason;
	int status = file ? rt_tracefs_put(in->folder, file, filter, 0) : -ENOMEM;

	if (!status)
		return 0;
	rt_tracefs_slurp(in->folder, file ? file : "", &answer, NULL);
	reason = answer ? strstr(answer, "parse_error: ") : NULL;
	reason = reason ? reason + strlen("parse_error: ") : strerror(-status);
	return rt_err_set(err, RT_EXIT_USAGE, status, "'%s' is no filter for %s: %.*s", filter,
			  folder, (int)strcspn(reason, "\n"), reason);
}

int rt_instance_event(const struct rt_instance *in, const char *event, struct rt_err *err)
{
	rt_auto_free char *folder = NULL, *file = NULL;
	const char *filter;
	int status = rt_event_check_in(in->top, event, err);

	if (status)
		return status;
	folder = event_folder(event, &filter);
	file = folder ? path_of(folder, "enable") : NULL;
	if (!file)
		return no_memory(err);
	status = filter ? set_filter(in, folder, filter, err) : 0;
	return status ? status : rt_instance_set(in, file, "1", err);
}

int rt_instance_events_all(const struct rt_instance *in, struct rt_err *err)
{
	return rt_instance_set(in, "events/enable", "1", err);
}

static const char *tracer_hint(int status)
{
	if (status == -EBUSY)
		return "; somebody else has it";
	if (status == -EPERM)
		return "; this kernel has function tracing switched off (see its log)";
	return "";
}

int rt_instance_tracer(const struct rt_instance *in, const char *tracer, struct rt_err *err)
{
	int status = rt_tracer_check_in(in->top, tracer, err);

	if (status)
		return status;
	status = rt_tracefs_put(in->folder, "current_tracer", tracer, 0);
	if (status == -EINVAL)
		return rt_err_set(err, RT_EXIT_MISSING, EOPNOTSUPP,
				  "the tracer '%s' cannot run in an instance of its own on this "
				  "kernel", tracer);
	if (status)
		return rt_err_set(err, RT_EXIT_MISSING, status, "cannot start the tracer '%s': %s%s",
				  tracer, strerror(-status),
				  tracer_hint(status));
	return 0;
}

/* ---- what was recorded --------------------------------------------------------------- */

int rt_instance_clear(const struct rt_instance *in, struct rt_err *err)
{
	/* the opening with O_TRUNC is what empties it */
	int status = rt_tracefs_put(in->folder, "trace", "", O_TRUNC);

	if (status)
		return rt_err_set(err, RT_EXIT_FAILED, status, "cannot empty the trace: %s",
				  strerror(-status));
	return 0;
}

int rt_instance_read(const struct rt_instance *in, char **ret, size_t *length, struct rt_err *err)
{
	int status = rt_tracefs_slurp(in->folder, "trace", ret, length);

	if (status)
		return rt_err_set(err, RT_EXIT_FAILED, status, "cannot read %s/trace: %s",
				  in->folder, strerror(-status));
	return 0;
}

void rt_instance_refine(const struct rt_instance *in, char **trace)
{
	rt_auto_free char *raw = NULL;
	char *refined = NULL;

	if (rt_tracefs_put(in->folder, "trace_options", "raw", 0))
		return;
	if (rt_tracefs_slurp(in->folder, "trace", &raw, NULL) == 0)
		refined = rt_trace_refine(*trace, raw);
	rt_tracefs_put(in->folder, "trace_options", "noraw", 0);
	if (!refined)
		return;
	free(*trace);
	*trace = refined;
}
