# SPDX-License-Identifier: GPL-2.0-or-later
"""`plot`: from runs to a picture file. What is on it is in sheet and lines."""

import os

from . import lines, sheet, words
from .errors import FAILED, MISSING, USAGE, Problem
from .model import labels

FORMATS = ("png", "svg", "pdf")

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


def plot(runs, path, x_max_ns=None):
    ending = check_output(path)
    figure = load_matplotlib()
    canvas = figure.Figure(figsize=(9.6, 5.4), layout="constrained")
    canvas.get_layout_engine().set(w_pad=0.03, h_pad=0.03, wspace=0, rect=(0.01, 0.015, 0.98, 0.97))
    draw(canvas, runs, x_max_ns)
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending, {})
    try:
        canvas.savefig(path, format=ending, metadata=metadata)
    except OSError as error:
        raise Problem(f"{path}: cannot be written: {error.strerror}", FAILED) from error


def draw(canvas, runs, x_max_ns):
    named = names_of(runs)
    series_list = [series for _, series in named]
    paper = sheet.Sheet(canvas, series_list, x_max_ns)
    lines.draw(paper, named)
    paper.dress()
    title(paper.first, runs)
    note_unseen(paper, series_list)


def names_of(runs):
    """(label, series) of all that is drawn; threads without samples are left out."""
    named = []
    for run in runs:
        source = "" if len(runs) == 1 else run.source.rsplit("/", 1)[-1] + " "
        named += [(source + label, series) for label, series in zip(labels(run.series), run.series)
                  if series.samples]
    return named


def title(axes, runs):
    first = runs[0]
    same = all(words.headline(run) == words.headline(first) for run in runs)
    head = words.headline(first) if same else f"latency of {len(runs)} runs"
    details = []
    if len(runs) == 1:
        details = [words.shorten(first.command, 80), words.shorten(first.started, 40)]
    details += [note for run in runs for note in run.notes][:1]
    axes.set_title(head, loc="left", fontsize=12, fontweight="bold", color="#111111", pad=24)
    axes.text(0, 1.022, "   ·   ".join(word for word in details if word), transform=axes.transAxes,
              fontsize=8.5, color=GREY, parse_math=False).set_in_layout(False)


def note_unseen(paper, series_list):
    """Samples that the picture cannot show where they belong."""
    cut = sum(b.count for s in series_list for b in s.buckets if b.low_ns >= paper.high_ns)
    early = sum(s.early for s in series_list)
    notes = [f"{cut} more behind the right edge" if cut else "",
             words.above_text(series_list, paper.unit),
             f"{early} below zero, drawn at 0" if early else ""]
    axes = paper.panels[-1].axes
    axes.text(1, 1.022, ", ".join(note for note in notes if note), transform=axes.transAxes,
              ha="right", fontsize=8.5, color=RED).set_in_layout(False)
