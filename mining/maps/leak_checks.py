"""Leak checks: find samples outside test that a model can hardly tell from test samples."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accounts.models import User
from catalog.duplicates.near import save_near_duplicates
from catalog.models import Dataset, NearDuplicate, Sample, Split, Version
from catalog.splits.barring import BATCH
from core.errors import Invalid
from jobs import lanes
from jobs.context import ShardContext
from jobs.handlers import Outcome
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from mining_jobs.scores.files import table_of
from mining_jobs.scores.shards import score_rows
from mining_jobs.scores.spans import sample_spans
from registry.models import ModelVersion
from registry.services import check_classes
from scoring.table import ScoreTable, packed

KIND = "leak_check"
SCORE, COMPARE = 0, 1
THRESHOLD = 0.98
SHOWN_PAIRS = 100
ROWS, TESTS = 2048, 8192  # of one product: 64 MiB

Floats = NDArray[np.float32]


def start_leak_check(version: Version, model_version: ModelVersion, *, threshold: float, author: User) -> Job:
    """Create a queued job that compares the embeddings of test samples with all others of a version.

    Samples without scores of this model are scored first; pairs with a cosine of `threshold` or more become
    near-duplicates in place of those that an earlier check by this model found. Raises Invalid (model, version). The
    caller wakes the job.
    """
    check_classes(model_version.model, version.dataset)
    if not version.revisions.filter(split=Split.TEST).exists():
        raise Invalid.field("version", f"{version} has no test sample to compare with", code="test_empty")
    spans = sample_spans(version.revisions)
    params = {
        "dataset": version.dataset_id,
        "version": version.pk,
        "model": model_version.model_id,
        "model_version": model_version.pk,
        "threshold": threshold,
    }
    title = f"Look for leaks in {version} by {model_version.model.name}@{model_version.number}"
    return create_job(
        KIND,
        title[:200],
        shards=[
            *(ShardSpec(span, units=units, phase=SCORE) for span, units in spans),
            ShardSpec(units=0, phase=COMPARE),
        ],
        params=params,
        unit="samples",
        created_by=author,
        project=version.dataset.project_id,
    )


class LeakCheckHandler:
    """Phase SCORE scores a range of samples, phase COMPARE compares embeddings."""

    lane = lanes.ASKED

    def run(self, context: ShardContext) -> Outcome:
        """Run a shard of either phase; it may be killed and run again."""
        given = context.job.params
        version = Version.objects.select_related("dataset").get(pk=given["version"])
        model_version = ModelVersion.objects.select_related("model").get(pk=given["model_version"])
        if context.claim.shard.phase == SCORE:
            span = context.params
            rows = version.revisions.filter(sample_id__gte=span["first"], sample_id__lte=span["last"])
            return score_rows(rows, model_version, context)
        return _compare(version, model_version, given["threshold"], context)


def _compare(version: Version, model_version: ModelVersion, threshold: float, context: ShardContext) -> Outcome:
    table = table_of(model_version)
    tests, test_rows = _embedded(version.revisions.filter(split=Split.TEST), table)
    others, other_rows = _embedded(version.revisions.exclude(split=Split.TEST), table)
    found = _near(table, other_rows, test_rows, threshold, context)
    pairs = [(int(others[row]), int(tests[test]), 1 - cosine) for row, test, cosine in found]
    name = f"{model_version.model.name}@{model_version.number}"
    rows = [
        NearDuplicate(
            dataset=version.dataset, sample_id=sample, of_id=of, distance=distance, found_by=name, since=version.number
        )
        for sample, of, distance in pairs
    ]
    result = {
        "version": version.number,
        "model": name,
        "threshold": threshold,
        "tests": len(tests),
        "others": len(others),
        "unscored": version.revisions.count() - len(tests) - len(others),
        "found": len(pairs),
        "pairs": _shown(version, sorted(pairs, key=lambda pair: pair[2])[:SHOWN_PAIRS]),
    }
    return Outcome(result, lambda: _replace(rows, version.dataset, name, others))


def _replace(rows: Sequence[NearDuplicate], dataset: Dataset, found_by: str, compared: NDArray[np.int64]) -> None:
    """Store the near-duplicates of this check, and delete those that an earlier one by the same model found and this
    one did not: these samples are trained on again. Samples that were not compared, and pairs that are allowed, stay as
    they are."""
    found = {row.sample_id for row in rows}
    earlier = NearDuplicate.objects.filter(dataset=dataset, found_by=found_by, allowed=False)
    gone = set(earlier.values_list("sample_id", flat=True)) & set(compared.tolist()) - found
    for at in range(0, len(gone), BATCH):
        earlier.filter(sample__in=sorted(gone)[at : at + BATCH]).delete()
    save_near_duplicates(rows, decided=False)


def _embedded(rows: Any, table: ScoreTable) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the ids of samples that have scores, and their rows in the table."""
    known = list(rows.order_by("sample_id").values_list("sample_id", "blob__md5"))
    places = table.rows(packed(md5 for _, md5 in known))
    ids = np.array([sample for sample, _ in known], np.int64)
    return ids[places >= 0], places[places >= 0]


def _near(
    table: ScoreTable,
    rows: NDArray[np.intp],
    tests: NDArray[np.intp],
    threshold: float,
    context: ShardContext,
) -> list[tuple[int, int, float]]:
    """Return (row, its nearest test, cosine) where the cosine is at least the threshold; exact, by blocks of matrix
    products."""
    found: list[tuple[int, int, float]] = []
    for at in range(0, len(rows), ROWS):
        context.check()
        block = _unit(table.embedding_of(rows[at : at + ROWS]))
        best, nearest = np.full(len(block), -1.0, np.float32), np.zeros(len(block), np.intp)
        for start in range(0, len(tests), TESTS):
            cosines = block @ _unit(table.embedding_of(tests[start : start + TESTS])).T
            here = cosines.argmax(axis=1)
            value = cosines[np.arange(len(block)), here]
            closer = value > best
            best[closer], nearest[closer] = value[closer], here[closer] + start
        context.progress(at + len(block), len(rows))
        kept = np.flatnonzero(best >= threshold)
        found += zip((kept + at).tolist(), nearest[kept].tolist(), best[kept].tolist(), strict=True)
    return found


def _unit(vectors: NDArray[np.float16]) -> Floats:
    wide = vectors.astype(np.float32)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    unit: Floats = wide / np.maximum(lengths, np.float32(1e-12))
    return unit


def _shown(version: Version, pairs: Sequence[tuple[int, int, float]]) -> list[dict[str, Any]]:
    ids = {sample for pair in pairs for sample in pair[:2]}
    keys = dict(Sample.objects.filter(pk__in=ids).values_list("pk", "key"))
    rows: Any = version.revisions.filter(sample__in=[pair[0] for pair in pairs])
    splits: dict[int, str] = dict(rows.values_list("sample_id", "split"))
    return [
        {"key": keys[sample], "of": keys[of], "distance": round(distance, 6), "split": splits[sample]}
        for sample, of, distance in pairs
    ]
