/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cyclictest - what its parts hand to each other, in the order of a run:
 *
 *     cyc_opts     what was typed                          options.c
 *     cyc_plan     who runs where and how; touches nothing plan.c
 *     cyc_session  what exists while it runs               arm.c, watch.c
 *     cyc_thread   what one measuring thread works on      measure.h, thread.c
 */
#ifndef CYCLICTEST_H
#define CYCLICTEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "rt/clock.h"
#include "rt/cpuset.h"
#include "rt/err.h"
#include "rt/histogram.h"
#include "rt/options.h"
#include "rt/outfile.h"
#include "rt/report.h"
#include "rt/samples.h"
#include "rt/sched.h"
#include "rt/session.h"
#include "rt/sysinfo.h"
#include "rt/threshold.h"
#include "rt/tracing.h"
#include "rt/undo.h"

/** struct cyc_opts - the command line, unresolved; zero is "not given" */
struct cyc_opts {
	struct rt_opts_results results;
	struct rt_opts_tracing tracing;
	const char *affinity; /* -a SET; NULL with is_pinned: all usable CPUs */
	bool is_pinned;
	int64_t threads; /* 0 with has_threads: one per CPU */
	bool has_threads;
	bool smp;
	const char *main_affinity;

	int64_t interval_ns;
	int64_t distance_ns;
	bool has_distance;
	int64_t loops;
	int64_t duration_ns;
	int64_t aligned_ns;
	bool is_aligned;
	int64_t secaligned_ns;
	bool is_secaligned;
	clockid_t clock;
	bool relative;
	bool system;
	bool posix_timers;

	int64_t priority;
	bool has_priority;
	enum rt_policy policy;
	bool has_policy;
	bool priospread;

	bool mlockall;
	int64_t latency_us;
	bool default_system;
	bool laptop;
	int64_t deepest_idle_state;
	bool has_deepest_idle_state;
	bool smi;

	struct rt_span histogram; /* -h or -H, the last one */
	bool has_histogram;
	bool histofall;
	const char *histfile;
	bool zero_rows;

	struct rt_span breaktrace;
	bool has_breaktrace;
	bool tracemark;
	struct rt_span spike;
	bool has_spike;
	int64_t spike_nodes;

	bool nsecs;
	bool quiet;
	bool verbose;
	int64_t oscope;
	bool refresh_on_max;
	bool unbuffered;
	const char *fifo;
	bool resolution;
	bool debug;
};

extern const struct rt_opt_table cyc_table;

/** enum cyc_sleep - how a thread waits for its next wake-up */
enum cyc_sleep { CYC_SLEEP_ABSOLUTE, CYC_SLEEP_RELATIVE, CYC_SLEEP_SYSTEM, CYC_SLEEP_TIMER };

/** struct cyc_seat - where and how one thread runs */
struct cyc_seat {
	int cpu;  /* -1: not pinned */
	int node; /* -1: no placement */
	int priority;
	int64_t interval_ns;
	int64_t offset_ns; /* of its first wake-up behind the common start */
};

/** struct cyc_plan - everything decided, nothing touched */
struct cyc_plan {
	const struct cyc_opts *opts;
	int argc;
	char **argv;
	unsigned int threads;
	struct cyc_seat *seats;
	struct rt_cpuset usable;   /* online, in the inherited mask */
	struct rt_cpuset measured; /* where the threads may run */
	struct rt_cpuset main_cpus;
	bool moves_main;           /* main_cpus differs from the inherited mask */
	bool is_pinned;
	enum rt_policy policy;
	enum cyc_sleep sleep;
	int64_t unit_ns;           /* of display: 1000, or 1 with -N */
	uint32_t buckets;          /* 0: no linear histogram */
	int64_t limit;             /* --limit in units; 0: none */
	int64_t breaktrace;        /* -b in units; 0: none */
	int64_t spike;             /* --spike in units; 0: none */
	struct rt_results_plan results;
	struct rt_tracing_plan tracing;
};

/**
 * cyc_plan_make() - resolve the options against this machine
 * Return: 0; a negative errno with a sentence: a combination that can't be
 * (RT_EXIT_USAGE) or something that is not there (RT_EXIT_MISSING).
 */
int cyc_plan_make(struct cyc_plan *plan, const struct cyc_opts *opts, int argc, char **argv,
		  struct rt_err *err);
void cyc_plan_done(struct cyc_plan *plan);

struct cyc_spikes;
struct cyc_thread;
struct cyc_status_file;
struct cyc_fifo;

/** struct cyc_session - one run, owned by main */
struct cyc_session {
	struct rt_session rt;
	const struct cyc_plan *plan;
	const struct cyc_opts *opts;
	struct rt_threshold threshold;
	struct rt_tracing tracing;
	struct cyc_thread **threads;
	struct cyc_spikes *spikes;           /* NULL without --spike */
	struct rt_outfile *histfile;
	struct cyc_status_file *status_file; /* NULL if it could not be made */
	struct cyc_fifo *fifo;
	struct rt_stats *seen;               /* newest copies for the status lines */
	int64_t *shown_max_ns;               /* -M: the maxima at the last drawing */
};

/* arm.c: make everything that the run needs, each with its undo. */
int cyc_arm(struct cyc_session *s, const struct cyc_plan *plan, struct rt_err *err);
void cyc_disarm(struct cyc_session *s);

/* thread.c: the crew's callbacks and the threads' memory. */
int cyc_threads_make(struct cyc_session *s, struct rt_err *err);
void cyc_threads_free(struct cyc_session *s);
void cyc_threads_align(struct cyc_session *s); /* the common start, just before the release */
extern const struct rt_crew_plan cyc_crew_plan;

/* watch.c: what main does meanwhile. */
void cyc_watch_header(struct cyc_session *s);
void cyc_watch_plan(const struct cyc_plan *plan, struct rt_run_plan *run_plan);
void cyc_watch_begin(struct cyc_session *s);
void cyc_watch_end(struct cyc_session *s);
void cyc_status_lines(struct cyc_session *s, FILE *out);

/* values.c: what -v prints, as far as it is in the rings. */
void cyc_values_print(struct cyc_session *s);

/* report.c: after the run, also after one that failed. */
void cyc_report_plan(struct cyc_plan *plan);
int cyc_report(struct cyc_session *s, int exit_status, struct rt_err *err);

/* spikes.c: samples above --spike. */
struct cyc_spikes *cyc_spikes_new(uint32_t nodes);
void cyc_spikes_free(struct cyc_spikes *spikes);
void cyc_spikes_add(struct cyc_spikes *spikes, unsigned int thread, int64_t value, int64_t at_ns);
void cyc_spikes_print(const struct cyc_spikes *spikes, FILE *out);
uint64_t cyc_spikes_seen(const struct cyc_spikes *spikes);
struct json_object *cyc_spikes_json(const struct cyc_spikes *spikes, int64_t unit_ns);

/* status_file.c: /dev/shm/cyclictest<PID>, written on SIGUSR2. */
int cyc_status_file_open(struct cyc_status_file **ret, struct rt_undo *undo, struct rt_err *err);
void cyc_status_file_write(struct cyc_status_file *file, const char *text, size_t length);
void cyc_status_file_close(struct cyc_status_file *file);

/* fifo.c: -F, a snapshot for each reader. */
int cyc_fifo_open(struct cyc_fifo **ret, const char *path, struct rt_undo *undo,
		  struct rt_err *err);
/* Writes what @text makes, on the heap, if somebody waits for it; looks twice a second at most. */
void cyc_fifo_offer(struct cyc_fifo *fifo, char *(*text)(void *data, size_t *length), void *data);
void cyc_fifo_close(struct cyc_fifo *fifo);

/* resolution.c: -R. */
void cyc_check_resolution(clockid_t clock, bool verbose, bool debug);

#endif
