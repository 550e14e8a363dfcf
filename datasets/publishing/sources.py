"""Where published versions come from: one class per kind of repository, named in the setting PUBLICATION_SOURCES."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, Protocol

from django.conf import settings
from django.db.models import QuerySet
from django.utils.module_loading import import_string

from accounts.models import User
from blobs.models import Blob
from jobs.models import Job
from versioning import Entry


@dataclass(frozen=True, slots=True)
class Facts:
    """What a commit tells of a version, besides its files."""

    message: str
    author: str
    time: datetime
    meta: Mapping[str, Any] = field(default_factory=dict)
    artifacts: Mapping[str, Any] = field(default_factory=dict)


class Source(Protocol):
    """The versions of one kind of thing: numbered from 1, immutable, each a directory of files."""

    path: str
    """The name of the directory in its repository."""

    def name_of(self, reference: str) -> str:
        """The name of what is called by an id or a name. Raises NotFound."""
        ...

    def project_of(self, name: str) -> int | None:
        """The id of the project that what has this name now is in, None where nothing has it."""
        ...

    def latest(self, name: str) -> int:
        """The number of the newest version, 0 when there is none. Raises NotFound."""
        ...

    def latest_of_all(self) -> Mapping[str, int]:
        """The same for everything that has a version, by name."""
        ...

    def facts(self, name: str, number: int) -> Facts:
        """About one version."""
        ...

    def entries(self, name: str, number: int) -> Iterator[Entry]:
        """Its files, sorted by path as code points, in constant memory."""
        ...

    def documents(self, name: str, number: int) -> Mapping[str, Iterable[bytes]]:
        """Files that stand beside the others and tell of them, as chunks by path; the same content is the same bytes.

        One that is called `.jsonl` has an object with a `key` on each line.
        """
        ...

    def blobs(self, name: str, number: int) -> QuerySet[Blob]:
        """The bytes of its files."""
        ...

    def holds(self, name: str, blob: Blob) -> bool:
        """One of its versions has a file of these bytes."""
        ...

    def adopt(self, name: str, listing: Blob, *, author: User) -> Job:
        """Queue the job that makes a pushed directory the next version. Raises NotAllowed where nothing is pushed."""
        ...

    def refs(self, name: str, *, up_to: int) -> Mapping[str, int]:
        """Refs beside the versions' own (`refs/tags/release`, `refs/heads/stable`) and the versions they mean."""
        ...


@cache
def source(kind: str) -> Source:
    """The source of a kind of repository. Raises KeyError for an unknown kind."""
    made: Source = import_string(settings.PUBLICATION_SOURCES[kind])()
    return made
