"""The plain DVC layout: every file of a version as a separate object, its listing last."""

from collections.abc import Iterator
from datetime import UTC, datetime

from django.db.models import QuerySet

from accounts.models import User
from blobs import ledger
from blobs.keys import blob_key, directory_key
from blobs.models import Blob, PlainObject
from blobs.puts import PlainPuts
from blobs.services import chunks, store
from jobs import lanes
from jobs.context import ShardContext
from jobs.handlers import Outcome
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from publishing.models import Publication
from publishing.sources import source
from publishing.texts import listing_of

FILES, LISTING = 0, 1
DIGITS = "0123456789abcdef"
FILES_PER_SHARD = 4000
CONNECTIONS = 16
NOTED_AT_ONCE = 250
READERS = 2


def request_materialisation(publication: Publication, *, author: User) -> Job:
    """Queue the job that stores the files a version still lacks in DVC's layout; the caller must wake it."""
    missing = lacking(publication).count()
    prefixes = _prefixes(missing)
    shards = [ShardSpec({"prefix": prefix}, units=max(1, missing // len(prefixes)), phase=FILES) for prefix in prefixes]
    name = publication.repository.name
    return create_job(
        "materialise",
        f"Put the files of {name} v{publication.number} into DVC's layout",
        shards=[*shards, ShardSpec(units=1, phase=LISTING)],
        params={"publication": publication.pk},
        unit="files",
        created_by=author,
        project=source(publication.repository.kind).project_of(name),
    )


def lacking(publication: Publication, prefix: str = "") -> QuerySet[Blob]:
    """Return the blobs of a version that are only in packs, among those whose md5 begins with `prefix`."""
    repository = publication.repository
    rows = source(repository.kind).blobs(repository.name, publication.number)
    return rows.filter(key__startswith="packs/", plain=None, md5__startswith=prefix)


class MaterialiseHandler:
    """Each shard stores the blobs of one md5 prefix. Blobs that have a row are not stored again; others may be stored
    twice."""

    lane = lanes.LIGHT

    def run(self, context: ShardContext) -> Outcome:
        rows = Publication.objects.select_related("repository", "listing", "listing_patch")
        row = rows.get(pk=context.job.params["publication"])
        if context.claim.shard.phase == FILES:
            return Outcome({"put": _put_files(row, context)})
        listing = listing_of(row)
        ledger.enter_copies({directory_key(listing.md5): listing.length})
        store().put_directory(listing.md5, listing.chunks())

        def apply() -> None:
            Publication.objects.filter(pk=row.pk).update(materialised=datetime.now(UTC))

        return Outcome({"listing": f"{listing.md5}.dir", "files": row.nfiles}, apply)


def _put_files(publication: Publication, context: ShardContext) -> int:
    # In the order of their place in the packs, so that neighbours come in one read.
    rows = lacking(publication, context.params["prefix"]).order_by("key", "offset")
    by_md5 = {blob.md5: blob for blob in rows}
    refs = [blob.ref for blob in by_md5.values()]
    ledger.enter_copies({blob_key(ref.md5): ref.size for ref in refs})
    puts = PlainPuts(store().config, connections=CONNECTIONS)
    done = 0
    for batch in chunks(puts.put_all(_alive(store().get_many(refs, threads=READERS), context)), NOTED_AT_ONCE):
        rows_of_batch = [PlainObject(blob=by_md5[ref.md5]) for ref in batch]
        PlainObject.objects.bulk_create(rows_of_batch, ignore_conflicts=True)
        done += len(batch)
        context.progress(done, len(refs))
    return done


def _alive(items: Iterator, context: ShardContext) -> Iterator:  # type: ignore[type-arg]  # passes on what it gets
    for item in items:
        context.check()
        yield item


def _prefixes(missing: int) -> list[str]:
    """Return enough md5 prefixes that each shard takes seconds."""
    if missing <= FILES_PER_SHARD:
        return [""]
    if missing <= FILES_PER_SHARD * len(DIGITS):
        return list(DIGITS)
    return [a + b for a in DIGITS for b in DIGITS]
