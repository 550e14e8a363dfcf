"""Wake-ups of sweeps."""

from celery import shared_task

from jobs import wakeups
from jobs.tasks import wake
from sweeps.models import Sweep


def wake_sweep(sweep_id: int) -> None:
    """Have a worker look at the sweep soon; a silent broker is survived by `look`."""
    wakeups.send(advance, sweep_id)


@shared_task(name="sweeps.advance")
def advance(sweep_id: int) -> None:
    """Take the steps that can be taken."""
    from sweeps import loop  # Optuna takes half a second to load: the web and beat only send

    for job in loop.advance(sweep_id):
        wake(job)


@shared_task(name="sweeps.look")
def look() -> None:
    """Look at every sweep that runs: its trials have new evaluations, or a wake-up was lost."""
    for sweep_id in Sweep.objects.filter(state=Sweep.State.RUNNING).values_list("pk", flat=True):
        advance(sweep_id)
