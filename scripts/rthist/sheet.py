# SPDX-License-Identifier: GPL-2.0-or-later
"""The axes of a histogram picture, and step lines on them.

Latency runs linearly from 0. Where the last samples lie far behind nearly all
others, a second panel goes on with a coarser scale, so that neither the body is
pressed into a corner nor the worst case left out. Counts are logarithmic.
"""

from . import scale, words
from .model import Bucket, whole

BINS = 300
TAIL_BINS = 60
TAIL_FROM = 4  # times the body's end: from there on the tail has a panel of its own
FAR_TIMES = 8  # times the 99th percentile is far, for the 99.9th
FLOOR = 0.7    # of the count axis: a single sample stands clearly above it


class Panel:
    """A part of the latency axis on an even grid, from low_ns to high_ns."""

    def __init__(self, low_ns, high_ns, width_ns):
        self.low_ns, self.width_ns = low_ns, width_ns
        self.bins = -(-(high_ns - low_ns) // width_ns)
        self.high_ns = low_ns + self.bins * width_ns
        self.axes = None

    def counts(self, buckets, is_last):
        """Samples per bin; a bucket belongs to the panel in which it begins."""
        own = [Bucket(max(0, low - self.low_ns), high - self.low_ns, count)
               for low, high, count in buckets
               if self.low_ns <= low and (is_last or low < self.high_ns)]
        if not is_last:
            span = self.high_ns - self.low_ns
            own = [Bucket(low, min(high, span), count) for low, high, count in own]
        bins = scale.regrid(own, self.width_ns)
        return [bins.get(place, 0) for place in range(self.bins)]

    def edges(self, unit):
        return [(self.low_ns + place * self.width_ns) / unit.ns for place in range(self.bins + 1)]


class Sheet:
    """One or two panels with one count axis."""

    legend_at = "upper right"

    def __init__(self, canvas, series_list, x_max_ns, is_share=False):
        high_ns = x_max_ns or max(end_of(series) for series in series_list)
        self.canvas = canvas
        self.unit = scale.unit_for(high_ns, x_max_ns or body_end(series_list))
        self.panels = panels_for(series_list, high_ns, may_split=x_max_ns is None)
        self.high_ns = self.panels[-1].high_ns if x_max_ns is None else high_ns
        self.is_share = is_share
        self.floor = FLOOR / max(s.samples for s in series_list) if is_share else FLOOR
        self.highest = 0 if is_share else 1
        grid = canvas.add_gridspec(1, len(self.panels),
                                   width_ratios=(2.6, 1)[:len(self.panels)])
        for place, panel in enumerate(self.panels):
            panel.axes = canvas.add_subplot(grid[place], sharey=self.first if place else None)

    @property
    def first(self):
        return self.panels[0].axes

    def step(self, series, fill=0, label=None, **style):
        buckets = series.buckets
        if series.early:
            buckets = [Bucket(0, 1, series.early)] + buckets
        for panel in self.panels:
            is_last = panel is self.panels[-1]
            weight = 1 / series.samples if self.is_share else 1
            counts = [count * weight for count in panel.counts(buckets, is_last)]
            self.highest = max([self.highest] + counts)
            nothing = self.floor / 10
            heights, edges = [count or nothing for count in counts], panel.edges(self.unit)
            panel.axes.stairs(heights, edges, baseline=nothing, label=label if is_last else None, **style)
            if fill:
                panel.axes.stairs(heights, edges, baseline=nothing, fill=True, alpha=fill,
                                  color=style["color"], linewidth=0)

    def dress(self):
        """Scales, ends and names of the axes."""
        for panel in self.panels:
            self.dress_counts(panel.axes)
            self.dress_latency(panel)
        if len(self.panels) > 1:
            self.dress_tail(self.panels[-1])
        self.first.set_xlabel(f"latency ({self.unit.text})")
        self.first.set_ylabel(self.per_bin(self.panels[0]))

    def dress_counts(self, axes):
        from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
        axes.set_yscale("log")
        axes.set_ylim(self.floor, self.highest * 2.2)
        axes.yaxis.set_major_locator(LogLocator(10, numticks=12))
        axes.yaxis.set_major_formatter(
            FuncFormatter(lambda value, _: f"{100 * value:g} %" if self.is_share else
                          f"{value:,.0f}".replace(",", "\u2009")))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.tick_params(which="minor", length=0)
        axes.grid(axis="x", linewidth=0.5)

    def dress_latency(self, panel):
        end_ns = panel.high_ns
        if panel is self.panels[-1]:
            span = end_ns - panel.low_ns
            end_ns = panel.low_ns + min(scale.round_outer(span), int(span * 1.12))
        panel.axes.set_xlim(panel.low_ns / self.unit.ns, end_ns / self.unit.ns)
        panel.axes.ticklabel_format(axis="x", style="plain", useOffset=False)

    def dress_tail(self, panel):
        """Plainly another scale: a shade, its own bin width, no second count axis."""
        from matplotlib.ticker import MaxNLocator
        axes = panel.axes
        axes.set_facecolor("#f6f6f6")
        axes.spines["left"].set(linestyle=(0, (4, 3)), color="#999999")
        axes.tick_params(axis="y", which="both", length=0, labelleft=False)
        axes.xaxis.set_major_locator(MaxNLocator(4 if panel.high_ns < 100000 * self.unit.ns else 2, prune="lower"))
        axes.set_xlabel(f"coarser: per {self.bin_text(panel)}" if self.is_share else
                        f"coarser: {self.per_bin(panel)}")

    def per_bin(self, panel):
        return f"{'share of the ' if self.is_share else ''}samples per {self.bin_text(panel)}"

    def bin_text(self, panel):
        return f"{words.number(panel.width_ns, self.unit)} {self.unit.text}"


def end_of(series):
    """Where the series ends in the picture, in nanoseconds."""
    return series.buckets[-1].high_ns if series.buckets else series.top_ns or 1


def panels_for(series_list, high_ns, may_split):
    body_ns = body_end(series_list)
    if not may_split or high_ns <= TAIL_FROM * body_ns:
        return [Panel(0, high_ns, scale.width_for(series_list, high_ns, BINS))]
    width_ns = scale.width_for(series_list, body_ns, BINS)
    body = Panel(0, body_ns, width_ns)
    tail_width_ns = max(width_ns, scale.round_up(-(-(high_ns - body.high_ns) // TAIL_BINS)))
    return [body, Panel(body.high_ns, high_ns, tail_width_ns)]


def body_end(series_list):
    """A round latency that leaves at least 99.9 percent of the samples well below it.

    If the last of these lie far behind 99 percent, they belong to the tail.
    """
    everything = whole(series_list)
    near_ns = everything.percentile(99.9) or end_of(everything)
    most_ns = everything.percentile(99) or near_ns
    near_ns = min(near_ns, FAR_TIMES * max(most_ns, everything.step_ns))
    return scale.round_outer(near_ns + near_ns // 2)
