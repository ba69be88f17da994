/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results - where a run's documents go: --json, --result, --checkpoint and
 * --limit in every tool, from their checking before the run to their writing
 * after it.
 *
 *     rt_results_check()    do the options go together?            plan
 *     rt_results_open()     prove that the files can be written    arm
 *     rt_results_begin()    the run starts now                     run
 *     rt_results_checkpoint() meanwhile, by the run's checkpoint   run
 *     rt_results_take()     copy the records after the join        report
 *     rt_results_write()    verdict and documents                  report
 *     rt_results_done()
 */
#ifndef RT_RESULTS_H
#define RT_RESULTS_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "rt/cpuset.h"
#include "rt/err.h"
#include "rt/json.h"
#include "rt/options.h"
#include "rt/outfile.h"
#include "rt/report.h"
#include "rt/run.h"
#include "rt/samples.h"
#include "rt/status.h"
#include "rt/sysinfo.h"
#include "rt/undo.h"

/**
 * struct rt_results_plan - what a tool tells of itself
 * @opts:        its group of options
 * @tool, @argc, @argv: as started
 * @clock:       in which samples are stamped; 0 is CLOCK_REALTIME: always set it
 * @unit_ns:     unit of display
 * @limit:       --limit in that unit, 0: none
 * @histfile:    a third file that may be "-" or NULL, only checked here
 * @before:      makes the numbers final or current before they are copied, e.g.
 *               puts thread ids into the series' infos; may be NULL
 * @fill_json:   adds the tool's members to the peer's document
 * @fill_result: adds what only this tool has to our own; may be NULL
 * @data:        handed to all three
 */
struct rt_results_plan {
	const struct rt_opts_results *opts;
	const char *tool;
	int argc;
	char **argv;
	clockid_t clock;
	int64_t unit_ns;
	int64_t limit;
	const char *histfile;
	void (*before)(void *data);
	void (*fill_json)(struct json_object *document, void *data);
	void (*fill_result)(struct json_object *own, void *data);
	void *data;
};

/**
 * struct rt_results - one run's results; zero it before the first use
 * @out:   where text goes: rt_out(), or rt_out_err() when a document has stdout
 * @about: what both documents say about the run; rt_asked_add() notes wishes in it
 * @snap:  the records, copied by the last checkpoint or rt_results_take()
 * @rings: of --samples, one a series or NULL
 */
struct rt_results {
	struct rt_results_plan plan;
	struct rt_run *run;
	struct rt_status *status;
	struct rt_outfile *json;
	struct rt_outfile *result;
	struct rt_sysinfo system;
	struct rt_result about;
	struct rt_snapshot *snap;
	struct rt_ring **rings;
	struct rt_samples_file *samples; /* NULL without --samples */
	struct rt_samples_series *samples_series;
	unsigned int *samples_from; /* the status series behind each of them */
	unsigned int samples_count;
	FILE *out;
};

/**
 * rt_results_check() - refuse what can't go together, or is not in a build without json-c
 * Touches nothing.
 * Return: 0; -EINVAL (RT_EXIT_USAGE) or -ENOTSUP (RT_EXIT_MISSING) with a sentence.
 */
int rt_results_check(const struct rt_results_plan *plan, struct rt_err *err);

/** rt_results_out() - where text goes: rt_out(), or rt_out_err() when a document is asked for on stdout */
FILE *rt_results_out(const struct rt_results_plan *plan);

/**
 * rt_results_open() - prove the files; choose where text goes
 * Return: 0; a negative errno with a sentence. End with rt_results_done() in any case.
 */
int rt_results_open(struct rt_results *r, const struct rt_results_plan *plan,
		    struct rt_undo *undo, struct rt_err *err);

/**
 * rt_results_attach() - the records that documents are made of
 * Return: 0; -ENOMEM with a sentence.
 */
int rt_results_attach(struct rt_results *r, struct rt_run *run, struct rt_status *status,
		      struct rt_err *err);

/**
 * rt_results_ring() - a series' ring, which its member fills
 * @ret:  NULL without --samples; ends with the results
 * @node: where it lies
 * After rt_results_attach(). A series without one is not written.
 * Return: 0; -ENOMEM, without a sentence.
 */
int rt_results_ring(struct rt_ring **ret, struct rt_results *r, unsigned int series, int node);

/**
 * rt_results_open_samples() - the file of --samples, if it was asked for
 *
 * After the last rt_results_ring(), and when the infos describe the series. The
 * writer thread is started by rt_results_place_main() or
 * rt_results_start_samples(); the file is ended by rt_results_end_samples().
 *
 * Return: 0; a negative errno with a sentence.
 */
int rt_results_open_samples(struct rt_results *r, struct rt_err *err);

/** rt_results_start_samples() - begin writing, on @cpus (NULL: anywhere); nothing without --samples */
int rt_results_start_samples(struct rt_results *r, const struct rt_cpuset *cpus,
			     struct rt_err *err);

/**
 * rt_results_place_main() - main, and threads that it makes later, keep off the measured CPUs
 * @cpus: where to; NULL: no CPU is left for it, it stays; noted if the threads are pinned
 * After the crew was formed: its members inherit what main had. The writer of
 * --samples starts there, too.
 * Return: 0; a negative errno with a sentence.
 */
int rt_results_place_main(struct rt_results *r, const struct rt_cpuset *cpus, bool is_pinned,
			  struct rt_err *err);

/** rt_results_begin() - note when the run starts, and how its clock stands to the calendar */
void rt_results_begin(struct rt_results *r);

/** rt_results_checkpoint() - write both documents as they are now; a failure is a warning */
void rt_results_checkpoint(struct rt_results *r);

/** rt_results_take() - copy the final records, note why and when the run ended */
void rt_results_take(struct rt_results *r);

/**
 * rt_results_end_samples() - after rt_results_take(): end the file of --samples
 * What is not in it is a warning, and counted as lost in the copied series.
 * A failure to write is in @err.
 */
void rt_results_end_samples(struct rt_results *r, struct rt_err *err);

/**
 * rt_results_write() - the verdict and the documents, after rt_results_take()
 * @exit_status: what the run alone would end with
 *
 * Both documents are tried, whatever becomes of the first. A limit that was
 * passed is said on stderr by rt_results_say(), after the tool's text.
 *
 * Return: what the tool shall end with if nothing else is wrong:
 * @exit_status, or RT_EXIT_LIMIT. Failures to write are in @err.
 */
int rt_results_write(struct rt_results *r, int exit_status, struct rt_err *err);

/** rt_results_say() - the line on stderr about a passed limit, if there is one */
void rt_results_say(const struct rt_results *r);

/**
 * rt_results_histogram() - the text block, to --histfile or among the other text
 * @file: NULL: to r->out
 */
void rt_results_histogram(struct rt_results *r, struct rt_outfile *file,
			  const struct rt_histogram_text *text, struct rt_err *err);

void rt_results_done(struct rt_results *r);

#endif
