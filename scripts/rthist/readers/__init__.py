# SPDX-License-Identifier: GPL-2.0-or-later
"""From files to runs. A format is a module with two functions:

    knows(content)        is this one of mine?
    read(piece, options)  -> runs, or Problem with file, line and what was expected

where a piece is a parsed JSON document or a text, with its place. A new format is a
new module and its name in DOCUMENT_FORMATS or TEXT_FORMATS below; the samples file is
binary and has a place of its own.
"""

import os
import sys

from ..errors import FAILED, USAGE, Problem
from . import containerlog, documents, hwlat, oslat, peer_json, result, rtla, samples, text

DOCUMENT_FORMATS = (result, peer_json)
TEXT_FORMATS = (rtla, oslat, hwlat, text)  # text has the loosest form and is asked last


def read_all(names, options):
    """All runs of all files, in order."""
    return list(read_each(names, options))


def read_each(names, options):
    """One run after the other, so that only one file is held at a time."""
    if names.count("-") > 1:
        raise Problem("standard input, -, can be read only once", USAGE)
    for name in names:
        yield from read_file(name, options)


def read_file(name, options):
    """The runs of one file; '-' is standard input."""
    data = content_of(name)
    shown = "standard input" if name == "-" else name
    if samples.knows(data):
        runs = [samples.read(data, shown)]
    else:
        runs = read_text(data.decode("utf-8", "replace"), shown, options)
    for run in runs:
        refuse_empty(run)
    return runs


def content_of(name):
    try:
        if name == "-":
            return sys.stdin.buffer.read()
        with open(name, "rb") as file:
            return file.read()
    except OSError as error:
        raise Problem(f"{name}: cannot be read: {error.strerror}", FAILED) from error


def read_text(content, shown, options):
    """Documents, text, or a log with several of both, of one container or of many."""
    if not content.strip():
        raise Problem(f"{shown}: is empty; expected a result document or histogram text", FAILED)
    runs, unread = [], []
    for source, text_of_one in containerlog.streams(content, shown):
        for piece in documents.split(text_of_one, source):
            try:
                runs += read_piece(piece, options)
            except Problem as problem:
                if isinstance(piece.content, str) or not piece.is_cut:
                    raise
                unread.append(problem)
    if unread and not runs:
        raise unread[0]
    for problem in unread:  # of a killed run, say; the whole ones are worth as much without it
        runs[-1].notes.append(f"left out: {problem}")
    if not runs:
        raise Problem(
            f"{shown}: neither a JSON document nor text with histogram rows such as "
            "'000012 000345' (cyclictest -h US); rt-hist(1) lists what is read", FAILED)
    return runs


def read_piece(piece, options):
    if not isinstance(piece.content, str):
        return read_document(piece, options)
    known = [reader for reader in TEXT_FORMATS if reader.knows(piece.content)]
    return known[0].read(piece, options) if known else []


def read_document(piece, options):
    for reader in DOCUMENT_FORMATS:
        if reader.knows(piece.content):
            run = reader.read(piece, options)
            if piece.is_cut:
                run.notes.append("the document is cut: read as far as it is whole")
            if piece.is_mixed:
                run.notes.append("lines of other output stood in the document and were left out")
            return [run]
    raise Problem(
        f"{piece.where()}: a JSON document, but neither one with a \"schema\" of rtgauge-result/1 "
        "nor one with \"thread\" as rt-tests write it", FAILED)


def refuse_empty(run):
    if any(series.samples for series in run.series):
        return
    if run.tool and not run.series:
        raise Problem(f"{run.source}: {run.tool} measured no latencies; its result has no histogram", FAILED)
    raise Problem(
        f"{run.source}: holds no samples of a histogram; was it made with -h US or --result?", FAILED)


def stem(name):
    """A file's name without folder and ending, for names of pictures and labels."""
    return "rt-hist" if name == "-" else os.path.splitext(os.path.basename(name))[0] or "rt-hist"
