"""`/sweeps`: searches over training settings and architectures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from time import sleep
from typing import TYPE_CHECKING

from motherlode.errors import MotherlodeError
from motherlode.resources.lifecycle import Lifecycle
from motherlode.transport import Transport

if TYPE_CHECKING:
    from motherlode.documents import ProvedTrials, Sweep, SweepRow, Trial


class Sweeps(Lifecycle):
    _route = "/sweeps"

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        model: str,
        *,
        dataset: str,
        space: Mapping[str, Mapping[str, object]],
        architecture: str | None = None,
        version: int | str | None = None,
        config: Mapping[str, object] | None = None,
        **options: object,
    ) -> Sweep:
        """Search settings of trainings of `model` on a dataset version (default: the head).

        `space` maps a setting (`recipe.learning_rate`) to `{"choices": [..]}` or `{"low", "high", "step", "log"}`.
        `options`: name, seed, metric, trials, parallel, sampler, pruner, startup, warmup.
        """
        body = {"model": model, "dataset": dataset, "version": version, "architecture": architecture,
                "config": dict(config or {}), "space": dict(space)} | options  # fmt: skip
        document: Sweep = self._transport.post("/sweeps", body).json()
        return document

    def all(self, *, model: str | None = None) -> Iterator[SweepRow]:
        """List sweeps, the newest first, of one model or of all."""
        return self._transport.pages("/sweeps", model=model)

    def get(self, sweep: int | str) -> Sweep:
        """Return a sweep by id or name: its progress, its best trial, and which settings matter."""
        document: Sweep = self._transport.get(self._at(sweep))
        return document

    def trials(self, sweep: int | str) -> Iterator[Trial]:
        """List the trials of a sweep, the newest first."""
        return self._transport.pages(f"{self._at(sweep)}/trials")

    def cancel(self, sweep: int | str) -> Sweep:
        """Stop the running trials of a sweep and start no others."""
        document: Sweep = self._transport.post(f"{self._at(sweep)}/cancel").json()
        return document

    def register(self, sweep: int | str, *, best: int = 1) -> ProvedTrials:
        """Register the best trials as versions; trials that are versions already, or are being registered, stay as they
        are."""
        document: ProvedTrials = self._transport.post(f"{self._at(sweep)}/register", {"best": best}).json()
        return document

    def wait(
        self, sweep: int | str, *, on_progress: Callable[[Sweep], None] | None = None, every: float = 2.0
    ) -> Sweep:
        """Poll a sweep each `every` seconds until it is no longer running, and return it. An error that ends the
        polling carries a note that the sweep goes on."""
        seen = False
        try:
            while True:
                found = self.get(sweep)
                if on_progress is not None:
                    on_progress(found)
                if found["state"] != "running":
                    return found
                seen = True
                sleep(every)
        except (MotherlodeError, KeyboardInterrupt) as error:
            if seen or isinstance(error, KeyboardInterrupt):
                error.add_note(f"Sweep {sweep} goes on without this: `lode sweep watch {sweep}` follows it, "
                               f"`lode sweep cancel {sweep}` stops it.")  # fmt: skip
            raise
