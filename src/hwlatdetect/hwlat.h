/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hwlatdetect - what its parts hand to each other, in the order of a run:
 *
 *     hwl_opts     what was typed                              options.c
 *     hwl_plan     settings resolved against the machine       plan.c
 *     hwl_detector who finds gaps: the kernel's tracer, or     tracer.c, lines.c
 *                  a loop of ours in user space                user.c
 *     hwl_log      the samples that it found                   samples.c
 *     hwl_smis     the firmware's interrupts meanwhile         smis.c
 *     text and documents                                       report.c
 */
#ifndef HWLAT_H
#define HWLAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "rt/cpuset.h"
#include "rt/err.h"
#include "rt/options.h"
#include "rt/outfile.h"
#include "rt/samples.h"
#include "rt/session.h"

/** enum hwl_mode - which CPUs look for gaps at a time; as the kernel numbers and names them */
enum hwl_mode { HWL_MODE_NONE, HWL_MODE_ROUND_ROBIN, HWL_MODE_PER_CPU };
const char *hwl_mode_name(enum hwl_mode mode);

/** struct hwl_opts - the command line, unresolved; zero is "not given" */
struct hwl_opts {
	struct rt_opts_results results;
	const char *cpu_list;
	int64_t duration_ns;
	int64_t threshold_ns;
	bool has_threshold;
	int64_t hardlimit_ns;
	bool has_hardlimit;
	int64_t window_ns;
	bool has_window;
	int64_t width_ns;
	bool has_width;
	enum hwl_mode mode;
	bool has_mode;
	bool user;
	const char *report;
	const char *time_format;
	bool watch;
	bool quiet;
	bool debug;
};

extern const struct rt_opt_table hwl_table;

struct hwl_session;

/**
 * struct hwl_detector - who finds the gaps
 * @settings: what is in force where nothing was asked for; touches nothing
 * @arm:      take what is needed and set it; everything is put back by the undo list
 * @start, @stop: all between them is measured
 * @collect:  take what was found so far
 * @done:     also when half armed
 */
struct hwl_plan;
struct hwl_detector {
	const char *name;
	int (*settings)(struct hwl_plan *plan, struct rt_err *err);
	int (*arm)(struct hwl_session *s, struct rt_err *err);
	int (*start)(struct hwl_session *s, struct rt_err *err);
	void (*collect)(struct hwl_session *s);
	int (*stop)(struct hwl_session *s, struct rt_err *err);
	void (*done)(struct hwl_session *s);
};

extern const struct hwl_detector hwl_tracer;
extern const struct hwl_detector hwl_user;

/** struct hwl_plan - everything decided, nothing touched; times in whole microseconds */
struct hwl_plan {
	const struct hwl_opts *opts;
	int argc;
	char **argv;
	const struct hwl_detector *detector;
	struct rt_cpuset cpus; /* that are looked at */
	int64_t window_us;
	int64_t width_us;
	int64_t threshold_us;
	int64_t hardlimit_us;
	enum hwl_mode mode;
	bool has_modes; /* the kernel knows modes at all */
	struct rt_results_plan results;
};

int hwl_plan_make(struct hwl_plan *plan, const struct hwl_opts *opts, int argc, char **argv,
		  struct rt_err *err);
void hwl_plan_done(struct hwl_plan *plan);

/**
 * hwl_settle_window() - window and width that fit together
 * @plan: holds what is in force; what was asked for replaces it, and pulls the other along:
 *        a smaller window halves into the width, a larger width doubles into the window
 * Return: 0; -EINVAL with a sentence when both were given and do not fit.
 */
int hwl_settle_window(struct hwl_plan *plan, struct rt_err *err);

/**
 * struct hwl_sample - one window in which something was above the threshold
 * @at_ns:  CLOCK_REALTIME
 * @inner_us, @outer_us: the largest gaps within and between the loop's rounds
 * @count:  how many there were; -1: the kernel does not tell
 * @nmi_total_us, @nmi_count: of which NMIs; -1: not told
 */
struct hwl_sample {
	int64_t at_ns;
	int64_t inner_us;
	int64_t outer_us;
	int64_t count;
	int64_t nmi_total_us;
	int64_t nmi_count;
	int cpu;
};

/** enum hwl_line - what a line of trace_pipe is */
enum hwl_line { HWL_LINE_OTHER, HWL_LINE_SAMPLE, HWL_LINE_LOST };

/** hwl_line_parse() - @lost: number of events in a line that tells of lost ones */
enum hwl_line hwl_line_parse(const char *line, struct hwl_sample *ret, uint64_t *lost);

/**
 * struct hwl_log - all samples of a run, in order
 * @kept:  of @count: more than HWL_KEEP_MAX are only counted
 */
#define HWL_KEEP_MAX 1000000u
struct hwl_log {
	struct hwl_sample *samples;
	size_t kept;
	size_t room;
	uint64_t count;
	uint64_t exceeding; /* sum of the counts, or of samples without one */
	int64_t max_us;
	int64_t first_ns;
	int64_t last_ns;
	uint64_t lost; /* events that the kernel dropped */
};

void hwl_log_add(struct hwl_log *log, const struct hwl_sample *sample);
void hwl_log_done(struct hwl_log *log);

/** hwl_mtbf_s() - seconds between failures; negative when there are less than two */
double hwl_mtbf_s(const struct hwl_log *log, int64_t window_us, int64_t width_us);

/** hwl_sample_text() - the line "ts: ..., delta:..., inner:..."; heap memory or NULL */
char *hwl_sample_text(const struct hwl_sample *sample, const struct hwl_sample *before,
		      const char *time_format);

/** hwl_mask_text() - a set as tracing_cpumask takes it: hex, groups of eight digits; heap or NULL */
char *hwl_mask_text(const struct rt_cpuset *set);

/** struct hwl_smis - SMI counters of all CPUs; count 0 where they can't be read */
struct hwl_smis {
	struct hwl_smi {
		int cpu;
		int fd;
		uint32_t base;
		uint32_t seen;
	} *cpus;
	unsigned int count;
};

void hwl_smis_begin(struct hwl_smis *smis);
void hwl_smis_end(struct hwl_smis *smis);
uint64_t hwl_smis_sum(const struct hwl_smis *smis);
void hwl_smis_done(struct hwl_smis *smis);

/** struct hwl_session - one run, owned by main */
struct hwl_session {
	struct rt_session rt; /* a series a CPU: the larger of inner and outer */
	const struct hwl_plan *plan;
	const struct hwl_opts *opts;
	struct rt_outfile *report;
	struct hwl_log log;
	struct hwl_smis smis;
	void *detector; /* its own */
};

/** hwl_found() - by the detector: one sample */
void hwl_found(struct hwl_session *s, const struct hwl_sample *sample);

/* arm.c */
int hwl_arm(struct hwl_session *s, const struct hwl_plan *plan, struct rt_err *err);
void hwl_disarm(struct hwl_session *s);

/* report.c */
void hwl_report_plan(struct hwl_plan *plan);
void hwl_say_banner(const struct hwl_session *s);
void hwl_say_sample(const struct hwl_session *s, const struct hwl_sample *sample,
		    const struct hwl_sample *before);
void hwl_debug(const struct hwl_session *s, const char *fmt, ...) RT_PRINTF(2, 3);
int hwl_report(struct hwl_session *s, int exit_status, struct rt_err *err);

#endif
