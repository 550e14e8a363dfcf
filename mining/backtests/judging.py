"""Back-tests judge strategies, and the models that these make, by the test split of a dataset version."""

from collections.abc import Collection, Iterator

from backtests.models import Backtest
from catalog.splits import judging
from jobs.models import Job


def backtests_judged(datasets: Collection[int]) -> Iterator[tuple[int, str]]:
    """Yield for each back-test that ended or goes on the id of its dataset version, and its name."""
    rows = Backtest.objects.filter(dataset__in=datasets, job__state__in=(*Job.OPEN, Job.State.SUCCEEDED)).order_by("pk")
    for version, backtest in rows.values_list("version", "pk"):
        yield version, f"back-test {backtest}"


judging.register("backtests", backtests_judged)
