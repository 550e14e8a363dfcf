"""From uploaded bytes to a commit: probe, store, annotate, commit. Memory holds a batch of images, never all."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from accounts.models import User
from blobs.digests import Digests, digests_of
from blobs.errors import ImageRefused
from blobs.images import Probed, probe
from blobs.likeness import likenesses
from blobs.links import LinkWriter
from blobs.models import Blob
from blobs.packs import PackWriter
from blobs.refs import BlobRef
from blobs.services import by_md5, store
from catalog.annotations import read_annotations
from catalog.changes import ChangeSet, Rejection, SampleChange
from catalog.incoming import MAX_DOCUMENT_BYTES, Document, Incoming
from catalog.keys import key_fault, normal_key
from catalog.models import Dataset
from catalog.plans import CommitResult
from catalog.services import commit, look_ahead
from core.errors import Invalid
from formats import Annotated

BATCH_ITEMS = 500
BATCH_BYTES = 16 << 20
SHOWN_ERRORS = 20
KEEP_OUT, ALLOW = NEAR_DUPLICATES = ("keep_out", "allow")
MERGE, REPLACE = METADATA = ("merge", "replace")
UNLABELLED, KEEP = PARTIAL = ("unlabelled", "keep")
NOTHING_FOUND: Mapping[str, Any] = {"recognised": None, "notes": [], "incomplete": []}


@dataclass(frozen=True, slots=True)
class Terms:
    """How uploaded files are to be read and committed. `split` None leaves it to the annotations.

    `partial` is what becomes of images of whose objects some can't be kept; with `strict`, what can't be taken refuses
    the whole upload.
    """

    format: str = "auto"
    split: str | None = None
    message: str = ""
    parent: int | None = None
    near_duplicates: str = KEEP_OUT
    partial: str = UNLABELLED
    strict: bool = False
    metadata: str = MERGE


@dataclass(slots=True)
class Received:
    """Images whose bytes lie in the store, by key, annotation documents by path, what was not taken, and what else
    there is to say.

    The blobs' rows may be unsaved.
    """

    images: dict[str, Blob] = field(default_factory=dict)
    documents: dict[str, bytes] = field(default_factory=dict)
    rejected: list[Rejection] = field(default_factory=list)
    document_bytes: int = 0
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Checked:
    """An image that passed, still in memory."""

    key: str
    data: bytes
    digests: Digests
    facts: Probed


def receive(
    items: Iterable[Incoming | Document | Rejection],
    *,
    on_item: Callable[[int], None] = lambda _: None,
    writer: PackWriter | LinkWriter | None = None,
) -> Received:
    """Probe every item and put the good ones into the store; bytes that are known already are not sent again.

    `on_item` hears how many items were looked at; `writer` keeps bytes elsewhere than in packs. Writes no row. Raises
    blobs.errors.StoreUnavailable and its kind, Invalid (`annotations_too_large`) for too many bytes of annotations.
    """
    received = Received()
    waiting: list[tuple[str, dict[str, Any]]] = []
    with writer or PackWriter(store()) as writer:
        for batch in _batches(_checked(items, received, on_item)):
            known = by_md5([image.digests.md5 for image in batch])
            for image, facts in zip(batch, _facts(batch), strict=True):
                blob = known.get(image.digests.md5)
                if blob is None:
                    writer.add(image.data, digests=image.digests)
                    waiting.append((image.key, facts))
                elif blob.sha256 == image.digests.sha256:
                    received.images[image.key] = blob if blob.width else _unsaved(blob.ref, facts)
                else:
                    collision = Rejection(image.key, "digest_collision", "other bytes with this md5 are stored already")
                    received.rejected.append(collision)
        refs = writer.close()
    received.images |= {key: _unsaved(ref, facts) for (key, facts), ref in zip(waiting, refs, strict=True)}
    return received


def upload_changes(
    dataset: Dataset, received: Received, terms: Terms, *, annotations: Document | None, author: User
) -> tuple[ChangeSet, dict[str, Any]]:
    """The change set of an upload, and `{recognised, notes, incomplete}`: the annotations' format, and what of them is
    not kept.

    Raises formats.FormatError for what is wrong with all of the annotations.
    """
    names = list(received.images)
    found = read_annotations(
        dataset, received.images, received.documents, form=terms.format, named=annotations,
        keep_partial=terms.partial == KEEP,
    )  # fmt: skip
    told = {normal_key(key): note for key, note in found.samples.items()}
    received.rejected += found.rejected
    refused = {item.key for item in received.rejected}
    changes = ChangeSet(rejected=received.rejected, message=terms.message, parent=terms.parent)
    changes.allow_near_duplicates = terms.near_duplicates == ALLOW
    changes.strict = terms.strict
    # Annotations may also speak of samples that were sent before.
    for key in [*names, *(key for key in told if key not in received.images and key not in refused)]:
        note = told.get(key, Annotated())
        changes.samples.append(
            SampleChange(
                normal_key(note.key) if note.key and key in received.images else key,
                sent_as=key,
                blob=received.images.get(key),
                split=terms.split or note.split,
                label=note.label,
                meta=note.meta or None,
                replace_meta=terms.metadata == REPLACE,
                author_id=author.pk,
            )
        )
    found.notes[:0] = received.notes
    return changes, found.report()


@transaction.atomic
def commit_upload(
    dataset: Dataset, changes: ChangeSet, *, author: User, report: Mapping[str, Any] = NOTHING_FOUND
) -> dict[str, Any]:
    """Commit and render the answer. Raises Invalid when all there was had to be refused (`nothing_accepted`), or, of a
    strict change set, anything (`not_all_accepted`): then nothing is written. Jobs have looked ahead before."""
    result = commit(dataset, changes, author=author)
    incomplete = report["incomplete"] if changes.strict else []
    if result.rejected and not result.accepted:
        raise _refused("nothing_accepted", f"None of the {len(result.rejected)} items could be taken.", result, report)
    if changes.strict and (result.rejected or incomplete):
        count = len(result.rejected) + sum(row["images"] for row in incomplete)
        items = "1 item" if count == 1 else f"{count} items"
        raise _refused("not_all_accepted", f"{items} could not be taken, so nothing was.", result, report)
    return result.document() | dict(report)


def look_and_commit(
    dataset: Dataset, changes: ChangeSet, *, author: User, report: Mapping[str, Any] = NOTHING_FOUND
) -> dict[str, Any]:
    """The same for who has not looked ahead: pictures are compared before the transaction, not in it."""
    look_ahead(dataset, changes)
    return commit_upload(dataset, changes, author=author, report=report)


def _refused(code: str, words: str, result: CommitResult, report: Mapping[str, Any]) -> Invalid:
    rejected = [item.document() for item in result.rejected]
    reasons = [f"{row['examples'][0]}: {row['reason']} can't be kept" for row in report["incomplete"]]
    first = [item["detail"] for item in rejected[:1]] or reasons
    return Invalid(
        f"{words} The first: {first[0]}",
        code=code,
        errors={item["key"]: [item["detail"]] for item in rejected[:SHOWN_ERRORS]},
        extra={"rejected": rejected, "incomplete": report["incomplete"]},
    )


def empty_upload(detail: str) -> Invalid:
    """There is nothing in this upload."""
    return Invalid(detail, code="empty_upload", errors={"files": [detail]})


def _checked(
    items: Iterable[Incoming | Document | Rejection], received: Received, on_item: Callable[[int], None]
) -> Iterator[_Checked]:
    seen: set[str] = set()
    for count, item in enumerate(items, start=1):
        if isinstance(item, Document):
            _set_aside(item, received)
            continue
        outcome = item if isinstance(item, Rejection) else _check(item, seen)
        if isinstance(outcome, Rejection):
            received.rejected.append(outcome)
        else:
            yield outcome
        on_item(count)


def _set_aside(document: Document, received: Received) -> None:
    received.documents[normal_key(document.path)] = document.data
    received.document_bytes += len(document.data)
    if received.document_bytes > MAX_DOCUMENT_BYTES:
        raise Invalid.field(
            "annotations", f"more than {MAX_DOCUMENT_BYTES} bytes; split the upload", code="annotations_too_large"
        )


def _check(item: Incoming, seen: set[str]) -> _Checked | Rejection:
    key = normal_key(item.key)
    if (fault := key_fault(key)) is not None:
        return Rejection(item.key, "key_malformed", fault)
    if key in seen:
        return Rejection(key, "duplicate_key", "key: the batch names it more than once")
    seen.add(key)
    try:
        facts = probe(item.data)
    except ImageRefused as error:
        return Rejection(key, error.code, error.message)
    return _Checked(key, item.data, digests_of(item.data), facts)


def _batches(images: Iterable[_Checked]) -> Iterator[list[_Checked]]:
    batch: list[_Checked] = []
    held = 0
    for image in images:
        batch.append(image)
        held += len(image.data)
        if len(batch) >= BATCH_ITEMS or held >= BATCH_BYTES:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def _facts(batch: Sequence[_Checked]) -> Iterator[dict[str, Any]]:
    """What the row of each image will say of it."""
    for image, found in zip(batch, likenesses([image.facts.gray for image in batch]), strict=True):
        told = {"media_type": image.facts.media_type, "width": image.facts.width, "height": image.facts.height}
        yield told | ({"phash": found.phash, "sketch": found.sketch} if found else {})


def _unsaved(ref: BlobRef, facts: dict[str, Any]) -> Blob:
    return Blob.row(ref, **facts)
