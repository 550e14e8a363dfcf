"""What follows the end of a back-test's job."""

from typing import Any

from django.dispatch import receiver

from backtests.models import Backtest
from jobs.models import Job
from jobs.services import job_ended


@receiver(job_ended)
def forget_backtest_data(job: Job, **_: Any) -> None:
    """Nobody replays on these embeddings any more."""
    Backtest.objects.filter(job=job).update(data=None)
