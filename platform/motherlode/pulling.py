"""Pull a version into a folder: read its manifest, keep the files that are here already, fetch the rest in batches and
verify them.

A file appears under its name only when it is complete, so a killed pull continues where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import stat
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from motherlode.client import Motherlode
from motherlode.errors import MotherlodeError, UnreachableError
from motherlode.folders import LABELS, NOTES, ORIGIN, LocalFile, clashing_keys, names_a_file, path_below
from motherlode.hashes import HashCache
from motherlode.overwriting import digest_of, refuse_edits, with_earlier
from motherlode.resources.filters import Filter
from worker_programs.wording import plural

if TYPE_CHECKING:
    from motherlode.documents import ManifestSample, SplitEnum


THREADS = 4
BATCH_BYTES = 16 << 20
BATCH_BLOBS = 2000
ROUNDS = 4  # blobs that a broken connection left out are requested again
CHUNK = 1 << 20
PARTIAL = ".partial-"

OnStep = Callable[[str, int, int], None]
"""Callback for progress: the step (`check` counts files, `fetch` bytes), the units done and the total."""


@dataclass(slots=True)
class Pulled:
    """The result of a pull: the number of files, what had to be fetched for them, the keys left out because no file can
    have such a name, and the keys whose file was kept because it is the original of a converted image."""

    version: int
    files: int
    fetched_files: int = 0
    fetched_bytes: int = 0
    left_out: list[str] = field(default_factory=list)
    kept_originals: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Wanted:
    """One blob that is missing here, and the paths to write it to."""

    md5: str
    size: int
    paths: list[Path] = field(default_factory=list)


def pull_version(
    client: Motherlode,
    dataset: str,
    folder: Path,
    version: int | str = "head",
    *,
    split: SplitEnum | None = None,
    chosen: Filter | None = None,
    force: bool = False,
    cache: HashCache | None = None,
    on_step: OnStep = lambda *_: None,
) -> Pulled:
    """Write the images of a version (those of the split that pass the filter) below `folder`, each under its key, with
    their labels in `.motherlode`.

    Files of other names are left alone, and so is a file that is the original of its sample's converted image. Unless
    `force` is set, a file to overwrite that no pull wrote stops the pull before anything changes. Raises
    MotherlodeError: `files_edited` for such files, `key_unsafe` for a link out of the folder, `key_clash`,
    `blobs_missing`, and what the platform refuses.
    """
    about = client.datasets.get(dataset)
    number = client.datasets.version(dataset, version)["version"]
    # With slices expanded to their present filters, so that a later `push --delete` looks at the same samples.
    passing = client.filters.check(dataset, chosen, number)["filter"] if chosen is not None else None
    named = list(client.datasets.manifest(dataset, number, split=split, chosen=passing))
    listed = [line for line in named if names_a_file(line["key"])]
    left_out = [line["key"] for line in named if not names_a_file(line["key"])]
    places = _places(folder, listed)
    digests = _digests(listed, places, cache or HashCache(folder), on_step)
    originals = [line["key"] for line in listed if line["original"] and digests.get(line["key"]) == line["original"]]
    here = {line["key"] for line in listed if digests.get(line["key"]) == line["md5"]} | set(originals)
    missing = [line for line in listed if line["key"] not in here]
    labels = _labels(listed)
    if not force:
        there = (line["key"] for line in missing if os.path.lexists(places[line["key"]]))
        refuse_edits(client, folder, {key: digests.get(key) for key in there}, labels)
    origin = {"dataset": about["name"], "created": about["created"], "version": number, "split": split,
              "filter": passing, "labels": digest_of(labels)}  # fmt: skip
    _make_folders(folder, places)
    # Before any image, so that a killed pull has its note.
    _write(folder / NOTES / ORIGIN, json.dumps(with_earlier(folder, origin)).encode())
    _write(folder / NOTES / LABELS, labels)
    wanted = _wanted(missing, places)
    files, size = sum(len(one.paths) for one in wanted.values()), sum(one.size for one in wanted.values())
    done = 0
    on_step("fetch", 0, size)
    for _ in range(ROUNDS):
        for arrived in _fetched(client, list(wanted.values())):
            done += wanted.pop(arrived).size
            on_step("fetch", done, size)
        if not wanted:
            return Pulled(number, len(listed), files, size, left_out, originals)
    raise _incomplete(client, wanted)


def _places(folder: Path, listed: Sequence[ManifestSample]) -> dict[str, Path]:
    """Map each key to the path of its file. Writes nothing."""
    places = {line["key"]: path_below(folder, line["key"]) for line in listed}
    if (clash := clashing_keys(set(places))) is not None:
        detail = f"the keys {clash[0]!r} and {clash[1]!r} can't both be files: pull a split that has one of them"
        raise MotherlodeError(status=0, code="key_clash", detail=detail)
    root = folder.resolve()
    for parent in {path.parent for path in places.values()}:
        if not parent.resolve().is_relative_to(root):
            detail = f"{parent} leads out of {folder}: remove the link"
            raise MotherlodeError(status=0, code="key_unsafe", detail=detail)
    return places


def _make_folders(folder: Path, places: Mapping[str, Path]) -> None:
    """Create the folders of the files, and delete the partial files that a killed pull left in them."""
    for parent in {folder / NOTES, *(path.parent for path in places.values())}:
        parent.mkdir(parents=True, exist_ok=True)
        for left in parent.glob(f"{PARTIAL}*"):
            left.unlink(missing_ok=True)


def _digests(
    listed: Sequence[ManifestSample], places: Mapping[str, Path], cache: HashCache, on_step: OnStep
) -> dict[str, str]:
    """Map keys to the md5 of the file now at their path; a link or a folder there has none."""
    here = []
    for line in listed:
        with suppress(OSError):
            facts = places[line["key"]].stat(follow_symlinks=False)
            if stat.S_ISREG(facts.st_mode):
                here.append(LocalFile(line["key"], places[line["key"]], facts.st_size, facts.st_mtime_ns))
    total = len(here)
    return {file.key: md5 for file, md5 in cache.digests(here, on_file=lambda done: on_step("check", done, total))}


def _wanted(missing: Sequence[ManifestSample], places: Mapping[str, Path]) -> dict[str, _Wanted]:
    """Group the missing blobs by md5, in the manifest's order, which the platform reads fastest."""
    wanted: dict[str, _Wanted] = {}
    for line in missing:
        one = wanted.setdefault(line["md5"], _Wanted(line["md5"], line["size"]))
        one.paths.append(places[line["key"]])
    return wanted


def _fetched(client: Motherlode, wanted: Sequence[_Wanted]) -> Iterator[str]:
    """Yield the md5 of each blob that was fetched and written to its paths."""
    with ThreadPoolExecutor(THREADS, thread_name_prefix="pull") as pool:
        for arrived in pool.map(lambda batch: list(_fetch(client, batch)), _batches(wanted)):
            yield from arrived


def _fetch(client: Motherlode, batch: Sequence[_Wanted]) -> Iterator[str]:
    """Fetch one batch; blobs that the answer left out, or that came after the connection broke, are not yielded."""
    places = {one.md5: one for one in batch}
    with suppress(UnreachableError, tarfile.ReadError, EOFError):
        source = cast("tarfile._Fileobj", _Pieces(client.datasets.blobs(list(places))))  # noqa: SLF001 - a type
        with tarfile.open(fileobj=source, mode="r|", bufsize=CHUNK) as archive:
            for member in archive:
                stream = archive.extractfile(member)
                data = stream.read() if stream else b""
                archive.members.clear()  # type: ignore[attr-defined]  # else tarfile keeps all; stubs lack it
                if hashlib.md5(data, usedforsecurity=False).hexdigest() == member.name and member.name in places:
                    for path in places[member.name].paths:
                        _write(path, data)
                    yield member.name


class _Pieces:
    """A file object that reads from an iterator of pieces."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._rest = b""

    def read(self, size: int) -> bytes:
        """Read `size` bytes; fewer only at the end."""
        parts, held = [self._rest], len(self._rest)
        while held < size and (piece := next(self._pieces, None)) is not None:
            parts.append(piece)
            held += len(piece)
        data = b"".join(parts)
        self._rest = data[size:]
        return data[:size]


def _batches(wanted: Sequence[_Wanted]) -> Iterator[list[_Wanted]]:
    batch: list[_Wanted] = []
    held = 0
    for one in wanted:
        if batch and (held + one.size > BATCH_BYTES or len(batch) >= BATCH_BLOBS):
            yield batch
            batch, held = [], 0
        batch.append(one)
        held += one.size
    if batch:
        yield batch


def _write(path: Path, data: bytes) -> None:
    """Write a file completely or not at all, replacing what is there."""
    partial = path.with_name(PARTIAL + secrets.token_hex(8))
    try:
        with partial.open("xb") as file:
            file.write(data)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _labels(listed: Sequence[ManifestSample]) -> bytes:
    """Format the labels as JSON lines, as `push --annotations` reads them."""
    names = ("key", "split", "label", "meta")
    return "".join(json.dumps({name: line[name] for name in names}) + "\n" for line in listed).encode()  # type: ignore[literal-required]  # its own fields


def _incomplete(client: Motherlode, wanted: Mapping[str, _Wanted]) -> MotherlodeError:
    """Build the error for blobs that did not come, with the reason found by requesting the first one alone."""
    first = next(iter(wanted.values()))
    try:
        for _ in client.datasets.blob(first.md5):
            pass
        reason = "ask again"
    except MotherlodeError as error:
        reason = error.detail
    detail = f"{plural(len(wanted), 'blob')} did not come; the first, {first.md5} for {first.paths[0]}: {reason}"
    return MotherlodeError(status=0, code="blobs_missing", detail=detail)
