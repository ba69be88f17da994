/* SPDX-License-Identifier: GPL-2.0-or-later */
/* samples: the file, read back by a decoder that knows only its manual page. Needs json-c. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ring_fixture.h"
#include "rt/cpuset.h"
#include "rt/json.h"

/* ---- a decoder ------------------------------------------------------------------- */

#define SERIES_MAX 3

struct decoded {
	struct json_object *head;
	int64_t interval_ns[SERIES_MAX];
	struct rt_sample *samples[SERIES_MAX];
	size_t count[SERIES_MAX];
	uint64_t lost[SERIES_MAX];
	unsigned int blocks;
};

static uint64_t little(const unsigned char *at, unsigned int bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | at[bytes];
	return v;
}

static uint64_t varint(const unsigned char **at)
{
	uint64_t v = 0;
	unsigned int shift = 0;

	do
		v |= (uint64_t)(**at & 0x7f) << shift;
	while ((shift += 7, *(*at)++ & 0x80));
	return v;
}

static int64_t zigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

static void decode_block(struct decoded *d, const unsigned char *head)
{
	uint32_t series = (uint32_t)little(head + 4, 4);
	uint32_t count = (uint32_t)little(head + 8, 4);
	const unsigned char *at = head + 40, *end = at + little(head + 12, 4);
	uint64_t cycle = little(head + 16, 8);
	int64_t wake_ns = (int64_t)little(head + 24, 8);
	struct rt_sample *samples;

	assert_true(series < SERIES_MAX);
	d->lost[series] = little(head + 32, 8);
	d->blocks++;
	samples = realloc(d->samples[series],
			  (d->count[series] + count + 1) * sizeof(struct rt_sample));
	assert_non_null(samples);
	d->samples[series] = samples;
	samples += d->count[series];
	for (uint32_t i = 0; i < count; i++) {
		uint64_t gap = varint(&at);
		int64_t drift = zigzag(varint(&at));

		if (i) {
			cycle += gap + 1;
			wake_ns = (int64_t)((uint64_t)wake_ns + (uint64_t)drift +
					    (uint64_t)d->interval_ns[series]);
		} else {
			assert_true(gap == 0 && drift == 0);
		}
		samples[i] = (struct rt_sample){ cycle, wake_ns, zigzag(varint(&at)), 0 };
	}
	assert_ptr_equal(at, end);
	d->count[series] += count;
}

static void decode_head(struct decoded *d, const unsigned char *text, size_t length)
{
	rt_auto_free char *copy = strndup((const char *)text, length);
	struct json_object *list, *interval;

	d->head = json_tokener_parse(copy);
	assert_non_null(d->head);
	assert_true(json_object_object_get_ex(d->head, "series", &list));
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		assert_true(json_object_object_get_ex(json_object_array_get_idx(list, i),
						      "interval_ns", &interval));
		d->interval_ns[i] = json_object_get_int64(interval);
	}
}

static size_t slurp(const char *path, unsigned char **ret)
{
	struct stat st;
	FILE *in = fopen(path, "rb");

	assert_non_null(in);
	assert_int_equal(fstat(fileno(in), &st), 0);
	*ret = malloc((size_t)st.st_size + 1);
	assert_int_equal(fread(*ret, 1, (size_t)st.st_size, in), st.st_size);
	fclose(in);
	return (size_t)st.st_size;
}

static void decode(struct decoded *d, const char *path)
{
	rt_auto_free unsigned char *file = NULL;
	size_t size = slurp(path, &file), at;

	*d = (struct decoded){ 0 };
	assert_memory_equal(file, "RTGSMPL1", 8);
	decode_head(d, file + 12, little(file + 8, 4));
	at = 12 + little(file + 8, 4);
	while (at < size) {
		assert_true(size - at >= 40);
		assert_memory_equal(file + at, "BLK1", 4);
		decode_block(d, file + at);
		at += 40 + little(file + at + 12, 4);
	}
	assert_int_equal(at, size);
}

static void decoded_done(struct decoded *d)
{
	for (int i = 0; i < SERIES_MAX; i++)
		free(d->samples[i]);
	json_object_put(d->head);
}

/* ---- the file ---------------------------------------------------------------------- */

static char path[64];

static int make_path(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/rt-samples-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static int remove_path(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static const struct rt_sample odd[] = {
	{ 0, 1000000000, 0, 0 },
	{ 1, 1001000000, 4567, 0 },
	{ 2, 1002000000, -1, 0 },           /* early */
	{ 9, 1009000000, INT64_MAX, 0 },    /* after a gap */
	{ 10, -5, INT64_MIN, 0 },           /* the clock was stepped */
	{ 3, INT64_MAX, 127, 0 },           /* counts backwards: comes back as it was */
	{ UINT64_MAX, INT64_MIN, -128, 0 },
};

static void file_brings_back_what_went_in(void **state)
{
	struct rt_samples_series series[2] = {
		{ "thread 0", 3, 1000000, new_ring(16) },
		{ "na\xefve \"1\"", -1, 0, new_ring(16) },
	};
	struct rt_samples_file *file = NULL;
	uint64_t lost[2] = { 7, 7 };
	struct json_object *o;
	struct decoded d;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_samples_open(&file, path, "testtool", "monotonic", series, 2, &err), 0);
	for (size_t i = 0; i < RT_ARRAY_SIZE(odd); i++)
		assert_true(rt_ring_put(series[0].ring, &odd[i]));
	assert_true(rt_ring_put(series[1].ring, &odd[3]));
	assert_int_equal(rt_samples_close(file, lost, &err), 0);
	assert_int_equal(lost[0], 0);
	assert_int_equal(lost[1], 0);

	decode(&d, path);
	assert_true(json_object_object_get_ex(d.head, "tool", &o));
	assert_string_equal(json_object_get_string(o), "testtool");
	assert_true(json_object_object_get_ex(d.head, "clock", &o));
	assert_string_equal(json_object_get_string(o), "monotonic");
	assert_true(json_object_object_get_ex(d.head, "series", &o));
	assert_true(json_object_object_get_ex(json_object_array_get_idx(o, 1), "name", &o));
	assert_string_equal(json_object_get_string(o), "na\xef\xbf\xbdve \"1\"");
	assert_int_equal(d.blocks, 2);
	assert_int_equal(d.count[0], RT_ARRAY_SIZE(odd));
	assert_memory_equal(d.samples[0], odd, sizeof(odd));
	assert_int_equal(d.count[1], 1);
	assert_memory_equal(d.samples[1], &odd[3], sizeof(odd[3]));
	decoded_done(&d);
	rt_ring_free(series[0].ring);
	rt_ring_free(series[1].ring);
}

/* A steady run: the header's promise of some bytes a sample. */
static void a_sample_costs_five_bytes_at_most(void **state)
{
	struct rt_samples_series series = { "thread 0", 0, 1000, new_ring(RT_RING_SAMPLES) };
	struct rt_samples_file *file = NULL;
	struct decoded d;
	struct stat st;

	(void)state;
	assert_int_equal(rt_samples_open(&file, path, "t", "monotonic", &series, 1, NULL), 0);
	for (uint64_t i = 0; i < RT_RING_SAMPLES; i++) {
		struct rt_sample s = { i, (int64_t)i * 1000, 20000 + (int64_t)(i % 977) * 100, 0 };

		assert_true(rt_ring_put(series.ring, &s));
	}
	assert_int_equal(rt_samples_close(file, NULL, NULL), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size < 5 * (off_t)RT_RING_SAMPLES + 500);
	decode(&d, path);
	assert_int_equal(d.count[0], RT_RING_SAMPLES);
	assert_int_equal(d.samples[0][RT_RING_SAMPLES - 1].cycle, RT_RING_SAMPLES - 1);
	decoded_done(&d);
	rt_ring_free(series.ring);
}

static void lost_ones_are_told_in_the_file(void **state)
{
	struct rt_samples_series series = { "thread 0", 0, 1000, new_ring(4) };
	struct rt_samples_file *file = NULL;
	uint64_t lost = 0;
	struct decoded d;

	(void)state;
	assert_int_equal(rt_samples_open(&file, path, "t", "monotonic", &series, 1, NULL), 0);
	for (uint64_t i = 0; i < 10; i++)
		put(series.ring, i);
	assert_int_equal(rt_samples_close(file, &lost, NULL), 0);
	assert_int_equal(lost, 6);
	decode(&d, path);
	assert_int_equal(d.count[0], 4);
	assert_int_equal(d.lost[0], 6);
	decoded_done(&d);
	rt_ring_free(series.ring);
}

/* A thread produces while the writer's empties: all is there or counted. */
static void writer_thread_keeps_up_or_counts(void **state)
{
	struct rt_samples_series series = { "thread 0", 0, 1000, new_ring(8192) };
	struct rt_samples_file *file = NULL;
	struct rt_cpuset cpus = RT_CPUSET_INIT;
	uint64_t lost = 0, next = 0;
	pthread_t producer;
	struct decoded d;

	(void)state;
	assert_int_equal(rt_cpuset_affinity(&cpus, 0), 0);
	assert_int_equal(rt_samples_open(&file, path, "t", "monotonic", &series, 1, NULL), 0);
	assert_int_equal(rt_samples_start(file, &cpus, NULL), 0);
	rt_cpuset_done(&cpus); /* the writer has its own copy */
	assert_int_equal(pthread_create(&producer, NULL, produce, series.ring), 0);
	pthread_join(producer, NULL);
	assert_int_equal(rt_samples_close(file, &lost, NULL), 0);
	decode(&d, path);
	assert_true(d.count[0] >= 8192);
	assert_true(d.count[0] + lost == MANY);
	assert_true(d.lost[0] == lost);
	for (size_t i = 0; i < d.count[0]; i++) {
		assert_true(d.samples[0][i].cycle >= next);
		assert_true(d.samples[0][i].wake_ns == (int64_t)d.samples[0][i].cycle * 1000);
		next = d.samples[0][i].cycle + 1;
	}
	decoded_done(&d);
	rt_ring_free(series.ring);
}

static void refusals_are_told(void **state)
{
	struct rt_samples_series series = { "thread 0", 0, 1000, new_ring(4) };
	struct rt_samples_file *file = NULL;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_samples_open(&file, "/nonexistent/x", "t", "monotonic", &series, 1, &err),
			 -ENOENT);
	assert_int_equal(err.exit, RT_EXIT_FAILED);
	assert_non_null(strstr(err.text, "/nonexistent/x"));
	assert_null(file);
	err = (struct rt_err){ 0 };
	if (access("/dev/full", W_OK) == 0) {
		assert_int_equal(rt_samples_open(&file, "/dev/full", "t", "monotonic", &series, 1,
						 &err), -ENOSPC);
		assert_non_null(strstr(err.text, "/dev/full"));
		assert_null(file);
	}
	assert_int_equal(rt_samples_close(NULL, NULL, NULL), 0);
	rt_ring_free(series.ring);
}

/* The reading end of a pipe is gone in the middle of a run: what is not written counts as lost. */
static void a_failed_write_is_told_and_counted(void **state)
{
	struct rt_samples_series series = { "thread 0", 0, 1000, new_ring(8) };
	struct rt_samples_file *file = NULL;
	struct rt_err err = { 0 };
	uint64_t lost = 0;
	char name[32];
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[1]);
	assert_int_equal(rt_samples_open(&file, name, "t", "monotonic", &series, 1, &err), 0);
	close(ends[0]);
	close(ends[1]);
	for (uint64_t i = 0; i < 10; i++)
		put(series.ring, i);
	assert_int_equal(rt_samples_close(file, &lost, &err), -EPIPE);
	assert_int_equal(lost, 10);
	assert_int_equal(err.exit, RT_EXIT_FAILED);
	rt_ring_free(series.ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(file_brings_back_what_went_in, make_path, remove_path),
		cmocka_unit_test_setup_teardown(a_sample_costs_five_bytes_at_most, make_path,
						remove_path),
		cmocka_unit_test_setup_teardown(lost_ones_are_told_in_the_file, make_path, remove_path),
		cmocka_unit_test_setup_teardown(writer_thread_keeps_up_or_counts, make_path,
						remove_path),
		cmocka_unit_test(refusals_are_told),
		cmocka_unit_test(a_failed_write_is_told_and_counted),
	};

	return cmocka_run_group_tests_name("samples file", tests, NULL, NULL);
}
