/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places - on which CPUs deadline threads run, and what must be done so that
 * the kernel admits them there; for both tools of this folder.
 */
#ifndef DL_PLACES_H
#define DL_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/cpuset.h"
#include "rt/err.h"
#include "rt/options.h"
#include "rt/partition.h"
#include "rt/run.h"

/** struct dl_places_opts - the options about it */
struct dl_places_opts {
	const char *list;   /* -a LIST; NULL: none was named */
	bool is_given;      /* -a, with a list or without */
	const char *cgroup; /* --cgroup=PATH */
	bool isolated;
	bool force;
};

/** dl_rows_partition - --cgroup, --isolated, --force: all but the list itself */
extern const struct rt_opt dl_rows_partition[];

/** struct dl_places - decided, nothing touched */
struct dl_places {
	struct rt_cpuset cpus; /* where the threads run */
	struct rt_cpuset main_cpus;
	bool is_list;          /* the CPUs were named, so they win over the inherited mask */
	bool is_apart;         /* needs a partition */
	bool moves_main;       /* main has CPUs that are not measured */
	struct rt_partition_plan partition;
	int64_t linger_ns;     /* the longest period, filled by the tool: see dl_set_apart() */
};

/**
 * dl_places_choose() - @option names the list in messages
 * Return: 0; a negative errno with a sentence.
 */
int dl_places_choose(struct dl_places *places, const struct dl_places_opts *opts,
		     const char *option, struct rt_err *err);
void dl_places_done(struct dl_places *places);

/** dl_places_enter() - in the thread, before it gets its policy; @partition may be NULL */
int dl_places_enter(const struct dl_places *places, const struct rt_partition *partition,
		    struct rt_err *err);

/** dl_places_main() - main keeps off the measured CPUs, after the threads have been made */
int dl_places_main(const struct dl_places *places, const struct rt_partition *partition,
		   struct rt_err *err);

/**
 * dl_places_watch() - end the run if one of the CPUs has gone offline; by main, now and then
 * @lost: then has a sentence (RT_EXIT_FAILED)
 */
void dl_places_watch(const struct dl_places *places, struct rt_run *run, struct rt_err *lost);

#endif
