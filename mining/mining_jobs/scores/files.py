"""Stored scores: which files hold those of a model, and all of them as one table."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from blobs.models import Blob
from blobs.refs import BlobRef
from blobs.services import store
from jobs.models import Job
from mining_jobs.models import ScoreFile
from mining_jobs.scores.committees import Document, passes
from registry.models import ModelVersion
from scoring.config import SCORER
from scoring.mapped import mapped
from scoring.table import Digests, Quarantined, Scores, ScoreTable, rows_in

KEPT_INDEXES = 4096
"""Number of files whose digests a worker caches: 16 bytes a sample."""
TRANSIENT = {"blob_unreadable"}
"""Codes of refusals that are not the image's own fault: such a sample is tried again by the next job."""


class ModelFile(Protocol):
    """An ONNX file whose scores are stored: a model version's, or one of the platform's own."""

    @property
    def digest(self) -> str:
        """The SHA-256 of the file."""
        ...

    @property
    def onnx(self) -> Blob:
        """The blob of the file."""
        ...


def table_of(version: ModelVersion, committee: Document | None = None) -> ScoreTable:
    """Return all scores of a model version; with a committee, `members_of` gives the probabilities of each member.

    For `{"versions": [..]}` the members are `version` and then those, for `{"flips": true}` the image and its mirror
    image, for `{"dropout": {..}}` the masked heads. Columns are read on first use. Raises Invalid (`committee...`).
    """
    (_, own), *others = passes(version, committee)
    return _table(version, own.scorer, [_table(other, one.scorer) for other, one in others])


def table_alone(model: ModelFile) -> ScoreTable:
    """Return all scores of one file, which need not be a model version's."""
    return _table(model, SCORER)


def calibration_of(version: ModelVersion) -> dict[str, float] | None:
    """Return `{temperature, ece_before, ece_after}` of a version: the temperature was fitted on the validation split,
    the expected calibration errors are those of the test split. None where nothing was fitted."""
    found: dict[str, Any] = version.metrics.get("calibration") or {}
    wanted = ("temperature", "ece_before", "ece_after")
    if any(found.get(name) is None for name in wanted):
        return None
    values = {name: float(found[name]) for name in wanted}
    return values | {"temperature": version.model.task_type.outputs.usable(values["temperature"])}


def tempered_thresholds(version: ModelVersion) -> dict[str, float]:
    """Return the threshold of each class, at the temperature of `calibration_of`; empty where no thresholds were
    chosen."""
    fitted: dict[str, Any] = version.metrics.get("calibration") or {}
    bars: dict[str, float] = fitted.get("thresholds") or {}
    known = calibration_of(version)
    if not bars or known is None:
        return bars
    values = version.model.task_type.outputs.tempered(np.array([*bars.values()], np.float32), known["temperature"])
    return dict(zip(bars, values.tolist(), strict=True))


def files_of(version: ModelFile, scorer: str = SCORER, *, but: Job | None = None) -> list[ScoreFile]:
    """Return the score files of a model, oldest first; `but` leaves out those of one job."""
    rows = ScoreFile.objects.filter(model_digest=version.digest, scorer=scorer).select_related("blob").order_by("pk")
    return list(rows.exclude(job=but) if but else rows)


def parts_of(refs: Iterable[BlobRef]) -> list[Scores]:
    """Return the contents of score files, mapped from this machine's disk."""
    return mapped(store().open(ref) for ref in refs)


def seen(md5: Digests, files: Iterable[ScoreFile]) -> tuple[NDArray[np.bool_], dict[str, Quarantined]]:
    """Return which digests (N,) have scores in some files, (N,); and by md5 the images that those files refused for
    their content."""
    known = np.zeros(len(md5), bool)
    refused: dict[str, Quarantined] = {}
    for file in files:
        digests, bad = index_of(file.blob_id)
        known |= rows_in(digests, md5) >= 0
        refused |= {item.md5: item for item in bad}
    return known, refused


@lru_cache(maxsize=KEPT_INDEXES)
def index_of(blob_id: int) -> tuple[Digests, tuple[Quarantined, ...]]:
    """Return the digests in a file, and the images it refused for their content.

    Files never change, so a worker reads each once, however many shards need it.
    """
    (part,) = parts_of([Blob.objects.get(pk=blob_id).ref])
    return part.md5.copy(), tuple(item for item in part.refused if item.code not in TRANSIENT)


def _table(version: ModelFile, scorer: str, companions: Iterable[ScoreTable] = ()) -> ScoreTable:
    return ScoreTable(parts_of(file.blob.ref for file in files_of(version, scorer)), list(companions))
