"""`/datasets/{id}/edits` and `reverts`: changing many samples of the head at once, and reverting a version."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from motherlode.resources.filters import Filter
from motherlode.resources.jobs import Jobs
from motherlode.transport import Transport, segment

if TYPE_CHECKING:
    from motherlode.documents import Commit, EditPreview, LiveJob

OnProgress = Callable[["LiveJob"], None]


class Edits:
    def __init__(self, transport: Transport, jobs: Jobs) -> None:
        self._transport = transport
        self._jobs = jobs

    def preview(
        self,
        dataset: str,
        chosen: Filter,
        *,
        label: Mapping[str, Any] | None = None,
        clear: bool = False,
        add_classes: Sequence[str] = (),
        remove_classes: Sequence[str] = (),
        split: str | None = None,
        remove: bool = False,
    ) -> EditPreview:
        """Return what `commit` would do now: how many samples change, from what, and which can't."""
        body = _body(chosen, label, split, add_classes, remove_classes, clear=clear, remove=remove)
        document: EditPreview = self._transport.post(
            f"/datasets/{segment(dataset)}/edits/preview", body, keyed=False
        ).json()
        return document

    def commit(
        self,
        dataset: str,
        chosen: Filter,
        *,
        label: Mapping[str, Any] | None = None,
        clear: bool = False,
        add_classes: Sequence[str] = (),
        remove_classes: Sequence[str] = (),
        split: str | None = None,
        remove: bool = False,
        message: str = "",
        parent: int | None = None,
        strict: bool = False,
        on_progress: OnProgress | None = None,
    ) -> Commit:
        """Give the samples of the head that pass the filter a label (`clear`: remove it), a split or both, or remove
        them, and wait until it is done. Where a label is a list of classes, `add_classes` and `remove_classes` change
        each label. With `parent`, raises `stale_parent` (409) once another version is the head; with `strict`, raises
        `not_all_accepted` (400) if one of the samples can't be changed like this."""
        body = _body(chosen, label, split, add_classes, remove_classes, clear=clear, remove=remove) | {
            "message": message,
            "parent": parent,
            "strict": strict,
        }
        return self._jobs.commit_of(self._transport.post(f"/datasets/{segment(dataset)}/edits", body), on_progress)

    def revert(
        self, dataset: str, version: int | str, *, message: str = "", on_progress: OnProgress | None = None
    ) -> Commit:
        """Revert what a version changed, and wait until it is done. Raises `changed_since` (409) if a later version
        changed one of its samples again."""
        body = {"version": str(version), "message": message}
        return self._jobs.commit_of(self._transport.post(f"/datasets/{segment(dataset)}/reverts", body), on_progress)


def _body(
    chosen: Filter,
    label: Mapping[str, Any] | None,
    split: str | None,
    add_classes: Sequence[str],
    remove_classes: Sequence[str],
    *,
    clear: bool,
    remove: bool,
) -> dict[str, Any]:
    told: dict[str, Any] = {"label": label, "split": split, "clear": clear or None}
    told |= {"add_classes": list(add_classes) or None, "remove_classes": list(remove_classes) or None}
    return {"filter": chosen, "remove": remove} | {name: value for name, value in told.items() if value is not None}
