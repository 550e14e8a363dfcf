"""Write result files so that a reader sees the whole file or none."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson


def write_bytes(path: Path, data: bytes) -> Path:
    """Replace `path` by `data` in one step; a kill in the middle leaves the old file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    with partial.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    partial.replace(path)
    return path


def write_json(path: Path, document: Mapping[str, Any]) -> Path:
    """Write an indented JSON document as `write_bytes` does."""
    return write_bytes(path, orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY) + b"\n")
