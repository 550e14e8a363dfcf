"""`/datasets/{id}/filters`, `slices`, `sample-tags` and statistics: select samples and describe the selection."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from motherlode.resources.jobs import Jobs
from motherlode.transport import Transport, segment

if TYPE_CHECKING:
    from motherlode.documents import CheckedFilter, Commit, LiveJob, Slice, Statistics, Vocabulary


Filter = str | Mapping[str, Any]
"""A filter as text, like `split = train and boxes >= 10`, or as JSON; docs/howto/splits-and-slices.md has both
forms."""


def as_parameter(chosen: Filter | None) -> str | None:
    """Format a filter as a query parameter."""
    return chosen if chosen is None or isinstance(chosen, str) else json.dumps(chosen)


def both(slice_name: str | None, chosen: str | None) -> str | None:
    """Combine a slice and a filter into one filter, as text: both must pass."""
    parts = [f"slice = {json.dumps(slice_name, ensure_ascii=False)}"] if slice_name else []
    parts += [f"({chosen})" if parts else chosen] if chosen else []
    return " and ".join(parts) or None


class Filters:
    def __init__(self, transport: Transport, jobs: Jobs) -> None:
        self._transport = transport
        self._jobs = jobs

    def check(self, dataset: str, chosen: Filter, version: int | str = "head") -> CheckedFilter:
        """Return a filter in both of its forms, and how many samples pass. Raises `filter_malformed`, which has a
        `position`."""
        body = {"filter": chosen, "version": str(version)}
        document: CheckedFilter = self._transport.post(
            f"/datasets/{segment(dataset)}/filters", body, keyed=False
        ).json()
        return document

    def vocabulary(self, dataset: str) -> Vocabulary:
        """Return the fields and values that a filter of this dataset can use."""
        document: Vocabulary = self._transport.get(f"/datasets/{segment(dataset)}/filters")
        return document

    def statistics(self, dataset: str, version: int | str = "head", *, chosen: Filter | None = None) -> Statistics:
        """Return the counts of classes by split, and of labels' objects: number per image, sizes, shapes,
        attributes."""
        path = f"/datasets/{segment(dataset)}/versions/{segment(version)}/statistics"
        document: Statistics = self._transport.get(path, filter=as_parameter(chosen))
        return document

    def slices(self, dataset: str) -> Iterator[Slice]:
        """List the saved filters, the newest first."""
        return self._transport.pages(f"/datasets/{segment(dataset)}/slices")

    def save(self, dataset: str, name: str, chosen: Filter) -> Slice:
        """Save a filter under a name. Raises `name_taken` (409)."""
        body = {"name": name, "filter": chosen}
        document: Slice = self._transport.post(f"/datasets/{segment(dataset)}/slices", body).json()
        return document

    def change(self, dataset: str, name: str, *, to: str | None = None, chosen: Filter | None = None) -> Slice:
        """Set the filter of a slice, rename it to `to`, or both. Raises `slice_in_use` (409) for a new name while gates
        or pipelines use the slice."""
        told = {"name": to, "filter": chosen}
        body = {name: value for name, value in told.items() if value is not None}
        document: Slice = self._transport.put(f"/datasets/{segment(dataset)}/slices/{segment(name)}", body)
        return document

    def remove(self, dataset: str, name: str) -> None:
        """Delete a slice. Raises `slice_in_use` (409) while gates or pipelines use it."""
        self._transport.delete(f"/datasets/{segment(dataset)}/slices/{segment(name)}")

    def tag(
        self,
        dataset: str,
        chosen: Filter,
        *,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
        on_progress: Callable[[LiveJob], None] | None = None,
    ) -> Commit:
        """Commit tags to the samples of the head that pass the filter, and wait until it is done."""
        body = {"filter": chosen, "add": list(add), "remove": list(remove)}
        return self._jobs.commit_of(
            self._transport.post(f"/datasets/{segment(dataset)}/sample-tags", body), on_progress
        )
