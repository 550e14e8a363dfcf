"""`/runs`: training runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from motherlode.transport import Transport

if TYPE_CHECKING:
    from motherlode.documents import Launch, Run, Snapshot, TrainingForecast


class Runs:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        model: str,
        *,
        dataset: str,
        architecture: str | None = None,
        version: int | str | None = None,
        config: Mapping[str, object] | None = None,
        parent: str | None = None,
        seed: int | None = None,
        needs: Mapping[str, object] | None = None,
    ) -> Run:
        """Train `model` on a dataset version (default: the head), starting from the version `parent` (`name@alias`), on
        a worker that has what it `needs`: gpus, gpu_memory_bytes, memory_bytes, cores, architecture."""
        body = {"model": model, "dataset": dataset, "version": version, "architecture": architecture,
                "config": dict(config or {}), "parent": parent, "seed": seed, "needs": needs}  # fmt: skip
        document: Run = self._transport.post("/runs", body).json()
        return document

    def forecast(
        self,
        dataset: str,
        *,
        architecture: str | None = None,
        version: int | str | None = None,
        config: Mapping[str, object] | None = None,
        needs: Mapping[str, object] | None = None,
    ) -> TrainingForecast:
        """How long a training takes here, and the settings that it has; starts nothing."""
        body = {"dataset": dataset, "version": version, "architecture": architecture, "config": dict(config or {}),
                "needs": needs}  # fmt: skip
        document: TrainingForecast = self._transport.post("/runs/forecast", body).json()
        return document

    def all(self, *, model: str | None = None) -> Iterator[Run]:
        """List runs, the newest first, of one model or of all."""
        return self._transport.pages("/runs", model=model)

    def get(self, run: int) -> Run:
        """Return a run with its job."""
        document: Run = self._transport.get(f"/runs/{run}")
        return document

    def cancel(self, run: int) -> Run:
        """Ask a run to stop."""
        document: Run = self._transport.post(f"/runs/{run}/cancel").json()
        return document

    def resume(self, run: int) -> Run:
        """Resume a failed or cancelled run from its newest recovery snapshot."""
        document: Run = self._transport.post(f"/runs/{run}/resume").json()
        return document

    def launch(self, run: int, launcher: str, **choices: int | str | None) -> str:
        """Return the manifest that starts nodes for this run alone, for `kubernetes` or `slurm`; `choices`: nodes,
        least_nodes, image, queue, hours."""
        told = {name: value for name, value in choices.items() if value is not None}
        document: Launch = self._transport.get(f"/runs/{run}/launch", launcher=launcher, **told)
        return document["text"]

    def register(self, run: int) -> Run:
        """Export, verify and register the model that a trial of a sweep has trained."""
        document: Run = self._transport.post(f"/runs/{run}/register").json()
        return document

    def clone(self, run: int, **changes: object) -> Run:
        """Train again with the same inputs except `changes`: model, dataset, version, architecture, config (merged),
        parent (None: none), seed, needs."""
        body = changes | ({"parent": ""} if changes.get("parent", "") is None else {})
        document: Run = self._transport.post(f"/runs/{run}/clone", body).json()
        return document

    def note(self, run: int, notes: str) -> Run:
        """Write the run's notes."""
        document: Run = self._transport.patch(f"/runs/{run}", {"notes": notes})
        return document

    def snapshots(self, run: int) -> Iterator[Snapshot]:
        """List the checkpoints kept during training, the newest first."""
        return self._transport.pages(f"/runs/{run}/snapshots")

    def snapshot(self, run: int, step: int, *, kind: str | None = None) -> Iterator[bytes]:
        """Yield the bytes of a checkpoint, as safetensors."""
        return self._transport.stream(f"/runs/{run}/snapshots/{step}", params={"kind": kind} if kind else None)
