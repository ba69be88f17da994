#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each header of the library includes what it uses: it compiles alone, and twice.
. "${0%/*}/tap.sh"

: "${CC:=cc}"
have "${CC%% *}" || skip_all "no C compiler ($CC)"

for header in "$top"/src/include/rt/*.h; do
	name=rt/${header##*/}
	printf '#include "%s"\n#include "%s"\n' "$name" "$name" >"$T/alone.c"
	run $CC -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$top/src/include" \
		-fsyntax-only "$T/alone.c"
	check "$name compiles alone" test "$status" = 0
done

done_testing
