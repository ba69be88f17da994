# SPDX-License-Identifier: GPL-2.0-or-later
"""judge - from the lines that a guest sends to one TAP stream.

A file is judged by its claims and its plan, by what it left behind, and by the kernel log;
guest-run tells which lines say so.
"""
import re
import sys


def say(text):
    """Progress and diagnostics: prove shows stderr as it comes."""
    print("# " + text, file=sys.stderr, flush=True)


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def line(self, good, name):
        self.count += 1
        self.failed += not good
        print("%s %d - %s" % ("ok" if good else "not ok", self.count, name), flush=True)
        if not good:
            say("FAILED: " + name)

    def skip(self, name, why):
        self.count += 1
        print("ok %d - %s # SKIP %s" % (self.count, name, why), flush=True)

    @staticmethod
    def comment(text, loud=False):
        """Loud ones are shown by prove."""
        print("# " + text, file=sys.stderr if loud else sys.stdout, flush=True)

    def end(self):
        print("1..%d" % self.count, flush=True)
        return 1 if self.failed or not self.count else 0


class Record:
    """What a Tap is to be told once a boot is over, since others run beside it."""

    def __init__(self):
        self.told = []

    def __getattr__(self, method):
        return lambda *args, **how: self.told.append((method, args, how))

    def tell(self, tap):
        for method, args, how in self.told:
            getattr(tap, method)(*args, **how)


def unexpected(complaints, expected):
    """Lines of the kernel log less those of warnings, from "cut here" to "end trace", that match.
    What another CPU complains of meanwhile stays."""
    left, block = [], None
    for line in complaints:
        if "[ cut here ]" in line:
            left += block or []
            block = []
        elif block is None:
            left.append(line)
        elif "[ end trace" not in line:
            block.append(line)
        else:
            warnings = [text for text in block if "WARNING" in text]
            if expected and warnings and all(re.search(expected, text) for text in warnings):
                block = [text for text in block if not re.search("WARNING|Call Trace", text)]
            left += block
            block = None
    return left + (block or [])


class File:
    """Judges one test file by the lines it sent."""
    RESULT = re.compile(r"(not )?ok\b\s*\d*\s*-?\s*(.*)")
    PLAN = re.compile(r"1\.\.(\d+)\s*(?:#\s*SKIP\s*(.*))?$", re.I)

    def __init__(self, tap, task):
        self.tap, self.name, self.warnings = tap, task.name, task.warnings
        self.count = self.failed = 0
        self.plan = self.status = self.skipped = None
        self.showing = False
        self.faults, self.kernel = [], []

    def line(self, text):
        result, plan = self.RESULT.match(text), self.PLAN.match(text)
        if plan:
            if self.plan is not None:
                self.faults.append("two plans")
            self.plan, self.skipped = int(plan.group(1)), plan.group(2)
        elif result:
            self.result(not result.group(1), result.group(2))
        elif text.startswith("Bail out!"):
            self.faults.append(text)
        elif text:
            self.tap.comment(re.sub("^# ?", "", text), loud=self.showing)

    def result(self, good, name):
        self.count += 1
        self.failed += not good
        self.showing = not good
        self.tap.line(good, "%s: %s" % (self.name, name))

    def ended(self, status, seconds):
        self.status = int(status)
        say("  %s: %d tests, %s s" % (self.name, self.count, seconds))
        if self.plan is None:
            self.faults.append("no plan" + (", killed after its time" if self.status == 137 else ""))
        elif self.plan != self.count:
            self.faults.append("planned %d tests, made %d" % (self.plan, self.count))
        if self.status != (1 if self.failed else 0) and not (self.failed and self.status):
            self.faults.append("ended with status %d" % self.status)

    def judge(self):
        """All is known: one more result, for the file as a whole."""
        if self.status is None:
            self.faults.append("the guest died or hung in it")
        self.faults += ["kernel " + line for line in unexpected(self.kernel, self.warnings)]
        for fault in self.faults:
            self.tap.comment("%s: %s" % (self.name, fault), loud=True)
            self.tap.comment(fault)
        if self.plan == 0 and not self.faults:
            self.tap.skip(self.name, self.skipped or "")
        else:
            self.tap.line(not self.faults, self.name + ": planned, ended, left nothing, kernel content")


def listen(stream, boot, tap):
    """Take the lines of guest-run, judge each file; True when the guest came to its end."""
    waiting = {"%d %s" % (task.bits, task.path): task for task in boot.tasks}
    current, done = None, False
    for raw in stream:
        text = raw.rstrip("\r\n")
        mark, _, rest = text.partition(" ")
        if mark == "@begin":
            if current:
                current.judge()
            current = File(tap, waiting.pop(rest))
        elif mark == "@done":
            done = True
        elif current is None:
            say(text)
        elif mark == "@end":
            current.ended(*rest.split())
        elif mark == "@kernel":
            current.kernel.append(rest)
        elif mark == "@left":
            current.faults.append(text[1:])
        else:
            current.line(text)
    if current:
        current.judge()
    for name in sorted(task.name for task in waiting.values()):
        tap.line(False, name + ": the guest did not come to it")
    return done
