"""Rename, archive, restore, delete: the same calls for every kind of thing with a name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from motherlode.transport import Transport, segment

if TYPE_CHECKING:
    from motherlode.documents import Deletion, JobLink


class Lifecycle:
    """What every resource of named things can do; `_route` is where their addresses begin."""

    _route: ClassVar[str]
    _transport: Transport

    def all(self) -> Iterator[Any]:
        """All that are not archived."""
        return self._transport.pages(self._route)

    def archived(self) -> Iterator[Any]:
        """Those that are archived, which other lists leave out."""
        return self._transport.pages(f"{self._route}?archived=true")

    def rename(self, reference: str | int, name: str) -> str:
        """Call it otherwise; its old name leads to it until something else takes that. Returns the name."""
        named: str = self._transport.patch(self._at(reference), {"name": name})["name"]
        return named

    def archive(self, reference: str | int) -> None:
        """Put it away: it can be read, and takes no writing. Raises `in_use` (409) while work on it is under way."""
        self._transport.post(f"{self._at(reference)}/archive")

    def restore(self, reference: str | int) -> None:
        """Take it out of the archive."""
        self._transport.post(f"{self._at(reference)}/restore")

    def deletion(self, reference: str | int) -> Deletion:
        """What deleting it would take along, what would stay, and what stands in the way."""
        document: Deletion = self._transport.get(f"{self._at(reference)}/deletion")
        return document

    def delete(self, reference: str | int, *, confirm: str) -> JobLink:
        """Delete it for good; it must be archived, and `confirm` its name. Owners may."""
        document: JobLink = self._transport.post(f"{self._at(reference)}/deletion", {"confirm": confirm}).json()
        return document

    def _at(self, reference: str | int) -> str:
        return f"{self._route}/{segment(reference)}"
