# SPDX-License-Identifier: GPL-2.0-or-later
"""`plot`: the histogram as the field draws it: log counts over linear latency, one
step line a series, with minimum, average and maximum in the legend.

Up to eight series have a line and colour each (Okabe and Ito's, told apart in all
common kinds of colour blindness, and another dash from the fifth on). More are
drawn thinly in the order of a sequential map (cividis, made for the same), with a
colour bar for their numbers and the worst of them drawn strongly and named.
"""

import os

from . import scale, words
from .errors import FAILED, MISSING, USAGE, Problem
from .model import whole

FORMATS = ("png", "svg", "pdf")
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#7f5a00")
DASHES = ("-", "-", "-", "-", "--", "--", "--", "--")
NAMED_MAX = len(COLOURS)
WORST_COLOURS = ("#d55e00", "#cc79a7", "#56b4e9")
BINS = 300
FLOOR = 0.7  # of the count axis: a single sample stands clearly above it

STYLE = {
    "font.family": "sans-serif", "font.size": 9.5,
    "axes.edgecolor": "#666666", "axes.linewidth": 0.8, "axes.labelcolor": "#222222",
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "axes.grid": True, "grid.color": "#e4e4e4", "grid.linewidth": 0.7,
    "xtick.color": "#444444", "ytick.color": "#444444",
    "legend.frameon": True, "legend.framealpha": 0.92, "legend.edgecolor": "#dddddd",
    "legend.fontsize": 8.5, "legend.title_fontsize": 8.5,
    "savefig.dpi": 150, "svg.fonttype": "none", "svg.hashsalt": "rt-hist", "pdf.fonttype": 42,
}


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
    canvas.get_layout_engine().set(w_pad=0.12, h_pad=0.12)
    draw(canvas, runs, x_max_ns)
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending, {})
    try:
        canvas.savefig(path, format=ending, metadata=metadata)
    except OSError as error:
        raise Problem(f"{path}: cannot be written: {error.strerror}", FAILED) from error


def draw(canvas, runs, x_max_ns):
    lines = lines_of(runs)
    series_list = [series for _, series in lines]
    high_ns = x_max_ns or max(end_of(series) for series in series_list)
    unit = scale.unit_for(high_ns)
    width_ns = scale.width_for(series_list, high_ns, BINS)
    axes = canvas.add_subplot()
    stepper = Stepper(axes, unit, width_ns, high_ns)
    if len(lines) <= NAMED_MAX:
        draw_named(stepper, lines)
    else:
        draw_many(canvas, stepper, lines)
    dress(axes, stepper)
    title(axes, runs)
    note_above(axes, series_list, unit, high_ns)


def end_of(series):
    """Where the series ends in the picture, in nanoseconds."""
    return series.buckets[-1].high_ns if series.buckets else series.top_ns or 1


def lines_of(runs):
    """(label, series) of all that is drawn; empty threads are left out."""
    lines = []
    for run in runs:
        label = "" if len(runs) == 1 else run.source.rsplit("/", 1)[-1] + " "
        lines += [(label + label_of(s), s) for s in run.series if s.samples]
    return lines


def label_of(series):
    return f"CPU {series.cpu}" if series.cpu is not None else series.name


class Stepper:
    """Draws series as step lines on one grid and remembers the highest count."""

    def __init__(self, axes, unit, width_ns, high_ns):
        self.axes, self.unit, self.width_ns = axes, unit, width_ns
        self.last = -(-high_ns // width_ns)
        self.highest = 1

    def __call__(self, series, fill=0, **style):
        buckets = series.buckets
        if series.early:
            buckets = [(0, 1, series.early)] + buckets
        bins = scale.regrid(buckets, self.width_ns)
        counts = [bins.get(place, 0) for place in range(self.last)]
        self.highest = max([self.highest] + counts)
        heights = [count or FLOOR / 10 for count in counts]
        edges = [place * self.width_ns / self.unit.ns for place in range(self.last + 1)]
        self.axes.stairs(heights, edges, baseline=FLOOR / 10, **style)
        if fill:
            self.axes.stairs(heights, edges, baseline=FLOOR / 10, fill=True, alpha=fill,
                             color=style["color"], linewidth=0)


def draw_named(stepper, lines):
    fill = 0.16 if len(lines) == 1 else 0.07 if len(lines) <= 4 else 0
    heading, labels = legend_words(lines, stepper.unit)
    for place, (_, series) in enumerate(lines):
        stepper(series, fill=fill, color=COLOURS[place], linestyle=DASHES[place], linewidth=1.3,
                label=labels[place])
    legend(stepper, heading)


def draw_many(canvas, stepper, lines):
    from matplotlib import cm, colormaps, colors
    from matplotlib.ticker import MaxNLocator
    have_cpus = len({s.cpu for _, s in lines} - {None}) == len(lines)
    number = {id(s): s.cpu if have_cpus else place for place, (_, s) in enumerate(lines)}
    norm = colors.Normalize(0, max(number.values()))
    shades = colormaps["cividis"]
    for _, series in lines:
        stepper(series, color=shades(norm(number[id(series)])), linewidth=0.7, alpha=0.55)
    worst = sorted(lines, key=lambda line: line[1].max_ns or 0, reverse=True)
    worst = worst[:len(WORST_COLOURS)]
    name = f"all {len(lines)} {'CPUs' if have_cpus else 'series'}"
    named = worst + [(name, whole([s for _, s in lines]))]
    heading, labels = legend_words(named, stepper.unit)
    for place, (_, series) in enumerate(worst):
        stepper(series, color=WORST_COLOURS[place], linewidth=1.3, zorder=5 - place / 10,
                label=labels[place])
    stepper.axes.plot([], [], color="none", label=labels[-1])
    legend(stepper, heading)
    bar = canvas.colorbar(cm.ScalarMappable(norm, shades), ax=stepper.axes, pad=0.015, aspect=32,
                          ticks=MaxNLocator(integer=True))
    bar.set_label("CPU" if have_cpus else "series")
    bar.outline.set_visible(False)


def legend_words(lines, unit):
    """A heading and a label a line, in columns."""
    rows = [("", "min", "avg", "max", "")]
    rows += [(label, *words.min_avg_max(series, unit), unit.text) for label, series in lines]
    heading, *labels = words.columns(rows)
    return heading, labels


def legend(stepper, heading):
    box = stepper.axes.legend(title=heading, loc="upper right", alignment="right",
                              handlelength=1.8, borderpad=0.8, prop={"family": "monospace", "size": 8.5},
                              title_fontproperties={"family": "monospace", "size": 8.5})
    box.set_zorder(10)
    box.get_title().set_color("#666666")


def dress(axes, stepper):
    """Scales, ends and names of the axes."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
    unit, width_ns = stepper.unit, stepper.width_ns
    axes.set_yscale("log")
    axes.set_ylim(FLOOR, stepper.highest * 2.2)
    axes.yaxis.set_major_locator(LogLocator(10, numticks=12))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}".replace(",", "\u2009")))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(which="minor", length=0)
    axes.grid(axis="x", linewidth=0.5)
    right_ns = scale.round_outer(stepper.last * width_ns)
    axes.set_xlim(0, min(right_ns, stepper.last * width_ns * 1.12) / unit.ns)
    axes.set_xlabel(f"latency ({unit.text})")
    axes.set_ylabel(f"samples per {words.number(width_ns, unit)} {unit.text}")


def title(axes, runs):
    first = runs[0]
    same = all(words.headline(run) == words.headline(first) for run in runs)
    head = words.headline(first) if same else f"latency of {len(runs)} runs"
    axes.set_title(head, loc="left", fontsize=12, fontweight="bold", color="#111111", pad=24)
    details = [words.shorten(first.command, 80), words.shorten(first.started, 40)] if len(runs) == 1 else []
    details += [note for run in runs for note in run.notes][:1]
    axes.text(0, 1.022, "   ·   ".join(word for word in details if word), transform=axes.transAxes,
              fontsize=8.5, color="#666666", parse_math=False)


def note_above(axes, series_list, unit, high_ns):
    """Samples that the picture cannot show, at the right edge where they would begin."""
    text = words.above_text(series_list, unit)
    cut = sum(b.count for s in series_list for b in s.buckets if b.low_ns >= high_ns)
    if cut:
        text = f"{cut} more behind the right edge" + (f", {text}" if text else "")
    early = sum(s.early for s in series_list)
    if early:
        text += (", " if text else "") + f"{early} below zero, drawn at 0"
    if text:
        axes.text(1, 1.022, text, transform=axes.transAxes, ha="right", fontsize=8.5,
                  color="#a33b00")
