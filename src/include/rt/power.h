/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * power - how deep the CPUs may sleep while we measure.
 */
#ifndef RT_POWER_H
#define RT_POWER_H

#include <stdint.h>

#include "rt/cpuset.h"
#include "rt/err.h"
#include "rt/undo.h"

/**
 * rt_power_latency() - ask PM QoS for wake-up latencies of @us at most
 * @us: 0..2^31-1; 0 keeps the CPUs out of all idle states but polling
 *
 * Holds /dev/cpu_dma_latency open until the end (Linux,
 * Documentation/power/pm_qos_interface.rst); the kernel drops the request
 * itself when a process dies.
 *
 * Return: 0; a negative errno with a sentence.
 */
int rt_power_latency(struct rt_undo *undo, int32_t us, struct rt_err *err);

/**
 * rt_power_idle_limit() - disable every idle state deeper than @deepest
 * @cpus:    on these CPUs
 * @deepest: -1 disables all states (the CPU polls); else the number of the
 *           deepest state that stays; a number beyond a CPU's last state is
 *           -ERANGE (RT_EXIT_USAGE) before anything is changed
 *
 * Writes /sys/devices/system/cpu/cpuN/cpuidle/stateM/disable as knobs.
 *
 * Return: 0; -ENODEV without cpuidle (RT_EXIT_MISSING); other negative errno.
 */
int rt_power_idle_limit(struct rt_undo *undo, const struct rt_cpuset *cpus, int deepest,
			struct rt_err *err);

#endif
