"""Back-tests as the API shows them."""

from typing import Any

from backtests.models import Backtest
from backtests.services import PREPARE, report_of
from jobs.api import job_document


def backtest_row(backtest: Backtest) -> dict[str, Any]:
    """A back-test in a list: its settings, its progress, and the best strategy."""
    fields = ("learner", "strategies", "seeds", "rounds", "count", "start", "control", "target", "archived",
              "created")  # fmt: skip
    return {name: getattr(backtest, name) for name in fields} | {
        "id": backtest.pk,
        "name": str(backtest),
        "dataset": backtest.dataset.name,
        "task": backtest.dataset.task,
        "metric": backtest.dataset.task_type.metrics.headline,
        "figure": backtest.dataset.task_type.metrics.headline_words,
        "version": backtest.version.number,
        "best": report_of(backtest)["best"] if backtest.report is not None else None,
        "job": job_document(backtest.job),
    }


def backtest_document(backtest: Backtest) -> dict[str, Any]:
    """A back-test with its curves and their report; while it runs, of the finished replays."""
    prepared = backtest.job.shards.filter(phase=PREPARE).values_list("result", flat=True).first() or {}
    return backtest_row(backtest) | report_of(backtest) | {"left_out": prepared.get("barred")}
