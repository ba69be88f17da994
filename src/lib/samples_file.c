/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that --samples writes. One thread of ordinary priority empties the
 * rings of all series and appends a block for each batch; the measuring threads
 * know nothing of it. man/rtgauge-samples.5 describes the format.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report_internal.h"
#include "rt/clock.h"
#include "rt/cpuset.h"
#include "rt/out.h"
#include "rt/outfile.h"
#include "rt/samples.h"

#define MAGIC "RTGSMPL1"
#define BLOCK_MAGIC "BLK1"
#define BLOCK_HEAD 40

#define BATCH 4096u
/* a 64-bit number has at most ten groups of seven bits, a sample three numbers */
#define SAMPLE_BYTES_MAX 30
#define BLOCK_MAX (BLOCK_HEAD + BATCH * SAMPLE_BYTES_MAX)

/* Seldom, since each wake-up disturbs; but what a killed run loses should be little. */
#define WAKE_MIN_NS RT_NS_PER_MS
#define WAKE_MAX_NS (RT_NS_PER_S / 2)

#define STACK_SIZE ((size_t)256 * 1024)

/**
 * struct source - a series, as the writer sees it
 * @seen_raw: last look at the ring's own counter, which goes round
 * @lost:     all that are not in the file
 * @told:     of them, told by the last block
 */
struct source {
	struct rt_ring *ring;
	int64_t interval_ns;
	uint32_t seen_raw;
	uint64_t lost;
	uint64_t told;
};

/**
 * struct rt_samples_file - the open file and its writer
 * @length:  up to the end of the last complete block
 * @failed:  first write error, positive; nothing is written after it
 * @mutex, @wake, @must_end: the only things shared with the thread while it lives
 */
struct rt_samples_file {
	int fd;
	char *path;
	size_t count;
	struct source *sources;
	struct rt_sample *batch;
	unsigned char *block;
	off_t length;
	int failed;
	int64_t wake_ns;
	struct rt_cpuset cpus;
	bool is_started;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	bool must_end;
};

/* ---- numbers ------------------------------------------------------------------ */

static unsigned char *put32(unsigned char *at, uint32_t v)
{
	for (unsigned int i = 0; i < 4; i++)
		*at++ = (unsigned char)(v >> (8 * i));
	return at;
}

static unsigned char *put64(unsigned char *at, uint64_t v)
{
	return put32(put32(at, (uint32_t)v), (uint32_t)(v >> 32));
}

static unsigned char *put_varint(unsigned char *at, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*at++ = (unsigned char)(v | 0x80);
	*at++ = (unsigned char)v;
	return at;
}

/* Small numbers of either sign become small numbers: 0, -1, 1, -2 are 0, 1, 2, 3. */
static unsigned char *put_signed(unsigned char *at, uint64_t v)
{
	return put_varint(at, v << 1 ^ (v >> 63 ? UINT64_MAX : 0));
}

/* ---- blocks ---------------------------------------------------------------------- */

static unsigned char *put_sample(unsigned char *at, const struct rt_sample *now,
				 const struct rt_sample *before, int64_t interval_ns)
{
	/* unsigned, so that whatever a tool hands in wraps and comes back as it was */
	uint64_t cycles = before ? now->cycle - before->cycle - 1 : 0;
	uint64_t drift = before ? (uint64_t)now->wake_ns - (uint64_t)before->wake_ns -
					  (uint64_t)interval_ns :
				  0;

	at = put_varint(at, cycles);
	at = put_signed(at, drift);
	return put_signed(at, (uint64_t)now->lat_ns);
}

/* Returns the length of the block. */
static size_t encode(unsigned char *block, uint32_t series, const struct source *source,
		     const struct rt_sample *samples, uint32_t count)
{
	unsigned char *body = block + BLOCK_HEAD;
	unsigned char *end = body;
	unsigned char *at = block;

	for (uint32_t i = 0; i < count; i++)
		end = put_sample(end, &samples[i], i ? &samples[i - 1] : NULL,
				 source->interval_ns);
	memcpy(at, BLOCK_MAGIC, 4);
	at = put32(at + 4, series);
	at = put32(at, count);
	at = put32(at, (uint32_t)(end - body));
	at = put64(at, count ? samples[0].cycle : 0);
	at = put64(at, count ? (uint64_t)samples[0].wake_ns : 0);
	put64(at, source->lost);
	return (size_t)(end - block);
}

/* Back to the last complete block; of a pipe or a device there is nothing to cut. */
static void cut_back(struct rt_samples_file *f)
{
	int ignored RT_UNUSED = ftruncate(f->fd, f->length);
}

/* After a failure nothing more is written. */
static bool append(struct rt_samples_file *f, const void *data, size_t length)
{
	int status;

	if (f->failed)
		return false;
	status = rt_out_write(f->fd, data, length);
	if (status < 0) {
		f->failed = -status;
		cut_back(f);
		return false;
	}
	f->length += (off_t)length;
	return true;
}

static void count_lost(struct source *source)
{
	uint32_t raw = rt_ring_lost(source->ring);

	source->lost += (uint32_t)(raw - source->seen_raw);
	source->seen_raw = raw;
}

static void write_block(struct rt_samples_file *f, uint32_t series, uint32_t count)
{
	struct source *source = &f->sources[series];
	size_t length = encode(f->block, series, source, f->batch, count);

	if (append(f, f->block, length))
		source->told = source->lost;
	else
		source->lost += count;
}

/* One ring's worth at most, so that a fast producer does not keep us from the others. */
static void drain(struct rt_samples_file *f, uint32_t series)
{
	struct source *source = &f->sources[series];
	uint32_t left = source->ring->mask + 1;
	uint32_t count;

	do {
		count = rt_ring_get(source->ring, f->batch, left < BATCH ? left : BATCH);
		count_lost(source);
		if (count)
			write_block(f, series, count);
		left -= count;
	} while (count == BATCH && left);
}

static void drain_all(struct rt_samples_file *f)
{
	for (size_t i = 0; i < f->count; i++)
		drain(f, (uint32_t)i);
}

/* ---- the header --------------------------------------------------------------------- */

static struct json_object *describe_series(const struct rt_samples_series *s)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "name", rt_json_string(s->name));
	json_object_object_add(o, "cpu", s->cpu < 0 ? NULL : json_object_new_int(s->cpu));
	json_object_object_add(o, "interval_ns", json_object_new_int64(s->interval_ns));
	return o;
}

static char *describe(const char *tool, const char *clock, const struct rt_samples_series *series,
		      size_t count)
{
	struct json_object *o = json_object_new_object();
	struct json_object *list = json_object_new_array();
	char started[RT_RFC3339_MAX];
	char *text;

	for (size_t i = 0; i < count; i++)
		json_object_array_add(list, describe_series(&series[i]));
	json_object_object_add(o, "tool", rt_json_string(tool));
	json_object_object_add(o, "clock", rt_json_string(clock));
	json_object_object_add(o, "started",
			       rt_json_string(rt_rfc3339(started, rt_clock_ns(CLOCK_REALTIME))));
	json_object_object_add(o, "series", list);
	text = rt_json_text(o, 0);
	json_object_put(o);
	return text;
}

static int write_header(struct rt_samples_file *f, const char *tool, const char *clock,
			const struct rt_samples_series *series, size_t count)
{
	rt_auto_free char *text = describe(tool, clock, series, count);
	unsigned char head[12];

	if (!text)
		return -ENOMEM;
	memcpy(head, MAGIC, 8);
	put32(head + 8, (uint32_t)strlen(text));
	if (!append(f, head, sizeof(head)) || !append(f, text, strlen(text)))
		return -f->failed;
	return 0;
}

/* ---- opening ------------------------------------------------------------------------- */

/* A quarter of the ring: even a wake-up that comes as late again finds it half full. */
static int64_t wake_period(const struct rt_samples_file *f)
{
	int64_t shortest_ns = WAKE_MAX_NS;

	for (size_t i = 0; i < f->count; i++) {
		const struct source *s = &f->sources[i];
		int64_t quarter = ((int64_t)s->ring->mask + 1) / 4;
		int64_t interval_ns = s->interval_ns > 0 ? s->interval_ns : RT_NS_PER_US;

		if (interval_ns < WAKE_MAX_NS / (quarter ? quarter : 1) &&
		    quarter * interval_ns < shortest_ns)
			shortest_ns = quarter * interval_ns;
	}
	return shortest_ns > WAKE_MIN_NS ? shortest_ns : WAKE_MIN_NS;
}

static void free_all(struct rt_samples_file *f)
{
	rt_close_fd(&f->fd);
	rt_cpuset_done(&f->cpus);
	free(f->path);
	free(f->sources);
	free(f->batch);
	free(f->block);
	free(f);
}

static struct rt_samples_file *make(const char *path, const struct rt_samples_series *series,
				    size_t count)
{
	struct rt_samples_file *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->fd = -1;
	f->count = count;
	f->path = strdup(path);
	f->sources = calloc(count + !count, sizeof(*f->sources));
	f->batch = calloc(BATCH, sizeof(*f->batch));
	f->block = malloc(BLOCK_MAX);
	if (!f->path || !f->sources || !f->batch || !f->block) {
		free_all(f);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		f->sources[i].ring = series[i].ring;
		f->sources[i].interval_ns = series[i].interval_ns;
	}
	f->wake_ns = wake_period(f);
	return f;
}

int rt_samples_open(struct rt_samples_file **ret, const char *path, const char *tool,
		    const char *clock, const struct rt_samples_series *series, size_t count,
		    struct rt_err *err)
{
	struct rt_samples_file *f = make(path, series, count);
	int status;

	if (!f)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory to write samples");
	f->fd = rt_open_straight(path, O_CREAT | O_TRUNC, 0644);
	status = f->fd < 0 ? f->fd : write_header(f, tool, clock, series, count);
	if (status < 0) {
		free_all(f);
		return rt_err_set(err, RT_EXIT_FAILED, status, "cannot write samples to %s: %s",
				  path, strerror(-status));
	}
	*ret = f;
	return 0;
}

/* ---- the thread ----------------------------------------------------------------------- */

/* Sleep until the next round; true when it is time to end. */
static bool wait_round(struct rt_samples_file *f)
{
	struct timespec until = rt_ns_timespec(rt_clock_ns(CLOCK_MONOTONIC) + f->wake_ns);
	int status = 0;
	bool must_end;

	pthread_mutex_lock(&f->mutex);
	while (!f->must_end && !status)
		status = pthread_cond_timedwait(&f->wake, &f->mutex, &until);
	must_end = f->must_end;
	pthread_mutex_unlock(&f->mutex);
	return must_end;
}

static void *writer(void *data)
{
	struct rt_samples_file *f = data;

	pthread_setname_np(pthread_self(), "rt-samples");
	/* a wish: a CPU may have gone offline meanwhile */
	if (rt_cpuset_count(&f->cpus))
		rt_cpuset_pin(0, &f->cpus);
	while (!wait_round(f))
		drain_all(f);
	return NULL;
}

/* With all signals blocked in it, and SCHED_OTHER whatever the caller is. */
static int create_thread(struct rt_samples_file *f)
{
	struct sched_param param = { 0 };
	sigset_t all, before;
	pthread_attr_t attr;
	int status = pthread_attr_init(&attr);

	if (status)
		return -status;
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_OTHER);
	pthread_attr_setschedparam(&attr, &param);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = pthread_create(&f->thread, &attr, writer, f);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return -status;
}

static int init_wake(struct rt_samples_file *f)
{
	pthread_condattr_t attr;
	int status = pthread_condattr_init(&attr);

	if (status)
		return -status;
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	status = pthread_cond_init(&f->wake, &attr);
	pthread_condattr_destroy(&attr);
	if (!status)
		status = pthread_mutex_init(&f->mutex, NULL);
	return -status;
}

int rt_samples_start(struct rt_samples_file *f, const struct rt_cpuset *cpus, struct rt_err *err)
{
	int status = cpus ? rt_cpuset_copy(&f->cpus, cpus) : 0;

	if (!status)
		status = init_wake(f);
	if (!status)
		status = create_thread(f);
	if (status < 0)
		return rt_err_set(err, RT_EXIT_FAILED, status,
				  "cannot start the thread that writes samples to %s: %s", f->path,
				  strerror(-status));
	f->is_started = true;
	return 0;
}

static void end_thread(struct rt_samples_file *f)
{
	if (!f->is_started)
		return;
	pthread_mutex_lock(&f->mutex);
	f->must_end = true;
	pthread_cond_signal(&f->wake);
	pthread_mutex_unlock(&f->mutex);
	pthread_join(f->thread, NULL);
	pthread_cond_destroy(&f->wake);
	pthread_mutex_destroy(&f->mutex);
}

/* Losses that no block has told yet get an empty one at the end. */
static void tell_losses(struct rt_samples_file *f)
{
	for (size_t i = 0; i < f->count; i++) {
		count_lost(&f->sources[i]);
		if (f->sources[i].lost != f->sources[i].told)
			write_block(f, (uint32_t)i, 0);
	}
}

int rt_samples_close(struct rt_samples_file *f, uint64_t *ret_lost, struct rt_err *err)
{
	int failed;

	if (!f)
		return 0;
	end_thread(f);
	drain_all(f);
	tell_losses(f);
	if (close(f->fd) < 0 && !f->failed)
		f->failed = errno; /* where a network file system tells that it is full */
	f->fd = -1;
	for (size_t i = 0; ret_lost && i < f->count; i++)
		ret_lost[i] = f->sources[i].lost;
	failed = f->failed;
	if (failed)
		rt_err_set(err, RT_EXIT_FAILED, failed, "cannot write samples to %s: %s", f->path,
			   strerror(failed));
	free_all(f);
	return -failed;
}
