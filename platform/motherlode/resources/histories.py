"""`/datasets/{id}`: relations between versions: differences, names, forks, merges."""

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
        """Count the samples that differ between two versions, by kind (a sample counts in each of its kinds), class and
        split."""
        document: Diff = self._transport.get(f"/datasets/{segment(dataset)}/diff", **{"from": old, "to": new})
        return document

    def changes(self, dataset: str, kind: str, old: int | str, new: int | str) -> Iterator[Difference]:
        """List the samples that differ in one of the kinds that `diff` counts, each before and after."""
        return self._transport.pages(
            f"/datasets/{segment(dataset)}/diff/{segment(kind)}", **{"from": old, "to": new, "limit": 500}
        )

    def tag(self, dataset: str, name: str, version: int | str) -> Name:
        """Give a version a name that never moves."""
        document: Name = self._transport.post(
            f"/datasets/{segment(dataset)}/tags", {"name": name, "version": version}
        ).json()
        return document

    def alias(self, dataset: str, alias: str, version: int | str, *, protected: bool | None = None) -> Name:
        """Give a version a name that may move to another; only owners move a protected alias."""
        body = {"alias": alias, "version": version, "protected": protected}
        document: Name = self._transport.post(f"/datasets/{segment(dataset)}/aliases", body).json()
        return document

    def fork(self, dataset: str, name: str, version: int | str = "head", *, description: str | None = None) -> Dataset:
        """Create a dataset that begins as a version of this one; no bytes and no rows are copied."""
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
        """Commit what `other` changed since the two datasets diverged. Raises `merge_conflict` (409) with the keys that
        both changed, unless you prefer one side."""
        body = {"from": other, "version": version, "message": message, "prefer": prefer}
        document: Commit = self._transport.post(f"/datasets/{segment(dataset)}/merges", body).json()
        return document
