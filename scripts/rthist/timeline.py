# SPDX-License-Identifier: GPL-2.0-or-later
"""What a series did over time, in bounded memory: minimum, maximum and sum of even spans.

The spans double when there are too many of them, so a day costs what a second does.
Their borders are multiples of their width, in the clock of the source: series of one
run can be laid side by side.
"""

SPANS_MAX = 1200
FIRST_WIDTH_NS = 1 << 20


class Timeline:
    """spans: {time // width_ns: [lowest, highest, sum, count]}"""

    def __init__(self):
        self.width_ns = FIRST_WIDTH_NS
        self.spans = {}

    def add(self, time_ns, value_ns):
        place = time_ns // self.width_ns
        span = self.spans.get(place)
        if span is None:
            self.spans[place] = [value_ns, value_ns, value_ns, 1]
            while len(self.spans) > SPANS_MAX:
                self.coarsen(self.width_ns * 2)
            return
        if value_ns < span[0]:
            span[0] = value_ns
        if value_ns > span[1]:
            span[1] = value_ns
        span[2] += value_ns
        span[3] += 1

    def coarsen(self, width_ns):
        """Make the spans WIDTH_NS wide, a multiple of what they are."""
        factor, old = width_ns // self.width_ns, self.spans
        self.width_ns, self.spans = width_ns, {}
        for place, (low, high, total, count) in old.items():
            span = self.spans.setdefault(place // factor, [low, high, 0, 0])
            span[:] = [min(span[0], low), max(span[1], high), span[2] + total, span[3] + count]
