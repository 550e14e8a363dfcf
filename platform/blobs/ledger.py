"""The ledger of the bucket: every object is entered before it is written, so that the bucket never has to be listed.

An object's row outlives the object (as `gone`), because a delete request may still arrive that a frozen process sent
long ago: while the row says closed or gone, nobody writes under that key. The same bytes are then stored under a key
that was never used (see `BlobStore.place`).
"""

from collections.abc import Iterable, Mapping

from django.db.models.functions import Now

from blobs.models import Blob, Remnant, StoredObject
from blobs.refs import BlobRef
from core.errors import Unavailable

CHUNK = 500


def enter(key: str, size: int) -> bool:
    """Record that `size` bytes are about to be written under `key`, or used where they already are.

    Returns False if the object of this key is being removed: then you must not write it. Call it outside a transaction:
    the row has to exist before the object does.
    """
    StoredObject.objects.bulk_create([StoredObject(key=key, size=size)], ignore_conflicts=True)
    return StoredObject.objects.present().filter(key=key).update(written=Now()) == 1


def enter_copies(sizes: Mapping[str, int]) -> None:
    """Enter objects that are only copies, under keys that DVC looks for. A key that is gone is used again: if a late
    delete request removes the copy, it can be put again.

    Raises Unavailable (`bytes_collected`) while one of them is being removed: try again later.
    """
    adopt(sizes)
    keys = list(sizes)
    for start in range(0, len(keys), CHUNK):
        rows = StoredObject.objects.filter(key__in=keys[start : start + CHUNK])
        rows.filter(state=StoredObject.State.GONE).update(state=StoredObject.State.PRESENT, closed=None, moved=False)
        if rows.present().update(written=Now()) < len(keys[start : start + CHUNK]):
            raise Unavailable("Copies of these bytes are being removed just now.", code="bytes_collected")


def hold(blobs: Iterable[Blob]) -> None:
    """Keep the objects of these blobs unchanged until the transaction ends; call it inside the one that makes their
    rows.

    An object the ledger does not know (another program put it there) is entered. Raises Unavailable (`bytes_collected`)
    if one of them was closed since its bytes were put there: they must be sent again.
    """
    sizes: dict[str, int] = {}
    for blob in blobs:
        if blob.ref.linked:  # its bytes are somebody else's
            continue
        sizes[blob.key] = max(sizes.get(blob.key, 0), blob.offset + blob.size)
    hold_objects(sizes)


def hold_objects(sizes: Mapping[str, int]) -> None:
    """Keep objects unchanged as `hold` does; `sizes` maps their keys to the least number of bytes of each."""
    keys = sorted(sizes)  # all in one order, so that two writers can't lock each other out
    for start in range(0, len(keys), CHUNK):
        _hold({key: sizes[key] for key in keys[start : start + CHUNK]})


def adopt(sizes: Mapping[str, int]) -> None:
    """Enter objects that are in the bucket already, if the ledger does not know them."""
    rows = [StoredObject(key=key, size=size) for key, size in sizes.items()]
    StoredObject.objects.bulk_create(rows, ignore_conflicts=True, batch_size=CHUNK)


def leave_behind(places: Iterable[BlobRef]) -> None:
    """Record bytes in packs that no blob's row refers to any more. (An object with one blob is removed whole.)"""
    parts = [ref for ref in places if ref.packed]
    ids: dict[str, int] = {}
    keys = sorted({ref.key for ref in parts})
    for start in range(0, len(keys), CHUNK):
        found = StoredObject.objects.filter(key__in=keys[start : start + CHUNK])
        ids |= dict(found.values_list("key", "pk"))
    rows = [Remnant(object_id=ids[ref.key], md5=ref.md5, offset=ref.offset, size=ref.size) for ref in parts]
    Remnant.objects.bulk_create(rows, ignore_conflicts=True, batch_size=CHUNK)


def _hold(sizes: Mapping[str, int]) -> None:
    states = _locked(sizes)
    if len(states) < len(sizes):
        adopt({key: size for key, size in sizes.items() if key not in states})
        states = _locked(sizes)
    if lost := [key for key, state in states.items() if state != StoredObject.State.PRESENT]:
        raise Unavailable(
            f"The bytes under {lost[0]} were taken away while this was under way: send them again.",
            code="bytes_collected",
        )


def _locked(keys: Iterable[str]) -> dict[str, str]:
    rows = StoredObject.objects.filter(key__in=list(keys)).select_for_update(no_key=True).order_by("key")
    return dict(rows.values_list("key", "state"))
