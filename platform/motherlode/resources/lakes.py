"""`/datasets/{id}/lake`: frames without a row each, and scans that bring some of them into the dataset."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from motherlode.archives import write_tar
from motherlode.errors import MotherlodeError
from motherlode.folders import LocalFile, files_in, no_images
from motherlode.resources.jobs import Jobs
from motherlode.transport import Transport, segment

if TYPE_CHECKING:
    from motherlode.documents import ArchiveUpload, Lake, LakeFrame, LakePart, LakeScan, LiveJob, Rejection

MOST_FILES, MOST_BYTES = 100_000, 4 << 30
"""Limits of one archive made from a folder, because it is stored on this machine's disk while it is sent."""
HASHED_AT_ONCE = 1 << 20
FRAMES_AT_ONCE = 500
OnSent = Callable[[int, int], None]
"""Callback for progress: bytes uploaded, and the total."""
OnJob = Callable[["LiveJob"], None]


class Lakes:
    def __init__(self, transport: Transport, jobs: Jobs) -> None:
        self._transport = transport
        self._jobs = jobs

    def get(self, dataset: str) -> Lake:
        """Return the lake of a dataset: how much it holds."""
        document: Lake = self._transport.get(f"/datasets/{segment(dataset)}/lake")
        return document

    def parts(self, dataset: str) -> Iterator[LakePart]:
        """List the parts of the lake, the newest first."""
        return self._transport.pages(f"/datasets/{segment(dataset)}/lake/parts")

    def remove(self, dataset: str, part: int) -> None:
        """Remove a part; frames that have become samples stay samples."""
        self._transport.delete(f"/datasets/{segment(dataset)}/lake/parts/{part}")

    def frames(
        self, dataset: str, *, after: str = "", prefix: str = "", where: Sequence[str] = (), limit: int = 100
    ) -> Iterator[LakeFrame]:
        """List frames by key, in pages of `limit`."""
        query = {"after": after, "prefix": prefix, "where": list(where), "limit": limit}
        return self._transport.pages(f"/datasets/{segment(dataset)}/lake/frames", **query)

    def frame(self, dataset: str, key: str) -> LakeFrame:
        """Return the frame with a key."""
        document: LakeFrame = self._transport.get(f"/datasets/{segment(dataset)}/lake/frame", key=key)
        return document

    def scan(
        self,
        dataset: str,
        *,
        model: str,
        count: int,
        strategy: str | Mapping[str, object] = "margin",
        control: float | None = None,
        seed: int | None = None,
        prefix: str | None = None,
        where: Sequence[str] | None = None,
        queue: str | None = None,
        needs: Mapping[str, object] | None = None,
    ) -> LakeScan:
        """Start scoring the lake's frames to add the most informative `count` to the dataset; `control` is the share
        picked at random."""
        body = {"model": model, "strategy": strategy, "count": count, "control": control, "seed": seed,
                "prefix": prefix, "where": where, "queue": queue, "needs": needs}  # fmt: skip
        document: LakeScan = self._transport.post(f"/datasets/{segment(dataset)}/lake/scans", body).json()
        return document

    def scans(self, dataset: str) -> Iterator[LakeScan]:
        """List scans, the newest first."""
        return self._transport.pages(f"/datasets/{segment(dataset)}/lake/scans")

    def get_scan(self, dataset: str, scan: int) -> LakeScan:
        """Return a scan with its results."""
        document: LakeScan = self._transport.get(f"/datasets/{segment(dataset)}/lake/scans/{scan}")
        return document

    def push_file(
        self, dataset: str, path: Path, *, names_encoding: str | None = None, on_sent: OnSent = lambda *_: None,
        on_job: OnJob | None = None,
    ) -> LiveJob:  # fmt: skip
        """Add an archive of images, or a manifest (`.parquet`) of frames whose packs are in the store, and wait for its
        job. `names_encoding` is that of the archive's names where they are not UTF-8. Parts sent before an
        interruption are not sent again."""
        with path.open("rb") as file:
            what: Literal["archive", "manifest"] = "manifest" if path.suffix == ".parquet" else "archive"
            return self._add(dataset, file, path.name, what, on_sent, on_job, names_encoding)

    def push_folder(
        self, dataset: str, folder: Path, *, on_sent: OnSent = lambda *_: None, on_job: OnJob | None = None
    ) -> tuple[list[LiveJob], int, list[Rejection]]:
        """Add the images below a folder, as archives of neighbours by key, and wait for each. Returns the jobs, how
        many images were there already, and the files left behind.

        Started again after an interruption, it continues with the archive that was in progress. Raises MotherlodeError
        (`folder_empty`).
        """
        found = files_in(folder)
        if not found.images:
            raise no_images(folder, found)
        jobs, known, left = [], 0, list(found.left)
        for files in cut(found.images):
            if self._holds(dataset, files[0].key):
                lacking = self._lacking(dataset, [file.key for file in files])
                known += len(files) - len(lacking)
                left += lacking
                continue
            with tempfile.TemporaryFile() as archive:
                write_tar(archive, ((file.key, file.path.read_bytes()) for file in files))
                jobs.append(self._add(dataset, archive, f"{files[0].key} ..", "archive", on_sent, on_job))
        return jobs, known, left

    def _lacking(self, dataset: str, keys: Sequence[str]) -> list[Rejection]:
        """Return the keys of an archive that the lake lacks though it holds the first (`keys` are in order), as left
        behind."""
        last, absent = keys[-1].encode(), dict.fromkeys(keys[1:])
        for frame in self.frames(dataset, after=keys[0], limit=FRAMES_AT_ONCE):
            if frame["key"].encode() > last:
                break
            absent.pop(frame["key"], None)
        detail = (
            "its neighbours are in the lake, in a part, which never changes; it came later, or was refused or erased: "
            "push it from another folder, whose keys lie apart from theirs"
        )
        return [{"key": key, "code": "part_closed", "detail": detail} for key in absent]

    def _holds(self, dataset: str, key: str) -> bool:
        try:
            self.frame(dataset, key)
        except MotherlodeError as error:
            if error.code != "frame_unknown":
                raise
            return False
        return True

    def _add(
        self,
        dataset: str,
        file: BinaryIO,
        name: str,
        what: Literal["archive", "manifest"],
        on_sent: OnSent,
        on_job: OnJob | None,
        names_encoding: str | None = None,
    ) -> LiveJob:
        file.seek(0)
        hasher, size = hashlib.sha256(), 0
        while piece := file.read(HASHED_AT_ONCE):
            hasher.update(piece)
            size += len(piece)
        body = {"name": name[:200], "size": size, "fingerprint": hasher.hexdigest()}
        upload: ArchiveUpload = self._transport.post(f"/datasets/{segment(dataset)}/archives", body, keyed=False).json()
        self._send(f"/datasets/{segment(dataset)}/archives/{upload['id']}", upload, file, on_sent)
        part = {what: {"upload": upload["id"]}} | ({"names_encoding": names_encoding} if names_encoding else {})
        job = self._transport.post(f"/datasets/{segment(dataset)}/lake/parts", part).json()
        return self._jobs.wait(job["id"], on_progress=on_job)

    def _send(self, address: str, upload: ArchiveUpload, file: BinaryIO, on_sent: OnSent) -> None:
        """Send the parts of the upload that the platform has not received."""
        missing = sorted(set(range(upload["parts"])) - set(upload["received"]))
        sent = (upload["parts"] - len(missing)) * upload["part_bytes"]
        for number in missing:
            file.seek(number * upload["part_bytes"])
            data = file.read(upload["part_bytes"])
            self._transport.put_bytes(f"{address}/parts/{number}", data)
            sent += len(data)
            on_sent(min(sent, upload["size"]), upload["size"])


def cut(files: Sequence[LocalFile]) -> list[list[LocalFile]]:
    """Split files into archives by key order, so that the key ranges of archives don't overlap."""
    ordered = sorted(files, key=lambda file: file.key.encode())
    bounds, held, count = [0], 0, 0
    for at, file in enumerate(ordered):
        if count and (count == MOST_FILES or held + file.size > MOST_BYTES):
            bounds.append(at)
            held = count = 0
        held, count = held + file.size, count + 1
    return [ordered[first:end] for first, end in pairwise([*bounds, len(ordered)])]
