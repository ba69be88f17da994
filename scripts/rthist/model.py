# SPDX-License-Identifier: GPL-2.0-or-later
"""What the readers make and the views show. All times are integers in nanoseconds."""

from dataclasses import dataclass, field
from math import ceil
from typing import Any, List, NamedTuple, Optional

from .errors import Problem


class Bucket(NamedTuple):
    """How many samples lay from low_ns up to, and without, high_ns."""

    low_ns: int
    high_ns: int
    count: int


@dataclass
class Series:
    """One measuring thread: its histogram and what was counted beside it.

    buckets   ascending, not empty ones only
    early     samples below zero
    above     samples from top_ns on, which no bucket holds
    step_ns   how far values lie apart that the source can tell from each other
    min_ns, mean_ns, max_ns  None where the source does not say and no sample tells
    counts    what else the source counted: late, missed, lost
    timeline  the samples over time, if the source has them; see timeline
    """

    name: str
    buckets: List[Bucket]
    cpu: Optional[int] = None
    kind: str = "wakeup"
    early: int = 0
    above: int = 0
    top_ns: Optional[int] = None
    step_ns: int = 1
    min_ns: Optional[int] = None
    mean_ns: Optional[float] = None
    max_ns: Optional[int] = None
    counts: dict = field(default_factory=dict)
    timeline: Any = None

    @property
    def samples(self):
        return self.early + self.above + sum(b.count for b in self.buckets)

    def percentile(self, percent):
        """The latency that PERCENT of the samples do not pass, None above the top.

        It is the highest value of the bucket with the sample of that rank, and never
        outside of what is known of minimum and maximum.
        """
        rank = max(1, ceil(self.samples * percent / 100))
        seen = self.early
        if not self.samples:
            return None
        for bucket in self.buckets:
            seen += bucket.count
            if seen >= rank:
                return self.within(bucket.high_ns - self.step_ns)
        return self.max_ns if rank == self.samples else None

    def fill_from_buckets(self):
        """Minimum, mean and maximum as the buckets tell them, where the source does not."""
        if not self.buckets:
            return
        if self.min_ns is None:
            self.min_ns = self.buckets[0].low_ns
        if self.max_ns is None and not self.above:
            self.max_ns = self.buckets[-1].high_ns - self.step_ns
        if self.mean_ns is None and not self.above:
            held = sum(b.count for b in self.buckets)
            self.mean_ns = sum(b.low_ns * b.count for b in self.buckets) / held

    def within(self, value_ns):
        """VALUE_NS, but not outside of what is known of minimum and maximum."""
        if self.max_ns is not None:
            value_ns = min(value_ns, self.max_ns)
        if self.min_ns is not None:
            value_ns = max(value_ns, self.min_ns)
        return value_ns


@dataclass
class Run:
    """One document or block: a tool's run with its series.

    source  the file, as the user called it
    notes   sentences about what is not as it should be, such as a cut file
    merged  the sources of a document that was merged of others
    limit   what the run said about its --limit
    """

    source: str
    series: List[Series]
    tool: str = ""
    command: str = ""
    kernel: str = ""
    preempt: str = ""
    machine: str = ""
    host: str = ""
    started: str = ""
    notes: List[str] = field(default_factory=list)
    merged: list = field(default_factory=list)
    limit: str = ""


def labels(series_list):
    """A name for each: its CPU where that tells them apart, else what the source calls it."""
    cpus = [series.cpu for series in series_list]
    if None not in cpus and len(set(cpus)) == len(cpus):
        return [f"CPU {cpu}" for cpu in cpus]
    names = [series.name for series in series_list]
    if len(set(names)) == len(names):
        return names
    return [f"{series.name} {series.kind}" for series in series_list]


def choose(runs, cpu=None, kind=None):
    """The runs with only the series of that CPU and kind."""
    for run in runs:
        run.series = [s for s in run.series if cpu in (None, s.cpu) and kind in (None, s.kind)]
    runs = [run for run in runs if any(series.samples for series in run.series)]
    if not runs:
        raise Problem("there are no samples of that CPU or kind")
    return runs


def by_kind(series_list):
    """{kind: series}: what was measured differently is not added up."""
    kinds = {}
    for series in series_list:
        kinds.setdefault(series.kind, []).append(series)
    return kinds


def whole(series_list, name="all"):
    """All of them as one series. Buckets that are alike are added, others stay as they are."""
    counts = {}
    for series in series_list:
        for low, high, count in series.buckets:
            counts[low, high] = counts.get((low, high), 0) + count
    known = [s for s in series_list if s.mean_ns is not None]
    weight = sum(s.samples for s in known)
    return Series(
        name=name,
        buckets=[Bucket(low, high, counts[low, high]) for low, high in sorted(counts)],
        step_ns=max((s.step_ns for s in series_list), default=1),
        early=sum(s.early for s in series_list),
        above=sum(s.above for s in series_list),
        top_ns=min((s.top_ns for s in series_list if s.top_ns is not None), default=None),
        min_ns=min((s.min_ns for s in series_list if s.min_ns is not None), default=None),
        mean_ns=sum(s.mean_ns * s.samples for s in known) / weight if weight else None,
        max_ns=max((s.max_ns for s in series_list if s.max_ns is not None), default=None),
    )
