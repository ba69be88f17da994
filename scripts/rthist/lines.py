# SPDX-License-Identifier: GPL-2.0-or-later
"""How many series share a sheet: a few as named lines, many as a thicket with a map.

Up to eight series have a line and colour each (Okabe and Ito's, told apart in all
common kinds of colour blindness, and another dash from the fifth on). More are
drawn thinly in the order of a sequential map (cividis, made for the same), with a
colour bar for their numbers and the worst of them drawn strongly and named.
"""

from . import words
from .model import whole

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#7f5a00")
DASHES = ("-", "-", "-", "-", "--", "--", "--", "--")
WORST_COLOURS = ("#d55e00", "#cc79a7", "#56b4e9")
GREY = "#666666"


def draw(sheet, named):
    """NAMED: (label, series) pairs."""
    if len(named) <= len(COLOURS):
        draw_few(sheet, named)
    else:
        draw_many(sheet, named)


def draw_few(sheet, named):
    fill = 0.16 if len(named) == 1 else 0.07 if len(named) <= 4 else 0
    heading, labels = legend_words(named, sheet.unit)
    for place, (_, series) in enumerate(named):
        sheet.step(series, fill=fill, color=COLOURS[place], linestyle=DASHES[place], linewidth=1.3,
                   label=labels[place])
    legend(sheet, heading)


def draw_many(sheet, named):
    from matplotlib import colormaps, colors
    have_cpus = len({s.cpu for _, s in named} - {None}) == len(named)
    numbers = [s.cpu if have_cpus else place for place, (_, s) in enumerate(named)]
    norm, shades = colors.Normalize(0, max(numbers)), colormaps["cividis"]
    for number, (_, series) in zip(numbers, named):
        sheet.step(series, color=shades(norm(number)), linewidth=0.7, alpha=0.55)
    draw_worst(sheet, named, "CPUs" if have_cpus else "series")
    colour_bar(sheet, norm, shades, "CPU" if have_cpus else "series")


def draw_worst(sheet, named, plural):
    worst = sorted(named, key=lambda line: line[1].max_ns or 0, reverse=True)[:len(WORST_COLOURS)]
    everything = (f"all {len(named)} {plural}", whole([s for _, s in named]))
    heading, labels = legend_words(worst + [everything], sheet.unit)
    for place, (_, series) in enumerate(worst):
        sheet.step(series, color=WORST_COLOURS[place], linewidth=1.3, zorder=5 - place / 10,
                   label=labels[place])
    sheet.panels[-1].axes.plot([], [], color="none", label=labels[-1])
    legend(sheet, heading)


def colour_bar(sheet, norm, shades, name):
    from matplotlib import cm
    from matplotlib.ticker import MaxNLocator
    bar = sheet.canvas.colorbar(cm.ScalarMappable(norm, shades), pad=0.015, aspect=32,
                                ax=[panel.axes for panel in sheet.panels],
                                ticks=MaxNLocator(integer=True))
    bar.set_label(name)
    bar.outline.set_visible(False)


def legend_words(named, unit):
    """A heading and a label a line, in columns."""
    rows = [("", "min", "avg", "max", "")]
    rows += [(label, *words.min_avg_max(series, unit), unit.text) for label, series in named]
    heading, *labels = map(words.firm, words.columns(rows))
    return heading, labels


def legend(sheet, heading):
    font = {"family": "monospace", "size": 8.5}
    box = sheet.panels[-1].axes.legend(
        title=heading, loc=sheet.legend_at, alignment="right", handlelength=1.8, borderpad=0.8,
        prop=font, title_fontproperties=font)
    box.set_zorder(10)
    box.set_in_layout(False)
    box.get_title().set_color(GREY)
