# SPDX-License-Identifier: GPL-2.0-or-later
"""needs - what machine a test file asks for in its head, and which files share a boot.

Lines "# vm: KEY=VALUE ..." name a machine each, README.md has the keys; "# kernel-warns: REGEX"
names warnings of the kernel that are no fault.
"""
import os
from typing import NamedTuple

TESTS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
SINGLE = {"cpus": "4", "numa": "1", "mem": "1024", "cpu": "", "kernel": "rt", "cgroup": "v2",
          "icount": "", "arch": ""}
FLAGS = ("cstates", "python")
DEFAULT_LIMIT = 120
HEAD_LINES = 40         # where a file may say what it needs and expects


class Need:
    """One machine, as asked for by one "# vm:" line; `key` is equal for equal machines."""

    def __init__(self, words):
        self.single = dict(SINGLE)
        self.flags, self.append, self.limit, self.bits = set(), [], DEFAULT_LIMIT, 64
        for word in words:
            key, _, value = word.partition("=")
            if key in SINGLE:
                self.single[key] = value
            elif key in FLAGS:
                self.flags.add(key)
            elif key == "append":
                self.append.append(value)
            elif key == "limit":
                self.limit = int(value)
            elif word in ("bits=32", "bits=64"):
                self.bits = int(value)
            else:
                raise ValueError("unknown word '%s' behind '# vm:'" % word)
        self.key = (tuple(sorted(self.single.items())), tuple(sorted(self.flags)), tuple(self.append))

    def arguments(self):
        args = [a for k, v in self.single.items() if v for a in ("--" + k, v)]
        args += [a for w in self.append for a in ("--append", w)]
        return args + (["--cstates"] if "cstates" in self.flags else [])

    def __str__(self):
        words = [k + "=" + v for k, v in self.single.items() if v != SINGLE[k] or k == "cpus"]
        return " ".join(words + sorted(self.flags) + self.append)

    def cost(self):
        """A rough order of how long a boot takes; the cheapest one is never left out."""
        return (self.single["arch"], self.single["kernel"] != "rt", int(self.single["cpus"]), bool(self.single["icount"]),
                self.key)


class Task(NamedTuple):
    """A test file in a boot: seconds allowed, which programs it tests, its path in the guest."""
    limit: int
    bits: int
    path: str
    arch: str
    warnings: str       # a regular expression for the kernel's warnings that it expects

    @property
    def name(self):
        programs = "32 bit" if self.bits == 32 else self.arch
        return self.path.replace("/tests/", "", 1) + (" (%s)" % programs if programs else "")


class Boot:
    def __init__(self, need):
        self.need, self.tasks = need, []

    def skip(self, bits, why, tap):
        """Leave out the tasks of these programs."""
        for task in self.tasks:
            if task.bits in bits:
                tap.skip("%s (%s)" % (task.name, self.need), why)
        self.tasks = [t for t in self.tasks if t.bits not in bits]


def head_of(path, mark):
    """What stands behind the mark in lines of the file's head."""
    with open(path, encoding="utf-8", errors="replace") as f:
        head = [line for _, line in zip(range(HEAD_LINES), f)]
    return [line[len(mark):].strip() for line in head if line.startswith(mark)]


def needs_of(path):
    return [Need(words.split()) for words in head_of(path, "# vm:")]


def guest_path(path):
    relative = os.path.relpath(path, TESTS)
    if relative.startswith(".."):
        raise ValueError("%s is not below tests/" % path)
    return "/tests/" + relative


def default_files():
    def tests(folder):
        return sorted(e.path for e in os.scandir(folder) if e.name.endswith(".t"))
    cli = tests(os.path.join(TESTS, "cli"))
    return tests(os.path.join(TESTS, "vm", "guest")) + [f for f in cli if needs_of(f)]


def group(paths):
    boots = {}
    for path in paths:
        warnings = "|".join(filter(None, head_of(path, "# kernel-warns:")))
        for need in needs_of(path) or [Need([])]:
            task = Task(need.limit, need.bits, guest_path(path), need.single["arch"], warnings)
            boots.setdefault(need.key, Boot(need)).tasks.append(task)
    return sorted(boots.values(), key=lambda b: b.need.cost())
