"""Import objects of another bucket: their bytes are copied into the store, or stay there and are read from there."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, Literal

from accounts.models import User
from blobs.digests import digests_of
from blobs.errors import BlobArchived, BlobMissing, DigestInvalid, StoreMisconfigured
from blobs.links import LinkWriter, Place
from blobs.services import keep_bytes, store
from blobs.sources import SETTING, ForeignBucket, Source, foreign_key
from catalog.changes.sets import Rejection
from catalog.intake.bodies import MAX_FILE_BYTES
from catalog.intake.incoming import Document, Incoming, sorted_out
from catalog.intake.ingest import Received, Terms, receive
from catalog.models import Dataset
from core.errors import Invalid
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from worker_programs.filekinds import HEAD_BYTES, is_cruft, is_hidden, may_be_wanted, sort_file

THREADS = 8
MAX_KEYS = 10_000
Mode = Literal["copy", "reference"]


@dataclass(frozen=True, slots=True)
class Origin:
    """The objects to import: those of a bucket below a prefix, or those with the given keys."""

    source: str
    bucket: str
    prefix: str = ""
    keys: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """One object to import; `key` is the key of its sample, `place` the key of the object."""

    key: str
    place: str
    size: int | None = None


def create_import_job(dataset: Dataset, origin: Origin, terms: Terms, *, mode: Mode, author: User) -> Job:
    """Queue an import; the caller wakes it. Raises Invalid if no operator allowed the source."""
    find_source(origin)
    params = {
        "dataset": dataset.pk,
        "origin": asdict(origin),
        "mode": mode,
        "terms": asdict(terms),
        "author": author.pk,
        "annotations": None,
    }
    title = f"Import {origin.source}:{origin.bucket}/{origin.prefix} into {dataset.name}"[:200]
    return create_job(
        "import", title, shards=[ShardSpec(params)], unit="images", created_by=author, project=dataset.project_id
    )


def find_source(origin: Origin) -> Source:
    """Return the source, after checking that the objects may be imported. Raises Invalid (`source_unknown`,
    `source_not_allowed`)."""
    sources = store().sources
    source = sources.get(origin.source)
    if source is None:
        known = f"there are {', '.join(sorted(sources))}" if sources else "an operator has set up none"
        raise Invalid.field("source", f"unknown source {origin.source!r}: {known}", code="source_unknown")
    for wanted in origin.keys or [origin.prefix]:
        if not source.allows(origin.bucket, wanted):
            told = f"{origin.bucket}/{wanted} is not among what an operator allows of {origin.source!r}"
            raise Invalid.field("bucket", told, code="source_not_allowed")
        try:
            foreign_key(wanted or "all")
        except DigestInvalid as error:
            told = f"{wanted!r} can't be asked for: {error.message}"
            raise Invalid.field("keys" if origin.keys else "prefix", told, code="source_not_allowed") from error
    return source


def receive_import(
    origin: Origin, *, mode: Mode, convert: bool = False, on_item: Callable[[int], None] = lambda _: None
) -> Received:
    """Read all objects, a few at a time, and store or link them; converted images are stored. Raises Invalid, also if
    the source refuses access (`source_refused`), and blobs.errors.StoreUnavailable."""
    bucket = find_source(origin).bucket(origin.bucket)
    try:
        return _received(bucket, origin, mode=mode, convert=convert, on_item=on_item)
    except StoreMisconfigured as error:
        told = f"{origin.source!r} can't be read: {error.message}. An operator mends it in {SETTING}"
        raise Invalid.field("source", told, code="source_refused") from error


def _received(
    bucket: ForeignBucket, origin: Origin, *, mode: Mode, convert: bool, on_item: Callable[[int], None]
) -> Received:
    places: dict[str, Place] = {}
    items = _read(bucket, _found(bucket, origin), convert=convert)
    if mode == "copy":
        return receive((item for _, item in items), convert=convert, on_item=on_item)
    writer = LinkWriter(places, lambda table: keep_bytes(table, media_type="application/x-ndjson"))
    return receive(_noted(items, origin, places), convert=convert, on_item=on_item, writer=writer)


def _noted(
    items: Iterable[tuple[Found, Incoming | Document | Rejection]], origin: Origin, places: dict[str, Place]
) -> Iterator[Incoming | Document | Rejection]:
    """Yield the items, and record in `places` where the bytes of each image are."""
    for found, item in items:
        if isinstance(item, Incoming):
            places.setdefault(digests_of(item.data).md5, Place(origin.source, origin.bucket, found.place))
        yield item


def _found(bucket: ForeignBucket, origin: Origin) -> Iterator[Found]:
    """Yield the objects to import. A sample's key is the object's key without the folder in the prefix."""
    folder = origin.prefix[: origin.prefix.rfind("/") + 1]
    if origin.keys:
        yield from (Found(key.removeprefix(folder), key) for key in origin.keys)
        return
    for one in bucket.objects(origin.prefix):
        if not is_cruft(one.key):
            yield Found(one.key.removeprefix(folder), one.key, one.size)


def _read(
    bucket: ForeignBucket, found: Iterable[Found], *, convert: bool
) -> Iterator[tuple[Found, Incoming | Document | Rejection]]:
    """Yield each object with its bytes or a rejection, in order, reading a few at a time."""
    rest = iter(found)
    with ThreadPoolExecutor(THREADS, thread_name_prefix="import") as pool:
        while some := list(islice(rest, 2 * THREADS)):
            yield from zip(some, pool.map(lambda one: _item(bucket, one, convert=convert), some), strict=True)


def _item(bucket: ForeignBucket, one: Found, *, convert: bool) -> Incoming | Document | Rejection:
    try:
        foreign_key(one.place)
    except DigestInvalid as error:
        return Rejection(one.key, "key_malformed", f"key: {error.message}; rename the object at its source")
    try:
        size = one.size if one.size is not None else _size(bucket, one.place)
        if not may_be_wanted(one.key):  # read only its first bytes to decide
            head = b"" if is_hidden(one.key) else bucket.read(one.place, 0, min(size, HEAD_BYTES))
            if (kind := sort_file(one.key, head, convert=convert)).stays_behind:
                return Rejection(one.key, kind.code, kind.reason)
        if size > MAX_FILE_BYTES:
            return Rejection(one.key, "file_too_large", f"it has more than {MAX_FILE_BYTES} bytes")
        data = bucket.read(one.place, 0, size, ranged=False)
    except BlobMissing as error:
        code = error.code if isinstance(error, BlobArchived) else "object_missing"
        return Rejection(one.key, code, f"{one.place}: {error.message}")
    if len(data) != size:
        now = "more" if len(data) > size else f"{len(data):,}"
        told = f"{one.place} was listed with {size:,} bytes and has {now} now: it changed meanwhile; import it again"
        return Rejection(one.key, "object_changed", told)
    return sorted_out(one.key, data, convert=convert)


def _size(bucket: ForeignBucket, place: str) -> int:
    there = bucket.head(place)
    if there is None:
        raise BlobMissing("there is no such object at the source")
    return there.size


def source_documents() -> list[dict[str, Any]]:
    """Return the sources for users: names, buckets and prefixes, never an address or a credential."""
    return [
        {"name": source.name, "buckets": {name: list(prefixes) for name, prefixes in source.buckets.items()}}
        for source in store().sources.values()
    ]
