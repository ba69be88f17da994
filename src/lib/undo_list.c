/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undo_list - the list of what a run has to put back; see rt/undo.h. What is
 * put on it goes to the run's journal before the change is made.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rt/compiler.h"
#include "rt/log.h"
#include "rt/units.h"
#include "undo_internal.h"

/* ---- its journal ----------------------------------------------------------------- */

/* The first change of a run makes its journal: most runs change nothing. */
static void begin_journal(struct rt_undo *undo)
{
	int status;

	if (undo->journal.fd >= 0 || undo->is_unwritten)
		return;
	status = rt_undo_folder_open(&undo->folder, true);
	if (!status)
		status = rt_undo_journal_new(&undo->journal, &undo->folder);
	if (status < 0) {
		undo->is_unwritten = true;
		rt_debug("no journal can be kept (%s): a killed run will leave its changes",
			 strerror(-status));
	}
}

static void write_journal(struct rt_undo *undo, struct undo_entry *entry)
{
	int status;

	begin_journal(undo);
	if (undo->journal.fd < 0)
		return;
	status = rt_undo_journal_add(&undo->journal, entry);
	if (status < 0 && !undo->is_unwritten) {
		undo->is_unwritten = true;
		rt_debug("the journal cannot be written (%s): a killed run will leave changes",
			 strerror(-status));
	}
}

/* ---- on and off ------------------------------------------------------------------ */

int rt_undo_push(struct rt_undo *undo, enum undo_kind_id kind, const char *const fields[],
		 struct rt_err *err)
{
	struct undo_entry *entry;

	/* A replay has another working folder. */
	if (rt_undo_kinds[kind].fields[0] == 'p' && fields[0][0] != '/')
		return rt_err_set(err, RT_EXIT_FAILED, EINVAL, "'%s' is no absolute path",
				  fields[0]);
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		goto no_memory;
	entry->at = -1;
	entry->kind = kind;
	for (size_t i = 0; i < strlen(rt_undo_kinds[kind].fields); i++) {
		entry->field[i] = strdup(fields[i]);
		if (!entry->field[i])
			goto no_memory;
	}
	write_journal(undo, entry);
	entry->older = undo->newest;
	undo->newest = entry;
	return 0;

no_memory:
	rt_undo_entry_free(entry);
	return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory to note what to put back");
}

void rt_undo_pop(struct rt_undo *undo)
{
	struct undo_entry *entry = undo->newest;

	undo->newest = entry->older;
	rt_undo_entry_free(entry);
}

void rt_undo_forget(struct rt_undo *undo)
{
	if (!undo->newest)
		return;
	rt_undo_journal_done(&undo->journal, undo->newest->at);
	rt_undo_pop(undo);
}

/* ---- one of each kind ------------------------------------------------------------- */

static int push_path(struct rt_undo *undo, enum undo_kind_id kind, const char *path,
		     struct rt_err *err)
{
	const char *const fields[] = { path };

	return rt_undo_push(undo, kind, fields, err);
}

int rt_undo_unlink(struct rt_undo *undo, const char *path, struct rt_err *err)
{
	return push_path(undo, UNDO_UNLINK, path, err);
}

int rt_undo_unlink_inode(struct rt_undo *undo, const char *path, dev_t dev, ino_t ino,
			 struct rt_err *err)
{
	char device[24], inode[24];
	const char *const fields[] = { path, device, inode };

	snprintf(device, sizeof(device), "%" PRId64, (int64_t)dev);
	snprintf(inode, sizeof(inode), "%" PRId64, (int64_t)ino);
	return rt_undo_push(undo, UNDO_INODE, fields, err);
}

int rt_undo_rmdir(struct rt_undo *undo, const char *path, struct rt_err *err)
{
	return push_path(undo, UNDO_RMDIR, path, err);
}

int rt_undo_shm(struct rt_undo *undo, const char *name, struct rt_err *err)
{
	return push_path(undo, UNDO_SHM, name, err);
}

int rt_undo_mq(struct rt_undo *undo, const char *name, struct rt_err *err)
{
	return push_path(undo, UNDO_MQ, name, err);
}

int rt_undo_sem(struct rt_undo *undo, key_t key, struct rt_err *err)
{
	char number[24];
	const char *const fields[] = { number };

	snprintf(number, sizeof(number), "%" PRId64, (int64_t)key);
	return rt_undo_push(undo, UNDO_SEM, fields, err);
}

int64_t rt_undo_start_time(int64_t tid)
{
	char path[64], text[1024], *word, *rest;
	int64_t ticks;
	size_t length;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/stat", tid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	length = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[length] = '\0';
	/* The name, field 2, may hold anything; what follows its last ')' may not. */
	word = strrchr(text, ')');
	word = word ? strtok_r(word + 1, " ", &rest) : NULL;
	for (int field = 3; word && field < 22; field++)
		word = strtok_r(NULL, " ", &rest);
	return word && rt_parse_int(&ticks, word, 0, INT64_MAX) == 0 ? ticks : -1;
}

int rt_undo_affinity(struct rt_undo *undo, pid_t tid, const struct rt_cpuset *mask,
		     struct rt_err *err)
{
	int64_t started = rt_undo_start_time(tid);
	char number[24], ticks[24];
	rt_auto_free char *list = rt_cpuset_text(mask);
	const char *const fields[] = { number, ticks, list };

	if (!list)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for a CPU list");
	if (started < 0)
		return rt_err_set(err, RT_EXIT_FAILED, ESRCH, "there is no thread %ld", (long)tid);
	snprintf(number, sizeof(number), "%ld", (long)tid);
	snprintf(ticks, sizeof(ticks), "%" PRId64, started);
	return rt_undo_push(undo, UNDO_AFFINITY, fields, err);
}

int rt_undo_pause(struct rt_undo *undo, int64_t ns, struct rt_err *err)
{
	char number[24];
	const char *const fields[] = { number };

	snprintf(number, sizeof(number), "%" PRId64, ns);
	return rt_undo_push(undo, UNDO_PAUSE, fields, err);
}

int rt_undo_call(struct rt_undo *undo, void (*call)(void *data), void *data)
{
	struct undo_entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	entry->kind = UNDO_CALL;
	entry->at = -1;
	entry->call = call;
	entry->data = data;
	entry->older = undo->newest;
	undo->newest = entry;
	return 0;
}
