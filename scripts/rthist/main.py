# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of rt-hist. Statuses: 0 good, 1 failed, 2 bad usage, 3 worse,
4 something is missing."""

import argparse
import os
import shutil
import stat
import sys

from . import compare, export, html, merge, outfile, plot, readers, sides, terminal, words
from .errors import FAILED, USAGE, WORSE, Problem
from .model import choose, whole

VERSION = "0"  # make install writes its own
BETWEEN = "\0"  # stands for "--", which argparse would swallow
BY = ("p50", "p90", "p99", "p99.9", "p99.99", "p99.999", "max")
FILES = ("a --result, --json or --samples file, histogram text of cyclictest (-h, --histfile), or "
         "what oslat, hwlatdetect or rtla hist print; '-' for standard input")

VIEWS = (("cdf", "the share of samples up to each latency"),
         ("percentiles", "latency over percentiles, with the same room for each further nine"),
         ("heatmap", "a row a CPU, coloured by counts"),
         ("over-time", "what happened when; needs a --samples file or hwlatdetect's samples"))


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Problem(message, USAGE)


class Command(Parser):
    """Options may stand before, between and behind the files."""

    is_inside = False

    def parse_known_args(self, args=None, namespace=None):
        if self.is_inside:
            return super().parse_known_args(args, namespace)
        self.is_inside = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self.is_inside = False


def latency(text):
    """'400' or '400us', '1.5ms', '900ns': a latency in nanoseconds."""
    for ending, factor in (("ns", 1), ("us", 1000), ("ms", 1000000), ("s", 1000000000), ("", 1000)):
        number = text[: len(text) - len(ending)] if text.endswith(ending) else ""
        if number.replace(".", "", 1).isdigit() and round(float(number) * factor) > 0:
            return round(float(number) * factor)
    raise argparse.ArgumentTypeError(f"'{text}' is not a latency; give microseconds, or a unit as in 5ms")


def percentage(text):
    if text.replace(".", "", 1).isdigit():
        return float(text)
    raise argparse.ArgumentTypeError(f"'{text}' is no percentage; give a number such as 5 or 2.5")


def options():
    parser = Parser(prog="rt-hist", description="Look at latency histograms.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"rt-hist V {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Command)
    for add in (add_plot, add_show, add_compare, add_merge, add_export, add_html):
        add(commands)
    return parser


def add_files(parser):
    parser.add_argument("files", nargs="*", metavar="FILE", help=FILES + "; so is a pipe without any FILE")
    parser.set_defaults(may_be_piped=True)


def add_plot(commands):
    one = commands.add_parser("plot", help="draw a picture: log counts over latency, a line a CPU")
    add_files(one)
    one.add_argument("-o", "--output", metavar="OUT",
                     help="picture to write, .png, .svg or .pdf (default: FILE's name with .png, here)")
    views = one.add_mutually_exclusive_group()
    for view, text in VIEWS:
        views.add_argument(f"--{view}", dest="view", action="store_const", const=view, help=text)
    add_max(one)
    add_choice(one)
    add_unit(one)
    one.set_defaults(run=run_plot, view="histogram")


def add_show(commands):
    one = commands.add_parser("show", help="draw a histogram and a table on the terminal")
    add_files(one)
    add_unit(one)
    one.set_defaults(run=run_show)


def add_compare(commands):
    one = commands.add_parser("compare", help="tell how far B is worse or better than A",
                              usage="rt-hist compare [options] A... -- B...   or   A B")
    one.add_argument("files", nargs="+", metavar="FILE", help=FILES)
    one.add_argument("--by", choices=BY, default="p99",
                     help="what the verdict looks at (default: p99); max has no interval")
    one.add_argument("--fail-if-worse", type=percentage, metavar="PERCENT",
                     help="end with status 3 if B is worse by more than PERCENT")
    one.add_argument("-o", "--output", metavar="OUT", help="picture of both sides, .png, .svg or .pdf")
    add_max(one)
    add_unit(one)
    one.set_defaults(run=run_compare)


def add_merge(commands):
    one = commands.add_parser("merge", help="add up the histograms of many runs or machines")
    add_files(one)
    one.add_argument("-o", "--output", metavar="OUT",
                     help="result document to write (default: standard output)")
    add_unit(one)
    one.set_defaults(run=run_merge)


def add_export(commands):
    one = commands.add_parser("export", help="write the histograms for other programs")
    add_files(one)
    one.add_argument("--format", choices=export.FORMATS, required=True,
                     help="csv: a row a bucket; hgrm: HdrHistogram's percentiles; openmetrics: for Prometheus")
    add_choice(one)
    one.add_argument("-o", "--output", metavar="OUT", help="file to write (default: standard output)")
    add_unit(one)
    one.set_defaults(run=run_export)


def add_html(commands):
    one = commands.add_parser("html", help="write a report of one page", usage=
                              "rt-hist html [options] FILE... -o OUT   or   A... -- B... -o OUT")
    one.add_argument("files", nargs="+", metavar="FILE", help=FILES)
    one.add_argument("-o", "--output", metavar="OUT", required=True, help="page to write")
    one.add_argument("--by", choices=BY,
                     help="what the verdict of two sides looks at (default: p99 or what short runs have)")
    add_unit(one)
    one.set_defaults(run=run_html)


def add_choice(parser):
    parser.add_argument("--cpu", type=int, metavar="N", help="only the series of this CPU")
    parser.add_argument("--kind", metavar="KIND", help="only series of this kind, such as wakeup")


def add_max(parser):
    parser.add_argument("--max", type=latency, metavar="US", help="end of the latency axis")


def add_unit(parser):
    parser.add_argument("--unit", choices=("us", "ns"), default="us",
                        help="what one row is in histogram text, which does not say it (default: us)")


def run_plot(given):
    path = given.output or readers.stem(given.files[0]) + ".png"
    plot.check_output(path)
    runs = readers.read_all(given.files, given)
    warn(runs)
    plot.plot(choose(runs, given.cpu, given.kind), path, given.max, given.view)
    print(f"wrote {path}")


def run_show(given):
    runs = readers.read_all(given.files, given)
    width = shutil.get_terminal_size((80, 24)).columns
    say(terminal.show(runs, width, is_unicode()))


def run_compare(given):
    names_a, names_b = sides_of(given.files)
    if given.output:
        plot.check_output(given.output)
    runs = [readers.read_all(names, given) for names in (names_a, names_b)]
    kinds = compare.compare(*runs, given.fail_if_worse)
    found = compare.verdict(kinds, given.by, given.fail_if_worse)
    say(sides.text(*runs, kinds, found, given.by))
    if given.output:
        plot.overlay(sides_to_draw(runs, kinds), given.output, given.max)
        print(f"wrote {given.output}")
    if given.fail_if_worse is not None and compare.passes(found, given.fail_if_worse):
        return WORSE
    return 0


def run_merge(given):
    merger = merge.Merger()
    for run in readers.read_each(given.files, given):
        merger.add(run)
    text = merger.document(["rt-hist", *given.words], VERSION)
    write(given.output, text)
    if given.output:
        print(f"wrote {given.output}: {sum(source['samples'] for source in merger.sources)} samples "
              f"of {words.count(len(merger.sources), 'run')}")


def run_export(given):
    runs = readers.read_all(given.files, given)
    warn(runs)
    write(given.output, export.export(choose(runs, given.cpu, given.kind), given.format))


def run_html(given):
    names, comparison = given.files, None
    if BETWEEN in names:
        names_a, names_b = sides_of(names)
        runs_a, runs_b = readers.read_all(names_a, given), readers.read_all(names_b, given)
        kinds = compare.compare(runs_a, runs_b)
        by = given.by or compare.best_of(kinds)
        comparison = (runs_a, runs_b, kinds, compare.verdict(kinds, by), by,
                      sides_to_draw((runs_a, runs_b), kinds))
        runs = runs_a + runs_b
    else:
        runs = readers.read_all(names, given)
    write(given.output, html.page(runs, comparison))
    if given.output != "-":
        print(f"wrote {given.output}")


def write(path, text):
    if path and path != "-":
        outfile.write(path, text)
    else:
        sys.stdout.reconfigure(encoding="utf-8", newline="")
        sys.stdout.write(text)


def sides_of(names):
    """The files before and behind '--'; without it there are two files."""
    if names.count(BETWEEN) > 1:
        raise Problem("compare: '--' stands once, between the files of A and those of B", USAGE)
    if BETWEEN not in names:
        if len(names) != 2:
            raise Problem("compare: give two files, or several on each side of '--': A... -- B...", USAGE)
        return names[:1], names[1:]
    place = names.index(BETWEEN)
    sides_a, sides_b = names[:place], names[place + 1:]
    if not sides_a or not sides_b or (sides_a + sides_b).count("-") > 1:
        raise Problem("compare: give one file or more on each side of '--'; '-' only once", USAGE)
    return sides_a, sides_b


def sides_to_draw(runs, kinds):
    drawn = []
    for kind in kinds:
        suffix = f" {kind.name}" if len(kinds) > 1 else ""
        for name, side, each in (("A", runs[0], kind.a), ("B", runs[1], kind.b)):
            drawn.append((name + suffix, side, whole(each), each))
    return drawn


def is_unicode():
    return (sys.stdout.encoding or "ascii").lower().replace("-", "") == "utf8"


def say(lines):
    """Text lines, for consoles without µ and the like too."""
    print("\n".join(lines if is_unicode() else [terminal.plain(line) for line in lines]))


def warn(runs):
    for run in runs:
        for note in run.notes:
            print(f"rt-hist: {run.source}: {note}", file=sys.stderr)


def piped(command):
    """What a command without FILE reads: a pipe or file on standard input, never a terminal."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:  # closed
        mode = 0
    if stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode):
        return ["-"]
    raise Problem(f"{command}: which FILE? '-' is standard input", USAGE)


def complete_standard_files():
    """Python has None for a closed one. What can't be written gives an OSError instead."""
    for name, flags in ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.open(os.devnull, flags), "w", encoding="utf-8"))


def drop_output():
    """What is still buffered can't be written, and Python would try at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(argv):
    complete_standard_files()
    try:
        given = options().parse_args([BETWEEN if word == "--" else word for word in argv])
        given.words = argv
        if getattr(given, "may_be_piped", False) and not given.files:
            given.files = piped(given.command)
        given.unit_ns = 1 if given.unit == "ns" else 1000
        status = given.run(given) or 0
        sys.stdout.flush()
        return status
    except Problem as problem:
        print(f"rt-hist: {problem}", file=sys.stderr)
        if problem.status == USAGE:
            print("Try 'rt-hist --help'", file=sys.stderr)
        return problem.status
    except BrokenPipeError:
        drop_output()
        return FAILED
    except OSError as error:
        drop_output()
        print(f"rt-hist: cannot use {error.filename or 'stdout'}: {error.strerror}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return FAILED
