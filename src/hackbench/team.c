/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The team: makes the workers, releases them, and brings every one of them
 * home, whatever has happened.
 *
 * Processes are killed and waited for; they also die with main, so that
 * nothing stays after its kill -9. Threads look at the run's end between two
 * messages and are woken from what they wait in. No worker takes a signal that
 * ends the run: main does, and ends them.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "hackbench.h"
#include "rt/clock.h"
#include "rt/crew.h"
#include "rt/memory.h"

#define WAKE_EVERY_NS (2 * RT_NS_PER_MS)

static const char *role_of(const struct hb_worker *w)
{
	return w->is_sender ? "sender" : "receiver";
}

/* ---- memory -------------------------------------------------------------------------- */

static int *no_fds(size_t count)
{
	int *fds = malloc(count * sizeof(*fds));

	for (size_t i = 0; fds && i < count; i++)
		fds[i] = -1;
	return fds;
}

static void *map_shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int hb_team_init(struct hb_team *team, const struct hb_plan *plan, struct rt_run *run,
		 struct rt_undo *undo, struct rt_err *err)
{
	size_t channels = (size_t)plan->groups * plan->fds;

	team->plan = plan;
	team->run = run;
	team->undo = undo;
	team->channels.listener = -1;
	team->go_fd = -1;
	team->shared = map_shared(sizeof(*team->shared));
	team->workers = calloc(plan->tasks, sizeof(*team->workers));
	team->outlets = no_fds(channels);
	team->inlets = no_fds(channels);
	if (!team->shared || !team->workers || !team->outlets || !team->inlets)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for %u workers",
				  plan->tasks);
	team->go_fd = eventfd(0, EFD_CLOEXEC);
	if (team->go_fd < 0)
		return rt_err_set(err, RT_EXIT_FAILED, errno, "cannot make an eventfd: %s",
				  strerror(errno));
	return hb_channels_init(&team->channels, plan->kind, err);
}

static void close_all(int *fds, size_t count)
{
	for (size_t i = 0; fds && i < count; i++) {
		rt_close_fd(&fds[i]);
		fds[i] = -1;
	}
}

void hb_team_done(struct hb_team *team)
{
	size_t channels = team->plan ? (size_t)team->plan->groups * team->plan->fds : 0;

	if (!team->plan)
		return;
	close_all(team->outlets, channels);
	close_all(team->inlets, channels);
	hb_channels_done(&team->channels);
	rt_close_fd(&team->go_fd);
	if (team->shared)
		munmap(team->shared, sizeof(*team->shared));
	free(team->workers);
	free(team->outlets);
	free(team->inlets);
}

/* ---- a worker's frame ---------------------------------------------------------------- */

/* The first one to fail says why, and ends the run for all. */
static int work(struct hb_worker *w)
{
	struct hb_shared *shared = w->team->shared;
	struct rt_err err = { 0 };
	int status = hb_work(w, &err);

	if (status < 0 && !atomic_exchange(&shared->has_fault, true)) {
		shared->fault = err;
		rt_run_end(w->team->run, RT_ENDED_ERROR);
	}
	return status;
}

static void *thread_main(void *arg)
{
	struct hb_worker *w = arg;
	struct hb_team *team = w->team;
	sigset_t wake;

	sigemptyset(&wake);
	sigaddset(&wake, rt_crew_wake_signal());
	pthread_sigmask(SIG_UNBLOCK, &wake, NULL);
	work(w);
	if (atomic_fetch_add(&team->shared->ended, 1) + 1 == team->plan->tasks)
		rt_run_wake(team->run);
	return NULL;
}

/* It keeps only what it works with, so that it also sees the end of a channel. */
static void drop_others(struct hb_worker *w)
{
	const struct hb_plan *plan = w->team->plan;
	int *outlets = &w->team->outlets[(size_t)w->group * plan->fds];

	hb_channels_done(&w->team->channels);
	if (!w->is_sender)
		close_all(outlets, w->index + 1);
}

static void process_main(struct hb_worker *w)
{
	struct hb_team *team = w->team;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != team->run->main_pid)
		_exit(RT_EXIT_FAILED); /* main died before the line above */
	rt_undo_disown(team->undo);
	drop_others(w);
	_exit(work(w) ? RT_EXIT_FAILED : RT_EXIT_GOOD);
}

/* ---- making them --------------------------------------------------------------------- */

static int refuse_worker(struct hb_team *team, int code, struct rt_err *err)
{
	return rt_err_set(err, RT_EXIT_FAILED, code, "cannot make worker %u of %u: %s%s",
			  team->made + 1, team->plan->tasks, strerror(code),
			  code == EAGAIN ? "; see 'ulimit -u', kernel.pid_max and the cgroup's "
					   "pids.max" : "");
}

static int start_thread(struct hb_worker *w)
{
	pthread_attr_t attr;
	int code;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, rt_stack_size());
	code = pthread_create(&w->thread, &attr, thread_main, w);
	pthread_attr_destroy(&attr);
	return code;
}

static int start_process(struct hb_worker *w)
{
	w->pid = fork();
	if (w->pid < 0) {
		w->pid = 0;
		return errno;
	}
	if (w->pid == 0)
		process_main(w);
	if (w == w->team->workers)
		w->team->first_pid = w->pid;
	return 0;
}

static int start(struct hb_team *team, const struct hb_worker *as, struct rt_err *err)
{
	struct hb_worker *w = &team->workers[team->made];
	int code;

	*w = *as;
	w->team = team;
	code = team->plan->mode == HB_THREADS ? start_thread(w) : start_process(w);
	if (code)
		return refuse_worker(team, code, err);
	team->made++;
	rt_run_take_signals(team->run);
	return 0;
}

static int make_receiver(struct hb_team *team, unsigned int group, unsigned int i,
			 struct rt_err *err)
{
	size_t at = (size_t)group * team->plan->fds + i;
	struct hb_worker w = { .group = group, .index = i };
	int status = hb_channel_open(&team->channels, &team->inlets[at], &team->outlets[at], err);

	if (status < 0)
		return status;
	w.fd = team->inlets[at];
	status = start(team, &w, err);
	if (team->plan->mode == HB_PROCESSES)
		close_all(&team->inlets[at], 1);
	return status;
}

static int make_group(struct hb_team *team, unsigned int group, struct rt_err *err)
{
	unsigned int fds = team->plan->fds;
	int *outlets = &team->outlets[(size_t)group * fds];
	struct hb_worker w = { .group = group, .is_sender = true, .fds = outlets };
	int status = 0;

	for (unsigned int i = 0; !status && i < fds && !rt_run_over(team->run); i++)
		status = make_receiver(team, group, i, err);
	for (w.index = 0; !status && w.index < fds && !rt_run_over(team->run); w.index++)
		status = start(team, &w, err);
	if (team->plan->mode == HB_PROCESSES)
		close_all(outlets, fds);
	return status;
}

/* ---- waiting for them ---------------------------------------------------------------- */

/*
 * Children are numbered as they are made, with gaps where others made some, so
 * that a worker stands at or a little before its distance from the first; only
 * when the numbers went round does it stand elsewhere.
 */
static struct hb_worker *find(struct hb_team *team, pid_t pid)
{
	unsigned int guess = (unsigned int)(pid - team->first_pid);

	if (guess >= team->made)
		guess = team->made - 1;
	for (unsigned int i = 0; i < team->made; i++) {
		struct hb_worker *w = &team->workers[(guess + team->made - i) % team->made];

		if (w->pid == pid)
			return w;
	}
	return NULL;
}

static void blame(struct hb_worker *w, int wait_status)
{
	if (WIFSIGNALED(wait_status))
		rt_err_set(&w->team->killed, RT_EXIT_FAILED, ECHILD,
			   "%s %u of group %u (pid %d) was killed by signal %d", role_of(w),
			   w->index, w->group, (int)w->pid, WTERMSIG(wait_status));
	rt_run_end(w->team->run, RT_ENDED_ERROR);
}

/* On SIGCHLD. A child that came to us by execve(2) is none of ours, and is let go. */
static void reap(void *data)
{
	struct hb_team *team = data;
	int wait_status;
	pid_t pid;

	while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0) {
		struct hb_worker *w = find(team, pid);

		if (!w)
			continue;
		if (wait_status)
			blame(w, wait_status);
		w->pid = 0;
		team->left++;
	}
}

int hb_team_make(struct hb_team *team, struct rt_err *err)
{
	int status = 0;

	if (team->plan->mode == HB_PROCESSES)
		rt_run_on_child(team->run, reap, team);
	for (unsigned int g = 0; !status && g < team->plan->groups && !rt_run_over(team->run); g++)
		status = make_group(team, g, err);
	return status;
}

/* Never read: every worker sees it. */
static void open_gate(struct hb_team *team)
{
	uint64_t one = 1;

	team->is_released = true;
	if (write(team->go_fd, &one, sizeof(one)) < 0)
		rt_run_end(team->run, RT_ENDED_ERROR); /* can't be: its count was 0 */
}

static void release(struct hb_team *team)
{
	rt_run_begin(team->run);
	open_gate(team);
}

/* Asked whenever main was woken: are all ready; have all ended? */
static bool has_ended(void *data)
{
	struct hb_team *team = data;

	if (!team->is_released && atomic_load(&team->shared->ready) == team->plan->tasks)
		release(team);
	if (team->plan->mode == HB_THREADS)
		return atomic_load(&team->shared->ended) == team->plan->tasks;
	return team->left == team->plan->tasks;
}

void hb_team_run(struct hb_team *team)
{
	rt_run_wait(team->run, has_ended, team);
}

/* ---- the end ------------------------------------------------------------------------- */

static void end_processes(struct hb_team *team)
{
	reap(team); /* before the kill: who died by a signal until now was killed by others */
	for (unsigned int i = 0; i < team->made; i++)
		if (team->workers[i].pid)
			kill(team->workers[i].pid, SIGKILL);
	for (unsigned int i = 0; i < team->made; i++) {
		struct hb_worker *w = &team->workers[i];

		while (w->pid && waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
			;
		w->pid = 0;
	}
}

/* A wake-up that comes just before a thread's wait is lost: they are repeated. */
static void end_threads(struct hb_team *team)
{
	struct timespec pause = rt_ns_timespec(WAKE_EVERY_NS);

	if (atomic_load(&team->shared->ended) < team->made) {
		rt_run_end(team->run, RT_ENDED_ERROR);
		open_gate(team);
	}
	while (atomic_load(&team->shared->ended) < team->made) {
		for (unsigned int i = 0; i < team->made; i++)
			pthread_kill(team->workers[i].thread, rt_crew_wake_signal());
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	}
	for (unsigned int i = 0; i < team->made; i++)
		pthread_join(team->workers[i].thread, NULL);
}

/* A killed worker is the cause; what others said about it are its consequences. */
int hb_team_end(struct hb_team *team, struct rt_err *err)
{
	const struct rt_err *why = &team->killed;

	if (team->plan->mode == HB_THREADS)
		end_threads(team);
	else
		end_processes(team);
	team->ended_ns = rt_clock_ns(CLOCK_MONOTONIC);
	if (!rt_err_is_set(why) && atomic_load(&team->shared->has_fault))
		why = &team->shared->fault;
	return rt_err_is_set(why) ? rt_err_set(err, why->exit, why->code, "%s", why->text) : 0;
}
