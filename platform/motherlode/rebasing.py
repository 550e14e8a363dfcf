"""Rebase a push whose parent is no longer the head: replay it on the new head if nobody else changed its keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from motherlode.client import Motherlode
from motherlode.errors import MotherlodeError
from motherlode.folders import origin_of

if TYPE_CHECKING:
    from motherlode.documents import Sample

SHOWN_KEYS = 20
SHOWN_VERSIONS = 5


def base_of(client: Motherlode, dataset: str, *, parent: int | None, pulled: int | None, compared: bool) -> int | None:
    """Return the version that the push starts from (0: the empty dataset), or None to commit on any head: `parent` if
    given, else the version `pulled` into the folder, else, when the folder is `compared` with the dataset (to rebase or
    to delete), the present head."""
    if parent is not None:
        return parent
    if pulled is not None:
        return pulled
    return client.datasets.get(dataset)["head"] or 0 if compared else None


def pulled_version(client: Motherlode, dataset: str, folder: Path) -> int | None:
    """Return the version of this dataset that the folder holds; None if another dataset, or none, was pulled into
    it."""
    noted = origin_of(folder)
    if not isinstance(version := noted.get("version"), int):
        return None
    found = client.datasets.get(dataset)
    names = {str(found["id"]), found["name"]}
    # Another platform may have a dataset of the same name.
    is_same = noted.get("dataset") in names and noted.get("created", found["created"]) == found["created"]
    return version if is_same else None


def stale_folder(error: MotherlodeError, dataset: str, folder: Path, base: int) -> MotherlodeError:
    """Build the error that says what others committed since a version was pulled, and how to proceed."""
    head = error.extra["head"]
    since = "; ".join(_told(version) for version in error.extra.get("changed", [])[:SHOWN_VERSIONS])
    detail = (
        f"{folder} holds version {base} of {dataset}, and version {head} is the head: {since}. Nothing was committed. "
        f"--rebase replays your changes where nobody else touched the same keys; `lode dataset pull {dataset} OTHER` "
        f"shows theirs in another folder; --onto head commits on the head as if you had seen them."
    )
    return MotherlodeError(status=error.status, code=error.code, detail=detail, extra=error.extra)


def _told(version: dict[str, object]) -> str:
    counts = [f"{version[name]} {name}" for name in ("added", "updated", "removed", "labelled") if version.get(name)]
    return f"v{version['version']} by {version.get('by', 'somebody')}, {' and '.join(counts) or 'nothing'}"


def replayed(
    client: Motherlode,
    dataset: str,
    digests: dict[str, str],
    remove: list[str],
    *,
    base: int,
    error: MotherlodeError,
    all_ours: bool,
) -> int:
    """Return the head to commit on instead of `base`. Keys whose bytes this push doesn't change stay as others made
    them and are deleted from `digests`, unless `all_ours` (the push also sets labels or splits). Raises
    `rebase_conflict` with the keys that both sides changed."""
    head = int(error.extra["head"])
    colliding = []
    for change in _touched(client, dataset, base, head):
        key, mine = change.key, digests.get(change.key)
        if (mine is None and key not in remove) or (mine is not None and mine in change.after and not all_ours):
            continue
        if mine is not None and mine in change.before and not all_ours:
            del digests[key]
        else:
            colliding.append(key)
    if colliding:
        raise _conflict(colliding, base, head)
    return head


@dataclass(frozen=True, slots=True)
class _Touched:
    """A key that others changed, with the md5s of its image, and of the original it was converted from, before and
    after."""

    key: str
    before: set[str]
    after: set[str]


def _touched(client: Motherlode, dataset: str, base: int, head: int) -> Iterator[_Touched]:
    """Yield each key that differs between two versions once (0: the empty dataset)."""
    if base == 0:
        for line in client.datasets.manifest(dataset, head):
            yield _Touched(line["key"], set(), {md5 for md5 in (line["md5"], line["original"]) if md5})
        return
    seen = set()
    for kind in client.histories.diff(dataset, base, head)["counts"]:
        for change in client.histories.changes(dataset, kind, base, head):
            if change["key"] not in seen:
                seen.add(change["key"])
                yield _Touched(change["key"], _digests(change["before"]), _digests(change["after"]))


def _digests(sample: Sample | None) -> set[str]:
    if sample is None:
        return set()
    return {sample["digest"]} | ({sample["original"]["digest"]} if sample["original"] else set())


def _conflict(keys: Sequence[str], base: int, head: int) -> MotherlodeError:
    shown = ", ".join(keys[:SHOWN_KEYS]) + (", ..." if len(keys) > SHOWN_KEYS else "")
    detail = (
        f"{len(keys)} of the keys were changed since version {base} by others too, so nothing was committed: {shown}. "
        f"Look at `lode dataset diff NAME {base} {head}`, mend the folder, and push with --parent {head}."
    )
    return MotherlodeError(status=0, code="rebase_conflict", detail=detail, extra={"keys": list(keys), "head": head})
