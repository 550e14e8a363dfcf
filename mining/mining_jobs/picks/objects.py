"""The objects of a shortlist, cropped and embedded by the model: columns that a strategy compares images by."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acquisition import Pool, Strategy, candidates_of, composition
from acquisition.columns import read_pool, write_column
from acquisition.objects import surest
from blobs.refs import BlobRef
from catalog.exports.manifests import lines_of
from core.list_parameters import listed
from jobs.context import ShardContext
from mining_jobs.models import MiningJob
from mining_jobs.scores.files import files_of, parts_of, table_of
from mining_jobs.scores.shards import keep, run_scorer
from scoring.committee import Pass
from scoring.table import ScoreTable, packed

NAMED = 10
"""Number of unreadable images that the log names; all are counted."""


@dataclass(frozen=True, slots=True)
class Looked:
    """The outcome of embedding objects: figures for people, and `apply`, which stores the new embeddings once the shard
    is done."""

    figures: Mapping[str, Any]
    apply: Callable[[], None]


def write_objects(job: MiningJob, folder: Path, chosen: Strategy, context: ShardContext) -> Looked:
    """Write the columns `objects`, `object_facts` and `object_ids` beside those of the pool in `folder`: the surest
    objects of the images that the strategy shortlists. Crops that this model has embedded before are not embedded
    again.

    Images whose bytes can't be read any more have no row, and are counted as `unreadable`.
    """
    pool, version = read_pool(folder).in_order(job.seed), job.model
    rules = composition(job.compose, classes=job.classes)
    open_rows = candidates_of(pool, chosen, count=job.count, seed=job.seed, composition=rules)
    among = pool.take(open_rows)
    rows = open_rows[chosen.shortlist(among, min(job.count, len(among)))]
    shown = _Shown.of(job, pool, rows, chosen.params.objects)
    way = Pass(objects=chosen.params.objects)
    known = parts_of(file.blob.ref for file in files_of(version, way.scorer))
    fresh = np.flatnonzero(ScoreTable(known).rows(packed(shown.md5)) < 0)
    context.log(f"{len(rows):,} images with the highest scores: the objects of {len(fresh):,} are shown to the model")
    made: tuple[BlobRef, dict[str, Any]] | None = None
    if len(fresh):
        lines = shown.lines(job, fresh)
        made = run_scorer(
            [line for line, _ in lines],
            version,
            way,
            context,
            regions=shown.regions[[row for _, row in lines]],
            on_progress=lambda done: context.progress(done, len(fresh)),
        )
        known += parts_of([made[0]])
    table = ScoreTable(known)
    places = table.rows(packed(shown.md5))
    seen = places >= 0
    looks = table.embedding_of(places[seen]) if seen.any() else np.empty((0, way.objects, 0))
    write_column(folder, "objects", looks.astype(np.float32))
    write_column(folder, "object_facts", shown.facts[seen])
    write_column(folder, "object_ids", shown.ids[seen])
    told: dict[str, Any] = made[1] if made else {"scored": 0, "quarantined": [], "seconds": 0.0}
    for bad in told["quarantined"][:NAMED]:
        context.log(f"{bad['md5']} can't be looked at: {bad['detail']}", level="warning")
    figures = {
        "images": int(seen.sum()),
        "objects": int((shown.facts[seen][..., 1] > 0).sum()),
        "scored": told["scored"],
        "seconds": round(told["seconds"], 3),
        "unreadable": len(told["quarantined"]),
    }

    def apply() -> None:
        if made is not None:
            keep(made[0], version, way.scorer, made[1]["scored"], context)

    return Looked(figures, apply)


@dataclass(frozen=True)
class _Shown:
    """S shortlisted images: `ids` (S,), their `md5`, and of their T surest objects `regions` (S, T, 4), NaN where there
    is none, and `facts` (S, T, 2), class and calibrated score (`acquisition.objects.surest`)."""

    ids: NDArray[np.int64]
    md5: list[str]
    regions: NDArray[np.float32]
    facts: NDArray[np.float32]

    @classmethod
    def of(cls, job: MiningJob, pool: Pool, rows: NDArray[np.intp], most: int) -> "_Shown":
        """Build it for these rows of the pool, with the objects chosen by the scores as they were stored."""
        assert pool.probabilities is not None  # noqa: S101 - a strategy that looks at objects needs them
        ids = pool.ids[rows]
        shown = job.version.revisions.filter(sample__in=listed(ids.tolist()))
        by_id = dict(shown.values_list("sample_id", "blob__md5"))
        md5 = [by_id[one] for one in ids.tolist()]
        table, task = table_of(job.model), job.model.model.task
        kept = table.probabilities_of(table.rows(packed(md5)))
        regions, facts = surest(task, kept, most, calibrated=np.asarray(pool.probabilities[rows]))
        return cls(ids, md5, regions, facts)

    def lines(self, job: MiningJob, rows: NDArray[np.intp]) -> list[tuple[dict[str, Any], int]]:
        """Return the manifest lines of some of the images, each with its row."""
        row_of = {self.md5[row]: row for row in rows.tolist()}
        shown = job.version.revisions.filter(sample__in=listed(self.ids[rows].tolist()))
        found = {line["md5"]: line for line in lines_of(shown)}
        return [(line, row_of[md5]) for md5, line in found.items()]
