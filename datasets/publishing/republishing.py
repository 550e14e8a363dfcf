"""Republishing versions from which samples were erased."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Q

from blobs.models import Blob
from publishing.models import Document, Publication, Repository
from publishing.projection import forget, release_of
from publishing.texts import Text, documents_of
from publishing.writing import Increments, Written, document_row, write
from versioning import commit_of

MADE_ANEW = [
    "listing", "listing_patch", "listing_md5", "listing_length", "size", "nfiles", "materialised", "texts", "pack",
    "commit",
]  # fmt: skip


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
    """A version without the erased samples: its unsaved row, and its documents that are stored anew."""

    row: Publication
    documents: dict[str, Text] = field(default_factory=dict)


def _made_anew(repository: Repository, numbers: set[int]) -> dict[int, _Anew]:
    """Rebuild these versions, each from the one before and what changed in it where that can be done; also each version
    after one of them, because its pack builds on the one before, and each whose texts are patches of theirs, because
    these hold the erased samples."""
    made: dict[int, _Anew] = {}
    stale = _bases(repository, numbers)
    before: Publication | None = None
    known: dict[str, Text] = {}  # of the version before
    increments = Increments()
    for row in _rows(repository):
        documents = documents_of(row)
        bases = {row.listing_id, *(text.base.pk for text in documents.values())}
        if row.number in numbers or row.number - 1 in numbers or bases & stale:
            written = write(repository, row.number, before=before, known=known, increments=increments)
            made[row.number] = _Anew(row, _written(row, written, had_documents=bool(documents)))
            documents = made[row.number].documents
        before, known = row, documents
    return made


def _rows(repository: Repository) -> list[Publication]:
    return list(repository.publications.select_related("listing", "listing_patch").order_by("number"))


def _bases(repository: Repository, numbers: set[int]) -> set[int]:
    """Return the ids of the blobs that hold the texts of these versions, or are their bases."""
    rows = repository.publications.filter(number__in=numbers)
    documents = Document.objects.filter(publication__in=rows)
    return {*rows.values_list("listing", flat=True), *documents.values_list("blob", flat=True)}


def _written(row: Publication, written: Written, *, had_documents: bool) -> dict[str, Text]:
    """Put what was written into the row; returns its documents. A version from before there were any gets none."""
    old = row.listing_md5 or row.listing.md5
    texts, pack = row.texts, row.pack
    written.put_into(row)
    if row.listing_md5 != old:
        row.materialised = None
    if had_documents:
        return written.documents
    row.texts, row.pack = texts, pack
    return {}


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
        for path, text in made[stored.number].documents.items() if stored.number in made else ():
            row.documents.filter(path=path).delete()
            document_row(row, path, text).save(force_insert=True)
    gone = before - _published(locked)
    return sorted(Blob.objects.filter(pk__in=gone - _published()).values_list("md5", flat=True))


def _published(repository: Repository | None = None) -> set[int]:
    """Return the ids of the blobs that publication itself made, for one repository or for all."""
    of = Q(repository=repository) if repository else Q()
    rows = Publication.objects.filter(of).values_list("listing", "listing_patch", "pack")
    of_documents = Document.objects.filter(publication__in=Publication.objects.filter(of)).values_list("blob", "patch")
    return {pk for found in (rows, of_documents) for row in found for pk in row if pk}
