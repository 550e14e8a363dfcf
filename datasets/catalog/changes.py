"""A change set: what a commit is asked to do, before anything is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blobs.models import Blob


@dataclass(slots=True)
class SampleChange:
    """One sample to add or update. None leaves a field as it is, unless the change is `exact`: then None clears it."""

    key: str
    blob: Blob | None = None  # its row may be unsaved: the commit makes it
    split: str | None = None
    label: Mapping[str, Any] | None = None
    meta: Mapping[str, Any] | None = None
    source: str = "import"
    author_id: int | None = None
    seconds: float | None = None
    facts: Mapping[str, Any] | None = None  # of its label: how it came about
    exact: bool = False


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
    labelling: Mapping[str, Any] | None = None  # how its labels came about
