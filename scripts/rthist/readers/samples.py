# SPDX-License-Identifier: GPL-2.0-or-later
"""The samples file, --samples; rtgauge-samples(5) describes it.

Samples become buckets of the same widths as in a result document, and a timeline,
so that memory does not grow with the length of the run. The file may still be
growing: it is read up to its last whole block.
"""

import json
import struct
from collections import Counter

from ..errors import Problem
from ..model import Run, Series
from ..scale import log_linear
from ..timeline import Timeline

MAGIC = b"RTGSMPL1"
BLOCK = struct.Struct("<4sIIIQqQ")
COUNTED_MAX = 100000  # different latencies, until they are put into buckets


def knows(data):
    return data.startswith(MAGIC)


def read(data, source):
    head, at = read_head(data, source)
    takers = [Taker(one) for one in head["series"]]
    run = Run(source=source, tool=str(head.get("tool", "")), started=str(head.get("started", "")),
              series=[taker.series for taker in takers])
    while at < len(data):
        end = read_block(data, at, takers, source)
        if end is None:
            run.notes.append("the last block is not whole: the run goes on, or the file was cut")
            break
        at = end
    for taker in takers:
        taker.finish()
    lost = sum(series.counts.get("lost", 0) for series in run.series)
    if lost:
        run.notes.append(f"{lost} samples were lost: they were measured, but did not get into the file")
    return run


def read_head(data, source):
    """The header's object and where the first block begins."""
    size = int.from_bytes(data[8:12], "little")
    if len(data) < 12 + size:
        raise Problem(f"{source}: ends within the header; expected {12 + size} bytes at least")
    try:
        head = json.loads(data[12:12 + size])
        if not all(isinstance(one, dict) for one in head["series"]):
            raise TypeError
    except (ValueError, KeyError, TypeError) as error:
        raise Problem(f"{source}: the header is no JSON object with \"series\"; "
                      "see rtgauge-samples(5)") from error
    return head, 12 + size


def read_block(data, at, takers, source):
    """Give a block's samples to their taker. Returns its end, None if it is not whole."""
    if at + BLOCK.size > len(data):
        return None
    magic, place, count, size, _, wake_ns, lost = BLOCK.unpack_from(data, at)
    if magic != b"BLK1" or place >= len(takers):
        raise Problem(f"{source}: byte {at}: {magic!r} of series {place}; expected a block, BLK1, "
                      f"of series 0 to {len(takers) - 1}")
    at += BLOCK.size
    if at + size > len(data):
        return None
    if takers[place].take(data[at:at + size], wake_ns) != count:
        raise Problem(f"{source}: byte {at}: the block should hold {count} samples and does not")
    takers[place].series.counts["lost"] = lost
    return at + size


class Taker:
    """Collects the samples of one series."""

    def __init__(self, head):
        cpu, interval = head.get("cpu"), head.get("interval_ns")
        self.series = Series(name=str(head.get("name", "")), buckets=[], timeline=Timeline(),
                             kind=str(head.get("kind") or "wakeup"),
                             cpu=cpu if isinstance(cpu, int) and cpu >= 0 else None)
        self.interval_ns = interval if isinstance(interval, int) else 0
        self.counted, self.buckets = Counter(), Counter()
        self.count = self.total = 0

    def take(self, data, wake_ns):
        """All samples of a block; returns how many they are."""
        add, latencies = self.series.timeline.add, []
        value = shift = field = 0
        for byte in data:
            value |= (byte & 127) << shift
            if byte > 127:
                shift += 7
                continue
            if field == 0:
                field = 1  # how many cycles lie between: nothing that is shown
            elif field == 1:
                field = 2
                if latencies:
                    wake_ns += (value >> 1 ^ -(value & 1)) + self.interval_ns
            else:
                field = 0
                latency = value >> 1 ^ -(value & 1)
                latencies.append(latency)
                add(wake_ns, latency)
            value = shift = 0
        self.keep(latencies)
        return len(latencies)

    def keep(self, latencies):
        if not latencies:
            return
        series = self.series
        low, high = min(latencies), max(latencies)
        series.min_ns = low if series.min_ns is None else min(low, series.min_ns)
        series.max_ns = high if series.max_ns is None else max(high, series.max_ns)
        self.count += len(latencies)
        self.total += sum(latencies)
        self.counted.update(latencies)
        if len(self.counted) > COUNTED_MAX:
            self.fold()

    def fold(self):
        for latency, count in self.counted.items():
            if latency < 0:
                self.series.early += count
            else:
                self.buckets[log_linear(latency)] += count
        self.counted.clear()

    def finish(self):
        self.fold()
        self.series.buckets = [bucket._replace(count=count)
                               for bucket, count in sorted(self.buckets.items())]
        self.series.mean_ns = self.total / self.count if self.count else None
