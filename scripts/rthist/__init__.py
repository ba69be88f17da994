# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading, drawing and comparing latency histograms.

main       the command line; the only part that prints errors and knows statuses
readers    one small reader a format: text in, runs out
model      what was read: Run, Series, Bucket; everything in nanoseconds
scale      units, round widths, and buckets laid onto an even grid
words      the sentences and numbers that all views share
timeline   a series over time, in bounded memory
terminal   `show`: text for a console
compare    `compare`: statistics of two sides, intervals over runs, the verdict
sides      `compare` as text
merge      `merge`: sums of many runs as one document
export     `export`: CSV, HdrHistogram's text, OpenMetrics
html       `html`: a report of one page
outfile    text files, replaced when complete
completions  of the shells, at build time
plot       `plot`: picture files; with all below the only part that needs matplotlib
sheet      axes and step lines of a histogram
curves     cumulative shares and percentiles
heat       a row a CPU
overtime   strips or a map over time
lines      few series by name, many by a colour map
"""
