# SPDX-License-Identifier: GPL-2.0-or-later
"""`html`: one page with everything in it: system, tables, pictures as inline SVG, and
the comparison if there are two sides. Nothing is loaded from anywhere."""

import io
import re
from html import escape

from . import plot, scale, sides, words
from .model import by_kind, labels, whole
from .terminal import row_of

SERIES_MAX = 256
HEAT_FROM = 4  # CPUs
PERCENTS = (50, 90, 99, 99.9, 99.99, 99.999)
STYLE = """
:root { color-scheme: light; --ink: #1b1f24; --soft: #5d6670; --line: #e2e5e9; --accent: #0072b2; }
* { box-sizing: border-box; }
body { margin: 0; background: #f5f6f8; color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1060px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 26px; margin: 0 0 2px; letter-spacing: -0.01em; }
h2 { font-size: 19px; margin: 0 0 4px; }
h3 { font-size: 14px; margin: 22px 0 6px; color: var(--soft); font-weight: 600; }
section { background: #fff; border: 1px solid var(--line); border-radius: 10px; padding: 20px 24px 24px;
  margin-top: 22px; }
.soft { color: var(--soft); }
code { font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 18px; margin: 12px 0 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; max-height: 520px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 14px; }
th, td { text-align: right; padding: 4px 12px; white-space: nowrap; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
thead th { color: var(--soft); font-weight: 600; position: sticky; top: 0; background: #fff; }
tr.all td { font-weight: 600; border-bottom: 0; }
figure { margin: 14px 0 0; } svg { width: 100%; height: auto; display: block; }
pre { overflow-x: auto; font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; margin: 10px 0 0; }
.verdict { display: inline-block; padding: 3px 12px; border-radius: 6px; font-weight: 600; margin: 8px 0 2px; }
.good { background: #e0f2ec; color: #005a41; } .bad { background: #fbe6da; color: #8a3200; }
.even { background: #eceff2; color: #3b444d; } .note { color: #8a3200; margin: 8px 0 0; }
@media print { body { background: #fff; } section { break-inside: avoid-page; border: 0; padding: 0; }
  .scroll { max-height: none; } }
"""


def page(runs, comparison=None):
    """The whole page. COMPARISON: (runs A, runs B, kinds, verdict, by, sides to draw)."""
    figure = plot.load_matplotlib()
    title = "Latency of " + (runs[0].tool or "a run") if len(runs) == 1 else f"Latency of {len(runs)} runs"
    parts = [f"<h1>{escape(title)}</h1>", f'<div class="soft">{escape(overview(runs))}</div>']
    if comparison:
        parts.append(comparison_section(figure, *comparison))
    parts += [run_section(figure, run, number) for number, run in enumerate(runs)]
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
            + "\n".join(parts) + "\n</main>\n</body>\n</html>\n")


def overview(runs):
    samples = sum(series.samples for run in runs for series in run.series)
    hosts = sorted({run.host for run in runs if run.host})
    where = "" if not hosts else f" on {hosts[0]}" if len(hosts) == 1 else f" on {len(hosts)} machines"
    return f"{samples:,} samples".replace(",", "\u2009") + where


def run_section(figure, run, number):
    parts = [f"<section>\n<h2>{escape(words.headline(run))}</h2>", facts(run), limit(run)]
    parts += [f'<p class="note">{escape(note)}</p>' for note in run.notes]
    kinds = by_kind(run.series)
    for kind, series_list in kinds.items():
        parts.append(table(kind, series_list))
    for view in views_of(run):
        parts.append(picture(figure, [run], view, f"{number}-{view}"))
    return "\n".join(part for part in parts if part) + "\n</section>"


def facts(run):
    rows = [("file", f"<code>{escape(run.source)}</code>")]
    rows += [(name, escape(value)) for name, value in (("machine", run.host), ("started", run.started)) if value]
    if run.command:
        rows.append(("command", f"<code>{escape(run.command)}</code>"))
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows) + "</dl>"


def limit(run):
    if not run.limit:
        return ""
    is_good = run.limit.startswith("no latency")
    return f'<div class="verdict {"good" if is_good else "bad"}">{escape(run.limit)}</div>'


def table(kind, series_list):
    used = [series for series in series_list if series.samples]
    if not used:
        return f"<h3>{escape(kind)}</h3><p>no samples</p>"
    everything = whole(used)
    unit = scale.unit_for(everything.max_ns or everything.top_ns or 1, everything.percentile(99.9))
    rows = [cells(row_of(label, series, unit, PERCENTS))
            for label, series in list(zip(labels(series_list), series_list))[:SERIES_MAX]]
    if len(series_list) > 1:
        rows.append(cells(row_of("all", everything, unit, PERCENTS), "all"))
    heads = ("", "samples", "min", "avg", *(f"p{percent:g}" for percent in PERCENTS), "max")
    head = "".join(f'<th scope="col">{escape(word)}</th>' for word in heads)
    more = len(series_list) - SERIES_MAX
    return (f"<h3>{escape(kind)}, {unit.text}</h3>\n<div class=\"scroll\"><table><thead><tr>{head}</tr></thead>"
            f"<tbody>\n" + "\n".join(rows) + "\n</tbody></table></div>"
            + (f"<p class=\"soft\">{more} more series are not listed</p>" if more > 0 else ""))


def cells(row, style=""):
    return f'<tr class="{style}">' + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"


def views_of(run):
    yield from ("histogram", "percentiles")
    if len([series for series in run.series if series.samples]) >= HEAT_FROM:
        yield "heatmap"
    if any(series.timeline for series in run.series):
        yield "over-time"


CAPTIONS = {"histogram": "Histogram", "percentiles": "Percentiles", "heatmap": "CPUs",
            "over-time": "Over time"}


def picture(figure, runs, view, key):
    canvas = plot.new_canvas(figure)
    plot.draw(canvas, runs, view=view, has_title=False)
    return f"<h3>{CAPTIONS[view]}</h3>\n<figure>{inline(canvas, key, CAPTIONS[view])}</figure>"


def inline(canvas, key, name):
    """The picture as an element of the page; ids that nothing refers to would only clash."""
    out = io.StringIO()
    plot.save_svg(canvas, out, key)
    svg = out.getvalue()
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' id="[A-Za-z0-9.]+_\d+"', "", svg)
    svg = re.sub(r'^<svg ([^>]*?)width="[^"]*"', r"<svg \1", svg, count=1)
    svg = re.sub(r'^<svg ([^>]*?)height="[^"]*"', r"<svg \1", svg, count=1)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(name)}" ', 1).strip()


def comparison_section(figure, runs_a, runs_b, kinds, found, by, drawn):
    style = {"worse": "bad", "better": "good", "same": "even"}[found.word]
    canvas = plot.new_canvas(figure, height=8.4)
    plot.draw_overlay(canvas, drawn, has_title=False)
    lines = sides.text(runs_a, runs_b, kinds, found, by)[:-2]
    return (f'<section>\n<h2>Comparison</h2>\n<div class="verdict {style}">'
            f"{escape(sides.verdict_text(found))}</div>\n<pre>" + escape("\n".join(lines)) + "</pre>\n"
            f"<figure>{inline(canvas, 'compare', 'Comparison')}</figure>\n</section>")
