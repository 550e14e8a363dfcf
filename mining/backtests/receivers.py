"""What happens when a back-test's job ends."""

from typing import Any

from django.dispatch import receiver

from backtests.models import Backtest
from jobs.models import Job
from jobs.services import job_ended


@receiver(job_ended)
def forget_backtest_data(job: Job, **_: Any) -> None:
    """Delete the embeddings of a back-test whose job has ended: no replay needs them any more."""
    Backtest.objects.filter(job=job).update(data=None)
