/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turn - one thread hands a numbered turn to another: the giver never waits,
 * the taker sleeps until the turn with its number has come.
 *
 * Both count their turns in step, so that a turn is neither lost nor taken
 * twice. Giving costs a system call only when the taker sleeps.
 */
#ifndef PI_TURN_H
#define PI_TURN_H

#include "rt/futex.h"

/** struct turn - bit 0: the taker sleeps; above it the number of the newest turn */
struct turn {
	_Atomic uint32_t word;
};

#define TURN_SLEEPS 1u
#define TURN_NUMBERS 0x7fffffffu

/** turn_next() - the number after this one; the first is turn_next(0) */
RT_INLINE uint32_t turn_next(uint32_t number)
{
	return (number + 1) & TURN_NUMBERS;
}

RT_INLINE uint32_t turn_number(struct turn *t)
{
	return atomic_load_explicit(&t->word, memory_order_acquire) >> 1;
}

RT_INLINE void turn_give(struct turn *t, uint32_t number, enum rt_futex_scope scope)
{
	uint32_t old = atomic_exchange_explicit(&t->word, number << 1, memory_order_acq_rel);

	if (old & TURN_SLEEPS)
		rt_futex_wake(&t->word, 1, scope);
}

RT_INLINE void turn_take(struct turn *t, uint32_t number, enum rt_futex_scope scope)
{
	uint32_t seen = atomic_load_explicit(&t->word, memory_order_acquire);

	while (seen >> 1 != number) {
		if (seen & TURN_SLEEPS ||
		    atomic_compare_exchange_strong(&t->word, &seen, seen | TURN_SLEEPS))
			rt_futex_wait(&t->word, seen | TURN_SLEEPS, NULL, scope);
		seen = atomic_load_explicit(&t->word, memory_order_acquire);
	}
}

#endif
