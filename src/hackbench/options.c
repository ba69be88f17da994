/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of hackbench, also in the forms of its first years.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hackbench.h"

#define AT(field) offsetof(struct hb_opts, field)

/* More than any kernel can number (PID_MAX_LIMIT is 4194304). */
#define MAX_COUNT 1000000

static const struct rt_opt rows[] = {
	RT_OPT_GROUP("Workers"),
	{ RT_OPT_INT, 'g', "groups", "NUM", AT(groups), AT(has_groups), .min = 1,
	  .max = MAX_COUNT, .def = "10", .help = "number of groups" },
	{ RT_OPT_INT, 'f', "fds", "NUM", AT(fds), .min = 1, .max = MAX_COUNT, .def = "20",
	  .help = "senders, receivers and channels of each group" },
	{ RT_OPT_FLAG, 'P', "processes", .field = AT(mode), .value = HB_PROCESSES,
	  .help = "workers are processes (the default)" },
	{ RT_OPT_FLAG, 'T', "threads", .field = AT(mode), .value = HB_THREADS,
	  .help = "workers are threads" },
	{ RT_OPT_FLAG, 'F', "fifo", .field = AT(fifo),
	  .help = "the main thread gets SCHED_FIFO 1 before the workers are released" },

	RT_OPT_GROUP("Messages"),
	{ RT_OPT_INT, 'l', "loops", "NUM", AT(loops), AT(has_loops), .min = 1, .max = INT64_MAX,
	  .def = "100", .help = "messages of each sender to each receiver of its group" },
	{ RT_OPT_SIZE, 's', "datasize", "SIZE", AT(datasize), .min = 1, .max = 1 << 30,
	  .def = "100", .help = "bytes of a message; with k, M or G: powers of 1024" },
	{ RT_OPT_FLAG, 'p', "pipe", .field = AT(pipe), .help = "channels are pipes" },
	{ RT_OPT_FLAG, 'i', "inet", .field = AT(inet),
	  .help = "channels are TCP connections on 127.0.0.1" },

	RT_OPT_INCLUDE(rt_rows_documents, AT(results)),
	RT_OPT_END
};

static const char *const exclusive[] = { "pipe inet", NULL };

/* "process" and "thread", also in the plural and cut short as people do. */
static int parse_mode(const char *text)
{
	size_t length = strlen(text);

	if (length >= 4 && !strncmp("processes", text, length))
		return HB_PROCESSES;
	if (length >= 4 && !strncmp("threads", text, length))
		return HB_THREADS;
	return HB_MODE_DEFAULT;
}

/* N [process|thread [LOOPS]] */
static int take_word(void *opts, const char *text, struct rt_err *err RT_UNUSED)
{
	struct hb_opts *o = opts;
	bool is_taken = false;

	switch (o->words) {
	case 0:
		is_taken = rt_parse_int(&o->word_groups, text, 1, MAX_COUNT) == 0;
		break;
	case 1:
		o->word_mode = parse_mode(text);
		is_taken = o->word_mode != HB_MODE_DEFAULT;
		break;
	case 2:
		is_taken = rt_parse_int(&o->word_loops, text, 1, INT64_MAX) == 0;
		break;
	}
	o->words += is_taken;
	return is_taken ? 0 : 1;
}

const struct rt_opt_table hb_table = {
	.tool = "hackbench",
	.purpose = "time groups of senders and receivers that pass messages",
	.usage = "[options] [GROUPS [process|thread [LOOPS]]]",
	.rows = rows,
	.exclusive = exclusive,
	.help_letter = 'h',
	.word = take_word,
};

/* ---- one word for all ---------------------------------------------------------------- */

static const char blanks[] = " \t\n";

int hb_split(int argc, char **argv, char ***ret_argv)
{
	size_t length, most;
	char **words, *text, *word, *rest;
	int count = 1;

	if (argc != 2)
		return 0;
	length = strlen(argv[1]);
	text = argv[1] + strspn(argv[1], blanks);
	if (text[strcspn(text, blanks)] == '\0')
		return 0; /* no blank within */
	most = 2 + length / 2 + 1; /* every other byte a word, the name, the end */
	words = calloc(1, most * sizeof(*words) + length + 1);
	if (!words)
		return -ENOMEM;
	text = memcpy(&words[most], argv[1], length + 1);
	words[0] = argv[0];
	for (word = strtok_r(text, blanks, &rest); word; word = strtok_r(NULL, blanks, &rest))
		words[count++] = word;
	*ret_argv = words;
	return count;
}
