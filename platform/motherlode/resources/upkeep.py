"""`/gc` and erasures: what takes stored bytes away. For owners."""

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
        """Start taking away what nothing refers to; with `dry_run` the job only says what that would be. `grace` in
        hours: what was asked for since then is kept."""
        body = {"dry_run": dry_run} | ({"grace": grace} if grace is not None else {})
        job: Job = self._transport.post("/gc", body).json()["job"]
        return job

    def erase(self, dataset: str, keys: Sequence[str], *, reason: str, confirm: str, everywhere: bool = False) -> Job:
        """Start taking samples out of all versions, and their bytes out of the store. `confirm` is the dataset's name;
        with `everywhere`, other samples with the same bytes go too. Nothing brings them back."""
        body = {"keys": list(keys), "reason": reason, "confirm": confirm, "everywhere": everywhere}
        job: Job = self._transport.post(f"/datasets/{segment(dataset)}/erasures", body).json()["job"]
        return job
