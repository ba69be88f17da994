# SPDX-License-Identifier: GPL-2.0-or-later
"""`plot --cdf` and `--percentiles`: the share of samples up to a latency, both ways round.

The cumulative picture shows the body, the percentile picture the tail: its axis gives
each further nine the same room, as HdrHistogram's plots do.
"""

from . import scale
from .model import whole
from .sheet import body_end, end_of

LOG_FROM = 30  # times the median: a maximum above it gets a logarithmic latency axis
NINES_MAX = 12


class Curves:
    """One pair of axes with a curve for each series; lines draws on it as on a Sheet."""

    def __init__(self, canvas, series_list, x_max_ns):
        self.canvas, self.panels = canvas, [self]
        self.axes = self.first = canvas.add_subplot()
        self.everything = whole(series_list)
        self.high_ns = x_max_ns or self.end_of_axis(series_list)
        self.unit = scale.unit_for(self.high_ns)

    @staticmethod
    def end_of_axis(series_list):
        return max(s.max_ns or end_of(s) for s in series_list)


class Cdf(Curves):
    legend_at = "lower right"

    @staticmethod
    def end_of_axis(series_list):
        """Of each series all but one percent lie well below it."""
        ends = [s.percentile(99) or end_of(s) for s in series_list]
        return scale.round_outer(min(max(ends) * 5 // 4, body_end(series_list)))

    def step(self, series, fill=0, label=None, **style):
        seen = series.early
        places, shares = [0], [100 * seen / series.samples]
        for low, high, count in series.buckets:
            places += [low / self.unit.ns, high / self.unit.ns]
            shares += [100 * seen / series.samples, 100 * (seen + count) / series.samples]
            seen += count
        if not series.above:
            places.append(max(places[-1], self.high_ns / self.unit.ns))
            shares.append(100)
        self.axes.plot(places, shares, label=label, **style)

    def dress(self):
        self.axes.set_xlim(0, self.high_ns / self.unit.ns)
        self.axes.set_ylim(0, 102)
        self.axes.set_xlabel(f"latency ({self.unit.text})")
        self.axes.set_ylabel("samples up to it (%)")


class Percentiles(Curves):
    legend_at = "upper left"

    def __init__(self, canvas, series_list, x_max_ns):
        super().__init__(canvas, series_list, x_max_ns)
        self.most = max(series.samples for series in series_list)
        near_ns = self.everything.percentile(50)
        self.is_log = near_ns is not None and self.high_ns > LOG_FROM * max(1, near_ns)
        self.unit = scale.unit_for(self.high_ns, near_ns * LOG_FROM if self.is_log else None)
        self.floor_ns = None

    def step(self, series, fill=0, label=None, **style):
        places, values, seen = [], [], series.early
        for bucket in series.buckets:
            value = series.within(bucket.high_ns - series.step_ns)
            places += [self.place(seen, series), self.place(seen + bucket.count, series)]
            values += [value, value]
            seen += bucket.count
        if not places:
            return
        low_ns = max(min(values), series.step_ns) if self.is_log else 0
        self.floor_ns = low_ns if self.floor_ns is None else min(low_ns, self.floor_ns)
        values = [max(value, low_ns) / self.unit.ns for value in values]
        self.axes.plot(places, values, label=label, **style)
        self.draw_end(series, places[-1], values[-1], style)

    @staticmethod
    def place(seen, series):
        """1 / (1 - share); all samples are put where the last one lies."""
        return series.samples / max(1, series.samples - seen)

    def draw_end(self, series, place, value, style):
        """A point for the maximum; dots lead there when no bucket has what lies between."""
        if series.max_ns is None:
            return
        high = series.max_ns / self.unit.ns
        if series.above:
            self.axes.plot([place, series.samples], [value, high], linewidth=0.9, linestyle=":",
                           color=style["color"])
        self.axes.plot([series.samples], [high], marker="o", markersize=3.2, color=style["color"],
                       linestyle="none", clip_on=False, zorder=6)

    def dress(self):
        self.axes.set_xscale("log")
        places = [1, 2] + [10 ** nines for nines in range(1, NINES_MAX) if 10 ** nines <= self.most * 3]
        self.axes.set_xticks(places, [percent_text(place) for place in places])
        self.axes.minorticks_off()
        self.axes.set_xlim(1, max(4, self.most * 1.15))
        self.axes.set_xlabel("percentile of the samples")
        self.axes.set_ylabel(f"latency ({self.unit.text})" + (", logarithmic" if self.is_log else ""))
        self.dress_latency()

    def dress_latency(self):
        from matplotlib.ticker import FuncFormatter
        high = self.high_ns / self.unit.ns
        if not self.is_log:
            self.axes.set_ylim(0, high * 1.06)
            return
        self.axes.set_yscale("log")
        self.axes.set_ylim((self.floor_ns or 1) / self.unit.ns / 1.3, high * 1.6)
        self.axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def percent_text(place):
    """10 -> '90 %', 1000 -> '99.9 %'"""
    if place <= 2:
        return "0 %" if place == 1 else "50 %"
    nines = len(str(place)) - 1
    return "9" * min(2, nines) + ("0" if nines == 1 else "") + ("." + "9" * (nines - 2) if nines > 2 else "") + " %"
