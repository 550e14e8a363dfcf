"""Triggers, which start rounds beside a person and the schedule: new labels, new samples, a model that does worse in
production than on its test split."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from catalog.models import Dataset, Version
from catalog.splits.barring import barred
from mining_jobs.models import MiningJob
from mining_jobs.picks.estimates import judged_of
from mining_jobs.services import labelled_count
from pipelines.models import Pipeline, Round
from registry.models import Alias, ModelVersion

PRODUCTION = "production"
Z = 1.6448536269514722
"""Normal quantile of a one-sided bound of 95 %."""


@dataclass(frozen=True, slots=True)
class TriggerEvent:
    """What started a round: which trigger (`what`), and the details in words."""

    what: str
    detail: str

    def document(self) -> dict[str, str]:
        """The event as the round stores it."""
        return {"what": self.what, "detail": self.detail}


def first_trigger(pipeline: Pipeline, last: Round | None) -> TriggerEvent | None:
    """Return the first of the pipeline's triggers whose condition holds since its last round, or since its creation."""
    head = Dataset.objects.select_related("head").get(pk=pipeline.dataset_id).head
    if head is None:
        return None
    return next(_trigger_events(pipeline, last, head), None)


def _trigger_events(pipeline: Pipeline, last: Round | None, head: Version) -> Iterator[TriggerEvent]:
    before, wanted = _reference(pipeline, last), pipeline.trigger
    if (least := wanted.get("new_labels")) and (new := _labels(head) - _labels(before)) >= least:
        yield TriggerEvent("new_labels", f"{new} new labels since {_name(before)}; {least} start a round")
    if (least := wanted.get("new_samples")) and (new := _samples(head) - _samples(before)) >= least:
        yield TriggerEvent("new_samples", f"{new} new samples since {_name(before)}; {least} start a round")
    if drop := wanted.get("metric_drop"):
        yield from _dropped(pipeline, last, drop["points"])


def _reference(pipeline: Pipeline, last: Round | None) -> Version | None:
    """The version that new labels and samples are counted from: the last round's commit, else the newest version when
    it began."""
    if last is not None and last.dataset_version is not None:
        return last.dataset_version
    since = last.created if last is not None else pipeline.created
    return Version.objects.filter(dataset=pipeline.dataset_id, created__lte=since).order_by("-number").first()


def _name(version: Version | None) -> str:
    return f"version {version.number}" if version else "the beginning"


def _labels(version: Version | None) -> int:
    return labelled_count(version) if version else 0


def _samples(version: Version | None) -> int:
    """Count the samples without near-duplicates of test samples, which are nothing new to learn from."""
    return int(version.counts["samples"]) - barred(version).count() if version else 0


def _dropped(pipeline: Pipeline, last: Round | None, points: float) -> Iterator[TriggerEvent]:
    """Yield an event when the production version has become worse on randomly drawn samples.

    The control arms of queues committed since the last round are random samples of incoming data: their accuracy is
    unbiased. It must lie below that of the test split by more than `points` (of 100) with 95 % confidence.
    """
    alias = Alias.objects.filter(model=pipeline.model_id, name=PRODUCTION).select_related("version").first()
    share = pipeline.model.task_type.metrics.right_share
    if alias is None or share not in alias.version.metrics:
        return
    expected = float(alias.version.metrics[share])
    right, total = _seen(pipeline, last, alias.version)
    if total and (high := upper_bound(right, total)) < expected - points / 100:
        yield TriggerEvent(
            "metric_drop",
            f"{alias.version} is right on {right} of {total} random samples of committed queues, at most "
            f"{100 * high:.1f} % (95 % confidence); its test split says {100 * expected:.1f} %, and a drop of "
            f"{points:g} points starts a round",
        )


def _seen(pipeline: Pipeline, last: Round | None, version: ModelVersion) -> tuple[int, int]:
    """Return how many of the version's predictions for random samples the annotators' answers confirmed, and of how
    many."""
    jobs: Any = MiningJob.objects.filter(
        dataset=pipeline.dataset_id, model_version=version, queue__committed_version__isnull=False, filter__isnull=True
    ).exclude(strategy="label_errors")  # a part of the pool, or training samples, do not represent incoming data
    if last is not None and last.finished is not None:
        jobs = jobs.filter(queue__committed_version__created__gt=last.finished)
    answers = judged_of(jobs.select_related("queue__committed_version__dataset"))
    told = [right for answered in answers.values() for pick, right in answered if pick.control and right is not None]
    return sum(told), len(told)


def upper_bound(right: int, total: int) -> float:
    """Wilson's upper bound of a share, one-sided, 95 % (E. B. Wilson, JASA 22, 1927). `total` is at least 1."""
    share, z2 = right / total, Z * Z
    middle = share + z2 / (2 * total)
    spread = Z * math.sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    return (middle + spread) / (1 + z2 / total)
