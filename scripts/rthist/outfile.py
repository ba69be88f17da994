# SPDX-License-Identifier: GPL-2.0-or-later
"""Text files that are replaced when they are complete."""

import os

from .errors import FAILED, Problem


def write(path, text):
    """A reader of PATH never sees half of it."""
    part = f"{path}.{os.getpid()}"
    is_regular = os.path.isfile(path) or not os.path.exists(path)
    try:
        with open(part if is_regular else path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        if is_regular:
            os.replace(part, path)
    except OSError as error:
        if is_regular and os.path.exists(part):
            os.unlink(part)
        raise Problem(f"{path}: cannot be written: {error.strerror}", FAILED) from error
