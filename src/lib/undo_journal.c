/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undo_journal - the folder of the journals, its lock, and the files' lines;
 * see undo_internal.h.
 *
 * Two locks, both flock(2), which the kernel drops with the process: a journal
 * is locked while its owner lives; the folder's file "lock" is held for the
 * moment in which one process looks at or changes what is shared. Both files
 * are 0600, for who may open a file may also lock it for ever.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "rt/clock.h"
#include "rt/compiler.h"
#include "rt/log.h"
#include "rt/units.h"
#include "undo_internal.h"

#define FOLDER_NAME "rtgauge"
#define JOURNAL_SUFFIX ".journal"
#define LOCK_NAME "lock"
#define LOCK_WAIT_MS 5000
#define LOCK_POLL_MS 5
#define JOURNAL_MAX (16 * 1024 * 1024) /* larger is none of ours */

static const char *test_folder;

void rt_undo_folder_for_tests(const char *path)
{
	test_folder = path;
}

/* ---- the folder ------------------------------------------------------------------ */

/* Nobody but us may be able to plant files in it. */
static int check_folder(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return -EPERM;
	return 0;
}

/* A folder that is there and ours alone. Return: its descriptor or a negative errno. */
static int open_own(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int status = fd < 0 ? -errno : check_folder(fd);

	if (status < 0 && fd >= 0)
		close(fd);
	return status < 0 ? status : fd;
}

/*
 * The folder of the user's session; where there is none, as in a container or
 * after setpriv(1), one in /tmp, so that what a killed run left can be found.
 */
static int open_user_parent(char path[PATH_MAX], bool make)
{
	/* Not from the environment of somebody with fewer rights than we have. */
	const char *given = secure_getenv("XDG_RUNTIME_DIR");
	unsigned long uid = geteuid();
	int fd = -ENOENT;

	if (given && given[0] == '/' && snprintf(path, PATH_MAX, "%s", given) < PATH_MAX)
		fd = open_own(path);
	if (fd < 0) {
		snprintf(path, PATH_MAX, "/run/user/%lu", uid);
		fd = open_own(path);
	}
	if (fd < 0) {
		snprintf(path, PATH_MAX, "/tmp/" FOLDER_NAME "-%lu", uid);
		if (make && mkdir(path, 0700) < 0 && errno != EEXIST)
			return -errno;
		fd = open_own(path);
	}
	return fd;
}

static int open_parent(char path[PATH_MAX], bool make)
{
	if (!test_folder && geteuid() != 0)
		return open_user_parent(path, make);
	snprintf(path, PATH_MAX, "%s", test_folder ? test_folder : "/run");
	return open_own(path);
}

int rt_undo_folder_open(struct undo_folder *folder, bool make)
{
	char parent[PATH_MAX];
	rt_auto_close int at = -1;
	int status;

	if (folder->fd >= 0)
		return 0;
	at = open_parent(parent, make);
	if (at < 0)
		return at;
	/* The mode again, since the umask takes from mkdir(2)'s. */
	if (make && mkdirat(at, FOLDER_NAME, 0755) == 0 && fchmodat(at, FOLDER_NAME, 0755, 0) < 0)
		return -errno;
	folder->fd = openat(at, FOLDER_NAME, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder->fd < 0)
		return -errno;
	status = check_folder(folder->fd);
	if (!status && !folder->path && asprintf(&folder->path, "%s/" FOLDER_NAME, parent) < 0) {
		folder->path = NULL;
		status = -ENOMEM;
	}
	if (status < 0)
		rt_undo_folder_close(folder);
	return status;
}

void rt_undo_folder_close(struct undo_folder *folder)
{
	rt_close_fd(&folder->lock_fd);
	rt_close_fd(&folder->fd);
	free(folder->path);
	*folder = (struct undo_folder){ .fd = -1, .lock_fd = -1 };
}

/* flock(2) that gives up: its holder may have been stopped by somebody. */
static int lock_patiently(int fd)
{
	const struct timespec pause = { .tv_nsec = LOCK_POLL_MS * RT_NS_PER_MS };

	for (int waited = 0; waited < LOCK_WAIT_MS; waited += LOCK_POLL_MS) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return -EAGAIN;
}

int rt_undo_folder_lock(struct undo_folder *folder)
{
	int status;

	if (folder->fd < 0)
		return -ENOENT;
	if (folder->lock_depth == 0) {
		folder->lock_fd = openat(folder->fd, LOCK_NAME,
					 O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (folder->lock_fd < 0)
			return -errno;
		status = lock_patiently(folder->lock_fd);
		if (status < 0) {
			close(folder->lock_fd);
			folder->lock_fd = -1;
			return status;
		}
	}
	folder->lock_depth++;
	return 0;
}

void rt_undo_folder_unlock(struct undo_folder *folder)
{
	if (folder->lock_depth == 0 || --folder->lock_depth > 0)
		return;
	close(folder->lock_fd);
	folder->lock_fd = -1;
}

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

/* ---- lines ----------------------------------------------------------------------- */

/* Blanks, controls and '%' would break a line; %00 stands for an empty field. */
static void encode(FILE *out, const char *text)
{
	if (text[0] == '\0')
		fputs("%00", out);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c <= ' ' || *c == '%' || *c == 0x7f)
			fprintf(out, "%%%02X", *c);
		else
			fputc(*c, out);
	}
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* In place; the text only gets shorter. */
static bool decode(char *text)
{
	char *to = text;

	for (const char *c = text; *c; c++) {
		if (*c == '%') {
			int high = hex_digit(c[1]);
			int low = high < 0 ? -1 : hex_digit(c[2]);

			if (low < 0)
				return false;
			*to++ = (char)(high * 16 + low);
			c += 2;
		} else {
			*to++ = *c;
		}
	}
	*to = '\0';
	return true;
}

int rt_undo_journal_add(struct undo_journal *journal, struct undo_entry *entry)
{
	rt_auto_free char *line = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&line, &length);
	off_t at = journal->end;
	int status;

	if (!out)
		return -ENOMEM;
	fprintf(out, "+%s", entry->kind->name);
	for (size_t i = 0; i < strlen(entry->kind->fields); i++) {
		fputc(' ', out);
		encode(out, entry->field[i]);
	}
	fputc('\n', out);
	if (fclose(out) != 0)
		return -ENOMEM;
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

static const struct undo_kind *find_kind(const char *name)
{
	for (int i = 0; i < UNDO_KINDS; i++)
		if (strcmp(rt_undo_kinds[i].name, name) == 0)
			return &rt_undo_kinds[i];
	return NULL;
}

static bool is_field_good(char letter, const char *text)
{
	int64_t number;

	if (letter == 'p')
		return text[0] == '/';
	return letter != 'n' || rt_parse_int(&number, text, INT64_MIN, INT64_MAX) == 0;
}

/* One line without its mark and newline, cut up in place. NULL if it is not understood. */
static struct undo_entry *parse_line(char *line, off_t at)
{
	struct undo_entry *entry = calloc(1, sizeof(*entry));
	char *rest, *word = strtok_r(line, " ", &rest);
	const char *fields;

	if (!entry || !word)
		goto bad;
	entry->at = at;
	entry->kind = find_kind(word);
	if (!entry->kind)
		goto bad;
	fields = entry->kind->fields;
	for (size_t i = 0; i < strlen(fields); i++) {
		word = strtok_r(NULL, " ", &rest);
		if (!word || !decode(word) || !is_field_good(fields[i], word))
			goto bad;
		entry->field[i] = strdup(word);
		if (!entry->field[i])
			goto bad;
	}
	if (!strtok_r(NULL, " ", &rest))
		return entry;
bad:
	rt_undo_entry_free(entry);
	return NULL;
}

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
		entry = parse_line(line + 1, line - text);
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
	int status = 0;

	journal.fd = openat(folder->fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (journal.fd < 0)
		return 0; /* its owner has just ended */
	if (fstat(journal.fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()) {
		bool is_live = flock(journal.fd, LOCK_EX | LOCK_NB) < 0;

		journal.end = st.st_size;
		snprintf(journal.name, sizeof(journal.name), "%s", name);
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
