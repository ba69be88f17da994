/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undo_journal - the journals' files; see undo_internal.h.
 *
 * A journal is locked, by flock(2), while its owner lives. It is 0600 for the
 * reason that the folder's lock is.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "rt/compiler.h"
#include "rt/log.h"
#include "undo_internal.h"

#define JOURNAL_SUFFIX ".journal"
#define JOURNAL_MAX (16 * 1024 * 1024) /* larger is none of ours */

/* ---- our journal ----------------------------------------------------------------- */

static int write_at(struct undo_journal *journal, const char *text, size_t length)
{
	ssize_t n = pwrite(journal->fd, text, length, journal->end);
	int code = n < 0 ? errno : ENOSPC;

	if (n == (ssize_t)length) {
		journal->end += n;
		return 0;
	}
	/* Half a line in the middle would swallow the next one. */
	if (n > 0 && ftruncate(journal->fd, journal->end) < 0)
		return -errno;
	return -code;
}

int rt_undo_journal_new(struct undo_journal *journal, struct undo_folder *folder)
{
	char name[RT_UNDO_NAME_MAX], *random;
	int status;

	status = rt_undo_random_name(name);
	if (status < 0)
		return status;
	/* "/rtgauge-TOOL-random" becomes "TOOL-PID-random.journal". */
	random = strrchr(name, '-');
	*random++ = '\0';
	snprintf(journal->name, sizeof(journal->name), "%s-%ld-%s" JOURNAL_SUFFIX,
		 name + strlen("/rtgauge-"), (long)getpid(), random);

	/* While the folder is locked nobody takes the new file for a dead one. */
	status = rt_undo_folder_lock(folder);
	if (status < 0)
		return status;
	journal->end = 0;
	journal->fd = openat(folder->fd, journal->name,
			     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (journal->fd < 0)
		status = -errno;
	else if (flock(journal->fd, LOCK_EX | LOCK_NB) < 0)
		status = -errno;
	else
		status = write_at(journal, UNDO_JOURNAL_HEAD, strlen(UNDO_JOURNAL_HEAD));
	if (status < 0)
		rt_undo_journal_end(journal, folder, false);
	rt_undo_folder_unlock(folder);
	return status;
}

void rt_undo_journal_end(struct undo_journal *journal, struct undo_folder *folder, bool keep)
{
	if (journal->fd < 0)
		return;
	if (!keep)
		unlinkat(folder->fd, journal->name, 0);
	close(journal->fd);
	journal->fd = -1;
}

int rt_undo_journal_add(struct undo_journal *journal, struct undo_entry *entry)
{
	rt_auto_free char *line = NULL;
	size_t length = 0;
	off_t at = journal->end;
	int status = rt_undo_entry_line(entry, &line, &length);

	if (!status)
		status = write_at(journal, line, length);
	if (!status)
		entry->at = at;
	return status;
}

int rt_undo_journal_done(const struct undo_journal *journal, off_t at)
{
	if (journal->fd < 0 || at < 0)
		return 0;
	return pwrite(journal->fd, "-", 1, at) == 1 ? 0 : -EIO;
}

/* ---- reading one ------------------------------------------------------------------ */

static char *read_all(int fd, size_t *ret_length)
{
	struct stat st;
	size_t length = 0;
	char *text;

	if (fstat(fd, &st) < 0 || st.st_size > JOURNAL_MAX)
		return NULL;
	text = calloc(1, (size_t)st.st_size + 1);
	while (text && length < (size_t)st.st_size) {
		ssize_t n = pread(fd, text + length, (size_t)st.st_size - length, (off_t)length);

		if (n <= 0)
			break;
		length += (size_t)n;
	}
	*ret_length = length;
	return text;
}

int rt_undo_journal_read(const struct undo_journal *journal, struct undo_entry **ret)
{
	size_t length = 0, head = strlen(UNDO_JOURNAL_HEAD);
	rt_auto_free char *text = read_all(journal->fd, &length);
	char *line, *end;

	*ret = NULL;
	if (!text)
		return -EIO;
	if (length < head)
		return 0; /* killed before its first entry */
	if (strncmp(text, UNDO_JOURNAL_HEAD, head) != 0)
		return -EPROTO;
	for (line = text + head; (end = strchr(line, '\n')); line = end + 1) {
		struct undo_entry *entry;

		*end = '\0';
		if (line[0] != '+')
			continue;
		entry = rt_undo_entry_parse(line + 1, line - text);
		if (!entry) {
			rt_warn("journal %s: a line at byte %ld is not understood, ignored",
				journal->name, (long)(line - text));
			continue;
		}
		entry->older = *ret;
		*ret = entry;
	}
	return 0;
}

/* ---- all journals ---------------------------------------------------------------- */

static bool is_journal_name(const char *name)
{
	size_t length = strlen(name), suffix = strlen(JOURNAL_SUFFIX);

	return length > suffix && length < sizeof(((struct undo_journal *)NULL)->name) &&
	       strcmp(name + length - suffix, JOURNAL_SUFFIX) == 0;
}

static int visit_one(struct undo_folder *folder, const char *name,
		     int (*visit)(struct undo_journal *journal, bool is_live, void *data),
		     void *data)
{
	struct undo_journal journal = { .fd = -1 };
	struct stat st;
	int length = snprintf(journal.name, sizeof(journal.name), "%s", name);
	int status = 0;

	if (length >= (int)sizeof(journal.name))
		return 0; /* we give no such names */
	journal.fd = openat(folder->fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (journal.fd < 0)
		return 0; /* its owner has just ended */
	if (fstat(journal.fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()) {
		bool is_live = flock(journal.fd, LOCK_EX | LOCK_NB) < 0;

		journal.end = st.st_size;
		status = visit(&journal, is_live, data);
	}
	rt_close_fd(&journal.fd);
	return status;
}

int rt_undo_journal_each(struct undo_folder *folder,
			 int (*visit)(struct undo_journal *journal, bool is_live, void *data),
			 void *data)
{
	int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *item;
	int status = 0;

	if (!dir) {
		status = -errno;
		rt_close_fd(&fd);
		return status;
	}
	while (!status && (item = readdir(dir)))
		if (is_journal_name(item->d_name))
			status = visit_one(folder, item->d_name, visit, data);
	closedir(dir);
	return status;
}
