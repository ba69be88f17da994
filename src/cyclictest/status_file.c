/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The status object /cyclictest<PID>: the status lines as text, written on
 * SIGUSR2, read by get_cyclictest_snapshot and by people.
 *
 * Its owner keeps it locked. One that is there already under our name is a dead
 * process's: it is removed if it has our uid, is an ordinary file and has no lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "cyclictest.h"

struct cyc_status_file {
	int fd;
};

static bool is_stale(const char *name)
{
	rt_auto_close int fd = shm_open(name, O_RDONLY | O_NOFOLLOW, 0);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	       st.st_nlink == 1 && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static int create(const char *name)
{
	int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0644);

	if (fd < 0 && errno == EEXIST && is_stale(name)) {
		shm_unlink(name);
		fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0644);
	}
	return fd < 0 ? -errno : fd;
}

int cyc_status_file_open(struct cyc_status_file **ret, struct rt_undo *undo, struct rt_err *err)
{
	struct cyc_status_file *file = malloc(sizeof(*file));
	char name[32];
	int fd;

	if (!file)
		return rt_err_memory(err, "the status object");
	snprintf(name, sizeof(name), "/cyclictest%d", (int)getpid());
	rt_undo_shm(undo, name, NULL);
	fd = create(name);
	if (fd < 0) {
		rt_undo_forget(undo);
		free(file);
		return rt_err_set(err, RT_EXIT_MISSING, fd,
				  "cannot create the status object /dev/shm%s: %s", name,
				  strerror(-fd));
	}
	flock(fd, LOCK_EX | LOCK_NB);
	/* NUL bytes until the first SIGUSR2, as readers expect. */
	if (ftruncate(fd, (off_t)sysconf(_SC_PAGESIZE)))
		rt_err_set(err, RT_EXIT_MISSING, errno, "cannot size /dev/shm%s: %s", name,
			   strerror(errno));
	file->fd = fd;
	*ret = file;
	return 0;
}

void cyc_status_file_write(struct cyc_status_file *file, const char *text, size_t length)
{
	if (ftruncate(file->fd, 0) == 0 && pwrite(file->fd, text, length, 0) == (ssize_t)length)
		return;
	if (ftruncate(file->fd, 0)) /* nothing half-written */
		return;
}

void cyc_status_file_close(struct cyc_status_file *file)
{
	if (!file)
		return;
	close(file->fd);
	free(file);
}
