"""Splits as the names of folders and files give them."""

import re
from pathlib import PurePosixPath

SPLITS = {
    "pool": "pool", "unlabeled": "pool", "unlabelled": "pool",
    "train": "train", "training": "train",
    "val": "val", "valid": "val", "validation": "val", "dev": "val",
    "test": "test", "testing": "test",
}  # fmt: skip
_NUMBERED = re.compile(r"([a-z]+)[-_]?\d*")


def split_named(word: str) -> str | None:
    """Return the split that a folder's name or a word stands for: `train`, `Training`, `val2017`."""
    found = _NUMBERED.fullmatch(word.lower())
    return SPLITS.get(found[1]) if found else None


def split_of_folders(path: str) -> str | None:
    """Return the split from the outermost folder of a path that names one."""
    return next(filter(None, map(split_named, PurePosixPath(path).parts[:-1])), None)


def split_of_file(path: str) -> str | None:
    """Return the split that a file is for: from a word of its name (`instances_train2017.json`), else from its
    folders."""
    words = re.split(r"[^A-Za-z0-9]+", PurePosixPath(path).stem)
    return next(filter(None, map(split_named, reversed(words))), None) or split_of_folders(path)
