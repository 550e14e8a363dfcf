"""Files that hold secrets."""

import os
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Replaces `path` in one step with a file that only its owner can read."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)  # left by a killed process that had our number; its mode may be another
    fresh.touch(mode=0o600)
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)
