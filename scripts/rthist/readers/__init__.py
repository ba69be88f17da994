# SPDX-License-Identifier: GPL-2.0-or-later
"""From files to runs. A format is a module with two functions:

    knows(piece)          is this one of mine?
    read(piece, options)  -> Run, or Problem with file, line and what was expected

where a piece is a parsed JSON document or a text. A new format is a new module
and its name in FORMATS below.
"""

import os
import sys

from ..errors import FAILED, USAGE, Problem
from . import documents, peer_json, result, text

DOCUMENT_FORMATS = (result, peer_json)
TEXT_FORMATS = (text,)


def read_all(names, options):
    """All runs of all files, in order."""
    if names.count("-") > 1:
        raise Problem("standard input, -, can be read only once", USAGE)
    return [run for name in names for run in read_file(name, options)]


def read_file(name, options):
    """The runs of one file; '-' is standard input."""
    content = content_of(name)
    shown = "standard input" if name == "-" else name
    if not content.strip():
        raise Problem(f"{shown}: is empty; expected a result document or histogram text", FAILED)
    if content.lstrip()[0] in "{[":
        runs = [read_document(piece, options) for piece in documents.split(content, shown)]
    else:
        runs = read_text(documents.Piece(shown, 1, content), options)
    for run in runs:
        refuse_empty(run)
    return runs


def content_of(name):
    try:
        if name == "-":
            return sys.stdin.buffer.read().decode("utf-8", "replace")
        with open(name, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        raise Problem(f"{name}: cannot be read: {error.strerror}", FAILED) from error


def read_document(piece, options):
    for reader in DOCUMENT_FORMATS:
        if reader.knows(piece.content):
            return reader.read(piece, options)
    raise Problem(
        f"{piece.where()}: a JSON document, but neither one with a \"schema\" of rtgauge-result/1 "
        "nor one with \"thread\" as rt-tests write it", FAILED)


def read_text(piece, options):
    for reader in TEXT_FORMATS:
        if reader.knows(piece.content):
            return reader.read(piece, options)
    raise Problem(
        f"{piece.source}: neither a JSON document nor text with histogram rows such as "
        "'000012 000345' (cyclictest -h US)", FAILED)


def refuse_empty(run):
    if not any(series.samples for series in run.series):
        raise Problem(
            f"{run.source}: holds no samples of a histogram; was it made with -h US or --result?",
            FAILED)


def stem(name):
    """A file's name without folder and ending, for names of pictures and labels."""
    return "rt-hist" if name == "-" else os.path.splitext(os.path.basename(name))[0] or "rt-hist"
