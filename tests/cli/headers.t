#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# headers - each header of the library includes what it uses: it compiles alone, and twice.
# And what schedules compiles with C libraries that declare struct sched_attr and with those
# that don't.
. "${0%/*}/tap.sh"

: "${CC:=cc}"
have "${CC%% *}" || skip_all "no C compiler ($CC)"

compiles() {
	run $CC -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wno-missing-field-initializers \
		-Werror -I"$top/src/include" -fsyntax-only "$@"
	[ "$status" = 0 ]
}

# with json-c, if there is a header of it, and without
for header in "$top"/src/include/rt/*.h; do
	name=rt/${header##*/}
	printf '#include "%s"\n#include "%s"\n' "$name" "$name" >"$T/alone.c"
	check "$name compiles alone" compiles "$T/alone.c"
	if echo '#include <json-c/json.h>' | $CC -fsyntax-only -x c - 2>/dev/null; then
		check "$name compiles alone, with json-c" compiles -DHAVE_JSON "$T/alone.c"
	fi
done

# ---- struct sched_attr: glibc has had it since 2.41, with the kernel's definition -------------
mkdir newer older
cat >newer/sched.h <<'END'
#include_next <sched.h>
#ifndef NEWER_SCHED_H
#define NEWER_SCHED_H
#define sched_param masked_sched_param /* older kernel headers have their own */
#include <linux/sched/types.h>
#undef sched_param
#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif
#ifndef SCHED_FLAG_RESET_ON_FORK
#define SCHED_FLAG_RESET_ON_FORK 0x01
#define SCHED_FLAG_RECLAIM 0x02
#define SCHED_FLAG_DL_OVERRUN 0x04
#endif
int sched_setattr(pid_t tid, struct sched_attr *attr, unsigned int flags);
int sched_getattr(pid_t tid, struct sched_attr *attr, unsigned int size, unsigned int flags);
#endif
END
cat >older/sched.h <<'END'
#include_next <sched.h>
#ifndef OLDER_SCHED_H
#define OLDER_SCHED_H
#define sched_attr no_such_struct
#define sched_setattr no_such_call
#define sched_getattr no_such_call
#undef SCHED_DEADLINE
#undef SCHED_FLAG_RESET_ON_FORK
#undef SCHED_FLAG_RECLAIM
#undef SCHED_FLAG_DL_OVERRUN
#endif
END
printf '#include <sched.h>\nint size = sizeof(struct sched_attr);\n' >has.c
if compiles -isystem newer has.c; then
	check "the older library has no struct sched_attr" [ "$(compiles -isystem older has.c; echo $?)" != 0 ]
	for file in $(cd "$top" && grep -lE 'sched_|SCHED_' src/*/*.c); do
		for library in newer older; do
			check "$file, $library C library" \
				compiles -isystem $library -I"$top/$(dirname "$file")" "$top/$file"
		done
	done
else
	skip "no kernel headers with struct sched_attr"
fi

done_testing
