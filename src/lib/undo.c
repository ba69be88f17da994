/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undo - the list of what to put back and the kinds of things in it; see
 * rt/undo.h, and undo_internal.h for the other two files of this room.
 */
#include <errno.h>
#include <inttypes.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sem.h>
#include <sys/stat.h>

#include "rt/clock.h"
#include "rt/compiler.h"
#include "rt/log.h"
#include "rt/units.h"
#include "undo_internal.h"

/* A cgroup or tracefs instance is busy until the last task or reader has really gone. */
#define RMDIR_TRIES 40
#define RMDIR_PAUSE_MS 5

int64_t rt_undo_number(const struct undo_entry *entry, int field)
{
	int64_t number = 0;

	/* Checked when the entry was made or read. */
	rt_parse_int(&number, entry->field[field], INT64_MIN, INT64_MAX);
	return number;
}

/* ---- what each kind undoes ------------------------------------------------------- */

/* What is not there any more needs no undoing. */
static int result(int returned)
{
	return returned < 0 && errno != ENOENT ? -errno : 0;
}

static int undo_unlink(const struct undo_from *from, const struct undo_entry *entry)
{
	struct stat st;
	int status = result(unlink(entry->field[0]));

	(void)from;
	/* A read-only file system says so before it looks whether the file is there. */
	return status == -EROFS && lstat(entry->field[0], &st) < 0 ? result(-1) : status;
}

static int undo_inode(const struct undo_from *from, const struct undo_entry *entry)
{
	struct stat st;

	if (lstat(entry->field[0], &st) < 0)
		return result(-1);
	if ((int64_t)st.st_dev != rt_undo_number(entry, 1) ||
	    (int64_t)st.st_ino != rt_undo_number(entry, 2))
		return 0;
	return undo_unlink(from, entry);
}

static int undo_rmdir(const struct undo_from *from, const struct undo_entry *entry)
{
	const struct timespec pause = { .tv_nsec = RMDIR_PAUSE_MS * RT_NS_PER_MS };

	(void)from;
	for (int i = 0; i < RMDIR_TRIES; i++) {
		if (rmdir(entry->field[0]) == 0)
			return 0;
		if (errno != EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	return result(-1);
}

static int undo_shm(const struct undo_from *from, const struct undo_entry *entry)
{
	(void)from;
	return result(shm_unlink(entry->field[0]));
}

static int undo_mq(const struct undo_from *from, const struct undo_entry *entry)
{
	(void)from;
	return result(mq_unlink(entry->field[0]));
}

static int undo_sem(const struct undo_from *from, const struct undo_entry *entry)
{
	/* semctl(2): the caller has to define it. */
	union {
		int value;
		struct semid_ds *info;
	} arg;
	struct semid_ds info;
	int id = semget((key_t)rt_undo_number(entry, 0), 0, 0);

	(void)from;
	if (id < 0)
		return result(-1);
	arg.info = &info;
	/* It has gone meanwhile, or is somebody's who does not let us look. */
	if (semctl(id, 0, IPC_STAT, arg) < 0 || info.sem_perm.uid != geteuid())
		return 0;
	return result(semctl(id, 0, IPC_RMID));
}

/* When a thread was started, in ticks since boot: proc_pid_stat(5), field 22. */
static int64_t start_time(int64_t tid)
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

static int undo_affinity(const struct undo_from *from, const struct undo_entry *entry)
{
	struct rt_cpuset mask = RT_CPUSET_INIT, now = RT_CPUSET_INIT;
	int64_t tid = rt_undo_number(entry, 0);
	int status;

	(void)from;
	if (start_time(tid) != rt_undo_number(entry, 1))
		return 0;
	status = rt_cpuset_kernel_list(&mask, entry->field[2]);
	/* Newer kernels give it back by themselves: then nothing is called in its name. */
	if (!status && (rt_cpuset_affinity(&now, (pid_t)tid) || !rt_cpuset_equal(&now, &mask)))
		status = rt_cpuset_pin((pid_t)tid, &mask);
	rt_cpuset_done(&mask);
	rt_cpuset_done(&now);
	return status == -ESRCH ? 0 : status;
}

/* The names are in journals of killed runs, perhaps of another version: they stay. */
const struct undo_kind rt_undo_kinds[UNDO_KINDS] = {
	[UNDO_UNLINK] = { "unlink", "the file", "p", undo_unlink },
	[UNDO_INODE] = { "inode", "the file", "pnn", undo_inode },
	[UNDO_RMDIR] = { "rmdir", "the folder", "p", undo_rmdir },
	[UNDO_SHM] = { "shm", "the shared memory", "p", undo_shm },
	[UNDO_MQ] = { "mq", "the message queue", "p", undo_mq },
	[UNDO_SEM] = { "sem", "the semaphores with the key", "n", undo_sem },
	[UNDO_AFFINITY] = { "affinity", "", "nnt", undo_affinity },
	[UNDO_KNOB] = { "knob", "", "ptttn", rt_undo_knob_leave },
};

/* ---- entries --------------------------------------------------------------------- */

void rt_undo_entry_free(struct undo_entry *entry)
{
	if (!entry)
		return;
	for (int i = 0; i < UNDO_FIELDS; i++)
		free(entry->field[i]);
	free(entry);
}

static void tell(const struct undo_entry *entry, int code)
{
	if (entry->kind == &rt_undo_kinds[UNDO_KNOB])
		rt_warn("cannot set %s back to '%s': %s", entry->field[KNOB_PATH],
			entry->field[KNOB_ORIGINAL], strerror(-code));
	else if (entry->kind == &rt_undo_kinds[UNDO_AFFINITY])
		rt_warn("cannot let thread %s run on CPUs %s again: %s", entry->field[0],
			entry->field[2], strerror(-code));
	else
		rt_warn("cannot remove %s %s: %s", entry->kind->what, entry->field[0],
			strerror(-code));
}

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
	entry->kind = &rt_undo_kinds[kind];
	for (size_t i = 0; i < strlen(entry->kind->fields); i++) {
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

int rt_undo_affinity(struct rt_undo *undo, pid_t tid, const struct rt_cpuset *mask,
		     struct rt_err *err)
{
	int64_t started = start_time(tid);
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

int rt_undo_call(struct rt_undo *undo, void (*call)(void *data), void *data)
{
	struct undo_entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	entry->at = -1;
	entry->call = call;
	entry->data = data;
	entry->older = undo->newest;
	undo->newest = entry;
	return 0;
}

static void pop(struct rt_undo *undo)
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
	pop(undo);
}

/* ---- the list -------------------------------------------------------------------- */

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
		status = entry->kind->undo(&from, entry);
		if (!status)
			status = rt_undo_journal_done(journal, entry->at);
		else
			tell(entry, status);
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
	struct undo_entry *entry = undo->newest;
	int status;

	if (!entry->kind) {
		entry->call(entry->data);
		return 0;
	}
	status = entry->kind->undo(&from, entry);
	if (status < 0)
		tell(entry, status);
	else
		rt_undo_journal_done(&undo->journal, entry->at);
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
		pop(undo);
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
		pop(undo);
	/* Closing, unlike LOCK_UN, leaves the parent's locks alone. */
	rt_close_fd(&undo->journal.fd);
	rt_undo_folder_close(&undo->folder);
	free(undo);
}

int rt_undo_random_name(char name[RT_UNDO_NAME_MAX])
{
	char tool[RT_UNDO_NAME_MAX / 2];
	const char *program = rt_program();
	uint64_t random;
	size_t i;

	for (i = 0; program[i] && i < sizeof(tool) - 1; i++)
		tool[i] = strchr("/% -", program[i]) ? '_' : program[i];
	tool[i] = '\0';
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	snprintf(name, RT_UNDO_NAME_MAX, "/rtgauge-%s-%016" PRIx64, tool, random);
	return 0;
}
