/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pimutex - mutexes that pass on the priority of who waits to who holds.
 */
#ifndef PI_MUTEX_H
#define PI_MUTEX_H

#include <pthread.h>
#include <stdbool.h>

#include "rt/err.h"

/**
 * pi_mutex_init() - a mutex with priority inheritance, or a plain one for comparison
 * @inherits:  PTHREAD_PRIO_INHERIT; else PTHREAD_PRIO_NONE
 * @is_shared: between processes; robust then, so that a dead holder is told of
 * Return: 0; a negative errno with a sentence (RT_EXIT_MISSING).
 */
int pi_mutex_init(pthread_mutex_t *mutex, bool inherits, bool is_shared, struct rt_err *err);

/**
 * pi_mutex_check() - have kernel and C library priority inheritance?
 * Return: 0; a negative errno with a sentence (RT_EXIT_MISSING).
 */
int pi_mutex_check(struct rt_err *err);

#endif
