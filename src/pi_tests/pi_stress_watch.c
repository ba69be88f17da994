/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the main thread says before the run, and does while it lasts: the live
 * line, and a look whether all groups go on.
 */
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pi_stress.h"
#include "rt/out.h"

void pis_info(const struct pis_session *s, const char *fmt, ...)
{
	va_list args;

	if (s->opts->noise != PIS_VERBOSE)
		return;
	va_start(args, fmt);
	fputs("INFO: ", rt_out_err());
	vfprintf(rt_out_err(), fmt, args);
	fputc('\n', rt_out_err());
	va_end(args);
}

/* ---- before -------------------------------------------------------------------------------- */

const char *pis_sched_text(char *buf, size_t size, const struct pis_seat *seat)
{
	const struct rt_sched *s = &seat->sched;
	char name[16];

	snprintf(name, sizeof(name), "%s", rt_policy_name(s->policy));
	for (char *c = name; *c; c++)
		*c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
	if (s->policy == RT_POLICY_DEADLINE)
		snprintf(buf, size, "SCHED_%s runtime %llu deadline %llu period %llu", name,
			 (unsigned long long)s->runtime_ns, (unsigned long long)s->deadline_ns,
			 (unsigned long long)s->period_ns);
	else if (rt_policy_is_rt(s->policy))
		snprintf(buf, size, "SCHED_%s priority %d", name, s->priority);
	else
		snprintf(buf, size, "SCHED_%s nice %d", name, seat->nice);
	return buf;
}

static void print_thread(FILE *out, const char *name, const struct pis_seat *seat)
{
	char text[128];

	fprintf(out, "    %6s thread %s\n", name, pis_sched_text(text, sizeof(text), seat));
}

static void print_banner(const struct pis_session *s)
{
	const struct pis_plan *plan = s->plan;
	const struct pis_seat admin = { .sched = plan->admin };
	FILE *out = s->rt.results.out;

	fprintf(out, "Starting PI Stress Test\nNumber of thread groups: %u\n", plan->groups);
	if (s->opts->duration_ns)
		fprintf(out, "Duration of test run: %lld seconds\n",
			(long long)(s->opts->duration_ns / RT_NS_PER_S));
	else
		fputs("Duration of test run: infinite\n", out);
	if (s->opts->inversions > 0)
		fprintf(out, "Number of inversions per group: %lld\n",
			(long long)s->opts->inversions);
	else
		fputs("Number of inversions per group: unlimited\n", out);
	print_thread(out, "Admin", &admin);
	fprintf(out, "%u groups of 3 threads will be created\n", plan->groups);
	print_thread(out, "High", &plan->seats[PIS_HIGH]);
	print_thread(out, "Med", &plan->seats[PIS_MED]);
	print_thread(out, "Low", &plan->seats[PIS_LOW]);
	fputc('\n', out); /* on a terminal the live line takes its place */
}

static void tell_cpus(const struct pis_session *s)
{
	const struct pis_plan *plan = s->plan;

	pis_info(s, "number of groups set to %u", plan->groups);
	if (s->opts->inversions > 0)
		pis_info(s, "doing %lld inversions per group", (long long)s->opts->inversions);
	if (plan->is_shared)
		pis_info(s, "admin and test threads share CPU %d", plan->admin_cpu);
	else
		pis_info(s, "Admin thread running on processor: %d", plan->admin_cpu);
}

void pis_watch_intro(struct pis_session *s)
{
	s->is_live = s->opts->noise != PIS_QUIET && rt_out_is_terminal(s->rt.results.out);
	tell_cpus(s);
	if (s->opts->noise != PIS_QUIET)
		print_banner(s);
	fflush(s->rt.results.out);
	pis_info(s, "Press Control-C to stop test");
	pis_info(s, "Releasing all threads");
}

/* Until a byte or the end of the input comes, or a signal ends the run before it begins. */
void pis_watch_prompt(struct pis_session *s)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
				{ .fd = s->rt.run->signal_fd, .events = POLLIN } };
	char byte;

	if (!s->opts->prompt)
		return;
	fputs("Press return to start test: ", s->rt.results.out);
	fflush(s->rt.results.out);
	do {
		poll(fds, RT_ARRAY_SIZE(fds), -1);
		rt_run_take_signals(s->rt.run);
	} while (!fds[0].revents && !rt_run_over(s->rt.run));
	if (!fds[0].revents)
		fputc('\n', s->rt.results.out);
	else if (read(STDIN_FILENO, &byte, 1) < 0)
		return; /* no input is as good as its end */
}

/* ---- meanwhile ------------------------------------------------------------------------------- */

static void draw(struct pis_session *s)
{
	fprintf(s->rt.results.out, "\033[1ACurrent Inversions: %llu\n",
		(unsigned long long)pis_total(s));
	fflush(s->rt.results.out);
}

static void tick(void *data)
{
	struct pis_session *s = data;

	if (s->is_live)
		draw(s);
	pis_dog_look(s);
}

static void say_total(void *data)
{
	fprintf(rt_out_err(), "Current Inversions: %llu\n", (unsigned long long)pis_total(data));
}

void pis_watch_plan(const struct pis_plan *plan, struct rt_run_plan *run_plan)
{
	run_plan->duration_ns = plan->opts->duration_ns;
	run_plan->tick_ns = plan->tick_ns;
	run_plan->tick = tick;
	run_plan->usr1 = say_total;
	run_plan->usr2 = say_total;
}
