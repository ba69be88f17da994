# SPDX-License-Identifier: GPL-2.0-or-later
"""`show`: one histogram of all series and a table of each, for a terminal.

Rows are of one round width up to where 99 percent of the samples end; from there
on each is twice as wide as the one before, so that a long tail stays on the screen.
Bars are as long as the logarithm of the count: a single sample has a short one.
"""

from math import log10

from . import scale, words
from .model import by_kind, labels, whole

ROWS = 14
EIGHTHS = " ▏▎▍▌▋▊▉"
BAR_MIN = 10
SERIES_MAX = 128


def show(runs, width, is_unicode):
    """All runs as lines of text, at most WIDTH wide."""
    lines = []
    for run in runs:
        if lines:
            lines.append("")
        lines += show_run(run, width, is_unicode)
    return lines if is_unicode else [plain(line) for line in lines]


def plain(line):
    return line.replace("µs", "us").replace("…", "...").encode("ascii", "replace").decode()


def show_run(run, width, is_unicode):
    lines = [words.headline(run)]
    if run.command:
        lines.append(words.shorten(run.command, width))
    lines += [f"note: {note}" for note in run.notes]
    kinds = by_kind(run.series)
    for kind, series_list in kinds.items():
        lines += ["", f"{kind}:"] if len(kinds) > 1 else [""]
        lines += show_kind(series_list, width, is_unicode)
    return lines


def show_kind(series_list, width, is_unicode):
    everything = whole([series for series in series_list if series.samples])
    if not everything.samples:
        return ["no samples"]
    unit = scale.unit_for(end_of(everything), everything.percentile(99.9) or everything.top_ns)
    return [*histogram(everything, unit, width, is_unicode), "", *table(series_list, everything, unit)]


def end_of(series):
    return series.max_ns or (series.buckets[-1].high_ns if series.buckets else 1)


def histogram(series, unit, width, is_unicode):
    rows = count_rows(series, edges_of(series))
    last_edge = series.top_ns or 0
    labels = [(words.number(low, unit), words.number(high, unit), count) for low, high, count in rows]
    if series.early:
        labels.insert(0, ("", "< 0", series.early))
    if series.above:
        labels.append(("from", words.number(last_edge, unit), series.above))
    left = max((len(low) for low, _, _ in labels), default=0)
    right = max((len(high) for _, high, _ in labels), default=0)
    digits = max([len("samples")] + [len(str(count)) for _, _, count in labels])
    room = max(BAR_MIN, width - left - right - digits - 6)
    highest = max((count for _, _, count in labels), default=1)
    heading = f"latency ({unit.text})"
    lines = [f"{heading:>{left + right + 3}} {'samples':>{digits}}  (bars: logarithm of the count)"]
    for low, high, count in labels:
        dash = "-" if low and low != "from" else " "
        drawn = bar(count, highest, room, is_unicode)
        lines.append(f"{low:>{left}} {dash} {high:>{right}} {count:>{max(digits, len(heading) - left - right - 3 + digits)}}  {drawn}".rstrip())
    return lines


def edges_of(series):
    """Row borders: even ones first, doubling behind the 99th percentile."""
    if not series.buckets:
        return [0]
    end = series.buckets[-1].high_ns
    near = min(series.percentile(99) or end, end) + 1
    start = series.buckets[0].low_ns
    step = scale.width_for([series], max(1, near - start), ROWS)
    edges = [start // step * step]
    while edges[-1] < near:
        edges.append(edges[-1] + step)
    while edges[-1] < end:
        step *= 2
        edges.append(edges[-1] + step)
    if series.above:
        edges[-1] = max(end, edges[-2] + 1)
    return edges


def count_rows(series, edges):
    """[(low, high, count)]; a bucket belongs to the row in which it ends."""
    rows, place = [[low, high, 0] for low, high in zip(edges, edges[1:])], 0
    for bucket in series.buckets:
        while bucket.high_ns > rows[place][1]:
            place += 1
        rows[place][2] += bucket.count
    return rows


def bar(count, highest, room, is_unicode):
    """As long as log10(10 * count), the highest fills the room."""
    if not count:
        return ""
    eighths = round(8 * room * (1 + log10(count)) / (1 + log10(highest)))
    if not is_unicode:
        return "#" * max(1, eighths // 8)
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def table(series_list, everything, unit):
    heads = ("", "samples", "min", "avg", "p99", "p99.9", "max")
    rows = [heads]
    for label, series in list(zip(labels(series_list), series_list))[:SERIES_MAX]:
        rows.append(row_of(label, series, unit))
    if len(series_list) > 1:
        rows.append(row_of("all", everything, unit))
    lines = words.columns(rows)
    lines[0] += f"  ({unit.text})"
    if len(series_list) > SERIES_MAX:
        lines.append(f"({len(series_list) - SERIES_MAX} more series are not listed)")
    return lines


def row_of(name, series, unit, percents=(99, 99.9)):
    def rank(percent):
        value = series.percentile(percent)
        if value is None and series.samples and series.top_ns:
            return f">{words.number(series.top_ns, unit)}"
        return words.number(value, unit)

    low, mean, high = words.min_avg_max(series, unit)
    return (name, str(series.samples), low, mean, *map(rank, percents), high)
