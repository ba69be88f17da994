/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outfile - see rt/outfile.h. A target is one of three kinds:
 *
 *  straight  stdout, a device, a pipe, /dev/fd/N: opened once, written as it comes
 *  replaced  a regular or absent file: each content is a new file beside it,
 *            synced, and renamed over it
 *  in place  a regular file in a folder that takes no second name (a single
 *            mounted file, somebody else's file in a sticky folder): rewritten
 *
 * The file beside has one random name for the whole run, so that a thousand
 * checkpoints need one undo entry and not a thousand.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "rt/clock.h"
#include "rt/compiler.h"
#include "rt/out.h"
#include "rt/outfile.h"
#include "rt/units.h"

#define MAX_LINKS 40 /* as many symbolic links as the kernel follows */
#define READER_LOOK_NS (20 * RT_NS_PER_MS) /* how often a pipe's reader is looked for */
#define MAX_NAMES 8  /* random names tried before something else must be wrong */

struct rt_outfile {
	char *path;    /* as given, for messages */
	char *target;  /* absolute, free of symlinks; NULL when written straight */
	char *beside;  /* where the next content grows; NULL until chosen */
	int fd;        /* written straight; else -1 */
	bool is_stdout;
	bool is_in_place;
	bool is_unfinished; /* there is a file at 'beside' */
	struct rt_undo *undo;
};

/* ---- which file is meant --------------------------------------------------------- */

static int split(const char *path, char **ret_folder, const char **ret_name)
{
	const char *slash = strrchr(path, '/');

	*ret_name = slash ? slash + 1 : path;
	if (!slash)
		*ret_folder = strdup(".");
	else if (slash == path)
		*ret_folder = strdup("/");
	else
		*ret_folder = strndup(path, slash - path);
	return *ret_folder ? 0 : -ENOMEM;
}

static char *join(const char *folder, const char *name)
{
	char *path;

	if (name[0] == '/')
		return strdup(name);
	if (asprintf(&path, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name) < 0)
		return NULL;
	return path;
}

/* The number N if @folder/@name is /dev/fd/N, /proc/self/fd/N or the like; else -1. */
static int own_descriptor(const char *folder, const char *name)
{
	char own[64];
	int64_t fd;

	snprintf(own, sizeof(own), "/proc/%ld/fd", (long)getpid());
	if (strcmp(folder, own) != 0 || rt_parse_int(&fd, name, 0, INT_MAX) < 0)
		return -1;
	return (int)fd;
}

/* One step along a chain of links: 1 and the next path, 0 and the last one, negative errno. */
static int resolve_step(const char *path, char **ret, int *ret_fd)
{
	rt_auto_free char *given = NULL, *folder = NULL, *link = NULL;
	const char *name;
	ssize_t length;
	int status;

	status = split(path, &given, &name);
	if (status < 0)
		return status;
	folder = realpath(given, NULL);
	if (!folder)
		return -errno;
	if (name[0] == '\0')
		return -EISDIR;

	*ret_fd = own_descriptor(folder, name);
	link = calloc(1, PATH_MAX);
	*ret = join(folder, name);
	if (!link || !*ret)
		return -ENOMEM;
	length = *ret_fd < 0 ? readlink(*ret, link, PATH_MAX - 1) : -1;
	if (length <= 0)
		return 0;
	free(*ret);
	*ret = join(folder, link);
	return *ret ? 1 : -ENOMEM;
}

/* Where a path leads in the end, also when nothing is there yet. */
static int resolve(const char *path, char **ret, int *ret_fd)
{
	rt_auto_free char *at = strdup(path);
	int status = at ? 1 : -ENOMEM;

	for (int links = 0; status == 1; links++) {
		char *next = NULL;

		if (links > MAX_LINKS)
			return -ELOOP;
		status = resolve_step(at, &next, ret_fd);
		if (status >= 0) {
			free(at);
			at = rt_take(next);
		}
		free(next);
	}
	if (status == 0)
		*ret = rt_take(at);
	return status;
}

/* ---- the file beside ------------------------------------------------------------- */

static int choose_name(struct rt_outfile *f, struct rt_err *err)
{
	rt_auto_free char *folder = NULL;
	const char *last;
	uint64_t random;
	char name[40];

	free(f->beside);
	f->beside = NULL;
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	/* Not made from the target's name, which may have the full 255 bytes. */
	snprintf(name, sizeof(name), ".rtgauge-%016" PRIx64, random);
	if (split(f->target, &folder, &last) < 0)
		return -ENOMEM;
	f->beside = join(folder, name);
	if (!f->beside)
		return -ENOMEM;
	return f->undo ? rt_undo_unlink(f->undo, f->beside, err) : 0;
}

/* Owner and mode of what is replaced; without CAP_CHOWN the owner changes, as with any rename. */
static void dress_like(int fd, const struct stat *old)
{
	struct stat now;

	if (fstat(fd, &now) == 0 && (now.st_uid != old->st_uid || now.st_gid != old->st_gid) &&
	    fchown(fd, old->st_uid, old->st_gid) < 0)
		return;
	if (fchmod(fd, old->st_mode & 0777) < 0)
		return;
}

/* The name just chosen was not made: it is neither ours to remove nor to use again. */
static void give_up_name(struct rt_outfile *f)
{
	if (f->undo)
		rt_undo_forget(f->undo);
	free(f->beside);
	f->beside = NULL;
}

/* A new, empty file beside the target. Return: its descriptor or a negative errno. */
static int open_beside(struct rt_outfile *f, struct rt_err *err)
{
	struct stat old;
	int fd = -1;

	for (int i = 0; fd < 0 && i < MAX_NAMES; i++) {
		/* A known name may have been taken by somebody since: then choose anew. */
		bool is_new = !f->beside || i > 0;
		int status = is_new ? choose_name(f, err) : 0;

		if (status < 0)
			return status;
		fd = open(f->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		status = fd < 0 ? -errno : 0;
		if (fd < 0 && is_new)
			give_up_name(f);
		if (fd < 0 && status != -EEXIST)
			return status;
	}
	if (fd < 0)
		return -EEXIST;
	f->is_unfinished = true;
	if (stat(f->target, &old) == 0)
		dress_like(fd, &old);
	return fd;
}

static void drop_beside(struct rt_outfile *f)
{
	if (f->is_unfinished)
		unlink(f->beside);
	f->is_unfinished = false;
}

/* ---- opening --------------------------------------------------------------------- */

static int open_descriptor(struct rt_outfile *f, int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -errno;
	if ((flags & O_ACCMODE) == O_RDONLY || (flags & O_PATH))
		return -EBADF;
	f->fd = rt_out_own(fd);
	if (f->fd < 0)
		f->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return f->fd < 0 ? -errno : 0;
}

static bool may_rewrite(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Is the file itself a mount, as containers are given single files? It can't be renamed over. */
static bool is_mount(const char *path)
{
#ifdef STATX_ATTR_MOUNT_ROOT
	struct statx info;

	return statx(AT_FDCWD, path, AT_NO_AUTOMOUNT, STATX_TYPE, &info) == 0 &&
	       (info.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) &&
	       (info.stx_attributes & STATX_ATTR_MOUNT_ROOT);
#else
	(void)path;
	return false;
#endif
}

static int prove_replaceable(struct rt_outfile *f, bool exists, struct rt_err *err)
{
	int fd;

	/* A write-protected file would be refused by a shell as well. */
	if (exists && !may_rewrite(f->target))
		return -errno;
	if (exists && is_mount(f->target)) {
		f->is_in_place = true;
		return 0;
	}
	fd = open_beside(f, err);
	if (fd < 0) {
		f->is_in_place = exists && (fd == -EACCES || fd == -EPERM || fd == -EROFS);
		return f->is_in_place ? 0 : fd;
	}
	close(fd);
	drop_beside(f);
	return 0;
}

static bool is_pipe(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

int rt_open_straight(const char *path, int flags, mode_t mode)
{
	struct timespec pause = rt_ns_timespec(READER_LOOK_NS);
	int fd;

	flags |= O_WRONLY | O_CLOEXEC | O_NOCTTY;
	/* ENXIO: a pipe that nobody reads, or a device that is not there */
	while ((fd = open(path, flags | O_NONBLOCK, mode)) < 0 && errno == ENXIO) {
		if (!is_pipe(path))
			return -ENXIO;
		if (rt_out_must_end())
			return -EINTR;
		nanosleep(&pause, NULL);
	}
	return fd < 0 ? -errno : fd;
}

static int open_target(struct rt_outfile *f, struct rt_err *err)
{
	int fd = -1, status, probe;
	struct stat st;

	if (f->path[0] == '\0')
		return -ENOENT;
	/*
	 * The kernel looks at the links before we do: it refuses those that
	 * others left in a world-writable folder (fs.protected_symlinks).
	 */
	probe = open(f->path, O_PATH | O_CLOEXEC);
	if (probe < 0 && errno != ENOENT)
		return -errno;
	if (probe >= 0)
		close(probe);

	status = resolve(f->path, &f->target, &fd);
	if (status < 0)
		return status;
	if (fd >= 0) {
		status = open_descriptor(f, fd);
	} else if (stat(f->target, &st) < 0) {
		return errno == ENOENT ? prove_replaceable(f, false, err) : -errno;
	} else if (S_ISREG(st.st_mode)) {
		return prove_replaceable(f, true, err);
	} else {
		f->fd = rt_open_straight(f->target, 0, 0);
		status = f->fd < 0 ? f->fd : 0;
	}
	free(f->target);
	f->target = NULL;
	return status;
}

/* "cannot write 'FILE': reason"; '-' is no name that a reader would look for */
static int cannot_write(const char *path, int status, struct rt_err *err)
{
	if (strcmp(path, "-") == 0 && status == -EINTR)
		return rt_err_set(err, RT_EXIT_FAILED, status,
				  "nobody reads stdout: the document is left out");
	if (strcmp(path, "-") == 0)
		return rt_err_set(err, RT_EXIT_FAILED, status, "cannot write to stdout: %s",
				  strerror(-status));
	return rt_err_set(err, RT_EXIT_FAILED, status, "cannot write '%s': %s", path,
			  strerror(-status));
}

int rt_outfile_open(struct rt_outfile **ret, const char *path, struct rt_undo *undo,
		    struct rt_err *err)
{
	struct rt_outfile *f = calloc(1, sizeof(*f));
	int status = -ENOMEM;

	if (f) {
		f->fd = -1;
		f->path = strdup(path);
	}
	if (f && f->path) {
		f->undo = undo;
		f->is_stdout = strcmp(path, "-") == 0;
		status = f->is_stdout ? open_descriptor(f, STDOUT_FILENO) : open_target(f, err);
	}
	if (status < 0) {
		rt_outfile_close(f);
		return cannot_write(path, status, err);
	}
	*ret = f;
	return 0;
}

bool rt_outfile_is_stdout(const struct rt_outfile *f)
{
	return f->is_stdout;
}

bool rt_outfile_is_replaced(const struct rt_outfile *f)
{
	return f->target != NULL;
}

/* ---- writing --------------------------------------------------------------------- */

/* To a regular file; what may have to wait for a reader takes rt_out_write(). */
static int write_all(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			text += n;
			length -= n;
		}
	}
	return 0;
}

/* fsync(2), for what has something behind it: pipes and terminals have not. */
static int sync_data(int fd)
{
	if (fsync(fd) < 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
		return -errno;
	return 0;
}

/* Write, sync and close. The first failure counts; some file systems tell it at close(2) only. */
static int fill(int fd, const char *text, size_t length)
{
	int status = write_all(fd, text, length);

	if (!status)
		status = sync_data(fd);
	if (close(fd) < 0 && !status)
		status = -errno;
	return status;
}

static int rewrite(const char *path, const char *text, size_t length)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	return fd < 0 ? -errno : fill(fd, text, length);
}

/* The new name survives a power cut, too; a folder that can't be synced is no failure. */
static void sync_folder(const char *path)
{
	rt_auto_free char *folder = NULL;
	const char *name;
	int fd;

	if (split(path, &folder, &name) < 0)
		return;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

static int replace(struct rt_outfile *f, const char *text, size_t length, struct rt_err *err)
{
	int fd = open_beside(f, err);
	int status;

	if (fd < 0)
		return fd;
	status = fill(fd, text, length);
	if (!status && rename(f->beside, f->target) < 0)
		status = -errno;
	if (!status) {
		f->is_unfinished = false;
		sync_folder(f->target);
		return 0;
	}
	drop_beside(f);
	/* Only rename(2) gives these two here, and only for a target that is there. */
	if (status == -EPERM || status == -EBUSY)
		status = rewrite(f->target, text, length);
	return status;
}

int rt_outfile_write(struct rt_outfile *f, const char *text, size_t length, struct rt_err *err)
{
	int status;

	if (f->is_stdout)
		fflush(stdout);
	if (f->is_in_place) {
		status = rewrite(f->target, text, length);
	} else if (f->target) {
		status = replace(f, text, length, err);
	} else {
		status = rt_out_write(f->fd, text, length);
		if (!status)
			status = sync_data(f->fd);
	}
	return status < 0 ? cannot_write(f->path, status, err) : 0;
}

void rt_outfile_close(struct rt_outfile *f)
{
	if (!f)
		return;
	drop_beside(f);
	rt_close_fd(&f->fd);
	free(f->beside);
	free(f->target);
	free(f->path);
	free(f);
}
