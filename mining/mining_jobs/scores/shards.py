"""One shard of scoring: run the model's file over the images without scores, and store the new scores."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from django.conf import settings
from numpy.typing import NDArray

from blobs.refs import BlobRef
from blobs.services import row_for, store
from catalog.exports.manifests import CHUNK, lines_of
from catalog.models import RevisionQuerySet
from jobs.context import ShardContext
from jobs.handlers import Outcome
from jobs.persistent import PersistentProgram
from mining_jobs.models import ScoreFile
from mining_jobs.scores.committees import Document, passes
from mining_jobs.scores.files import ModelFile, files_of, seen
from registry.models import ModelVersion
from scoring.committee import AS_IT_IS, Pass
from scoring.table import packed

Line = dict[str, Any]
Regions = NDArray[np.floating[Any]]
scorer = PersistentProgram("scoring", reads_store=True)
"""This worker's scoring program: it keeps the models of the last shards open."""


@dataclass(frozen=True, slots=True)
class _Scored:
    """The result of one model on a shard: its file in the store, if there was anything to score, and its figures."""

    version: ModelFile
    scorer: str
    ref: BlobRef | None
    result: dict[str, Any]


def score_rows(
    rows: RevisionQuerySet, version: ModelVersion, context: ShardContext, committee: Document | None = None
) -> Outcome:
    """Run the model's ONNX file over the images of these revisions that it has no scores of, and store the scores.

    With a committee, images that its members have not scored are scored too. The outcome counts `scored` and `reused`
    images over all members, the `seconds` they took, the `provider` that ran them, what was `quarantined`, and as
    `histogram` the margins that `version` has just scored.
    """
    return _scored(rows, passes(version, committee), context)


def score_alone(rows: RevisionQuerySet, model: ModelFile, context: ShardContext) -> Outcome:
    """Score these revisions as `score_rows` does, by one file alone, which need not be a model version's."""
    return _scored(rows, [(model, AS_IT_IS)], context)


def _scored(rows: RevisionQuerySet, wanted: Sequence[tuple[ModelFile, Pass]], context: ShardContext) -> Outcome:
    images = _Images(rows)
    share = _Share(context, len(images.md5), len(wanted))
    done = [_score(images, member, one, share) for member, one in wanted]

    def apply() -> None:
        for one in done:
            if one.ref is not None:
                keep(one.ref, one.version, one.scorer, one.result["scored"], context)

    return Outcome(_total([one.result for one in done]), apply)


class _Images:
    """The distinct images of some revisions. Where their bytes lie is read only once they have to be scored."""

    def __init__(self, rows: RevisionQuerySet) -> None:
        self._rows = rows
        digests = rows.order_by("sample_id").values_list("blob__md5", flat=True)
        self.md5 = list(dict.fromkeys(digests.iterator(chunk_size=CHUNK)))

    @cached_property
    def lines(self) -> dict[str, Line]:
        """Map each md5 to its manifest line."""
        return {line["md5"]: line for line in lines_of(self._rows)}


class _Share:
    """The progress of a shard, in images, over all members of a committee."""

    def __init__(self, context: ShardContext, images: int, members: int) -> None:
        self.context, self._images, self._members, self._gone = context, images, members, 0
        self.told(0)

    def told(self, done: int) -> None:
        """Report that the current member has done `done` images."""
        self.context.progress((self._gone + done) // self._members, self._images)

    def next(self) -> None:
        """Count the current member as finished."""
        self._gone += self._images
        self.told(0)


def _score(images: _Images, version: ModelFile, way: Pass, share: _Share) -> _Scored:
    known, refused = seen(packed(images.md5), files_of(version, way.scorer, but=share.context.job))
    unknown = [images.md5[row] for row in np.flatnonzero(~known)]
    bad = [asdict(refused[md5]) for md5 in unknown if md5 in refused]
    fresh = [images.lines[md5] for md5 in unknown if md5 not in refused]
    counted = {"scored": 0, "reused": int(np.count_nonzero(known)), "quarantined": bad, "seconds": 0.0}
    ref = None
    if fresh:
        gone = len(images.md5) - len(fresh)
        ref, result = run_scorer(fresh, version, way, share.context, on_progress=lambda done: share.told(gone + done))
        counted |= {name: result[name] for name in ("scored", "seconds", "provider", "histogram")}
        counted["quarantined"] = bad + result["quarantined"]
    share.next()
    return _Scored(version, way.scorer, ref, counted)


def run_scorer(
    lines: Sequence[Line],
    version: ModelFile,
    way: Pass,
    context: ShardContext,
    *,
    regions: Regions | None = None,
    on_progress: Callable[[int], None],
) -> tuple[BlobRef, dict[str, Any]]:
    """Run the scoring program on these lines, starting it if needed; when this returns, its score file is in the store.
    `regions` (N, T, 4) are those of the lines (`scoring.crops`)."""
    with tempfile.TemporaryDirectory(prefix="motherlode-score-") as name:
        folder = Path(name)
        (folder / "model.onnx").write_bytes(store().get(version.onnx.ref))
        (folder / "samples.jsonl").write_bytes(b"\n".join(orjson.dumps(line) for line in lines))
        config = {
            "model": str(folder / "model.onnx"),
            "samples": str(folder / "samples.jsonl"),
            "out": str(folder / "scores.npz"),
            "regions": None if regions is None else _saved(folder / "regions.npy", regions),
            "mirrored": way.mirrored,
            "dropout": asdict(way.dropout) if way.dropout else None,
            "threads": settings.PROGRAM_THREADS,
        }
        result = scorer.run(config, folder=folder, context=context, on_progress=on_progress)
        with (folder / "scores.npz").open("rb") as file:
            return store().put_file(file), result


def _saved(path: Path, values: NDArray[Any]) -> str:
    np.save(path, values, allow_pickle=False)
    return str(path)


def keep(ref: BlobRef, version: ModelFile, scorer: str, rows: int, context: ShardContext) -> None:
    """Record the file as the scores of this shard."""
    ScoreFile.objects.create(
        model_digest=version.digest,
        scorer=scorer,
        rows=rows,
        blob=row_for(ref),
        job=context.job,
        shard=context.claim.shard.index,
    )


def _total(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Sum up the members' results. The first is the scoring version's own: the total takes its histogram."""
    quarantined = {item["md5"]: item for result in results for item in result["quarantined"]}
    return {
        "scored": sum(result["scored"] for result in results),
        "reused": sum(result["reused"] for result in results),
        "seconds": sum(result["seconds"] for result in results),
        "provider": next((result["provider"] for result in results if "provider" in result), None),
        "histogram": results[0].get("histogram"),
        "quarantined": list(quarantined.values()),
    }
