# SPDX-License-Identifier: GPL-2.0-or-later
"""Histogram text, as cyclictest -h, -H and --histfile write it: a row a bucket, a
column a thread, sparse (2.10) or with all rows (2.4), then the summary lines.

    000009 000002<TAB>000000
    # Total: 000000002 000000000
    # Min Latencies: 00009 00012
    # Avg Latencies: 00009 00000
    # Max Latencies: 00009 00000
    # Histogram Overflows: 00000 00001

Other lines (the tool's header, status lines) are passed over. With -H the last
column is the sum over the threads; only the rows, Total, Max and Overflows have it.
"""

import re

from ..errors import Problem
from ..model import Bucket, Run, Series

ROW = re.compile(r"^\d{4,}(?:[ \t]+\d+)+\s*$")
SUMMARY = re.compile(r"^# (Min Latencies|Avg Latencies|Max Latencies|Histogram Overflows):((?: -?\d+)*)\s*$")


def knows(content):
    return any(ROW.match(line) for line in content.splitlines())


def read(piece, options):
    blocks, rows, summary = [], [], {}
    for number, line in enumerate(piece.content.splitlines(), piece.line):
        if ROW.match(line):
            if summary:
                blocks.append((rows, summary))
                rows, summary = [], {}
            rows.append((number, [int(word) for word in line.split()]))
        else:
            found = SUMMARY.match(line)
            if found:
                summary[found.group(1)] = [int(word) for word in found.group(2).split()]
    blocks.append((rows, summary))
    return [read_block(piece.source, rows, summary, options.unit_ns) for rows, summary in blocks if rows]


def read_block(source, rows, summary, unit_ns):
    check_columns(source, rows)
    run = Run(source=source, series=[])
    if len(summary) < 4:
        run.notes.append("the summary lines are missing: was the file cut?")
    columns = thread_columns(rows, summary)
    width = rows[0][1][0], rows[-1][1][0]
    top_ns = (max(width) + 1) * unit_ns
    for index in range(columns):
        run.series.append(read_column(rows, summary, index, unit_ns, top_ns))
    return run


def check_columns(source, rows):
    columns = len(rows[0][1])
    for line, cells in rows:
        if len(cells) != columns:
            raise Problem(f"{source}, line {line}: {len(cells) - 1} counts; "
                          f"expected {columns - 1}, as in the rows before")


def thread_columns(rows, summary):
    """How many columns are threads: as many as have a minimum; the sum of -H has none."""
    columns = len(rows[0][1]) - 1
    for name in ("Min Latencies", "Avg Latencies"):
        if name in summary:
            return min(columns, len(summary[name]))
    sums = columns > 1 and all(cells[-1] == sum(cells[1:-1]) for _, cells in rows)
    return columns - 1 if sums else columns


def read_column(rows, summary, index, unit_ns, top_ns):
    def told(name):
        values = summary.get(name, [])
        return values[index] if index < len(values) else None

    buckets = [Bucket(cells[0] * unit_ns, (cells[0] + 1) * unit_ns, cells[index + 1])
               for _, cells in rows if cells[index + 1]]
    series = Series(name=f"thread {index}", buckets=buckets, step_ns=unit_ns,
                    above=told("Histogram Overflows") or 0)
    series.top_ns = top_ns if series.above else None
    if not series.samples:
        return series
    for name, value in (("min_ns", told("Min Latencies")), ("mean_ns", told("Avg Latencies")),
                        ("max_ns", told("Max Latencies"))):
        setattr(series, name, None if value is None else value * unit_ns)
    series.fill_from_buckets()
    return series
