"""A model's scores of the frames of a group: one file for each group and model, with the rows of the group, so that no
scan scores a frame again."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blobs.refs import BlobRef
from blobs.services import row_for, store
from jobs.context import ShardContext
from lakes.models import GroupScores, LakeGroup
from lakes.reading import each_frame
from mining_jobs.scores.files import TRANSIENT
from mining_jobs.scores.shards import run_scorer
from registry.models import ModelVersion
from scoring.committee import AS_IT_IS
from scoring.mapped import mapped
from scoring.table import packed, rows_in

Rows = NDArray[np.integer[Any]]
UNKNOWN, SCORED, REFUSED = 0, 1, 2


@dataclass(slots=True)
class Said:
    """The scores of a group of N frames: `states` (N,), `probabilities` (N, ..) as the model gave them, for frames that
    are SCORED, and the frames refused in this run. `ref` is the new file, None where there was nothing to score."""

    states: NDArray[np.uint8]
    probabilities: NDArray[np.float32] | None = None
    refused: list[Mapping[str, Any]] = field(default_factory=list)
    scored: int = 0
    reused: int = 0
    told: dict[str, Any] = field(default_factory=dict)
    ref: BlobRef | None = None


def known_scores(group: LakeGroup, version: ModelVersion) -> Said:
    """Return the scores that earlier scans have stored."""
    row = GroupScores.objects.filter(group=group, model_digest=version.digest, scorer=AS_IT_IS.scorer)
    found = row.select_related("blob").first()
    if found is None:
        return Said(np.zeros(group.rows, np.uint8))
    with np.load(io.BytesIO(store().get(found.blob.ref)), allow_pickle=False) as columns:
        return Said(columns["states"], columns["probabilities"])


def scored(group: LakeGroup, table: pa.Table, rows: Rows, version: ModelVersion, context: ShardContext) -> Said:
    """Return the scores after scoring those of these rows that have none yet or could not be read.

    Frames refused for their content are not tried again.
    """
    said = known_scores(group, version)
    fresh = rows[said.states[rows] == UNKNOWN]
    said.reused = len(rows) - len(fresh)
    if len(fresh):
        _score(said, table, fresh, version, context)
    return said


def _score(said: Said, table: pa.Table, rows: Rows, version: ModelVersion, context: ShardContext) -> None:
    lines = list(each_frame(table, rows.tolist()))
    images = len({line["md5"] for line in lines})

    def on_progress(done: int) -> None:
        context.progress(said.reused + done * len(rows) // images)

    ref, result = run_scorer(lines, version, AS_IT_IS, context, on_progress=on_progress)
    (found,) = mapped([store().open(ref)])
    places = rows_in(found.md5, packed(line["md5"] for line in lines))
    if said.probabilities is None:
        shape = (len(said.states), *found.probabilities.shape[1:])
        said.probabilities = np.zeros(shape, np.float32)
    there = places >= 0
    said.probabilities[rows[there]] = found.probabilities[places[there]]
    said.states[rows[there]] = SCORED
    said.refused = _refused(lines, result["quarantined"])
    lasting = {one["key"] for one in said.refused if one["code"] not in TRANSIENT}
    said.states[[row for row, line in zip(rows.tolist(), lines, strict=True) if line["key"] in lasting]] = REFUSED
    said.scored = int(there.sum())
    said.told = {name: result[name] for name in ("seconds", "provider", "histogram")}
    stream = io.BytesIO()
    np.savez(stream, states=said.states, probabilities=said.probabilities)
    said.ref = store().put_bytes(stream.getvalue())


def _refused(lines: Sequence[Mapping[str, Any]], items: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return each refused frame, with its key."""
    why = {item["md5"]: item for item in items}
    return [{**why[line["md5"]], "key": line["key"]} for line in lines if line["md5"] in why]


def keep_scores(group: LakeGroup, version: ModelVersion, said: Said) -> None:
    """Record the new file as the group's scores, inside the transaction that counts a shard."""
    if said.ref is not None:
        GroupScores.objects.update_or_create(
            group=group, model_digest=version.digest, scorer=AS_IT_IS.scorer, defaults={"blob": row_for(said.ref)}
        )
