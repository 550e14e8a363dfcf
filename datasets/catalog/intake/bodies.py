"""Bodies of `POST /datasets/{id}` as items to receive and a change set to commit."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from blobs.budget import Budget
from blobs.errors import UploadMissing
from blobs.services import store
from catalog.changes.sets import ChangeSet, Rejection, SampleChange
from catalog.intake.addresses import fetched
from catalog.intake.incoming import Document as Found
from catalog.intake.incoming import Incoming, sorted_out
from catalog.intake.ingest import ALLOW, REPLACE, Received, empty_upload, receive
from catalog.intake.listings import AT_ONCE_URLS, Line
from catalog.intake.senders import Sender
from catalog.intake.staging import staged
from catalog.keys import normal_key
from core.errors import Invalid
from core.uploads import SentFile

MAX_FILE_BYTES = 256 << 20
NOT_BASE64 = "is not base64: letters, digits, + and / only, filled up with = to a multiple of four"


def file_items(files: Sequence[SentFile], *, convert: bool = False) -> Iterator[Incoming | Found | Rejection]:
    """Yield the files of a multipart body, under the names they were sent with."""
    for file in files:
        if file.size is not None and file.size > MAX_FILE_BYTES:
            yield Rejection(file.sent_name, "file_too_large", f"it has more than {MAX_FILE_BYTES} bytes")
        else:
            yield sorted_out(file.sent_name, file.read(), convert=convert)


@dataclass(frozen=True, slots=True)
class Document:
    """A validated JSON body."""

    samples: Sequence[Mapping[str, Any]]
    labels: Sequence[Mapping[str, Any]]
    remove: Sequence[str]
    message: str
    parent: int | None
    allow_near_duplicates: bool
    strict: bool = False
    replace_meta: bool = False
    convert: bool = False

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> "Document":
        """Build a document from a validated body. Raises Invalid (`empty_upload`)."""
        document = cls(
            body.get("samples", []), body.get("labels", []), body.get("remove", []), body.get("message", ""),
            body.get("parent"), body.get("near_duplicates") == ALLOW, body.get("strict", False),
            body.get("metadata") == REPLACE, body.get("convert", False),
        )  # fmt: skip
        if not document.samples and not document.labels and not document.remove:
            raise empty_upload("There is nothing in this request: send `samples`, `labels` or `remove`.")
        return document

    @property
    def uploads(self) -> list[str]:
        """The ids of the direct uploads that the body names."""
        return [sample["upload"] for sample in self.samples if "upload" in sample]

    @property
    def is_slow(self) -> bool:
        """Whether the body names more URLs than one request should wait for."""
        return sum("url" in sample for sample in self.samples) > AT_ONCE_URLS

    def lines(self) -> Iterator[Line]:
        """Yield the same commit as lines of a listing. Raises Invalid for `data` and `upload`, unknown to lines."""
        if any("data" in sample or "upload" in sample for sample in self.samples):
            raise Invalid.field("samples", f"with more than {AT_ONCE_URLS} `url`s, send other bytes in another commit")
        found: dict[str, Any] = {}
        for row in (*self.samples, *self.labels):
            found[row["key"]] = found.get(row["key"], {}) | row
        yield from found.values()
        yield from ({"key": key, "remove": True} for key in self.remove)

    def receive(self, budget: Budget, *, sender: Sender) -> Received:
        """Store the body's images, or find those stored before. Raises Conflict (`bytes_missing`), and as
        `ingest.receive`."""
        named = {normal_key(sample["key"]): sample["md5"] for sample in self.samples if "md5" in sample}
        blobs = staged(named.values(), sender=sender, convert=self.convert)
        received = receive(self._items(), convert=self.convert, budget=budget)
        blobs.add_to(received, named)
        return received

    def _items(self) -> Iterator[Incoming | Rejection]:
        """Yield the images whose bytes the request sends or points to."""
        for sample in self.samples:
            if "data" in sample:
                try:
                    yield Incoming(sample["key"], base64.b64decode(sample["data"], validate=True))
                except ValueError:  # a non-ASCII letter raises ValueError, not binascii.Error
                    yield Rejection(sample["key"], "data_malformed", f"data: {NOT_BASE64}")
            elif "upload" in sample:
                yield _uploaded(sample["key"], sample["upload"])
        yield from fetched((sample["key"], sample["url"]) for sample in self.samples if "url" in sample)

    def changes(self, received: Received, *, author: User) -> ChangeSet:
        """Return the change set; a label for a sample of the same request is merged into its change."""
        refused = {item.key for item in received.rejected}
        found: dict[str, SampleChange] = {}
        rejected = list(received.rejected)
        for sample in self.samples:
            key = normal_key(sample["key"])
            if sample["key"] in refused or key in refused:
                continue
            if key in found:
                rejected.append(Rejection(key, "duplicate_key", "samples: the batch names this key more than once"))
                continue
            given: dict[str, Any] = {name: sample.get(name) for name in ("split", "label", "meta")}
            given["replace_meta"] = self.replace_meta
            given["original"] = received.originals.get(key)
            found[key] = SampleChange(key, blob=received.images.get(key), author_id=author.pk, **given)
        for row in self.labels:
            key = normal_key(row["key"])
            if key in refused:
                continue
            change = found.setdefault(key, SampleChange(key, author_id=author.pk))
            if change.label is not None:
                rejected.append(Rejection(key, "duplicate_key", "labels: the batch labels this key more than once"))
            else:
                change.label = row["label"]
        remove = [normal_key(key) for key in self.remove]
        told = (self.message, self.parent, self.allow_near_duplicates, self.strict)
        return ChangeSet(list(found.values()), remove, rejected, *told)


def _uploaded(key: str, upload: str) -> Incoming | Rejection:
    """Read an image from a direct upload."""
    try:
        if store().upload_size(upload) > MAX_FILE_BYTES:
            return Rejection(key, "file_too_large", f"it has more than {MAX_FILE_BYTES} bytes")
        return Incoming(key, b"".join(store().open_upload(upload)))
    except UploadMissing as error:
        return Rejection(key, error.code, f"upload: {error.message}")
