# SPDX-License-Identifier: GPL-2.0-or-later
"""The document of rt-tests, --json, as cyclictest, cyclicdeadline and oslat write it."""

import re
from math import gcd

from ..errors import Problem
from ..model import Bucket, Run, Series
from .documents import member, number_or_none

REALTIME = {1: "PREEMPT_RT"}


def knows(document):
    return isinstance(document, dict) and "file_version" in document and "thread" in document


def read(piece, _options):
    document = piece.content
    command = document.get("cmdline:") or document.get("cmdline") or ""
    tool = command.split()[0].rsplit("/", 1)[-1] if command.split() else ""
    sysinfo = member(piece, document, "sysinfo", dict, {})
    unit_ns = 1 if document.get("resolution_in_ns") == 1 else 1000
    threads = member(piece, document, "thread", dict)
    run = Run(
        source=piece.source, tool=tool, command=command,
        kernel=sysinfo.get("release", ""), preempt=REALTIME.get(sysinfo.get("realtime"), ""),
        machine=sysinfo.get("machine", ""), host=sysinfo.get("nodename", ""), started=document.get("start_time", ""),
        series=[read_thread(piece, tool, key, threads[key], unit_ns)
                for key in sorted(threads, key=in_number_order)])
    mark_top(run.series)
    return run


def mark_top(series_list):
    """The document does not say where its histograms end: at or above the last bucket."""
    top_ns = max((s.buckets[-1].high_ns for s in series_list if s.buckets), default=0)
    for series in series_list:
        if series.top_ns is None and series.above:
            series.top_ns = top_ns


def in_number_order(key):
    return (0, int(key), key) if key.isdigit() else (1, 0, key)


def read_thread(piece, tool, key, thread, unit_ns):
    if not (isinstance(thread, dict) and isinstance(thread.get("histogram"), dict)):
        raise Problem(f"{piece.where()}: thread {key} has no histogram; make the document with -h US")
    if "freq" in thread and "cycles" not in thread:
        return read_core(piece, key, thread)
    if "cycles" not in thread:
        raise Problem(f"{piece.where()}: the document of {tool or 'this tool'} is of a form that "
                      "is not read yet; expected one of cyclictest, cyclicdeadline or oslat")
    buckets = [read_bucket(piece, key, name, count, unit_ns)
               for name, count in thread["histogram"].items()]
    held = sum(bucket.count for bucket in buckets)
    cpu = thread.get("cpu")
    return Series(
        name=f"thread {key}", step_ns=unit_ns, cpu=cpu if isinstance(cpu, int) and cpu >= 0 else None,
        buckets=sorted(bucket for bucket in buckets if bucket.count),
        above=max(0, member(piece, thread, "cycles", int) - held),
        min_ns=in_ns(thread, "min", unit_ns), mean_ns=in_ns(thread, "avg", unit_ns),
        max_ns=in_ns(thread, "max", unit_ns))


def read_bucket(piece, key, name, count, unit_ns):
    if not (name.isdigit() and isinstance(count, int)):
        raise Problem(f"{piece.where()}: thread {key}: histogram row \"{name}\": {count!r} "
                      "should be a bucket number and a count")
    return Bucket(int(name) * unit_ns, (int(name) + 1) * unit_ns, count)


def in_ns(thread, name, unit_ns):
    value = number_or_none(thread, name)
    return None if value is None else value * unit_ns


def read_core(piece, key, thread):
    """A CPU of oslat. Rows are called by their upper ends, in microseconds; only minimum
    and maximum are in nanoseconds where rows have a fraction."""
    rows = [(row_ns(piece, key, name, count), count) for name, count in thread["histogram"].items()]
    is_fine = any("." in name for name in thread["histogram"])
    unit_ns = 1 if is_fine else 1000
    series = Series(name=f"thread {key}", kind="gap", step_ns=unit_ns, buckets=[], cpu=thread.get("cpu"),
                    min_ns=in_ns(thread, "min", unit_ns), mean_ns=in_ns(thread, "avg", 1000),
                    max_ns=in_ns(thread, "max", unit_ns))
    rows.sort()
    width_ns = gcd(*(high - low for (low, _), (high, _) in zip(rows, rows[1:]))) or rows[0][0]
    for label_ns, count in rows:
        low_ns = max(0, label_ns - width_ns)
        if label_ns == rows[-1][0] and (series.max_ns or 0) >= label_ns:
            series.above, series.top_ns = count, low_ns
        elif count:
            series.buckets.append(Bucket(low_ns, label_ns, count))
    return series


def row_ns(piece, key, name, count):
    if not (re.fullmatch(r"\d+(\.\d{1,3})?", name) and isinstance(count, int)):
        raise Problem(f"{piece.where()}: thread {key}: histogram row \"{name}\": {count!r} "
                      "should be microseconds and a count")
    return round(float(name) * 1000)
