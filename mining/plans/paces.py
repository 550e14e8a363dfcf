"""What this installation has measured, read from the newest rows of runs, mining jobs, answers and samples."""

from collections.abc import Mapping
from datetime import datetime
from statistics import median
from typing import Any

from django.db.models import F, Q, QuerySet

from accounts.rights import visible
from catalog.models import Revision
from labeling.models import Answer
from mining_jobs.models import MiningJob
from planning import Measured, MeasuredPace
from registry.models import ModelVersion
from training.config import Recipe

NEWEST_VERSIONS, NEWEST_JOBS, NEWEST_ANSWERS, NEWEST_SAMPLES = 200, 100, 10_000, 1_000
"""Rows to read at most: a plan costs the same however large the history is."""
HOUR = 3600


def measured() -> Measured:
    """Measure the paces over everything that the caller may read."""
    versions = visible(ModelVersion.objects.filter(model__deleted=None), "model__project")
    jobs = visible(MiningJob.objects.filter(dataset__deleted=None), "dataset__project")
    answers = visible(Answer.objects.filter(task__queue__dataset__deleted=None), "task__queue__dataset__project")
    at_head = Q(until=None) | Q(until__gt=F("dataset__head__number"))
    samples = visible(Revision.objects.committed().filter(at_head, dataset__deleted=None), "dataset__project")
    found = {
        "scoring.images_per_second": scoring_pace(jobs),
        "labeling.labels_per_hour": labelling_pace(answers),
        "data.image_bytes": image_bytes(samples),
    }
    return Measured({name: pace for name, pace in found.items() if pace is not None}, training_paces(versions))


def usual_epochs() -> float:
    """The epochs of a recipe that names none."""
    return Recipe().epochs


def training_paces(versions: QuerySet[ModelVersion]) -> dict[str, MeasuredPace]:
    """Return the median images a second of the newest trainings, by architecture."""
    rows = versions.filter(run__isnull=False).order_by("-pk").values_list("architecture", "metrics", "created")
    rates: dict[str, list[tuple[float, datetime]]] = {}
    for architecture, metrics, created in rows[:NEWEST_VERSIONS]:
        rate = (metrics.get("images_per_second") or {}).get("train")
        if rate:
            rates.setdefault(architecture, []).append((rate, created))
    return {
        name: _pace(median(rate for rate, _ in told), f"{name}, images a second of a training", [at for _, at in told])
        for name, told in sorted(rates.items())
    }


def scoring_pace(jobs: QuerySet[MiningJob]) -> MeasuredPace | None:
    """Images a second of one worker: the images that the newest mining jobs scored, by all the seconds of their
    shards."""
    rows = jobs.order_by("-pk").values_list("stats", "created")[:NEWEST_JOBS]
    told = [(stats["scored"], stats["score_seconds"], at) for stats, at in rows if _scored(stats)]
    if not told:
        return None
    pace = sum(scored for scored, _, _ in told) / sum(seconds for _, seconds, _ in told)
    return _pace(pace, "images a second of one worker in mining jobs", [at for _, _, at in told])


def _scored(stats: Mapping[str, Any]) -> bool:
    return bool(stats.get("scored") and stats.get("score_seconds"))


def labelling_pace(answers: QuerySet[Answer]) -> MeasuredPace | None:
    """Labels an hour of one annotator: the newest answers by all their seconds, without skips."""
    given = answers.filter(opinion=False, withdrawn=False, value__isnull=False, seconds__gt=0)
    told = list(given.order_by("-pk").values_list("seconds", "created")[:NEWEST_ANSWERS])
    if not told:
        return None
    return _pace(
        len(told) * HOUR / sum(seconds for seconds, _ in told), "answers of annotators", [at for _, at in told]
    )


def image_bytes(samples: QuerySet[Revision]) -> MeasuredPace | None:
    """Bytes of an image: the mean over the newest samples."""
    told = list(samples.order_by("-pk").values_list("blob__size", "blob__created")[:NEWEST_SAMPLES])
    if not told:
        return None
    return _pace(sum(size for size, _ in told) / len(told), "bytes of the newest samples", [at for _, at in told])


def _pace(value: float, what: str, times: list[datetime]) -> MeasuredPace:
    return MeasuredPace(value, what, len(times), min(times).date().isoformat(), max(times).date().isoformat())
