"""What names of pipelines and back-tests lead to, what depends on them, and what depends on datasets and models."""

from typing import Any

from django.db.models import Q, QuerySet

from catalog.versions.names import check_own_name
from jobs.lifecycle.kinds import Fate, Part, register
from jobs.lifecycle.models import Named
from jobs.models import Job
from rounds import schedules
from rounds.backtests import find_backtest
from rounds.models import Backtest, EmbeddingMap, MiningJob, Pick, Pipeline, Round
from rounds.pipelines import find_pipeline


class _Above:
    """Of both kinds: what they are part of is archived for itself, and no address but their own holds the name."""

    def check_name(self, name: str) -> None:
        check_own_name(name)

    def renamed(self, row: Any, old: str) -> None:
        """Everything finds it by its id."""


class Pipelines(_Above):
    """See `lifecycle.kinds.Kind`."""

    name = "pipeline"
    noun = "pipeline"
    route = "pipelines"
    model: type[Named] = Pipeline

    def find(self, reference: str) -> Named:
        return find_pipeline(reference)

    def holds(self, row: Any) -> list[Named]:
        return [row.dataset, row.model]

    def ended(self, row: Any) -> None:
        """No schedule, trigger or webhook starts it any more."""
        Pipeline.everything.filter(pk=row.pk).update(schedule="", next_run=None, trigger={}, webhook_digest="")
        schedules.forget(row)


class Backtests(_Above):
    """See `lifecycle.kinds.Kind`."""

    name = "backtest"
    noun = "back-test"
    route = "backtests"
    model: type[Named] = Backtest

    def find(self, reference: str) -> Named:
        return find_backtest(reference)

    def holds(self, row: Any) -> list[Named]:
        return [row.dataset]

    def ended(self, row: Any) -> None:
        """What it found is gone with its name; replays are kept for others that ask for the same."""
        Backtest.everything.filter(pk=row.pk).update(report=None, data=None)


def _open_rounds(wanted: Q) -> QuerySet[Round]:
    return Round.objects.filter(wanted).exclude(state__in=Round.ENDED).select_related("pipeline")


def _open(rows: QuerySet[Any]) -> QuerySet[Any]:
    return rows.filter(job__state__in=Job.OPEN)


def _naming(backtest: Backtest) -> QuerySet[Pipeline]:
    names = Q(params__backtest=backtest.pk) | Q(params__backtest=backtest.name) | Q(params__backtest=str(backtest.pk))
    return Pipeline.objects.filter(names)


def _in_committees(model: Any) -> QuerySet[Pipeline]:
    """Pipelines of other models that ask this one as well."""
    asked = Pipeline.objects.exclude(committee=None).exclude(model=model)
    named = [row.pk for row in asked if any(str(one).startswith(f"{model.name}@") for one in _members(row.committee))]
    return Pipeline.objects.filter(pk__in=named)


def _members(committee: Any) -> list[Any]:
    found = committee.get("models", []) if isinstance(committee, dict) else []
    return found if isinstance(found, list) else []


register("pipeline", Part("rounds", Fate.BUSY, lambda row: _open_rounds(Q(pipeline=row))),
         Part("rounds and what they made", Fate.STAYS, lambda row: row.rounds.all()))  # fmt: skip
register("backtest", Part("jobs", Fate.BUSY, lambda row: Job.objects.filter(pk=row.job_id, state__in=Job.OPEN)),
         Part("pipelines that name it", Fate.NEEDS, _naming))  # fmt: skip
register("queue", Part("rounds", Fate.BUSY, lambda row: _open_rounds(Q(queue=row))))
register(
    "model",
    Part("rounds", Fate.BUSY, lambda row: _open_rounds(Q(pipeline__model=row))),
    Part("mining jobs", Fate.BUSY, lambda row: _open(MiningJob.objects.filter(model_version__model=row))),
    Part("back-tests", Fate.BUSY, lambda row: _open(Backtest.objects.filter(model_version__model=row))),
    Part("pipelines", Fate.NEEDS, lambda row: Pipeline.objects.filter(model=row, archived=None)),
    Part("committees", Fate.NEEDS, _in_committees),
    Part("mining jobs done", Fate.STAYS, lambda row: MiningJob.objects.filter(model_version__model=row)),
    Part("archived pipelines", Fate.GOES, lambda row: Pipeline.everything.filter(model=row), nested="pipeline"),
)
register(
    "dataset",
    Part("rounds", Fate.BUSY, lambda row: _open_rounds(Q(pipeline__dataset=row))),
    Part("mining jobs", Fate.BUSY, lambda row: _open(MiningJob.objects.filter(dataset=row))),
    Part("running back-tests", Fate.BUSY, lambda row: _open(Backtest.objects.filter(dataset=row))),
    Part("running maps", Fate.BUSY, lambda row: _open(EmbeddingMap.objects.filter(dataset=row))),
    Part("pipelines", Fate.NEEDS, lambda row: Pipeline.objects.filter(dataset=row, archived=None)),
    Part("mining jobs done", Fate.STAYS, lambda row: MiningJob.objects.filter(dataset=row)),
    Part("archived pipelines", Fate.GOES, lambda row: Pipeline.everything.filter(dataset=row), nested="pipeline"),
    Part("back-tests", Fate.GOES, lambda row: Backtest.everything.filter(dataset=row), nested="backtest"),
    Part("maps", Fate.GOES, lambda row: EmbeddingMap.objects.filter(dataset=row)),
    Part("picks", Fate.GOES, lambda row: Pick.objects.filter(mining_job__dataset=row)),
)
