# SPDX-License-Identifier: GPL-2.0-or-later
"""oslat's output, ours and that of rt-tests: a row a bucket, a column a CPU.

            Core:  0 1
        001 (us):  28492220 28353565
        ...
        032 (us):  76 97 (including overflows)
         Minimum:  0 0 (us)

A row is called by its upper end. The last one has all samples above, too: what it
holds lies anywhere from its lower end on.
"""

import re
from math import gcd

from ..errors import Problem
from ..model import Bucket, Run, Series

CORE = re.compile(r"^ *Core:[ \t]+(\d+(?: \d+)*) *$", re.MULTILINE)
ROW = re.compile(r"^ *(\d+)(?:\.(\d{3}))? \(us\):[ \t]+(\d+(?: \d+)*)( \(including overflows\))?\s*$")
SUMMARY = re.compile(r"^ *(Minimum|Average|Maximum):[ \t]+([\d.]+(?: [\d.]+)*) \((us|ns)\)\s*$")
UNITS = {"us": 1000, "ns": 1}


def knows(content):
    return CORE.search(content) is not None and " (us):" in content


def read(piece, _options):
    """A run for each 'Core:' line."""
    starts = [found.start() for found in CORE.finditer(piece.content)]
    ends = starts[1:] + [len(piece.content)]
    return [read_block(piece, start, end) for start, end in zip(starts, ends)]


def read_block(piece, start, end):
    text = piece.content[start:end]
    first = piece.line + piece.content.count("\n", 0, start)
    cpus = [int(word) for word in CORE.match(text).group(1).split()]
    rows, summary = [], {}
    for number, line in enumerate(text.splitlines(), first):
        found = ROW.match(line)
        if found:
            counts = [int(word) for word in found[3].split()]
            if len(counts) != len(cpus):
                raise Problem(f"{piece.source}, line {number}: {len(counts)} counts; "
                              f"expected {len(cpus)}, one for each core")
            rows.append((int(found[1]) * 1000 + int(found[2] or 0), counts, bool(found[4])))
        found = SUMMARY.match(line)
        if found:
            summary[found[1]] = [round(float(word) * UNITS[found[3]]) for word in found[2].split()]
    run = Run(source=piece.source, tool="oslat", series=[])
    if "Maximum" not in summary:
        run.notes.append("the summary lines are missing: was the file cut?")
    width_ns = width_of([row[0] for row in rows])
    run.series = [read_column(rows, summary, place, cpu, width_ns) for place, cpu in enumerate(cpus)]
    return run


def width_of(labels_ns):
    """Rows without counts may be left out: the width that fits all that are there."""
    width = 0
    for low, high in zip(labels_ns, labels_ns[1:]):
        width = gcd(width, high - low)
    return width or (labels_ns[0] if labels_ns else 1000)


def read_column(rows, summary, place, cpu, width_ns):
    def told(name):
        values = summary.get(name, [])
        return values[place] if place < len(values) else None

    series = Series(name=f"core {cpu}", cpu=cpu, kind="gap", buckets=[], step_ns=min(width_ns, 1000),
                    min_ns=told("Minimum"), mean_ns=told("Average"), max_ns=told("Maximum"))
    for label_ns, counts, has_overflows in rows:
        low_ns = max(0, label_ns - width_ns)
        if has_overflows and (series.max_ns is None or series.max_ns >= label_ns):
            series.above, series.top_ns = counts[place], low_ns
        elif counts[place]:
            series.buckets.append(Bucket(low_ns, label_ns, counts[place]))
    series.fill_from_buckets()
    return series
