"""Releases as git objects. The same release on the same parent is always the same commit, whoever makes it and when."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from stat import S_IFDIR, S_IFREG

from dulwich.objects import Blob, ObjectID, ShaFile, Tree
from dulwich.objects import Commit as GitCommit

FILE = S_IFREG | 0o644
DIRECTORY = S_IFDIR


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """An entry of a commit's root: a file or a folder, by its git id."""

    mode: int
    sha: str


@dataclass(frozen=True, slots=True)
class Release:
    """One version as git gets it: its files by path, its author, and its time (seconds since the epoch, UTC).

    `entries` are in the root beside the files; `objects` returns the objects they need that no earlier release had.
    """

    number: int
    files: Mapping[str, bytes]
    message: str
    author: str
    time: int
    entries: Mapping[str, TreeEntry] = field(default_factory=dict)
    objects: Callable[[], Iterable[ShaFile]] = tuple


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit's id (40 hex digits) and its new objects besides those of its entries, the commit itself last."""

    sha: str
    objects: tuple[ShaFile, ...]


def commit_of(release: Release, *, parent: str | None) -> Commit:
    """Build the commit of a release on top of the commit of the version before."""
    tree = Tree()
    for name, entry in release.entries.items():
        tree.add(name.encode(), entry.mode, ObjectID(entry.sha.encode()))
    objects = [*_fill(tree, release.files), tree]
    made = GitCommit()
    made.tree = tree.id
    made.parents = [parent.encode()] if parent else []  # type: ignore[list-item]  # an ObjectID is bytes
    made.author = made.committer = _person(release.author)
    made.author_time = made.commit_time = release.time
    made.author_timezone = made.commit_timezone = 0
    made.encoding = b"UTF-8"
    made.message = (release.message.strip() + "\n").encode()
    return Commit(made.id.decode(), (*objects, made))


def _fill(tree: Tree, files: Mapping[str, bytes]) -> Iterator[ShaFile]:
    """Add files to a tree; yields the objects below it."""
    folders: dict[str, dict[str, bytes]] = {}
    for path, content in files.items():
        name, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(name, {})[rest] = content
            continue
        blob = Blob.from_string(content)
        tree.add(name.encode(), FILE, blob.id)
        yield blob
    for name, inside in folders.items():
        below = Tree()
        yield from _fill(below, inside)
        tree.add(name.encode(), DIRECTORY, below.id)
        yield below


def _person(name: str) -> bytes:
    """Return `name <name@..>` without characters that would end the header's line or the address."""
    plain = "".join(c for c in name if c.isprintable() and c not in "<>").strip() or "unknown"
    return f"{plain} <{plain.replace(' ', '.')}@motherlode.invalid>".encode()
