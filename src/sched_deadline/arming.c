/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "arming.h"
#include "hrtick.h"
#include "rt/clock.h"
#include "rt/log.h"

#define LINGER_SPARE_NS (20 * RT_NS_PER_MS)

int dl_set_hrtick(struct rt_session *s, bool is_asked, int64_t runtime_ns, struct rt_err *err)
{
	int status = is_asked ? dl_hrtick_set_on(s->undo, err) : 0;

	if (status)
		return status;
	dl_hrtick_note(runtime_ns);
	rt_asked_add(&s->results.about, "hrtick", is_asked ? "on" : NULL,
		     dl_hrtick_text(dl_hrtick_state()), NULL);
	return 0;
}

/*
 * The kernel takes the bandwidth of a thread that has ended off its domain's
 * sum when the thread's period is over. If the domain has gone by then it takes
 * it off another one's, and that one may refuse all deadline threads from then
 * on, or it divides by the number of CPUs of a domain that has none (both seen
 * on Linux 6.1). So the partition stays so long, also after a kill.
 */
int dl_set_apart(struct rt_session *s, struct rt_partition **ret, struct dl_places *places,
		 const struct dl_places_opts *opts, struct rt_err *err)
{
	struct rt_result *about = &s->results.about;
	rt_auto_free char *list = rt_cpuset_text(&places->cpus);
	int status;

	rt_asked_add(about, "affinity", opts->list, list, NULL);
	if (!places->is_apart)
		return 0;
	status = rt_partition_make(ret, &places->partition, s->undo, err);
	if (status)
		return status;
	if (!opts->cgroup)
		status = rt_undo_pause(s->undo, places->linger_ns + LINGER_SPARE_NS, err);
	if (status)
		return status;
	rt_info("CPUs %s are set apart: %s", list ? list : "", rt_partition_text(*ret));
	rt_asked_add(about, "partition", opts->cgroup, rt_partition_text(*ret), NULL);
	if (rt_partition_holds_main(*ret))
		rt_asked_add(about, "main_thread", "a CPU that is not measured", NULL,
			     "the given partition takes whole processes only");
	return 0;
}
