"""Copies among the samples of a queue: of the same bytes one is asked about, and none that is labelled already."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from catalog.models import Version
from catalog.reading.labelled_bytes import of_labelled_bytes
from core.list_parameters import listed


@dataclass(frozen=True, slots=True)
class Distinct:
    """Samples with different bytes, in their order, and those left out: `same_bytes` of another one, or `labelled`,
    unlabelled copies of labelled samples of the dataset."""

    ids: list[int]
    same_bytes: list[int] = field(default_factory=list)
    labelled: list[int] = field(default_factory=list)

    @property
    def left_out(self) -> dict[str, int]:
        """The counts as the API shows them."""
        return {"same_bytes": len(self.same_bytes), "labelled": len(self.labelled)}


def distinct(version: Version, ids: Sequence[int], *, there: Iterable[int] = ()) -> Distinct:
    """Return the samples of a version without copies of each other, of the samples `there`, and of labelled ones."""
    blobs = blobs_of(version, ids)
    among = version.revisions.filter(sample__in=listed(list(ids)))
    answered = set(of_labelled_bytes(among, version).values_list("sample_id", flat=True))
    held = set(blobs_of(version, list(there)).values())
    found = Distinct([])
    for pk in ids:
        if pk in answered:
            found.labelled.append(pk)
        elif blobs.get(pk) in held:
            found.same_bytes.append(pk)
        else:
            found.ids.append(pk)
            held.add(blobs.get(pk, -pk))
    return found


def blobs_of(version: Version, ids: Collection[int]) -> dict[int, int]:
    """Map samples of a version to the blobs of their images."""
    rows = version.revisions.filter(sample__in=listed(list(ids)))
    return dict(rows.values_list("sample_id", "blob_id"))
