"""Tags: the texts in the list `tags` of a sample's metadata, which filters know as `tag`."""

from collections.abc import Iterator, Sequence
from typing import Any

from accounts.models import User
from catalog.changes.plan import CommitResult
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.filtering.filters import Filter
from catalog.intake.ingest import Terms
from catalog.intake.listings import queue_lines
from catalog.models import Dataset, Version
from catalog.versions.datasets import find_version
from catalog.versions.pieces import commit_in_pieces
from core.errors import Invalid
from jobs.models import Job

TAGS = "tags"
AT_ONCE = 5000
"""A job tags more samples than this."""
MAX_TAG = 100


def change_tags(
    dataset: Dataset,
    chosen: Filter,
    *,
    add: Sequence[str],
    remove: Sequence[str],
    author: User,
    message: str = "",
    parent: int | None = None,
) -> CommitResult | Job:
    """Add tags to the samples of the head that pass, and remove tags, or return a job that does (the caller wakes it)
    if many samples change.

    Raises Invalid (add, remove, filter) and Conflict (`stale_parent`).
    """
    for name, tags in (("add", add), ("remove", remove)):
        if faulty := [tag for tag in tags if not tag.strip() or len(tag) > MAX_TAG or not tag.isprintable()]:
            raise Invalid.field(name, f"{faulty[0]!r} is not a tag: 1 to {MAX_TAG} printable characters")
    if not add and not remove:
        raise Invalid.field("add", "name a tag to add, or one to remove in `remove`")
    if both := set(add) & set(remove):
        raise Invalid.field("remove", f"{min(both)!r} is in `add` as well")
    head = find_version(dataset, "head")
    changes = list(_changed(chosen, head, add, remove))
    words = [f"+{tag}" for tag in add] + [f"-{tag}" for tag in remove]
    message = message or f"Tags {', '.join(words)}"[:500]
    if len(changes) > AT_ONCE:
        lines = ({"key": key, "meta": meta} for key, meta in changes)
        return queue_lines(dataset, lines, Terms(message=message, parent=parent), author=author)
    samples = [SampleChange(key, meta=meta, author_id=author.pk) for key, meta in changes]
    return commit_in_pieces(dataset, ChangeSet(samples, message=message, parent=parent), author=author)


def _changed(
    chosen: Filter, head: Version, add: Sequence[str], remove: Sequence[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The keys of the samples whose tags change, with the change to their metadata."""
    rows = chosen.apply(head.revisions).order_by("sample_id")
    for key, meta in rows.values_list("sample__key", "meta").iterator(chunk_size=AT_ONCE):
        held = meta.get(TAGS, [])
        held = held if isinstance(held, list) else []
        tags = [tag for tag in [*held, *(tag for tag in add if tag not in held)] if tag not in remove]
        if tags != held:
            yield key, {TAGS: tags}
