# SPDX-License-Identifier: GPL-2.0-or-later
"""What can go wrong, with the exit status that it leads to."""

FAILED = 1
USAGE = 2
WORSE = 3
MISSING = 4


class Problem(Exception):
    """A sentence for the user and the exit status."""

    def __init__(self, sentence, status=FAILED):
        super().__init__(sentence)
        self.status = status
