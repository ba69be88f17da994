/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where deadline threads run. All CPUs of the machine are one scheduling
 * domain as a rule, and need nothing; a part of them has to be set apart.
 */
#include <errno.h>
#include <string.h>

#include "places.h"
#include "rt/compiler.h"

#define ROW(member, type) .field = RT_FIELD(struct dl_places_opts, member, type)

const struct rt_opt dl_rows_partition[] = {
	{ RT_OPT_TEXT, .name = "cgroup", .arg = "PATH", ROW(cgroup, const char *), .is_ours = true,
	  .help = "run in this cpuset partition instead of making one" },
	{ RT_OPT_FLAG, .name = "isolated", ROW(isolated, bool), .is_ours = true,
	  .help = "make the partition without load balancing inside (cgroup v2)" },
	{ RT_OPT_FLAG, .name = "force", ROW(force, bool), .is_ours = true,
	  .help = "set CPUs apart even if tasks are pinned to them; they run elsewhere meanwhile" },
	RT_OPT_END
};

/* All that is online is one domain unless the machine was booted or set up otherwise. */
static int is_part(const struct rt_cpuset *cpus, bool *ret)
{
	struct rt_cpuset left = RT_CPUSET_INIT;
	int status = rt_cpuset_online(&left);

	if (status)
		return status;
	rt_cpuset_andnot(&left, cpus);
	*ret = rt_cpuset_count(&left) > 0;
	rt_cpuset_done(&left);
	return 0;
}

static bool may_use_any(int cpu RT_UNUSED, void *data RT_UNUSED)
{
	return true;
}

/* CPUs of a given partition: main, from which they were taken, may not use them. */
static int parse_anywhere(struct rt_cpuset *ret, const char *list, struct rt_err *why)
{
	struct rt_cpuset_world world = { .may_use = may_use_any };
	int status = rt_cpuset_possible(&world.possible);

	if (!status)
		status = rt_cpuset_online(&world.online);
	if (!status)
		status = rt_cpuset_copy(&world.affinity, &world.online);
	if (!status)
		status = rt_cpuset_parse(ret, list, &world, why);
	rt_cpuset_done(&world.possible);
	rt_cpuset_done(&world.online);
	rt_cpuset_done(&world.affinity);
	return status;
}

static int choose_list(struct dl_places *places, const struct dl_places_opts *opts,
		       const char *option, struct rt_err *err)
{
	struct rt_err why = { 0 };
	int status = opts->cgroup ? parse_anywhere(&places->cpus, opts->list, &why) :
				    rt_cpuset_choose(&places->cpus, opts->list, &why);

	if (status < 0)
		return rt_err_set(err, why.exit, why.code, "%s: %s", option, why.text);
	places->is_list = true;
	return is_part(&places->cpus, &places->is_apart);
}

static int check_extras(const struct dl_places *places, const struct dl_places_opts *opts,
			struct rt_err *err)
{
	if (opts->cgroup && opts->isolated)
		return rt_opts_refuse(err, "isolated", "is about a partition that is made here; "
				      "--cgroup=%s is there already", opts->cgroup);
	if (!places->is_apart && (opts->isolated || opts->force))
		return rt_opts_refuse(err, opts->isolated ? "isolated" : "force",
				      "only has a meaning with a list of some of the CPUs");
	return 0;
}

int dl_places_choose(struct dl_places *places, const struct dl_places_opts *opts,
		     const char *option, struct rt_err *err)
{
	int status;

	if (opts->list)
		status = choose_list(places, opts, option, err);
	else if (opts->cgroup)
		status = rt_partition_given(&places->cpus, opts->cgroup, err);
	else
		status = rt_cpuset_usable(&places->cpus, err);
	if (status < 0)
		return status;
	places->is_apart |= opts->cgroup != NULL;
	places->partition = (struct rt_partition_plan){
		.cpus = places->is_list ? &places->cpus : NULL,
		.path = opts->cgroup,
		.isolated = opts->isolated,
		.force = opts->force,
	};
	status = check_extras(places, opts, err);
	if (status || !places->is_apart)
		return status;
	status = rt_cpuset_main(&places->main_cpus, &places->cpus);
	places->moves_main = status > 0;
	return status < 0 ? status : 0;
}

void dl_places_done(struct dl_places *places)
{
	rt_cpuset_done(&places->cpus);
	rt_cpuset_done(&places->main_cpus);
}

/*
 * Inside a partition the mask that was inherited may still narrow what the
 * partition allows, so it is made wide first: the kernel wants all or nothing.
 */
int dl_places_enter(const struct dl_places *places, const struct rt_partition *partition,
		    struct rt_err *err)
{
	const struct rt_cpuset *cpus = partition ? rt_partition_cpus(partition) : &places->cpus;
	int status = partition ? rt_partition_enter(partition, err) : 0;

	if (status || (!partition && !places->is_list))
		return status;
	status = rt_cpuset_pin(0, cpus);
	if (status)
		return rt_err_set(err, RT_EXIT_MISSING, status,
				  "cannot let a deadline thread run on its CPUs: %s",
				  strerror(-status));
	return 0;
}

int dl_places_main(const struct dl_places *places, const struct rt_partition *partition,
		   struct rt_err *err)
{
	int status = 0;

	if (places->moves_main && !(partition && rt_partition_holds_main(partition)))
		status = rt_cpuset_pin(0, &places->main_cpus);
	if (status)
		return rt_err_set(err, RT_EXIT_FAILED, status,
				  "cannot move the main thread to its CPUs: %s", strerror(-status));
	return 0;
}

static void look_for_lost(const struct dl_places *places, struct rt_err *err)
{
	struct rt_cpuset lost = RT_CPUSET_INIT, online = RT_CPUSET_INIT;
	int status = rt_cpuset_online(&online);

	if (!status)
		status = rt_cpuset_copy(&lost, &places->cpus);
	if (!status) {
		rt_cpuset_andnot(&lost, &online);
		if (rt_cpuset_count(&lost))
			rt_err_set(err, RT_EXIT_FAILED, ENODEV,
				   "CPU %d was taken offline during the run; the results "
				   "are those up to then", rt_cpuset_next(&lost, -1));
	}
	rt_cpuset_done(&lost);
	rt_cpuset_done(&online);
}

/*
 * A look later: then the kernel has built its domains anew. Linux 6.1 dies of a
 * division by zero when a deadline thread ends in the middle of that.
 */
void dl_places_watch(const struct dl_places *places, struct rt_run *run, struct rt_err *lost)
{
	if (rt_err_is_set(lost))
		rt_run_end(run, RT_ENDED_ERROR);
	else
		look_for_lost(places, lost);
}
