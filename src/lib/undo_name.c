/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undo_name - names that nobody can have guessed, for what runs make.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "rt/log.h"
#include "rt/undo.h"

int rt_undo_random_name(char name[RT_UNDO_NAME_MAX])
{
	char tool[RT_UNDO_NAME_MAX / 2];
	const char *program = rt_program();
	uint64_t random;
	size_t i;

	for (i = 0; program[i] && i < sizeof(tool) - 1; i++)
		tool[i] = strchr("/% -", program[i]) ? '_' : program[i];
	tool[i] = '\0';
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	snprintf(name, RT_UNDO_NAME_MAX, "/rtgauge-%s-%016" PRIx64, tool, random);
	return 0;
}
