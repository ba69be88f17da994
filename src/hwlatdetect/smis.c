/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many SMIs each CPU took during the run. Nobody asked for it: where the
 * counters can't be read, nothing is said.
 */
#include <stdlib.h>

#include "hwlat.h"
#include "rt/smi.h"

void hwl_smis_begin(struct hwl_smis *smis)
{
	struct rt_cpuset online = RT_CPUSET_INIT;
	int number = 0;

	if (rt_smi_supported(NULL) || rt_cpuset_online(&online))
		return;
	smis->cpus = calloc((size_t)rt_cpuset_count(&online), sizeof(*smis->cpus));
	number = smis->cpus ? rt_cpuset_count(&online) : 0;
	rt_cpuset_for_each(cpu, &online) {
		struct hwl_smi smi = { .cpu = cpu, .fd = -1 };

		if ((int)smis->count < number)
			smi.fd = rt_smi_open(cpu, NULL);
		if (smi.fd < 0)
			continue;
		if (rt_smi_read(smi.fd, &smi.base) == 0)
			smis->cpus[smis->count++] = smi;
		else
			close(smi.fd);
	}
	rt_cpuset_done(&online);
}

/* A CPU that has gone offline meanwhile can't be asked and counts none. */
void hwl_smis_end(struct hwl_smis *smis)
{
	for (unsigned int i = 0; i < smis->count; i++) {
		uint32_t now;

		if (rt_smi_read(smis->cpus[i].fd, &now) == 0)
			smis->cpus[i].seen = now - smis->cpus[i].base;
	}
}

uint64_t hwl_smis_sum(const struct hwl_smis *smis)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < smis->count; i++)
		sum += smis->cpus[i].seen;
	return sum;
}

void hwl_smis_done(struct hwl_smis *smis)
{
	for (unsigned int i = 0; i < smis->count; i++)
		close(smis->cpus[i].fd);
	free(smis->cpus);
	*smis = (struct hwl_smis){ 0 };
}
