/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undo_entry - one thing to put back: its kind, its fields, and its line in a
 * journal; see undo_internal.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rt/compiler.h"
#include "rt/units.h"
#include "undo_internal.h"

/* The names are in journals of killed runs, perhaps of another version: they stay. */
const struct undo_kind rt_undo_kinds[UNDO_KINDS] = {
	[UNDO_UNLINK] = { "unlink", "p" },
	[UNDO_INODE] = { "inode", "pnn" },
	[UNDO_RMDIR] = { "rmdir", "p" },
	[UNDO_SHM] = { "shm", "p" },
	[UNDO_MQ] = { "mq", "p" },
	[UNDO_SEM] = { "sem", "n" },
	[UNDO_AFFINITY] = { "affinity", "nnt" },
	[UNDO_KNOB] = { "knob", "ptttn" },
	[UNDO_PAUSE] = { "pause", "n" },
};

void rt_undo_entry_free(struct undo_entry *entry)
{
	if (!entry)
		return;
	for (int i = 0; i < UNDO_FIELDS; i++)
		free(entry->field[i]);
	free(entry);
}

int64_t rt_undo_number(const struct undo_entry *entry, int field)
{
	int64_t number = 0;

	/* Checked when the entry was made or read. */
	rt_parse_int(&number, entry->field[field], INT64_MIN, INT64_MAX);
	return number;
}

/* ---- as a line -------------------------------------------------------------------- */

/* Blanks, controls and '%' would break a line; %00 stands for an empty field. */
static void encode(FILE *out, const char *text)
{
	if (text[0] == '\0')
		fputs("%00", out);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c <= ' ' || *c == '%' || *c == 0x7f)
			fprintf(out, "%%%02X", *c);
		else
			fputc(*c, out);
	}
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* In place; the text only gets shorter. */
static bool decode(char *text)
{
	char *to = text;

	for (const char *c = text; *c; c++) {
		if (*c == '%') {
			int high = hex_digit(c[1]);
			int low = high < 0 ? -1 : hex_digit(c[2]);

			if (low < 0)
				return false;
			*to++ = (char)(high * 16 + low);
			c += 2;
		} else {
			*to++ = *c;
		}
	}
	*to = '\0';
	return true;
}

int rt_undo_entry_line(const struct undo_entry *entry, char **ret, size_t *ret_length)
{
	const struct undo_kind *kind = &rt_undo_kinds[entry->kind];
	FILE *out = open_memstream(ret, ret_length);

	if (!out)
		return -ENOMEM;
	fprintf(out, "+%s", kind->name);
	for (size_t i = 0; i < strlen(kind->fields); i++) {
		fputc(' ', out);
		encode(out, entry->field[i]);
	}
	fputc('\n', out);
	return fclose(out) == 0 ? 0 : -ENOMEM;
}

static enum undo_kind_id find_kind(const char *name)
{
	int i = 0;

	while (i < UNDO_KINDS && strcmp(rt_undo_kinds[i].name, name) != 0)
		i++;
	return (enum undo_kind_id)i;
}

static bool is_field_good(char letter, const char *text)
{
	int64_t number;

	if (letter == 'p')
		return text[0] == '/';
	return letter != 'n' || rt_parse_int(&number, text, INT64_MIN, INT64_MAX) == 0;
}

struct undo_entry *rt_undo_entry_parse(char *line, off_t at)
{
	struct undo_entry *entry = calloc(1, sizeof(*entry));
	char *rest, *word = strtok_r(line, " ", &rest);
	const char *fields;

	if (!entry || !word)
		goto bad;
	entry->at = at;
	entry->kind = find_kind(word);
	if (entry->kind == UNDO_KINDS)
		goto bad;
	fields = rt_undo_kinds[entry->kind].fields;
	for (size_t i = 0; i < strlen(fields); i++) {
		word = strtok_r(NULL, " ", &rest);
		if (!word || !decode(word) || !is_field_good(fields[i], word))
			goto bad;
		entry->field[i] = strdup(word);
		if (!entry->field[i])
			goto bad;
	}
	if (!strtok_r(NULL, " ", &rest))
		return entry;
bad:
	rt_undo_entry_free(entry);
	return NULL;
}
