# SPDX-License-Identifier: GPL-2.0-or-later
"""workfolder - temporary folders that the next run clears if their maker was killed.

Each has a locked file in it. A folder whose lock nobody holds was left behind; one without
a lock is somebody else's, or is just being made.
"""
import contextlib
import fcntl
import os
import shutil
import tempfile

PREFIX = "rtvm-"


def take(path):
    """The file, open and locked; None if somebody has it, or if there is none of this user's."""
    try:
        file = open(path, "r+", encoding="utf-8")
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return None
    return file if os.fstat(file.fileno()).st_uid == os.geteuid() else None


def make():
    """A new folder and its lock, to be kept open as long as the folder is used."""
    folder = tempfile.mkdtemp(prefix=PREFIX)
    new = os.path.join(folder, "lock.new")
    with open(new, "x", encoding="utf-8"):
        held = take(new)
    os.rename(new, os.path.join(folder, "lock"))
    return folder, held


def clear():
    """Remove what killed runs of this user left; the folders that were removed."""
    with os.scandir(tempfile.gettempdir()) as entries:
        folders = [e.path for e in entries
                   if e.name.startswith(PREFIX) and e.is_dir(follow_symlinks=False)]
    gone = []
    for folder in folders:
        held = take(os.path.join(folder, "lock"))
        if held:
            shutil.rmtree(folder, ignore_errors=True)
            held.close()
            gone.append(folder)
    return gone


@contextlib.contextmanager
def temporary():
    """A new folder that is removed behind; what killed runs left is removed first."""
    clear()
    folder, held = make()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        held.close()
