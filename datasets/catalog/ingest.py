"""From uploaded bytes to a commit: probe, store, annotate, commit. Memory holds a batch of images, never all."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from accounts.models import User
from blobs.digests import Digests, digests_of
from blobs.errors import ImageRefused
from blobs.images import probe
from blobs.models import Blob
from blobs.packs import PackWriter
from blobs.refs import BlobRef
from blobs.services import by_md5, store
from catalog.changes import ChangeSet, Rejection, SampleChange
from catalog.keys import key_fault, normal_key
from catalog.models import Dataset
from catalog.services import commit
from core.errors import Invalid
from formats import Annotated, annotate, recognise

BATCH_ITEMS = 500
BATCH_BYTES = 16 << 20
SHOWN_ERRORS = 20


@dataclass(frozen=True, slots=True)
class Incoming:
    """One file as it came."""

    key: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Terms:
    """How uploaded files are to be read and committed. `split` None leaves it to the annotations."""

    format: str = "auto"
    split: str | None = None
    message: str = ""
    parent: int | None = None


@dataclass(slots=True)
class Received:
    """Images whose bytes lie in the store, by key, and what was not taken. The blobs' rows may be unsaved."""

    images: dict[str, Blob] = field(default_factory=dict)
    rejected: list[Rejection] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Checked:
    """An image that passed, still in memory."""

    key: str
    data: bytes
    digests: Digests
    facts: dict[str, Any]


def receive(items: Iterable[Incoming | Rejection], *, on_item: Callable[[int], None] = lambda _: None) -> Received:
    """Probe every item and put the good ones into the store; bytes that are known already are not sent again.

    `on_item` hears how many items were looked at. Writes no row. Raises blobs.errors.StoreUnavailable and its kind.
    """
    received = Received()
    waiting: list[tuple[str, dict[str, Any]]] = []
    with PackWriter(store()) as writer:
        for batch in _batches(_checked(items, received, on_item)):
            known = by_md5([image.digests.md5 for image in batch])
            for image in batch:
                blob = known.get(image.digests.md5)
                if blob is None:
                    writer.add(image.data, digests=image.digests)
                    waiting.append((image.key, image.facts))
                elif blob.sha256 == image.digests.sha256:
                    received.images[image.key] = blob if blob.width else _unsaved(blob.ref, image.facts)
                else:
                    collision = Rejection(image.key, "digest_collision", "other bytes with this md5 are stored already")
                    received.rejected.append(collision)
        refs = writer.close()
    received.images |= {key: _unsaved(ref, facts) for (key, facts), ref in zip(waiting, refs, strict=True)}
    return received


def upload_changes(
    dataset: Dataset, received: Received, terms: Terms, *, annotations: bytes | None, author: User
) -> tuple[ChangeSet, dict[str, str] | None]:
    """The change set of an upload, and `{format, why}` of the annotations that were found.

    Raises formats.FormatError for annotations that can't be read.
    """
    names = list(received.images)
    notes, recognised = _annotated(dataset, names, terms, annotations)
    told = {normal_key(key): note for key, note in notes.items()}
    refused = {item.key for item in received.rejected}
    changes = ChangeSet(rejected=received.rejected, message=terms.message, parent=terms.parent)
    # Annotations may also speak of samples that were sent before.
    for key in [*names, *(key for key in told if key not in received.images and key not in refused)]:
        note = told.get(key, Annotated())
        changes.samples.append(
            SampleChange(
                key,
                blob=received.images.get(key),
                split=terms.split or note.split,
                label=note.label,
                meta=note.meta or None,
                author_id=author.pk,
            )
        )
    return changes, recognised


def commit_upload(
    dataset: Dataset, changes: ChangeSet, *, author: User, recognised: dict[str, str] | None = None
) -> dict[str, Any]:
    """Commit and render the answer. Raises Invalid (`nothing_accepted`) when all there was had to be refused."""
    result = commit(dataset, changes, author=author)
    if result.rejected and not result.accepted:
        rejected = [item.document() for item in result.rejected]
        raise Invalid(
            f"None of the {len(rejected)} items could be taken. The first: {rejected[0]['detail']}",
            code="nothing_accepted",
            errors={item["key"]: [item["detail"]] for item in rejected[:SHOWN_ERRORS]},
            extra={"rejected": rejected},
        )
    return result.document() | {"recognised": recognised}


def empty_upload(detail: str) -> Invalid:
    """There is nothing in this upload."""
    return Invalid(detail, code="empty_upload", errors={"files": [detail]})


def _annotated(
    dataset: Dataset, names: Sequence[str], terms: Terms, document: bytes | None
) -> tuple[dict[str, Annotated], dict[str, str] | None]:
    if terms.format != "auto":
        why = "the request says so"
        return annotate(terms.format, names, document), {"format": terms.format, "why": why}
    found = recognise(names, document, classes=dataset.classes)
    if found is None and document is not None:
        raise Invalid.field("annotations", "no known format recognises this file: name its `format`")
    if found is None:
        return {}, None
    return annotate(found[0], names, document), {"format": found[0], "why": found[1]}


def _checked(
    items: Iterable[Incoming | Rejection], received: Received, on_item: Callable[[int], None]
) -> Iterator[_Checked]:
    seen: set[str] = set()
    for count, item in enumerate(items, start=1):
        outcome = item if isinstance(item, Rejection) else _check(item, seen)
        if isinstance(outcome, Rejection):
            received.rejected.append(outcome)
        else:
            yield outcome
        on_item(count)


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
    size = {"width": facts.width, "height": facts.height}
    return _Checked(key, item.data, digests_of(item.data), {"media_type": facts.media_type} | size)


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


def _unsaved(ref: BlobRef, facts: dict[str, Any]) -> Blob:
    return Blob.row(ref, **facts)
