"""The steps of a round. Each reads the rows, does what can be done now, and returns the round's next state.

A step runs inside the transaction that holds the round's row; one that would spend checks the budgets first.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from acquisition.stopping import Stop
from catalog.models import Dataset, Version
from catalog.versions.datasets import find_version
from core.errors import Conflict, Invalid
from jobs.models import Job
from jobs.needs import Needs
from labeling import services as labeling
from labeling.grace import is_due, set_grace
from labeling.models import Queue
from labeling.quality.committing import WrittenLabels
from mining_jobs.services import MiningSpec, labelled_count, queue_picks, start_mining
from pipelines import budgets, stopping
from pipelines.budgets import Allowance
from pipelines.models import Pipeline, Round
from pipelines.rounds.choices import chosen_strategy, first_strategy
from pipelines.rounds.triggers import PRODUCTION
from registry.models import ModelVersion, Run
from registry.precisions import awaited
from registry.preparing import start_preparing
from registry.promotion import Judged, Outdated, gates_of, judge_promotion, settle
from registry.services import RunSpec, check_spec, start_run
from registry.train_phase import CHECKPOINT
from training.auto import learner
from worker_programs.config import document

State = Round.State


@dataclass(slots=True)
class Step:
    """The outcome of a step: the next state (None: stay), a job to wake, fields of the round to change, and the rule
    that ends the pipeline."""

    state: str | None = None
    wake: Job | None = None
    changes: dict[str, Any] = field(default_factory=dict)
    stop: Stop | None = None


STAY = Step()


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts of gates and stopping rules on a round's model."""

    judged: Judged
    stop: Stop | None


def head_of(round_: Round) -> Version:
    """Return the newest version of the pipeline's dataset."""
    return find_version(Dataset.objects.select_related("head").get(pk=round_.pipeline.dataset_id), "head")


def train(round_: Round) -> Step:
    """Ensure that the head has a model with the pipeline's own settings: use the existing one, or start a run. Without
    a label there is nothing to train on: the first labels are mined without a model."""
    if round_.first_run is not None:
        return _after(round_, round_.first_run.job, then=State.SCORING)
    head = head_of(round_)
    if trained_alike(round_.pipeline, head) is not None:
        return Step(State.SCORING)
    if not labelled_count(head):
        return Step(State.SCORING)
    if (stop := budgets.compute_used_up(round_.pipeline)) is not None:
        return _stopped(round_, stop)
    run = _start_run(round_, head)
    return Step(changes={"first_run": run}, wake=run.job)


def score(round_: Round) -> Step:
    """Score the pool of the head with the model that was trained on it as the pipeline says, and pick as many samples
    as the budgets allow. A head without a label is scored by a version that learned elsewhere; without any, its images
    are compared by the backbone's embeddings."""
    if round_.mining_job is not None:
        return _after(round_, round_.mining_job.job, then=State.QUEUEING)
    head, pipeline = head_of(round_), round_.pipeline
    version = trained_alike(pipeline, head)
    why = f"{version} was trained on {head} with the settings of this pipeline" if version else ""
    if version is None and not labelled_count(head):
        version = _known(pipeline)
        why = f"{version} scores, as {head} has no label to train on" if version else ""
    elif version is None:  # a commit came while the model was trained: it is not the head's any more
        return Step(State.TRAINING, changes={"first_run": None})
    if (stop := budgets.compute_used_up(pipeline)) is not None:
        return _stopped(round_, stop)
    left = budgets.labels_left(pipeline)
    count = pipeline.count if left.answers is None else min(pipeline.count, left.answers // pipeline.answers_per_task)
    if not count:
        return _held_back(round_, left)
    choice = chosen_strategy(pipeline) if version else first_strategy(pipeline)
    spec = MiningSpec(
        choice.strategy,
        count,
        choice.params,
        control=pipeline.control,
        seed=_seed(round_),
        filter=pipeline.filter,
        compose=pipeline.compose,
        committee=pipeline.committee if version else None,
        needs=Needs.of(pipeline.needs.get("score")),
    )
    try:
        made = start_mining(head, version, spec, author=pipeline.created_by)
    except Invalid as error:
        if error.code != "pool_empty":
            raise
        return _stopped(round_, Stop("pool", f"Nothing is left to label: {error.detail}."))
    return Step(
        changes={"mining_job": made, "choice": choice.document() | _scored_by(version, why), "waiting": None},
        wake=made.job,
    )


def queue(round_: Round) -> Step:
    """Queue the picks for annotators, if the budgets can pay for the answers. What the training that follows needs of
    the images, whatever their labels, is computed meanwhile."""
    assert round_.mining_job is not None  # noqa: S101 - the state says so
    pipeline, made = round_.pipeline, round_.mining_job
    left = budgets.labels_left(pipeline, lock=True)
    if left.answers is not None and made.picks.count() * pipeline.answers_per_task > left.answers:
        return _held_back(round_, left)
    tried = Queue.everything.filter(mining_job__job__rounds=round_).exclude(mining_job=made).count()
    name = f"{pipeline.name}-{round_.number}" + (f"-{tried + 1}" if tried else "")
    asked = queue_picks(made, name=name, answers_per_task=pipeline.answers_per_task, author=pipeline.created_by)
    set_grace(asked.pk, pipeline.commit_grace)
    samples = list(asked.tasks.order_by("pk").values_list("sample", flat=True))
    preparing = start_preparing(
        pipeline.model, made.version, pipeline.architecture, pipeline.config, samples, author=pipeline.created_by
    )
    return Step(State.LABELLING, wake=preparing, changes={"queue": asked, "waiting": None})


def label(round_: Round) -> Step:
    """Wait for the annotators, and then until the time to take answers back is over."""
    assert round_.queue is not None  # noqa: S101 - the state says so
    return Step(State.COMMITTING) if is_due(round_.queue.pk) else STAY


def write_labels(round_id: int) -> WrittenLabels | None:
    """Write the labels of a round that is to commit many, before any row is locked. None for other rounds. Raises
    MotherlodeError as the commit would."""
    round_ = Round.objects.filter(pk=round_id, state=State.COMMITTING).select_related("pipeline__created_by").first()
    if round_ is None or round_.queue is None or round_.pipeline.paused:
        return None
    with transaction.atomic():
        if not is_due(round_.queue.pk):
            return None
    return labeling.write_labels(round_.queue, message=_message(round_), author=round_.pipeline.created_by)


def commit(round_: Round, written: WrittenLabels | None) -> Step:
    """Commit the answers as a version; where all were skipped, the version is the head. If an answer was taken back or
    the commit was held since the last step, the round waits for annotators again."""
    assert round_.queue is not None  # noqa: S101 - the state says so
    if not is_due(round_.queue.pk):
        return Step(State.LABELLING)
    author = round_.pipeline.created_by
    committed = labeling.finish_commit(round_.queue, written, message=_message(round_), author=author)
    return Step(State.RETRAINING, changes={"dataset_version": committed.version or head_of(round_)})


def _message(round_: Round) -> str:
    return f"Round {round_.number} of {round_.pipeline.name}"


def retrain(round_: Round) -> Step:
    """Train on the version that the round committed."""
    if round_.run is not None:
        return _after(round_, round_.run.job, then=State.GATING)
    if (stop := budgets.compute_used_up(round_.pipeline)) is not None:
        return _stopped(round_, stop)
    assert round_.dataset_version is not None  # noqa: S101 - the state says so
    run = _start_run(round_, round_.dataset_version)
    return Step(changes={"run": run}, wake=run.job)


STEPS: dict[str, Callable[[Round], Step]] = {
    State.TRAINING: train,
    State.SCORING: score,
    State.QUEUEING: queue,
    State.LABELLING: label,
    State.RETRAINING: retrain,
}


def judge(round_id: int) -> Judgement | None:
    """Judge a round that waits for its gates, before any row is locked: this reads the object store. None for other
    rounds and while a precision is still being proved."""
    round_ = Round.objects.filter(pk=round_id, state=State.GATING).select_related("pipeline__dataset").first()
    if round_ is None:
        return None
    version = _made(round_)
    if _awaited(round_, version):
        return None
    judged = judge_promotion(version, PRODUCTION, gates=round_.pipeline.gates)
    return Judgement(judged, stopping.verdict(round_.pipeline, version))


def gate(round_: Round, judgement: Judgement | None) -> Step:
    """Promote the model when the gates pass; a refusal, with its reasons, ends the round as well. Then apply stopping
    rules."""
    if judgement is None:
        return STAY if _awaited(round_, _made(round_)) else Step(State.GATING)
    try:
        reason = f"Round {round_.number} of {round_.pipeline.name}"
        settle(judgement.judged, reason=reason, by=round_.pipeline.created_by)
    except Outdated:
        return Step(State.GATING)
    except Conflict as refusal:
        verdict = {"promoted": False, "reason": refusal.detail, "gates": refusal.extra["gates"]}
    else:
        gates = [gate.document() for gate in judgement.judged.verdicts]
        verdict = {"promoted": True, "reason": reason, "gates": gates}
    return Step(State.DONE, changes={"promotion": verdict}, stop=judgement.stop)


def _made(round_: Round) -> ModelVersion:
    return ModelVersion.objects.select_related("model", "precisions_job").get(run=round_.run_id)


def _known(pipeline: Pipeline) -> ModelVersion | None:
    """Return the model's version in production, else its newest; None where it has none."""
    serving = pipeline.model.aliases.filter(name=PRODUCTION).select_related("version__model").first()
    return serving.version if serving else pipeline.model.versions.order_by("-number").first()


def trained_alike(pipeline: Pipeline, version: Version) -> ModelVersion | None:
    """Return the newest version of the pipeline's model that was trained on a dataset version as the pipeline would
    train: the same architecture and settings, defaults included, and from scratch unless it starts warm."""
    rows = pipeline.model.versions.filter(dataset_version=version, run__architecture=pipeline.architecture)
    rows = rows.select_related("run", "model").order_by("-number")
    settings = _settings(pipeline.architecture, pipeline.config, pipeline.model.task)
    fitting = (
        made
        for made in rows
        if made.run is not None
        and (pipeline.warm_start or made.run.parent_id is None)
        and _settings(made.run.architecture, made.run.config, pipeline.model.task) == settings
    )
    return next(fitting, None)


def _settings(architecture: str, config: Mapping[str, Any], task: str) -> tuple[Any, ...]:
    """Return what determines a training, with defaults filled in; the choices of its export are not among it."""
    params = learner(architecture, dict(config.get("params", {}))).params
    return document(params), document(check_spec(RunSpec(architecture, config), task=task))


def _scored_by(version: ModelVersion | None, why: str) -> dict[str, Any]:
    """Return the version that scores a round's pool, and why that one, as the round stores it."""
    return {"model_version": version.number if version else None, "model_why": why}


def _awaited(round_: Round, version: ModelVersion) -> bool:
    """Whether the gates name a precision that is still being proved; the round waits for those precisions only."""
    return awaited(version, gates_of(version.model, round_.pipeline.gates))


def failed(round_: Round, reason: str) -> Step:
    """End the round as failed, with the reason."""
    return Step(State.FAILED, changes={"error": reason[:1000], "failed_in": round_.state})


def _stopped(round_: Round, stop: Stop) -> Step:
    return Step(State.STOPPED, changes={"failed_in": round_.state, "waiting": None}, stop=stop)


def _held_back(round_: Round, left: Allowance) -> Step:
    """Hold the round back because a budget allows no more labels: wait for tomorrow when that helps, else stop."""
    assert left.limit is not None  # noqa: S101 - it is what allows no more
    if not left.tomorrow:
        return _stopped(round_, left.limit)
    return Step(changes={"waiting": round_.waiting or stopping.document(left.limit)})


def _start_run(round_: Round, version: Version) -> Run:
    pipeline = round_.pipeline
    parent = weights_of(pipeline) if pipeline.warm_start else None
    needs = Needs.of(pipeline.needs.get("train"))
    spec = RunSpec(pipeline.architecture, pipeline.config, seed=_seed(round_), parent=parent, needs=needs)
    return start_run(pipeline.model, version, spec, author=pipeline.created_by)


def weights_of(pipeline: Pipeline) -> ModelVersion | None:
    """Return the version a warm start begins with: the one in production, else the newest, that has a checkpoint of the
    same architecture with the same parameters; None when there is none yet."""
    rows = pipeline.model.versions.filter(run__architecture=pipeline.architecture, artifacts__path=CHECKPOINT[0])
    fitting = [
        version
        for version in rows.select_related("run", "model").order_by("-number")
        if version.run is not None and version.run.config.get("params", {}) == pipeline.config.get("params", {})
    ]
    serving = set(pipeline.model.aliases.filter(name=PRODUCTION).values_list("version", flat=True))
    return next((version for version in fitting if version.pk in serving), fitting[0] if fitting else None)


def _seed(round_: Round) -> int:
    """A separate seed for every round, the same whenever the pipeline is run again."""
    return (round_.pipeline.seed * 1000 + round_.number) % 2**31


def _after(round_: Round, job: Job, *, then: str) -> Step:
    """Wait for a job; go on when it has succeeded, end the round with the reason when it has not."""
    if job.is_open:
        return STAY
    if job.state == Job.State.SUCCEEDED:
        return Step(then)
    if job.state == Job.State.CANCELLED:
        return Step(State.CANCELLED, changes={"failed_in": round_.state, "error": f"Job {job.pk} was cancelled."})
    return failed(round_, f"Job {job.pk} failed: {(job.error or {}).get('detail', 'no reason given')}")
