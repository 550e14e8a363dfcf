"""Compare the bucket with the rows: missing objects, objects without a row, and damaged blobs."""

import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.db.models import Max, QuerySet

from blobs.bucket import Bucket
from blobs.errors import BlobCorrupt, BlobFault, BlobMissing
from blobs.models import Blob, StoredObject
from blobs.references import unused
from blobs.refs import BlobRef
from blobs.services import chunks
from blobs.settings import StoreConfig
from blobs.store import BlobStore
from operations.doctor.findings import Finding, Tally
from operations.listing import Listing
from operations.progress import Progress

PAGE = 1000
SAMPLED = 300
RUN = 15
LARGE_BYTES = 16 << 20

RESTORE_THEM = "Restore them from a backup of the bucket; where there is none, upload the same files again."


def presence(progress: Progress) -> list[Finding]:
    """Find objects that are missing or too short, and objects without a row."""
    bucket = Bucket(StoreConfig.from_env())
    with tempfile.TemporaryDirectory() as scratch, Listing(Path(scratch)) as listing:
        with progress.step("Listing the bucket"):
            listing.fill(bucket.listed())
        with progress.step("Comparing"):
            return _missing(bucket, listing) + _orphaned(listing)


def _missing(bucket: Bucket, listing: Listing) -> list[Finding]:
    found = Tally()
    for keys in _needed():
        for key, end in keys.items():
            size = listing.size(key)
            if (size is None or size < end) and not _arrived(bucket, key, end):
                found.add(key)
    words = "Objects that blobs lie in are missing from the object store, or too short."
    return found.finding("missing", words, RESTORE_THEM)


def _needed() -> Iterator[dict[str, int]]:
    """Yield the objects that must exist, as dicts of key to smallest allowed size."""
    rows = StoredObject.objects.exclude(state=StoredObject.State.GONE).order_by("pk")
    last = 0
    while page := list(rows.filter(pk__gt=last)[:PAGE]):
        last = page[-1].pk
        idle = set(unused(rows.filter(pk__in=[row.pk for row in page])).values_list("key", flat=True))
        yield _ends([row.key for row in page if row.key not in idle])
    for keys in chunks(_past_the_ledger()):
        yield _ends(keys)


def _ends(keys: list[str]) -> dict[str, int]:
    rows = Blob.objects.filter(key__in=keys).values_list("key", "offset", "size")
    ends = dict.fromkeys(keys, 0)
    for key, offset, size in rows:
        ends[key] = max(ends[key], offset + size)
    return ends


def _past_the_ledger() -> Iterator[str]:
    known = StoredObject.objects.values("key")
    rows = Blob.objects.exclude(key__startswith="links/").exclude(key__in=known)
    yield from rows.values_list("key", flat=True).distinct().iterator(chunk_size=PAGE)


def _arrived(bucket: Bucket, key: str, end: int) -> bool:
    """Whether the object was written after the listing, or nothing needs it any more."""
    there = bucket.head(key)
    if there is not None and there.size >= end:
        return True
    row = StoredObject.objects.filter(key=key)
    gone = unused(row).exists() or row.filter(state=StoredObject.State.GONE).exists()
    return gone and not Blob.objects.filter(key=key).exists()


def _orphaned(listing: Listing) -> list[Finding]:
    """Find listed objects without a row. (A row is made before its object, and deleted a week after it.)"""
    found = Tally()
    for keys in listing.pages():
        known = set(StoredObject.objects.filter(key__in=keys).values_list("key", flat=True))
        known |= set(Blob.objects.filter(key__in=keys).values_list("key", flat=True))
        for key in keys:
            if key not in known:
                found.add(key)
    words = "Objects lie in the bucket that no row knows: another program put them there, or a former platform."
    remedy = "Once you know whose they are, remove them with your store's tools. The platform leaves them alone."
    return found.finding("orphaned", words, remedy)


def content(progress: Progress, *, everything: bool) -> tuple[list[Finding], int]:
    """Find damaged blobs, and return how many were read: all, or some at random places."""
    store = BlobStore(StoreConfig.from_env())  # without this machine's cache
    found, looked = Tally(), 0
    total = Blob.objects.count() if everything else min(SAMPLED, Blob.objects.count())
    with progress.step("Reading blobs") as step:
        for page in _all_blobs() if everything else _some_blobs():
            for blob in _spoilt(store, page):
                found.add(f"{blob.md5} at {blob.key}+{blob.offset}")
            looked += len(page)
            step.show(looked, total)
    words = "Blobs are not the bytes that were stored (their sha256 says so)."
    return found.finding("corrupt", words, RESTORE_THEM), looked


def _spoilt(store: BlobStore, blobs: list[Blob]) -> Iterator[Blob]:
    """Yield the blobs whose bytes do not verify; missing ones are another finding."""
    small = {blob.md5: blob for blob in blobs if blob.size <= LARGE_BYTES}
    bad: list[str] = []

    def note(ref: BlobRef, fault: BlobFault) -> None:
        if isinstance(fault, BlobCorrupt):
            bad.append(ref.md5)

    for _ in store.get_many([blob.ref for blob in small.values()], on_error=note):
        pass
    yield from (small[md5] for md5 in bad)
    for blob in blobs:
        if blob.md5 not in small:
            try:
                for _ in store.open(blob.ref):
                    pass
            except BlobCorrupt:
                yield blob
            except BlobMissing:
                continue


def _own() -> QuerySet[Blob]:
    """Return the blobs that the platform itself stores, without those that link to other buckets."""
    return Blob.objects.exclude(key__startswith="links/")


def _all_blobs() -> Iterator[list[Blob]]:
    last = 0
    while page := list(_own().filter(pk__gt=last).order_by("pk")[:PAGE]):
        last = page[-1].pk
        yield sorted(page, key=lambda blob: (blob.key, blob.offset))


def _some_blobs() -> Iterator[list[Blob]]:
    """Yield runs of neighbouring rows from random places, which the index finds quickly in a table of any size."""
    top = Blob.objects.aggregate(top=Max("pk"))["top"] or 0
    if _own().count() <= SAMPLED:
        yield from _all_blobs()
        return
    seen: dict[int, Blob] = {}
    while len(seen) < SAMPLED:
        start = secrets.randbelow(top) + 1
        seen |= {blob.pk: blob for blob in _own().filter(pk__gte=start).order_by("pk")[:RUN]}
    yield sorted(seen.values(), key=lambda blob: (blob.key, blob.offset))
