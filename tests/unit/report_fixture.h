/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run, made by hand, for the tests of documents and of text. Behind <cmocka.h>. */
#ifndef REPORT_FIXTURE_H
#define REPORT_FIXTURE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rt/report.h"
#include "rt/sched.h"
#include "rt/units.h"

#define STARTED_NS (INT64_C(1796065159) * RT_NS_PER_S) /* Mon, 30 Nov 2026 18:59:19 UTC */

static char *args[] = { (char[]){ "cyclictest" }, (char[]){ "-q" }, (char[]){ "-t2" }, NULL };

struct fixture {
	struct rt_status *status;
	struct rt_snapshot *snap;
	struct rt_sysinfo system;
	struct rt_result result;
};

static inline void add(struct fixture *f, unsigned int series, int64_t lat_ns, int64_t at_ns)
{
	rt_record_add(rt_status_record(f->status, series, -1), lat_ns, lat_ns / 1000, at_ns,
		      1000000);
}

static inline void describe_series(struct fixture *f, unsigned int i)
{
	struct rt_series_info *info = rt_status_info(f->status, i);

	snprintf(info->name, sizeof(info->name), "thread %u", i);
	strcpy(info->kind, "wakeup");
	info->cpu = (int)i;
	info->node = 0;
	info->tid = 100 + (int)i;
	info->policy = RT_POLICY_FIFO;
	info->priority = 90;
	info->interval_ns = 1000000;
}

static inline void take(struct fixture *f)
{
	rt_snapshot_take(f->snap, f->status);
}

static inline void fixture_new(struct fixture *f, unsigned int series)
{
	*f = (struct fixture){ 0 };
	assert_int_equal(rt_status_new(&f->status, "cyclictest", 3, args, series, 1000, NULL), 0);
	for (unsigned int i = 0; i < series; i++) {
		describe_series(f, i);
		rt_status_record(f->status, i, -1);
	}
	assert_int_equal(rt_snapshot_new(&f->snap, f->status), 0);
	strcpy(f->system.uts.sysname, "Linux");
	strcpy(f->system.uts.nodename, "vm");
	strcpy(f->system.uts.release, "6.18.44");
	strcpy(f->system.uts.version, "#1 SMP PREEMPT_DYNAMIC @0");
	strcpy(f->system.uts.machine, "x86_64");
	f->result = (struct rt_result){
		.tool = "cyclictest",
		.argc = 3,
		.argv = args,
		.started_ns = STARTED_NS,
		.ended_ns = STARTED_NS + 1500000000,
		.duration_ns = 1400000000,
		.ended_by = "loops",
		.unit_ns = 1000,
		.system = &f->system,
		.snap = f->snap,
	};
	setenv("TZ", "UTC", 1);
	tzset();
}

static inline void fixture_done(struct fixture *f)
{
	rt_snapshot_free(f->snap);
	rt_status_free(f->status);
}

#endif
