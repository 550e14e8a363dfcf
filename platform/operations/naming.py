"""Find the objects of the bucket that a snapshot of the database names, and their expected contents."""

from collections.abc import Iterator

from django.db.models import Exists, OuterRef

from blobs.keys import is_pack, pack_sha256
from blobs.models import Blob, StoredObject
from blobs.references import unused
from operations.catalogue import Catalogue, Wanted

PAGE = 1000
CLOSED = StoredObject.State.CLOSED


def note_wanted(alias: str, catalogue: Catalogue) -> None:
    """Record all objects that are in the bucket according to the snapshot, needed or not yet: uploads that a later
    commit will name count as well."""
    catalogue.begin()
    for page in _pages(alias):
        digests = _digests(alias, [row.key for row in page])
        idle = set(unused(StoredObject.objects.using(alias).filter(pk__in=[row.pk for row in page]))
                   .values_list("key", flat=True))  # fmt: skip
        catalogue.want(
            Wanted(row.key, row.size, digests.get(row.key, ""), _is_needed(row, idle), _may_change(row)) for row in page
        )
        closed = [row.key for row in page if row.state == CLOSED]
        members = Blob.objects.using(alias).filter(key__in=closed)
        catalogue.want_members(members.values_list("key", "offset", "size", "sha256"))
    for blobs in _past_the_ledger(alias):
        keys = {blob.key: blob for blob in blobs}
        digests = _digests(alias, list(keys))
        catalogue.want(Wanted(key, blob.offset + blob.size, digests[key], needed=True, changing=False)
                       for key, blob in keys.items())  # fmt: skip
    catalogue.save()


def _is_needed(row: StoredObject, idle: set[str]) -> bool:
    """Whether the platform needs the object, also if only to blank parts: a collection after a restore overwrites
    these."""
    return row.key not in idle or bool(row.blanks)


def _may_change(row: StoredObject) -> bool:
    """Whether the object may change: an erasure overwrites parts of a closed pack, and a client its direct upload."""
    return row.state == CLOSED or row.key.startswith("tmp/")


def _pages(alias: str) -> Iterator[list[StoredObject]]:
    rows = StoredObject.objects.using(alias).exclude(state=StoredObject.State.GONE).order_by("pk")
    last = 0
    while page := list(rows.filter(pk__gt=last)[:PAGE]):
        yield page
        last = page[-1].pk


def _past_the_ledger(alias: str) -> Iterator[list[Blob]]:
    """Yield blobs in objects that are not in the ledger: another program put them there."""
    known = StoredObject.objects.filter(key=OuterRef("key"))
    rows = Blob.objects.using(alias).filter(~Exists(known)).exclude(key__startswith="links/").order_by("pk")
    last = 0
    while page := list(rows.filter(pk__gt=last)[:PAGE]):
        yield page
        last = page[-1].pk


def _digests(alias: str, keys: list[str]) -> dict[str, str]:
    """Return the expected sha256 of each object, if the snapshot has it."""
    found = {key: pack_sha256(key) for key in keys if is_pack(key)}
    of_blob = {key: key.removesuffix(".dir")[len("files/md5/") :].replace("/", "") for key in keys
               if key.startswith("files/md5/")}  # fmt: skip
    rows = Blob.objects.using(alias).filter(md5__in=set(of_blob.values())).values_list("md5", "sha256")
    by_md5 = dict(rows)
    return found | {key: by_md5.get(md5, "") for key, md5 in of_blob.items()}
