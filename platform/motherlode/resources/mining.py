"""`/mining/jobs`: score a pool with a model and pick what teaches it most."""

from collections.abc import Iterator, Mapping
from typing import Any

from motherlode.documents import Pick, QueueLink, Started
from motherlode.transport import Transport


class Mining:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        dataset: str,
        *,
        model: str,
        strategy: str | Mapping[str, object],
        count: int,
        version: int | None = None,
        control: float | None = None,
        seed: int | None = None,
    ) -> Started:
        """Mine `count` samples with `model` (`name@production`, `name@3`); `control` is the share picked at random."""
        body = {"dataset": dataset, "version": version, "model": model, "strategy": strategy, "count": count,
                "control": control, "seed": seed}  # fmt: skip
        document: Started = self._transport.post("/mining/jobs", body).json()
        return document

    def get(self, mining_job: int) -> dict[str, Any]:
        """The mining job as the platform shows it."""
        document: dict[str, Any] = self._transport.get(f"/mining/jobs/{mining_job}")
        return document

    def picks(self, mining_job: int) -> Iterator[Pick]:
        """What it picked, the best first."""
        return self._transport.pages(f"/mining/jobs/{mining_job}/picks")

    def histogram(self, mining_job: int) -> dict[str, Any]:
        """How the scores of the pool spread."""
        document: dict[str, Any] = self._transport.get(f"/mining/jobs/{mining_job}/histogram")
        return document

    def queue(self, mining_job: int, *, name: str | None = None, answers_per_task: int | None = None) -> QueueLink:
        """Put the picks into a labelling queue."""
        body = {"queue": name, "answers_per_task": answers_per_task}
        document: QueueLink = self._transport.post(f"/mining/jobs/{mining_job}/queue", body).json()
        return document
