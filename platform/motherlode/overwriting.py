"""Protect files that exist nowhere else from a pull: files edited, or added, since the last pull.

A pull notes which version it writes before it writes it, so the platform can tell what earlier pulls wrote. A pull that
was killed, or was of one split, leaves files of the pulls before it: the note names the latest of these too.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from motherlode.client import Motherlode
from motherlode.errors import MotherlodeError
from motherlode.folders import LABELS, NOTES, origin_of
from worker_programs.wording import plural

SHOWN_FILES = 10
KEPT_NOTES = 9
NOT_FOUND = 404


def with_earlier(folder: Path, origin: Mapping[str, Any]) -> dict[str, Any]:
    """Build the note of a starting pull: what it writes, and what earlier pulls wrote here."""
    return {**origin, "earlier": [noted for noted in _earlier(folder) if noted != origin][:KEPT_NOTES]}


def digest_of(text: bytes) -> str:
    """Return the SHA-256 by which a note identifies the labels written with it."""
    return hashlib.sha256(text).hexdigest()


def refuse_edits(client: Motherlode, folder: Path, here: Mapping[str, str | None], labels: bytes) -> None:
    """Raise MotherlodeError (`files_edited`) naming the files to be overwritten that no earlier pull wrote. `here` maps
    the key of each to its md5, None where no regular file is. `labels` is the label file to be written beside them."""
    earlier = _earlier(folder)
    edited = _not_pulled(client, earlier, here) if here else []
    if _labels_edited(folder, labels, {one.get("labels") for one in earlier}):
        edited.append(f"{NOTES}/{LABELS}")
    if not edited:
        return
    lines = [f"\n  {name}" for name in edited[:SHOWN_FILES]]
    if (more := len(edited) - SHOWN_FILES) > 0:
        lines.append(f"\n  and {more:,} more")
    files = plural(len(edited), "file")
    detail = (
        f"{files} in {folder}: neither what was pulled here before nor what would be pulled now. Nothing was changed. "
        f"Push or move away what you want to keep; --force overwrites it:{''.join(lines)}"
    )
    raise MotherlodeError(status=0, code="files_edited", detail=detail, extra={"files": edited})


def _earlier(folder: Path) -> list[dict[str, Any]]:
    """Return the notes of the pulls into this folder, the last one first."""
    noted = dict(origin_of(folder))
    before = noted.pop("earlier", [])
    return [noted, *before] if noted else []


def _labels_edited(folder: Path, labels: bytes, written: set[str | None]) -> bool:
    try:
        found = (folder / NOTES / LABELS).read_bytes()
    except FileNotFoundError:
        return False
    return found != labels and digest_of(found) not in written


def _not_pulled(client: Motherlode, earlier: Sequence[Mapping[str, Any]], here: Mapping[str, str | None]) -> list[str]:
    """Return the keys whose files are in none of the pulled versions."""
    left = dict(here)
    for dataset, version in _versions(client, earlier):
        if not left:
            break
        for line in client.datasets.manifest(dataset, version):
            if left.get(line["key"]) == line["md5"]:
                del left[line["key"]]
    return list(left)


def _versions(client: Motherlode, earlier: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, int]]:
    """Yield dataset id and number of each pulled version whose dataset still exists."""
    for noted in earlier:
        try:
            about = client.datasets.get(str(noted.get("dataset")))
        except MotherlodeError as error:
            if error.status != NOT_FOUND:
                raise
            continue
        if about["created"] == noted.get("created") and noted.get("version"):  # another may have its name by now
            yield str(about["id"]), int(noted["version"])
