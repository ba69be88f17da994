/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_queuelat - the queue's arithmetic, the histogram's rules, and the search for
 * the greatest rate on machines made of one number.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "../../src/queuelat/queuelat.h"

static void arrivals_lose_nothing(void **state)
{
	static const struct {
		uint64_t pps;
		int64_t ns;
		uint64_t times, packets;
	} rows[] = {
		{ 5000000, 3756, 1, 18 },          /* 18.78 */
		{ 5000000, 3756, 1000, 18780 },    /* not 18000 */
		{ 7800000, 1, 10000000, 78000 },
		{ 1, RT_NS_PER_S - 1, 1, 0 },
		{ 1, RT_NS_PER_S, 1, 1 },
		{ 1000000000, 1, 7, 7 },
		{ 1000000000, 3600 * RT_NS_PER_S, 1, UINT64_C(3600000000000) },
		{ 3, RT_NS_PER_S / 2, 5, 7 },
		{ 5000000, 0, 1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct qlt_queue q = { .pps = rows[i].pps };
		uint64_t packets = 0;

		for (uint64_t n = 0; n < rows[i].times; n++)
			packets += qlt_arrive(&q, rows[i].ns);
		assert_int_equal(packets, rows[i].packets);
	}
}

/* As in the sample that people know: 150 arrive, 35 are served, 115 are left. */
static void a_step(void **state)
{
	struct qlt_queue q = { .pps = 40000000, .drain = 35 };

	(void)state;
	assert_int_equal(qlt_step(&q, 3756), 150);
	assert_int_equal(q.length, 115);
	assert_int_equal(qlt_step(&q, 0), 0);
	assert_int_equal(q.length, 80);
	for (int i = 0; i < 5; i++)
		qlt_step(&q, 0);
	assert_int_equal(q.length, 0); /* never below */
	assert_int_equal(q.longest, 115);
}

static void packets_in_a_time(void **state)
{
	(void)state;
	assert_int_equal(qlt_packets(7600, 300, 2445406000), 61);
	assert_int_equal(qlt_packets(4399, 300, 2445406000), 35);
	assert_int_equal(qlt_packets(100, 300, 1000000000), 0);
	assert_int_equal(qlt_packets(300, 300, 1000000000), 1);
}

static void histogram_rules(void **state)
{
	static struct qlt_histogram h;

	(void)state;
	qlt_count(&h, 0);
	qlt_count(&h, 99);
	qlt_count(&h, 100);
	qlt_count(&h, 69999);
	qlt_count(&h, 70000);
	qlt_count(&h, INT64_MAX);
	assert_int_equal(h.buckets[0], 2);
	assert_int_equal(h.buckets[1], 1);
	assert_int_equal(h.buckets[699], 1);
	assert_int_equal(h.buckets[QLT_BUCKETS], 2);
	assert_int_equal(h.count, 6);
	assert_int_equal(qlt_fullest(&h), 0);

	memset(&h, 0, sizeof(h));
	h.buckets[37] = 900;
	h.buckets[38] = 70; /* a fortieth of 1000 is 25 */
	h.buckets[39] = 25;
	h.buckets[40] = 5;
	h.count = 1000;
	assert_int_equal(qlt_fullest(&h), 37);
	assert_int_equal(qlt_usual_ns(&h), 4099);
	h.buckets[39] = 24;
	assert_int_equal(qlt_usual_ns(&h), 3999);
	memset(&h, 0, sizeof(h));
	h.buckets[QLT_BUCKETS] = h.count = 10;
	assert_int_equal(qlt_usual_ns(&h), QLT_TOP_NS + 99);
}

/* ---- the search ----------------------------------------------------------------------- */

struct machine {
	int64_t holds_once; /* for one run */
	int64_t holds_long; /* for the long one */
	unsigned int asked;
	unsigned int stop_at;
	char last[160];
};

static int is_good(void *data, int64_t tenths, int64_t time_ns)
{
	struct machine *m = data;

	m->asked++;
	assert_true(m->asked < 3000); /* it must come to an end */
	assert_true(tenths > 0 && tenths <= QLT_TENTHS_MAX);
	if (m->stop_at && m->asked >= m->stop_at)
		return -EINTR;
	return tenths <= (time_ns > 30 ? m->holds_long : m->holds_once);
}

static void note(void *data, const char *line)
{
	struct machine *m = data;

	snprintf(m->last, sizeof(m->last), "%s", line);
}

static int64_t search(struct machine *m)
{
	const struct qlt_search s = { .is_good = is_good, .say = note, .data = m, .run_ns = 30,
				      .confirm_ns = 600 };

	return qlt_search(&s);
}

/* Every rate that a machine can hold is found to the tenth. */
static void the_rate_is_found(void **state)
{
	(void)state;
	for (int64_t rate = 0; rate < QLT_TENTHS_MAX; rate += rate < 1000 ? 1 : 37) {
		struct machine m = { .holds_once = rate, .holds_long = rate };

		assert_int_equal(search(&m), rate);
	}
}

static void a_machine_without_limit(void **state)
{
	struct machine m = { .holds_once = INT64_MAX, .holds_long = INT64_MAX };

	(void)state;
	assert_int_equal(search(&m), QLT_TENTHS_MAX);
}

static void the_long_run_takes_off(void **state)
{
	struct machine m = { .holds_once = 78, .holds_long = 75 }, none = { .holds_once = 3 };

	(void)state;
	assert_int_equal(search(&m), 75);
	assert_int_equal(search(&none), 0);
}

static void a_stop_is_a_stop(void **state)
{
	(void)state;
	for (unsigned int at = 1; at <= 20; at++) { /* it is done after so many */
		struct machine m = { .holds_once = 78, .holds_long = 78, .stop_at = at };

		assert_int_equal(search(&m), -EINTR);
		assert_int_equal(m.asked, at);
	}
}

static void options_fit_together(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_opts_check_table(&qlt_table, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrivals_lose_nothing),
		cmocka_unit_test(a_step),
		cmocka_unit_test(packets_in_a_time),
		cmocka_unit_test(histogram_rules),
		cmocka_unit_test(the_rate_is_found),
		cmocka_unit_test(a_machine_without_limit),
		cmocka_unit_test(the_long_run_takes_off),
		cmocka_unit_test(a_stop_is_a_stop),
		cmocka_unit_test(options_fit_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
