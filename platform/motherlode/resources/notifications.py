"""`/session/notifications`: what waits for you."""

from __future__ import annotations

from typing import TYPE_CHECKING

from motherlode.transport import Transport

if TYPE_CHECKING:
    from motherlode.documents import Notifications as Document

ADDRESS = "/session/notifications"


class Notifications:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self) -> Document:
        """Return what waits for you, newest first, and whether you get mail about it."""
        document: Document = self._transport.get(ADDRESS)
        return document

    def mark_seen(self) -> Document:
        """Mark all that waits now as seen."""
        document: Document = self._transport.patch(ADDRESS, {"seen": True})
        return document

    def want_mail(self, wanted: bool) -> Document:
        """Choose whether you get mail about what waits for you, at most one an hour."""
        document: Document = self._transport.patch(ADDRESS, {"mail": wanted})
        return document
