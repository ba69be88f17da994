# SPDX-License-Identifier: GPL-2.0-or-later
"""What containers write arrives in logs that put words before each line:

    2026-01-01T00:00:00.5Z stdout F {                a kubelet's file (CRI)
    2026-01-01T00:00:00.5Z {                         kubectl logs --timestamps
    [pod/rtgauge-x7k2p/cyclictest] {                 kubectl logs --prefix, also before a time

A kubelet's file has both streams of a container, and long lines in pieces: P for all
pieces of a line but the last, which is F. Only stdout has results. Lines of several pods
may alternate.
"""

import re

STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)"
LINE = re.compile(rf"(?P<pod>\[pod/[^\]\s]+\] )?(?:{STAMP} )?(?:(?P<stream>stdout|stderr) (?P<piece>[FP])\S* )?")
WRAPPED = re.compile(rf"\s*(?:\[pod/[^\]\s]+\] |{STAMP} (?:(?:stdout|stderr) [FP]|\{{))")


def streams(content, source):
    """[(source, text)]: CONTENT as it is, or the standard output of each container in it."""
    if not WRAPPED.match(content):
        return [(source, content)]
    texts = {}
    for line in content.splitlines(keepends=True):
        words = LINE.match(line)
        if words["stream"] == "stderr":
            continue
        text = line[words.end():]
        name = f"{source}, {words['pod'].strip('[] ')}" if words["pod"] else source
        texts.setdefault(name, []).append(text.rstrip("\n") if words["piece"] == "P" else text)
    return [(name, "".join(lines)) for name, lines in texts.items()]
