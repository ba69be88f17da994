/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live - the block of lines that is redrawn in place on a terminal. When
 * stdout is no terminal there is no block, and no escape sequence ever.
 */
#ifndef RT_LIVE_H
#define RT_LIVE_H

#include <stdbool.h>
#include <stdio.h>

/* How often a live block is drawn: a person reads no faster, and each redraw wakes a CPU. */
#define RT_LIVE_TICK_NS (INT64_C(100) * 1000000)

struct rt_live {
	FILE *out;
	bool is_terminal;
	unsigned int lines; /* of the last block; 0: nothing drawn yet */
};

/** rt_live_init() - @out must be rt_out() or rt_out_err() */
void rt_live_init(struct rt_live *live, FILE *out);

/**
 * rt_live_begin() - go back to the top of the block
 * Return: true: draw now, @lines lines; false: no terminal, draw nothing.
 */
bool rt_live_begin(struct rt_live *live, unsigned int lines);

/** rt_live_end() - flush what was drawn */
void rt_live_end(struct rt_live *live);

#endif
