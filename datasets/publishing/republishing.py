"""Republishing versions from which samples were erased."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO, cast

from django.db import transaction
from django.db.models import Q

from blobs.models import Blob
from blobs.services import keep
from publishing.documents import SPOOL_BYTES, documents_of, keep_documents, put_into
from publishing.models import Document, Publication, Repository
from publishing.projection import forget, release_of
from publishing.services import write_version
from versioning import commit_of

MADE_ANEW = ["listing", "size", "nfiles", "materialised", "texts", "pack", "commit"]


def republish(kind: str, name: str, numbers: Sequence[int]) -> list[str]:
    """Rewrite the listings and documents of these versions, if published, and the commits on top of them.

    Every commit from the first of them on gets a new id: clones must be made again. Returns the md5s of blobs that are
    no longer published. Safe to call again: unchanged commits keep their ids.
    """
    repository = Repository.objects.filter(kind=kind, name=name).first()
    if repository is None:
        return []
    stale = _rewrite(repository, _made_anew(repository, set(numbers)))
    forget(repository)
    return stale


@dataclass(slots=True)
class _Anew:
    """A version without the erased samples: its unsaved row, and its documents."""

    row: Publication
    documents: dict[str, Blob]


def _made_anew(repository: Repository, numbers: set[int]) -> dict[int, _Anew]:
    """Rebuild these versions, and the texts of each version after one of them, because its pack builds on the one
    before."""
    made: dict[int, _Anew] = {}
    wanted = numbers | {number + 1 for number in numbers}
    for row in repository.publications.filter(number__in=wanted).order_by("number"):
        documents = documents_of(row)
        if row.number in numbers:
            documents = keep_documents(repository, row.number) if documents else {}
            _list_anew(repository, row, documents)
        if documents:
            before = made.get(row.number - 1)
            put_into(row, documents, before=before.documents if before else _documents(repository, row.number - 1))
        made[row.number] = _Anew(row, documents)
    return made


def _documents(repository: Repository, number: int) -> dict[str, Blob]:
    return documents_of(repository.publications.filter(number=number).first())


def _list_anew(repository: Repository, row: Publication, documents: dict[str, Blob]) -> None:
    with tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES) as spool:
        file = cast(BinaryIO, spool)
        listing, _ = write_version(repository, row.number, documents, file)
        file.seek(0)
        blob = keep(file, media_type="application/json")
    if blob.pk != row.listing_id:
        row.materialised = None
    row.listing, row.size, row.nfiles = blob, listing.size, listing.nfiles


@transaction.atomic
def _rewrite(repository: Repository, made: dict[int, _Anew]) -> list[str]:
    locked = Repository.objects.select_for_update().get(pk=repository.pk)
    before = _published(locked)
    parent: str | None = None
    for stored in locked.publications.select_related("listing").order_by("number"):
        row = made[stored.number].row if stored.number in made else stored
        row.repository, row.address, row.store = locked, stored.address, stored.store
        row.key_number = stored.key_number  # the key may have been renewed meanwhile
        row.commit = parent = commit_of(release_of(row), parent=parent).sha
        row.save(update_fields=MADE_ANEW)
        for path, blob in made[stored.number].documents.items() if stored.number in made else ():
            row.documents.filter(path=path).update(blob=blob)
    gone = before - _published(locked)
    return sorted(Blob.objects.filter(pk__in=gone - _published()).values_list("md5", flat=True))


def _published(repository: Repository | None = None) -> set[int]:
    """Return the ids of the blobs that publication itself made, for one repository or for all."""
    of = Q(repository=repository) if repository else Q()
    rows = Publication.objects.filter(of).values_list("listing", "pack")
    told = Document.objects.filter(publication__in=Publication.objects.filter(of)).values_list("blob", flat=True)
    return {pk for row in rows for pk in row if pk} | set(told)
