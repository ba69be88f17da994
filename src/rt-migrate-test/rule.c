/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule that decides between passed and failed.
 *
 * A task that starts more than the tolerance later than its lower neighbour is
 * suspicious, but need not have been treated wrongly: an interrupt may have
 * held its CPU for a moment. It was if it also shows in what came of it.
 */
#include "migrate.h"

enum mig_fault mig_judge(const struct mig_lap *lower, const struct mig_lap *higher,
			 int64_t maxerr_ns)
{
	if (higher->start_ns - lower->start_ns <= maxerr_ns)
		return MIG_FINE;
	if (higher->loops < lower->loops)
		return MIG_FEWER_LOOPS;
	if (higher->start_ns > lower->end_ns)
		return MIG_STARTED_AFTER;
	if (higher->end_ns - lower->end_ns > maxerr_ns)
		return MIG_ENDED_AFTER;
	return MIG_FINE;
}

unsigned int mig_find(const struct mig_lap *laps, unsigned int tasks, int64_t maxerr_ns,
		      enum mig_fault *ret)
{
	for (unsigned int i = 1; i < tasks; i++) {
		enum mig_fault fault = mig_judge(&laps[i - 1], &laps[i], maxerr_ns);

		if (fault != MIG_FINE) {
			*ret = fault;
			return i;
		}
	}
	return 0;
}

const char *mig_fault_text(enum mig_fault fault)
{
	static const char *const texts[] = {
		[MIG_FINE] = "was in time",
		[MIG_FEWER_LOOPS] = "got less done",
		[MIG_STARTED_AFTER] = "began only after the other had ended",
		[MIG_ENDED_AFTER] = "ended later",
	};

	return texts[fault];
}
