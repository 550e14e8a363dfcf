"""Push a folder into a dataset as one commit: hash locally, ask which images are missing, send only those, commit by
digests.

Only the digests of local files are kept between runs: the platform itself says which images it has. A killed push
therefore continues where it stopped when it is started again, and at most the batches in flight are sent twice.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from motherlode.archives import write_tar
from motherlode.client import Motherlode
from motherlode.errors import MotherlodeError
from motherlode.folders import (
    FolderFiles,
    LocalFile,
    files_in,
    names_a_file,
    no_images,
    note_version,
    origin_of,
    path_below,
)
from motherlode.hashes import HashCache
from motherlode.rebasing import base_of, pulled_version, replayed, stale_folder
from motherlode.resources.datasets import Datasets
from motherlode.transport import Upload
from worker_programs.filekinds import HIDDEN_FILE
from worker_programs.wording import plural

if TYPE_CHECKING:
    from motherlode.documents import Commit, LiveJob, PassedOver, Rejection, SplitEnum


THREADS = 4
ASKED_AT_ONCE = 2000
BATCH_BYTES = 8 << 20
BATCH_FILES = 2000
COMMIT_ATTEMPTS = 3
REFUSED = "item_refused"  # the code of refused files among what a commit passed over

OnStep = Callable[[str, int, int], None]
"""Callback for progress: the step (`hash` counts files, `send` bytes), the units done and the total."""


@dataclass(frozen=True, slots=True)
class PushTerms:
    """How a folder is committed: on the version that was pulled into it, on `parent`, or with `onto_head` on any head.
    `delete` also removes the keys that the folder lacks: of the split or filter that was pulled into it, if any, else
    of all. With `replace_metadata` the annotations' metadata replaces all of a sample's, else it is merged. With
    `convert` the platform turns images of other kinds into PNG or JPEG, and keeps what was sent. `names_encoding` is
    that of an archive's names which are not UTF-8."""

    form: str = "auto"
    split: SplitEnum | None = None
    message: str = ""
    parent: int | None = None
    rebase: bool = False
    delete: bool = False
    annotations: Path | None = None
    allow_near_duplicates: bool = False
    keep_partial: bool = False
    strict: bool = False
    onto_head: bool = False
    replace_metadata: bool = False
    convert: bool = False
    names_encoding: str | None = None


@dataclass(slots=True)
class Pushed:
    """The result of a push. `sent_files` and `sent_bytes` count the images sent, not those that the platform already
    had."""

    commit: Commit
    files: int
    sent_files: int = 0
    sent_bytes: int = 0


@dataclass(slots=True)
class Plan:
    """The folder's files by digest, and what the push knows about them so far."""

    documents: Upload | None  # annotation files that lie among the images, packed
    convert: bool = False
    digests: dict[str, str] = field(default_factory=dict)  # by key
    files: dict[str, LocalFile] = field(default_factory=dict)  # one by md5
    rejected: dict[str, Rejection] = field(default_factory=dict)  # by key
    sent_files: int = 0
    sent_bytes: int = 0


def push_folder(
    client: Motherlode,
    dataset: str,
    folder: Path,
    terms: PushTerms,
    *,
    cache: HashCache | None = None,
    on_step: OnStep = lambda *_: None,
    on_progress: Callable[[LiveJob], None] | None = None,
) -> Pushed:
    """Commit the images below `folder`, with the annotation files beside them unless `terms` names another. Raises
    MotherlodeError: `folder_empty`, `nothing_accepted`, `stale_parent`, `rebase_conflict`, and what the platform
    refuses."""
    datasets = client.datasets
    datasets.get(dataset)  # an unknown one is refused before the files are hashed
    pulled = None if terms.onto_head else pulled_version(client, dataset, folder)
    base = base_of(client, dataset, parent=terms.parent, pulled=pulled, compared=terms.rebase or terms.delete)
    found = files_in(folder, convert=terms.convert)
    plan = Plan(None if terms.annotations else _documents(found), terms.convert)
    hashed = _hashed(folder, found, plan, cache or HashCache(folder), on_step)
    _send_missing(datasets, dataset, plan, hashed, on_step)
    remove = _absent(datasets, dataset, plan, base, folder) if terms.delete and base else []
    for attempt in range(1, COMMIT_ATTEMPTS + 1):
        try:
            commit = _commit(datasets, dataset, plan, remove, terms, parent=base, on_progress=on_progress)
            break
        except MotherlodeError as error:
            if error.code == "stale_parent" and base is not None and base == pulled and not terms.rebase:
                raise stale_folder(error, dataset, folder, base) from error
            if attempt == COMMIT_ATTEMPTS:
                raise
            base = _next_base(client, dataset, plan, remove, terms, base=base, error=error)
            left = [(plan.files[md5], md5) for md5 in dict.fromkeys(plan.digests.values()) if md5 in plan.files]
            _send_missing(datasets, dataset, plan, left, on_step)
    if pulled is not None and base == pulled:  # after a rebase the folder lacks the others' changes
        note_version(folder, commit["version"] or 0)
    _add_refused(commit, [*plan.rejected.values(), *found.left])
    return Pushed(commit, len(plan.digests) + len(plan.rejected), plan.sent_files, plan.sent_bytes)


def _add_refused(commit: Commit, refused: Sequence[Rejection]) -> None:
    """Put the files that were refused or left behind before the commit among what it did not take."""
    commit["rejected"] = [*refused, *commit["rejected"]]
    counted = [item for item in refused if item["code"] != HIDDEN_FILE]
    if counted:
        rows = commit.get("passed_over", [])
        before = sum(row["count"] for row in rows if row["code"] == REFUSED)
        row: PassedOver = {"code": "item_refused", "what": "files or parts of them were refused",
                           "count": before + len(counted), "first": counted[0]["key"]}  # fmt: skip
        commit["passed_over"] = [row, *(row for row in rows if row["code"] != REFUSED)]


def _next_base(
    client: Motherlode, dataset: str, plan: Plan, remove: list[str], terms: PushTerms, *, base: int | None,
    error: MotherlodeError,
) -> int | None:  # fmt: skip
    """Return the version to retry the commit on after this error; raise the error if a retry can't help."""
    if error.code == "bytes_missing":
        return base
    if error.code != "stale_parent" or not terms.rebase or base is None:
        raise error
    # Annotations and a split concern every sample; without them a push says only what the bytes are.
    all_ours = bool(terms.annotations or terms.split or plan.documents)
    return replayed(client, dataset, plan.digests, remove, base=base, error=error, all_ours=all_ours)


def _hashed(
    folder: Path, found: FolderFiles, plan: Plan, cache: HashCache, on_step: OnStep
) -> Iterator[tuple[LocalFile, str]]:
    """Yield the files to commit with their md5, once per md5; record each in the plan."""
    if not found.images:
        raise no_images(folder, found)
    files = []
    for file in found.images:
        if file.key.isprintable():
            files.append(file)
        else:
            key = ascii(file.key)[1:-1]
            plan.rejected[file.key] = {"key": key, "code": "key_malformed", "detail": "the name is not printable text"}
    for file, md5 in cache.digests(files, on_file=lambda done: on_step("hash", done, len(files))):
        plan.digests[file.key] = md5
        if md5 not in plan.files:
            plan.files[md5] = file
            yield file, md5


def _send_missing(
    datasets: Datasets, dataset: str, plan: Plan, files: Iterable[tuple[LocalFile, str]], on_step: OnStep
) -> None:
    """Send the images that the platform lacks, several batches at a time, while `files` is still being read; the
    platform keeps what arrived."""
    total = done = 0

    def missing() -> Iterator[tuple[str, LocalFile]]:
        nonlocal total
        for asked in _cut(files):
            lacking = [(md5, asked[md5]) for md5 in datasets.missing(dataset, list(asked), convert=plan.convert)]
            total += sum(file.size for _, file in lacking)
            on_step("send", done, total)
            yield from lacking

    with ThreadPoolExecutor(THREADS, thread_name_prefix="push") as pool:
        for batch in _in_order(
            pool, lambda batch: _send(datasets, dataset, batch, convert=plan.convert), _batches(missing())
        ):
            _take_answer(plan, batch)
            done += batch.size
            on_step("send", done, total)


def _cut(files: Iterable[tuple[LocalFile, str]]) -> Iterator[dict[str, LocalFile]]:
    """Split the files into dicts by md5, each small enough for one request."""
    iterator = iter(files)
    while asked := {md5: file for file, md5 in islice(iterator, ASKED_AT_ONCE)}:
        yield asked


@dataclass(frozen=True, slots=True)
class _Sent:
    """The answer to one batch: the stored md5, or the rejection, of each image by the md5 under which it was sent."""

    count: int
    size: int
    stored: dict[str, str]
    rejected: dict[str, Rejection]


def _send(datasets: Datasets, dataset: str, batch: Sequence[tuple[str, LocalFile]], *, convert: bool) -> _Sent:
    packed = io.BytesIO()
    # Named by digest: the commit checks the keys.
    write_tar(packed, ((md5, file.path.read_bytes()) for md5, file in batch))
    try:
        answer = datasets.stage(dataset, packed.getvalue(), convert=convert)
    except MotherlodeError as fault:
        if fault.code != "too_many_pixels" or len(batch) < 2:
            raise
        half = len(batch) // 2
        parts = [_send(datasets, dataset, part, convert=convert) for part in (batch[:half], batch[half:])]
        return _Sent(
            len(batch), sum(part.size for part in parts), parts[0].stored | parts[1].stored,
            parts[0].rejected | parts[1].rejected,
        )  # fmt: skip
    stored = {one["key"]: one["md5"] for one in answer["results"]}
    rejected = {item["key"]: item for item in answer["rejected"]}
    return _Sent(len(batch), sum(file.size for _, file in batch), stored, rejected)


def _take_answer(plan: Plan, batch: _Sent) -> None:
    """Reject the keys of refused bytes; for a file that changed since it was hashed, record the md5 of what was
    sent."""
    changed = {announced: md5 for announced, md5 in batch.stored.items() if announced != md5}
    if batch.rejected or changed:
        for key, md5 in list(plan.digests.items()):
            if md5 in batch.rejected:
                plan.rejected[key] = {**batch.rejected[md5], "key": key}
                del plan.digests[key]
            elif md5 in changed:
                plan.digests[key] = changed[md5]
    plan.sent_files += batch.count
    plan.sent_bytes += batch.size


def _batches(files: Iterable[tuple[str, LocalFile]]) -> Iterator[list[tuple[str, LocalFile]]]:
    batch: list[tuple[str, LocalFile]] = []
    held = 0
    for md5, file in files:
        if batch and (held + file.size > BATCH_BYTES or len(batch) >= BATCH_FILES):
            yield batch
            batch, held = [], 0
        batch.append((md5, file))
        held += file.size
    if batch:
        yield batch


def _in_order(
    pool: ThreadPoolExecutor, work: Callable[[list[tuple[str, LocalFile]]], _Sent],
    batches: Iterable[list[tuple[str, LocalFile]]],
) -> Iterator[_Sent]:  # fmt: skip
    """Yield the results as they complete, with at most one batch per thread in memory. The first error ends it."""
    waiting: set[Future[_Sent]] = set()
    for batch in batches:
        waiting.add(pool.submit(work, batch))
        if len(waiting) >= THREADS:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (one.result() for one in done)
    yield from (one.result() for one in wait(waiting).done)


def _absent(datasets: Datasets, dataset: str, plan: Plan, base: int, folder: Path) -> list[str]:
    """Return the keys of the version that the folder lacks. A key is not absent if its image was only rejected, if a
    push ignores its file (a hidden file, a name that doesn't look like an image), or if a pull can't have written
    it."""
    here = plan.digests.keys() | plan.rejected.keys()
    origin = origin_of(folder)
    brought = datasets.manifest(dataset, base, split=origin.get("split"), chosen=origin.get("filter"))
    keys = (line["key"] for line in brought)
    return [key for key in keys if key not in here and names_a_file(key) and not path_below(folder, key).exists()]


def _commit(
    datasets: Datasets, dataset: str, plan: Plan, remove: Sequence[str], terms: PushTerms, *, parent: int | None,
    on_progress: Callable[[LiveJob], None] | None,
) -> Commit:  # fmt: skip
    if not plan.digests and not remove and not plan.rejected:  # a rebase left every key as others made it
        return {"version": parent, "parent": parent, "added": 0, "updated": 0, "removed": 0, "labelled": 0,
                "unchanged": 0, "rejected": [], "converted": 0, "corrected": 0, "splits": [],
                "near_duplicates": [], "leaks": [], "held_out": None, "likeness": None,
                "exact_duplicates": {"in_commit": 0, "in_dataset": 0, "pairs": []}}  # fmt: skip
    if terms.strict and plan.rejected:
        refusal = f"{plural(len(plan.rejected), 'image')} can't be taken, so nothing was"
        detail = f"{refusal}; annotation files were not looked at yet"
        refused = {"rejected": list(plan.rejected.values())}
        raise MotherlodeError(status=0, code="not_all_accepted", detail=detail, extra=refused)
    if not plan.digests and not remove:
        first = next(iter(plan.rejected.values()))
        refusal = f"nothing could be taken of {plural(len(plan.rejected), 'image')}"
        detail = f"{refusal}; the first, {first['key']}: {first['detail']}"
        refused = {"rejected": list(plan.rejected.values())}
        raise MotherlodeError(status=0, code="nothing_accepted", detail=detail, extra=refused)
    with tempfile.TemporaryFile() as lines:
        for key, md5 in plan.digests.items():
            lines.write(json.dumps({"key": key, "md5": md5}).encode() + b"\n")
        for key in remove:
            lines.write(json.dumps({"key": key, "remove": True}).encode() + b"\n")
        named = terms.annotations
        notes = Upload(named.name, named.read_bytes()) if named else plan.documents
        return datasets.commit_listing(
            dataset, lines, annotations=notes, form=terms.form, split=terms.split,
            message=terms.message, parent=parent,
            allow_near_duplicates=terms.allow_near_duplicates, keep_partial=terms.keep_partial, strict=terms.strict,
            replace_metadata=terms.replace_metadata, convert=terms.convert, names_encoding=terms.names_encoding,
            on_progress=on_progress,
        )  # fmt: skip


def _documents(found: FolderFiles) -> Upload | None:
    """Pack the annotation files of a folder into an archive."""
    packed = io.BytesIO()
    named = (file for file in found.documents if file.key.isprintable())
    count = write_tar(packed, ((file.key, file.path.read_bytes()) for file in named))
    return Upload("annotations.tar", packed.getvalue()) if count else None
