"""Scores that are kept: which files hold those of a model, and how a shard adds what is not in them yet."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import orjson

from blobs.models import Blob
from blobs.services import row_for, store
from catalog.manifests import lines_of
from catalog.models import RevisionQuerySet
from jobs.context import ShardContext
from jobs.handlers import Outcome
from jobs.models import Job
from jobs.programs import run_program
from registry.models import ModelVersion
from rounds.models import ScoreFile
from scoring.config import SCORER
from scoring.table import Scores, ScoreTable, packed, read_digests


def score_rows(rows: RevisionQuerySet, version: ModelVersion, context: ShardContext) -> Outcome:
    """Run the model's ONNX file over the images of these revisions that have no scores of it, and keep the scores."""
    lines = list(lines_of(rows))
    known = _known_digests(version, context.job)
    wanted = np.array([digest not in known for digest in packed(line["md5"] for line in lines).tolist()], dtype=bool)
    fresh = [line for line, new in zip(lines, wanted, strict=True) if new]
    context.progress(len(lines) - len(fresh), len(lines))
    if not fresh:
        return Outcome({"scored": 0, "reused": len(lines), "quarantined": []})
    with tempfile.TemporaryDirectory(prefix="motherlode-score-") as name:
        folder = Path(name)
        (folder / "model.onnx").write_bytes(_model_bytes(version))
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
        ScoreFile.objects.create(
            model_digest=version.digest, scorer=SCORER, rows=result["scored"], blob=blob, job=context.job, shard=shard
        )

    counted = {"scored": result["scored"], "reused": len(lines) - len(fresh), "seconds": result["seconds"]}
    return Outcome(counted | {"quarantined": result["quarantined"]}, apply)


def files_of(version: ModelVersion, *, but: Job | None = None) -> list[ScoreFile]:
    """The files with scores of a model version, the oldest first; those of one job may be left out."""
    rows = ScoreFile.objects.filter(model_digest=version.digest, scorer=SCORER).select_related("blob").order_by("pk")
    return list(rows.exclude(job=but) if but else rows)


def table_of(version: ModelVersion) -> ScoreTable:
    """All scores of a model version, in memory."""
    files = (Scores.read(data) for data in _contents(files_of(version)))
    return ScoreTable.of_files([scores for scores in files if len(scores)])


def _contents(files: list[ScoreFile]) -> Iterator[bytes]:
    for file in files:
        yield store().get(file.blob.ref)


def _known_digests(version: ModelVersion, job: Job) -> set[bytes]:
    """What earlier jobs scored with this model."""
    return {digest for file in _contents(files_of(version, but=job)) for digest in read_digests(file).tolist()}


def _model_bytes(version: ModelVersion) -> bytes:
    blob = Blob.objects.get(pk=version.artifacts.values("blob").get(path="model.onnx")["blob"])
    return store().get(blob.ref)
