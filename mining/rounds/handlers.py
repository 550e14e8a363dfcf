"""How a mining job is executed: score what has no scores yet, shard by shard, then select."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from django.db.models import QuerySet
from numpy.typing import NDArray

from acquisition import Pick as Picked
from acquisition import Pool, compose, nearest, strategy
from acquisition.registry import ScoreStrategy
from blobs.models import Blob
from blobs.services import row_for, store
from catalog.manifests import lines_of
from catalog.models import Revision, Split
from jobs.context import ShardContext
from jobs.handlers import Outcome
from jobs.programs import run_program
from registry.models import ModelVersion
from rounds import mining
from rounds.models import MiningJob, Pick, ScoreFile
from scoring.config import SCORER
from scoring.table import Scores, ScoreTable, packed, read_digests

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
    rows = mining.to_score(job.version).filter(sample_id__gte=span["first"], sample_id__lte=span["last"])
    lines = list(lines_of(rows))
    known = _known_digests(job)
    wanted = np.array([digest not in known for digest in packed(line["md5"] for line in lines).tolist()], dtype=bool)
    fresh = [line for line, new in zip(lines, wanted, strict=True) if new]
    context.progress(len(lines) - len(fresh), len(lines))
    if not fresh:
        return Outcome({"scored": 0, "reused": len(lines), "quarantined": []})
    with tempfile.TemporaryDirectory(prefix="motherlode-score-") as name:
        folder = Path(name)
        (folder / "model.onnx").write_bytes(_model_bytes(job.model_version))
        (folder / "samples.jsonl").write_bytes(b"\n".join(orjson.dumps(line) for line in fresh))
        config = {
            "model": str(folder / "model.onnx"),
            "samples": str(folder / "samples.jsonl"),
            "out": str(folder / "scores.npz"),
        }
        result = run_program("scoring", config, folder=folder, context=context)
        ref = store().put_bytes((folder / "scores.npz").read_bytes())
    shard = context.claim.shard.index

    def apply() -> None:
        blob = row_for(ref)
        digest = job.model_version.digest
        ScoreFile.objects.create(
            model_digest=digest, scorer=SCORER, rows=result["scored"], blob=blob, job=context.job, shard=shard
        )

    counted = {"scored": result["scored"], "reused": len(lines) - len(fresh), "seconds": result["seconds"]}
    return Outcome(counted | {"quarantined": result["quarantined"]}, apply)


def _score_files(version: ModelVersion, *, before: MiningJob | None = None) -> Iterator[bytes]:
    rows = ScoreFile.objects.filter(model_digest=version.digest, scorer=SCORER).select_related("blob")
    for file in rows.exclude(job=before.job) if before else rows:
        yield store().get(file.blob.ref)


def _known_digests(job: MiningJob) -> set[bytes]:
    """What earlier jobs scored with this model."""
    files = _score_files(job.model_version, before=job)
    return {digest for file in files for digest in read_digests(file).tolist()}


def _model_bytes(version: ModelVersion) -> bytes:
    blob = Blob.objects.get(pk=version.artifacts.values("blob").get(path="model.onnx")["blob"])
    return store().get(blob.ref)


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
    pool = job.version.revisions.filter(split=Split.POOL, label=None).order_by("sample_id")
    ids, digests = _ids_and_digests(pool)
    classes = job.model_version.model.classes
    if not needs_scores:
        return Pool(ids=ids, classes=classes), None, []
    table = ScoreTable.of_files([Scores.read(file) for file in _score_files(job.model_version)])
    rows = table.rows(digests)
    ids, rows = ids[rows >= 0], rows[rows >= 0]
    train = job.version.revisions.filter(split=Split.TRAIN).exclude(label=None)
    labelled = list(train.select_related("sample", "blob", "label").order_by("sample_id"))
    places = table.rows(packed(row.blob.md5 for row in labelled))
    labelled = [row for row, place in zip(labelled, places, strict=True) if place >= 0]
    return (
        Pool(
            ids=ids,
            probabilities=table.probabilities[rows],
            embeddings=table.embedding[rows].astype(np.float32),
            labelled=table.embedding[places[places >= 0]].astype(np.float32),
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
