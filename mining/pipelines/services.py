"""The rules of pipelines: create, change, pause and resume one."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts import audit
from accounts.models import User
from acquisition import DEFAULT, composition
from catalog.filtering.documents import read_document, write_document
from catalog.filtering.expressions import slices_in
from catalog.filtering.faults import Faults
from catalog.filtering.filters import Filter
from catalog.models import Dataset
from core.errors import Conflict, Invalid
from jobs.lifecycle.finding import find_named
from labeling.grace import set_grace
from labeling.models import Queue
from mining_jobs.scores.committees import check_fit
from mining_jobs.services import MiningSpec, check_spec
from pipelines import budgets, schedules, stopping
from pipelines.models import Pipeline
from registry.gate_grammar import slices_of
from registry.gates import check_gates, default_gates
from registry.recommending import learner_for, recommend_count
from registry.services import RunSpec, check_classes, check_trainable, create_model
from registry.services import check_spec as check_run_spec
from registry.trunks import asked_encoders

BEST_OF = "best_of"


def create_pipeline(values: Mapping[str, Any], *, author: User) -> Pipeline:
    """Create a pipeline; `values` are fields of its row.

    Without `model` it creates one of the same name with the dataset's classes, without `architecture` and `count` it
    takes the recommended ones. Raises Conflict (name), Invalid (architecture, config, strategy, gates, schedule,
    budget, stop, model's classes, dataset).
    """
    check_trainable(values["dataset"])
    with transaction.atomic():
        return _created(_completed(values, author=author), author=author)


def _completed(values: Mapping[str, Any], *, author: User) -> dict[str, Any]:
    """Complete the values with a strategy, gates, an architecture and a model where they are missing."""
    found = {"strategy": DEFAULT} | dict(values)
    if "architecture" not in found:
        told = learner_for(found["dataset"], None, found.get("config", {}))
        found["architecture"], found["config"] = told
    if "count" not in found:
        found["count"] = recommend_count(found["dataset"]).count
    if "model" not in found:
        dataset = found["dataset"]
        found["model"] = create_model(
            found["name"], task=dataset.task, classes=dataset.classes,
            description=f"Made with the pipeline {found['name']}.", author=author, project=dataset.project,
        )  # fmt: skip
    return {"gates": default_gates(found["model"])} | found


def _created(values: Mapping[str, Any], *, author: User) -> Pipeline:
    pipeline = Pipeline(**values, created_by=author)
    check_classes(pipeline.model, pipeline.dataset)
    _check(pipeline)
    if pipeline.schedule:
        pipeline.next_run = schedules.next_run(pipeline.schedule, timezone.now())
    try:
        with transaction.atomic():
            pipeline.save(force_insert=True)
            schedules.keep_in_step(pipeline)
    except IntegrityError as error:
        raise Conflict(f"There is a pipeline {pipeline.name!r} already.", code="name_taken") from error
    return pipeline


def find_pipeline(reference: str) -> Pipeline:
    """Return a pipeline by id, name or former name. Raises NotFound."""
    rows = Pipeline.everything.select_related("dataset", "model", "created_by", "archived_by")
    found: Pipeline = find_named("pipeline", "pipeline", rows.filter, reference)
    return found


def comparable_with(pipeline: Pipeline, rows: QuerySet[Pipeline]) -> QuerySet[Pipeline]:
    """Return those of `rows` whose curves can be compared with the pipeline's: over datasets with the same task and the
    same classes in any order."""
    dataset = pipeline.dataset
    asked = Dataset.objects.filter(task=dataset.task, pk__in=rows.order_by().values("dataset"))
    same = [pk for pk, classes in asked.values_list("pk", "classes") if set(classes) == set(dataset.classes)]
    return rows.filter(dataset__in=same)


@transaction.atomic
def change_pipeline(pipeline: Pipeline, changes: Mapping[str, Any]) -> Pipeline:
    """Change fields of a pipeline; what a round has done stays, its next step uses the new values.

    A new schedule counts from now, and new triggers are checked on the current head. Raises Invalid as
    `create_pipeline` does.
    """
    found = _locked(pipeline)
    before = {name: getattr(found, name) for name in changes}
    for name, value in changes.items():
        setattr(found, name, value)
    _check(found)
    if "schedule" in changes:
        found.next_run = schedules.next_run(found.schedule, timezone.now()) if found.schedule else None
    if "trigger" in changes:
        found.examined = None
    found.save()
    if "commit_grace" in changes:
        for queue in Queue.objects.filter(round__pipeline=found).exclude(state=Queue.State.COMMITTED):
            set_grace(queue.pk, found.commit_grace)
    schedules.keep_in_step(found)
    told = {name: value for name, value in changes.items() if name not in {"dataset", "model"}}
    audit.note("changed", "pipeline", found.name, project=found.project_of, before=before, after=told)
    return found


@transaction.atomic
def pause(pipeline: Pipeline) -> Pipeline:
    """Pause a pipeline: no step is taken and no round starts; the running job finishes."""
    found = _locked(pipeline)
    found.paused = True
    return _switched(found)


@transaction.atomic
def resume(pipeline: Pipeline) -> Pipeline:
    """Resume a paused pipeline; one that a rule stopped may start rounds again, until a rule fires anew.

    Rounds that the schedule missed meanwhile are not made up for.
    """
    found = _locked(pipeline)
    found.paused, found.stopped = False, None
    if found.schedule:
        found.next_run = schedules.next_run(found.schedule, timezone.now())
    return _switched(found)


def slices_named(pipeline: Pipeline) -> set[str]:
    """Return the names of the dataset's slices that the pipeline uses."""
    named = slices_of(pipeline.gates)
    if pipeline.filter is not None:
        named |= slices_in(read_document(pipeline.filter, Faults()))
    if pipeline.compose is not None:
        named |= set(composition(pipeline.compose, classes=pipeline.dataset.classes).slices)
    return named


def note_stop(pipeline: Pipeline, stopped: dict[str, Any] | None) -> None:
    """Store the rule that ended the loop, so that no round starts any more, or None to let it go on. Runs inside a
    transaction."""
    found = _locked(pipeline)  # its schedule may have been changed since it was read
    found.stopped = stopped
    found.save(update_fields=["stopped"])
    schedules.keep_in_step(found)


def _switched(pipeline: Pipeline) -> Pipeline:
    pipeline.save(update_fields=["paused", "stopped", "next_run"])
    schedules.keep_in_step(pipeline)
    audit.note("paused" if pipeline.paused else "resumed", "pipeline", pipeline.name, project=pipeline.project_of)
    return pipeline


def _locked(pipeline: Pipeline) -> Pipeline:
    """Return the current row, locked until the transaction ends, so that concurrent changes are not lost."""
    rows = Pipeline.objects.select_for_update(of=("self",)).select_related("dataset", "model", "created_by")
    return rows.get(pk=pipeline.pk)


def _check(pipeline: Pipeline) -> None:
    check_run_spec(RunSpec(pipeline.architecture, pipeline.config), task=pipeline.dataset.task)
    asked_encoders(pipeline.architecture, pipeline.config.get("params", {}), pipeline.dataset.project_id)
    _check_strategy(pipeline)
    if pipeline.filter is not None:
        pipeline.filter = write_document(Filter.of(pipeline.filter, pipeline.dataset).written)
    check_gates(pipeline.gates, pipeline.model.task_type.metrics)
    if pipeline.schedule:
        schedules.check(pipeline.schedule)
    budgets.check_budget(pipeline.budget, field="budget.")
    pipeline.stop = stopping.checked(pipeline.stop, pipeline.budget, pipeline.model.task_type.metrics)


def _check_strategy(pipeline: Pipeline) -> None:
    """Check that the strategy can be run with the pipeline's settings; for `best_of`, check each candidate."""
    check_fit(pipeline.committee, pipeline.dataset.task_type)
    if pipeline.strategy != BEST_OF:
        _check_choice(pipeline, pipeline.strategy, pipeline.params)
        return
    pipeline.dataset.task_type.require("back-tests", field="strategy")
    candidates = pipeline.params.get("strategies")
    if not isinstance(candidates, list) or not candidates:
        raise Invalid.field("strategy.params.strategies", 'best_of needs a list to choose from, as ["margin", "badge"]')
    for candidate in candidates:
        told: Any = {"name": candidate} if isinstance(candidate, str) else candidate
        if not isinstance(told, Mapping) or not isinstance(told.get("name"), str):
            raise Invalid.field("strategy.params.strategies", 'each is a name, or {"name": .., "params": {..}}')
        _check_choice(pipeline, told["name"], told.get("params", {}))


def _check_choice(pipeline: Pipeline, name: str, params: Mapping[str, Any]) -> None:
    spec = MiningSpec(name, pipeline.count, params, compose=pipeline.compose, committee=pipeline.committee)
    check_spec(spec, task=pipeline.dataset.task, classes=pipeline.dataset.classes)
