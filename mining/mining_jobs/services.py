"""The rules of mining: start a job, queue its picks for annotators."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from accounts.models import User
from acquisition import WITHOUT_MODEL, Composition, Strategy, composition, strategy
from catalog.models import Split, Version
from catalog.versions.tallies import counts_of
from core.errors import Conflict, Invalid
from jobs.lifecycle.finding import refuse_archived
from jobs.models import Job
from jobs.needs import NOTHING, Needs
from jobs.services import ShardSpec, create_job
from labeling.models import Queue
from labeling.present_labels import present_labels
from labeling.services import QueueItem, create_queue
from mining_jobs.models import SCORE, SELECT, MiningJob, Pick
from mining_jobs.picks.candidates import (
    answered_of,
    barred_of,
    check_metadata,
    evidence_split,
    looks_at_labelled,
    needs_scores,
    pinned,
    pool_of,
    similar_to,
    to_score,
)
from mining_jobs.picks.cutoffs import Cutoff
from mining_jobs.picks.estimates import Judged, judged_of
from mining_jobs.scores.committees import check_committee, check_fit
from mining_jobs.scores.spans import sample_spans
from registry.models import ModelVersion
from registry.services import check_classes
from tasktypes import task_type
from worker_programs.config import ConfigError


@dataclass(frozen=True, slots=True)
class MiningSpec:
    """What to pick: a strategy with parameters, how many, the share of the random control arm, and which part of the
    pool (`{"slice": NAME}` or conditions; None: all of it).

    `compose` is a composition (`acquisition.composition`), `committee` the models whose predictions are compared,
    `like` and `unlike` (`{keys, failures?}`) the examples of strategy `targeted`. `needs` are the requirements of its
    scoring shards.
    """

    strategy: str
    count: int
    params: Mapping[str, Any] = field(default_factory=dict)
    control: float = 0.1
    seed: int = 0
    filter: Mapping[str, Any] | None = None
    compose: Mapping[str, Any] | None = None
    committee: Mapping[str, Any] | None = None
    like: Mapping[str, Any] | None = None
    unlike: Mapping[str, Any] | None = None
    needs: Needs = NOTHING


def check_spec(spec: MiningSpec, *, task: str, classes: Sequence[str] = ()) -> tuple[Strategy, Composition]:
    """Return the strategy and the composition of a spec, checked against a task type. Raises Invalid naming the field
    that can't be run."""
    try:
        chosen = strategy(spec.strategy, spec.params)
        chosen.check_task(task)
        made = composition(spec.compose, classes=classes)
    except ConfigError as error:
        raise Invalid(str(error), errors=error.errors) from error
    _check_weights(chosen, classes)
    check_fit(spec.committee, task_type(task))
    for at, quota in enumerate(made.quotas):
        if quota.min is not None and quota.min > spec.count:
            raise Invalid.field(f"compose.quotas.{at}.min", f"asks for more than `count`, which is {spec.count}")
    for name, is_given, what in (
        ("committee", spec.committee is not None, "members"),
        ("like", spec.like is not None, "wanted"),
        ("compose.source", made.source is not None, "sources"),
        ("compose.gap", made.gap is not None, "groups"),
    ):
        if what in chosen.needs and not is_given:
            raise Invalid.field(name, f"strategy {spec.strategy!r} needs it")
    for name in ("like", "unlike"):
        if getattr(spec, name) is not None and "wanted" not in chosen.needs:
            raise Invalid.field(name, f"strategy {spec.strategy!r} looks for nothing by example: use targeted")
    return chosen, made


def _check_without_model(spec: MiningSpec, chosen: Strategy, made: Composition) -> None:
    """Raise Invalid (model) where only a model's predictions could answer what is asked."""
    if spec.committee is not None:
        raise Invalid.field("model", "a committee compares models: name one")
    failures = any((document or {}).get("failures") for document in (spec.like, spec.unlike))
    if failures:
        raise Invalid.field("model", "the failures of a split are those of a model: name one")
    if lacking := sorted((set(chosen.needs) | made.needs) - WITHOUT_MODEL):
        what = f"strategy {spec.strategy!r}" if chosen.asks_model else "the composition"
        raise Invalid.field(
            "model",
            f"{what} needs a model's {lacking[0]}: name a model, or use a strategy that compares images alone, "
            "such as auto",
        )


def _check_weights(chosen: Strategy, classes: Sequence[str]) -> None:
    """Raise Invalid (strategy.params.weights) for a class that the dataset does not have: its weight would have no
    effect."""
    for name in getattr(chosen.params, "weights", ()):
        if name not in classes:
            words = f"unknown class {name!r}; the classes are {', '.join(classes)}"
            raise Invalid.field("strategy.params.weights", words, code="unknown_class")


@transaction.atomic
def start_mining(version: Version, model_version: ModelVersion | None, spec: MiningSpec, *, author: User) -> MiningJob:
    """Create a queued mining job over the version's unlabelled pool (label errors: over its labelled training samples).
    The caller wakes its job. Without a model, samples are compared by the backbone's embeddings.

    Each shard scores a range of samples, unless nothing needs scores; the last one selects. Raises Invalid (strategy,
    model, version, filter, compose, committee, like, unlike).
    """
    if model_version is None:
        refuse_archived(version.dataset)
        version.dataset.task_type.require("mining", field="dataset")
    else:
        check_classes(model_version.model, version.dataset)
    chosen, made = check_spec(spec, task=version.dataset.task, classes=version.dataset.classes)
    if model_version is None:
        _check_without_model(spec, chosen, made)
    else:
        check_committee(model_version, spec.committee)
    labelled = looks_at_labelled(chosen)
    kept_filter = None if spec.filter is None else pinned(spec.filter, version)
    if not pool_of(version, kept_filter, labelled=labelled).exists():
        what = "labelled sample in split train" if labelled else "unlabelled sample in split pool"
        where = " that passes the filter" if kept_filter else ""
        left_out = barred_of(version, kept_filter, labelled=labelled).count()
        but = f" but {left_out} near-duplicates of test samples, which are not trained on" if left_out else ""
        if copies := answered_of(version, kept_filter, labelled=labelled).count():
            but += f"{' and' if but else ' but'} {copies} copies of labelled samples: take over their labels"
        raise Invalid.field("version", f"{version} has no {what}{where}{but}", code="pool_empty")
    check_metadata(version, made)
    evidence = evidence_split(chosen, version)
    examples = {name: similar_to(version, getattr(spec, name), field=name) for name in ("like", "unlike")}
    shards: list[ShardSpec] = []
    if needs_scores(chosen, made, spec.committee):
        similar = [document for document in examples.values() if document is not None]
        rows = to_score(version, kept_filter, labelled=labelled, similar=similar, evidence=evidence)
        spans = sample_spans(rows)
        shards = [ShardSpec(span, units=units, phase=SCORE, needs=spec.needs) for span, units in spans]
    job = create_job(
        "mine",
        f"Mine {spec.count} of {version} by {spec.strategy}",
        shards=[*shards, ShardSpec(phase=SELECT, units=0 if shards else 1)],
        unit="samples",
        created_by=author,
        project=version.dataset.project_id,
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
        filter=kept_filter,
        compose=spec.compose,
        slices={name: pinned({"slice": name}, version, field="compose") for name in made.slices},
        committee=spec.committee,
        job=job,
        created_by=author,
        **examples,
    )


@transaction.atomic
def queue_picks(
    mining: MiningJob,
    *,
    name: str,
    answers_per_task: int,
    author: User,
    cut: Cutoff | None = None,
    mode: str = Queue.Mode.LABEL,
) -> Queue:
    """Queue the picks for annotators, best first: all of them, or those that the cutoff leaves. Where labels with
    objects were mined, annotators start from the existing label. The same job always returns the same queue.

    Raises Conflict before the picks exist, and Invalid for a cutoff that leaves none of them, or a `mode` that the
    queue can't have.
    """
    mining = (
        MiningJob.objects.select_for_update(of=("self",)).select_related("job", "dataset", "queue").get(pk=mining.pk)
    )
    if mining.queue is not None:
        return mining.queue
    if mining.job.state != Job.State.SUCCEEDED:
        raise Conflict(f"The mining job is {mining.job.state}: its picks are not there yet.", code="mining_unfinished")
    return put_before_annotators(
        mining, name=name, answers_per_task=answers_per_task, author=author, cut=cut, mode=mode
    )


def put_before_annotators(
    mining: MiningJob,
    *,
    name: str,
    answers_per_task: int,
    author: User,
    cut: Cutoff | None = None,
    mode: str = Queue.Mode.LABEL,
) -> Queue:
    """Queue the picks as `queue_picks` does, inside the transaction that makes them. Raises as `queue_picks` and
    `labeling.services.create_queue`."""
    picks = list((cut or Cutoff()).of(mining).order_by("rank"))
    looked_through = looks_at_labelled(strategy(mining.strategy, mining.params))
    labels = present_labels(mining.dataset, [pick.sample_id for pick in picks]) if looked_through else {}
    total = mining.picks.count()
    mining.queue = create_queue(
        mining.dataset,
        name,
        items=[
            QueueItem(pick.sample_id, labels.get(pick.sample_id, pick.prediction), _why(mining, pick, total))
            for pick in picks
        ],
        answers_per_task=answers_per_task,
        created_by=author,
        terms={"mode": mode},
    )
    mining.save(update_fields=["queue"])
    return mining.queue


def check_queued(mining: MiningJob, queue: Queue, *, name: str, answers_per_task: int, cut: Cutoff, mode: str) -> None:
    """Raise Conflict (`queue_exists`) when the picks are in a queue of another name or with other terms."""
    asked = set(cut.of(mining).values_list("sample_id", flat=True))
    there = queue.tasks.filter(sample__in=mining.picks.values("sample"))
    same_terms = (queue.name, queue.answers_per_task, queue.mode) == (name, answers_per_task, mode)
    if not same_terms or asked != set(there.values_list("sample_id", flat=True)):
        raise Conflict(
            f"{there.count()} picks of this job wait in the queue {queue.name!r} already, for {queue.answers_per_task} "
            f"answers each (mode {queue.mode}): label there, or mine again for another queue.",
            code="queue_exists",
        )


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


def control_lifts(mining: Iterable[MiningJob]) -> dict[int, dict[str, Any] | None]:
    """Compare how often the model was wrong on the strategy's picks and on the random control arm of each job, once its
    queue is committed, by the job's id.

    A comparison is `{mined: {n, wrong}, control: {n, wrong}, lift}`; lift is the ratio of the two error rates, None
    where the control arm shows no error. It is None before the answers are in, or without predictions or control arm.
    """
    return {pk: _control_lift(picks) for pk, picks in judged_of(mining).items()}


def _control_lift(picks: Judged) -> dict[str, Any] | None:
    arms = {"mined": {"n": 0, "wrong": 0}, "control": {"n": 0, "wrong": 0}}
    for pick, right in picks:
        if right is not None:
            arm = arms["control" if pick.control else "mined"]
            arm["n"] += 1
            arm["wrong"] += not right
    if not arms["mined"]["n"] or not arms["control"]["n"]:
        return None
    rates = {name: arm["wrong"] / arm["n"] for name, arm in arms.items()}
    return arms | {"lift": rates["mined"] / rates["control"] if rates["control"] else None}


def labelled_count(version: Version) -> int:
    """How many labelled samples of the version a model trains on."""
    return labelled_counts([version])[version.pk]


def labelled_counts(versions: Collection[Version]) -> dict[int, int]:
    """How many labelled samples of each version a model trains on, by version id."""
    return counts_of(versions, {"split": Split.TRAIN, "class_name": "", "labelled": True})
