"""Change sets: the requested changes of a commit, before anything is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blobs.models import Blob
from catalog.changes.second_looks import SecondLooks
from catalog.models import Version
from formats import SplitSource
from worker_programs.json_text import nests_deeper, write_json

MAX_META_DEPTH = 20
MAX_META_BYTES = 64 << 10


@dataclass(slots=True)
class SampleChange:
    """One sample to add or update. None keeps a field as it is, unless the change is `exact`: then None clears it.

    `meta` is merged into the sample's metadata at the top level, as in RFC 7396: a null removes a name. It replaces the
    metadata if the change is `exact` or has `replace_meta`.
    """

    key: str
    blob: Blob | None = None  # its row may be unsaved: the commit saves it
    original: Blob | None = None  # the file that `blob` was converted from; may be unsaved too
    split: str | None = None
    split_source: SplitSource | None = None  # what named the split; None: whoever asks for this change
    label: Mapping[str, Any] | None = None
    meta: Mapping[str, Any] | None = None
    source: str = "import"
    author_id: int | None = None
    seconds: float | None = None
    facts: Mapping[str, Any] | None = None  # how its label came about
    exact: bool = False
    sent_as: str = ""  # the path of its file, if its annotations gave it another key
    replace_meta: bool = False
    clear_label: bool = False  # remove the label that it has

    def meta_on(self, before: Mapping[str, Any]) -> dict[str, Any]:
        """Return the sample's metadata after this change, given its metadata before."""
        if self.exact:
            return dict(self.meta or {})
        if self.meta is None:
            return dict(before)
        kept = {} if self.replace_meta else {name: before[name] for name in before if name not in self.meta}
        return kept | {name: value for name, value in self.meta.items() if value is not None}


def meta_fault(meta: Mapping[str, Any]) -> str | None:
    """Return why `meta` can't be a sample's metadata, or None if it can."""
    if nests_deeper(meta, MAX_META_DEPTH):
        return f"is nested more than {MAX_META_DEPTH} levels deep: make it flatter"
    if (size := len(write_json(meta))) > MAX_META_BYTES:
        return f"has {size:,} bytes of JSON, at most {MAX_META_BYTES:,} are kept: leave out what is no metadata"
    return None


@dataclass(frozen=True, slots=True)
class Rejection:
    """One rejected item of a batch, and why; the rest of the batch is accepted. `count` is more than 1 where it stands
    for faults that are not listed one by one."""

    key: str
    code: str
    detail: str
    count: int = 1

    def document(self) -> dict[str, str]:
        return {"key": self.key, "code": self.code, "detail": self.detail}


@dataclass(slots=True)
class ChangeSet:
    """All changes of one commit."""

    samples: list[SampleChange] = field(default_factory=list)
    remove: Sequence[str] = ()
    rejected: list[Rejection] = field(default_factory=list)
    message: str = ""
    parent: int | None = None
    allow_near_duplicates: bool = False
    strict: bool = False  # accept nothing unless everything is accepted
    merged: Version | None = None  # the version of another dataset that it merges
    settles: bool = False  # both sides of the merge changed a sample: a version records it, even if no sample changes
    restores: bool = False  # returns samples to an earlier state: earlier decisions on near-duplicates hold
    labelling: Mapping[str, Any] | None = None  # how its labels came about
    looks: SecondLooks = field(default_factory=SecondLooks)  # pairs compared before the transaction
