"""Back-tests in the lifecycle: finding one by name, what depends on it, and which datasets and models it needs."""

from typing import Any

from backtests.models import Backtest
from backtests.services import find_backtest
from catalog.versions.names import check_own_name
from jobs.lifecycle.kinds import Fate, Part, register
from jobs.lifecycle.models import Named
from jobs.models import Job

OPEN = Backtest.objects.filter(job__state__in=Job.OPEN)


class Backtests:
    """See `lifecycle.kinds.Kind`."""

    name = "backtest"
    noun = "back-test"
    route = "backtests"
    model: type[Named] = Backtest

    def find(self, reference: str) -> Named:
        return find_backtest(reference)

    def check_name(self, name: str) -> None:
        check_own_name(name)

    def holds(self, row: Any) -> list[Named]:
        return [row.dataset]

    def renamed(self, row: Any, old: str) -> None:
        """Do nothing: every reference to a back-test is by id."""

    def ended(self, row: Any) -> None:
        """Delete its report and embeddings; replays are kept for other back-tests with the same ones."""
        Backtest.everything.filter(pk=row.pk).update(report=None, data=None)


register("backtest", Part("jobs", Fate.BUSY, lambda row: Job.objects.filter(pk=row.job_id, state__in=Job.OPEN)))
register("model", Part("back-tests", Fate.BUSY, lambda row: OPEN.filter(model_version__model=row)))
register(
    "dataset",
    Part("running back-tests", Fate.BUSY, lambda row: OPEN.filter(dataset=row)),
    Part("back-tests", Fate.GOES, lambda row: Backtest.everything.filter(dataset=row), nested="backtest"),
)
