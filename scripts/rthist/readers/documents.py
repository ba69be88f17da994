# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON documents, one or a stream of several in one file."""

import json
import re
from typing import Any, NamedTuple

from ..errors import Problem


class Piece(NamedTuple):
    """A document or a text, with the file and line where it begins."""

    source: str
    line: int
    content: Any
    is_cut: bool = False
    is_mixed: bool = False

    def where(self):
        return self.source if self.line == 1 else f"{self.source}, line {self.line}"


BEGIN = re.compile(r"^[ \t]*(?=\{[ \t]*(?:[\r\n\"}]|$))", re.MULTILINE)
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|["\[\]{},]')
CLOSERS = {"{": "}", "[": "]"}
OWN_LINE = re.compile(r"[{}]\s*$| +[\"\[\]{}]")  # as json-c and rtgauge write them
END = re.compile(r"^\}[ \t\r]*$", re.MULTILINE)
WHOLE_DEPTH = 2  # a series or thread that is not whole is left out


def split(content, source):
    """The documents in CONTENT, and the texts before, between and behind them."""
    decoder, at, pieces = json.JSONDecoder(), 0, []
    while at < len(content):
        found = BEGIN.search(content, at)
        begin = found.end() if found else len(content)
        if content[at:begin].strip():
            pieces.append(Piece(source, line_at(content, at), content[at:begin]))
        if not found:
            break
        try:
            document, at = decoder.raw_decode(content, begin)
            pieces.append(Piece(source, line_at(content, begin), document))
        except json.JSONDecodeError as error:
            piece, at = mended(content, begin, source, error)
            pieces.append(piece)
    return pieces


def mended(content, begin, source, error):
    """What can be had of a document that is not whole, and where it ends."""
    at = line_at(content, begin)
    document, end = unmixed(content, begin)
    if document is not None:
        return Piece(source, at, document, is_mixed=True), end
    document = rest_of(content[begin:])
    if document is None:
        raise not_json(content, source, error) from error
    return Piece(source, at, document, is_cut=True), len(content)


def unmixed(content, begin):
    """The document without the lines of other output that a log mixed into it, and its end."""
    last = END.search(content, begin)
    lines = content[begin:last.end()].splitlines() if last else []
    try:
        return json.loads("\n".join(line for line in lines if OWN_LINE.match(line))), last and last.end()
    except json.JSONDecodeError:
        return None, begin


def line_at(content, at):
    return content.count("\n", 0, at) + 1


def not_json(content, source, error):
    is_end = not content[error.pos:].strip() or error.msg.startswith("Unterminated")
    return Problem(f"{source}, line {error.lineno}: not JSON: {error.msg}"
                   + (" (the file ends there: was it cut?)" if is_end else ""))


def rest_of(text):
    """What is whole of a document that ends too early; None if that is not its fault."""
    stack, safe = [], None
    for token in TOKEN.finditer(text):
        sign = token.group()
        if sign in ("{", "["):
            stack.append(sign)
        elif sign in ("}", "]"):
            if not stack or CLOSERS[stack.pop()] != sign or not stack:
                return None
            if len(stack) <= WHOLE_DEPTH:
                safe = token.end(), tuple(stack)
        elif sign == "," and len(stack) <= WHOLE_DEPTH:
            safe = token.start(), tuple(stack)
        elif sign == '"':
            break
    if safe is None:
        return None
    end, opened = safe
    try:
        return json.loads(text[:end] + "".join(CLOSERS[sign] for sign in reversed(opened)))
    except json.JSONDecodeError:
        return None


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
