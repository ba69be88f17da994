# SPDX-License-Identifier: GPL-2.0-or-later
"""`plot --over-time`: what happened when, from a samples file or hwlatdetect's samples.

Few series have a strip each, on one scale: the range of each span and its mean. Many
become a map, coloured by the largest latency of each span.
"""

from . import scale, words
from .errors import Problem
from .model import whole

STRIPS_MAX = 8
SPARSE, FILLED = 0.2, 0.95  # shares of spans with samples; hwlatdetect has few, and is left alone
WIDER_MAX = 4
LOG_FROM = 20  # times the mean: a maximum above it gets a logarithmic latency axis
BAND, LINE, MARK = "#0072b2", "#00395a", "#d55e00"
TIME_UNITS = ((3 * 3600, 3600, "h"), (5 * 60, 60, "min"), (0, 1, "s"))


class OverTime:
    def __init__(self, canvas, named):
        self.canvas = canvas
        self.named = [(label, series) for label, series in named if series.timeline]
        if not self.named:
            raise Problem("--over-time needs a --samples file or a report of hwlatdetect; "
                          "histograms do not say when a sample was taken")
        width_ns = self.even_width()
        self.width_s = width_ns / 1e9
        self.first_place = min(min(s.timeline.spans) for _, s in self.named)
        self.count = 1 + max(max(s.timeline.spans) for _, s in self.named) - self.first_place
        seconds = self.count * self.width_s
        self.time_s, self.time_text = next(row[1:] for row in TIME_UNITS if seconds >= row[0])
        self.everything = whole([series for _, series in self.named])
        self.set_latency()
        self.panels = []

    def even_width(self):
        """One width for all, and wide enough that a span without a sample says something."""
        lines = [series.timeline for _, series in self.named]
        width_ns = max(line.width_ns for line in lines)
        for _ in range(WIDER_MAX):
            for line in lines:
                line.coarsen(width_ns)
            shares = [len(line.spans) / (max(line.spans) - min(line.spans) + 1) for line in lines]
            if not SPARSE < min(shares) < FILLED:
                break
            width_ns *= 2
        return lines[0].width_ns

    def set_latency(self):
        mean_ns, max_ns = self.everything.mean_ns, self.everything.max_ns
        self.is_log = max_ns > LOG_FROM * max(1, mean_ns) and self.everything.min_ns > 0
        self.unit = scale.unit_for(max_ns, mean_ns * LOG_FROM if self.is_log else None)

    @property
    def first(self):
        return self.panels[0]

    def draw(self):
        if len(self.named) <= STRIPS_MAX:
            self.draw_strips()
        else:
            self.draw_map()
        self.panels[-1].set_xlabel(f"time from the first sample ({self.time_text}); "
                                   f"spans of {span_text(self.width_s)}")

    def times(self):
        width = self.width_s / self.time_s
        return [place * width for place in range(self.count + 1)]

    def spans(self, series):
        """A span for each step of the time axis, None where there was no sample."""
        spans = series.timeline.spans
        return [spans.get(self.first_place + place) for place in range(self.count)]

    def draw_strips(self):
        grid = self.canvas.add_gridspec(len(self.named), 1)
        for place, (label, series) in enumerate(self.named):
            shared = self.panels[0] if place else None
            axes = self.canvas.add_subplot(grid[place], sharex=shared, sharey=shared)
            self.panels.append(axes)
            self.strip(axes, series)
            axes.tick_params(labelbottom=place == len(self.named) - 1)
            self.name(axes, label, series)
        self.dress(self.panels[0])
        self.canvas.supylabel(f"latency ({self.unit.text})" + (", logarithmic" if self.is_log else ""),
                              fontsize=9.5, color="#222222")

    def strip(self, axes, series):
        spans, nothing = self.spans(series), float("nan")
        lows = [span[0] / self.unit.ns if span else nothing for span in spans]
        highs = [span[1] / self.unit.ns if span else nothing for span in spans]
        means = [span[2] / span[3] / self.unit.ns if span else nothing for span in spans]
        times = self.times()
        middles = [(begin + end) / 2 for begin, end in zip(times, times[1:])]
        axes.vlines(middles, lows, highs, color=BAND, linewidth=self.line_width(), alpha=0.55)
        is_dense = sum(span is not None for span in spans) > self.count / 2
        axes.plot(middles, means, color=LINE, linewidth=0.9, linestyle="-" if is_dense else "none",
                  marker="" if is_dense else "o", markersize=3)
        place = max((p for p, span in enumerate(spans) if span), key=lambda p: spans[p][1])
        axes.plot([middles[place]], [highs[place]], marker="o", markersize=4, color=MARK,
                  linestyle="none", zorder=6)

    def line_width(self):
        """In points: a span's room on paper, so that neighbours touch."""
        return max(0.7, min(3, 600 / self.count))

    def name(self, axes, label, series):
        low, mean, high = words.min_avg_max(series, self.unit)
        text = f"{label}   min {low}   avg {mean}   max {high} {self.unit.text}"
        axes.set_title(words.firm(text), loc="right",
                       fontsize=8.5, family="monospace", color="#333333", pad=3)

    def dress(self, axes):
        from matplotlib.ticker import FuncFormatter
        end = self.times()[-1]
        axes.set_xlim(-end / 150, end + end / 150)
        high = self.everything.max_ns / self.unit.ns
        if not self.is_log:
            axes.set_ylim(min(0, self.everything.min_ns / self.unit.ns), high * 1.12)
            return
        axes.set_yscale("log")
        axes.set_ylim(self.everything.min_ns / self.unit.ns / 1.4, high * 1.8)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))

    def draw_map(self):
        from matplotlib import colors
        axes = self.canvas.add_subplot()
        self.panels.append(axes)
        nothing = float("nan")
        cells = [[span[1] / self.unit.ns if span else nothing for span in self.spans(series)]
                 for _, series in self.named]
        low = min(cell for row in cells for cell in row if cell == cell)
        high = self.everything.max_ns / self.unit.ns
        norm = colors.LogNorm(max(low, high / 1e6), high) if low > 0 else colors.Normalize(low, high)
        mesh = axes.pcolormesh(self.times(), [place - 0.5 for place in range(len(cells) + 1)], cells,
                               norm=norm, cmap="cividis", linewidth=0, rasterized=True)
        bar = self.canvas.colorbar(mesh, ax=axes, pad=0.015, fraction=0.03, format="{x:g}")
        bar.ax.minorticks_off()
        bar.set_label(f"largest latency of a span ({self.unit.text})")
        bar.outline.set_visible(False)
        axes.grid(visible=False)
        every = -(-len(cells) // 16)
        places = range(0, len(cells), every)
        axes.set_yticks(list(places), [self.named[place][0] for place in places])
        axes.set_ylim(len(cells) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)


def span_text(seconds):
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1000:.3g} ms"
