"""Records of what is installed already, so that a second `make setup` does nothing and returns at once."""

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path


def digest_of(*parts: str | Path) -> str:
    """Return one hash over texts and file contents, in order; a missing file counts as empty."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part.read_bytes() if part.is_file() else b""
        total.update(len(data).to_bytes(8, "big"))
        total.update(data)
    return total.hexdigest()


def digest_of_tree(root: Path, *, skip: Iterable[str]) -> str:
    """Return one hash over the names and contents of all files below `root`, leaving out directories named in
    `skip`."""
    skipped = frozenset(skip)
    parts: list[str | Path] = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(set(folders) - skipped)
        for name in sorted(files):
            path = Path(folder, name)
            parts += [path.relative_to(root).as_posix(), path]
    return digest_of(*parts)


class Stamps:
    """A small JSON file inside the virtual environment: it is deleted with the environment that it describes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._values: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}

    def get(self, name: str) -> str | None:
        return self._values.get(name)

    def set(self, name: str, value: str) -> None:
        """Stores `value`; the file is replaced atomically."""
        self._values[name] = value
        self._write()

    def drop(self, name: str) -> None:
        if self._values.pop(name, None) is not None:
            self._write()

    def _write(self) -> None:
        fresh = self._path.with_suffix(".new")
        fresh.write_text(json.dumps(self._values, indent=1), encoding="utf-8")
        fresh.replace(self._path)
