# SPDX-License-Identifier: GPL-2.0-or-later
"""Our own document, --result: schema rtgauge-result/1, see rtgauge-result(5)."""

import shlex

from ..errors import Problem
from ..model import Bucket, Run, Series
from .documents import member, number_or_none

SCHEMA = "rtgauge-result/1"
PREEMPT = {"rt": "PREEMPT_RT", "full": "PREEMPT", "dynamic": "PREEMPT_DYNAMIC",
           "voluntary": "PREEMPT_VOLUNTARY", "lazy": "PREEMPT_LAZY", "none": "no preemption"}


def knows(document):
    return isinstance(document, dict) and str(document.get("schema", "")).startswith("rtgauge-result/")


def read(piece, _options):
    document = piece.content
    if document["schema"] != SCHEMA:
        raise Problem(f"{piece.where()}: schema {document['schema']} is not known; this reads {SCHEMA}")
    if piece.is_cut and not isinstance(document.get("series"), list):
        raise Problem(f"{piece.where()}: the document is cut before its series; nothing can be read")
    system = member(piece, document, "system", dict, {})
    run = Run(
        source=piece.source,
        tool=member(piece, document, "tool", str, ""),
        command=" ".join(shlex.quote(str(word)) for word in member(piece, document, "argv", list, [])),
        kernel=system.get("kernel") or "",
        preempt=preempt_of(system),
        machine=system.get("architecture") or "",
        host=system.get("hostname") or "",
        started=member(piece, document, "started", str, ""),
        series=[read_series(piece, one) for one in member(piece, document, "series", list)],
    )
    if document.get("ended_by") == "checkpoint":
        run.notes.append("a checkpoint: the run was still going on")
    run.merged = [one for one in member(piece, document, "rt-hist.merged", list, []) if isinstance(one, dict)]
    if run.merged:
        run.notes.append(f"merged of {len(run.merged)} runs")
    run.limit = limit_of(document.get("verdict"))
    return run


def limit_of(verdict):
    """What --limit led to, as a sentence."""
    if not isinstance(verdict, dict) or not isinstance(verdict.get("limit_ns"), int):
        return ""
    limit = f"{verdict['limit_ns'] / 1000:g} µs"
    if not verdict.get("passed"):
        return f"no latency passed the limit of {limit}"
    value = number_or_none(verdict, "value_ns")
    what = "a latency" if value is None else f"a latency of {value / 1000:g} µs"
    series, at = verdict.get("series"), verdict.get("at")
    return (f"{what} passed the limit of {limit}" + (f", of {series}" if series else "")
            + (f", at {at}" if at else ""))


def preempt_of(system):
    """The preemption in force, or what the kernel's version line says."""
    told = system.get("preempt") or ""
    if told:
        return PREEMPT.get(told, told)
    words = (system.get("kernel_version") or "").split()
    return next((word for word in words if word.startswith("PREEMPT")), "")


def read_series(piece, one):
    unit = member(piece, one, "histogram.unit", str, "ns")
    if unit != "ns":
        raise Problem(f"{piece.where()}: histogram in \"{unit}\"; expected \"ns\"")
    latency = member(piece, one, "latency_ns", dict, {})
    series = Series(
        name=str(one.get("name", "")), buckets=[], kind=member(piece, one, "kind", str, "wakeup"),
        cpu=one["cpu"] if isinstance(one.get("cpu"), int) and one["cpu"] >= 0 else None,
        min_ns=number_or_none(latency, "min"), mean_ns=number_or_none(latency, "mean"),
        max_ns=number_or_none(latency, "max"))
    counts = member(piece, one, "counts", dict, {})
    series.counts = {name: counts[name] for name in ("late", "missed", "lost")
                     if isinstance(counts.get(name), int)}
    series.step_ns = member(piece, one, "step_ns", int, 1)
    add_rows(piece, series, member(piece, one, "histogram.buckets", list, []))
    return series


def add_rows(piece, series, rows):
    """[low, high, count]; null stands for no bound: below zero, or above the top."""
    for row in rows:
        if not (isinstance(row, list) and len(row) == 3 and isinstance(row[2], int)):
            raise Problem(f"{piece.where()}: bucket {row!r} of series \"{series.name}\" "
                          "should be [low, high, count]")
        low, high, count = row
        if low is None:
            series.early += count
        elif high is None:
            series.above += count
            series.top_ns = low
        elif count:
            series.buckets.append(Bucket(low, high, count))
    series.buckets.sort()
