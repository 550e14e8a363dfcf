"""Back-tests as the API shows them."""

from collections.abc import Sequence
from typing import Any

from backtests.models import Backtest
from backtests.services import PREPARE, report_of
from jobs.documents import job_documents


def backtest_row(backtest: Backtest) -> dict[str, Any]:
    """A back-test in a list: its settings, its progress, and the best strategy."""
    return backtest_rows([backtest])[0]


def backtest_rows(backtests: Sequence[Backtest]) -> list[dict[str, Any]]:
    """Back-tests in a list; `dataset`, `version` and `job` must be loaded."""
    jobs = job_documents([backtest.job for backtest in backtests])
    return [_row(backtest) | {"job": job} for backtest, job in zip(backtests, jobs, strict=True)]


def _row(backtest: Backtest) -> dict[str, Any]:
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
    }


def backtest_document(backtest: Backtest) -> dict[str, Any]:
    """A back-test with its curves and their report; while it runs, of the finished replays."""
    prepared = backtest.job.shards.filter(phase=PREPARE).values_list("result", flat=True).first() or {}
    counted = {"left_out": prepared.get("barred"), "copies": prepared.get("copies")}
    return backtest_row(backtest) | report_of(backtest) | counted
