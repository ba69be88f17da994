# SPDX-License-Identifier: GPL-2.0-or-later
"""`export`: the histograms for other programs: spreadsheets, HdrHistogram's plotters,
Prometheus."""

import csv
import io

from .errors import USAGE, Problem
from .model import by_kind, labels, whole

FORMATS = ("csv", "hgrm", "openmetrics")
TICKS = 5  # rows for each halving of what is left, as HdrHistogram writes by default
US = 1000
# Borders of the exported buckets in nanoseconds: 1, 2, 5 a decade from 1 us to 1 s
BORDERS_NS = tuple(step * 10 ** power for power in range(3, 9) for step in (1, 2, 5)) + (10 ** 9,)


def export(runs, form):
    return {"csv": to_csv, "hgrm": to_hgrm, "openmetrics": to_openmetrics}[form](runs)


def to_csv(runs):
    """A row a bucket. Empty bounds: below zero, and above the top."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(("file", "tool", "kind", "series", "cpu", "low_ns", "high_ns", "count"))
    for run in runs:
        for series in run.series:
            head = (run.source, run.tool, series.kind, series.name, "" if series.cpu is None else series.cpu)
            if series.early:
                rows.writerow((*head, "", 0, series.early))
            for low, high, count in series.buckets:
                rows.writerow((*head, low, high, count))
            if series.above:
                rows.writerow((*head, series.top_ns, "", series.above))
    return out.getvalue()


def to_hgrm(runs):
    """HdrHistogram's percentile text, in microseconds: one histogram, so one kind."""
    series_list = [series for run in runs for series in run.series]
    kinds = by_kind(series_list)
    if len(kinds) > 1:
        raise Problem(f"hgrm holds one histogram, and there are the kinds {', '.join(kinds)}; "
                      "choose one with --kind", USAGE)
    series = whole(series_list)
    lines = [f"{'Value':>12} {'Percentile':>14} {'TotalCount':>10} {'1/(1-Percentile)':>14}", ""]
    for share, value_ns, seen in percentile_rows(series):
        line = f"{value_ns / US:12.3f} {share:2.12f} {seen:10d}"
        lines.append(line + (f" {1 / (1 - share):14.2f}" if share < 1 else ""))
    mean_ns, deviation_ns = moments(series)
    lines += [f"#[Mean    = {mean_ns / US:12.3f}, StdDeviation   = {deviation_ns / US:12.3f}]",
              f"#[Max     = {(series.max_ns or 0) / US:12.3f}, Total count    = {series.samples:12d}]",
              f"#[Buckets = {len(series.buckets):12d}, SubBuckets     = {128:12d}]"]
    return "\n".join(lines) + "\n"


def percentile_rows(series):
    """(share, latency, samples up to it): ever finer towards the maximum."""
    steps = [(series.early, min(0, series.min_ns or 0))] if series.early else []
    steps += [(bucket.count, series.within(bucket.high_ns - series.step_ns)) for bucket in series.buckets]
    if series.above:
        steps.append((series.above, max(series.max_ns or 0, series.top_ns or 0)))
    share, seen, tick = 0.0, 0, 0
    for count, value_ns in steps:
        seen += count
        while share <= seen / series.samples and share < 1:
            if seen == series.samples and 1 - share < 1 / series.samples:
                break
            yield share, value_ns, seen
            tick += 1
            share = 1 - 0.5 ** (tick // TICKS) * (1 - tick % TICKS / (2 * TICKS))
    yield 1.0, steps[-1][1], series.samples


def moments(series):
    """Mean and standard deviation; the latter from the buckets' middles."""
    middles = [((low + high) / 2, count) for low, high, count in series.buckets]
    held = sum(count for _, count in middles) or 1
    mean = sum(value * count for value, count in middles) / held
    spread = sum((value - mean) ** 2 * count for value, count in middles) / held
    return series.mean_ns if series.mean_ns is not None else mean, spread ** 0.5


def to_openmetrics(runs):
    """Text for Prometheus; node_exporter's textfile collector reads it as well."""
    lines = family("rtgauge_latency_seconds", "histogram", "Latencies of a run, from its histogram.")
    each = [(labels_text(run, label, series), series) for run in runs
            for label, series in zip(labels(run.series), run.series)]
    for text, series in each:
        lines += histogram_lines(text, series)
    for name, what, field in (("min", "Smallest", "min_ns"), ("max", "Largest", "max_ns")):
        lines += family(f"rtgauge_latency_{name}_seconds", "gauge", f"{what} latency of a run.")
        lines += [f"rtgauge_latency_{name}_seconds{{{text}}} {getattr(series, field) / 1e9!r}"
                  for text, series in each if getattr(series, field) is not None]
    return "\n".join(lines + ["# EOF"]) + "\n"


def family(name, kind, text):
    return [f"# TYPE {name} {kind}", f"# UNIT {name} seconds", f"# HELP {name} {text}"]


def labels_text(run, label, series):
    words = {"file": run.source, "host": run.host, "tool": run.tool, "kind": series.kind,
             "series": label, "cpu": "" if series.cpu is None else str(series.cpu)}
    return ",".join(f'{name}="{escaped(value)}"' for name, value in words.items() if value)


def escaped(value):
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def histogram_lines(text, series):
    """A bucket that reaches over a border counts behind it. Early samples forbid a
    sum, and there is no count without one."""
    name, seen, place = "rtgauge_latency_seconds", series.early, 0
    lines = []
    for border in BORDERS_NS:
        while place < len(series.buckets) and series.buckets[place].high_ns - series.step_ns <= border:
            seen += series.buckets[place].count
            place += 1
        lines.append(f'{name}_bucket{{{text},le="{border / 1e9!r}"}} {seen}')
    lines.append(f'{name}_bucket{{{text},le="+Inf"}} {series.samples}')
    if series.mean_ns is not None and not series.early:
        lines.append(f"{name}_count{{{text}}} {series.samples}")
        lines.append(f"{name}_sum{{{text}}} {series.mean_ns * series.samples / 1e9!r}")
    return lines
