"""`/gc` and erasures: deleting stored bytes. For owners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from motherlode.transport import Transport, segment

if TYPE_CHECKING:
    from motherlode.documents import Job


class Upkeep:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def collect(self, *, dry_run: bool = False, grace: float | None = None) -> Job:
        """Start a job that deletes stored bytes that nothing refers to; with `dry_run` it only says what it would
        delete. Bytes requested within the last `grace` hours are kept."""
        body = {"dry_run": dry_run} | ({"grace": grace} if grace is not None else {})
        job: Job = self._transport.post("/gc", body).json()["job"]
        return job

    def erase(self, dataset: str, keys: Sequence[str], *, reason: str, confirm: str, everywhere: bool = False) -> Job:
        """Start a job that removes samples from all versions, and their bytes from the store. `confirm` is the
        dataset's name; with `everywhere`, other samples with the same bytes are removed too. This can't be undone."""
        body = {"keys": list(keys), "reason": reason, "confirm": confirm, "everywhere": everywhere}
        job: Job = self._transport.post(f"/datasets/{segment(dataset)}/erasures", body).json()["job"]
        return job
