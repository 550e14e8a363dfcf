"""What rounds have spent, read from their jobs and queues: labels, money, hours of compute."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any

from django.db.models import Count, DurationField, ExpressionWrapper, F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

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
    mine = pipelines.order_by().values("pk")
    proving = Q(precisions_of__run__job__rounds__pipeline__in=mine)
    jobs = Job.objects.filter(Q(rounds__pipeline__in=mine) | proving)
    answers = Answer.objects.verdicts().filter(
        value__isnull=False, task__queue__mining_job__job__in=jobs.order_by().values("pk")
    )
    midnight = datetime.combine(timezone.now().astimezone(UTC).date(), time(), UTC)
    told = answers.aggregate(all=Count("pk"), today=Count("pk", filter=Q(created__gte=midnight)))
    return Spent(told["all"], told["today"], _reserved(pipelines), _hours(jobs))


def _reserved(pipelines: QuerySet[Pipeline]) -> int:
    """Count the answers that queues of open rounds still need."""
    rounds = Round.objects.filter(pipeline__in=pipelines.order_by().values("pk")).exclude(state__in=Round.ENDED)
    queues = Queue.objects.filter(pk__in=rounds.order_by().values("queue"), state=Queue.State.OPEN)
    open_tasks = Task.objects.filter(queue__in=queues, state__in=[Task.State.TODO, Task.State.LEASED])
    asked = open_tasks.aggregate(n=Sum("queue__answers_per_task"))["n"] or 0
    had = Answer.objects.verdicts().filter(task__in=open_tasks.order_by().values("pk"), value__isnull=False).count()
    return max(0, asked - had)


def _hours(jobs: QuerySet[Job]) -> float:
    """Hours that workers spent on shards: the last attempt of each, until now for running ones."""
    begun = Shard.objects.filter(job__in=jobs.order_by().values("pk"), started__isnull=False)
    worked = begun.filter(Q(finished__isnull=False) | Q(state=Shard.State.RUNNING))
    spans = ExpressionWrapper(Coalesce("finished", timezone.now()) - F("started"), output_field=DurationField())
    total = worked.aggregate(time=Sum(spans))["time"]
    return total.total_seconds() / 3600 if total else 0.0
