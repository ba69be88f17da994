# SPDX-License-Identifier: GPL-2.0-or-later
#
# planted.awk - is an explanation right? By what the planted cause says of itself.
#
#     awk [-v emulated=1] -f planted.awk LOG OUTPUT     LOG: of planted.c; OUTPUT: of --why
#
# Of the latency 95 % must have a cause, and the time that "planted" gets must be within
# 10 % of what it burnt in that window by its own looks at the clock: its gaps, when
# interrupts ran or the host had the CPU, are nobody's but theirs.
#
# An emulated CPU does not know when it is left alone; there the explanation can but give
# all of a gap to the one who held the CPU. So it may be 10 % above what that one held, and
# 10 % below what it burnt.
function overlap(from, to) {
	if (from < due) from = due
	if (to > ran) to = ran
	return to > from ? (to - from) / 1000 : 0
}
FNR == NR {
	kind[NR] = $1; from[NR] = $2; to[NR] = $3
	rows = NR
	next
}
/^# Why: / && !seen { seen = 1; total = $8; next }
/^# Causes of / { seen = 2 }
seen != 1 { next }
/^#   due at / {
	split($4, at, /[.,]/)
	due = at[1] * 1000000000 + at[2]
	ran = due + total * 1000
}
/ (thread|CPU in) planted, pid / { named += $2 }
/ unexplained$/ { unexplained += $2 }
END {
	for (i = 1; i <= rows; i++) {
		held += kind[i] == "burst" ? overlap(from[i], to[i]) : 0
		gaps += kind[i] == "gap" ? overlap(from[i], to[i]) : 0
	}
	burnt = held - gaps
	most = emulated ? held : burnt
	accounted = total ? 100 * (total - unexplained) / total : 0
	printf "total %d us, accounted for %.1f %%, planted held %d us, burnt %d us, has %d us by --why\n",
	       total, accounted, held, burnt, named
	exit !(burnt > 0 && accounted >= 95 && named >= 0.9 * burnt && named <= 1.1 * most)
}
