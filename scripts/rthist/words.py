# SPDX-License-Identifier: GPL-2.0-or-later
"""The sentences and numbers that all views share."""

import re


def number(value_ns, unit, is_mean=False):
    """A time in UNIT: as many decimals as say something, '-' when it is not known."""
    if value_ns is None:
        return "-"
    value = value_ns / unit.ns
    is_whole = unit.ns == 1 or value_ns % unit.ns == 0
    if abs(value) >= 1000 or (is_whole and not is_mean):
        digits = 0
    else:
        digits = 1 if abs(value) >= 1 else 3
    return f"{value:.{digits}f}"


def count(number_of, noun):
    return f"{number_of} {noun}{'' if number_of == 1 else 's'}"


def min_avg_max(series, unit):
    return (number(series.min_ns, unit), number(series.mean_ns, unit, is_mean=True),
            number(series.max_ns, unit))


def columns(rows, gap="  "):
    """Rows of words as lines: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return [gap.join([f"{row[0]:<{widths[0]}}"] +
                     [f"{word:>{width}}" for word, width in zip(row[1:], widths[1:])])
            for row in rows]


def firm(text):
    """Blanks that stand together, as between columns, so that browsers keep them in an SVG."""
    return re.sub(" {2,}", lambda blanks: "\u00a0" * len(blanks.group()), text)


def headline(run):
    """'cyclictest on Linux 6.1.0-rt (PREEMPT_RT, x86_64)', as far as it is known."""
    details = ", ".join(word for word in (run.preempt, run.machine) if word)
    where = f"Linux {run.kernel}" if run.kernel else ""
    if where and details:
        where += f" ({details})"
    return " on ".join(word for word in (run.tool or "latency histogram", where) if word)


def above_text(series_list, unit):
    """What lies above the histograms' top, or ''."""
    above = sum(s.above for s in series_list)
    if not above:
        return ""
    top = min((s.top_ns for s in series_list if s.above and s.top_ns is not None), default=None)
    where = f"at {number(top, unit)} {unit.text} or more" if top is not None else "above the histogram"
    return f"{above} sample{'s' if above != 1 else ''} {where}"


def shorten(text, width):
    return text if len(text) <= width else text[: width - 1] + "…"
