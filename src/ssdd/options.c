/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of ssdd.
 */
#include "ssdd.h"

#define AT(field) offsetof(struct ssdd_opts, field)

static const struct rt_opt rows[] = {
	RT_OPT_GROUP("Test"),
	{ RT_OPT_INT, 'f', "forks", "NUM", AT(forks), .min = 1, .max = 100000, .def = "10",
	  .help = "number of pairs, a tracer and its tracee each" },
	{ RT_OPT_INT, 'i', "iters", "NUM", AT(iters), .min = 1, .max = INT64_MAX, .def = "10000",
	  .help = "single steps of each pair" },

	RT_OPT_GROUP("Output"),
	{ RT_OPT_FLAG, 'q', "quiet", .field = AT(quiet), .help = "print only the verdict" },
	RT_OPT_INCLUDE(rt_rows_documents, AT(results)),
	RT_OPT_END
};

const struct rt_opt_table ssdd_table = {
	.tool = "ssdd",
	.purpose = "check that processes can be single-stepped without losing a step",
	.rows = rows,
	.help_letter = 'h',
};
