/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undo - what to put back, last in first out, on every way out; and by the
 * next start of any tool what a killed one left.
 *
 * Every change to the system goes through here: its undo is written to a
 * journal *before* the change is made. Nothing else in the code restores
 * anything.
 *
 * The journal is a file of its own per process in /run/rtgauge (root, 0755),
 * $XDG_RUNTIME_DIR/rtgauge, /run/user/UID/rtgauge or /tmp/rtgauge-UID/rtgauge
 * (others, the first that can be had), held under flock(2) while its owner
 * lives. A journal without a lock belongs to a dead process and is replayed, by the
 * same uid only; what lies in a mount that this process does not see stays in it.
 * Where no journal can be kept, changes are still undone at the normal end, which is
 * said once at debug level.
 *
 * A knob (one kernel file with one value, or one switch in a file's list) may
 * be held by several runs: each has it in its journal, with the original value
 * that the first one found. Who leaves gives it to the youngest holder that
 * stays; the last one puts the original back; both only if the value is still
 * what one of us wrote.
 *
 * Main thread only. A forked child must call rt_undo_disown() first.
 */
#ifndef RT_UNDO_H
#define RT_UNDO_H

#include <stdint.h>
#include <sys/types.h>

#include "rt/cpuset.h"
#include "rt/err.h"

struct rt_undo;

/**
 * rt_undo_open() - replay what dead runs left, then begin a journal
 * @ret: end with rt_undo_all()
 * Return: 0; -ENOMEM. A journal that can't be written is no error.
 */
int rt_undo_open(struct rt_undo **ret, struct rt_err *err);

/**
 * rt_undo_all() - put everything back in reverse order and end the journal
 * @undo: freed; NULL is fine
 * Return: 0; the first negative errno, after having tried everything (each
 * failure is a warning that names what is left).
 */
int rt_undo_all(struct rt_undo *undo);

/** rt_undo_disown() - in a forked child: forget everything, close the journal, change nothing */
void rt_undo_disown(struct rt_undo *undo);

/**
 * rt_undo_knob() - write a value to a kernel file, and its old one back at the end
 * @path:  below /sys, /proc or a tracefs or cgroup mount; absolute
 * @value: one word or line, without newline
 *
 * Nothing is written, and nothing is to be undone, if the file has the value.
 *
 * Return: 0; a negative errno with a sentence (RT_EXIT_MISSING).
 */
int rt_undo_knob(struct rt_undo *undo, const char *path, const char *value, struct rt_err *err);

/*
 * Objects: journalled under their name before they are made. The caller makes
 * them at once afterwards; a name that was never made is no fault at replay.
 */

/** rt_undo_unlink() - remove a file, FIFO or socket that we are about to make at @path */
int rt_undo_unlink(struct rt_undo *undo, const char *path, struct rt_err *err);

/**
 * rt_undo_unlink_inode() - as above once it was made: remove it only if it is
 * still this inode
 */
int rt_undo_unlink_inode(struct rt_undo *undo, const char *path, dev_t dev, ino_t ino,
			 struct rt_err *err);

/** rt_undo_rmdir() - remove an empty folder (a tracefs instance, a cgroup) */
int rt_undo_rmdir(struct rt_undo *undo, const char *path, struct rt_err *err);

/** rt_undo_shm() - shm_unlink(3) @name, "/..." */
int rt_undo_shm(struct rt_undo *undo, const char *name, struct rt_err *err);

/** rt_undo_mq() - mq_unlink(3) @name, "/..." */
int rt_undo_mq(struct rt_undo *undo, const char *name, struct rt_err *err);

/** rt_undo_sem() - semctl(IPC_RMID) of the set with this key, if it is ours by uid */
int rt_undo_sem(struct rt_undo *undo, key_t key, struct rt_err *err);

/**
 * rt_undo_affinity() - give a foreign thread its affinity mask back
 * Put back only if a thread with this id and start time still lives.
 */
int rt_undo_affinity(struct rt_undo *undo, pid_t tid, const struct rt_cpuset *mask,
		     struct rt_err *err);

/**
 * rt_undo_pause() - so many ns pass before anything is undone that was noted earlier
 * For what the kernel still does after threads have ended, also after killed ones.
 */
int rt_undo_pause(struct rt_undo *undo, int64_t ns, struct rt_err *err);

/** rt_undo_forget() - take the newest entry off without undoing it (making the object failed) */
void rt_undo_forget(struct rt_undo *undo);

/**
 * rt_undo_call() - something that only this process can undo: a descriptor to
 * close, a child to end. Never journalled; the kernel does it after a kill -9.
 */
int rt_undo_call(struct rt_undo *undo, void (*call)(void *data), void *data);

/** rt_undo_random_name() - "/rtgauge-TOOL-<16 random hex digits>" for queues, semaphores, shm */
#define RT_UNDO_NAME_MAX 64
int rt_undo_random_name(char name[RT_UNDO_NAME_MAX]);

#endif
