/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: documents byte by byte; what other programs parse must not move. Needs json-c. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report_fixture.h"
#include "rt/clock.h"
#include "rt/json.h"

/* ---- --json ------------------------------------------------------------------------ */

#define ENVELOPE(cmdline, status)                                  \
	"{\n"                                                      \
	"  \"file_version\": 1,\n"                                 \
	"  \"cmdline:\": \"" cmdline "\",\n"                       \
	"  \"rt_test_version:\": \"3.00\",\n"                      \
	"  \"start_time\": \"Mon, 30 Nov 2026 18:59:19 +0000\",\n" \
	"  \"end_time\": \"Mon, 30 Nov 2026 18:59:20 +0000\",\n"   \
	"  \"return_code\": " status ",\n"                         \
	"  \"sysinfo\": {\n"                                       \
	"    \"sysname\": \"Linux\",\n"                            \
	"    \"nodename\": \"vm\",\n"                              \
	"    \"release\": \"6.18.44\",\n"                          \
	"    \"version\": \"#1 SMP PREEMPT_DYNAMIC @0\",\n"        \
	"    \"machine\": \"x86_64\",\n"                           \
	"    \"realtime\": 0\n"                                    \
	"  }"

static void json_envelope_alone(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_new(&f, 1);
	f.result.exit_status = 3;
	text = rt_report_json(&f.result, NULL, NULL);
	assert_string_equal(text, ENVELOPE("cyclictest -q -t2", "3") "\n}\n");
	free(text);
	fixture_done(&f);
}

/* As cyclictest does; two rows of the first histogram, none of the second. */
static void fill_threads(struct json_object *document, void *data)
{
	const struct rt_snapshot *snap = data;
	struct json_object *threads = json_object_new_object();

	json_object_object_add(document, "num_threads", json_object_new_int(2));
	json_object_object_add(document, "resolution_in_ns", json_object_new_int(0));
	json_object_object_add(document, "thread", threads);
	for (unsigned int i = 0; i < 2; i++) {
		const struct rt_stats *s = &snap->series[i].stats;
		struct json_object *o = json_object_new_object();
		struct json_object *rows = json_object_new_object();
		char name[12];

		snprintf(name, sizeof(name), "%u", i);
		json_object_object_add(threads, name, o);
		json_object_object_add(o, "histogram", rows);
		if (i == 0) {
			json_object_object_add(rows, "9", json_object_new_int(1));
			json_object_object_add(rows, "71", json_object_new_int(2));
		}
		json_object_object_add(o, "cycles", json_object_new_int64((int64_t)s->count));
		json_object_object_add(o, "min", json_object_new_int64(rt_shown_min(s, 1000)));
		json_object_object_add(o, "max", json_object_new_int64(rt_shown_max(s, 1000)));
		json_object_object_add(o, "avg", rt_json_avg(rt_shown_mean(s)));
		json_object_object_add(o, "cpu", json_object_new_int(-1));
	}
}

static void json_is_the_peers_layout(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_new(&f, 2);
	add(&f, 0, 9100, 1);
	add(&f, 0, 71200, 2);
	add(&f, 0, 71900, 3);
	take(&f);
	text = rt_report_json(&f.result, fill_threads, f.snap);
	assert_string_equal(text, ENVELOPE("cyclictest -q -t2", "0") ",\n"
		"  \"num_threads\": 2,\n"
		"  \"resolution_in_ns\": 0,\n"
		"  \"thread\": {\n"
		"    \"0\": {\n"
		"      \"histogram\": {\n"
		"        \"9\": 1,\n"
		"        \"71\": 2\n"
		"      },\n"
		"      \"cycles\": 3,\n"
		"      \"min\": 9,\n"
		"      \"max\": 71,\n"
		"      \"avg\": 50.33,\n"
		"      \"cpu\": -1\n"
		"    },\n"
		"    \"1\": {\n"
		"      \"histogram\": {\n"
		"      },\n"
		"      \"cycles\": 0,\n"
		"      \"min\": 0,\n"
		"      \"max\": 0,\n"
		"      \"avg\": 0.00,\n"
		"      \"cpu\": -1\n"
		"    }\n"
		"  }\n"
		"}\n");
	free(text);
	fixture_done(&f);
}

static void json_times_are_local(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_new(&f, 1);
	setenv("TZ", "XYZ-05:30", 1);
	tzset();
	text = rt_report_json(&f.result, NULL, NULL);
	assert_non_null(strstr(text, "\"start_time\": \"Tue, 01 Dec 2026 00:29:19 +0530\""));
	free(text);
	fixture_done(&f);
}

/* What stands on the command line may be anything. */
static void json_strings_are_valid(void **state)
{
	static const struct {
		const char *word, *json;
	} rows[] = {
		{ "", "" },
		{ "a/b \"q\" \\", "a/b \\\"q\\\" \\\\" },
		{ "\t\n\x01", "\\t\\n\\u0001" },
		{ "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
		  "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80" },
		{ "\xff", "\xef\xbf\xbd" },
		{ "x\xc3", "x\xef\xbf\xbd" },                             /* cut at the end */
		{ "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd" },               /* overlong */
		{ "\xe0\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* a surrogate */
		{ "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xe2\x82z", "\xef\xbf\xbd\xef\xbf\xbdz" },
	};
	struct fixture f;

	(void)state;
	fixture_new(&f, 1);
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		char *argv[] = { (char[]){ "./x" }, (char *)(uintptr_t)rows[i].word, NULL };
		char expected[128], *text;

		f.result.argc = 2;
		f.result.argv = argv;
		snprintf(expected, sizeof(expected), "\n  \"cmdline:\": \"./x %s\",\n", rows[i].json);
		text = rt_report_json(&f.result, NULL, NULL);
		assert_non_null(strstr(text, expected));
		free(text);
	}
	fixture_done(&f);
}

static void json_keeps_long_command_lines(void **state)
{
	char *word = malloc(100001);
	char *argv[] = { (char[]){ "x" }, word, NULL };
	struct fixture f;
	char *text;

	(void)state;
	fixture_new(&f, 1);
	memset(word, 'y', 100000);
	word[100000] = '\0';
	f.result.argc = 2;
	f.result.argv = argv;
	text = rt_report_json(&f.result, NULL, NULL);
	assert_non_null(strstr(text, word));
	free(text);
	free(word);
	fixture_done(&f);
}

static void avg_has_two_decimals(void **state)
{
	static const struct {
		double value;
		const char *text;
	} rows[] = {
		{ 0, "0.00" },       { 26.056, "26.06" },     { 25.2, "25.20" },
		{ 100, "100.00" },   { -1.5, "-1.50" },       { 1e15, "1000000000000000.00" },
		{ 0.0 / 0.0, "0.00" }, { 1.0 / 0.0, "0.00" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct json_object *o = rt_json_avg(rows[i].value);

		assert_string_equal(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
				    rows[i].text);
		json_object_put(o);
	}
}

/* ---- --result ------------------------------------------------------------------------- */

static void fill_own(struct json_object *own, void *data)
{
	(void)data;
	json_object_object_add(own, "smis", json_object_new_int(5));
}

#define RESULT_HEAD                                          \
	"{\n"                                                \
	"  \"schema\": \"rtgauge-result/1\",\n"              \
	"  \"tool\": \"cyclictest\",\n"                      \
	"  \"version\": \"3.00\",\n"                         \
	"  \"argv\": [\n"                                    \
	"    \"cyclictest\",\n"                              \
	"    \"-q\",\n"                                      \
	"    \"-t2\"\n"                                      \
	"  ],\n"                                             \
	"  \"started\": \"2026-11-30T18:59:19.000000000Z\",\n" \
	"  \"ended\": \"2026-11-30T18:59:20.500000000Z\",\n" \
	"  \"duration_ns\": 1400000000,\n"

#define RESULT_SYSTEM                                          \
	"  \"system\": {\n"                                    \
	"    \"kernel\": \"6.18.44\",\n"                       \
	"    \"kernel_version\": \"#1 SMP PREEMPT_DYNAMIC @0\",\n" \
	"    \"hostname\": \"vm\",\n"                          \
	"    \"architecture\": \"x86_64\",\n"                  \
	"    \"preempt\": \"full\",\n"                         \
	"    \"realtime\": false,\n"                           \
	"    \"cmdline\": null,\n"                             \
	"    \"machine\": null,\n"                             \
	"    \"cpus\": {\"online\":\"0-1\",\"isolated\":null,\"nohz_full\":null},\n" \
	"    \"clocksource\": null,\n"                         \
	"    \"governor\": null,\n"                            \
	"    \"idle_driver\": null,\n"                         \
	"    \"smt\": null,\n"                                 \
	"    \"hypervisor\": null,\n"                          \
	"    \"rt_runtime\": null\n"                           \
	"  },\n"

static void result_of_a_whole_run(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_new(&f, 2);
	f.system.preempt = (char[]){ "full" };
	f.system.online = (char[]){ "0-1" };
	f.result.limit_ns = 20000;
	f.result.exit_status = 3;
	f.result.clock = "monotonic";
	f.result.clock_offset_ns = STARTED_NS;
	rt_asked_add(&f.result, "mlock", "yes", NULL, "not permitted");
	rt_asked_add(&f.result, "dma_latency", "0", "0", NULL);
	add(&f, 0, -3, 10);
	add(&f, 0, 100, 20);
	add(&f, 0, 100, 30);
	add(&f, 0, 1000000, INT64_C(1250000000)); /* 999424..1003520, late */
	rt_stats_miss(&rt_status_record(f.status, 0, -1)->stats, 1);
	add(&f, 0, INT64_C(1) << 44, 50);
	rt_status_info(f.status, 1)->policy = RT_POLICY_DEADLINE;
	rt_status_info(f.status, 1)->runtime_ns = 1000;
	rt_status_info(f.status, 1)->deadline_ns = 2000;
	rt_status_info(f.status, 1)->period_ns = 3000;
	rt_status_info(f.status, 1)->cpu = -1;
	rt_status_info(f.status, 1)->node = -1;
	rt_status_info(f.status, 1)->tid = 0;
	rt_status_info(f.status, 1)->interval_ns = 0;
	take(&f);
	f.snap->series[0].lost = 6;
	text = rt_report_result(&f.result, fill_own, NULL);
	assert_string_equal(text, RESULT_HEAD
		"  \"ended_by\": \"loops\",\n"
		"  \"exit_status\": 3,\n"
		"  \"clock\": \"monotonic\",\n"
		"  \"verdict\": {\n"
		"    \"limit_ns\": 20000,\n"
		"    \"unit_ns\": 1000,\n"
		"    \"passed\": true,\n"
		"    \"series\": \"thread 0\",\n"
		"    \"value_ns\": 17592186044416,\n"
		"    \"at_ns\": 50,\n"
		"    \"at\": \"2026-11-30T18:59:19.000000050Z\"\n"
		"  },\n"
		RESULT_SYSTEM
		"  \"asked\": [\n"
		"    {\"name\":\"mlock\",\"asked\":\"yes\",\"got\":null,\"reason\":\"not permitted\"},\n"
		"    {\"name\":\"dma_latency\",\"asked\":\"0\",\"got\":\"0\",\"reason\":null}\n"
		"  ],\n"
		"  \"series\": [\n"
		"    {\"name\":\"thread 0\",\"kind\":\"wakeup\",\"cpu\":0,\"node\":0,\"tid\":100,"
		"\"policy\":\"fifo\",\"priority\":90,\"interval_ns\":1000000,"
		"\"counts\":{\"samples\":5,\"early\":1,\"late\":2,\"missed\":1,\"lost\":6},"
		"\"latency_ns\":{\"min\":-3,\"max\":17592186044416,\"mean\":3518437408922.600,"
		"\"last\":17592186044416,\"p50\":100,\"p90\":17592186044416,\"p99\":17592186044416,"
		"\"p99.9\":17592186044416,\"p99.99\":17592186044416,\"p99.999\":17592186044416,"
		"\"max_at_ns\":50,\"max_at\":\"2026-11-30T18:59:19.000000050Z\"},"
		"\"histogram\":{\"unit\":\"ns\",\"buckets\":[[null,0,1],[100,101,2],"
		"[999424,1003520,1],[17592186044416,null,1]]}},\n"
		"    {\"name\":\"thread 1\",\"kind\":\"wakeup\",\"cpu\":null,\"node\":null,\"tid\":null,"
		"\"policy\":\"deadline\",\"runtime_ns\":1000,\"deadline_ns\":2000,"
		"\"period_ns\":3000,\"interval_ns\":null,"
		"\"counts\":{\"samples\":0,\"early\":0,\"late\":0,\"missed\":0,\"lost\":0},"
		"\"latency_ns\":{\"min\":null,\"max\":null,\"mean\":null,\"last\":null,\"p50\":null,"
		"\"p90\":null,\"p99\":null,\"p99.9\":null,\"p99.99\":null,\"p99.999\":null,"
		"\"max_at_ns\":null,\"max_at\":null},"
		"\"histogram\":{\"unit\":\"ns\",\"buckets\":[]}}\n"
		"  ],\n"
		"  \"cyclictest\": {\n"
		"    \"smis\": 5\n"
		"  }\n"
		"}\n");
	free(text);
	rt_asked_done(&f.result);
	fixture_done(&f);
}

static struct json_object *member(struct json_object *o, const char *key)
{
	struct json_object *found = NULL;

	assert_true(json_object_object_get_ex(o, key, &found));
	return found;
}

static void result_of_a_checkpoint(void **state)
{
	struct json_object *o, *first;
	struct fixture f;
	char *text;

	(void)state;
	fixture_new(&f, 1);
	add(&f, 0, 100, 10);
	add(&f, 0, 200, 20);
	take(&f);
	f.snap->series[0].stats.count = 3; /* one came between the copies */
	f.result.is_checkpoint = true;
	text = rt_report_result(&f.result, NULL, NULL);
	o = json_tokener_parse(text);
	assert_string_equal(json_object_get_string(member(o, "ended_by")), "checkpoint");
	assert_null(member(o, "exit_status"));
	assert_null(member(o, "verdict"));
	assert_null(member(o, "clock"));
	assert_false(json_object_object_get_ex(o, "cyclictest", NULL));
	first = json_object_array_get_idx(member(o, "series"), 0);
	assert_int_equal(json_object_get_int(member(member(first, "counts"), "samples")), 2);
	assert_null(member(member(first, "latency_ns"), "max_at"));
	json_object_put(o);
	free(text);
	fixture_done(&f);
}

/* A week in one bucket: more than 32 bits, and the sum over the buckets still is the count. */
static void result_of_a_week(void **state)
{
	const int64_t week = INT64_C(6048000000);
	struct json_object *o, *first, *rows;
	struct rt_record *r;
	struct fixture f;
	int64_t sum = 0;
	char *text;

	(void)state;
	fixture_new(&f, 1);
	r = rt_status_record(f.status, 0, -1);
	r->log.cells[rt_log_index(700)] = UINT32_MAX;
	add(&f, 0, 700, 1);
	r->log.cells[rt_log_index(700)] = (uint32_t)(week - (INT64_C(1) << 32) - 1);
	add(&f, 0, 50000, 2);
	r->stats.count = (uint64_t)week;
	take(&f);
	text = rt_report_result(&f.result, NULL, NULL);
	o = json_tokener_parse(text);
	first = json_object_array_get_idx(member(o, "series"), 0);
	rows = member(member(first, "histogram"), "buckets");
	for (size_t i = 0; i < json_object_array_length(rows); i++)
		sum += json_object_get_int64(
			json_object_array_get_idx(json_object_array_get_idx(rows, i), 2));
	assert_true(sum == week);
	assert_true(json_object_get_int64(member(member(first, "counts"), "samples")) == week);
	json_object_put(o);
	free(text);
	fixture_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_envelope_alone),
		cmocka_unit_test(json_is_the_peers_layout),
		cmocka_unit_test(json_times_are_local),
		cmocka_unit_test(json_strings_are_valid),
		cmocka_unit_test(json_keeps_long_command_lines),
		cmocka_unit_test(avg_has_two_decimals),
		cmocka_unit_test(result_of_a_whole_run),
		cmocka_unit_test(result_of_a_checkpoint),
		cmocka_unit_test(result_of_a_week),
	};

	return cmocka_run_group_tests_name("documents", tests, NULL, NULL);
}
