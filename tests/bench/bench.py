#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bench - how fast and how small our tools are, beside Debian's rt-tests in the same run

usage: bench.py [--build FOLDER] [--list] [ROW...]

A row is a figure of a command line; ROW picks those whose name has it in it. The peer
is downloaded and unpacked, never installed (tests/vm/peer.sh); RT_PEER_BIN names a
folder that has it already. RT_BIN is the folder of our programs. Rows whose goal is
missed are marked; the exit status is 1 then. Needs root, valgrind for the rows of
instructions, and about two minutes.
"""
import argparse
import collections
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
RT_BIN = os.path.abspath(os.environ.get("RT_BIN") or TOP)


class Unmeasured(Exception):
    """Why a figure could not be had."""


# ---- ways to measure: a program and its options in, a number out ---------------------------

def instructions(program, options):
    """User-space instructions a sample: callgrind over two lengths, divided by their difference.

    "{loops}" in the options is the number of samples. Of two tries the least counts: under
    valgrind and on a busy machine latencies get long, and what is printed about them, too.
    """
    if not shutil.which("valgrind"):
        raise Unmeasured("no valgrind")
    few, many = 2000, 12000
    counts = [min(callgrind(program, options.format(loops=loops)) for _ in range(2))
              for loops in (few, many)]
    return (counts[1] - counts[0]) / (many - few)


def callgrind(program, options):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program]
    done = subprocess.run(command + options.split(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120)
    found = re.search(r"Collected *: *(\d+)", done.stderr)
    if done.returncode or not found:
        raise Unmeasured("callgrind: " + last_line(done.stderr))
    return int(found.group(1))


def wakeups(program, options, threads):
    """Wake-ups a second of all threads but the measuring ones, between the second and the last.

    Measuring ones are the THREADS busiest; those of a run at an interval of a millisecond
    are far above all others.
    """
    with running(program, options) as child:
        time.sleep(1)
        first, begin = switches(child.pid), time.monotonic()
        time.sleep(8)
        last, end = switches(child.pid), time.monotonic()
    rates = sorted(((last[tid] - first.get(tid, 0)) / (end - begin) for tid in last), reverse=True)
    return sum(rates[threads:])


def switches(pid):
    """{tid: voluntary context switches}"""
    found = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        found[int(tid)] = int(status_field(f"{pid}/task/{tid}", "voluntary_ctxt_switches"))
    return found


def peak_memory(program, options):
    """Peak resident memory in megabytes, as the kernel keeps it (VmHWM), read until the end."""
    peak = 0
    with running(program, options) as child:
        while child.poll() is None:
            try:
                peak = int(status_field(str(child.pid), "VmHWM").split()[0])
            except (OSError, KeyError):
                pass
            time.sleep(0.02)
    return peak * 1024 / 1e6


def many_threads(program, options):
    """Seconds beyond the run's two that starting and ending its threads took."""
    begin = time.monotonic()
    done = subprocess.run([program] + options.split(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    lines = len(re.findall(r"^T: *\d", done.stdout, re.MULTILINE))
    if done.returncode or lines != 1000:
        raise Unmeasured(f"status {done.returncode}, {lines} of 1000 threads: {last_line(done.stderr)}")
    return time.monotonic() - begin - 2


def mean_latency(program, options):
    """Mean latency of the first pair or thread, as the JSON document has it."""
    with tempfile.TemporaryDirectory(prefix="rtbench-") as work:
        path = os.path.join(work, "json")
        done = subprocess.run([program] + options.split() + ["--json=" + path], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60)
        if done.returncode:
            raise Unmeasured(f"status {done.returncode}: {last_line(done.stderr)}")
        with open(path, encoding="utf-8") as file:
            first = json.load(file)["thread"]["0"]
    return first.get("receiver", first)["avg"]


def pass_time(program, options):
    """Microseconds an inversion took, starting and ending included."""
    begin = time.monotonic()
    text = subprocess.check_output([program] + options.split(), stdin=subprocess.DEVNULL, text=True, timeout=60)
    found = re.search(r"inversions? performed: (\d+)", text)
    if not found or int(found.group(1)) == 0:
        raise Unmeasured("no inversions")
    return (time.monotonic() - begin) * 1e6 / int(found.group(1))


def round_time(program, options):
    """Nanoseconds a round of oslat's busy loop, gaps included: duration by samples."""
    text = subprocess.check_output([program] + options.split(), stdin=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, text=True, timeout=60)
    rows = re.findall(r"^ *[\d.]+ \(us\):\t (\d+)", text, re.MULTILINE)
    return float(re.search(r"Duration:\t ([\d.]+)", text).group(1)) * 1e9 / sum(map(int, rows))


def block_time(program, options):
    """Nanoseconds of queuelat's loop around a block: from one block to the next, less its copying.

    Where all blocks of the last histogram take no time, nothing is copied.
    """
    text = subprocess.run([program] + options.split(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, timeout=60, check=False).stdout
    rows = re.findall(r"^\[(\d+) - \w+\] = (\d+)", text, re.MULTILINE)
    if rows and sum(int(count) for start, count in rows if start != "0") * 100 < sum(int(count) for _, count in rows):
        raise Unmeasured("its blocks copy nothing")
    found = re.search(r"# the loop without a block: (\d+) ns", text)
    if not found:
        raise Unmeasured("does not tell")
    return float(found.group(1))


def message_time(program, options):
    """Seconds for all messages of a run."""
    text = subprocess.check_output([program] + options.split(), text=True, timeout=120,
                                   stderr=subprocess.DEVNULL)
    found = re.search(r"^Time: *([\d.]+)", text, re.MULTILINE)
    if not found:
        raise Unmeasured("tells no time")
    return float(found.group(1))


def feed(program, _options):
    """Keeping a sample over a bare array increment."""
    text = subprocess.check_output([program], text=True)
    return float(re.search(r"ratio ([\d.]+)", text).group(1))


def merged(program, options, wanted):
    """rt-hist merge of so many result documents, 128 CPUs with 200 buckets each: peak
    memory in megabytes, or thousands of buckets a second."""
    files, cpus, buckets = int(options.split()[1]), 128, 200
    with tempfile.TemporaryDirectory() as folder:
        write_result(os.path.join(folder, "0.json"), cpus, buckets)
        for number in range(1, files):
            os.link(os.path.join(folder, "0.json"), os.path.join(folder, f"{number}.json"))
        names = [os.path.join(folder, f"{number}.json") for number in range(files)]
        begin = time.monotonic()
        child = subprocess.Popen([program, "merge", "-o", os.path.join(folder, "all"), *names],
                                 stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
    if status:
        raise Unmeasured(f"status {status}")
    seconds = time.monotonic() - begin
    return usage.ru_maxrss * 1024 / 1e6 if wanted == "memory" else files * cpus * buckets / seconds / 1000


def write_result(path, cpus, buckets):
    rows = [[16384 + 128 * place, 16512 + 128 * place, 1000 + place] for place in range(buckets)]
    series = [{"name": f"thread {cpu}", "kind": "wakeup", "cpu": cpu, "latency_ns": {},
               "histogram": {"unit": "ns", "buckets": rows}} for cpu in range(cpus)]
    with open(path, "w", encoding="ascii") as file:
        json.dump({"schema": "rtgauge-result/1", "tool": "cyclictest", "series": series}, file)


def status_field(where, name):
    with open(f"/proc/{where}/status", encoding="ascii", errors="replace") as file:
        fields = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    return fields[name]


class running:
    """A program in the background, its output thrown away, waited for at the end."""

    def __init__(self, program, options):
        self.command = [program] + options.split()

    def __enter__(self):
        self.child = subprocess.Popen(self.command, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        return self.child

    def __exit__(self, kind, value, trace):
        said = self.child.communicate(timeout=60)[1]
        if self.child.returncode:
            raise Unmeasured(f"status {self.child.returncode}: {last_line(said)}") from None


def last_line(text):
    return (text.strip().splitlines() or ["(nothing said)"])[-1]


# ---- the rows ------------------------------------------------------------------------------

# goal: ("share", S) at most S times the peer's; ("most", M) at most M; ("least", L) at least L
# runs: as many of ours and of the peer's in turn, and their medians
# ours: options that make ours do what the peer does anyway
Row = collections.namedtuple("Row", "name tool options measure unit goal arguments runs ours",
                             defaults=[{}, 1, ""])

SHORT = "-t1 -i200 -l {loops} -q"
PAIR = "-a -p 90 -i 200 -l 3000 -q"
BIG = "-m -a -t16 -q -h 1000000 -D 3"
ROWS = [
    Row("instructions: plain", "cyclictest", SHORT, instructions, "a sample", ("share", 0.6)),
    Row("instructions: histogram", "cyclictest", SHORT + " -h 1000", instructions, "a sample", ("share", 0.6),
        ours=" --zero-rows"),
    Row("instructions: verbose", "cyclictest", "-t1 -i200 -l {loops} -v", instructions, "a sample", ("share", 0.6)),
    Row("wake-ups", "cyclictest", "-q -D 10 -t2 -i1000", wakeups, "a second", ("most", 2), {"threads": 2}),
    Row("memory: large histogram", "cyclictest", BIG, peak_memory, "MB", ("share", 1 / 3)),
    Row("memory: plain", "cyclictest", "-m -a -t16 -q -D 3", peak_memory, "MB", ("most", 6)),
    Row("keeping a sample", "feed", "", feed, "x bare", ("most", 4)),
    *(Row(f"hand-over: {tool}", tool, PAIR, mean_latency, "us", ("share", 1.03), runs=7)
      for tool in ("sigwaittest", "pmqtest", "ptsematest", "svsematest")),
    Row("hand-over: signaltest", "signaltest", "-a -p 90 -l 1500 -q", mean_latency, "us", ("share", 1.03), runs=7),
    Row("passes: pi_stress", "pi_stress", "-g 1 -D 2 -q", pass_time, "us", ("share", 1 / 0.97), runs=7),
    Row("busy loop: oslat", "oslat", "-c 1 -C 0 -f 50 -D 1 -q", round_time, "ns", ("share", 1), runs=7),
    Row("loop around a block: queuelat", "queuelat", "-m 20000 -c 300 -p 0.001 -f 2400 -t 2", block_time, "ns",
        ("most", 100), runs=3),
    *(Row(f"messages: hackbench {way}", "hackbench", f"-g 4 -l 300{options}", message_time, "s", ("share", 1.03), runs=7)
      for way, options in (("processes", ""), ("threads", " -T"), ("pipe", " -p"), ("inet", " -i"))),
    Row("merge: memory", "rt-hist", "merge 1000", merged, "MB", ("most", 500), {"wanted": "memory"}),
    Row("merge: rate", "rt-hist", "merge 200", merged, "1000 buckets/s", ("least", 100), {"wanted": "rate"}),
    Row("1000 threads", "cyclictest", "-t1000 -q -i100000 -D 2", many_threads, "s", None),
]
OURS_ONLY = {"feed": None, "rt-hist": os.path.join(TOP, "scripts")}  # and where, if not in the build folder


# ---- the table -----------------------------------------------------------------------------

def peer_folder():
    """(folder, version) of the peer's programs."""
    if os.environ.get("RT_PEER_BIN"):
        return os.environ["RT_PEER_BIN"], "from RT_PEER_BIN"
    root = subprocess.check_output([os.path.join(TOP, "tests", "vm", "peer.sh")], text=True).strip()
    with open(os.path.join(root, "version"), encoding="ascii") as file:
        return os.path.join(root, "usr", "bin"), file.read().strip()


def figure(row, program):
    """(number or None, text)"""
    if not os.access(program, os.X_OK):
        return None, f"no {program}"
    try:
        options = row.options + (row.ours if is_ours(program) else "")
        value = row.measure(program, options, **row.arguments)
        return value, text_of(value)
    except (Unmeasured, subprocess.TimeoutExpired, subprocess.CalledProcessError) as why:
        return None, str(why)


def is_ours(program):
    return os.path.dirname(program) == RT_BIN


def text_of(value):
    return f"{value:.{0 if value >= 100 else 2}f}"


def figures(row, programs):
    """[(number or None, text)] for each program; one failure makes its figure one"""
    rounds = [[figure(row, program) for program in programs] for _ in range(row.runs)]
    result = []
    for runs in zip(*rounds):
        failed = [run for run in runs if run[0] is None]
        median = None if failed else statistics.median(run[0] for run in runs)
        result.append(failed[0] if failed else (median, text_of(median)))
    return result


def verdict(row, ours, peer):
    """(goal in words, 'met', 'MISSED' or '-')"""
    if row.goal is None:
        return "clean end", "met" if ours is not None else "MISSED"
    kind, limit = row.goal
    if kind == "most":
        return f"at most {limit:g}", "met" if ours is not None and ours <= limit else "MISSED"
    if kind == "least":
        return f"at least {limit:g}", "met" if ours is not None and ours >= limit else "MISSED"
    words = f"at most {100 * limit:.0f} % of the peer's"
    if ours is None or peer is None:
        return words, "MISSED" if ours is None else "-"
    return words, "met" if ours <= limit * peer else "MISSED"


def main():
    parser = argparse.ArgumentParser(description="compare with Debian's rt-tests")
    parser.add_argument("rows", nargs="*", metavar="ROW")
    parser.add_argument("--build", default="build", help="folder with tests/bench/feed")
    parser.add_argument("--list", action="store_true", help="only name the rows")
    given = parser.parse_args()
    rows = [row for row in ROWS if not given.rows or any(word in row.name for word in given.rows)]
    if given.list:
        print("\n".join(row.name for row in rows))
        return 0
    peers, version = peer_folder()
    print(f"peer: {version}; kernel {os.uname().release}, {os.cpu_count()} CPUs\n")
    print("| figure | command | ours | peer | share | goal | |\n| --- | --- | --- | --- | --- | --- | --- |")
    missed = 0
    for row in rows:
        missed += print_row(row, peers, given.build)
    return 1 if missed else 0


def print_row(row, peers, build):
    if row.tool in OURS_ONLY:
        (ours, ours_text), = figures(row, [os.path.join(OURS_ONLY[row.tool] or os.path.join(build, "tests", "bench"),
                                                        row.tool)])
        peer, peer_text = None, "-"
    else:
        (peer, peer_text), (ours, ours_text) = figures(
            row, [os.path.join(peers, row.tool), os.path.join(RT_BIN, row.tool)])
    share = f"{100 * ours / peer:.0f} %" if ours is not None and peer else "-"
    goal, word = verdict(row, ours, peer)
    command = f"`{row.tool} {row.options}`".replace("{loops}", "N").replace(" `", "`")
    print(f"| {row.name} ({row.unit}) | {command} | {ours_text} | {peer_text} | {share} | {goal} | {word} |",
          flush=True)
    return word == "MISSED"


sys.exit(main())
