# SPDX-License-Identifier: GPL-2.0-or-later
"""The text of `rtla timerlat hist` and `rtla osnoise hist`:

    # RTLA timerlat histogram
    # Time unit is microseconds (us)
    Index   IRQ-000   Thr-000
    0          2637       483
    over:         1         1
    count:     2970      2970
    min:, avg:, max:

A row is called by its lower end. timerlat has a column for the interrupt, the thread
and, on request, the return to user space of each CPU; they are kinds of their own.
"""

import re
from math import gcd

from ..errors import Problem
from ..model import Bucket, Run, Series

HEAD = re.compile(r"^# RTLA (\w+) histogram", re.MULTILINE)
COLUMN = re.compile(r"^([A-Za-z]+)-(\d+)$")
KINDS = {"IRQ": "irq", "Thr": "wakeup", "Usr": "user", "CPU": "gap"}
SUMMARY = ("over:", "count:", "min:", "avg:", "max:")


def knows(content):
    return HEAD.search(content) is not None


def read(piece, _options):
    starts = [found.start() for found in HEAD.finditer(piece.content)]
    ends = starts[1:] + [len(piece.content)]
    return [read_block(piece, start, end) for start, end in zip(starts, ends)]


def read_block(piece, start, end):
    text = piece.content[start:end]
    first = piece.line + piece.content.count("\n", 0, start)
    run = Run(source=piece.source, tool=f"rtla {HEAD.match(text).group(1)}", series=[])
    unit_ns = 1 if re.search(r"^# Time unit is nano", text, re.MULTILINE) else 1000
    columns, rows, summary = [], [], {}
    for number, line in enumerate(text.splitlines(), first):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "Index":
            columns = [column_of(piece, number, word) for word in words[1:]]
        elif words[0] == "ALL:":
            break  # sums over the columns
        elif columns and (words[0].isdigit() or words[0] in SUMMARY):
            cells = cells_of(piece, number, words, len(columns))
            if words[0].isdigit():
                rows.append((int(words[0]) * unit_ns, cells))
            else:
                summary[words[0]] = cells
    if "max:" not in summary:
        run.notes.append("the summary lines are missing: was the file cut?")
    width_ns = width_of([row[0] for row in rows], unit_ns)
    run.series = [read_column(column, place, rows, summary, width_ns, unit_ns)
                  for place, column in enumerate(columns)]
    check_counts(run, summary)
    return run


def column_of(piece, number, word):
    found = COLUMN.match(word)
    if not found:
        raise Problem(f"{piece.source}, line {number}: column '{word}'; expected one such as Thr-000")
    return word, KINDS.get(found[1], found[1].lower()), int(found[2])


def cells_of(piece, number, words, columns):
    cells = [None if word == "-" else word for word in words[1:]]
    if len(cells) != columns or not all(cell is None or cell.isdigit() for cell in cells):
        raise Problem(f"{piece.source}, line {number}: '{' '.join(words)}'; "
                      f"expected {columns} numbers behind '{words[0]}'")
    return [None if cell is None else int(cell) for cell in cells]


def width_of(lows_ns, unit_ns):
    """Rows without counts are left out: the width that fits all that are there."""
    width = 0
    for low in lows_ns:
        width = gcd(width, low)
    return width or unit_ns


def read_column(column, place, rows, summary, width_ns, unit_ns):
    name, kind, cpu = column

    def told(word):
        value = summary.get(word, [None] * (place + 1))[place]
        return None if value is None else value * unit_ns

    series = Series(name=name, kind=kind, cpu=cpu, step_ns=unit_ns,
                    buckets=[Bucket(low, low + width_ns, cells[place]) for low, cells in rows
                             if cells[place]])
    series.above = (summary.get("over:") or [0] * (place + 1))[place] or 0
    if series.above:
        series.top_ns = rows[-1][0] + width_ns if rows else 0
    if series.samples:
        series.min_ns, series.mean_ns, series.max_ns = told("min:"), told("avg:"), told("max:")
        series.fill_from_buckets()
    return series


def check_counts(run, summary):
    told = summary.get("count:")
    if told and any(count is not None and count != series.samples
                    for count, series in zip(told, run.series)):
        run.notes.append("the rows do not add up to the counts that the file tells")
