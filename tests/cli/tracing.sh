# SPDX-License-Identifier: GPL-2.0-or-later
#
# tracing - for tests of tracing and --why, behind tap.sh: a tracefs in a mount
# namespace, and causes that are planted on CPU 1.
#
#   needs_tracefs         or the rest of the file is skipped
#   with_tracefs COMMAND  run(), and the top level of tracefs is compared
#   adds_up               do the numbers of the last run's "# Why:" lines add up?
#   needs_planted         or the rest of the file is skipped
#   best_of_five RUN JUDGE WHAT   a check: run, judge, until it holds

PYTHON=${PYTHON:-/usr/bin/python3}
have "$PYTHON" || PYTHON=

needs_tracefs() {
	if ! { is_root && have unshare && unshare -m true 2>/dev/null; }; then
		skip "not root, or no mount namespaces: no tracefs"
		done_testing
	fi
	cat >private <<'END'
tracing=/sys/kernel/tracing
[ -e $tracing/tracing_on ] || mount -t tracefs none $tracing 2>/dev/null || exit 77
[ -d $tracing/instances ] && [ -d $tracing/events/sched/sched_switch ] || exit 77
END
	run unshare -m sh private
	if [ "$status" = 77 ]; then
		skip "no tracefs, or no instances or events in it"
		done_testing
	fi
	cat >>private <<'END'
state() { cd $tracing && cat tracing_on current_tracer trace_clock set_event tracing_cpumask; }
state >before
cd - >/dev/null
"$@"
status=$?
(state) >after
cmp before after >&2 || echo "tracefs is not as before" >&2
exit $status
END
	cat >sum.awk <<'END'
/^# Why: / {
	lines++
	split($0, half, " = ")
	n = split(half[1], word, " ")
	total = word[n - 1]
	sum = 0
	for (i = split(half[2], part, / \+ /); i > 0; i--) sum += part[i]
	if (sum != total) bad = 1
}
END { exit !(lines && !bad) }
END
	# Is a task's line most of a latency of which 95 % have a cause?
	cat >named.awk <<'END'
/^# Why: / && !seen { seen = 1; total = $8; next }
/^# Causes of / { seen = 2 }
seen == 1 && $0 ~ who { named += $2 }
seen == 1 && / unexplained$/ { unexplained += $2 }
END { exit !(total && named >= 0.5 * total && unexplained <= 0.05 * total) }
END
}

with_tracefs() { run unshare -m sh private "$@"; }
adds_up() { awk -f sum.awk "$T/.out"; }
# named ERE: the lines that are to be most of it
named() { awk -v who="$1" -f named.awk "$T/.out"; }

# is_sanitized: built with a sanitizer, which takes time of its own
is_sanitized() { grep -Eq '__(a|t)san_init' "$(command -v cyclictest)"; }

needs_planted() {
	if ! can_rt || ! have cc || [ "$(nproc)" -lt 2 ] || is_sanitized; then
		skip "no real-time priority, no compiler, or one CPU only: no planted cause"
		done_testing
	fi
	has_json || { skip "built without json-c (JSON=0)"; done_testing; }
	cc -O2 -o planted "$tests_dir/planted.c" || { skip "planted cannot be built"; done_testing; }
	# SCHED_FIFO 99 keeps CPU 1 for 3 ms, forty times, and never longer than 3 s in all.
	cat >plant <<'END'
taskset -c 1 chrt -f 99 timeout -s KILL 3 ./planted 40 3000 25000 >planted.log &
"$@"
status=$?
wait
exit $status
END
}

best_of_five() {
	for try in 1 2 3 4 5; do
		$1
		$2 && break
	done
	check "$3 (try $try)" $2
	lacks 'not as before'
}
