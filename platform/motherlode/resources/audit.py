"""`/audit`: who changed what, when, from where. For owners."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from motherlode.transport import Transport

if TYPE_CHECKING:
    from motherlode.documents import AuditEvent


class Audit:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def all(self, *, search: str | None = None, project: str | None = None) -> Iterator[AuditEvent]:
        """List the audit events, the newest first; `search` looks in people, actions and names."""
        return self._transport.pages("/audit", q=search, project=project)

    def export(self) -> Iterator[bytes]:
        """Yield all audit events as JSON lines, the oldest first, piece by piece."""
        return self._transport.stream("/audit/export")
