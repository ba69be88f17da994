/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undo_internal - what the files of the undo room share. Each calls those below it:
 *
 *  undo.c          opening, which undoes what killed runs left, and undoing all
 *  undo_kinds.c    how each kind of entry is undone
 *  undo_knob.c     knobs, which several processes may hold at once
 *  undo_list.c     the list; what is put on it is in the journal first
 *  undo_journal.c  the journals' files
 *  undo_folder.c   where they lie, and the lock for looking at them
 *  undo_entry.c    an entry, its kind and its line
 *  undo_name.c     names for what runs make
 *
 * A journal is text: a first line that names the format, then one line an
 * entry: '+' (to be undone) or '-' (done), the kind, and its fields, all with
 * blanks between them; fields are percent-encoded. An entry is marked done by
 * overwriting its first byte. A last line without a newline was never
 * completely written, so its change was never made.
 */
#ifndef RT_UNDO_INTERNAL_H
#define RT_UNDO_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "rt/undo.h"

#define UNDO_FIELDS 5
#define UNDO_JOURNAL_HEAD "rtgauge-journal 1\n"

/** enum undo_kind_id - UNDO_CALL is only in this process's list, never in a journal */
enum undo_kind_id {
	UNDO_CALL = -1,
	UNDO_UNLINK,
	UNDO_INODE,
	UNDO_RMDIR,
	UNDO_SHM,
	UNDO_MQ,
	UNDO_SEM,
	UNDO_AFFINITY,
	UNDO_KNOB,
	UNDO_PAUSE,
	UNDO_KINDS
};

/**
 * struct undo_kind - how it stands in a journal
 * @fields: one letter a field: p absolute path, n number, t any text
 */
struct undo_kind {
	const char *name;
	const char *fields;
};
extern const struct undo_kind rt_undo_kinds[UNDO_KINDS];

/* What the fields of a knob are. */
enum undo_knob_field { KNOB_PATH, KNOB_KEY, KNOB_ORIGINAL, KNOB_OURS, KNOB_SINCE };

/**
 * struct undo_entry - one thing to put back
 * @at:   where its line begins in its journal; -1: in none
 */
struct undo_entry {
	struct undo_entry *older;
	enum undo_kind_id kind;
	char *field[UNDO_FIELDS];
	off_t at;
	void (*call)(void *data);
	void *data;
};

/** struct undo_folder - where the journals of our uid lie */
struct undo_folder {
	int fd; /* -1: not opened, or there is none */
	int lock_fd;
	int lock_depth;
	char *path; /* for messages; NULL while not opened */
};

/** struct undo_journal - one file in it; locked by us as long as fd is open */
struct undo_journal {
	int fd;
	off_t end;
	char name[RT_UNDO_NAME_MAX * 2];
};

struct rt_undo {
	struct undo_folder folder;
	struct undo_journal journal;
	struct undo_entry *newest;
	pid_t pid;         /* whose list it is: a forked child undoes nothing */
	bool is_unwritten; /* no journal could be made */
};

/** struct undo_from - where an entry that is undone comes from */
struct undo_from {
	struct rt_undo *undo;
	const struct undo_journal *dead; /* NULL: it is our own */
};

/* ---- undo_entry.c ---- */
void rt_undo_entry_free(struct undo_entry *entry);

/** rt_undo_number() - a field that was checked to be one when the entry was made or read */
int64_t rt_undo_number(const struct undo_entry *entry, int field);

/** rt_undo_entry_line() - its line, with the newline; free it. 0 or -ENOMEM */
int rt_undo_entry_line(const struct undo_entry *entry, char **ret, size_t *ret_length);

/**
 * rt_undo_entry_parse() - the entry of one line, which lies at @at in its journal
 * @line: without its mark and newline; cut up in place
 * Return: NULL if it is not understood.
 */
struct undo_entry *rt_undo_entry_parse(char *line, off_t at);

/* ---- undo_folder.c ---- */

/** rt_undo_folder_for_tests() - use this folder; NULL: the usual ones again */
void rt_undo_folder_for_tests(const char *path);

/** rt_undo_folder_open() - open it, make it first if @make; 0 or a negative errno */
int rt_undo_folder_open(struct undo_folder *folder, bool make);
void rt_undo_folder_close(struct undo_folder *folder);

/**
 * rt_undo_folder_lock() - one process at a time reads or changes what is shared
 * May be nested. A holder that does not let go within seconds is -EAGAIN.
 */
int rt_undo_folder_lock(struct undo_folder *folder);
void rt_undo_folder_unlock(struct undo_folder *folder);

/* ---- undo_journal.c ---- */

/** rt_undo_journal_new() - make and lock a journal of ours */
int rt_undo_journal_new(struct undo_journal *journal, struct undo_folder *folder);

/** rt_undo_journal_end() - close it; remove it unless something in it is still to be done */
void rt_undo_journal_end(struct undo_journal *journal, struct undo_folder *folder, bool keep);

/** rt_undo_journal_add() - append an entry's line by one write(2); sets entry->at */
int rt_undo_journal_add(struct undo_journal *journal, struct undo_entry *entry);

/** rt_undo_journal_done() - mark a line as undone */
int rt_undo_journal_done(const struct undo_journal *journal, off_t at);

/**
 * rt_undo_journal_read() - the entries that are still to be undone, newest first
 * @ret: a list; free each with rt_undo_entry_free()
 */
int rt_undo_journal_read(const struct undo_journal *journal, struct undo_entry **ret);

/**
 * rt_undo_journal_each() - open every journal of our uid, one after the other
 * @visit: is_live: its owner holds its lock; else we hold it during the call
 * Return: 0; the first error. The folder must be locked.
 */
int rt_undo_journal_each(struct undo_folder *folder,
			 int (*visit)(struct undo_journal *journal, bool is_live, void *data),
			 void *data);

/* ---- undo_list.c ---- */

/**
 * rt_undo_push() - note it in the journal and put it on the list
 * Return: 0; -EINVAL for a relative path, -ENOMEM, with a sentence.
 */
int rt_undo_push(struct rt_undo *undo, enum undo_kind_id kind, const char *const fields[],
		 struct rt_err *err);

/** rt_undo_pop() - take the newest one off the list, not out of the journal */
void rt_undo_pop(struct rt_undo *undo);

/** rt_undo_start_time() - of a thread, in ticks since boot (proc_pid_stat(5), field 22); -1: none */
int64_t rt_undo_start_time(int64_t tid);

/* ---- undo_knob.c ---- */
int rt_undo_knob_leave(const struct undo_from *from, const struct undo_entry *entry);

/* ---- undo_kinds.c ---- */

/**
 * rt_undo_entry_undo() - undo it; what can't be undone is a warning
 * Return: 0, also when there is nothing left to undo; else a negative errno.
 */
int rt_undo_entry_undo(const struct undo_from *from, const struct undo_entry *entry);

#endif
