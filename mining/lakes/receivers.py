"""What happens to lakes when samples are erased."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from django.dispatch import receiver

from blobs.keys import pack_key
from blobs.models import Remnant, StoredObject
from blobs.services import keep_bytes
from catalog.models import Sample
from catalog.signals import samples_erased
from lake import write_group
from lake.groups import found
from lakes.models import GroupScores, LakeGroup, LakePart, ScanKept
from lakes.parts import PARQUET
from lakes.reading import table_of


@receiver(samples_erased)
def forget_frames(samples: Sequence[int], digests: Sequence[str], counted: Counter[str], **_: Any) -> set[str]:
    """Remove frames with the keys or the bytes of erased samples from the lakes of their datasets, and count them: the
    groups that hold them are rewritten. Returns the md5s of the groups' old files and of their score files. The frames'
    bytes in packs are overwritten with those of the samples."""
    keys: dict[int, set[str]] = defaultdict(set)
    for dataset, key in Sample.objects.filter(pk__in=samples).values_list("dataset", "key"):
        keys[dataset].add(key)
    gone: set[str] = set()
    for dataset, named in keys.items():
        for group in LakeGroup.objects.filter(dataset=dataset).select_related("blob", "part").iterator(chunk_size=16):
            gone |= _without(group, named, digests, counted)
        _tidy(dataset)
    return gone


def _without(group: LakeGroup, keys: set[str], digests: Sequence[str], counted: Counter[str]) -> set[str]:
    looked = table_of(group, ["key", "md5"])
    md5 = pa.array([bytes.fromhex(one) for one in digests], looked["md5"].type)
    out = pc.or_(pc.is_in(looked["key"], pa.array(sorted(keys))), pc.is_in(looked["md5"], md5))
    rows = np.flatnonzero(out.combine_chunks().to_numpy(zero_copy_only=False))
    if not len(rows):
        return set()
    counted["lake_frames"] += len(rows)
    table = table_of(group)
    _note_remnants(table, rows.tolist())
    old = {group.blob.md5, *GroupScores.objects.filter(group=group).values_list("blob__md5", flat=True)}
    GroupScores.objects.filter(group=group).delete()
    ScanKept.objects.filter(group=group).delete()  # its rows have changed: a running scan picks none of them
    left = table.filter(pc.invert(out))
    part = LakePart.objects.select_for_update().get(pk=group.part_id)
    part.rows -= len(rows)
    part.bytes -= sum(one.size for one in found(table, rows))
    part.save(update_fields=["rows", "bytes"])
    if not left.num_rows:
        group.delete()
        return old
    group.blob = keep_bytes(write_group(left), media_type=PARQUET)
    group.rows = left.num_rows
    group.first, group.last = left["key"][0].as_py().encode(), left["key"][-1].as_py().encode()
    group.save(update_fields=["blob", "rows", "first", "last"])
    return old


def _note_remnants(table: pa.Table, rows: Sequence[int]) -> None:
    """Record where the bytes of these frames lie, so that they are found in every pack."""
    frames = found(table, rows)
    objects = dict(StoredObject.objects.filter(key__in={pack_key(one.pack) for one in frames}).values_list("key", "pk"))
    remnants = (
        Remnant(object_id=objects[pack_key(one.pack)], md5=one.md5, offset=one.offset, size=one.size)
        for one in frames
        if pack_key(one.pack) in objects
    )
    Remnant.objects.bulk_create(remnants, ignore_conflicts=True)


def _tidy(dataset: int) -> None:
    """Set the first and last keys of parts to those of their groups, and delete empty parts."""
    for part in LakePart.objects.filter(dataset=dataset):
        first, last = part.groups.order_by("last").first(), part.groups.order_by("last").last()
        if first is None or last is None:
            part.delete()
        else:
            LakePart.objects.filter(pk=part.pk).update(first=first.first, last=last.last)
