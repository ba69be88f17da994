/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undo_folder - where the journals of our uid lie, and its lock; see undo_internal.h.
 *
 * The lock is a flock(2), which the kernel drops with the process, on the file
 * "lock": held for the moment in which one process looks at or changes what is
 * shared. The file is 0600, for who may open a file may also lock it for ever.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "rt/clock.h"
#include "rt/compiler.h"
#include "undo_internal.h"

#define FOLDER_NAME "rtgauge"
#define LOCK_NAME "lock"
#define LOCK_WAIT_MS 5000
#define LOCK_POLL_MS 5

static const char *test_folder;

void rt_undo_folder_for_tests(const char *path)
{
	test_folder = path;
}

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

/* ---- its lock -------------------------------------------------------------------- */

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
