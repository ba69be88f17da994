/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crew - the gate, the members' life, and bringing all of them home.
 *
 * Members and main meet on futex words in one shared block, so the same few
 * lines serve threads and processes:
 *
 *     arrived   a member is ready, or has failed and leaves
 *     gate      SHUT -> OPEN (release) or BROKEN (somebody failed)
 *     ended     a member has left its body
 */
#include "rt/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "rt/clock.h"
#include "rt/cpuset.h"
#include "rt/futex.h"
#include "rt/memory.h"

#define FORM_TIMEOUT_NS (30 * RT_NS_PER_S)
#define JOIN_GRACE_NS (10 * RT_NS_PER_S)
#define SEND_HOME_NS (2 * RT_NS_PER_S)
#define LOOK_NS (50 * RT_NS_PER_MS) /* how often main looks for signals and dead children */
#define WAKE_NS (2 * RT_NS_PER_MS)  /* how often sleepers are woken at the end */

/* Sanitizers put red zones and shadow calls on the stack. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK_SIZE ((size_t)1024 * 1024)
#else
#define STACK_SIZE rt_stack_size()
#endif

enum gate { GATE_SHUT, GATE_OPEN, GATE_BROKEN };

/* A member with what only the crew knows of it. */
struct hand {
	struct rt_member member;
	struct rt_crew *crew;
	pthread_t thread;
	pid_t pid;       /* of a process */
	void *stack;     /* of a thread */
	bool is_running; /* made and not yet joined or reaped */
} RT_CACHE_ALIGNED;

struct rt_crew {
	struct rt_crew_plan plan;
	struct rt_run *run;
	size_t size;
	unsigned int started;
	_Atomic uint32_t gate RT_CACHE_ALIGNED;
	_Atomic uint32_t arrived RT_CACHE_ALIGNED;
	_Atomic uint32_t ended;
	_Atomic uint32_t failed;
	atomic_flag error_is_taken;
	struct rt_err error; /* of the first that failed; read after failed was seen */
	struct hand hands[];
};

/* ---- futexes: shared ones, since members may be processes ------------------- */

static void wait_word(_Atomic uint32_t *word, uint32_t seen, int64_t timeout_ns)
{
	struct timespec timeout = rt_ns_timespec(timeout_ns);

	rt_futex_wait(word, seen, timeout_ns ? &timeout : NULL, RT_FUTEX_SHARED);
}

static void wake_all(_Atomic uint32_t *word)
{
	rt_futex_wake(word, INT_MAX, RT_FUTEX_SHARED);
}

static void count_up(_Atomic uint32_t *word)
{
	atomic_fetch_add_explicit(word, 1, memory_order_acq_rel);
	wake_all(word);
}

static void move_gate(struct rt_crew *crew, enum gate to)
{
	atomic_store_explicit(&crew->gate, to, memory_order_release);
	wake_all(&crew->gate);
}

/* A CPU that is taken offline pushes its threads elsewhere, and their masks with them. */
bool rt_member_has_moved(const struct rt_member *m)
{
	struct rt_cpuset mask = RT_CPUSET_INIT;
	bool is_there;

	if (m->cpu < 0)
		return false;
	is_there = rt_cpuset_affinity(&mask, 0) == 0 && rt_cpuset_count(&mask) == 1 &&
		   rt_cpuset_has(&mask, m->cpu);
	rt_cpuset_done(&mask);
	return !is_there;
}

/* ---- a member's life ------------------------------------------------------- */

static enum gate wait_at_gate(struct rt_crew *crew)
{
	uint32_t gate;

	while ((gate = atomic_load_explicit(&crew->gate, memory_order_acquire)) == GATE_SHUT)
		wait_word(&crew->gate, GATE_SHUT, 0);
	return (enum gate)gate;
}

static void fail(struct rt_crew *crew, const struct rt_err *err)
{
	if (!atomic_flag_test_and_set(&crew->error_is_taken))
		crew->error = *err;
	atomic_fetch_add_explicit(&crew->failed, 1, memory_order_acq_rel);
}

static int place(struct rt_member *m, struct rt_err *err)
{
	int status;

	if (m->cpu < 0)
		return 0;
	status = rt_cpuset_pin_cpu(0, m->cpu);
	if (status)
		rt_err_set(err, RT_EXIT_FAILED, status, "cannot run %s on CPU %d: %s", m->name,
			   m->cpu, strerror(-status));
	return status;
}

static int prepare(const struct rt_crew *crew, struct rt_member *m, struct rt_err *err)
{
	int status = place(m, err);

	if (!status && crew->plan.prepare)
		status = crew->plan.prepare(m, err);
	if (!status)
		status = rt_sched_apply(0, &m->sched, err);
	if (!status && crew->plan.prepared)
		status = crew->plan.prepared(m, err);
	return status;
}

static void explain(const struct rt_member *m, int status, struct rt_err *err)
{
	if (!rt_err_is_set(err))
		rt_err_set(err, RT_EXIT_FAILED, status, "%s failed: %s", m->name,
			   strerror(-status));
}

static void fail_with(struct hand *hand, int status, struct rt_err *err)
{
	explain(&hand->member, status, err);
	fail(hand->crew, err);
}

/* Ready or failed: main may go on. */
static int get_ready(struct hand *hand)
{
	struct rt_err err = { 0 };
	int status = prepare(hand->crew, &hand->member, &err);

	if (status)
		fail_with(hand, status, &err);
	count_up(&hand->crew->arrived);
	return status;
}

static void measure(struct hand *hand)
{
	struct rt_err err = { 0 };
	int status = hand->crew->plan.body(&hand->member, &err);

	if (status) {
		fail_with(hand, status, &err);
		rt_run_end(hand->crew->run, RT_ENDED_ERROR);
	}
}

/* The last thing that a member does, on every way out. */
static void leave(struct hand *hand)
{
	struct rt_run *run = hand->crew->run;

	atomic_store(&hand->member.has_ended, true);
	count_up(&hand->crew->ended);
	rt_run_wake(run);
}

static void live(struct hand *hand)
{
	struct rt_member *m = &hand->member;

	atomic_store(&m->tid, rt_gettid());
	prctl(PR_SET_NAME, m->name);
	if (get_ready(hand) == 0 && wait_at_gate(hand->crew) == GATE_OPEN)
		measure(hand);
	leave(hand);
}

static void let_wake_signal_in(void)
{
	sigset_t wake;

	sigemptyset(&wake);
	sigaddset(&wake, rt_crew_wake_signal());
	pthread_sigmask(SIG_UNBLOCK, &wake, NULL);
}

static void *thread_main(void *data)
{
	let_wake_signal_in();
	live(data);
	return NULL;
}

static void process_main(struct hand *hand)
{
	const struct rt_crew_plan *plan = &hand->crew->plan;
	struct rt_err err = { 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != hand->crew->run->main_pid)
		_exit(RT_EXIT_FAILED);
	if (plan->undo)
		rt_undo_disown(plan->undo);
	if (plan->lock_memory && rt_memory_lock(&err)) {
		fail(hand->crew, &err);
		count_up(&hand->crew->arrived);
		leave(hand);
		_exit(RT_EXIT_FAILED);
	}
	let_wake_signal_in();
	live(hand);
	_exit(RT_EXIT_GOOD);
}

/* ---- forming --------------------------------------------------------------- */

int rt_crew_new(struct rt_crew **ret, const struct rt_crew_plan *plan, struct rt_run *run,
		struct rt_err *err)
{
	size_t size = sizeof(struct rt_crew) + plan->count * sizeof(struct hand);
	struct rt_crew *crew = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				    -1, 0);

	if (crew == MAP_FAILED)
		return rt_err_set(err, RT_EXIT_FAILED, errno, "no memory for %u threads",
				  plan->count);
	crew->plan = *plan;
	crew->run = run;
	crew->size = size;
	atomic_flag_clear(&crew->error_is_taken);
	for (unsigned int i = 0; i < plan->count; i++) {
		struct hand *hand = &crew->hands[i];

		hand->crew = crew;
		hand->member.index = i;
		hand->member.cpu = hand->member.node = -1;
		hand->member.run = run;
	}
	*ret = crew;
	return 0;
}

struct rt_member *rt_crew_member(struct rt_crew *crew, unsigned int index)
{
	return &crew->hands[index].member;
}

unsigned int rt_crew_count(const struct rt_crew *crew)
{
	return crew->plan.count;
}

static int start_process(struct hand *hand)
{
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (pid == 0)
		process_main(hand);
	hand->pid = pid;
	return 0;
}

static int start_thread(struct hand *hand)
{
	pthread_attr_t attr;
	int status = pthread_attr_init(&attr);

	if (status)
		return status;
	hand->stack = rt_stack_alloc(STACK_SIZE, hand->member.node);
	status = hand->stack ? pthread_attr_setstack(&attr, hand->stack, STACK_SIZE) : errno;
	if (!status)
		status = pthread_create(&hand->thread, &attr, thread_main, hand);
	pthread_attr_destroy(&attr);
	return status;
}

static int start_all(struct rt_crew *crew, struct rt_err *err)
{
	for (unsigned int i = 0; i < crew->plan.count; i++) {
		struct hand *hand = &crew->hands[i];
		int status = crew->plan.as_processes ? start_process(hand) : start_thread(hand);

		if (status)
			return rt_err_set(err, RT_EXIT_FAILED, status,
					  "cannot start %s, number %u of %u: %s; see 'ulimit -u' "
					  "and the pids.max of the cgroup", hand->member.name,
					  i + 1, crew->plan.count, strerror(status));
		hand->is_running = true;
		crew->started = i + 1;
	}
	return 0;
}

/* A process that is gone without having ended by itself. */
static void find_dead_processes(void *data)
{
	struct rt_crew *crew = data;
	int status;

	for (unsigned int i = 0; crew->plan.as_processes && i < crew->plan.count; i++) {
		struct hand *hand = &crew->hands[i];
		struct rt_err err = { 0 };

		if (!hand->is_running || waitpid(hand->pid, &status, WNOHANG) != hand->pid)
			continue;
		hand->is_running = false;
		if (atomic_load(&hand->member.has_ended))
			continue; /* it has said itself what there was to say */
		rt_err_set(&err, RT_EXIT_FAILED, ECHILD, "%s (process %d) is gone: %s %d",
			   hand->member.name, (int)hand->pid,
			   WIFEXITED(status) ? "exit status" : "killed by signal",
			   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
		fail(crew, &err);
		atomic_store(&hand->member.has_ended, true);
		count_up(&crew->arrived);
		count_up(&crew->ended);
		rt_run_end(crew->run, RT_ENDED_ERROR);
	}
}

static const char *latecomer(const struct rt_crew *crew)
{
	for (unsigned int i = 0; i < crew->plan.count; i++)
		if (!atomic_load(&crew->hands[i].member.has_ended))
			return crew->hands[i].member.name;
	return "a thread";
}

/* Until all have arrived, one has failed, the user ends it, or time is up. */
static int wait_for_arrivals(struct rt_crew *crew, int64_t timeout_ns, struct rt_err *err)
{
	int64_t until_ns = rt_clock_ns(CLOCK_MONOTONIC) + timeout_ns;
	uint32_t arrived;

	while ((arrived = atomic_load_explicit(&crew->arrived, memory_order_acquire)) <
	       crew->plan.count) {
		if (atomic_load_explicit(&crew->failed, memory_order_acquire))
			break;
		rt_run_take_signals(crew->run);
		if (rt_run_over(crew->run))
			return 0; /* the gate opens on a run that is over: all leave */
		if (rt_clock_ns(CLOCK_MONOTONIC) >= until_ns)
			return rt_err_set(err, RT_EXIT_FAILED, ETIMEDOUT,
					  "only %u of %u threads got ready in %lld s: something "
					  "of higher priority keeps their CPUs", arrived,
					  crew->plan.count, (long long)(timeout_ns / RT_NS_PER_S));
		find_dead_processes(crew);
		wait_word(&crew->arrived, arrived, LOOK_NS);
	}
	if (!atomic_load_explicit(&crew->failed, memory_order_acquire))
		return 0;
	return rt_err_set(err, crew->error.exit, crew->error.code, "%s", crew->error.text);
}

/* ---- bringing home ----------------------------------------------------------- */

static void join_hand(struct hand *hand)
{
	if (!hand->is_running)
		return;
	if (hand->crew->plan.as_processes)
		waitpid(hand->pid, NULL, 0);
	else
		pthread_join(hand->thread, NULL);
	hand->is_running = false;
}

static void abandon(struct hand *hand)
{
	if (hand->crew->plan.as_processes) {
		kill(hand->pid, SIGKILL);
		waitpid(hand->pid, NULL, 0);
	} else {
		pthread_detach(hand->thread);
		hand->stack = NULL; /* still in use: never given back */
	}
	hand->is_running = false;
}

static void wake_sleepers(struct rt_crew *crew)
{
	for (unsigned int i = 0; i < crew->plan.count; i++) {
		struct hand *hand = &crew->hands[i];

		if (!hand->is_running || atomic_load(&hand->member.has_ended))
			continue;
		if (crew->plan.as_processes)
			kill(hand->pid, rt_crew_wake_signal());
		else
			pthread_kill(hand->thread, rt_crew_wake_signal());
	}
}

/*
 * A deadline thread that has passed its runtime, as happens wherever a virtual CPU is taken away
 * for a while, is put away until its periods have made up for that, which can take minutes. It
 * is back at once when it is no deadline thread any more.
 */
static void call_back(struct rt_crew *crew)
{
	const struct rt_sched other = { .policy = RT_POLICY_OTHER };

	for (unsigned int i = 0; i < crew->started; i++) {
		struct rt_member *m = &crew->hands[i].member;
		pid_t tid = atomic_load(&m->tid); /* 0, which were main, before it runs */

		if (m->sched.policy == RT_POLICY_DEADLINE && tid && !atomic_load(&m->has_ended))
			rt_sched_setattr(tid, &other);
	}
}

/* A sleeper may go to sleep just after it was woken: so again until it has ended. */
static bool wait_for_end(struct rt_crew *crew, int64_t grace_ns)
{
	int64_t began_ns = rt_clock_ns(CLOCK_MONOTONIC), waited_ns;
	uint32_t ended;

	while ((ended = rt_crew_ended(crew)) < crew->started) {
		waited_ns = rt_clock_ns(CLOCK_MONOTONIC) - began_ns;
		if (waited_ns >= grace_ns)
			return false;
		if (waited_ns >= grace_ns / 2)
			call_back(crew);
		wake_sleepers(crew);
		wait_word(&crew->ended, ended, WAKE_NS);
		find_dead_processes(crew);
	}
	return true;
}

/* Waits for all that were started; false: somebody had to be left behind. */
static bool join_all(struct rt_crew *crew, int64_t grace_ns)
{
	bool all = wait_for_end(crew, grace_ns);

	for (unsigned int i = 0; i < crew->started; i++) {
		struct hand *hand = &crew->hands[i];

		if (hand->is_running && !atomic_load(&hand->member.has_ended))
			abandon(hand);
		else
			join_hand(hand);
	}
	return all;
}

int rt_crew_form(struct rt_crew *crew, int64_t timeout_ns, struct rt_err *err)
{
	int status;

	if (crew->plan.as_processes)
		rt_run_on_child(crew->run, find_dead_processes, crew);
	status = start_all(crew, err);
	if (!status)
		status = wait_for_arrivals(crew, timeout_ns ? timeout_ns : FORM_TIMEOUT_NS, err);
	if (status) {
		move_gate(crew, GATE_BROKEN);
		join_all(crew, SEND_HOME_NS);
	}
	return status;
}

void rt_crew_release(struct rt_crew *crew)
{
	rt_run_begin(crew->run);
	move_gate(crew, GATE_OPEN);
}

unsigned int rt_crew_ended(const struct rt_crew *crew)
{
	return atomic_load_explicit(&crew->ended, memory_order_acquire);
}

int rt_crew_join(struct rt_crew *crew, int64_t grace_ns, struct rt_err *err)
{
	int status = 0;

	rt_run_end(crew->run, RT_ENDED_LOOPS); /* if nothing else has ended it yet */
	if (!join_all(crew, grace_ns ? grace_ns : JOIN_GRACE_NS))
		status = rt_err_set(err, RT_EXIT_FAILED, ETIMEDOUT,
				    "%s does not end; its numbers are not final", latecomer(crew));
	if (atomic_load_explicit(&crew->failed, memory_order_acquire))
		status = rt_err_set(err, crew->error.exit, crew->error.code, "%s",
				    crew->error.text);
	return status;
}

void rt_crew_free(struct rt_crew *crew)
{
	bool is_in_use = false;

	if (!crew)
		return;
	if (atomic_load(&crew->gate) == GATE_SHUT) {
		move_gate(crew, GATE_BROKEN);
		join_all(crew, SEND_HOME_NS);
	}
	for (unsigned int i = 0; i < crew->started; i++) {
		rt_stack_free(crew->hands[i].stack, STACK_SIZE);
		is_in_use |= !atomic_load(&crew->hands[i].member.has_ended);
	}
	if (!is_in_use) /* a thread that was left behind may still look at it */
		munmap(crew, crew->size);
}
