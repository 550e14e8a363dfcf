"""Import an existing DVC repository into a dataset: one commit per revision, read through DVC's own file system.

The revisions are checked out one after the other into one folder, where only changed files are fetched, and pushed from
there. A version's message names its git commit, so an interrupted run continues where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from motherlode.client import Motherlode
from motherlode.errors import MotherlodeError
from motherlode.pushing import PushTerms, push_folder
from worker_programs.filekinds import IMAGE_SUFFIXES
from worker_programs.names import usable_name

if TYPE_CHECKING:
    from dvc.api import DVCFileSystem

    from motherlode.documents import Commit

THREADS = 4
LABELS, SCHEMA = "labels.jsonl", "schema.json"
# Fetching every file to check it would cost too much: names decide here, and the push rejects what it can't take.
NAMED_LIKE_IMAGES = IMAGE_SUFFIXES | {".avif", ".bmp", ".gif", ".heic", ".heif", ".tif", ".tiff"}


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit of the DVC repository, with the name under which the caller requested it."""

    name: str
    sha: str


@dataclass(frozen=True, slots=True)
class Adopted:
    """The outcome for one revision. `commit` is None when the dataset already had the revision. `left_out` are the
    files that were not read, as not named like images."""

    revision: Revision
    commit: Commit | None
    left_out: Sequence[str] = ()


def default_name(url: str) -> str:
    """Return the default name of a dataset imported from this URL."""
    last = urlsplit(url).path.rstrip("/").rpartition("/")[2].removesuffix(".git")
    return usable_name(last) or "adopted"


def revisions(url: str, *, rev: str | None = None, all_tags: bool = False) -> list[Revision]:
    """Return the revisions to import, the oldest first: all tags, or the one named (by default the repository's
    head)."""
    from dvc.repo import Repo

    with _told(url), Repo.open(url) as repo:
        scm = repo.scm
        names = scm.list_tags() if all_tags else [rev or "HEAD"]
        commits = [(scm.resolve_commit(name), name) for name in names]
        commits.sort(key=lambda found: (found[0].commit_time, _same_second(scm, found[0]), _natural(found[1])))
        return [Revision(name, commit.hexsha) for commit, name in commits]


def adopt(
    client: Motherlode,
    dataset: str,
    url: str,
    wanted: Sequence[Revision],
    *,
    path: str = "data",
    classes: Sequence[str] = (),
    convert: bool = False,
    on_revision: Callable[[Adopted], None] = lambda _: None,
) -> list[Adopted]:
    """Commit each revision of the directory `path`, in order; skip those that the dataset already has.

    If the dataset does not exist, create it: with these classes, else as the `schema.json` of the first revision says,
    else with the classes that its folders name. `convert` is as in `PushTerms`. Raises MotherlodeError: `dvc_failed`
    for what DVC can't read, `classes_unknown` if nothing names classes, and what `push_folder` raises.
    """
    done: list[Adopted] = []
    known = _known(client, dataset)
    with tempfile.TemporaryDirectory(prefix="lode-import-") as name:
        checkout = _Checkout(url, path, Path(name))
        for revision in wanted:
            commit, left_out = None, list[str]()
            if revision.sha not in (known or ()):
                checkout.look_at(revision)
                made = _made(checkout, classes) if known is None else {}  # before images are fetched: it may refuse
                checkout.fetch()
                if known is None:
                    client.datasets.create(dataset, **made)
                    known = set()
                message = f"{revision.name} of {url} (git {revision.sha})"
                terms = PushTerms(message=message, delete=True, convert=convert)
                commit = push_folder(client, dataset, checkout.folder, terms).commit
                known.add(revision.sha)
                left_out = checkout.left_out
            done.append(Adopted(revision, commit, left_out))
            on_revision(done[-1])
    return done


class _Checkout:
    """A local copy of a directory of the DVC repository, moved from one revision to the next. `files` maps path to
    md5, and `left_out` names the other files, of the revision last looked at."""

    def __init__(self, url: str, path: str, folder: Path) -> None:
        self.url = url
        self.path = path.strip("/")
        self.folder = folder
        self.files: dict[str, str | None] = {}
        self.left_out: list[str] = []
        self.schema: dict[str, Any] = {}
        self._fetched: dict[str, str | None] = {}
        self._foreign: DVCFileSystem

    def look_at(self, revision: Revision) -> None:
        """List a revision. Of other files than images, only the labels and the schema that a Motherlode publishes are
        read."""
        from dvc.api import DVCFileSystem

        with _told(self.url):
            self._foreign = foreign = DVCFileSystem(self.url, rev=revision.sha)
            self.files, self.left_out = {}, []
            for place, facts in foreign.find(self.path, detail=True).items():
                name = place.removeprefix(f"/{self.path}/").removeprefix(f"{self.path}/")
                if Path(name).suffix.lower() in NAMED_LIKE_IMAGES or name == LABELS:
                    self.files[name] = facts.get("md5")
                elif name != SCHEMA:
                    self.left_out.append(name)
            if not self.files.keys() - {LABELS}:
                raise self._empty(revision, there=foreign.isdir(self.path))
            if foreign.exists(schema := f"{self.path}/{SCHEMA}"):
                self.schema = _schema(foreign.read_bytes(schema))

    def fetch(self) -> None:
        """Fetch files of the listed revision that differ, delete files that are gone."""
        with _told(self.url):
            for name in self._fetched.keys() - self.files.keys():
                (self.folder / name).unlink()
            new = [name for name, md5 in self.files.items() if md5 is None or self._fetched.get(name) != md5]
            self._fetch(self._foreign, new)
        self._fetched = self.files

    def _empty(self, revision: Revision, *, there: bool) -> MotherlodeError:
        place = f"{self.url} at {revision.name}"
        detail = f"{self.path} in {place} holds no images" if there else f"there is no directory {self.path} in {place}"
        return MotherlodeError(status=0, code="dvc_failed", detail=detail)

    def _fetch(self, foreign: DVCFileSystem, names: Sequence[str]) -> None:
        root = self.folder.resolve()
        for name in names:
            target = (root / name).resolve()
            if not target.is_relative_to(root):
                raise MotherlodeError(status=0, code="dvc_failed", detail=f"{name!r} lies outside of {self.path!r}")
            target.parent.mkdir(parents=True, exist_ok=True)

        def fetch(name: str) -> None:
            foreign.get_file(f"{self.path}/{name}", str(root / name))
            md5 = self.files[name]  # DVC itself doesn't check what a remote sends
            if md5 and name != LABELS and (found := _md5(root / name)) != md5:
                told = f"its remote sent other bytes for {self.path}/{name} (md5 {found}) than were added ({md5})"
                raise MotherlodeError(status=0, code="dvc_failed", detail=f"{self.url}: {told}; push them to it again")

        with ThreadPoolExecutor(THREADS, thread_name_prefix="adopt") as pool:
            list(pool.map(fetch, names))


class _told:  # noqa: N801 - reads as a statement: with _told(url)
    """Context manager that turns the errors of DVC and git into errors of the client."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: Any) -> None:
        from dvc.exceptions import DvcException
        from dvc_data.index import DataIndexDirError
        from scmrepo.exceptions import SCMError

        if isinstance(error, DvcException | DataIndexDirError | SCMError | OSError):
            why = f"{error}: {error.__cause__}" if error.__cause__ else str(error)
            if isinstance(error, DataIndexDirError):
                why += "; was it pushed, to a remote that can be reached and read from here?"
            raise MotherlodeError(status=0, code="dvc_failed", detail=f"DVC can't read {self.url}: {why}") from error


def _known(client: Motherlode, dataset: str) -> set[str] | None:
    """Return the git commits named in the messages of the dataset's versions; None if there is no such dataset."""
    try:
        rows = list(client.datasets.versions(dataset))
    except MotherlodeError as error:
        if error.code == "dataset_unknown":
            return None
        raise
    return {found[1] for row in rows if (found := re.search(r"\(git ([0-9a-f]{40})\)", row["message"]))}


def _schema(data: bytes) -> dict[str, Any]:
    """Return the creation fields that a published `schema.json` gives; an empty dict if the file is something else."""
    try:
        found = json.loads(data)
        return {name: found[name] for name in ("task", "multi_label", "classes")}
    except (ValueError, KeyError, TypeError):
        return {}


def _made(checkout: _Checkout, classes: Sequence[str]) -> dict[str, Any]:
    """Return the creation fields of a dataset for the revision that `checkout` looked at."""
    from formats.class_names import told_classes

    made = checkout.schema | ({"classes": list(classes)} if classes else {})
    if "classes" not in made:
        made["classes"] = told_classes([name for name in checkout.files if name != LABELS], []).names
    if not made["classes"]:
        told = f"no folders of {checkout.path} in {checkout.url} name classes: give the new dataset's by --classes"
        raise MotherlodeError(status=0, code="classes_unknown", detail=told)
    return made


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def _same_second(scm: Any, commit: Any) -> int:
    """Count the ancestors committed in the same second, the resolution of git's clock: commits made by a script all
    share one."""
    seen: set[str] = set()
    todo = [commit]
    while todo:
        for sha in set(todo.pop().parents) - seen:
            parent = scm.resolve_commit(sha)
            if parent.commit_time == commit.commit_time:
                seen.add(sha)
                todo.append(parent)
    return len(seen)


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a sort key that puts v10 after v9."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", name)]
