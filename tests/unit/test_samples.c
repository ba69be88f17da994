/* SPDX-License-Identifier: GPL-2.0-or-later */
/* samples: the ring. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>

#include "ring_fixture.h"

static void ring_fills_and_counts_the_lost(void **state)
{
	struct rt_sample got[16];
	struct rt_ring *r = new_ring(8);

	(void)state;
	assert_int_equal(rt_ring_get(r, got, 16), 0);
	for (uint64_t i = 0; i < 8; i++)
		assert_true(put(r, i));
	assert_false(put(r, 8));
	assert_false(put(r, 9));
	assert_int_equal(rt_ring_lost(r), 2);
	assert_int_equal(rt_ring_get(r, got, 3), 3);
	assert_int_equal(got[0].cycle, 0);
	assert_int_equal(got[2].cycle, 2);
	assert_int_equal(got[2].extra, 3);
	assert_true(put(r, 10)); /* there is room again; the gap in cycles shows what was lost */
	assert_int_equal(rt_ring_get(r, got, 16), 6);
	assert_int_equal(got[4].cycle, 7);
	assert_int_equal(got[5].cycle, 10);
	assert_int_equal(rt_ring_get(r, got, 16), 0);
	assert_int_equal(rt_ring_lost(r), 2);
	rt_ring_free(r);
}

/* Positions are 32 bits and go round; so does the place in the slots. */
static void ring_goes_round(void **state)
{
	struct rt_sample got[8];
	struct rt_ring *r = new_ring(8);

	(void)state;
	atomic_store(&r->head, UINT32_MAX - 3);
	atomic_store(&r->tail, UINT32_MAX - 3);
	r->tail_seen = UINT32_MAX - 3;
	for (uint64_t i = 0; i < 100; i += 5) {
		for (uint64_t j = 0; j < 5; j++)
			assert_true(put(r, i + j));
		assert_int_equal(rt_ring_get(r, got, 8), 5);
		assert_int_equal(got[0].cycle, i);
		assert_int_equal(got[4].cycle, i + 4);
	}
	assert_int_equal(rt_ring_lost(r), 0);
	rt_ring_free(r);
}

static void ring_between_threads(void **state)
{
	struct rt_ring *r = new_ring(64);
	struct rt_sample got[16];
	uint64_t count = 0, next = 0;
	bool is_in_order = true;
	pthread_t producer;

	(void)state;
	assert_int_equal(pthread_create(&producer, NULL, produce, r), 0);
	while (count + rt_ring_lost(r) < MANY) {
		uint32_t n = rt_ring_get(r, got, 16);

		for (uint32_t i = 0; i < n; i++) {
			is_in_order &= got[i].cycle >= next && got[i].extra == got[i].cycle + 1;
			next = got[i].cycle + 1;
		}
		count += n;
	}
	pthread_join(producer, NULL);
	assert_true(is_in_order);
	assert_true(count + rt_ring_lost(r) == MANY);
	rt_ring_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ring_fills_and_counts_the_lost),
		cmocka_unit_test(ring_goes_round),
		cmocka_unit_test(ring_between_threads),
	};

	return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}
