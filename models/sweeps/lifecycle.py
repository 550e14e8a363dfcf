"""Sweeps in the lifecycle: find one by name, what depends on it, and which datasets and models it needs."""

from typing import Any

from catalog.versions.names import check_own_name
from jobs.lifecycle.kinds import Fate, Part, register
from jobs.lifecycle.models import Named
from jobs.models import Job
from registry.models import Run
from sweeps.models import Sweep, Trial
from sweeps.services import find_sweep

RUNNING = Sweep.objects.filter(state=Sweep.State.RUNNING)


class Sweeps:
    """See `lifecycle.kinds.Kind`."""

    name = "sweep"
    noun = "sweep"
    route = "sweeps"
    model: type[Named] = Sweep

    def find(self, reference: str) -> Named:
        return find_sweep(reference)

    def check_name(self, name: str) -> None:
        check_own_name(name)

    def holds(self, row: Any) -> list[Named]:
        return [row.dataset, row.model]

    def renamed(self, row: Any, old: str) -> None:
        """Nothing to do: everything refers to it by its id."""

    def ended(self, row: Any) -> None:
        """Nothing to do: its runs stay, and checkpoints without a version are left to the collector."""


register(
    "sweep",
    Part("itself", Fate.BUSY, lambda row: RUNNING.filter(pk=row.pk)),
    Part("runs under way", Fate.BUSY, lambda row: Run.objects.filter(trial__sweep=row, job__state__in=Job.OPEN)),
    Part("runs", Fate.STAYS, lambda row: Run.objects.filter(trial__sweep=row)),
    Part("trials", Fate.GOES, lambda row: Trial.objects.filter(sweep=row)),
)
register(
    "model",
    Part("sweeps under way", Fate.BUSY, lambda row: RUNNING.filter(model=row)),
    Part("sweeps", Fate.GOES, lambda row: Sweep.everything.filter(model=row), nested="sweep"),
)
register(
    "dataset",
    Part("sweeps under way", Fate.BUSY, lambda row: RUNNING.filter(dataset=row)),
    Part("sweeps", Fate.GOES, lambda row: Sweep.everything.filter(dataset=row), nested="sweep"),
)
