/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undo - from the start, which undoes what killed runs left, to the end; see
 * rt/undo.h, and undo_internal.h for the other files of this room.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "rt/compiler.h"
#include "rt/log.h"
#include "undo_internal.h"

/* What a killed run left. Called for each journal with the folder locked. */
static int replay(struct undo_journal *journal, bool is_live, void *data)
{
	struct rt_undo *undo = data;
	const struct undo_from from = { .undo = undo, .dead = journal };
	struct undo_entry *entry, *older;
	bool is_left = false;
	int status;

	if (is_live)
		return 0;
	status = rt_undo_journal_read(journal, &entry);
	if (status < 0) {
		rt_debug("journal %s is left alone: %s", journal->name, strerror(-status));
		return 0;
	}
	for (; entry; entry = older) {
		older = entry->older;
		status = rt_undo_entry_undo(&from, entry);
		if (!status)
			status = rt_undo_journal_done(journal, entry->at);
		is_left |= status < 0;
		rt_undo_entry_free(entry);
	}
	/* What could not be put back is tried again by the next start. */
	rt_undo_journal_end(journal, &undo->folder, is_left);
	return 0;
}

int rt_undo_open(struct rt_undo **ret, struct rt_err *err)
{
	struct rt_undo *undo = calloc(1, sizeof(*undo));
	int status;

	if (!undo)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory to note what to put back");
	undo->folder = (struct undo_folder){ .fd = -1, .lock_fd = -1 };
	undo->journal.fd = -1;
	undo->pid = getpid();

	status = rt_undo_folder_open(&undo->folder, false);
	if (!status)
		status = rt_undo_folder_lock(&undo->folder);
	if (!status) {
		status = rt_undo_journal_each(&undo->folder, replay, undo);
		rt_undo_folder_unlock(&undo->folder);
	}
	if (status < 0 && status != -ENOENT)
		rt_debug("cannot look for what killed runs left: %s", strerror(-status));
	*ret = undo;
	return 0;
}

static int undo_newest(struct rt_undo *undo)
{
	const struct undo_from from = { .undo = undo };
	int status = rt_undo_entry_undo(&from, undo->newest);

	if (!status)
		rt_undo_journal_done(&undo->journal, undo->newest->at);
	return status;
}

int rt_undo_all(struct rt_undo *undo)
{
	int first = 0;

	if (!undo)
		return 0;
	if (undo->pid != getpid()) {
		rt_undo_disown(undo);
		return 0;
	}
	while (undo->newest) {
		int status = undo_newest(undo);

		if (status < 0 && !first)
			first = status;
		rt_undo_pop(undo);
	}
	rt_undo_journal_end(&undo->journal, &undo->folder, first < 0);
	rt_undo_folder_close(&undo->folder);
	free(undo);
	return first;
}

void rt_undo_disown(struct rt_undo *undo)
{
	if (!undo)
		return;
	while (undo->newest)
		rt_undo_pop(undo);
	/* Closing, unlike LOCK_UN, leaves the parent's locks alone. */
	rt_close_fd(&undo->journal.fd);
	rt_undo_folder_close(&undo->folder);
	free(undo);
}
