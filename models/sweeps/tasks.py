"""Wake-ups of sweeps."""

from celery import shared_task

from jobs import wakeups
from jobs.tasks import wake
from sweeps.models import Sweep


def wake_sweep(sweep_id: int) -> None:
    """Have a worker look at the sweep soon; if the broker does not answer, `look` does it later."""
    wakeups.send(advance, sweep_id)


@shared_task(name="sweeps.advance")
def advance(sweep_id: int) -> None:
    """Take the steps of a sweep that can be taken, and wake the jobs of its new runs."""
    from sweeps import loop  # Optuna takes half a second to load: the web and beat only send

    for job in loop.advance(sweep_id):
        wake(job)


@shared_task(name="sweeps.look")
def look() -> None:
    """Advance every running sweep: its trials may have new evaluations, or a wake-up was lost."""
    for sweep_id in Sweep.objects.filter(state=Sweep.State.RUNNING).values_list("pk", flat=True):
        wake_sweep(sweep_id)  # it may take long: it must not hold up the sweeps of others
