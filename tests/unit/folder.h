/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folder - a folder of a test's own in /tmp, and the small files in it. Include
 * it behind cmocka.h.
 */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rt/compiler.h"

/* Where it is; "" before folder_make(). */
static char base[64];

/** folder_make() - for a setup: 0; -1 if it can't be had */
static inline int folder_make(const char *test)
{
	snprintf(base, sizeof(base), "/tmp/rtgauge-%s-XXXXXX", test);
	return mkdtemp(base) ? 0 : -1;
}

/** folder_remove() - a teardown: with all that is in it */
static inline int folder_remove(void **state RT_UNUSED)
{
	char line[128];

	snprintf(line, sizeof(line), "rm -rf '%s'", base);
	return system(line);
}

/** in() - the path of a name in it; four of them hold at a time */
static inline const char *in(const char *name)
{
	static char path[4][512];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", base, name);
	return path[turn];
}

/** put() - write a file in it */
static inline void put(const char *name, const char *text)
{
	FILE *f = fopen(in(name), "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/** get() - what a file in it holds; until the next call */
static inline const char *get(const char *name)
{
	static char text[4096];
	FILE *f = fopen(in(name), "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	return text;
}

#endif
