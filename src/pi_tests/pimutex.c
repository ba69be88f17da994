/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pimutex.h"

#include <errno.h>
#include <string.h>

#include "rt/futex.h"

static int set_attributes(pthread_mutexattr_t *attr, bool inherits, bool is_shared)
{
	int code = pthread_mutexattr_setprotocol(attr, inherits ? PTHREAD_PRIO_INHERIT :
								  PTHREAD_PRIO_NONE);

	if (!code && is_shared)
		code = pthread_mutexattr_setpshared(attr, PTHREAD_PROCESS_SHARED);
	if (!code && is_shared)
		code = pthread_mutexattr_setrobust(attr, PTHREAD_MUTEX_ROBUST);
	return code;
}

int pi_mutex_init(pthread_mutex_t *mutex, bool inherits, bool is_shared, struct rt_err *err)
{
	pthread_mutexattr_t attr;
	int code = pthread_mutexattr_init(&attr);

	if (!code) {
		code = set_attributes(&attr, inherits, is_shared);
		if (!code)
			code = pthread_mutex_init(mutex, &attr);
		pthread_mutexattr_destroy(&attr);
	}
	if (!code)
		return 0;
	return rt_err_set(err, RT_EXIT_MISSING, code, "cannot make a mutex %s%s: %s; the C library "
			  "or the kernel lacks it", inherits ? "with priority inheritance" : "",
			  is_shared ? " between processes" : "", strerror(code));
}

/* Unlocking what nobody holds: a kernel with the call says EPERM, one without it ENOSYS. */
static bool kernel_has_pi_futexes(void)
{
	_Atomic uint32_t word = 0;

	return rt_futex(&word, FUTEX_UNLOCK_PI | FUTEX_PRIVATE_FLAG, 0, NULL) == 0 ||
	       errno != ENOSYS;
}

int pi_mutex_check(struct rt_err *err)
{
	pthread_mutex_t mutex;
	int status;

	if (!kernel_has_pi_futexes())
		return rt_err_set(err, RT_EXIT_MISSING, ENOSYS,
				  "this kernel has no futexes with priority inheritance; it needs "
				  "CONFIG_FUTEX_PI, and no seccomp filter in its way");
	status = pi_mutex_init(&mutex, true, false, err);
	if (!status)
		pthread_mutex_destroy(&mutex);
	return status;
}
