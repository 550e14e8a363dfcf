"""The rules of mining: start a job, hand its picks to annotators."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Q

from accounts.models import User
from acquisition import strategy
from catalog.filters import Filter
from catalog.models import Revision, RevisionQuerySet, Split, Version
from catalog.slices import chosen_filter
from core.errors import Conflict, Invalid
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from labeling.models import Queue
from labeling.services import QueueItem, create_queue
from programs.config import ConfigError
from registry.models import ModelVersion
from registry.services import check_classes, resolve
from rounds.models import MiningJob, Pick

SHARD_SAMPLES = 10_000
SCORE, SELECT = 0, 1


@dataclass(frozen=True, slots=True)
class MiningSpec:
    """What to pick: a strategy with parameters, how many, the share of the random control arm, and which part of the
    pool (`{"slice": NAME}` or conditions; None: all of it)."""

    strategy: str
    count: int
    params: Mapping[str, Any] = field(default_factory=dict)
    control: float = 0.1
    seed: int = 0
    filter: Mapping[str, Any] | None = None


def check_spec(spec: MiningSpec) -> None:
    """Raise Invalid naming the field that can't be run."""
    try:
        strategy(spec.strategy, spec.params)
    except ConfigError as error:
        raise Invalid(str(error), errors=error.errors) from error


@transaction.atomic
def start_mining(version: Version, model_version: ModelVersion, spec: MiningSpec, *, author: User) -> MiningJob:
    """A queued mining job over the version's unlabelled pool. The caller's edge wakes its job.

    Each shard scores a range of samples, unless the strategy needs no scores; the last one selects.
    Raises Invalid (strategy, model, version, filter).
    """
    check_spec(spec)
    check_classes(model_version.model, version.dataset)
    chosen = _pinned(spec, version)
    if not pool_of(version, chosen).exists():
        where = " that passes the filter" if chosen else ""
        raise Invalid.field("version", f"{version} has no unlabelled sample in split pool{where}", code="pool_empty")
    needs_scores = bool(strategy(spec.strategy, spec.params).needs)
    shards = _score_shards(version, chosen) if needs_scores else []
    job = create_job(
        "mine",
        f"Mine {spec.count} of {version} by {spec.strategy}",
        shards=[*shards, ShardSpec(phase=SELECT, units=0 if shards else 1)],
        unit="samples",
        created_by=author,
    )
    return MiningJob.objects.create(
        dataset=version.dataset,
        version=version,
        model_version=model_version,
        strategy=spec.strategy,
        params=dict(spec.params),
        count=spec.count,
        control=spec.control,
        seed=spec.seed,
        filter=chosen,
        job=job,
        created_by=author,
    )


def pool_of(version: Version, chosen: Mapping[str, Any] | None) -> RevisionQuerySet:
    """The unlabelled pool of a version, or the part of it that passes a filter."""
    rows = version.revisions.filter(split=Split.POOL, label=None)
    return Filter.of(chosen, version.dataset).apply(rows) if chosen else rows


def to_score(version: Version, chosen: Mapping[str, Any] | None) -> RevisionQuerySet:
    """What a mining job scores: the unlabelled pool, and the labelled training samples picks are compared with."""
    if chosen is None:
        return version.revisions.filter(split__in=[Split.POOL, Split.TRAIN])
    return version.revisions.filter(Q(split=Split.TRAIN) | Q(pk__in=pool_of(version, chosen).values("pk")))


def sample_spans(rows: RevisionQuerySet) -> list[tuple[dict[str, int], int]]:
    """Ranges of sample ids, `{first, last}`, with how many of the revisions lie in each: at most SHARD_SAMPLES."""
    ids = list(rows.order_by("sample_id").values_list("sample_id", flat=True))
    chunks = [ids[at : at + SHARD_SAMPLES] for at in range(0, len(ids), SHARD_SAMPLES)]
    return [({"first": chunk[0], "last": chunk[-1]}, len(chunk)) for chunk in chunks]


def _score_shards(version: Version, chosen: Mapping[str, Any] | None) -> list[ShardSpec]:
    return [ShardSpec(span, units=units, phase=SCORE) for span, units in sample_spans(to_score(version, chosen))]


def _pinned(spec: MiningSpec, version: Version) -> dict[str, Any] | None:
    """The filter as it is now: a slice may be replaced and an alias may move while the job runs."""
    if spec.filter is None:
        return None
    document = dict(chosen_filter(spec.filter, version.dataset).document)
    if "prediction" in document:
        model = resolve(document["prediction"]["model"], field="filter.prediction.model")
        document["prediction"] = document["prediction"] | {"model": f"{model.model.name}@{model.number}"}
    return document


@transaction.atomic
def queue_picks(mining: MiningJob, *, name: str, answers_per_task: int, author: User) -> Queue:
    """Put the picks before annotators, best first. The same job always gives the same queue."""
    mining = (
        MiningJob.objects.select_for_update(of=("self",)).select_related("job", "dataset", "queue").get(pk=mining.pk)
    )
    if mining.queue is not None:
        return mining.queue
    if mining.job.state != Job.State.SUCCEEDED:
        raise Conflict(f"The mining job is {mining.job.state}: its picks are not there yet.", code="mining_unfinished")
    picks = list(mining.picks.order_by("rank"))
    mining.queue = create_queue(
        mining.dataset,
        name,
        items=[QueueItem(pick.sample_id, pick.prediction, _why(mining, pick, len(picks))) for pick in picks],
        answers_per_task=answers_per_task,
        created_by=author,
    )
    mining.save(update_fields=["queue"])
    return mining.queue


def _why(mining: MiningJob, pick: Pick, of: int) -> dict[str, Any]:
    return {
        "strategy": mining.strategy,
        "score": pick.score,
        "rank": pick.rank,
        "of": of,
        "reason": pick.reason,
        "control": pick.control,
        "neighbours": pick.neighbours,
    }


def control_lift(mining: MiningJob) -> dict[str, Any] | None:
    """How wrong the model was on its picks against the random control arm, once the queue is committed.

    `{mined: {n, wrong}, control: {n, wrong}, lift}`; lift is the ratio of the two error rates, None where the control
    arm shows no error. None before the answers are in, or without predictions or control arm.
    """
    version = mining.queue.committed_version if mining.queue else None
    if version is None:
        return None
    truth = {
        row["sample_id"]: row["class_name"]
        for row in Revision.objects.at(version)
        .filter(sample__in=mining.picks.values("sample"))
        .values("sample_id", "class_name")
    }
    arms = {"mined": {"n": 0, "wrong": 0}, "control": {"n": 0, "wrong": 0}}
    for pick in mining.picks.exclude(prediction=None):
        if told := truth.get(pick.sample_id):
            arm = arms["control" if pick.control else "mined"]
            arm["n"] += 1
            arm["wrong"] += (pick.prediction or {}).get("class") != told
    if not arms["mined"]["n"] or not arms["control"]["n"]:
        return None
    rates = {name: arm["wrong"] / arm["n"] for name, arm in arms.items()}
    return arms | {"lift": rates["mined"] / rates["control"] if rates["control"] else None}


def labelled_count(version: Version) -> int:
    """How many labelled samples of the version a model trains on."""
    return version.revisions.filter(split=Split.TRAIN).exclude(label=None).count()
