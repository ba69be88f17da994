# SPDX-License-Identifier: GPL-2.0-or-later
"""`compare` as text: both sides, a table for each kind, a row a CPU, the verdict."""

from . import scale, words

CPUS_MAX = 256
MANY_CPUS = 7
COLUMNS = ("p50", "p90", "p99", "p99.9", "p99.99", "p99.999", "max")


def text(runs_a, runs_b, kinds, found, by):
    lines = side_lines("A", runs_a) + side_lines("B", runs_b)
    for kind in kinds:
        lines += ["", *kind_lines(kind, by)]
    return lines + ["", "verdict: " + verdict_text(found)]


def side_lines(name, runs):
    samples = sum(series.samples for run in runs for series in run.series)
    sources = list(dict.fromkeys(run.source for run in runs))
    more = f" and {len(sources) - 3} more" if len(sources) > 3 else ""
    lines = [f"{name}: {words.count(len(runs), 'run')}, {samples} samples: " + " ".join(sources[:3]) + more]
    lines += [f"   {headline}" for headline in dict.fromkeys(words.headline(run) for run in runs)]
    return lines + [f"   note: {run.source}: {note}" for run in runs for note in run.notes]


def kind_lines(kind, by):
    highest = max((row.b.ns or 0) for row in kind.rows)
    unit = scale.unit_for(max(highest, kind.rows[0].a.ns or 0), kind.rows[-2].b.ns)
    has_runs = kind.rows[0].interval is not None
    lines = [f"{line}".rstrip() for line in words.columns(table(kind, unit, has_runs))]
    if not has_runs:
        lines.append("One run on a side: there is no interval. How far runs of one system lie apart "
                     "is not known.")
    lines += ["", *cpu_lines(kind, unit, by)]
    lines.append(f"Of all pairs of samples, B's is the later one in {100 * kind.shift:.1f} % "
                 "(50 %: no shift).")
    return lines


def table(kind, unit, has_runs):
    heads = [f"{kind.name} ({unit.text})", "A", "", "B", "", "change", "", ""]
    if has_runs:
        heads[2] = heads[4] = heads[6] = "95 % interval"
    rows = [heads]
    for row in kind.rows:
        rows.append([row.name, words.number(row.a.ns, unit, True), span(row.a.interval, unit),
                     words.number(row.b.ns, unit, True), span(row.b.interval, unit),
                     change(row.change), percents(row.interval), row.verdict])
    rows[-1][-1] = "no interval" if has_runs else ""
    if not has_runs:
        rows = [[row[place] for place in (0, 1, 3, 5, 7)] for row in rows]
    return rows


def span(interval, unit):
    if interval is None:
        return ""
    return f"{words.number(interval.low, unit, True)} .. {words.number(interval.high, unit, True)}"


def change(value):
    return "-" if value is None else f"{value:+.1f} %"


def percents(interval):
    return "" if interval is None else f"{interval.low:+.1f} .. {interval.high:+.1f} %"


def cpu_lines(kind, unit, by):
    if len(kind.cpus) < 2:
        return []
    names = [name for name in COLUMNS if name in ("p50", "p99", "max", by)
             and all(any(row.name == name for row in rows) for _, rows in kind.cpus)]
    rows = [["by CPU", *(f"{name} {side}" for name in names for side in "AB"), "", ""]]
    judged = by if by in names else names[0]
    rows[0][-2] = f"{judged} change"
    for label, cpu_rows in kind.cpus[:CPUS_MAX]:
        by_name = {row.name: row for row in cpu_rows}
        cells = [words.number(value.ns, unit, True) for name in names
                 for value in (by_name[name].a, by_name[name].b)]
        rows.append([label, *cells, change(by_name[judged].change), by_name[judged].verdict])
    lines = words.columns(rows)
    if len(kind.cpus) > CPUS_MAX:
        lines.append(f"({len(kind.cpus) - CPUS_MAX} more CPUs are not listed)")
    if len(kind.cpus) > MANY_CPUS and kind.rows[0].interval is not None:
        lines.append("Of many CPUs, one in twenty differs by chance alone.")
    return [line.rstrip() for line in lines] + [""]


def verdict_text(found):
    row = found.row
    if row.change is None:
        return f"{found.word} ({row.name} of {found.kind})"
    size = f"{abs(row.change):.1f} % {'larger' if row.change > 0 else 'smaller'}"
    if row.interval is not None:
        size += f", 95 % interval {percents(row.interval)}"
    return f"{found.word}: {row.name} of {found.kind} is {size}"
