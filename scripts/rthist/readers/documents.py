# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON documents, one or a stream of several in one file."""

import json
from typing import Any, NamedTuple

from ..errors import Problem


class Piece(NamedTuple):
    """A document or a text, with the file and line where it begins."""

    source: str
    line: int
    content: Any

    def where(self):
        return self.source if self.line == 1 else f"{self.source}, line {self.line}"


def split(content, source):
    decoder = json.JSONDecoder()
    at, pieces = skip_blanks(content, 0), []
    while at < len(content):
        line = content.count("\n", 0, at) + 1
        try:
            document, end = decoder.raw_decode(content, at)
        except json.JSONDecodeError as error:
            raise Problem(f"{source}, line {error.lineno}: not JSON: {error.msg}"
                          + (" (the file ends there: was it cut?)"
                             if not content[error.pos:].strip() else "")) from error
        pieces.append(Piece(source, line, document))
        at = skip_blanks(content, end)
    return pieces


def skip_blanks(content, at):
    while at < len(content) and content[at].isspace():
        at += 1
    return at


def member(piece, holder, path, kind, default=None):
    """holder's member PATH ('a.b') if it is of this kind; without default it must be there."""
    value = holder
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool):
        return value
    if default is not None and value is None:
        return default
    name = kind.__name__ if isinstance(kind, type) else "number"
    words = {"dict": "an object", "list": "a list", "int": "a whole number", "str": "a text"}
    raise Problem(f"{piece.where()}: member \"{path}\" should be {words.get(name, 'a number')}")


def number_or_none(holder, key):
    value = holder.get(key)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if is_number and value == value else None
