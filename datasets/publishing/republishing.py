"""Publishing versions anew, out of which samples were erased."""

import tempfile
from collections.abc import Sequence
from typing import BinaryIO, cast

from django.db import transaction

from blobs.models import Blob
from blobs.services import keep
from publishing.models import Publication, Repository
from publishing.projection import release_of
from publishing.services import SPOOL_BYTES, write_version
from versioning import commit_of


def republish(kind: str, name: str, numbers: Sequence[int]) -> list[str]:
    """Write the listings of these versions again, as far as they are published, and the commits on top of them.

    Every commit from the first of them on gets a new id: clones must be made anew. Returns the md5s of listings that
    are no longer published. May be called again: what has not changed keeps its id.
    """
    repository = Repository.objects.filter(kind=kind, name=name).first()
    if repository is None:
        return []
    made = {row.number: _listed(repository, row) for row in repository.publications.filter(number__in=numbers)}
    return _rewrite(repository, made)


def _listed(repository: Repository, row: Publication) -> tuple[Blob, int, int]:
    with tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES) as spool:
        file = cast(BinaryIO, spool)
        listing, _ = write_version(repository, row.number, file)
        file.seek(0)
        return keep(file, media_type="application/json"), listing.size, listing.nfiles


@transaction.atomic
def _rewrite(repository: Repository, made: dict[int, tuple[Blob, int, int]]) -> list[str]:
    locked = Repository.objects.select_for_update().get(pk=repository.pk)
    stale: set[str] = set()
    parent: str | None = None
    for row in locked.publications.select_related("listing").order_by("number"):
        row.repository = locked
        if row.number in made and made[row.number][0].pk != row.listing_id:
            stale.add(row.listing.md5)
            row.listing, row.size, row.nfiles = made[row.number]
            row.materialised = None
        row.commit = parent = commit_of(release_of(row), parent=parent).sha
        row.save(update_fields=["listing", "size", "nfiles", "materialised", "commit"])
    still = set(Publication.objects.filter(listing__md5__in=stale).values_list("listing__md5", flat=True))
    return sorted(stale - still)
