"""A pool as a folder of columns, one `.npy` each: written block by block, read as memory maps.

So neither the worker that writes a large pool nor the program that selects from it holds more of it in memory than it
uses.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from acquisition.pool import LABELLED, OBJECTS, ROWS, UNWANTED, WANTED, Pool, PoolError
from tasktypes import DEFAULT

FACTS = "pool.json"
NAMES = frozenset((*ROWS, *LABELLED, *OBJECTS, *WANTED, *UNWANTED, "evidence"))


class PoolFolder:
    """Writes a pool as a folder. `close` it once every column is written."""

    def __init__(self, path: Path, classes: Sequence[str], task: str = DEFAULT) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._facts: dict[str, Any] = {"classes": list(classes), "task": task, "slices": []}

    def write(self, name: str, values: NDArray[Any]) -> None:
        """Write a whole column of `Pool`, by its field's name."""
        write_column(self._path, name, values)

    def write_blocks(self, name: str, rows: int, blocks: Iterable[NDArray[Any]]) -> None:
        """Write a column of `rows` rows from consecutive blocks; nothing is written when there is no block."""
        column, at = None, 0
        for block in blocks:
            if column is None:
                shape = (rows, *block.shape[1:])
                column = open_memmap(self._path / f"{name}.npy", "w+", dtype=block.dtype, shape=shape)
            column[at : at + len(block)] = block
            at += len(block)
        if column is not None and at != rows:
            raise PoolError(f"{name}: expected {rows} rows, got {at}")

    def write_slices(self, slices: Mapping[str, NDArray[np.bool_]]) -> None:
        """Write all slices, name -> (N,) bool."""
        for at, (name, inside) in enumerate(slices.items()):
            np.save(self._path / f"slice-{at}.npy", inside, allow_pickle=False)
            self._facts["slices"].append(name)

    def close(self) -> Path:
        """Finish the folder and return its path."""
        (self._path / FACTS).write_bytes(orjson.dumps(self._facts))
        return self._path


def write_column(path: Path, name: str, values: NDArray[Any]) -> None:
    """Write a further column of the pool in a folder, by its field's name."""
    if name not in NAMES:
        raise PoolError(f"{name}: a pool has no such column")
    np.save(path / f"{name}.npy", values, allow_pickle=False)


def read_pool(path: Path) -> Pool:
    """Read the pool of a folder, its columns mapped into memory. Raises PoolError for a folder without a pool."""
    try:
        facts = orjson.loads((path / FACTS).read_bytes())
        slices = {name: _column(path / f"slice-{at}.npy") for at, name in enumerate(facts["slices"])}
        columns = {name: _column(file) for name in NAMES if (file := path / f"{name}.npy").exists()}
    except (OSError, ValueError, KeyError) as fault:
        raise PoolError(f"pool: {path} is not a folder of a pool: {fault}") from fault
    if "ids" not in columns:
        raise PoolError(f"pool: {path} has no column ids")
    return Pool(**columns, slices=slices, classes=facts["classes"], task=facts["task"])


def _column(file: Path) -> NDArray[Any]:
    return np.asarray(np.load(file, mmap_mode="r", allow_pickle=False))
