/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smi - how many System Management Interrupts a CPU has taken: MSR 0x34,
 * MSR_SMI_COUNT, 32 bits, Intel family 6 from Nehalem on (Intel SDM vol. 4).
 */
#ifndef RT_SMI_H
#define RT_SMI_H

#include <stdint.h>

#include "rt/err.h"

/** rt_smi_supported() - genuine Intel, family 6; else -EOPNOTSUPP with a sentence (RT_EXIT_MISSING) */
int rt_smi_supported(struct rt_err *err);

/**
 * rt_smi_open() - open /dev/cpu/N/msr
 * Return: a descriptor of the caller's; a negative errno with a sentence that
 * names the module msr, CAP_SYS_RAWIO or kernel lockdown.
 */
int rt_smi_open(int cpu, struct rt_err *err);

/** rt_smi_read() - the counter now, modulo 2^32: subtract as uint32_t. 0 or a negative errno */
int rt_smi_read(int fd, uint32_t *ret);

#endif
