# SPDX-License-Identifier: GPL-2.0-or-later
"""`plot --heatmap`: a row for each CPU, coloured by how many samples a latency has.

The latency axis is a histogram picture's, with a coarser panel for a far tail. What
has no samples stays white; a mark in each row shows its maximum.
"""

from . import sheet
from .model import Bucket

MARK = "#d55e00"
TICKS_MAX = 16


class Heatmap(sheet.Sheet):
    def draw(self, named):
        from matplotlib import colors
        tables = [self.table(panel, named) for panel in self.panels]
        highest = max(max(row) for table in tables for row in table)
        norm = colors.LogNorm(1, max(10, highest))
        for panel, table in zip(self.panels, tables):
            mesh = self.mesh(panel, table, norm)
        self.colour_bar(mesh)
        self.mark_maxima(named)
        self.name_rows(named)

    def table(self, panel, named):
        is_last = panel is self.panels[-1]
        return [panel.counts([Bucket(0, 1, s.early)] * bool(s.early) + s.buckets, is_last)
                for _, s in named]

    def mesh(self, panel, table, norm):
        cells = [[count or float("nan") for count in row] for row in table]
        borders = [place - 0.5 for place in range(len(table) + 1)]
        return panel.axes.pcolormesh(panel.edges(self.unit), borders, cells, norm=norm,
                                     cmap="cividis", linewidth=0, rasterized=True)

    def colour_bar(self, mesh):
        bar = self.canvas.colorbar(mesh, pad=0.015, fraction=0.03, format="{x:,.0f}",
                                   ax=[panel.axes for panel in self.panels])
        bar.ax.minorticks_off()
        bar.set_label("samples in a bin")
        bar.outline.set_visible(False)

    def mark_maxima(self, named):
        for place, (_, series) in enumerate(named):
            for panel in self.panels:
                if series.max_ns is not None and panel.low_ns <= series.max_ns < panel.high_ns:
                    panel.axes.vlines(series.max_ns / self.unit.ns, place - 0.4, place + 0.4, color=MARK,
                                      linewidth=2)

    def name_rows(self, named):
        every = -(-len(named) // TICKS_MAX)
        places = range(0, len(named), every)
        self.first.set_yticks(list(places), [named[place][0] for place in places])
        self.first.set_ylim(len(named) - 0.5, -0.5)

    def dress(self):
        for panel in self.panels:
            self.dress_latency(panel)
            panel.axes.grid(visible=False)
        if len(self.panels) > 1:
            self.dress_tail(self.panels[-1])
        self.first.set_xlabel(f"latency ({self.unit.text}), bins of {self.bin_text(self.panels[0])}; "
                              "the mark is the maximum")
        self.first.tick_params(axis="y", length=0)
