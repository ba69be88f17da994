/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undo_knob - kernel files with a value that several runs may set at once.
 *
 * Every holder has the knob in its own journal, with the original value, which
 * it copies from a holder that came before it. So the list of holders is what
 * the journals say, and one that was killed leaves it by itself: its journal
 * is unlocked. Who leaves looks at the value: if it is his, or one that a dead
 * holder wrote, he sets it to what the youngest holder that stays had asked
 * for, or, being the last one, to the original. A value that none of us wrote
 * stays as it is. All this happens with the folder locked.
 *
 * What a file shows need not be what was written to it. Beside plain values
 * there are
 *	"always [madvise] never"	a choice: the word in brackets counts
 *	"FOO NO_BAR", "foo nobar"	a list of switches: writing "BAR" turns one
 *	"cpuset memory"			a list of members, written as "+cpu", "-cpu"
 * One switch or member is a knob of its own, named by its key.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rt/clock.h"
#include "rt/compiler.h"
#include "undo_internal.h"

#define SHOWN_MAX 65536

/* First character of the field 'ours': what follows is as the kernel shows it, or only as asked. */
#define OURS_SHOWN '='
#define OURS_ASKED '?'

/* ---- what a file shows ----------------------------------------------------------- */

/* The whole file without blanks at its end; NULL with errno set. */
static char *read_text(const char *path)
{
	rt_auto_free char *text = calloc(1, SHOWN_MAX);
	rt_auto_close int fd = text ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	size_t length = 0;

	if (fd < 0)
		return NULL;
	while (length < SHOWN_MAX - 1) {
		ssize_t n = read(fd, text + length, SHOWN_MAX - 1 - length);

		if (n < 0)
			return NULL;
		if (n == 0)
			break;
		length += (size_t)n;
	}
	while (length > 0 && strchr(" \t\n", text[length - 1]))
		text[--length] = '\0';
	return rt_take(text);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Does a list hold the word @before@word? */
static bool has_word(const char *list, const char *before, const char *word)
{
	size_t first = strlen(before), second = strlen(word);

	while (*list) {
		size_t length;

		list += strspn(list, " \t\n");
		length = strcspn(list, " \t\n");
		if (length == first + second && strncmp(list, before, first) == 0 &&
		    strncmp(list + first, word, second) == 0)
			return true;
		list += length;
	}
	return false;
}

static const char *const negations[] = { "", "NO_", "no" };

/* Which part of a file's text a value is about; "" for all of it. Heap memory or NULL. */
static char *find_key(const char *text, const char *value)
{
	char *key;

	if ((value[0] == '+' || value[0] == '-') && is_letter(value[1]))
		return asprintf(&key, "+%s", value + 1) < 0 ? NULL : key;
	if (!is_letter(value[0]) || strpbrk(value, " \t") || strchr(text, '[') ||
	    !strpbrk(text, " \t\n"))
		return strdup("");
	for (size_t i = 0; i < RT_ARRAY_SIZE(negations); i++) {
		size_t skip = strlen(negations[i]);
		const char *name = value + skip;

		if (strncmp(value, negations[i], skip) != 0)
			continue;
		for (size_t k = 0; name[0] && k < RT_ARRAY_SIZE(negations); k++)
			if (has_word(text, negations[k], name))
				return strdup(name);
	}
	return strdup("");
}

/* The value of one knob in a file's text, in the form in which it can be written again. */
static char *pick(const char *text, const char *key)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	char *value = NULL;

	if (key[0] == '+') {
		if (asprintf(&value, "%c%s", has_word(text, "", key + 1) ? '+' : '-', key + 1) < 0)
			return NULL;
		return value;
	}
	if (key[0] == '\0')
		return close ? strndup(open + 1, close - open - 1) : strdup(text);
	for (size_t i = 0; i < RT_ARRAY_SIZE(negations); i++) {
		if (!has_word(text, negations[i], key))
			continue;
		return asprintf(&value, "%s%s", negations[i], key) < 0 ? NULL : value;
	}
	errno = ENOENT;
	return NULL;
}

static char *read_knob(const char *path, const char *key)
{
	rt_auto_free char *text = read_text(path);

	return text ? pick(text, key) : NULL;
}

/* One write(2) with a newline behind, as from a shell: an empty value is a write, too. */
static int write_knob(const char *path, const char *value)
{
	rt_auto_free char *line = NULL;
	rt_auto_close int fd = -1;
	int length = asprintf(&line, "%s\n", value);

	if (length < 0) {
		line = NULL;
		return -ENOMEM;
	}
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, line, (size_t)length) < 0)
		return -errno;
	return 0;
}

/* ---- who else holds it ----------------------------------------------------------- */

/**
 * struct holders - what the entries of the others say about one knob
 * @from:    the entry in question, and
 * @self:    where it comes from; both are left out; NULL: a new one
 * @current: the knob's value now
 */
struct holders {
	const struct undo_from *from;
	const struct undo_entry *self;
	const char *path, *key, *current;
	/* found: */
	char *original;   /* of one whose value is the current one */
	char *wanted;     /* value of the youngest live holder */
	int64_t since;    /* when that one came */
	bool is_of_dead;  /* a dead holder wrote the current value */
	bool no_memory;
};

/*
 * Is the value what this holder wrote? One that was killed between its write
 * and its look at the result can't say what the kernel made of it: then any
 * change counts as its own.
 */
static bool is_from(const struct undo_entry *entry, const char *current)
{
	const char *ours = entry->field[KNOB_OURS];

	if (strcmp(ours + 1, current) == 0)
		return true;
	return ours[0] == OURS_ASKED && strcmp(entry->field[KNOB_ORIGINAL], current) != 0;
}

static void replace_text(struct holders *h, char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	h->no_memory |= !*to;
}

static void look_at(struct holders *h, const struct undo_entry *entry, bool is_live)
{
	if (entry->kind != UNDO_KNOB ||
	    strcmp(entry->field[KNOB_PATH], h->path) != 0 ||
	    strcmp(entry->field[KNOB_KEY], h->key) != 0)
		return;
	if (is_from(entry, h->current)) {
		replace_text(h, &h->original, entry->field[KNOB_ORIGINAL]);
		h->is_of_dead |= !is_live;
	}
	if (is_live && (!h->wanted || rt_undo_number(entry, KNOB_SINCE) > h->since)) {
		replace_text(h, &h->wanted, entry->field[KNOB_OURS] + 1);
		h->since = rt_undo_number(entry, KNOB_SINCE);
	}
}

static int look_at_journal(struct undo_journal *journal, bool is_live, void *data)
{
	struct holders *h = data;
	const struct undo_journal *own = &h->from->undo->journal, *dead = h->from->dead;
	bool is_dead_one = dead && strcmp(journal->name, dead->name) == 0;
	struct undo_entry *entry, *older;

	if (own->fd >= 0 && strcmp(journal->name, own->name) == 0)
		return 0; /* our own list says it */
	if (rt_undo_journal_read(journal, &entry) < 0)
		return 0;
	for (; entry; entry = older) {
		older = entry->older;
		/* The lock of the one that is being replayed is held by us. */
		if (!is_dead_one)
			look_at(h, entry, is_live);
		else if (entry->at != h->self->at)
			look_at(h, entry, false);
		rt_undo_entry_free(entry);
	}
	return 0;
}

static int find_holders(struct holders *h)
{
	struct rt_undo *undo = h->from->undo;
	int status = 0;

	for (struct undo_entry *entry = undo->newest; entry; entry = entry->older)
		if (entry->kind && entry != h->self)
			look_at(h, entry, true);
	if (undo->folder.fd >= 0)
		status = rt_undo_journal_each(&undo->folder, look_at_journal, h);
	return h->no_memory ? -ENOMEM : status;
}

static void holders_done(struct holders *h)
{
	free(h->original);
	free(h->wanted);
}

/* ---- leaving --------------------------------------------------------------------- */

static int leave_locked(struct holders *h)
{
	const char *next;
	int status = find_holders(h);

	if (status < 0)
		return status;
	if (!is_from(h->self, h->current) && !h->is_of_dead)
		return 0; /* somebody else's value, or that of a holder who stays */
	next = h->wanted ? h->wanted : h->self->field[KNOB_ORIGINAL];
	return strcmp(next, h->current) == 0 ? 0 : write_knob(h->path, next);
}

int rt_undo_knob_leave(const struct undo_from *from, const struct undo_entry *entry)
{
	struct undo_folder *folder = &from->undo->folder;
	struct holders h = { .from = from, .self = entry };
	bool is_locked = rt_undo_folder_lock(folder) == 0;
	rt_auto_free char *current = NULL;
	int status = 0;

	h.path = entry->field[KNOB_PATH];
	h.key = entry->field[KNOB_KEY];
	current = read_knob(h.path, h.key);
	h.current = current;
	if (current)
		status = leave_locked(&h);
	else if (errno != ENOENT && errno != ENODEV) /* a knob that has gone needs no undoing */
		status = -errno;
	holders_done(&h);
	if (is_locked)
		rt_undo_folder_unlock(folder);
	return status;
}

/* ---- taking ---------------------------------------------------------------------- */

static int refuse(struct rt_err *err, int code, const char *path, const char *value)
{
	bool may_help = (code == -EACCES || code == -EPERM) && geteuid() != 0;
	const char *hint = may_help ? "; run as root" : "";

	return rt_err_set(err, RT_EXIT_MISSING, code, "cannot set %s to '%s': %s%s", path, value,
			  strerror(-code), hint);
}

static int push_knob(struct holders *h, const char *value, struct rt_err *err)
{
	rt_auto_free char *ours = NULL;
	char since[24];
	const char *fields[UNDO_FIELDS] = { h->path, h->key };

	if (asprintf(&ours, "%c%s", OURS_ASKED, value) < 0) {
		ours = NULL;
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for a knob");
	}
	snprintf(since, sizeof(since), "%" PRId64, rt_clock_ns(CLOCK_MONOTONIC));
	fields[KNOB_ORIGINAL] = h->original ? h->original : h->current;
	fields[KNOB_OURS] = ours;
	fields[KNOB_SINCE] = since;
	return rt_undo_push(h->from->undo, UNDO_KNOB, fields, err);
}

/* Note how the kernel shows what we wrote: a second line, which then replaces the first. */
static void note_shown(struct rt_undo *undo, struct undo_entry *entry)
{
	rt_auto_free char *shown = read_knob(entry->field[KNOB_PATH], entry->field[KNOB_KEY]);
	off_t asked_at = entry->at;
	char *ours = NULL;

	if (!shown || asprintf(&ours, "%c%s", OURS_SHOWN, shown) < 0)
		return;
	free(entry->field[KNOB_OURS]);
	entry->field[KNOB_OURS] = ours;
	if (asked_at >= 0 && rt_undo_journal_add(&undo->journal, entry) == 0)
		rt_undo_journal_done(&undo->journal, asked_at);
}

static int take_locked(struct holders *h, const char *value, struct rt_err *err)
{
	struct rt_undo *undo = h->from->undo;
	int status = find_holders(h);

	if (status < 0)
		return refuse(err, status, h->path, value);
	/* It has the value, and none of us will take it away. */
	if (strcmp(h->current, value) == 0 && !h->original)
		return 0;
	status = push_knob(h, value, err);
	if (status < 0)
		return status;
	if (strcmp(h->current, value) != 0)
		status = write_knob(h->path, value);
	if (status < 0) {
		rt_undo_forget(undo);
		return refuse(err, status, h->path, value);
	}
	note_shown(undo, undo->newest);
	return 0;
}

int rt_undo_knob(struct rt_undo *undo, const char *path, const char *value, struct rt_err *err)
{
	const struct undo_from from = { .undo = undo };
	struct holders h = { .from = &from, .path = path };
	rt_auto_free char *text = read_text(path), *key = NULL, *current = NULL;
	bool is_locked;
	int status;

	if (text)
		key = find_key(text, value);
	if (!key)
		return refuse(err, -errno, path, value);

	/* Without a folder we hold the knob alone; with one only under its lock. */
	rt_undo_folder_open(&undo->folder, true);
	is_locked = rt_undo_folder_lock(&undo->folder) == 0;
	if (!is_locked && undo->folder.fd >= 0)
		return rt_err_set(err, RT_EXIT_MISSING, EBUSY,
				  "cannot set %s: %s/lock is held by a run that does not go on",
				  path, undo->folder.path);
	/* Read again: only what is seen under the lock counts. */
	current = read_knob(path, key);
	h.key = key;
	h.current = current;
	status = current ? take_locked(&h, value, err) : refuse(err, -errno, path, value);
	holders_done(&h);
	if (is_locked)
		rt_undo_folder_unlock(&undo->folder);
	return status;
}
