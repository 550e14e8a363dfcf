"""Reading a lake: counts, pages of frames by key, one frame. A page reads a group or two, however large the lake."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from django.core import signing
from django.db.models import Count, Exists, OuterRef, QuerySet, Sum

from blobs.keys import pack_key
from blobs.refs import BlobRef
from blobs.services import store
from catalog.models import Dataset, OpenWrite, Revision, Sample
from core.errors import Invalid, NotFound
from core.list_parameters import listed
from lake import Condition, Found, LakeError, condition, lacking, matching, place_of, read_group
from lake.groups import FRAME, found
from lakes.models import LakeGroup, LakePart, LakeScan

GROUPS_OF_A_PAGE = 8
"""Most groups that a page reads: where few frames pass the conditions it is cut short, and `next` continues after
it."""
LAST_CHARACTER = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Asked:
    """Which frames are wanted: those whose keys begin with `prefix` and that pass the conditions."""

    prefix: str = ""
    where: tuple[Condition, ...] = ()

    def groups(self, dataset: Dataset) -> QuerySet[LakeGroup]:
        """Return the groups that may hold wanted frames, in the order of their keys."""
        rows = LakeGroup.objects.filter(dataset=dataset)
        if self.prefix:
            rows = rows.filter(last__gte=self.prefix.encode(), first__lt=(self.prefix + LAST_CHARACTER).encode())
        return rows.order_by("last")

    def rows(self, table: pa.Table) -> np.ndarray[Any, np.dtype[np.intp]]:
        """Return the wanted rows of a group's table, which has the keys and the columns of the conditions."""
        return np.flatnonzero(self._begun(table, matching(table, self.where)))

    def unknown(self, table: pa.Table) -> int:
        """Count the rows that lack a value which a condition compares, so that nobody knows whether they are wanted."""
        return int(self._begun(table, lacking(table, self.where)).sum())

    def _begun(self, table: pa.Table, rows: np.ndarray[Any, np.dtype[np.bool_]]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        if self.prefix:
            rows[: place_of(table["key"], self.prefix)] = False
            rows[place_of(table["key"], self.prefix + LAST_CHARACTER) :] = False
        return rows

    @property
    def columns(self) -> list[str]:
        """The columns that `rows` reads."""
        return list(dict.fromkeys(["key", *(one.column for one in self.where)]))


def columns_of(dataset: Dataset) -> dict[str, str]:
    """Return the metadata columns of all parts, with the words for their types. Parts agree on them (`lakes.parts`)."""
    known: dict[str, str] = {}
    for columns in LakePart.objects.filter(dataset=dataset).order_by("pk").values_list("columns", flat=True):
        known |= columns
    return known


def asked(dataset: Dataset, prefix: str, where: Sequence[str]) -> Asked:
    """Parse the prefix and conditions of a request. Raises Invalid (`where`)."""
    try:
        known = columns_of(dataset) if where else {}
        return Asked(prefix, tuple(condition(text, known) for text in where))
    except LakeError as fault:
        raise Invalid.field("where", str(fault), code="condition_invalid") from fault


def table_of(group: LakeGroup, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the frames of a group: all columns, or those of `columns` that it has."""
    data = store().get(group.blob.ref)
    if columns is None:
        return read_group(data)
    return read_group(data, [name for name in columns if name in FRAME.names or name in group.part.columns])


def page(dataset: Dataset, wanted: Asked, *, after: str, limit: int) -> tuple[list[Found], str | None]:
    """Return at most `limit` frames after a key, and the key to continue after, None at the end."""
    rows = wanted.groups(dataset).select_related("blob", "part")
    if after:
        rows = rows.filter(last__gt=after.encode())
    frames: list[Found] = []
    for looked, group in enumerate(rows[: GROUPS_OF_A_PAGE + 1].iterator(chunk_size=1)):
        if looked == GROUPS_OF_A_PAGE:
            return frames, after
        table = table_of(group)
        places = wanted.rows(table)
        places = places[places >= place_of(table["key"], after, behind=True)] if after else places
        frames += found(table, places[: limit + 1 - len(frames)])
        if len(frames) > limit:
            return frames[:limit], frames[limit - 1].key
        after = bytes(group.last).decode()
    return frames, None


def frame_of(dataset: Dataset, key: str) -> Found:
    """Return the frame of a key. Raises NotFound."""
    encoded = key.encode()
    group = LakeGroup.objects.filter(dataset=dataset, last__gte=encoded).select_related("blob", "part").order_by("last")
    if (there := group.first()) is not None and bytes(there.first) <= encoded:
        table = table_of(there)
        row = place_of(table["key"], key)
        if table["key"][row].as_py() == key:
            return found(table, [row])[0]
    raise NotFound(f"The lake of {dataset.name!r} has no frame {key!r}.", code="frame_unknown")


def ref_of(frame: Found) -> BlobRef:
    """Return the reference to the bytes of a frame."""
    return BlobRef(frame.md5, frame.sha256, frame.size, pack_key(frame.pack), frame.offset)


def address_of(dataset: Dataset, frame: Found) -> str:
    """Return a signed word with the place of a frame's bytes, so that showing them reads no group."""
    place = [frame.md5, frame.sha256, frame.size, frame.pack, frame.offset]
    return signing.dumps(place, salt=f"lake {dataset.pk}", compress=True)


def bytes_at(dataset: Dataset, word: str) -> tuple[str, bytes]:
    """Return the md5 of a frame and its bytes, verified. Raises NotFound for a word that was not made for this
    dataset."""
    try:
        md5, sha256, size, pack, offset = signing.loads(word, salt=f"lake {dataset.pk}")
    except (signing.BadSignature, ValueError) as fault:
        raise NotFound("There is no such frame: follow its `url` as it was given.", code="frame_unknown") from fault
    return md5, store().get(BlobRef(md5, sha256, size, pack_key(pack), offset))


def counts_of(dataset: Dataset) -> dict[str, int]:
    """Return `{parts, groups, frames, bytes, packs, brought_in}` of a lake. `brought_in` frames are samples by now."""
    parts = LakePart.objects.filter(dataset=dataset)
    told = parts.aggregate(parts=Count("pk"), frames=Sum("rows"), bytes=Sum("bytes"))
    groups = LakeGroup.objects.filter(dataset=dataset)
    packs = parts.aggregate(packs=Count("packs__object", distinct=True))
    counted = {name: value or 0 for name, value in (told | packs).items()}
    return counted | {"groups": groups.count(), "brought_in": brought_in(dataset)}


def brought_in(dataset: Dataset) -> int:
    """Count the frames that scans have made samples of."""
    done = LakeScan.objects.filter(dataset=dataset).exclude(mining=None)
    return int(done.aggregate(n=Count("mining__picks"))["n"] or 0)


def samples_among(dataset: Dataset, keys: Sequence[str]) -> set[str]:
    """Filter the keys to those that are samples of the dataset, or were."""
    rows = Sample.objects.filter(dataset__in=[dataset.pk, *(origin for origin, _ in dataset.ancestry)])
    if OpenWrite.objects.filter(dataset=dataset).exists():
        rows = rows.filter(Exists(Revision.objects.committed().filter(sample=OuterRef("pk"))))
    few = list(rows.values_list("key", flat=True)[: len(keys) // 4 + 1])
    if len(few) <= len(keys) // 4:  # reading all keys is cheaper than looking each one up
        return set(few).intersection(keys)
    return set(rows.filter(key__in=listed(list(keys))).values_list("key", flat=True))


def labelled_among(dataset: Dataset, digests: Collection[str]) -> set[str]:
    """Filter md5s to those of labelled samples of the dataset's head."""
    if dataset.head is None:
        return set()
    rows = dataset.head.revisions.exclude(label=None)
    if dataset.head.counts["labelled"] <= len(digests):  # reading all is cheaper than looking each one up
        return set(rows.values_list("blob__md5", flat=True)).intersection(digests)
    return set(rows.filter(blob__md5__in=listed(sorted(digests))).values_list("blob__md5", flat=True))


def parts_of(dataset: Dataset) -> QuerySet[LakePart]:
    """Return the parts of a lake, with what their documents show."""
    rows = LakePart.objects.filter(dataset=dataset).select_related("job", "created_by")
    return rows.annotate(group_count=Count("groups", distinct=True), pack_count=Count("packs", distinct=True))


def each_frame(table: pa.Table, rows: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield manifest lines (`worker_programs.manifest`) of these rows of a group."""
    for one in found(table.select(FRAME.names), rows):
        yield {"key": one.key, "md5": one.md5, "sha256": one.sha256, "size": one.size, "object": pack_key(one.pack),
               "offset": one.offset, "label": None, "width": one.width, "height": one.height}  # fmt: skip
