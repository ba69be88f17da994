# SPDX-License-Identifier: GPL-2.0-or-later
"""`plot`: from runs to a picture file. What is on it is in sheet and lines."""

import os

from . import curves, heat, lines, overtime, sheet, words
from .errors import FAILED, MISSING, USAGE, Problem
from .model import labels

FORMATS = ("png", "svg", "pdf")
VIEWS = {"histogram": sheet.Sheet, "cdf": curves.Cdf, "percentiles": curves.Percentiles,
         "heatmap": heat.Heatmap}

STYLE = {
    "font.family": "sans-serif", "font.size": 9.5,
    "axes.edgecolor": "#666666", "axes.linewidth": 0.8, "axes.labelcolor": "#222222",
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "axes.grid": True, "grid.color": "#e4e4e4", "grid.linewidth": 0.7,
    "xtick.color": "#444444", "ytick.color": "#444444",
    "legend.frameon": True, "legend.framealpha": 0.92, "legend.edgecolor": "#dddddd",
    "savefig.dpi": 150, "svg.fonttype": "none", "svg.hashsalt": "rt-hist", "pdf.fonttype": 42,
}
GREY, RED = "#666666", "#a33b00"
LINE_CHARS, LINE_CHARS_MAP = 125, 105  # small letters beside each other above the axes


def check_output(path):
    """The picture's format, by the file's ending."""
    ending = os.path.splitext(path)[1][1:].lower()
    if ending not in FORMATS:
        raise Problem(f"--output: '{path}' should end in .png, .svg or .pdf", USAGE)
    return ending


def load_matplotlib():
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import figure, rcParams
    except ImportError as error:
        raise Problem(
            f"pictures need matplotlib, which is not here ({error}); install python3-matplotlib. "
            "'rt-hist show' works without it", MISSING) from error
    rcParams.update(STYLE)
    return figure


def plot(runs, path, x_max_ns=None, view="histogram"):
    ending = check_output(path)
    figure = load_matplotlib()
    canvas = new_canvas(figure)
    draw(canvas, runs, x_max_ns, view)
    save(canvas, path, ending)


def new_canvas(figure, height=5.4):
    canvas = figure.Figure(figsize=(9.6, height), layout="constrained")
    canvas.get_layout_engine().set(w_pad=0.03, h_pad=0.03, wspace=0, rect=(0.01, 0.015, 0.98, 0.97))
    return canvas


def save(canvas, path, ending):
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending, {})
    try:
        canvas.savefig(path, format=ending, metadata=metadata)
    except OSError as error:
        raise Problem(f"{path}: cannot be written: {error.strerror}", FAILED) from error


def save_svg(canvas, out, key):
    """Into a text stream; KEY makes the ids differ from those of other pictures on a page."""
    from matplotlib import rc_context
    with rc_context({"svg.hashsalt": f"rt-hist-{key}"}):
        canvas.savefig(out, format="svg", metadata={"Date": None})


def draw(canvas, runs, x_max_ns=None, view="histogram", has_title=True):
    named = names_of(runs)
    if view == "over-time":
        paper = overtime.OverTime(canvas, named)
        paper.draw()
        if has_title:
            title(paper.first, runs)
        return
    series_list = [series for _, series in named]
    paper = VIEWS[view](canvas, series_list, x_max_ns)
    if view == "heatmap":
        size_for_rows(canvas, len(named))
        paper.draw(named)
    else:
        lines.draw(paper, named)
    paper.dress()
    unseen = "" if view == "percentiles" else unseen_text(paper, series_list)
    room = LINE_CHARS if len(named) <= len(lines.COLOURS) else LINE_CHARS_MAP
    if has_title:
        title(paper.first, runs, room - len(unseen))
    else:
        room_above(paper.first)
    beside(paper.panels[-1].axes, 1, unseen, RED)


def overlay(sides, path, x_max_ns=None):
    """Both sides of a comparison, as shares and as percentiles. SIDES: (label, runs, series, series a run)."""
    ending = check_output(path)
    figure = load_matplotlib()
    canvas = new_canvas(figure, height=8.4)
    draw_overlay(canvas, sides, x_max_ns)
    save(canvas, path, ending)


def draw_overlay(canvas, sides, x_max_ns=None, has_title=True):
    above, below = canvas.subfigures(2, 1, height_ratios=(1.08, 1))
    named = [(label, series) for label, _, series, _ in sides]
    series_list = [series for _, series in named]
    for paper in (sheet.Sheet(above, series_list, x_max_ns, is_share=True),
                  curves.Percentiles(below, series_list, x_max_ns)):
        for place, (_, _, _, each) in enumerate(sides):
            for series in each if len(each) > 1 else []:
                paper.step(series, color=lines.COLOURS[place], linewidth=0.6, alpha=0.45)
        lines.draw(paper, named)
        paper.dress()
        if isinstance(paper, sheet.Sheet):
            title_sides(paper, sides, series_list, has_title)


def title_sides(paper, sides, series_list, has_title=True):
    heads = [words.headline(runs[0]) for _, runs, _, _ in sides]
    text = heads[0] if heads[0] == heads[1] else f"{heads[0]}   and   {heads[1]}"
    if has_title:
        paper.first.set_title(words.shorten(text, 100), loc="left", fontsize=12 if len(text) < 80 else 10,
                              fontweight="bold", color="#111111", pad=24)
    else:
        room_above(paper.first)
    unseen = unseen_text(paper, series_list)
    beside(paper.first, 0, "thin lines: single runs" if any(len(each) > 1 for *_, each in sides) else "", GREY)
    beside(paper.panels[-1].axes, 1, unseen, RED)


def size_for_rows(canvas, rows):
    canvas.set_size_inches(9.6, min(9, max(3.4, 1.6 + 0.3 * rows)))


def names_of(runs):
    """(label, series) of all that is drawn; threads without samples are left out."""
    named = []
    for run in runs:
        source = "" if len(runs) == 1 else run.source.rsplit("/", 1)[-1] + " "
        named += [(source + label, series) for label, series in zip(labels(run.series), run.series)
                  if series.samples]
    return named


def title(axes, runs, room=LINE_CHARS):
    first = runs[0]
    same = all(words.headline(run) == words.headline(first) for run in runs)
    head = words.headline(first) if same else f"latency of {len(runs)} runs"
    details = [note for run in runs for note in run.notes][:1]
    if len(runs) == 1:
        details.insert(0, first.started.split(".")[0])
        command = words.shorten(first.command, max(20, room - sum(len(word) + 8 for word in details)))
        details.insert(0, command)
    axes.set_title(head, loc="left", fontsize=12, fontweight="bold", color="#111111", pad=24)
    text = "   ·   ".join(word for word in details if word)
    beside(axes, 0, words.shorten(text, room), GREY)


def room_above(axes):
    """For the small line, where there is no title."""
    axes.set_title(" ", fontsize=8, pad=9)


def beside(axes, side, text, colour):
    """A line of small text above the axes, at the left, 0, or right, 1."""
    axes.annotate(text, (side, 1), xytext=(0, 8), textcoords="offset points", fontsize=8.5,
                  xycoords="axes fraction", ha="right" if side else "left", color=colour,
                  parse_math=False, annotation_clip=False).set_in_layout(False)


def unseen_text(paper, series_list):
    """Samples that the picture cannot show where they belong."""
    cut = sum(b.count for s in series_list for b in s.buckets if b.low_ns >= paper.high_ns)
    early = sum(s.early for s in series_list)
    notes = [f"{cut} more behind the right edge" if cut else "",
             words.above_text(series_list, paper.unit),
             f"{early} below zero, drawn at 0" if early else ""]
    return ", ".join(note for note in notes if note)
