/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rt/live.h"

#include "rt/out.h"

void rt_live_init(struct rt_live *live, FILE *out)
{
	*live = (struct rt_live){ .out = out, .is_terminal = rt_out_is_terminal(out) };
}

bool rt_live_begin(struct rt_live *live, unsigned int lines)
{
	if (!live->is_terminal)
		return false;
	if (live->lines)
		fprintf(live->out, "\033[%uA", live->lines);
	live->lines = lines;
	return true;
}

void rt_live_end(struct rt_live *live)
{
	fflush(live->out);
}
