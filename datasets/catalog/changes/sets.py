"""A change set: what a commit is asked to do, before anything is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blobs.models import Blob
from catalog.changes.second_looks import SecondLooks
from catalog.models import Version
from worker_programs.json_text import nests_deeper, write_json

MAX_META_DEPTH = 20
MAX_META_BYTES = 64 << 10


@dataclass(slots=True)
class SampleChange:
    """One sample to add or update. None leaves a field as it is, unless the change is `exact`: then None clears it.

    `meta` merges into what is there, as RFC 7396 has it for the names at its top: a null removes one. It takes the
    place of what is there if the change is `exact`, or says `replace_meta`.
    """

    key: str
    blob: Blob | None = None  # its row may be unsaved: the commit makes it
    original: Blob | None = None  # what `blob` was made of, by a conversion; may be unsaved too
    split: str | None = None
    label: Mapping[str, Any] | None = None
    meta: Mapping[str, Any] | None = None
    source: str = "import"
    author_id: int | None = None
    seconds: float | None = None
    facts: Mapping[str, Any] | None = None  # of its label: how it came about
    exact: bool = False
    sent_as: str = ""  # the path of its file, where its annotations gave it another key
    replace_meta: bool = False
    clear_label: bool = False  # it has none afterwards, whatever it had

    def meta_on(self, before: Mapping[str, Any]) -> dict[str, Any]:
        """The sample's metadata after this change, given those before it."""
        if self.exact:
            return dict(self.meta or {})
        if self.meta is None:
            return dict(before)
        kept = {} if self.replace_meta else {name: before[name] for name in before if name not in self.meta}
        return kept | {name: value for name, value in self.meta.items() if value is not None}


def meta_fault(meta: Mapping[str, Any]) -> str | None:
    """Why this can't be a sample's metadata; None when it can."""
    if nests_deeper(meta, MAX_META_DEPTH):
        return f"is nested more than {MAX_META_DEPTH} levels deep: make it flatter"
    if (size := len(write_json(meta))) > MAX_META_BYTES:
        return f"has {size:,} bytes of JSON, at most {MAX_META_BYTES:,} are kept: leave out what is no metadata"
    return None


@dataclass(frozen=True, slots=True)
class Rejection:
    """One item of a batch that was not taken, and why; the rest of the batch is."""

    key: str
    code: str
    detail: str

    def document(self) -> dict[str, str]:
        return {"key": self.key, "code": self.code, "detail": self.detail}


@dataclass(slots=True)
class ChangeSet:
    """All that one commit does."""

    samples: list[SampleChange] = field(default_factory=list)
    remove: Sequence[str] = ()
    rejected: list[Rejection] = field(default_factory=list)
    message: str = ""
    parent: int | None = None
    allow_near_duplicates: bool = False
    strict: bool = False  # nothing is taken unless all is
    merged: Version | None = None  # the version of another dataset that it takes in
    settles: bool = False  # what both sides changed: a version notes it, also where all of it stays as it is here
    restores: bool = False  # its samples become what they were before: what was decided on them holds
    labelling: Mapping[str, Any] | None = None  # how its labels came about
    looks: SecondLooks = field(default_factory=SecondLooks)  # what was compared before the transaction
