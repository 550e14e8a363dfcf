"""Rename, archive, restore, delete: the same calls for every kind of thing with a name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from motherlode.transport import Transport, segment

if TYPE_CHECKING:
    from motherlode.documents import Deletion, JobLink


class Lifecycle:
    """Calls of every resource of named things; `_route` is the start of their paths."""

    _route: ClassVar[str]
    _transport: Transport

    def all(self) -> Iterator[Any]:
        """List those that are not archived."""
        return self._transport.pages(self._route)

    def archived(self) -> Iterator[Any]:
        """List those that are archived, which other lists leave out."""
        return self._transport.pages(f"{self._route}?archived=true")

    def rename(self, reference: str | int, name: str) -> dict[str, Any]:
        """Rename it; the old name still refers to it, and is reserved for it. Returns its document."""
        document: dict[str, Any] = self._transport.patch(self._at(reference), {"name": name})
        return document

    def release_name(self, reference: str | int, name: str) -> dict[str, Any]:
        """Release a former name of it, which others may take from then on. Only owners may."""
        document: dict[str, Any] = self._transport.post(f"{self._at(reference)}/release-name", {"name": name}).json()
        return document

    def archive(self, reference: str | int) -> dict[str, Any]:
        """Archive it: it becomes read-only. Raises `in_use` (409) while work on it is under way."""
        document: dict[str, Any] = self._transport.post(f"{self._at(reference)}/archive").json()
        return document

    def restore(self, reference: str | int) -> dict[str, Any]:
        """Take it out of the archive."""
        document: dict[str, Any] = self._transport.post(f"{self._at(reference)}/restore").json()
        return document

    def deletion(self, reference: str | int) -> Deletion:
        """Return what deleting it would delete too, what would stay, and what prevents it."""
        document: Deletion = self._transport.get(f"{self._at(reference)}/deletion")
        return document

    def delete(self, reference: str | int, *, confirm: str) -> JobLink:
        """Delete it permanently; it must be archived, and `confirm` must be its name. Only owners may."""
        document: JobLink = self._transport.post(f"{self._at(reference)}/deletion", {"confirm": confirm}).json()
        return document

    def _at(self, reference: str | int) -> str:
        return f"{self._route}/{segment(reference)}"
