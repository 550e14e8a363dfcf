"""Where published versions come from: one class per kind of repository, named in the setting PUBLICATION_SOURCES."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, Protocol

from django.conf import settings
from django.db.models import Q, QuerySet
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

    def names_in(self, project: int) -> QuerySet[Any]:
        """The names of all that is in a project, deleted or not."""
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


def repositories_of(path: str) -> Callable[[int], Q]:
    """Which rows belong to a project, by its id: those whose repository, where `path` leads, is of something in it."""

    def rows(project: int) -> Q:
        chosen = Q()
        for kind in settings.PUBLICATION_SOURCES:
            chosen |= Q(**{f"{path}__kind": kind, f"{path}__name__in": source(kind).names_in(project)})
        return chosen

    return rows
