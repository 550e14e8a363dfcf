"""What `POST /datasets/{id}` sends, as items to receive and a change set to commit."""

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from catalog.changes import ChangeSet, Rejection, SampleChange
from catalog.ingest import Incoming, Received, empty_upload
from catalog.keys import normal_key
from core.uploads import SentFile

MAX_FILE_BYTES = 256 << 20


def file_items(files: Sequence[SentFile]) -> Iterator[Incoming | Rejection]:
    """The files of a multipart body, under the names they were sent with."""
    for file in files:
        if file.size is not None and file.size > MAX_FILE_BYTES:
            yield Rejection(file.sent_name, "file_too_large", f"it has more than {MAX_FILE_BYTES} bytes")
        else:
            yield Incoming(file.sent_name, file.read())


@dataclass(frozen=True, slots=True)
class Document:
    """A validated JSON body."""

    samples: Sequence[Mapping[str, Any]]
    labels: Sequence[Mapping[str, Any]]
    remove: Sequence[str]
    message: str
    parent: int | None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> "Document":
        """Raises Invalid (`empty_upload`)."""
        document = cls(
            body.get("samples", []), body.get("labels", []), body.get("remove", []), body.get("message", ""),
            body.get("parent"),
        )  # fmt: skip
        if not document.samples and not document.labels and not document.remove:
            raise empty_upload("There is nothing in this request: send `samples`, `labels` or `remove`.")
        return document

    def items(self) -> Iterator[Incoming | Rejection]:
        """The images among the samples."""
        for sample in self.samples:
            if "data" in sample:
                try:
                    yield Incoming(sample["key"], base64.b64decode(sample["data"], validate=True))
                except binascii.Error as error:
                    yield Rejection(sample["key"], "data_malformed", f"data: not base64 ({error})")

    def changes(self, received: Received, *, author: User) -> ChangeSet:
        """The change set, with a label for a sample of the same request put onto it."""
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
        return ChangeSet(list(found.values()), remove, rejected, self.message, self.parent)
