/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undo_kinds - how each kind of entry is undone; knobs have a file of their own.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <mqueue.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "rt/clock.h"
#include "rt/compiler.h"
#include "rt/log.h"
#include "undo_internal.h"

/* A cgroup or tracefs instance is busy until the last task or reader has really gone. */
#define RMDIR_TRIES 40
#define RMDIR_PAUSE_MS 5

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

static int undo_affinity(const struct undo_from *from, const struct undo_entry *entry)
{
	struct rt_cpuset mask = RT_CPUSET_INIT, now = RT_CPUSET_INIT;
	int64_t tid = rt_undo_number(entry, 0);
	int status;

	(void)from;
	if (rt_undo_start_time(tid) != rt_undo_number(entry, 1))
		return 0;
	status = rt_cpuset_kernel_list(&mask, entry->field[2]);
	/* Newer kernels give it back by themselves: then nothing is called in its name. */
	if (!status && (rt_cpuset_affinity(&now, (pid_t)tid) || !rt_cpuset_equal(&now, &mask)))
		status = rt_cpuset_pin((pid_t)tid, &mask);
	rt_cpuset_done(&mask);
	rt_cpuset_done(&now);
	return status == -ESRCH ? 0 : status;
}

static int undo_pause(const struct undo_from *from, const struct undo_entry *entry)
{
	int64_t ns = rt_undo_number(entry, 0);
	struct timespec left = rt_ns_timespec(ns > 0 ? ns : 0);

	if (from->dead && ns > RT_NS_PER_S)
		rt_warn("waiting for %" PRId64 " s, as long as the kernel counts the deadline "
			"threads of a killed run", ns / RT_NS_PER_S);
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		continue;
	return 0;
}

/* ---- all of them ----------------------------------------------------------------- */

static const struct {
	const char *what; /* for a message, "cannot remove ..." */
	int (*undo)(const struct undo_from *from, const struct undo_entry *entry);
} kinds[UNDO_KINDS] = {
	[UNDO_UNLINK] = { "the file", undo_unlink },
	[UNDO_INODE] = { "the file", undo_inode },
	[UNDO_RMDIR] = { "the folder", undo_rmdir },
	[UNDO_SHM] = { "the shared memory", undo_shm },
	[UNDO_MQ] = { "the message queue", undo_mq },
	[UNDO_SEM] = { "the semaphores with the key", undo_sem },
	[UNDO_AFFINITY] = { "", undo_affinity },
	[UNDO_KNOB] = { "", rt_undo_knob_leave },
	[UNDO_PAUSE] = { "", undo_pause },
};

static void tell(const struct undo_entry *entry, int code)
{
	if (entry->kind == UNDO_KNOB)
		rt_warn("cannot set %s back to '%s': %s", entry->field[KNOB_PATH],
			entry->field[KNOB_ORIGINAL], strerror(-code));
	else if (entry->kind == UNDO_AFFINITY)
		rt_warn("cannot let thread %s run on CPUs %s again: %s", entry->field[0],
			entry->field[2], strerror(-code));
	else
		rt_warn("cannot remove %s %s: %s", kinds[entry->kind].what, entry->field[0],
			strerror(-code));
}

static bool is_empty_mount_point(const char *path)
{
	struct statfs fs;
	struct dirent *item;
	DIR *dir;
	int items = 0;

	if (statfs(path, &fs) < 0 || fs.f_type != SYSFS_MAGIC)
		return false;
	dir = opendir(path);
	while (dir && (item = readdir(dir)))
		items += strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0;
	if (dir)
		closedir(dir);
	return dir && !items;
}

/*
 * A run that was killed had tracefs or a cgroup tree mounted where nothing is now: it was
 * in another mount namespace, and what it left is still there. Then the folder that its
 * path lies in is missing, too, or is a mount point in sysfs with nothing in it.
 */
static bool is_out_of_sight(const struct undo_entry *entry)
{
	rt_auto_free char *folder = NULL;

	if (entry->kind != UNDO_RMDIR && entry->kind != UNDO_KNOB)
		return false;
	folder = strdup(entry->field[0]);
	if (!folder || access(folder, F_OK) == 0)
		return false;
	*strrchr(folder, '/') = '\0';
	return access(folder, F_OK) ? errno == ENOENT : is_empty_mount_point(folder);
}

int rt_undo_entry_undo(const struct undo_from *from, const struct undo_entry *entry)
{
	int status;

	if (entry->kind == UNDO_CALL) {
		entry->call(entry->data);
		return 0;
	}
	if (from->dead && is_out_of_sight(entry)) {
		rt_debug("%s is not to be seen from here; a later start may", entry->field[0]);
		return -ENOENT;
	}
	status = kinds[entry->kind].undo(from, entry);
	if (status < 0)
		tell(entry, status);
	return status;
}
