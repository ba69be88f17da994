# SPDX-License-Identifier: GPL-2.0-or-later
"""`compare`: two sides, A and B, of one or several runs each.

Samples of one run are not independent of each other: a noisy minute makes all of them
late. So an interval comes from the spread between runs, never from the number of
samples, and one run a side has none. Neither has the maximum, which only grows with
the length of a run.

Changes are ratios, so they are averaged and spread as logarithms (Welch's interval).
"""

from math import exp, log, sqrt
from typing import List, NamedTuple, Optional

from .errors import Problem
from .model import by_kind, whole

PERCENTS = (50, 90, 99, 99.9, 99.99, 99.999)
BEYOND_MIN = 10       # samples behind a percentile, for it to mean something
TOLERANCE = 5.0       # percent, for one run a side
NOT_JUDGED = ("section",)
# Student's t for a two-sided interval of 95 %, by degrees of freedom from 1
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
           2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
           2.060, 2.056, 2.052, 2.048, 2.045, 2.042)


class Interval(NamedTuple):
    low: float
    high: float


class Value(NamedTuple):
    """A statistic of one side: its mean over the runs, or the largest maximum."""

    ns: Optional[float]
    interval: Optional[Interval]


class Row(NamedTuple):
    """A statistic of both sides. change and its interval are in percent of A."""

    name: str
    a: Value
    b: Value
    change: Optional[float]
    interval: Optional[Interval]
    verdict: str


class Kind(NamedTuple):
    name: str
    rows: List[Row]
    cpus: list      # (label, [Row]) for each CPU of both sides
    shift: float    # share of all pairs in which B's sample is the later one
    a: list         # a series a run, all of its CPUs
    b: list


def compare(runs_a, runs_b, tolerance=None):
    """A Kind for each kind that both sides have."""
    tolerance = TOLERANCE if tolerance is None else tolerance
    sides = [[by_kind([s for s in run.series if s.samples]) for run in runs] for runs in (runs_a, runs_b)]
    names = [kind for kind in sides[0][0] if all(kind in run for side in sides for run in side)]
    if not names:
        raise Problem("the sides have no kind of series in common: "
                      f"{kinds_text(sides[0])} here, {kinds_text(sides[1])} there")
    return [compare_kind(name, *sides, tolerance) for name in names]


def kinds_text(side):
    return ", ".join(sorted({kind for run in side for kind in run}))


def compare_kind(name, side_a, side_b, tolerance):
    lists_a, lists_b = [run[name] for run in side_a], [run[name] for run in side_b]
    a, b = [whole(one) for one in lists_a], [whole(one) for one in lists_b]
    return Kind(name, rows_of(a, b, tolerance), compare_cpus(lists_a, lists_b, tolerance),
                shift_of(whole(a), whole(b)), a, b)


def compare_cpus(lists_a, lists_b, tolerance):
    """Rows of each CPU that every run has exactly one series of."""
    tables = [{s.cpu: s for s in one} for one in lists_a + lists_b]
    if any(len(table) != len(one) for table, one in zip(tables, lists_a + lists_b)):
        return []
    common = set.intersection(*(set(table) for table in tables)) - {None}
    split = len(lists_a)
    return [(f"CPU {cpu}", rows_of([table[cpu] for table in tables[:split]],
                                   [table[cpu] for table in tables[split:]], tolerance))
            for cpu in sorted(common)]


def rows_of(a, b, tolerance):
    fewest = min(series.samples for series in a + b)
    rows = [percentile_row(percent, a, b, tolerance) for percent in PERCENTS
            if percent == 50 or fewest * (100 - percent) / 100 >= BEYOND_MIN]
    return rows + [max_row(a, b)]


def percentile_row(percent, a, b, tolerance):
    values_a = [series.percentile(percent) for series in a]
    values_b = [series.percentile(percent) for series in b]
    name = f"p{percent:g}"
    if None in values_a + values_b:
        return Row(name, Value(None, None), Value(None, None), None, None, "above the histogram")
    value_a, value_b = mean_over_runs(values_a), mean_over_runs(values_b)
    change, interval = change_between(values_a, values_b)
    resolution = max(resolution_at(series, value_a.ns) for series in a + b)
    return Row(name, value_a, value_b, change, interval,
               judge(value_a.ns, value_b.ns, change, interval, resolution, tolerance))


def mean_over_runs(values):
    mean, spread = mean_and_variance(values)
    if len(values) < 2:
        return Value(mean, None)
    half = student(len(values) - 1) * sqrt(spread / len(values))
    return Value(mean, Interval(mean - half, mean + half))


def mean_and_variance(values):
    mean = sum(values) / len(values)
    return mean, sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)


def student(freedom):
    """Between the rows of the table the smaller freedom counts; far out, nearly normal."""
    if freedom < len(STUDENT) + 1:
        return STUDENT[max(0, int(freedom) - 1)]
    return 1.96 + 2.46 / freedom


def change_between(values_a, values_b):
    """Percent from A to B, with an interval where both sides have several runs."""
    if min(values_a + values_b) <= 0:
        return None, None
    logs_a, logs_b = [log(v) for v in values_a], [log(v) for v in values_b]
    (mean_a, spread_a), (mean_b, spread_b) = mean_and_variance(logs_a), mean_and_variance(logs_b)
    change = percent(mean_b - mean_a)
    if len(logs_a) < 2 or len(logs_b) < 2:
        return change, None
    parts = spread_a / len(logs_a), spread_b / len(logs_b)
    total = sum(parts)
    below = parts[0] ** 2 / (len(logs_a) - 1) + parts[1] ** 2 / (len(logs_b) - 1)
    freedom = total ** 2 / below if below > 0 else len(logs_a) + len(logs_b) - 2
    half = student(freedom) * sqrt(total)
    return change, Interval(percent(mean_b - mean_a - half), percent(mean_b - mean_a + half))


def percent(log_ratio):
    return 100 * (exp(log_ratio) - 1)


def resolution_at(series, value_ns):
    """How wide the bucket at VALUE_NS is: differences up to there cannot be told."""
    for low, high, _ in series.buckets:
        if high > value_ns:
            return high - low
    return series.step_ns


def judge(a_ns, b_ns, change, interval, resolution, tolerance):
    if abs(b_ns - a_ns) <= resolution:
        return "same"
    word = "worse" if b_ns > a_ns else "better"
    if interval is not None:
        return "same" if interval.low <= 0 <= interval.high else word
    return "same" if change is not None and abs(change) <= tolerance else word


def max_row(a, b):
    if any(series.max_ns is None for series in a + b):
        return Row("max", Value(None, None), Value(None, None), None, None, "")
    high_a, high_b = max(s.max_ns for s in a), max(s.max_ns for s in b)
    change = 100 * (high_b / high_a - 1) if high_a > 0 else None
    return Row("max", Value(high_a, None), Value(high_b, None), change, None, "")


def shift_of(a, b):
    """P(B > A) + P(B = A) / 2 over all pairs, buckets taken at their middles."""
    ranks = sorted(ranks_of(a, 0) + ranks_of(b, 1))
    below, later, place = 0, 0.0, 0
    while place < len(ranks):
        end, same_a, same_b = place, 0, 0
        while end < len(ranks) and ranks[end][0] == ranks[place][0]:
            same_a += ranks[end][2] if ranks[end][1] == 0 else 0
            same_b += ranks[end][2] if ranks[end][1] == 1 else 0
            end += 1
        later += same_b * (below + same_a / 2)
        below += same_a
        place = end
    return later / (a.samples * b.samples)


def ranks_of(series, side):
    ranks = [((low + high) / 2, side, count) for low, high, count in series.buckets]
    return ranks + [(-1.0, side, series.early), (float("inf"), side, series.above)]


class Verdict(NamedTuple):
    word: str
    kind: str
    row: Row


def verdict(kinds, name, tolerance=None):
    """The worst of the kinds, by the statistic called NAME."""
    found = []
    for kind in kinds:
        row = next((row for row in kind.rows if row.name == name), None)
        if row is None or row.a.ns is None:
            raise Problem(reason_why_not(kind, name))
        if row.name == "max":
            row = row._replace(verdict=judge(row.a.ns, row.b.ns, row.change, None, 0,
                                             TOLERANCE if tolerance is None else tolerance))
        if kind.name not in NOT_JUDGED:
            found.append(Verdict(row.verdict, kind.name, row))
    if not found:
        raise Problem(f"series of kind {kinds[0].name} are there for comparison only; there is no verdict")
    return min(found, key=lambda one: (("worse", "same", "better").index(one.word), -(one.row.change or 0)))


def best_of(kinds):
    """p99, or the highest percentile below it that all runs have the samples for."""
    def has(name):
        return all(any(row.name == name and row.a.ns is not None for row in kind.rows) for kind in kinds)

    return next((name for name in ("p99", "p90") if has(name)), "p50")


def reason_why_not(kind, name):
    fewest = min(series.samples for series in kind.a + kind.b)
    if name != "max" and name not in [row.name for row in kind.rows]:
        return (f"--by: {name} needs {BEYOND_MIN} samples behind it in every run, and one has only "
                f"{fewest} in all; take one of {', '.join(row.name for row in kind.rows)}")
    return f"--by: {name} lies above the top of a histogram; make it with a larger -h, or with --result"


def passes(found, limit):
    """Is it worse by more than LIMIT percent?"""
    return found.word == "worse" and (found.row.change is None or found.row.change > limit)
