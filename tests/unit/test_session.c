/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session: a tool in small, from its opening to its end, and every way out between. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "rt/clock.h"
#include "rt/out.h"
#include "rt/session.h"

#define ROUNDS 100u

static char *args[] = { (char[]){ "mytool" }, NULL };
static char result[96], samples[96];

static int make_folder(void **state)
{
	(void)state;
	if (folder_make("session"))
		return -1;
	snprintf(result, sizeof(result), "%s", in("result.json"));
	snprintf(samples, sizeof(samples), "%s", in("samples"));
	return 0;
}

/** struct tool - what a tool adds */
struct tool {
	struct rt_session rt;
	struct rt_ring *ring;
	unsigned int ticks;
};

static int body(struct rt_member *m, struct rt_err *err)
{
	struct tool *tool = m->data;
	struct rt_record *r = rt_status_record(tool->rt.status, m->index, -1);

	(void)err;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		struct rt_sample sample = { .cycle = i, .wake_ns = 1000, .lat_ns = 7 };

		rt_record_add(r, 7, 7, 1000, INT64_MAX);
		if (tool->ring)
			rt_ring_put(tool->ring, &sample);
	}
	rt_run_end(m->run, RT_ENDED_LOOPS);
	return 0;
}

static int open_session(struct tool *tool, const struct rt_opts_results *opts, struct rt_err *err)
{
	const struct rt_run_plan run = { .data = tool };
	const struct rt_results_plan results = { .opts = opts, .tool = "mytool", .argc = 1,
						 .argv = args, .clock = CLOCK_MONOTONIC,
						 .unit_ns = 1000 };

	return rt_session_open(&tool->rt, &run, &results, err);
}

static void make_crew(struct tool *tool)
{
	const struct rt_crew_plan plan = { .body = body };
	struct rt_err err = { 0 };
	struct rt_member *m;

	assert_int_equal(rt_session_records(&tool->rt, 1, &err), 0);
	assert_int_equal(rt_session_crew(&tool->rt, &plan, 1, &err), 0);
	m = rt_crew_member(tool->rt.crew, 0);
	m->data = tool;
	assert_int_equal(rt_results_ring(&tool->ring, &tool->rt.results, 0, -1), 0);
	rt_session_series(&tool->rt, 0, m, "wakeup", "thread %u", m->index)->interval_ns = 1000;
	assert_int_equal(rt_session_extras(&tool->rt, &err), 0);
}

static void run(struct tool *tool)
{
	struct rt_err err = { 0 };

	assert_int_equal(rt_crew_form(tool->rt.crew, 0, &err), 0);
	assert_int_equal(rt_results_start_samples(&tool->rt.results, NULL, &err), 0);
	assert_false(tool->rt.has_started);
	rt_session_begin(&tool->rt);
	assert_true(tool->rt.has_started);
	rt_crew_release(tool->rt.crew);
	rt_run_wait(tool->rt.run, NULL, NULL);
	assert_int_equal(rt_crew_join(tool->rt.crew, 0, &err), 0);
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? -1 : st.st_size;
}

static void a_whole_run(void **state)
{
	const struct rt_opts_results opts = { .result = RT_HAS_JSON ? result : NULL,
					      .samples = RT_HAS_JSON ? samples : NULL };
	struct tool tool = { .ticks = 0 };
	struct rt_err err = { 0 };
	const struct rt_series *series;

	(void)state;
	assert_int_equal(open_session(&tool, &opts, &err), 0);
	make_crew(&tool);
	assert_int_equal(tool.ring != NULL, RT_HAS_JSON);
	run(&tool);
	rt_results_take(&tool.rt.results);
	rt_results_end_samples(&tool.rt.results, &err);
	assert_int_equal(rt_results_write(&tool.rt.results, 0, &err), 0);
	series = &tool.rt.results.snap->series[0];
	assert_int_equal(series->stats.count, ROUNDS);
	assert_int_equal(series->lost, 0);
	assert_string_equal(series->info->name, "thread 0");
	assert_string_equal(series->info->kind, "wakeup");
	assert_int_equal(series->info->cpu, -1);
	rt_session_done(&tool.rt);
	if (RT_HAS_JSON) {
		assert_true(size_of(result) > 100);
		assert_true(size_of(samples) > (off_t)(4 * ROUNDS)); /* four bytes each */
	}
	rt_session_done(&tool.rt); /* once more is fine */
}

static void nothing_is_asked_and_nothing_is_kept(void **state)
{
	const struct rt_opts_results opts = { 0 };
	struct tool tool = { .ticks = 0 };
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(open_session(&tool, &opts, &err), 0);
	make_crew(&tool);
	assert_null(tool.ring);
	assert_ptr_equal(tool.rt.results.out, rt_out());
	rt_session_done(&tool.rt); /* never formed */
}

static void ends_wherever_it_stands(void **state)
{
	const struct rt_opts_results good = { 0 }, bad = { .result = "/no/such/folder/file" };
	struct tool tool = { .ticks = 0 };
	struct rt_err err = { 0 };

	(void)state;
	rt_session_done(&tool.rt);
	assert_true(open_session(&tool, &bad, &err) < 0);
	assert_non_null(strstr(err.text, "/no/such/folder/file"));
	rt_session_done(&tool.rt);
	err = (struct rt_err){ 0 };
	assert_int_equal(open_session(&tool, &good, &err), 0);
	rt_session_done(&tool.rt);
	assert_int_equal(open_session(&tool, &good, &err), 0);
	assert_int_equal(rt_session_records(&tool.rt, 3, &err), 0);
	rt_session_done(&tool.rt);
}

static void on_tick(void *data)
{
	struct tool *tool = data;

	if (++tool->ticks == 150) /* of 10 ms: the checkpoint is due after a second */
		rt_run_end(tool->rt.run, RT_ENDED_ERROR);
}

static void a_checkpoint_writes_the_documents(void **state)
{
	const struct rt_opts_results opts = { .result = result, .checkpoint_ns = RT_NS_PER_S };
	struct tool tool = { .ticks = 0 };
	const struct rt_run_plan plan = { .data = &tool, .tick_ns = 10 * RT_NS_PER_MS,
					  .tick = on_tick };
	const struct rt_results_plan results = { .opts = &opts, .tool = "mytool", .argc = 1,
						 .argv = args, .clock = CLOCK_MONOTONIC,
						 .unit_ns = 1000 };
	struct rt_err err = { 0 };

	(void)state;
	if (!RT_HAS_JSON) {
		print_message("# skipped: built without json-c\n");
		return;
	}
	unlink(result);
	assert_int_equal(rt_session_open(&tool.rt, &plan, &results, &err), 0);
	assert_int_equal(rt_session_records(&tool.rt, 1, &err), 0);
	rt_run_begin(tool.rt.run);
	rt_session_begin(&tool.rt);
	rt_run_wait(tool.rt.run, NULL, NULL);
	assert_true(size_of(result) > 100);
	rt_session_done(&tool.rt);
}

static void tells_who_lost_its_cpu(void **state)
{
	const struct rt_opts_results opts = { 0 };
	struct tool tool = { .ticks = 0 };
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(open_session(&tool, &opts, &err), 0);
	assert_int_equal(rt_session_records(&tool.rt, 2, &err), 0);
	rt_status_info(tool.rt.status, 1)->cpu = 5;
	assert_int_equal(rt_session_lost_cpu(&tool.rt, 1, "thread 1", &err), -ENODEV);
	assert_int_equal(err.exit, RT_EXIT_FAILED);
	assert_non_null(strstr(err.text, "thread 1 lost CPU 5 during the run"));
	assert_int_equal(rt_status_info(tool.rt.status, 1)->cpu, -1);
	rt_session_done(&tool.rt);
}

static void wishes_are_noted(void **state)
{
	const struct rt_opts_results opts = { 0 };
	struct tool tool = { .ticks = 0 };
	struct rt_threshold threshold;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(open_session(&tool, &opts, &err), 0);
	assert_int_equal(rt_session_lock(&tool.rt, false, &err), 0);
	rt_threshold_init(&threshold, 0, 1000);
	/* without a limit there is no mark */
	assert_int_equal(rt_session_mark(&tool.rt, &threshold, true, &err), 0);
	assert_int_equal(tool.rt.results.about.asked_count, 0);
	rt_session_try_lock(&tool.rt, 0); /* had or not, it is told */
	assert_int_equal(tool.rt.results.about.asked_count, 1);
	assert_string_equal(tool.rt.results.about.asked[0].name, "mlock");
	assert_true(!tool.rt.results.about.asked[0].got == !!tool.rt.results.about.asked[0].reason);
	rt_session_done(&tool.rt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_run),
		cmocka_unit_test(nothing_is_asked_and_nothing_is_kept),
		cmocka_unit_test(ends_wherever_it_stands),
		cmocka_unit_test(a_checkpoint_writes_the_documents),
		cmocka_unit_test(tells_who_lost_its_cpu),
		cmocka_unit_test(wishes_are_noted),
	};

	return cmocka_run_group_tests_name("session", tests, make_folder, folder_remove);
}
