# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of rt-hist. Statuses: 0 good, 1 failed, 2 bad usage, 4 something is missing."""

import argparse
import os
import shutil
import sys

from . import plot, readers, terminal
from .errors import FAILED, USAGE, Problem

VERSION = "(not installed)"  # make install writes its own
FILES = ("a --result, --json or --samples file, histogram text of cyclictest (-h, --histfile), or "
         "what oslat, hwlatdetect or rtla hist print; '-' for standard input")

VIEWS = (("cdf", "the share of samples up to each latency"),
         ("percentiles", "latency over percentiles, with the same room for each further nine"),
         ("heatmap", "a row a CPU, coloured by counts"),
         ("over-time", "what happened when; needs a --samples file or hwlatdetect's samples"))


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Problem(message, USAGE)


def latency(text):
    """'400' or '400us', '1.5ms', '900ns': a latency in nanoseconds."""
    for ending, factor in (("ns", 1), ("us", 1000), ("ms", 1000000), ("s", 1000000000), ("", 1000)):
        number = text[: len(text) - len(ending)] if text.endswith(ending) else ""
        if number.replace(".", "", 1).isdigit() and round(float(number) * factor) > 0:
            return round(float(number) * factor)
    raise argparse.ArgumentTypeError(f"'{text}' is not a latency; give microseconds, or a unit as in 5ms")


def options():
    parser = Parser(prog="rt-hist", description="Look at latency histograms.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"rt-hist V {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)

    one = commands.add_parser("plot", help="draw a picture: log counts over latency, a line a CPU")
    one.add_argument("files", nargs="+", metavar="FILE", help=FILES)
    one.add_argument("-o", "--output", metavar="OUT",
                     help="picture to write, .png, .svg or .pdf (default: FILE's name with .png, here)")
    views = one.add_mutually_exclusive_group()
    for view, text in VIEWS:
        views.add_argument(f"--{view}", dest="view", action="store_const", const=view, help=text)
    one.add_argument("--max", type=latency, metavar="US", help="end of the latency axis")
    add_unit(one)
    one.set_defaults(run=run_plot, view="histogram")

    one = commands.add_parser("show", help="draw a histogram and a table on the terminal")
    one.add_argument("files", nargs="+", metavar="FILE", help=FILES)
    add_unit(one)
    one.set_defaults(run=run_show)
    return parser


def add_unit(parser):
    parser.add_argument("--unit", choices=("us", "ns"), default="us",
                        help="what one row is in histogram text, which does not say it (default: us)")


def run_plot(given):
    path = given.output or readers.stem(given.files[0]) + ".png"
    plot.check_output(path)
    runs = readers.read_all(given.files, given)
    warn(runs)
    plot.plot(runs, path, given.max, given.view)
    print(f"wrote {path}")


def run_show(given):
    runs = readers.read_all(given.files, given)
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    width = shutil.get_terminal_size((80, 24)).columns
    print("\n".join(terminal.show(runs, width, encoding == "utf8")))


def warn(runs):
    for run in runs:
        for note in run.notes:
            print(f"rt-hist: {run.source}: {note}", file=sys.stderr)


def main(words):
    try:
        given = options().parse_args(words)
        given.unit_ns = 1 if given.unit == "ns" else 1000
        given.run(given)
        sys.stdout.flush()
    except Problem as problem:
        print(f"rt-hist: {problem}", file=sys.stderr)
        if problem.status == USAGE:
            print("Try 'rt-hist --help'", file=sys.stderr)
        return problem.status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        return FAILED
    return 0
