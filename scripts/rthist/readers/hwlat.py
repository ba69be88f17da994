# SPDX-License-Identifier: GPL-2.0-or-later
"""hwlatdetect's output or its --report: a line a sample,

    ts: 1796065236.096090992, delta:nan, inner:3723, outer:4032, cpu:1, count:606

A sample is a window of the detector in which there were gaps: its largest one is
taken, whether it lay within or between two readings of the clock.
"""

import re

from ..errors import Problem
from ..model import Bucket, Run, Series
from ..timeline import Timeline

SAMPLE = re.compile(r"^ts: (?P<stamp>[^,]+), delta:\S+, inner:(?P<inner>\d+), outer:(?P<outer>\d+)"
                    r"(?:, cpu:(?P<cpu>\d+))?(?:, count:(?P<count>\d+))?\s*$")
SECONDS = re.compile(r"^(\d{6,})\.(\d{9})$")
OURS = re.compile(r"^(ts: .*inner:|hwlatdetect: +test duration)", re.MULTILINE)
CLEAN = re.compile(r"^Samples recorded: 0\s*$", re.MULTILINE)
US = 1000


def knows(content):
    return OURS.search(content) is not None


def read(piece, _options):
    run = Run(source=piece.source, tool="hwlatdetect", series=[])
    found, gaps = {}, 0
    for number, line in enumerate(piece.content.splitlines(), piece.line):
        if not line.startswith("ts: "):
            continue
        sample = SAMPLE.match(line)
        if not sample and line == piece.content.splitlines()[-1]:
            run.notes.append("the last line is not whole: was the file cut?")
            continue
        if not sample:
            raise Problem(f"{piece.source}, line {number}: '{line}' is no sample; expected "
                          "'ts: TIME, delta:D, inner:I, outer:O, cpu:C, count:N'")
        add(found, sample)
        gaps += int(sample["count"] or 0)
    if not found:
        raise Problem(no_samples(piece))
    run.series = [finish(*found[cpu]) for cpu in sorted(found, key=lambda cpu: (cpu is None, cpu))]
    run.notes.append("a sample is the largest gap of a detector's window"
                     + (f"; the windows had {gaps} gaps" if gaps else ""))
    return [run]


def no_samples(piece):
    if CLEAN.search(piece.content):
        return f"{piece.source}: hwlatdetect found no gap above its threshold; there is nothing to show"
    return f"{piece.source}: hwlatdetect output without a sample; was it cut?"


def add(found, sample):
    cpu = None if sample["cpu"] is None else int(sample["cpu"])
    series, values = found.setdefault(cpu, (series_of(cpu), []))
    value_us = max(int(sample["inner"]), int(sample["outer"]))
    values.append(value_us)
    stamp = SECONDS.match(sample["stamp"])
    if stamp:
        series.timeline.add(int(stamp[1] + stamp[2]), value_us * US)


def series_of(cpu):
    return Series(name="gaps" if cpu is None else f"CPU {cpu}", buckets=[], kind="gap", cpu=cpu,
                  step_ns=US, timeline=Timeline())


def finish(series, values):
    counts = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    series.buckets = [Bucket(value * US, (value + 1) * US, counts[value]) for value in sorted(counts)]
    series.min_ns, series.max_ns = min(values) * US, max(values) * US
    series.mean_ns = sum(values) * US / len(values)
    if not series.timeline.spans:
        series.timeline = None
    return series
