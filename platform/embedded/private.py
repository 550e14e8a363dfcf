"""Files that only their owner may read."""

import contextlib
import os
import stat
from pathlib import Path

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def write_private(path: Path, text: str) -> None:
    """Replaces `path` in one step with a file that only its owner can read."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)  # left by a killed process that had our number; its mode may be another
    fresh.touch(mode=0o600)
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def make_private(folder: Path) -> int:
    """Removes all access to `folder` and everything in it, except the owner's. Returns how many others could access."""
    mended = 0
    for path in (folder, *folder.rglob("*")):
        with contextlib.suppress(FileNotFoundError):  # a running platform's own files come and go
            mode = path.lstat().st_mode
            if not stat.S_ISLNK(mode) and mode & OTHERS:
                path.chmod(stat.S_IMODE(mode) & ~OTHERS)
                mended += 1
    return mended
