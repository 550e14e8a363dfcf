"""Images of a commit whose exact bytes another sample has: they are counted and reported, but still accepted."""

from collections.abc import Iterable, Sequence

from catalog.changes.duplicate_pairs import ExactDuplicates
from catalog.models import Revision, Version
from core.list_parameters import listed

Change = tuple[Revision | None, Revision | None]  # the revision before, the revision after


def exact_duplicates(head: Version | None, changes: Sequence[Change]) -> ExactDuplicates:
    """Find the exact duplicates among the images that the changes add."""
    found = ExactDuplicates()
    brought = [after for before, after in changes if after and (before is None or before.blob.md5 != after.blob.md5)]
    replaced = {before.sample_id for before, after in changes if before and (not after or _differ(before, after))}
    there = _there(head, (row.blob.pk for row in brought if row.blob.pk), replaced)
    first: dict[str, str] = {}
    for row in brought:
        md5, key = row.blob.md5, row.sample.key
        if md5 in there:
            found.in_dataset += 1
            found.add(key, there[md5])
        elif md5 in first:
            found.in_commit += 1
            found.add(key, first[md5])
        else:
            first[md5] = key
    return found


def _differ(before: Revision, after: Revision) -> bool:
    return before.blob.md5 != after.blob.md5


def _there(head: Version | None, blobs: Iterable[int], replaced: set[int]) -> dict[str, str]:
    """Map md5s to the key of a sample of the head that has these bytes and keeps them. Bytes without a row are new."""
    if head is None:
        return {}
    rows = head.revisions.filter(blob__in=listed(list(blobs))).order_by("-sample_id")
    facts = rows.values_list("sample_id", "sample__key", "blob__md5")
    return {md5: key for sample, key, md5 in facts if sample not in replaced}
