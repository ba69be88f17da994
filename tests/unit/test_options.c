/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_options - command lines against a table that has every kind of row.
 *
 * A command line is written as one string with '|' between its words, what came
 * of it as the fields that differ from the defaults.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "rt/options.h"

struct opts {
	const char *fifo;
	const char *note;
	int64_t interval_ns;
	int64_t duration_ns;
	int64_t early_ns;
	int64_t priority;
	int64_t offset;
	int64_t loops;
	int64_t threads;
	bool has_threads;
	int64_t memory;
	struct rt_span histogram;
	struct rt_span spike;
	int mode;
	bool quiet, mlockall, unbuffered, smp, verbose, aligned, secaligned;
	char affinity[32];
	int affinity_calls;
	char words[64];
	struct rt_opts_results results;
};

static int call_affinity(void *arg, const struct rt_opt *row, const char *text, struct rt_err *err)
{
	struct opts *opts = arg;

	opts->affinity_calls++;
	assert_string_equal(row->name, "affinity");
	if (text && !strcmp(text, "99"))
		return rt_err_set(err, RT_EXIT_USAGE, ERANGE, "CPU 99 does not exist");
	if (text && !strcmp(text, "98"))
		return rt_err_set(err, RT_EXIT_MISSING, ENODEV, "--affinity: CPU 98 is offline");
	if (text && (!text[0] || strspn(text, "0123456789-,") != strlen(text)))
		return -EINVAL;
	snprintf(opts->affinity, sizeof(opts->affinity), "%s", text ? text : "bare");
	return 0;
}

#define NUMBER(member) .field = RT_FIELD(struct opts, member, int64_t)
#define SPAN(member) .field = RT_FIELD(struct opts, member, struct rt_span)
#define TEXT(member) .field = RT_FIELD(struct opts, member, const char *)
#define BOOL(member) .field = RT_FIELD(struct opts, member, bool)
#define MODE(n) .field = RT_FIELD(struct opts, mode, int), .value = (n)

static const struct rt_opt rows[] = {
	RT_OPT_GROUP("Time"),
	{ RT_OPT_TIME, 'i', "interval", "US", NUMBER(interval_ns), .unit_ns = RT_NS_PER_US,
	  .min = 1000, .max = 1000000000000, .def = "1000", .help = "base interval" },
	{ RT_OPT_TIME, 'D', "duration", "TIME", NUMBER(duration_ns), .unit_ns = RT_NS_PER_S,
	  .units = RT_UNITS_DURATION, .help = "how long" },
	{ RT_OPT_TIME, .name = "early", .arg = "US", NUMBER(early_ns), .unit_ns = RT_NS_PER_US,
	  .min = 1500, .max = 2999, .help = "a range that is no whole number of its unit" },
	{ RT_OPT_INT, 'l', "loops", "N", NUMBER(loops), .min = 0, .max = INT64_MAX,
	  .help = "how often" },
	{ RT_OPT_INT, .letter = 'o', .arg = "N", NUMBER(offset), .min = -10, .max = 10,
	  .help = "an offset, without a name" },
	RT_OPT_GROUP("Threads"),
	{ RT_OPT_INT, 't', "threads", "N", NUMBER(threads), .is_optional = true, .min = 0,
	  .max = 100, .def = "1", .given = offsetof(struct opts, has_threads),
	  .unit_text = "threads", .help = "how many" },
	{ RT_OPT_INT, 'p', "priority", "PRIO", NUMBER(priority), .min = 0, .max = 99,
	  .help = "priority" },
	RT_OPT_ALIAS("prio", "priority"),
	RT_OPT_ALIAS("thread", "threads"),
	{ RT_OPT_FLAG, .name = "priospread", MODE(3), .help = "spread" },
	{ RT_OPT_CALL, 'a', "affinity", "LIST", .is_optional = true, .call = call_affinity,
	  .unit_text = "CPUs such as 0-3", .help = "which CPUs" },
	{ RT_OPT_FLAG, 'S', "smp", BOOL(smp), .help = "one each CPU" },
	{ RT_OPT_SIZE, 'M', "memory", "SIZE", NUMBER(memory), .min = 4096, .max = 1 << 24,
	  .def = "4K", .help = "memory" },
	{ RT_OPT_FLAG, 'm', "mlockall", BOOL(mlockall), .help = "lock it" },
	{ RT_OPT_FLAG, 'P', "process", MODE(1), .help = "as processes" },
	{ RT_OPT_FLAG, .name = "fibre", MODE(2), .is_hidden = true },
	RT_OPT_GROUP("Output"),
	{ RT_OPT_SPAN, 'h', "histogram", "US", SPAN(histogram), .min = 1, .max = 1000000,
	  .help = "histogram up to US" },
	{ RT_OPT_TEXT, .name = "histfile", .arg = "FILE", TEXT(note), .help = "where to" },
	{ RT_OPT_SPAN, .name = "spike", .arg = "US", SPAN(spike), .def = "20us",
	  .help = "remember spikes" },
	{ RT_OPT_FLAG, 'q', "quiet", BOOL(quiet), .help = "print only the summary" },
	{ RT_OPT_FLAG, 'u', "unbuffered", BOOL(unbuffered), .help = "write at once" },
	{ RT_OPT_FLAG, 'v', "verbose", BOOL(verbose), .help = "print all" },
	{ RT_OPT_TEXT, 'F', "fifo", "FILE", TEXT(fifo), .may_be_empty = true, .help = "a pipe" },
	{ RT_OPT_FLAG, .name = "aligned", BOOL(aligned), .help = "all at once" },
	{ RT_OPT_FLAG, 'z', "secaligned", BOOL(secaligned), .help = "on the second" },
	{ RT_OPT_IGNORED, 'n', "nanosleep" },
	{ RT_OPT_IGNORED, .name = "old", .arg = "X" },
	{ RT_OPT_GONE, 'T', "tracer", "NAME", .help = "tracers come back later" },
	{ RT_OPT_GONE, .name = "intent", .help = "there is no such thing" },
	{ RT_OPT_FLAG, .name = "quick", MODE(4), .is_ours = true, .help = "ours" },
	{ RT_OPT_FLAG, .name = "zoom-in", MODE(5), .is_ours = true, .help = "ours" },
	{ RT_OPT_FLAG, .name = "zoom-out", MODE(6), .is_ours = true, .help = "ours" },
	{ .kind = RT_OPT_FLAG, .letter = 'V', .alias_of = "version", .is_hidden = true },
	RT_OPT_INCLUDE(rt_rows_results, offsetof(struct opts, results)),
	RT_OPT_END
};

static const char *const exclusive[] = { "aligned secaligned", "S threads", NULL };

static const struct rt_opt_table table = {
	.tool = "probe", .purpose = "Try the option tables", .rows = rows, .exclusive = exclusive,
};

/* ---- a command line in, changed fields out ---------------------------------------------- */

#define WORDS_MAX 16

static int split(char *line, char **words)
{
	int count = 0;

	words[count++] = (char *)(uintptr_t)"probe";
	while (line && count < WORDS_MAX)
		words[count++] = strsep(&line, "|");
	return count;
}

static int try_line(const struct rt_opt_table *of, const char *line, struct opts *opts,
		    struct rt_err *err)
{
	static char buf[256]; /* texts are kept by reference */
	char *words[WORDS_MAX];

	snprintf(buf, sizeof(buf), "%s", line ? line : "");
	return rt_opts_try(of, opts, split(line ? buf : NULL, words), words, err);
}

static char shown[512];

static void show(const char *fmt, ...) RT_PRINTF(1, 2);

static void show(const char *fmt, ...)
{
	size_t used = strlen(shown);
	va_list args;

	if (used)
		used += (size_t)snprintf(shown + used, sizeof(shown) - used, " ");
	va_start(args, fmt);
	vsnprintf(shown + used, sizeof(shown) - used, fmt, args);
	va_end(args);
}

static void show_number(const char *name, int64_t value, int64_t usual)
{
	if (value != usual)
		show("%s=%" PRId64, name, value);
}

static void show_text(const char *name, const char *text)
{
	if (text)
		show("%s='%s'", name, text);
}

static void show_span(const char *name, const struct rt_span *span)
{
	if (span->value)
		show("%s=%" PRId64 "%s", name, span->value, span->is_bare ? "" : "ns");
}

static void show_flags(const struct opts *opts)
{
	const struct {
		bool is;
		const char *name;
	} flags[] = {
		{ opts->quiet, "quiet" },	    { opts->mlockall, "mlockall" },
		{ opts->unbuffered, "unbuffered" }, { opts->smp, "smp" },
		{ opts->verbose, "verbose" },	    { opts->aligned, "aligned" },
		{ opts->secaligned, "secaligned" }, { opts->has_threads, "has-threads" },
		{ opts->results.percentiles, "percentiles" },
		{ opts->results.has_limit, "has-limit" },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(flags); i++) {
		if (flags[i].is)
			show("%s", flags[i].name);
	}
}

static const char *changes(const struct opts *opts)
{
	shown[0] = '\0';
	show_number("interval", opts->interval_ns, 1000000);
	show_number("duration", opts->duration_ns, 0);
	show_number("early", opts->early_ns, 0);
	show_number("loops", opts->loops, 0);
	show_number("offset", opts->offset, 0);
	show_number("threads", opts->threads, 1);
	show_number("priority", opts->priority, 0);
	show_number("memory", opts->memory, 4096);
	show_number("mode", opts->mode, 0);
	show_span("histogram", &opts->histogram);
	if (opts->spike.is_bare || opts->spike.value != 20000)
		show_span("spike", &opts->spike);
	show_text("fifo", opts->fifo);
	show_text("histfile", opts->note);
	show_flags(opts);
	show_text("affinity", opts->affinity[0] ? opts->affinity : NULL);
	show_text("json", opts->results.json);
	show_text("result", opts->results.result);
	show_number("checkpoint", opts->results.checkpoint_ns, 0);
	show_span("limit", &opts->results.limit);
	return shown;
}

static const struct {
	const char *line;
	const char *result;
} good[] = {
	{ NULL, "" },
	/* each kind, each spelling */
	{ "-i|5", "interval=5000" },
	{ "-i5", "interval=5000" },
	{ "--interval=5", "interval=5000" },
	{ "--interval|5", "interval=5000" },
	{ "--interval=5ms", "interval=5000000" },
	{ "-i|1", "interval=1000" },
	{ "-i|1000000000", "interval=1000000000000" },
	{ "-i| 5", "interval=5000" },
	{ "-h 3500", "histogram=3500" },
	{ "-h|3500us", "histogram=3500000ns" },
	{ "-h|1000000", "histogram=1000000" },
	{ "--spike|0us", "" }, /* value 0 is not shown */
	{ "--spike=7", "spike=7" },
	{ "-D|1h30m", "duration=5400000000000" },
	{ "-D|10", "duration=10000000000" },
	{ "--early=1500ns", "early=1500" },
	{ "-l|600.00", "loops=600" },
	{ "-l|9223372036854775807", "loops=9223372036854775807" },
	{ "-o|-3", "offset=-3" },
	{ "-o-10", "offset=-10" },
	{ "-o|10", "offset=10" },
	{ "-M|64k", "memory=65536" },
	{ "--memory=16M", "memory=16777216" },
	{ "-F|a b", "fifo='a b'" },
	{ "-F|", "" }, /* none */
	{ "-F|a|--fifo=", "" }, /* and takes it back */
	{ "-F|-", "fifo='-'" },
	{ "-F|--", "fifo='--'" },
	{ "--fifo=a=b", "fifo='a=b'" },
	{ "-P", "mode=1" },
	{ "-P|--fibre", "mode=2" },
	{ "--priospread", "mode=3" },
	{ "-a", "affinity='bare'" },
	{ "-a0-3", "affinity='0-3'" },
	{ "-a|0-3", "affinity='0-3'" },
	/* the last one wins */
	{ "-i|5|-i|7", "interval=7000" },
	{ "-a|1|-a|2", "affinity='2'" },
	{ "-t|5|-t", "threads=5 has-threads" },
	/* bundles */
	{ "-qmu", "quiet mlockall unbuffered" },
	{ "-Sp90", "priority=90 smp" },
	{ "-Sp|90", "priority=90 smp" },
	{ "-qt4", "threads=4 quiet has-threads" },
	{ "-qt|4", "threads=4 quiet has-threads" },
	{ "-qa", "quiet affinity='bare'" },
	{ "-umq", "quiet mlockall unbuffered" },
	/* optional values */
	{ "-t", "has-threads" },
	{ "--threads", "has-threads" },
	{ "-t4", "threads=4 has-threads" },
	{ "-t|4", "threads=4 has-threads" },
	{ "-t|0", "threads=0 has-threads" },
	{ "-t0", "threads=0 has-threads" },
	{ "--threads=0", "threads=0 has-threads" },
	{ "--threads|2", "threads=2 has-threads" },
	{ "-t||-q", "quiet has-threads" },
	{ "-t|-q", "quiet has-threads" },
	{ "-t|-a", "has-threads affinity='bare'" },
	{ "-t|-a|0", "has-threads affinity='0'" },
	{ "-a|-t|4", "threads=4 has-threads affinity='bare'" },
	{ "-a|0-3|-t|4", "threads=4 has-threads affinity='0-3'" },
	{ "-a|1|-m", "mlockall affinity='1'" },
	{ "-a|--|1", "affinity='bare'" },
	{ "-t| 4", "threads=4 has-threads" },
	/* empty and stray words, before options too */
	{ "", "" },
	{ "|-q|", "quiet" },
	{ "foo|-q|bar|-l|5", "loops=5 quiet" },
	{ "-S|2|-q", "quiet smp" },
	{ "-|-q", "quiet" },
	{ "-q|--|-m", "quiet" },
	{ "-q|--", "quiet" },
	/* abbreviations */
	{ "--int=5", "interval=5000" }, /* "intent" is gone */
	{ "--qui", "quiet" }, /* "quick" is ours */
	{ "--quic", "mode=4" },
	{ "--q", "quiet" },
	{ "--dur|1", "duration=1000000000" },
	{ "--thr=2", "threads=2 has-threads" }, /* "thread" and "threads" are one */
	{ "--ver", "verbose" },
	{ "--old=3", "" },
	{ "--ol|3|-q", "quiet" },
	{ "--zoom-i", "mode=5" },
	/* aliases, ignored ones */
	{ "--prio=5", "priority=5" },
	{ "--prio|5", "priority=5" },
	{ "--thread", "has-threads" },
	{ "--thread|2", "threads=2 has-threads" },
	{ "-n|-q", "quiet" },
	{ "-nq", "quiet" },
	{ "--nanosleep", "" },
	{ "--old|-q", "" }, /* its value was wanted */
	/* exclusions: one of them is fine, twice too */
	{ "--aligned|--aligned", "aligned" },
	/* a group */
	{ "--json|F|--result=-", "json='F' result='-'" },
	{ "--json=-", "json='-'" },
	{ "--json=", "" },
	{ "--json|", "" },
	{ "--checkpoint=5", "checkpoint=5000000000" },
	{ "--limit=20|--percentiles", "percentiles has-limit limit=20" },
	{ "--limit=20us", "has-limit limit=20000ns" },
	{ "--limit=1", "has-limit limit=1" },
};

static void good_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(good); i++) {
		struct opts opts = { 0 };
		struct rt_err err = { 0 };
		int status = try_line(&table, good[i].line, &opts, &err);

		if (status)
			fail_msg("'%s' was refused: %s", good[i].line, err.text);
		if (strcmp(changes(&opts), good[i].result))
			fail_msg("'%s' gave '%s', not '%s'", good[i].line, shown, good[i].result);
	}
}

static const struct {
	const char *line;
	const char *text; /* the sentence begins with it */
} bad[] = {
	{ "-i|5x", "--interval: '5x' is not a time; give microseconds from 1 to 1000000000, "
		   "or a unit as in 5ms" },
	{ "-i|", "--interval: '' is not a time; give microseconds" },
	{ "--interval=", "--interval: '' is not a time" },
	{ "-i|abc", "--interval: 'abc' is not a time" },
	{ "-i|1e3", "--interval: '1e3' is not a time" },
	{ "-i|5m", "--interval: '5m' is not a time" },
	{ "-i|0", "--interval: '0' is out of range; give microseconds from 1 to 1000000000" },
	{ "-i|-5", "--interval: '-5' is out of range" },
	{ "-i-5", "--interval: '-5' is out of range" },
	{ "-i|-q", "--interval: '-q' is not a time" },
	{ "-i|999ns", "--interval: '999ns' is out of range" },
	{ "-i|1000000001", "--interval: '1000000001' is out of range" },
	{ "-i|99999999999999999999", "--interval: '99999999999999999999' is out of range" },
	{ "-i", "--interval: its value is missing; give microseconds from 1 to 1000000000" },
	{ "-qi", "--interval: its value is missing" },
	{ "--interval", "--interval: its value is missing" },
	{ "--int", "--interval: its value is missing" },
	{ "-D|5x", "--duration: '5x' is not a time; give seconds from 0 up, or a unit as in 5m" },
	{ "--early=3", "--early: '3' is out of range; give microseconds from 2 to 2" },
	{ "-l|-1", "--loops: '-1' is out of range; give a number from 0 up" },
	{ "-l|1.5", "--loops: '1.5' is not a number; give a number from 0 up" },
	{ "-l|9223372036854775808", "--loops: '9223372036854775808' is out of range" },
	{ "-o|-11", "-o: '-11' is out of range; give a number from -10 to 10" },
	{ "-o", "-o: its value is missing" },
	{ "-p|100", "--priority: '100' is out of range; give a number from 0 to 99" },
	{ "--prio=100", "--priority: '100' is out of range" },
	{ "-t|x", "--threads: 'x' is not a number; give threads from 0 to 100" },
	{ "-t|101", "--threads: '101' is out of range" },
	{ "-t-1", "--threads: '-1' is out of range" },
	{ "--threads=", "--threads: '' is not a number" },
	{ "-tq", "--threads: 'q' is not a number" },
	{ "-M|1k", "--memory: '1k' is out of range; give bytes from 4k to 16M, "
		   "or a unit as in 64k" },
	{ "-M|5x", "--memory: '5x' is not a size" },
	{ "-M|16777217", "--memory: '16777217' is out of range" },
	{ "-h|1000001", "--histogram: '1000001' is out of range; give microseconds from 1 "
			"to 1000000" },
	{ "-h|0", "--histogram: '0' is out of range" },
	{ "-h|-5us", "--histogram: '-5us' is " },
	{ "-h|5x", "--histogram: '5x' is not a time" },
	{ "--spike|-1", "--spike: '-1' is out of range; give microseconds from 0 up" },
	{ "--histfile=", "--histfile: '' is empty; give FILE" },
	{ "--histfile", "--histfile: its value is missing; give FILE" },
	{ "--result|", "--result: '' is empty" },
	{ "--checkpoint=0", "--checkpoint: '0' is out of range; give seconds from 1 to 86400" },
	{ "--limit=x", "--limit: 'x' is not a time; give microseconds from 1" },
	{ "--limit=0", "--limit: '0' is out of range; give microseconds from 1" },
	{ "-a|99", "--affinity: CPU 99 does not exist" },
	{ "-a|x", "--affinity: 'x' is refused; give CPUs such as 0-3" },
	{ "--affinity=", "--affinity: '' is refused" },
	{ "--quiet=1", "--quiet: '1' is too much; it takes no value" },
	{ "--quiet=", "--quiet: '' is too much" },
	{ "--version=1", "--version: '1' is too much" },
	{ "--help=me", "--help: 'me' is no form of help" },
	{ "--frobnicate", "'--frobnicate' is not an option" },
	{ "--frob=5", "'--frob' is not an option" },
	{ "--=5", "'--' is not an option" },
	{ "-y", "'-y' is not an option" },
	{ "-qy", "'-y' in '-qy' is not an option" },
	{ "-5", "'-5' is not an option" },
	{ "-q\303\244", "'-q\303\244' is not an option" },
	{ "---", "'---' is not an option" },
	{ "--interval-us=5", "'--interval-us' is not an option" },
	{ "--hist=5", "'--hist' is ambiguous; give one of --histogram, --histfile" },
	{ "--pri=5", "'--pri' is ambiguous; give one of --priority, --prio, --priospread" },
	{ "--zoom", "'--zoom' is ambiguous; give one of --zoom-in, --zoom-out" },
	{ "-T|nop", "--tracer: tracers come back later" },
	{ "-qT", "--tracer: tracers come back later" },
	{ "--intent", "--intent: there is no such thing" },
	{ "--old", "--old: its value is missing; give X" },
	{ "--aligned|-z", "--aligned and --secaligned exclude each other" },
	{ "--secal|--alig", "--aligned and --secaligned exclude each other" },
	{ "-S|--thread|2", "-S and --threads exclude each other" },
	{ "-F|a|--fifo|b|-i|x\ny", "--interval: 'x?y' is not a time" },
	{ "-q|-i|x|--help", "--interval: 'x' is not a time" },
};

static void bad_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(bad); i++) {
		struct opts opts = { 0 };
		struct rt_err err = { 0 };
		int status = try_line(&table, bad[i].line, &opts, &err);

		if (status >= 0)
			fail_msg("'%s' was taken (%d)", bad[i].line, status);
		if (strncmp(err.text, bad[i].text, strlen(bad[i].text)))
			fail_msg("'%s' said: %s", bad[i].line, err.text);
		assert_int_equal(err.exit, RT_EXIT_USAGE);
		assert_null(strchr(err.text, '\n'));
		assert_true(try_line(&table, bad[i].line, &opts, NULL) < 0);
	}
}

/* A call may find that something is not there, which is no bad usage. */
static void call_keeps_its_exit(void **state)
{
	struct opts opts = { 0 };
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(try_line(&table, "-a98", &opts, &err), -ENODEV);
	assert_int_equal(err.exit, RT_EXIT_MISSING);
	assert_string_equal(err.text, "--affinity: CPU 98 is offline");
}

static void questions(void **state)
{
	static const struct {
		const char *line;
		int status;
	} asked[] = {
		{ "--help", 1 },       { "-?", 1 },	    { "-q?", 1 },	{ "--he", 1 },
		{ "--version", 2 },    { "--vers", 2 },	    { "-V", 2 },	{ "-qV", 2 },
		{ "--help=table", 3 }, { "--help|-i|x", 1 }, { "foo|--help", 1 },
		{ "--|--help", 0 },    { "-i|5|--help", 1 }, { "-F|--help", 0 },
	};
	struct rt_opt_table with_letter = table;
	struct opts opts = { 0 };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(asked); i++)
		assert_int_equal(try_line(&table, asked[i].line, &opts, NULL), asked[i].status);
	assert_true(try_line(&table, "-x", &opts, NULL) < 0);
	with_letter.help_letter = 'x';
	assert_int_equal(try_line(&with_letter, "-x", &opts, NULL), 1);
	assert_int_equal(try_line(&with_letter, "-qx", &opts, NULL), 1);
	assert_int_equal(try_line(&with_letter, "-?", &opts, NULL), 1);
}

static int take_word(void *arg, const char *text, struct rt_err *err)
{
	struct opts *opts = arg;
	size_t used = strlen(opts->words);

	if (!strcmp(text, "stray"))
		return 1;
	if (!strcmp(text, "silent"))
		return -EINVAL;
	if (!strcmp(text, "bad"))
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL, "'bad' is no count");
	snprintf(opts->words + used, sizeof(opts->words) - used, "%s,", text);
	return 0;
}

static void words_to_the_tool(void **state)
{
	struct rt_opt_table with_words = table;
	struct opts opts = { 0 };
	struct rt_err err = { 0 };

	(void)state;
	with_words.word = take_word;
	assert_int_equal(try_line(&with_words, "10||-q|thread|stray|-t||--|-5", &opts, &err), 0);
	assert_string_equal(opts.words, "10,thread,-5,");
	assert_true(opts.quiet);
	assert_true(try_line(&with_words, "-q|bad", &opts, &err) < 0);
	assert_string_equal(err.text, "'bad' is no count");
	err = (struct rt_err){ 0 };
	assert_int_equal(try_line(&with_words, "silent", &opts, &err), -EINVAL);
	assert_string_equal(err.text, "'silent' is refused");
}

static void defaults_come_first(void **state)
{
	struct opts opts = { .interval_ns = 5, .loops = 7 };

	(void)state;
	assert_int_equal(try_line(&table, NULL, &opts, NULL), 0);
	assert_int_equal(opts.interval_ns, 1000000);
	assert_int_equal(opts.threads, 1);
	assert_int_equal(opts.memory, 4096);
	assert_int_equal(opts.spike.value, 20000);
	assert_int_equal(opts.loops, 7); /* has none */
	assert_false(opts.spike.is_bare);
	assert_false(opts.has_threads);
}

static void refuse_by_a_plan(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_opts_refuse(&err, "interval", "%d is odd", 5), -EINVAL);
	assert_string_equal(err.text, "--interval: 5 is odd");
	assert_int_equal(err.exit, RT_EXIT_USAGE);
	err = (struct rt_err){ 0 };
	rt_opts_refuse(&err, "c", "no such clock");
	assert_string_equal(err.text, "-c: no such clock");
}

/* ---- printing and ending ------------------------------------------------------------------ */

struct output {
	char out[16384];
	char err[2048];
	int status;
};

static void slurp(FILE *file, char *buf, size_t size)
{
	rewind(file);
	buf[fread(buf, 1, size - 1, file)] = '\0';
	fclose(file);
}

/* What rt_opts_parse() does to a process, in a child. */
static void parse_in_child(const char *line, struct output *ret)
{
	FILE *out = tmpfile(), *err = tmpfile();
	char buf[256], *words[WORDS_MAX];
	struct opts opts = { 0 };
	int status;
	pid_t pid;

	assert_non_null(out);
	assert_non_null(err);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		dup2(fileno(out), 1);
		dup2(fileno(err), 2);
		snprintf(buf, sizeof(buf), "%s", line);
		rt_opts_parse(&table, &opts, split(buf, words), words);
		_exit(77); /* it came back */
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	ret->status = WEXITSTATUS(status);
	slurp(out, ret->out, sizeof(ret->out));
	slurp(err, ret->err, sizeof(ret->err));
}

static void process_refuses(void **state)
{
	static struct output said;

	(void)state;
	parse_in_child("stray|-i|5x", &said);
	assert_int_equal(said.status, RT_EXIT_USAGE);
	assert_string_equal(said.out, "");
	assert_string_equal(said.err,
			    "probe: --interval: '5x' is not a time; give microseconds from 1 to "
			    "1000000000, or a unit as in 5ms\nTry 'probe --help'\n");
	parse_in_child("-a98", &said);
	assert_int_equal(said.status, RT_EXIT_MISSING);
	assert_string_equal(said.err, "probe: --affinity: CPU 98 is offline\n");
}

static void process_warns(void **state)
{
	static struct output said;

	(void)state;
	parse_in_child("-S|2||-q|-", &said);
	assert_int_equal(said.status, 77);
	assert_string_equal(said.out, "");
	assert_string_equal(said.err, "probe: warning: '2' is not an option, ignored\n"
				      "probe: warning: '-' is not an option, ignored\n");
}

static bool has_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (; text; text = strchr(text, '\n'), text = text ? text + 1 : NULL) {
		if (!strncmp(text, line, len) && (text[len] == '\n' || text[len] == '\0'))
			return true;
	}
	return false;
}

static void process_helps(void **state)
{
	static struct output said;
	size_t width = 0;

	(void)state;
	parse_in_child("--version", &said);
	assert_int_equal(said.status, 0);
	assert_string_equal(said.out, "probe V " RT_VERSION "\n");
	parse_in_child("stray|--help", &said);
	assert_int_equal(said.status, 0);
	assert_string_equal(said.err, "");
	assert_ptr_equal(strstr(said.out, "probe V " RT_VERSION "\nUsage: probe [options]\n"),
			 said.out);
	assert_true(has_line(said.out, "Time:"));
	assert_true(has_line(said.out, "Results:"));
	assert_non_null(strstr(said.out, "\n  -i, --interval=US "));
	assert_non_null(strstr(said.out, "base interval (default: 1000)\n"));
	assert_non_null(strstr(said.out, "\n  -t, --threads[=N] "));
	assert_non_null(strstr(said.out, "\n  -o N "));
	assert_non_null(strstr(said.out, "\n      --json=FILE "));
	assert_null(strstr(said.out, "nanosleep"));
	assert_null(strstr(said.out, "tracer"));
	assert_null(strstr(said.out, "--prio="));
	assert_null(strstr(said.out, "fibre"));
	for (const char *c = said.out; *c; c++) {
		width = *c == '\n' ? 0 : width + 1;
		assert_true(width <= 100);
	}
}

static void process_dumps(void **state)
{
	static struct output said;

	(void)state;
	parse_in_child("--help=table", &said);
	assert_int_equal(said.status, 0);
	assert_string_equal(said.err, "");
	assert_true(has_line(said.out, "i\tinterval\ttime\tUS\tno\t1000\t1000000000000\t1000\t"
				       "visible\tbase interval"));
	assert_true(has_line(said.out, "t\tthreads\tint\tN\tyes\t0\t100\t1\tvisible\thow many"));
	assert_true(has_line(said.out, "o\t-\tint\tN\tno\t-10\t10\t-\tvisible\t"
				       "an offset, without a name"));
	assert_true(has_line(said.out, "-\tprio\tint\tPRIO\tno\t0\t99\t-\thidden\tpriority"));
	assert_true(has_line(said.out, "n\tnanosleep\tignored\t-\tno\t-\t-\t-\tignored\t-"));
	assert_true(has_line(said.out, "T\ttracer\tgone\tNAME\tno\t-\t-\t-\tgone\t"
				       "tracers come back later"));
	assert_true(has_line(said.out, "-\tfibre\tflag\t-\tno\t-\t-\t-\thidden\t-"));
	assert_true(has_line(said.out, "?\thelp\tflag\t-\tno\t-\t-\t-\tvisible\t"
				       "print this help and exit"));
}

/* ---- the check of tables ------------------------------------------------------------------ */

static void this_table_is_good(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	if (rt_opts_check_table(&table, &err))
		fail_msg("%s", err.text);
}

#define Q BOOL(quiet)
#define GOOD_ROW { RT_OPT_FLAG, 'q', "quiet", Q, .help = "good" }

static const struct {
	const char *text; /* the complaint has it in it */
	struct rt_opt rows[4];
} broken[] = {
	{ "has this name", { GOOD_ROW, { RT_OPT_FLAG, .name = "quiet", BOOL(smp), .help = "x" } } },
	{ "has its letter", { GOOD_ROW, { RT_OPT_FLAG, 'q', "smp", BOOL(smp), .help = "x" } } },
	{ "has this name", { { RT_OPT_FLAG, .name = "help", Q, .help = "x" } } },
	{ "has its letter", { { RT_OPT_FLAG, '?', "smp", Q, .help = "x" } } },
	{ "letter is that of --help", { { RT_OPT_FLAG, 'X', "smp", Q, .help = "x" } } },
	{ "neither letter nor name", { { RT_OPT_FLAG, Q, .help = "x" } } },
	{ "neither letter nor digit", { { RT_OPT_FLAG, '-', "smp", Q, .help = "x" } } },
	{ "can be typed", { { RT_OPT_FLAG, 'q', "--quiet", Q, .help = "x" } } },
	{ "can be typed", { { RT_OPT_FLAG, 'q', "Quiet", Q, .help = "x" } } },
	{ "has no help", { { RT_OPT_FLAG, 'q', "quiet", Q } } },
	{ "has no help", { { RT_OPT_GONE, 'q', "quiet" } } },
	{ "full stop", { { RT_OPT_FLAG, 'q', "quiet", Q, .help = "Quiet." } } },
	{ "full stop", { { RT_OPT_FLAG, 'q', "quiet", Q, .help = "quiet\tnow" } } },
	{ "has no name (.arg)", { { RT_OPT_INT, 'q', "quiet", NUMBER(loops), .help = "x" } } },
	{ "has no name (.arg)", { { RT_OPT_TEXT, 'q', "quiet", TEXT(fifo), .help = "x" } } },
	{ "takes no value", { { RT_OPT_FLAG, 'q', "quiet", "N", Q, .help = "x" } } },
	{ "nothing to call", { { RT_OPT_CALL, 'q', "quiet", .help = "x" } } },
	{ "smallest value is above",
	  { { RT_OPT_INT, 'q', "quiet", "N", NUMBER(loops), .min = 5, .help = "x" } } },
	{ "below zero", { { RT_OPT_TIME, 'q', "quiet", "N", NUMBER(loops), .unit_ns = 1, .min = -5,
			    .max = 5, .help = "x" } } },
	{ "has no unit", { { RT_OPT_TIME, 'q', "quiet", "N", NUMBER(loops), .help = "x" } } },
	{ "default would be refused",
	  { { RT_OPT_INT, 'q', "quiet", "N", NUMBER(loops), .min = 1, .max = 5, .def = "6",
	      .help = "x" } } },
	{ "default would be refused",
	  { { RT_OPT_SPAN, 'q', "quiet", "N", SPAN(spike), .def = "none", .help = "x" } } },
	{ "no such row", { RT_OPT_ALIAS("silent", "quiet") } },
	{ "alias of an alias",
	  { GOOD_ROW, RT_OPT_ALIAS("calm", "silent"), RT_OPT_ALIAS("silent", "quiet") } },
	{ "same bytes", { GOOD_ROW, { RT_OPT_FLAG, 's', "smp", Q, .help = "x" } } },
	{ "same bytes",
	  { { RT_OPT_TEXT, 'f', "fifo", "FILE", TEXT(fifo), .help = "x" },
	    { RT_OPT_FLAG, 's', "smp", .help = "x" } } },
	{ "same bytes",
	  { GOOD_ROW, { RT_OPT_INT, 's', "smp", "N", NUMBER(loops), .help = "x",
			.given = offsetof(struct opts, quiet) } } },
	{ "same bytes", { { RT_OPT_FLAG, 'a', "aa", MODE(1), .help = "x" },
			  { RT_OPT_FLAG, 'b', "bb", MODE(1), .help = "x" } } },
};

static void broken_tables_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(broken); i++) {
		struct rt_opt_table wrong = {
			.tool = "wrong", .purpose = "x", .rows = broken[i].rows, .help_letter = 'X'
		};
		struct rt_err err = { 0 };

		if (!rt_opts_check_table(&wrong, &err))
			fail_msg("not found, row %zu: %s", i, broken[i].text);
		if (!strstr(err.text, broken[i].text))
			fail_msg("expected '%s', got '%s'", broken[i].text, err.text);
	}
}

static void broken_exclusions_are_found(void **state)
{
	static const char *const lists[][2] = {
		{ "aligned" }, { "aligned nothing" }, { "aligned  secaligned" }, { "S x" }, { "" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(lists); i++) {
		struct rt_opt_table wrong = table;

		wrong.exclusive = lists[i];
		assert_int_equal(rt_opts_check_table(&wrong, NULL), -EINVAL);
	}
}

static void deep_groups_are_found(void **state)
{
	static const struct rt_opt third[] = { GOOD_ROW, RT_OPT_END };
	static const struct rt_opt second[] = { RT_OPT_INCLUDE(third, 0), RT_OPT_END };
	static const struct rt_opt first[] = { RT_OPT_INCLUDE(second, 0), RT_OPT_END };
	static const struct rt_opt top[] = { RT_OPT_INCLUDE(first, 0), RT_OPT_END };
	struct rt_opt_table deep = { .tool = "deep", .purpose = "x", .rows = first };
	struct opts opts = { 0 };

	(void)state;
	assert_int_equal(rt_opts_check_table(&deep, NULL), 0);
	assert_int_equal(try_line(&deep, "-q", &opts, NULL), 0);
	assert_true(opts.quiet);
	deep.rows = top;
	assert_int_equal(rt_opts_check_table(&deep, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_lines),
		cmocka_unit_test(bad_lines),
		cmocka_unit_test(call_keeps_its_exit),
		cmocka_unit_test(questions),
		cmocka_unit_test(words_to_the_tool),
		cmocka_unit_test(defaults_come_first),
		cmocka_unit_test(refuse_by_a_plan),
		cmocka_unit_test(process_refuses),
		cmocka_unit_test(process_warns),
		cmocka_unit_test(process_helps),
		cmocka_unit_test(process_dumps),
		cmocka_unit_test(this_table_is_good),
		cmocka_unit_test(broken_tables_are_found),
		cmocka_unit_test(broken_exclusions_are_found),
		cmocka_unit_test(deep_groups_are_found),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
