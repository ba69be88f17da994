# SPDX-License-Identifier: GPL-2.0-or-later
"""Units to show, round bin widths, and buckets of any widths laid onto an even grid."""

from typing import NamedTuple

from .model import Bucket


class Unit(NamedTuple):
    ns: int
    text: str


NANO, MICRO, MILLI = Unit(1, "ns"), Unit(1000, "µs"), Unit(1000000, "ms")


def unit_for(high_ns, most_ns=None):
    """The unit in which numbers up to HIGH_NS read best, nearly all of them up to MOST_NS."""
    if high_ns < 2 * MICRO.ns:
        return NANO
    return MICRO if (most_ns or high_ns) < 20 * MILLI.ns else MILLI


def round_up(value):
    """The next of 1, 2, 5, 10, 20, 50, ... that is not below VALUE."""
    power = 1
    while True:
        for step in (1, 2, 5):
            if step * power >= value:
                return step * power
        power *= 10


def round_outer(value):
    """A round end for an axis, at most a quarter above VALUE."""
    power = 1
    while power * 10 <= value:
        power *= 10
    for tenths in (10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100):
        if tenths * power >= value * 10:
            return -(-tenths * power // 10)
    return power * 10


def width_for(series_list, high_ns, bins):
    """A round bin width for BINS bins up to HIGH_NS, no finer than the data are.

    Of all samples, the bucket is taken where 99 percent end: log-linear buckets are
    wider further out, but hold little there. Nor is it finer than a series' even rows.
    """
    buckets = sorted((low, high, count) for series in series_list for low, high, count in series.buckets)
    own = max((min(high - low for low, high, _ in s.buckets) for s in series_list
               if s.buckets and s.step_ns > 1), default=1)
    left = 0.99 * sum(count for _, _, count in buckets)
    for low, high, count in buckets:
        left -= count
        if left <= 0:
            own = max(own, high - low)
            break
    return round_up(max(own, -(-high_ns // bins)))


def regrid(buckets, width_ns):
    """{bin: count} on an even grid; bin i reaches from i * width up to (i + 1) * width.

    A bucket that lies over several bins is spread evenly over them in whole
    samples, so that counts stay exact and steps between buckets of different
    widths do not show as notches. Single samples go to the upper end of theirs.
    """
    bins = {}
    for low, high, count in buckets:
        first, last = low // width_ns, (high - 1) // width_ns
        given = 0
        for place in range(first, last):
            upto = count * ((place + 1) * width_ns - low) // (high - low)
            if upto > given:
                bins[place] = bins.get(place, 0) + upto - given
                given = upto
        bins[last] = bins.get(last, 0) + count - given
    return bins


EXACT_NS = 256   # below, a bucket of its own for each nanosecond
PARTS_BITS = 7   # from there on, each power of two has 128 buckets


def log_linear(value_ns):
    """The bucket of VALUE_NS >= 0 in a result document, without a count."""
    if value_ns < EXACT_NS:
        return Bucket(value_ns, value_ns + 1, 0)
    shift = value_ns.bit_length() - 1 - PARTS_BITS
    low_ns = value_ns >> shift << shift
    return Bucket(low_ns, low_ns + (1 << shift), 0)
