"""`python -m acquisition CONFIG.json`; the config is an `acquisition.config.SelectionConfig`.

Each line of the file it writes is a pick: the fields of `acquisition.Pick`, `neighbours` ([row of `labelled`,
distance], the nearest first) and `probabilities` (of the model, by class). The result event has the other facts of the
batch.
"""

import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np
import orjson

from acquisition.batch import Batch
from acquisition.columns import read_pool
from acquisition.composer import compose
from acquisition.composition import composition
from acquisition.config import SelectionConfig
from acquisition.neighbours import nearest
from acquisition.pool import Pool
from worker_programs import files
from worker_programs.events import Listener, run

AT_ONCE = 256
"""Picks whose neighbours are searched at once."""


def body(config: SelectionConfig, listener: Listener) -> Mapping[str, Any]:
    """Select samples and write the picks."""
    started = time.perf_counter()
    pool = read_pool(config.pool)
    batch = compose(
        pool,
        config.strategy,
        count=config.count,
        seed=config.seed,
        control=config.control,
        params=config.params,
        composition=composition(config.compose, classes=pool.classes),
        watch=lambda done, total: listener.progress(done, total, unit="picks"),
    )
    lines = _lines(pool, batch, config.neighbours)
    files.write_bytes(config.out, b"".join(orjson.dumps(line) + b"\n" for line in lines))
    facts = {field.name: getattr(batch, field.name) for field in fields(batch) if field.name != "picks"}
    return facts | {"picked": len(batch), "seconds": time.perf_counter() - started}


def _lines(pool: Pool, batch: Batch, count: int) -> Iterator[dict[str, Any]]:
    order = np.argsort(pool.ids, kind="stable")
    for at in range(0, len(batch), AT_ONCE):
        picks = batch[at : at + AT_ONCE]
        rows = order[np.searchsorted(pool.ids, [pick.id for pick in picks], sorter=order)]
        near = _neighbours(pool, rows, count)
        for pick, row, found in zip(picks, rows, near, strict=True):
            told = None if pool.probabilities is None else pool.probabilities[row].tolist()
            yield asdict(pick) | {"neighbours": found, "probabilities": told}


def _neighbours(pool: Pool, rows: Any, count: int) -> list[list[tuple[int, float]]]:
    """Return the nearest labelled samples of each row; a labelled sample is not its own neighbour."""
    if pool.embeddings is None or pool.labelled is None or not len(pool.labelled) or not count:
        return [[] for _ in rows]
    found, distances = nearest(pool.embeddings[rows], pool.labelled, count + 1)
    near = []
    for row, places, away in zip(rows, found.tolist(), distances.tolist(), strict=True):
        pairs = zip(places, away, strict=True)
        others = (
            pairs
            if pool.labelled_ids is None
            else (pair for pair in pairs if pool.labelled_ids[pair[0]] != pool.ids[row])
        )
        near.append(list(others)[:count])
    return near


if __name__ == "__main__":
    sys.exit(run(SelectionConfig, body))
