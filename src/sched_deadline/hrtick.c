/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler feature HRTICK_DL (HRTICK before Linux 5.13): with it a timer
 * ends a runtime, without it the next tick does, so that a thread may overrun
 * by up to a tick. Threads that yield by themselves never notice.
 */
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>

#include "hrtick.h"
#include "rt/clock.h"
#include "rt/compiler.h"
#include "rt/log.h"

static const char *const files[] = { "sched/features", "sched_features" };

/* Where debugfs is mounted: heap text, NULL if nowhere. */
static char *find_debugfs(void)
{
	FILE *table = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	char *path = NULL;

	while (table && !path && (entry = getmntent(table)))
		if (strcmp(entry->mnt_type, "debugfs") == 0)
			path = strdup(entry->mnt_dir);
	if (table)
		endmntent(table);
	return path;
}

/* The features' file; NULL where there is none that can be read. */
static char *find_features(void)
{
	rt_auto_free char *debugfs = find_debugfs();

	for (size_t i = 0; debugfs && i < RT_ARRAY_SIZE(files); i++) {
		char *path;

		if (asprintf(&path, "%s/%s", debugfs, files[i]) < 0)
			return NULL;
		if (access(path, R_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

static bool is_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if ((at == text || at[-1] == ' ') && strchr(" \n", at[length]))
			return true;
	return false;
}

/* The feature's name in this kernel, and its state. NULL: it has neither. */
static const char *look(const char *path, enum dl_hrtick *state)
{
	static const struct {
		const char *on, *off;
	} names[] = { { "HRTICK_DL", "NO_HRTICK_DL" }, { "HRTICK", "NO_HRTICK" } };
	char text[4096] = "";
	FILE *in = fopen(path, "re");
	size_t length = in ? fread(text, 1, sizeof(text) - 1, in) : 0;

	if (in)
		fclose(in);
	text[length] = '\0';
	for (size_t i = 0; i < RT_ARRAY_SIZE(names); i++) {
		if (!is_word(text, names[i].on) && !is_word(text, names[i].off))
			continue;
		*state = is_word(text, names[i].on) ? DL_HRTICK_ON : DL_HRTICK_OFF;
		return names[i].on;
	}
	return NULL;
}

enum dl_hrtick dl_hrtick_state(void)
{
	rt_auto_free char *path = find_features();
	enum dl_hrtick state = DL_HRTICK_UNKNOWN;

	if (path)
		look(path, &state);
	return state;
}

const char *dl_hrtick_text(enum dl_hrtick state)
{
	static const char *const texts[] = { "unknown", "off", "on" };

	return texts[state];
}

int dl_hrtick_set_on(struct rt_undo *undo, struct rt_err *err)
{
	rt_auto_free char *path = find_features();
	enum dl_hrtick state = DL_HRTICK_UNKNOWN;
	const char *name = path ? look(path, &state) : NULL;

	if (!path)
		return rt_err_set(err, RT_EXIT_MISSING, ENOENT,
				  "--hrtick: the scheduler's features can't be read; it needs "
				  "root, "
				  "a kernel with CONFIG_SCHED_DEBUG that is not locked down, and "
				  "'mount -t debugfs none /sys/kernel/debug'");
	if (!name)
		return rt_err_set(err, RT_EXIT_MISSING, ENOENT,
				  "--hrtick: %s has no HRTICK; the kernel lacks "
				  "CONFIG_SCHED_HRTICK",
				  path);
	return rt_undo_knob(undo, path, name, err);
}

void dl_hrtick_note(int64_t runtime_ns)
{
	int64_t tick_ns = rt_clock_resolution_ns(CLOCK_MONOTONIC_COARSE);
	char tick[RT_TIME_TEXT_MAX];

	if (runtime_ns >= tick_ns || dl_hrtick_state() != DL_HRTICK_OFF)
		return;
	rt_warn("HRTICK is off: a thread that does not yield by itself keeps its CPU until the "
		"next tick (%s), whatever its runtime; --hrtick switches it on for the run",
		rt_format_time(tick, sizeof(tick), tick_ns));
}
