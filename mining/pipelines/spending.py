"""What rounds have spent, read from their jobs and queues: labels, money, hours of compute."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any

from django.db.models import Count, DurationField, ExpressionWrapper, F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from core.list_parameters import listed
from jobs.models import Job, Shard
from labeling.models import Answer, Queue, Task
from pipelines.models import Pipeline, Round


@dataclass(frozen=True, slots=True)
class Spent:
    """What was spent. Labels are answers of annotators, without skips; `reserved` are answers that open queues still
    need."""

    labels: int
    labels_today: int
    reserved: int
    compute_hours: float

    def money(self, limits: Mapping[str, Any]) -> float:
        """The cost of the labels, in the unit of `cost_per_label`."""
        return float(self.labels * limits.get("cost_per_label", 0.0))

    def document(self, limits: Mapping[str, Any]) -> dict[str, Any]:
        """The spending as the API shows it."""
        return {
            "labels": self.labels,
            "labels_today": self.labels_today,
            "money": round(self.money(limits), 2),
            "compute_hours": round(self.compute_hours, 4),
        }


def spent_by(pipelines: QuerySet[Pipeline]) -> Spent:
    """Return what all rounds of the pipelines have spent so far, including failed and retried ones."""
    each = spent_by_each(list(pipelines.order_by().values_list("pk", flat=True)))
    parts = list(each.values())
    return Spent(
        sum(part.labels for part in parts),
        sum(part.labels_today for part in parts),
        sum(part.reserved for part in parts),
        sum(part.compute_hours for part in parts),
    )


def spent_by_each(pipelines: Sequence[int]) -> dict[int, Spent]:
    """Map the ids of pipelines to what their rounds have spent so far, in as many queries as for one."""
    jobs = _jobs_of(pipelines)
    every = [job for mine in jobs.values() for job in mine]
    labels, hours, reserved = _labels(every), _hours(every), _reserved(pipelines)
    spent = {}
    for pipeline in pipelines:
        told = [labels.get(job, (0, 0)) for job in jobs[pipeline]]
        spent[pipeline] = Spent(
            sum(number for number, _ in told),
            sum(today for _, today in told),
            reserved.get(pipeline, 0),
            sum(hours.get(job, 0.0) for job in jobs[pipeline]),
        )
    return spent


def _jobs_of(pipelines: Sequence[int]) -> dict[int, set[int]]:
    """Map pipelines to the jobs that their rounds started and those that proved further precisions of their models."""
    jobs: dict[int, set[int]] = {pipeline: set() for pipeline in pipelines}
    for owner in ("rounds__pipeline", "precisions_of__run__job__rounds__pipeline"):
        pairs = Job.objects.filter(**{f"{owner}__in": pipelines}).order_by().values_list(owner, "pk")
        for pipeline, job in pairs.distinct():
            jobs[pipeline].add(job)
    return jobs


def _labels(jobs: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Map mining jobs to the answers in their queues, all of them and today's, without skips."""
    midnight = datetime.combine(timezone.now().astimezone(UTC).date(), time(), UTC)
    owner = "task__queue__mining_job__job"
    answers = Answer.objects.verdicts().filter(value__isnull=False, **{f"{owner}__in": listed(jobs)})
    counts = answers.order_by().values_list(owner)
    numbers = counts.annotate(every=Count("pk"), today=Count("pk", filter=Q(created__gte=midnight)))
    return {job: (every, today) for job, every, today in numbers}


def _reserved(pipelines: Sequence[int]) -> dict[int, int]:
    """Map pipelines to the answers that queues of open rounds still need."""
    rounds = Round.objects.filter(pipeline__in=pipelines, queue__state=Queue.State.OPEN).exclude(state__in=Round.ENDED)
    owners = dict(rounds.order_by().values_list("queue", "pipeline"))
    tasks = Task.objects.filter(queue__in=[*owners], state__in=[Task.State.TODO, Task.State.LEASED]).order_by()
    asked = dict(tasks.values_list("queue").annotate(Sum("queue__answers_per_task")))
    answers = Answer.objects.verdicts().filter(task__in=tasks.values("pk"), value__isnull=False).order_by()
    had = dict(answers.values_list("task__queue").annotate(Count("pk")))
    reserved: dict[int, int] = defaultdict(int)
    for queue, pipeline in owners.items():
        reserved[pipeline] += max(0, asked.get(queue, 0) - had.get(queue, 0))
    return reserved


def _hours(jobs: Sequence[int]) -> dict[int, float]:
    """Map jobs to the hours that workers spent on their shards: the last attempt of each, until now for running
    ones."""
    begun = Shard.objects.filter(job__in=listed(jobs), started__isnull=False)
    worked = begun.filter(Q(finished__isnull=False) | Q(state=Shard.State.RUNNING)).order_by()
    spans = ExpressionWrapper(Coalesce("finished", timezone.now()) - F("started"), output_field=DurationField())
    return {job: span.total_seconds() / 3600 for job, span in worked.values_list("job").annotate(spent=Sum(spans))}
