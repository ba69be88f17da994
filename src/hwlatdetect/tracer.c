/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's hwlat tracer (Documentation/trace/hwlat_detector.rst). It runs in a
 * tracefs instance of our own, so that nobody's trace is touched; window, width,
 * mode and threshold exist only once and are put back.
 *
 * Only one instance may have the tracer. It is taken first, with tracing off, so
 * that a second run ends before it has changed what the first one uses.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hwlat.h"
#include "rt/compiler.h"
#include "rt/files.h"
#include "rt/log.h"
#include "rt/tracefs.h"

#define THRESHOLD_DEFAULT_US 10 /* what the kernel takes while tracing_thresh is 0 */
#define INSTANCE "rtgauge-hwlat-"
#define LINES_MAX 8192

/**
 * struct tracing - the tracer while we have it
 * @top:    where tracefs is mounted
 * @folder: whose files we use: an instance's, or the top's where that can't be
 * @text, @fill: what was read behind the last whole line
 */
struct tracing {
	const char *top;
	char *folder;
	bool is_instance;
	int pipe_fd;
	char text[LINES_MAX];
	size_t fill;
};

/* ---- files ---------------------------------------------------------------------- */

static char *path_of(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static char *read_of(const char *folder, const char *name)
{
	rt_auto_free char *path = path_of(folder, name);

	return path ? rt_read_line(path) : NULL;
}

static int64_t number_of(const char *folder, const char *name, int64_t otherwise)
{
	rt_auto_free char *line = read_of(folder, name);
	int64_t value;

	return line && rt_parse_int(&value, line, 0, INT64_MAX) == 0 ? value : otherwise;
}

/* What dies with our instance, or was journalled before, is written plainly. */
static int write_to(const char *folder, const char *name, const char *value, struct rt_err *err)
{
	rt_auto_free char *path = path_of(folder, name);
	rt_auto_close int fd = path ? open(path, O_WRONLY | O_CLOEXEC) : -1;

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		return rt_err_set(err, RT_EXIT_MISSING, errno, "cannot set %s/%s to '%s': %s",
				  folder, name, value, strerror(errno));
	return 0;
}

static int set_knob(struct hwl_session *s, const char *folder, const char *name, const char *value,
		    struct rt_err *err)
{
	rt_auto_free char *path = path_of(folder, name);

	if (!path)
		return rt_err_memory(err, "a path");
	return rt_undo_knob(s->rt.undo, path, value, err);
}

static int set_number(struct hwl_session *s, const char *name, int64_t value, struct rt_err *err)
{
	const struct tracing *t = s->detector;
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	hwl_debug(s, "%s set to %s", name, text);
	return set_knob(s, t->top, name, text, err);
}

/* ---- what is in force ---------------------------------------------------------------- */

static bool has_tracer(const char *folder)
{
	rt_auto_free char *line = read_of(folder, "available_tracers");
	char *rest = line;

	for (char *word; rest && (word = strsep(&rest, " \n"));)
		if (strcmp(word, "hwlat") == 0)
			return true;
	return false;
}

static int check_tracer(const char *top, struct rt_err *err)
{
	rt_auto_free char *path = path_of(top, "current_tracer");

	if (!path)
		return rt_err_memory(err, "a path");
	if (access(path, R_OK | W_OK) < 0)
		return rt_err_set(err, RT_EXIT_MISSING, errno, "cannot use %s: %s%s", path,
				  strerror(errno), geteuid() ? "; run as root" : "");
	if (!has_tracer(top))
		return rt_err_set(err, RT_EXIT_MISSING, ENODEV,
				  "this kernel has no hwlat tracer (CONFIG_HWLAT_TRACER); --user "
				  "polls in user space instead, which sees interrupts, too");
	return 0;
}

static void read_mode(struct hwl_plan *plan, const char *top)
{
	rt_auto_free char *line = read_of(top, "hwlat_detector/mode");

	plan->has_modes = line;
	plan->mode = HWL_MODE_ROUND_ROBIN; /* of kernels before 5.14, which have no other */
	for (enum hwl_mode mode = HWL_MODE_NONE; line && mode <= HWL_MODE_PER_CPU; mode++) {
		char shown[24];

		snprintf(shown, sizeof(shown), "[%s]", hwl_mode_name(mode));
		if (strstr(line, shown))
			plan->mode = mode;
	}
}

static int settings(struct hwl_plan *plan, struct rt_err *err)
{
	struct rt_err why = { 0 };
	const char *top = rt_tracefs_path(&why);
	int status;

	if (!top)
		return rt_err_set(err, why.exit, why.code, "%s; or --user polls in user space",
				  why.text);
	status = check_tracer(top, err);
	if (status)
		return status;
	plan->window_us = number_of(top, "hwlat_detector/window", 1000000);
	plan->width_us = number_of(top, "hwlat_detector/width", 500000);
	plan->threshold_us = number_of(top, "tracing_thresh", 0);
	if (!plan->threshold_us)
		plan->threshold_us = THRESHOLD_DEFAULT_US;
	read_mode(plan, top);
	if (!plan->opts->has_mode)
		return 0;
	if (!plan->has_modes && plan->opts->mode != HWL_MODE_ROUND_ROBIN)
		return rt_err_set(err, RT_EXIT_MISSING, ENOTSUP,
				  "--mode: the tracer of this kernel only knows round-robin");
	plan->mode = plan->opts->mode;
	return 0;
}

/* ---- who has it ------------------------------------------------------------------------ */

static bool holds_tracer(const char *folder)
{
	rt_auto_free char *line = read_of(folder, "current_tracer");

	return line && strcmp(line, "hwlat") == 0;
}

static int is_taken(struct rt_err *err, const char *by)
{
	return rt_err_set(err, RT_EXIT_MISSING, EBUSY,
			  "the hwlat tracer is taken: %s; there is one for the whole kernel", by);
}

static int taken_by_instance(const char *name, struct rt_err *err)
{
	char by[NAME_MAX + 64];

	if (strncmp(name, INSTANCE, strlen(INSTANCE)) == 0)
		snprintf(by, sizeof(by), "by a hwlatdetect that runs as process %s",
			 name + strlen(INSTANCE));
	else
		snprintf(by, sizeof(by), "by the trace instance '%s'", name);
	return is_taken(err, by);
}

/* 0 if nobody has it. */
static int find_holder(const struct tracing *t, struct rt_err *err)
{
	rt_auto_free char *path = path_of(t->top, "instances");
	DIR *folder;
	int status = 0;

	if (holds_tracer(t->top))
		return is_taken(err, "by the trace at the top; 'echo nop >current_tracer' there ends it");
	folder = path ? opendir(path) : NULL;
	for (struct dirent *entry; folder && !status && (entry = readdir(folder));) {
		rt_auto_free char *instance = path_of(path, entry->d_name);

		if (entry->d_name[0] != '.' && instance && holds_tracer(instance))
			status = taken_by_instance(entry->d_name, err);
	}
	if (folder)
		closedir(folder);
	return status;
}

/* ---- taking it ------------------------------------------------------------------------------ */

static bool make_instance(struct hwl_session *s, struct tracing *t)
{
	char *path;

	if (asprintf(&path, "%s/instances/" INSTANCE "%d", t->top, (int)getpid()) < 0)
		return false;
	if (rt_undo_rmdir(s->rt.undo, path, NULL) == 0) {
		if (mkdir(path, 0700) == 0 && has_tracer(path)) {
			t->folder = path;
			t->is_instance = true;
			return true;
		}
		if (rmdir(path) < 0 && errno == ENOENT)
			rt_undo_forget(s->rt.undo);
	}
	free(path);
	return false;
}

static int choose_folder(struct hwl_session *s, struct tracing *t, struct rt_err *err)
{
	if (make_instance(s, t))
		return write_to(t->folder, "tracing_on", "0", err);
	hwl_debug(s, "no instance of tracefs to be had, using the top");
	t->folder = strdup(t->top);
	if (!t->folder)
		return rt_err_memory(err, "a path");
	return set_knob(s, t->folder, "tracing_on", "0", err);
}

static int take_tracer(struct hwl_session *s, struct tracing *t, struct rt_err *err)
{
	struct rt_err why = { 0 };
	int status = set_knob(s, t->folder, "current_tracer", "hwlat", &why);

	if (status == -EBUSY) {
		status = find_holder(t, err);
		return status ? status : is_taken(err, "somebody was faster");
	}
	return status ? rt_err_set(err, why.exit, why.code, "%s", why.text) : 0;
}

static int set_mask(struct hwl_session *s, struct tracing *t, struct rt_err *err)
{
	rt_auto_free char *mask = NULL;

	if (!s->opts->cpu_list)
		return 0;
	mask = hwl_mask_text(&s->plan->cpus);
	if (!mask)
		return rt_err_memory(err, "a CPU mask");
	hwl_debug(s, "set tracing_cpumask to %s", mask);
	if (t->is_instance)
		return write_to(t->folder, "tracing_cpumask", mask, err);
	return set_knob(s, t->folder, "tracing_cpumask", mask, err);
}

/* The kernel refuses a width above the window at every moment: the one that makes room goes first. */
static int set_window(struct hwl_session *s, struct rt_err *err)
{
	static const char *const names[] = { "hwlat_detector/window", "hwlat_detector/width" };
	const struct hwl_plan *plan = s->plan;
	const struct tracing *t = s->detector;
	const int64_t values[] = { plan->window_us, plan->width_us };
	bool grows = plan->window_us > number_of(t->top, names[0], 0);
	int status = set_number(s, names[!grows], values[!grows], err);

	return status ? status : set_number(s, names[grows], values[grows], err);
}

static int set_globals(struct hwl_session *s, struct rt_err *err)
{
	const struct hwl_plan *plan = s->plan;
	const struct tracing *t = s->detector;
	int status = 0;

	if (plan->has_modes)
		status = set_knob(s, t->top, "hwlat_detector/mode", hwl_mode_name(plan->mode), err);
	if (!status)
		status = set_window(s, err);
	return status ? status : set_number(s, "tracing_thresh", plan->threshold_us, err);
}

/*
 * Before the globals go back the tracer must have gone, for it takes them with it:
 * it remembers the threshold of its end for its next start.
 */
static void drop_tracer(void *data)
{
	struct tracing *t = data;

	write_to(t->folder, "tracing_on", "0", NULL);
	write_to(t->folder, "current_tracer", "nop", NULL);
}

static int open_pipe(struct tracing *t, struct rt_err *err)
{
	rt_auto_free char *path = path_of(t->folder, "trace_pipe");

	t->pipe_fd = path ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	if (t->pipe_fd < 0)
		return rt_err_set(err, RT_EXIT_MISSING, errno, "cannot read %s/trace_pipe: %s",
				  t->folder, strerror(errno));
	return 0;
}

static int arm(struct hwl_session *s, struct rt_err *err)
{
	struct tracing *t = calloc(1, sizeof(*t));
	int status;

	if (!t)
		return rt_err_memory(err, "the tracer");
	s->detector = t;
	t->pipe_fd = -1;
	t->top = rt_tracefs_path(err);
	status = t->top ? find_holder(t, err) : -ENOENT;
	if (!status)
		status = choose_folder(s, t, err);
	if (!status)
		status = set_mask(s, t, err);
	if (!status)
		status = take_tracer(s, t, err);
	if (!status)
		status = set_globals(s, err);
	if (!status)
		status = rt_undo_call(s->rt.undo, drop_tracer, t);
	return status ? status : open_pipe(t, err);
}

/* ---- the run ----------------------------------------------------------------------------------- */

/* Kernels before 5.14 take their own threshold at the start. */
static int start(struct hwl_session *s, struct rt_err *err)
{
	struct tracing *t = s->detector;
	int status;

	hwl_debug(s, "enabling the tracer (threshold: %lld)", (long long)s->plan->threshold_us);
	status = write_to(t->folder, "tracing_on", "1", err);
	if (status || number_of(t->top, "tracing_thresh", -1) == s->plan->threshold_us)
		return status;
	hwl_debug(s, "the start has changed the threshold, setting it again");
	return set_number(s, "tracing_thresh", s->plan->threshold_us, err);
}

static void take_line(struct hwl_session *s, const char *line)
{
	struct hwl_sample sample;
	uint64_t lost = 0;

	switch (hwl_line_parse(line, &sample, &lost)) {
	case HWL_LINE_SAMPLE:
		hwl_found(s, &sample);
		break;
	case HWL_LINE_LOST:
		s->log.lost += lost;
		break;
	case HWL_LINE_OTHER:
		hwl_debug(s, "not a sample: %s", line);
		break;
	}
}

/* All whole lines; the rest waits for its end. A line that fills everything is none of ours. */
static void take_lines(struct hwl_session *s, struct tracing *t)
{
	char *line = t->text, *end;

	t->text[t->fill] = '\0';
	while ((end = strchr(line, '\n'))) {
		*end = '\0';
		take_line(s, line);
		line = end + 1;
	}
	t->fill = strlen(line);
	if (t->fill == sizeof(t->text) - 1)
		t->fill = 0;
	memmove(t->text, line, t->fill);
}

static void collect(struct hwl_session *s)
{
	struct tracing *t = s->detector;
	ssize_t n;

	while (t->pipe_fd >= 0 &&
	       (n = read(t->pipe_fd, t->text + t->fill, sizeof(t->text) - 1 - t->fill)) > 0) {
		t->fill += (size_t)n;
		take_lines(s, t);
	}
}

/* The instance can't be removed while its pipe is open. */
static int stop(struct hwl_session *s, struct rt_err *err)
{
	struct tracing *t = s->detector;
	int status = write_to(t->folder, "tracing_on", "0", err);

	hwl_debug(s, "disabling the tracer");
	collect(s);
	rt_close_fd(&t->pipe_fd);
	t->pipe_fd = -1;
	return status;
}

/* After the undo list has run, which uses it. */
static void done(struct hwl_session *s)
{
	struct tracing *t = s->detector;

	if (!t)
		return;
	rt_close_fd(&t->pipe_fd);
	free(t->folder);
	free(t);
	s->detector = NULL;
}

const struct hwl_detector hwl_tracer = {
	.name = "tracer",
	.settings = settings,
	.arm = arm,
	.start = start,
	.collect = collect,
	.stop = stop,
	.done = done,
};
