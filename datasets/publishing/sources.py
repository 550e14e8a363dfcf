"""Where published versions come from: one class per kind of repository, named in the setting PUBLICATION_SOURCES."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    """The facts about a version in its commit, besides its files."""

    message: str
    author: str
    time: datetime
    meta: Mapping[str, Any] = field(default_factory=dict)
    artifacts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Change:
    """A file that a version adds, changes or removes. `md5` is empty, and `line` None, if it removes it; `size_before`
    is None if it adds it. `line` is the file's line in the documents of JSON lines."""

    key: str
    md5: str
    size: int
    line: bytes | None
    size_before: int | None


class Source(Protocol):
    """The versions of one kind of repository: numbered from 1, immutable, each a directory of files."""

    path: str
    """The name of the directory in its repository."""

    def name_of(self, reference: str) -> str:
        """Return the present name for an id or a name. Raises NotFound."""
        ...

    def project_of(self, name: str) -> int | None:
        """Return the id of the project of the dataset or model that now has this name, None if there is none."""
        ...

    def names_in(self, project: int) -> QuerySet[Any]:
        """Return the names of everything in a project, deleted or not."""
        ...

    def latest(self, name: str) -> int:
        """Return the number of the newest version, 0 if there is none. Raises NotFound."""
        ...

    def latest_of_all(self) -> Mapping[str, int]:
        """Return the number of the newest version of everything that has one, by name."""
        ...

    def facts(self, name: str, number: int) -> Facts:
        """Return the facts about one version."""
        ...

    def entries(self, name: str, number: int) -> Iterator[Entry]:
        """Yield a version's files, sorted by path as code points, in constant memory."""
        ...

    def changes(self, name: str, number: int) -> Sequence[Change] | None:
        """Return what a version changes of the version before; None if reading all of it costs no more."""
        ...

    def documents(self, name: str, number: int) -> Mapping[str, Iterable[bytes]]:
        """Return additional files that describe the version's files, as chunks by path; equal content gives equal
        bytes.

        A `.jsonl` file has an object with a `key` on each line.
        """
        ...

    def blobs(self, name: str, number: int) -> QuerySet[Blob]:
        """Return the blobs of a version's files."""
        ...

    def holds(self, name: str, blob: Blob) -> bool:
        """Whether any version has a file with these bytes."""
        ...

    def adopt(self, name: str, listing: Blob, *, author: User) -> Job:
        """Queue the job that makes a pushed directory the next version. Raises NotAllowed if this kind takes no
        pushes."""
        ...

    def refs(self, name: str, *, up_to: int) -> Mapping[str, int]:
        """Return refs besides the versions' own (`refs/tags/release`, `refs/heads/stable`) and the version each points
        to."""
        ...


@cache
def source(kind: str) -> Source:
    """Return the source of a kind of repository. Raises KeyError for an unknown kind."""
    made: Source = import_string(settings.PUBLICATION_SOURCES[kind])()
    return made


def repositories_of(path: str) -> Callable[[int], Q]:
    """Return a filter on a project's id that matches rows whose repository, found at `path`, belongs to something in
    the project."""

    def rows(project: int) -> Q:
        chosen = Q()
        for kind in settings.PUBLICATION_SOURCES:
            chosen |= Q(**{f"{path}__kind": kind, f"{path}__name__in": source(kind).names_in(project)})
        return chosen

    return rows
