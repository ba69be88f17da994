/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smi - see rt/smi.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "rt/compiler.h"
#include "rt/smi.h"

#define MSR_SMI_COUNT 0x34 /* Intel SDM volume 4, table 2-2 */

#if defined(__x86_64__) || defined(__i386__)
/* CPUID leaf 0: the maker's name in ebx, edx, ecx; leaf 1: the family in eax, bits 11 to 8. */
static int is_intel_family_6(void)
{
	unsigned int eax, name[3], unused[3];

	if (!__get_cpuid(0, &eax, &name[0], &name[2], &name[1]) ||
	    memcmp(name, "GenuineIntel", sizeof(name)) != 0)
		return 0;
	return __get_cpuid(1, &eax, &unused[0], &unused[1], &unused[2]) && ((eax >> 8) & 0xf) == 6;
}
#else
static int is_intel_family_6(void)
{
	return 0;
}
#endif

int rt_smi_supported(struct rt_err *err)
{
	if (is_intel_family_6())
		return 0;
	return rt_err_set(err, RT_EXIT_MISSING, EOPNOTSUPP,
			  "this processor does not count its SMIs; Intel's of family 6 do");
}

static const char *open_hint(int code)
{
	switch (code) {
	case ENOENT:
		return "; load the module with 'modprobe msr'";
	case ENXIO:
		return "; the CPU is offline";
	case EACCES:
	case EPERM:
		return "; run as root, with CAP_SYS_RAWIO, and without kernel lockdown "
		       "(/sys/kernel/security/lockdown)";
	default:
		return "";
	}
}

int rt_smi_open(int cpu, struct rt_err *err)
{
	char path[64];
	uint32_t count;
	int fd, status = 0;

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return rt_err_set(err, RT_EXIT_MISSING, errno, "cannot open %s: %s%s", path,
				  strerror(errno), open_hint(errno));
	/* Hypervisors show the processor but often not the counter: find out now. */
	status = rt_smi_read(fd, &count);
	if (status < 0) {
		close(fd);
		return rt_err_set(err, RT_EXIT_MISSING, status,
				  "CPU %d does not tell its SMI count: %s: %s%s", cpu, path,
				  strerror(-status), open_hint(-status));
	}
	return fd;
}

int rt_smi_read(int fd, uint32_t *ret)
{
	uint64_t value;
	ssize_t n = pread(fd, &value, sizeof(value), MSR_SMI_COUNT);

	if (n != sizeof(value))
		return n < 0 ? -errno : -EIO;
	*ret = (uint32_t)value; /* the upper half is reserved */
	return 0;
}
