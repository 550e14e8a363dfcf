"""A bare git repository on this machine's disk that is only a cache: it can be rebuilt from releases.

Processes share it. Changes are made under a file lock, objects before the refs that name them; a rebuilt repository
lies beside the old one until a symbolic link is swapped, so a reader sees one or the other, never a partial one.
"""

import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dulwich.objects import ObjectID, ShaFile
from dulwich.refs import Ref, check_ref_format
from dulwich.repo import Repo

from versioning.errors import RepositoryDamaged
from versioning.history import Release, commit_of

MAIN = "refs/heads/main"
NO_BRANCH = (
    "must be a name that a branch of git can have beside `main`, which is the newest version: choose another name"
)
LOOSE_OBJECTS = 500  # up to this number, new objects are written one by one, more of them as one pack
OBJECTS_PER_PACK = 20_000  # approximate; this many are in memory when a repository is rebuilt


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the repository must hold: its head's number and commit (0 and None if nothing is published), refs besides
    the versions' own `refs/tags/v<n>`, and `since(n)`: the releases after number n with their commits, in order."""

    number: int
    commit: str | None
    since: Callable[[int], Iterable[tuple[Release, str]]]
    number_of: Callable[[str], int | None]
    refs: Mapping[str, str]


class Mirror:
    """The repository in `folder`; safe to use from many processes and threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._link = folder / "repository"

    @contextmanager
    def opened(self, wanted: Wanted) -> Iterator[Repo]:
        """Open the repository, brought up to what is wanted. Raises RepositoryDamaged: then `drop` it and open it
        again."""
        repo = self._open()
        if repo is None or not _is_current(repo, wanted):
            if repo is not None:
                repo.close()
            self._bring_up(wanted)
            repo = self._open()
        if repo is None:
            raise RepositoryDamaged(f"the repository in {self.folder} went away")
        with repo:
            yield repo

    def drop(self) -> None:
        """Delete the repository; the next `opened` rebuilds it."""
        with self._locked():
            self._link.unlink(missing_ok=True)
            self._sweep()

    def _open(self) -> Repo | None:
        """Open the repository; None if there is none, or it is broken."""
        try:
            return _verified(Repo(str(self._link)))
        except Exception:  # noqa: BLE001 - however it is broken, it is made anew
            return None

    def _bring_up(self, wanted: Wanted) -> None:
        with self._locked():
            repo = self._open()
            if repo is not None and _is_current(repo, wanted):
                repo.close()
                return  # another process was first
            known = None if repo is None else _number(repo, wanted)
            if repo is not None and known is not None:
                with repo:
                    if known <= wanted.number:  # else another process has added a later release already
                        _extend(repo, wanted, after=known)
                return
            made = self.folder / f"made-{secrets.token_hex(8)}"
            made.mkdir()
            with Repo.init_bare(str(made), default_branch=b"main") as repo:
                _extend(repo, wanted, after=0)
            fresh = made.with_suffix(".link")
            fresh.symlink_to(made.name)
            fresh.replace(self._link)
            self._sweep()

    def _sweep(self) -> None:
        """Remove repositories that the link doesn't point to. (A reader of one of them gets an error and opens the new
        one.)"""
        current = self._link.readlink().name if self._link.is_symlink() else ""
        for path in self.folder.glob("made-*"):
            if path.is_dir() and not path.is_symlink() and path.name != current:
                shutil.rmtree(path, ignore_errors=True)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
        finally:
            os.close(file)


def _is_current(repo: Repo, wanted: Wanted) -> bool:
    try:
        refs = {name: sha for name, sha in _refs(repo).items() if not _is_version(name)}
    except Exception:  # noqa: BLE001 - as above
        return False
    return refs == _named(wanted)


def _named(wanted: Wanted) -> dict[str, str]:
    return ({MAIN: wanted.commit} if wanted.commit else {}) | dict(wanted.refs)


def _refs(repo: Repo) -> dict[str, str]:
    return {name.decode(): sha.decode() for name, sha in repo.refs.as_dict().items() if name != b"HEAD"}


def _is_version(ref: str) -> bool:
    return ref.startswith("refs/tags/v") and ref.removeprefix("refs/tags/v").isdecimal()


def _number(repo: Repo, wanted: Wanted) -> int | None:
    """Return the number of the repository's last release; None if its history is not that of our releases (any
    more)."""
    try:
        sha = _refs(repo).get(MAIN)
        return 0 if sha is None else wanted.number_of(sha)
    except Exception:  # noqa: BLE001 - as above
        return None


def _extend(repo: Repo, wanted: Wanted, *, after: int) -> None:
    """Add the releases after the number `after`, then the refs. Raises RepositoryDamaged if a commit differs from its
    row's."""
    objects: dict[ObjectID, ShaFile] = {}
    tags: dict[str, str] = {}
    parent = _refs(repo).get(MAIN) if after else None
    for release, expected in wanted.since(after):
        made = commit_of(release, parent=parent)
        if made.sha != expected:
            raise RepositoryDamaged(f"release {release.number} is commit {made.sha}, but its row says {expected}")
        objects |= {one.id: one for one in (*made.objects, *release.objects())}
        if len(objects) > OBJECTS_PER_PACK:
            _add(repo, list(objects.values()))
            objects.clear()
        tags[f"refs/tags/v{release.number}"] = parent = made.sha
    _add(repo, list(objects.values()))
    new = {**tags, **_named(wanted)}
    if after:
        for name, sha in new.items():
            repo.refs[_ref(name)] = ObjectID(sha.encode())
    else:
        repo.refs.add_packed_refs({_ref(name): ObjectID(sha.encode()) for name, sha in new.items()})
    for name in _refs(repo).keys() - new.keys():
        if not _is_version(name):
            repo.refs.remove_if_equals(_ref(name), None)


def _add(repo: Repo, objects: list[ShaFile]) -> None:
    if len(objects) > LOOSE_OBJECTS:
        repo.object_store.add_objects([(one, None) for one in objects])
        return
    for one in objects:
        repo.object_store.add_object(one)


def is_ref(name: str) -> bool:
    """Whether git accepts this as the name of a ref."""
    return check_ref_format(_ref(name))


def is_branch(name: str) -> bool:
    """Whether this can be the name of a branch besides the versions' own."""
    ref = f"refs/heads/{name}"
    return ref != MAIN and is_ref(ref)


def _ref(name: str) -> Ref:
    return Ref(name.encode())


_checked: dict[str, tuple[int, int]] = {}


def _verified(repo: Repo) -> Repo:
    """Return the repository after checking its packs' checksums, once for each state of their files, because objects
    copied out of a pack are not checked again. Raises any error that shows it is broken."""
    if repo.refs.read_ref(_ref("HEAD")) != f"ref: {MAIN}".encode():
        raise RepositoryDamaged("its HEAD leads elsewhere")
    for pack in repo.object_store.packs:
        path = str(pack.data.path)
        facts = Path(path).stat()
        state = (facts.st_mtime_ns, facts.st_size)
        if _checked.get(path) != state:
            pack.data.check()
            _checked[path] = state
    return repo
