"""How a mining job is executed: score what has no scores yet, shard by shard, then select."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from acquisition import Pick as Picked
from acquisition import Pool, compose, nearest, strategy
from acquisition.registry import ScoreStrategy
from catalog.models import Revision, Split
from jobs.context import ShardContext
from jobs.handlers import Outcome
from rounds import mining
from rounds.models import MiningJob, Pick
from rounds.score_files import table_of
from rounds.score_shards import score_rows
from scoring.table import ScoreTable, packed

NEIGHBOURS = 3
BINS = 40


class MineHandler:
    """Phase SCORE runs the model's ONNX file over a range of samples, phase SELECT picks."""

    queue = "compute"

    def run(self, context: ShardContext) -> Outcome:
        """Either phase; each may be killed and run again."""
        related = ("version__dataset", "model_version__model")
        job = MiningJob.objects.select_related(*related).get(job=context.job)
        if context.claim.shard.phase == mining.SCORE:
            return _score(job, context)
        return _select(job)


def _score(job: MiningJob, context: ShardContext) -> Outcome:
    span = context.params
    rows = mining.to_score(job.version, job.filter).filter(sample_id__gte=span["first"], sample_id__lte=span["last"])
    return score_rows(rows, job.model_version, context)


def _select(job: MiningJob) -> Outcome:
    started = time.perf_counter()
    chosen = strategy(job.strategy, job.params)
    pool, table, labelled = _pool(job, needs_scores=bool(chosen.needs))
    picked = compose(pool, job.strategy, count=job.count, seed=job.seed, control=job.control, params=job.params)
    rows = _pick_rows(job, picked, pool, table, labelled)
    stats = _totals(job) | {
        "pool": len(pool),
        "picked": len(picked),
        "select_seconds": round(time.perf_counter() - started, 3),
    }
    if isinstance(chosen, ScoreStrategy) and pool.probabilities is not None and len(pool):
        stats["histogram"] = _histogram(chosen.scores(pool.probabilities), picked)

    def apply() -> None:
        Pick.objects.bulk_create(rows, batch_size=500)
        MiningJob.objects.filter(pk=job.pk).update(stats=stats)

    return Outcome({name: value for name, value in stats.items() if name != "histogram"}, apply)


def _pool(job: MiningJob, *, needs_scores: bool) -> tuple[Pool, ScoreTable | None, list[Revision]]:
    """The unlabelled pool with its scores; samples that could not be scored are left out of it."""
    pool = mining.pool_of(job.version, job.filter).order_by("sample_id")
    ids, digests = _ids_and_digests(pool)
    classes = job.model_version.model.classes
    if not needs_scores:
        return Pool(ids=ids, classes=classes), None, []
    table = table_of(job.model_version)
    rows = table.rows(digests)
    ids, rows = ids[rows >= 0], rows[rows >= 0]
    train = job.version.revisions.filter(split=Split.TRAIN).exclude(label=None)
    labelled = list(train.select_related("sample", "blob", "label").order_by("sample_id"))
    places = table.rows(packed(row.blob.md5 for row in labelled))
    labelled = [row for row, place in zip(labelled, places, strict=True) if place >= 0]
    return (
        Pool(
            ids=ids,
            probabilities=table.probabilities_of(rows),
            embeddings=table.embedding_of(rows).astype(np.float32),
            labelled=table.embedding_of(places[places >= 0]).astype(np.float32),
            classes=classes,
        ),
        table,
        labelled,
    )


def _ids_and_digests(rows: QuerySet[Revision]) -> tuple[NDArray[np.int64], NDArray[np.bytes_]]:
    pairs = list(rows.values_list("sample_id", "blob__md5"))
    return np.array([pair[0] for pair in pairs], np.int64), packed(pair[1] for pair in pairs)


def _pick_rows(
    job: MiningJob, picked: Sequence[Picked], pool: Pool, table: ScoreTable | None, labelled: Sequence[Revision]
) -> list[Pick]:
    places = {sample: row for row, sample in enumerate(pool.ids.tolist())}
    at = np.array([places[pick.id] for pick in picked], np.intp)
    neighbours: list[list[dict[str, Any]]] = [[] for _ in picked]
    if table is not None and pool.embeddings is not None and pool.labelled is not None and len(pool.labelled):
        rows, distances = nearest(pool.embeddings[at], pool.labelled, NEIGHBOURS)
        neighbours = [
            [_neighbour(labelled[row], float(distance)) for row, distance in zip(found, away, strict=True)]
            for found, away in zip(rows, distances, strict=True)
        ]
    return [
        Pick(
            mining_job=job,
            rank=pick.rank,
            sample_id=pick.id,
            score=pick.score,
            terms=pick.terms,
            reason=pick.reason[:300],
            control=pick.control,
            probability=pick.probability,
            prediction=_prediction(job, pool, row),
            neighbours=near,
        )
        for pick, row, near in zip(picked, at.tolist(), neighbours, strict=True)
    ]


def _neighbour(row: Revision, distance: float) -> dict[str, Any]:
    thumb = f"/thumbs/{row.blob.md5}"
    return {"key": row.sample.key, "thumb": thumb, "label": row.class_name, "distance": round(distance, 4)}


def _prediction(job: MiningJob, pool: Pool, row: int) -> dict[str, Any] | None:
    if pool.probabilities is None:
        return None
    p = pool.probabilities[row]
    best = int(p.argmax())
    return {
        "class": pool.class_name(best),
        "probability": round(float(p[best]), 4),
        "probabilities": {pool.class_name(index): round(float(value), 4) for index, value in enumerate(p)},
        "model": f"{job.model_version.model.name}@{job.model_version.number}",
    }


def _totals(job: MiningJob) -> dict[str, Any]:
    """What the score shards did, each counted once."""
    results = [
        result for result in job.job.shards.filter(phase=mining.SCORE).values_list("result", flat=True) if result
    ]
    seconds = sum(result.get("seconds", 0.0) for result in results)
    scored = sum(result["scored"] for result in results)
    return {
        "scored": scored,
        "reused": sum(result["reused"] for result in results),
        "quarantined": [item for result in results for item in result["quarantined"]][:1000],
        "score_seconds": round(seconds, 3),
        "images_per_second": round(scored / seconds, 1) if seconds else None,
    }


def _histogram(scores: NDArray[np.floating[Any]], picked: Sequence[Picked]) -> dict[str, Any]:
    counts, edges = np.histogram(scores, bins=BINS)
    cut = [pick.score for pick in picked if pick.score is not None]
    return {"edges": edges.tolist(), "counts": counts.tolist(), "cut": min(cut) if cut else None}
