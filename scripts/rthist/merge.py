# SPDX-License-Identifier: GPL-2.0-or-later
"""`merge`: the histograms of many runs or machines as one result document.

One run is held at a time; what stays are the sums of each kind and CPU, and a line for
each source. Histograms that are not laid out alike are not mixed: they stay series of
their own, and their names say what rows they have.
"""

import json

from . import scale, words
from .model import Bucket, Series, labels

PERCENTS = (50, 90, 99, 99.9, 99.99, 99.999)
COMMON = ("tool", "kernel", "preempt", "machine", "host")


class Merger:
    def __init__(self):
        self.sums = {}
        self.sources = []
        self.common = {}
        self.started = ""

    def add(self, run):
        used = [series for series in run.series if series.samples]
        for label, series in zip(labels(used), used):
            name = f"CPU {series.cpu}" if series.cpu is not None else label
            key = (series.kind, -1 if series.cpu is None else series.cpu, name, layout_of(series))
            if key not in self.sums:
                self.sums[key] = Sum(series, name)
            self.sums[key].add(series)
        self.sources += run.merged or [source_of(run)]
        for name in COMMON:
            value = getattr(run, name)
            self.common[name] = value if self.common.get(name, value) == value else ""
        if run.started[:1].isdigit() and not (self.started and self.started <= run.started):
            self.started = run.started

    def document(self, argv, version):
        keys = sorted(self.sums)
        layouts = {}
        for kind, cpu, name, layout in keys:
            layouts.setdefault((kind, cpu, name), []).append(layout)
        rows = [self.sums[key].row(is_alone=len(layouts[key[:3]]) == 1) for key in keys]
        common = {name: value or None for name, value in self.common.items()}
        head = {
            "schema": "rtgauge-result/1", "tool": common["tool"] or "rt-hist", "version": version,
            "argv": argv, "started": self.started or None, "ended": None, "duration_ns": None,
            "ended_by": "merge", "exit_status": None, "clock": None, "verdict": None,
            "system": {"kernel": common["kernel"], "hostname": common["host"],
                       "architecture": common["machine"], "preempt": common["preempt"]},
            "asked": []}
        return text_of(head, rows, self.sources)


class Sum:
    """One series of the merged document."""

    def __init__(self, first, name):
        self.counts = {}
        self.total_ns, self.is_known = 0.0, True
        self.runs = 0
        self.series = Series(name=name, buckets=[], cpu=first.cpu, kind=first.kind,
                             step_ns=first.step_ns, top_ns=first.top_ns)

    def add(self, other):
        series, counts = self.series, self.counts
        for low, high, count in other.buckets:
            bucket = (low, high)
            counts[bucket] = counts.get(bucket, 0) + count
        series.early += other.early
        series.above += other.above
        for name, count in other.counts.items():
            series.counts[name] = series.counts.get(name, 0) + count
        series.min_ns = extreme(min, series.min_ns, other.min_ns, self.runs)
        series.max_ns = extreme(max, series.max_ns, other.max_ns, self.runs)
        if other.mean_ns is None:
            self.is_known = False
        else:
            self.total_ns += other.mean_ns * other.samples
        self.runs += 1

    def row(self, is_alone):
        series = self.series
        series.buckets = [Bucket(low, high, count) for (low, high), count in sorted(self.counts.items())]
        series.mean_ns = round(self.total_ns / series.samples, 3) if self.is_known else None
        buckets = [[None, 0, series.early]] * bool(series.early) + series.buckets
        buckets += [[series.top_ns, None, series.above]] * bool(series.above)
        latency = {"min": series.min_ns, "max": series.max_ns, "mean": series.mean_ns}
        latency.update({f"p{percent:g}": series.percentile(percent) for percent in PERCENTS})
        return {
            "name": series.name if is_alone else f"{series.name}, {layout_text(series)}",
            "kind": series.kind, "cpu": series.cpu, "runs": self.runs, "step_ns": series.step_ns,
            "counts": {"samples": series.samples, "early": series.early, **series.counts},
            "latency_ns": latency, "histogram": {"unit": "ns", "buckets": buckets}}


def extreme(choose, mine, others, runs):
    """None once any of the runs does not know it."""
    if runs == 0:
        return others
    return None if mine is None or others is None else choose(mine, others)


def layout_of(series):
    """What must be alike to be added: the step of the rows, and where they end."""
    return series.step_ns, series.top_ns if series.above and series.top_ns is not None else -1


def layout_text(series):
    step = scale.unit_for(series.step_ns * 2)
    rows = f"rows of {words.number(series.step_ns, step)} {step.text}" if series.step_ns > 1 else "log-linear"
    if not series.above or series.top_ns is None:
        return rows
    unit = scale.unit_for(series.top_ns)
    return f"{rows} up to {words.number(series.top_ns, unit)} {unit.text}"


def source_of(run):
    return {"file": run.source, "tool": run.tool or None, "hostname": run.host or None,
            "kernel": run.kernel or None, "started": run.started or None,
            "samples": sum(series.samples for series in run.series), "notes": run.notes}


def text_of(head, rows, sources):
    """Members on lines of their own, a series and a source a line, as in every result."""
    def line(value):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    lines = [f"  {json.dumps(name)}: {line(value)}," for name, value in head.items()]
    lines += ['  "series": [', ",\n".join("    " + line(row) for row in rows), "  ],"]
    lines += ['  "rt-hist": {', '    "merged": [',
              ",\n".join("      " + line(source) for source in sources), "    ]", "  }"]
    return "{\n" + "\n".join(lines) + "\n}\n"
