"""Turn uploaded bytes into a commit: probe, store, annotate, commit. Memory holds a batch of images, never all."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from accounts.models import User
from blobs.budget import Budget
from blobs.digests import Digests, digests_of
from blobs.errors import ImageRefused
from blobs.images import Probed, converted, probe
from blobs.likeness import likenesses
from blobs.links import LinkWriter
from blobs.models import Blob
from blobs.packs import PackWriter
from blobs.refs import BlobRef
from blobs.services import by_md5, conversions_of, note_conversions, store
from catalog.changes.plan import CommitResult
from catalog.changes.sets import ChangeSet, Rejection, SampleChange
from catalog.intake.annotations import read_annotations
from catalog.intake.incoming import MAX_DOCUMENT_BYTES, Document, Incoming
from catalog.intake.passed_over import all_passed_over
from catalog.keys import key_fault, normal_key
from catalog.models import Dataset
from catalog.versions.pieces import OnStep, Prepared, no_step, prepare
from catalog.versions.rows import save_blobs
from core.errors import Invalid
from formats import Annotated
from jobs.models import Job
from worker_programs.filekinds import HEAD_BYTES, kind_of
from worker_programs.wording import plural

BATCH_ITEMS = 500
BATCH_BYTES = 16 << 20
SHOWN_ERRORS = 20
KEEP_OUT, ALLOW = NEAR_DUPLICATES = ("keep_out", "allow")
MERGE, REPLACE = METADATA = ("merge", "replace")
UNLABELLED, KEEP = PARTIAL = ("unlabelled", "keep")
NOTHING_FOUND: Mapping[str, Any] = {"recognised": None, "notes": [], "incomplete": [], "passed_over": []}


@dataclass(frozen=True, slots=True)
class Terms:
    """Options for reading and committing uploaded files. With `split` None, the annotations decide.

    `partial` decides on images with some objects that can't be kept. With `strict`, one rejected item refuses the whole
    upload. `convert` converts images of other kinds to PNG or JPEG. `names_encoding` is that of an archive's names
    which are not UTF-8.
    """

    format: str = "auto"
    split: str | None = None
    message: str = ""
    parent: int | None = None
    near_duplicates: str = KEEP_OUT
    partial: str = UNLABELLED
    strict: bool = False
    metadata: str = MERGE
    convert: bool = False
    names_encoding: str | None = None


@dataclass(slots=True)
class Received:
    """Stored images by key, the originals of converted ones, annotation documents by path, rejected items, and notes.

    The blobs' rows may be unsaved.
    """

    images: dict[str, Blob] = field(default_factory=dict)
    originals: dict[str, Blob] = field(default_factory=dict)
    documents: dict[str, bytes] = field(default_factory=dict)
    rejected: list[Rejection] = field(default_factory=list)
    document_bytes: int = 0
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Original:
    """The file that an image was converted from."""

    data: bytes
    digests: Digests
    media_type: str


@dataclass(frozen=True, slots=True)
class _Checked:
    """An image that passed the checks, still in memory."""

    key: str
    data: bytes
    digests: Digests
    facts: Probed
    original: _Original | None = None

    @property
    def held(self) -> int:
        """The number of its bytes in memory."""
        return len(self.data) + (len(self.original.data) if self.original else 0)

    @property
    def all_digests(self) -> list[Digests]:
        return [self.digests, self.original.digests] if self.original else [self.digests]


class _Keeper:
    """Puts new bytes into the store; their places are known after `close`."""

    def __init__(self, writer: PackWriter | LinkWriter) -> None:
        self._writer = writer
        self._waiting: list[tuple[dict[str, Blob], str, dict[str, Any]]] = []

    def put(
        self, into: dict[str, Blob], key: str, known: Blob | None, data: bytes, digests: Digests, facts: dict[str, Any]
    ) -> None:
        """Set `into[key]` to the blob of these bytes: the `known` one now, or an unsaved one in `close`."""
        if known is None:
            self._writer.add(data, digests=digests)
            self._waiting.append((into, key, facts))
        else:
            into[key] = known if known.width or "width" not in facts else _unsaved(known.ref, facts)
            into[key].media_type = facts["media_type"]

    def close(self) -> None:
        """Finish storing all bytes and set their blobs."""
        for (into, key, facts), ref in zip(self._waiting, self._writer.close(), strict=True):
            into[key] = _unsaved(ref, facts)


def receive(
    items: Iterable[Incoming | Document | Rejection],
    *,
    convert: bool = False,
    budget: Budget | None = None,
    on_item: Callable[[int], None] = lambda _: None,
    writer: PackWriter | LinkWriter | None = None,
) -> Received:
    """Probe every item and store the valid ones; bytes that are stored already are not stored again. With `convert`,
    images of other kinds are converted to PNG or JPEG first, and both files are stored.

    Requests pass the `budget` to keep. `on_item` is called with the number of items probed; `writer` stores the sent
    bytes elsewhere than in packs. Writes no rows.
    Raises blobs.errors.StoreUnavailable and its kind, TooManyPixels and TooManyAtOnce of the budget, Invalid
    (`annotations_too_large`) for too many bytes of annotations.
    """
    received = Received()
    items = items if budget is None else _within(budget, items)
    with writer or PackWriter(store()) as writer, PackWriter(store()) as own:
        sent, made = _Keeper(writer), _Keeper(own)
        for batch in _batches(_checked(items, received, on_item, convert=convert)):
            known = by_md5([digests.md5 for image in batch for digests in image.all_digests])
            for image, facts in zip(batch, _facts(batch), strict=True):
                if any(_is_other(known.get(digests.md5), digests) for digests in image.all_digests):
                    collision = Rejection(image.key, "digest_collision", "other bytes with this md5 are stored already")
                    received.rejected.append(collision)
                    continue
                there, original = known.get(image.digests.md5), image.original
                if original is None:
                    sent.put(received.images, image.key, there, image.data, image.digests, facts)
                    continue
                made.put(received.images, image.key, there, image.data, image.digests, facts)
                there, told = known.get(original.digests.md5), {"media_type": original.media_type}
                sent.put(received.originals, image.key, there, original.data, original.digests, told)
        sent.close()
        made.close()
    return received


def _within(
    budget: Budget, items: Iterable[Incoming | Document | Rejection]
) -> Iterator[Incoming | Document | Rejection]:
    for item in items:
        if isinstance(item, Incoming):
            budget.spend(item.data)
        yield item


def save_received(received: Received) -> None:
    """Save the rows of received blobs. A commit does this itself; call it before for many, or to commit later."""
    save_blobs([*received.images.values(), *received.originals.values()])
    note_conversions((original, received.images[key]) for key, original in received.originals.items())


def upload_changes(
    dataset: Dataset, received: Received, terms: Terms, *, annotations: Document | None, author: User
) -> tuple[ChangeSet, dict[str, Any]]:
    """Return the change set of an upload, and `{recognised, notes, incomplete, passed_over}`: the format of the
    annotations, and what of them is not kept.

    Raises formats.FormatError for errors that concern all annotations.
    """
    names = list(received.images)
    found = read_annotations(
        dataset, received.images, received.documents, form=terms.format, named=annotations,
        keep_partial=terms.partial == KEEP, names_encoding=terms.names_encoding,
    )  # fmt: skip
    told = {normal_key(key): note for key, note in found.samples.items()}
    received.rejected += found.rejected
    refused = {item.key for item in received.rejected}
    changes = ChangeSet(rejected=received.rejected, message=terms.message, parent=terms.parent)
    changes.allow_near_duplicates = terms.near_duplicates == ALLOW
    changes.strict = terms.strict
    # Annotations may also be for samples from an earlier upload.
    for key in [*names, *(key for key in told if key not in received.images and key not in refused)]:
        note = told.get(key, Annotated())
        changes.samples.append(
            SampleChange(
                normal_key(note.key) if note.key and key in received.images else key,
                sent_as=key,
                blob=received.images.get(key),
                original=received.originals.get(key),
                split=terms.split or note.split,
                split_source=None if terms.split else note.source,
                label=note.label,
                meta=note.meta or None,
                replace_meta=terms.metadata == REPLACE,
                author_id=author.pk,
            )
        )
    found.notes[:0] = received.notes
    return changes, found.report()


def commit_upload(
    dataset: Dataset, changes: ChangeSet, *, author: User, report: Mapping[str, Any] = NOTHING_FOUND
) -> dict[str, Any]:
    """Compare pictures, commit, and return the response. Raises Invalid if all items were rejected
    (`nothing_accepted`), or, for a strict change set, any (`not_all_accepted`): then nothing is written. A job does it
    in two steps, by `prepare_upload`."""
    return prepare_upload(dataset, changes, author=author, report=report).complete()


def prepare_upload(
    dataset: Dataset,
    changes: ChangeSet,
    *,
    author: User,
    report: Mapping[str, Any] = NOTHING_FOUND,
    job: Job | None = None,
    on_step: OnStep = no_step,
) -> Prepared[dict[str, Any]]:
    """Do all of `commit_upload` but its last step, which returns the response; it raises too."""

    def check(result: CommitResult) -> None:
        _check_accepted(result, changes, report)

    def document(result: CommitResult) -> dict[str, Any]:
        return result.document() | dict(report) | {"passed_over": all_passed_over(result.rejected, report)}

    return prepare(dataset, changes, author=author, job=job, check=check, on_step=on_step).then(document)


def _check_accepted(result: CommitResult, changes: ChangeSet, report: Mapping[str, Any]) -> None:
    incomplete = report["incomplete"] if changes.strict else []
    if result.rejected and not result.accepted:
        raise _refused(
            "nothing_accepted", f"Nothing could be taken of {plural(len(result.rejected), 'item')}.", result, report
        )
    if changes.strict and (result.rejected or incomplete):
        count = len(result.rejected) + sum(row["images"] for row in incomplete)
        raise _refused(
            "not_all_accepted", f"{plural(count, 'item')} could not be taken, so nothing was.", result, report
        )


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
    """Return the error for an upload without content."""
    return Invalid(detail, code="empty_upload", errors={"files": [detail]})


def _checked(
    items: Iterable[Incoming | Document | Rejection],
    received: Received,
    on_item: Callable[[int], None],
    *,
    convert: bool,
) -> Iterator[_Checked]:
    seen: set[str] = set()
    for count, item in enumerate(items, start=1):
        if isinstance(item, Document):
            _set_aside(item, received)
            continue
        outcome = item if isinstance(item, Rejection) else _check(item, received, seen, convert=convert)
        if isinstance(outcome, Rejection):
            received.rejected.append(outcome)
        elif outcome is not None:
            yield outcome
        on_item(count)


def _set_aside(document: Document, received: Received) -> None:
    received.documents[normal_key(document.path)] = document.data
    received.document_bytes += len(document.data)
    if received.document_bytes > MAX_DOCUMENT_BYTES:
        raise Invalid.field(
            "annotations", f"more than {MAX_DOCUMENT_BYTES} bytes; split the upload", code="annotations_too_large"
        )


def _check(item: Incoming, received: Received, seen: set[str], *, convert: bool) -> _Checked | Rejection | None:
    """Return the checked image or a rejection; None for one whose conversion is known, which is added to `received`."""
    key = normal_key(item.key)
    if (fault := key_fault(key)) is not None:
        return Rejection(item.key, "key_malformed", fault)
    if key in seen:
        return Rejection(key, "duplicate_key", "key: the batch names it more than once")
    seen.add(key)
    kind = kind_of(item.data[:HEAD_BYTES]).for_dataset(convert=convert)
    if kind.stays_behind:
        return Rejection(key, kind.code, kind.reason)
    try:
        if kind.convertible is None:
            return _Checked(key, item.data, digests_of(item.data), probe(item.data))
        return _convert(key, item.data, kind.convertible, received)
    except ImageRefused as error:
        return Rejection(key, error.code, error.message)


def _convert(key: str, data: bytes, media_type: str, received: Received) -> _Checked | None:
    digests = digests_of(data)
    original, made = conversions_of([digests.md5]).get(digests.md5, (None, None))
    if original and made and not _is_other(original, digests):
        received.originals[key], received.images[key] = original, made
        return None
    image = converted(data)
    return _Checked(key, image, digests_of(image), probe(image), _Original(data, digests, media_type))


def _is_other(blob: Blob | None, digests: Digests) -> bool:
    """Whether the stored blob is another file with the same md5."""
    return blob is not None and blob.sha256 != digests.sha256


def _batches(images: Iterable[_Checked]) -> Iterator[list[_Checked]]:
    batch: list[_Checked] = []
    held = 0
    for image in images:
        batch.append(image)
        held += image.held
        if len(batch) >= BATCH_ITEMS or held >= BATCH_BYTES:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def _facts(batch: Sequence[_Checked]) -> Iterator[dict[str, Any]]:
    """Yield the column values for the row of each image."""
    for image, found in zip(batch, likenesses([image.facts.gray for image in batch]), strict=True):
        told = {"media_type": image.facts.media_type, "width": image.facts.width, "height": image.facts.height}
        yield told | ({"phash": found.phash, "sketch": found.sketch} if found else {})


def _unsaved(ref: BlobRef, facts: dict[str, Any]) -> Blob:
    return Blob.row(ref, **facts)
