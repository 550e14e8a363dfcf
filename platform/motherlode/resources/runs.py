"""`/runs`: trainings."""

from collections.abc import Mapping
from typing import Any

from motherlode.documents import Started
from motherlode.transport import Transport


class Runs:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        model: str,
        *,
        dataset: str,
        architecture: str,
        version: int | None = None,
        config: Mapping[str, object] | None = None,
        parent: str | None = None,
        seed: int | None = None,
    ) -> Started:
        """Train `model` on a dataset version (default: the head), starting from the version `parent` (`name@alias`)."""
        body = {"model": model, "dataset": dataset, "version": version, "architecture": architecture,
                "config": dict(config or {}), "parent": parent, "seed": seed}  # fmt: skip
        document: Started = self._transport.post("/runs", body).json()
        return document

    def get(self, run: int) -> dict[str, Any]:
        """The run as the platform shows it."""
        document: dict[str, Any] = self._transport.get(f"/runs/{run}")
        return document

    def cancel(self, run: int) -> dict[str, Any]:
        """Ask it to stop."""
        document: dict[str, Any] = self._transport.post(f"/runs/{run}/cancel").json()
        return document
