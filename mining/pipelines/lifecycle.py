"""Pipelines in the lifecycle: finding one by name, what depends on it, and what pipelines depend on."""

from typing import Any

from django.db.models import Q, QuerySet

from backtests.models import Backtest
from catalog.versions.names import check_own_name
from jobs.lifecycle.kinds import Fate, Part, register
from jobs.lifecycle.models import Named
from pipelines import schedules
from pipelines.models import Pipeline, Round
from pipelines.services import find_pipeline


class Pipelines:
    """See `lifecycle.kinds.Kind`."""

    name = "pipeline"
    noun = "pipeline"
    route = "pipelines"
    model: type[Named] = Pipeline

    def find(self, reference: str) -> Named:
        return find_pipeline(reference)

    def check_name(self, name: str) -> None:
        check_own_name(name)

    def holds(self, row: Any) -> list[Named]:
        return [row.dataset, row.model]

    def renamed(self, row: Any, old: str) -> None:
        """Do nothing: every reference to a pipeline is by id."""

    def ended(self, row: Any) -> None:
        """Clear its schedule, triggers and webhook, so that nothing starts it any more."""
        Pipeline.everything.filter(pk=row.pk).update(schedule="", next_run=None, trigger={}, webhook_digest="")
        schedules.forget(row)


def _open_rounds(wanted: Q) -> QuerySet[Round]:
    return Round.objects.filter(wanted).exclude(state__in=Round.ENDED).select_related("pipeline")


def _naming(backtest: Backtest) -> QuerySet[Pipeline]:
    names = Q(params__backtest=backtest.pk) | Q(params__backtest=backtest.name) | Q(params__backtest=str(backtest.pk))
    return Pipeline.objects.filter(names)


register("pipeline", Part("rounds", Fate.BUSY, lambda row: _open_rounds(Q(pipeline=row))),
         Part("rounds and what they made", Fate.STAYS, lambda row: row.rounds.all()))  # fmt: skip
register("backtest", Part("pipelines that name it", Fate.NEEDS, _naming))
register("queue", Part("rounds", Fate.BUSY, lambda row: _open_rounds(Q(queue=row))))
register(
    "model",
    Part("rounds", Fate.BUSY, lambda row: _open_rounds(Q(pipeline__model=row))),
    Part("pipelines", Fate.NEEDS, lambda row: Pipeline.objects.filter(model=row, archived=None)),
    Part("archived pipelines", Fate.GOES, lambda row: Pipeline.everything.filter(model=row), nested="pipeline"),
)
register(
    "dataset",
    Part("rounds", Fate.BUSY, lambda row: _open_rounds(Q(pipeline__dataset=row))),
    Part("pipelines", Fate.NEEDS, lambda row: Pipeline.objects.filter(dataset=row, archived=None)),
    Part("archived pipelines", Fate.GOES, lambda row: Pipeline.everything.filter(dataset=row), nested="pipeline"),
)
