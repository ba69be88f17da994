/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files - the kernel's small text files.
 */
#include "rt/files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/compiler.h"

char *rt_read_line(const char *path)
{
	rt_auto_free char *line = NULL;
	size_t size = 0;
	FILE *in = fopen(path, "re");
	bool is_read;
	int code;

	if (!in)
		return NULL;
	errno = 0;
	is_read = getline(&line, &size, in) >= 0;
	code = is_read ? 0 : errno;
	fclose(in);
	if (code) {
		errno = code;
		return NULL;
	}
	if (!is_read)
		return strdup(""); /* an empty file has an empty first line */
	line[strcspn(line, "\n")] = '\0';
	return rt_take(line);
}
