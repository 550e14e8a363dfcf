"""`/datasets/{id}`, what its versions are to each other: differences, names, forks, merges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from motherlode.transport import Transport, segment

if TYPE_CHECKING:
    from motherlode.documents import Commit, Dataset, Diff, Difference, Name


class Histories:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def diff(self, dataset: str, old: int | str, new: int | str) -> Diff:
        """How many samples differ between two versions, and how: by kind (each of them is counted), class and split."""
        document: Diff = self._transport.get(f"/datasets/{segment(dataset)}/diff", **{"from": old, "to": new})
        return document

    def changes(self, dataset: str, kind: str, old: int | str, new: int | str) -> Iterator[Difference]:
        """The samples that differ in one of the kinds that `diff` counts, as they were before and are after."""
        return self._transport.pages(
            f"/datasets/{segment(dataset)}/diff/{segment(kind)}", **{"from": old, "to": new, "limit": 500}
        )

    def tag(self, dataset: str, name: str, version: int | str) -> Name:
        """Give a version a name that stays."""
        document: Name = self._transport.post(
            f"/datasets/{segment(dataset)}/tags", {"name": name, "version": version}
        ).json()
        return document

    def alias(self, dataset: str, alias: str, version: int | str, *, protected: bool | None = None) -> Name:
        """Give a version a name that may move; a protected one is moved by owners alone."""
        body = {"alias": alias, "version": version, "protected": protected}
        document: Name = self._transport.post(f"/datasets/{segment(dataset)}/aliases", body).json()
        return document

    def fork(self, dataset: str, name: str, version: int | str = "head", *, description: str | None = None) -> Dataset:
        """A new dataset that begins as a version of this one; no bytes and no rows are copied."""
        body = {"name": name, "version": version, "description": description}
        document: Dataset = self._transport.post(f"/datasets/{segment(dataset)}/forks", body).json()
        return document

    def merge(
        self,
        dataset: str,
        other: str,
        *,
        version: int | str | None = None,
        message: str = "",
        prefer: Literal["ours", "theirs"] | None = None,
    ) -> Commit:
        """Commit what `other` changed since the two parted. Raises `merge_conflict` (409) with the keys that both
        changed, unless one side is preferred."""
        body = {"from": other, "version": version, "message": message, "prefer": prefer}
        document: Commit = self._transport.post(f"/datasets/{segment(dataset)}/merges", body).json()
        return document
