"""How parts are made: from an archive of images, which are packed here, or from an uploaded manifest."""

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from blobs.digests import Digests, digests_of
from blobs.errors import BlobFault, ImageRefused, StoreUnavailable
from blobs.images import Probed, probe
from blobs.keys import is_pack, pack_key, pack_sha256
from blobs.models import StoredObject
from blobs.packs import PackWriter
from blobs.refs import BlobRef
from blobs.services import chunks, store
from catalog.changes.sets import Rejection
from catalog.intake import archive_uploads
from catalog.intake.archives import members
from catalog.intake.handlers import final_faults
from catalog.intake.incoming import Document, Incoming
from catalog.keys import key_fault, name_fault, normal_key
from catalog.models import Dataset
from jobs import lanes
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.run_program import run_program
from lake import GROUP_ROWS, frames_table, write_group
from lake.checking import MAX_FRAME_BYTES
from lakes.models import LakePart
from lakes.parts import NewGroup, NewPart, add_part, packs_of
from worker_programs.filekinds import HEAD_BYTES, kind_of

PACK_BYTES = 32 << 20
"""Bytes of a pack: as much as one PUT of the store library takes (`blobs.packs`)."""
MAX_IMAGES = 500_000
"""Most images of an archive: half a gigabyte of a worker's memory."""
LOOKED_AT = 256
"""Number of frames of a manifest whose bytes are read and verified."""
PROGRESS_STEP = 100
SHOWN = 100


class AddHandler:
    """Checks a manifest in a confined program, reads a sample of its frames, and adds the groups that the program
    wrote."""

    lane = lanes.ASKED

    def run(self, context: ShardContext) -> Outcome:
        """Run the shard; it may be killed and run again: the same manifest makes the same groups."""
        dataset = Dataset.objects.get(pk=context.params["dataset"])
        with tempfile.TemporaryDirectory(prefix="motherlode-lake-") as name, final_faults():
            folder = Path(name)
            manifest = _fetched(folder, context)
            config = {"manifest": str(manifest), "out": str(folder), "sample": LOOKED_AT}
            told = run_program("lake", config, folder=folder, context=context)
            objects = _checked_packs(dataset, told["packs"])
            looked = _look_at(told["looked_at"], context)
            groups = [(folder / one["file"], one["first"], one["last"], one["rows"]) for one in told["groups"]]
            new = NewPart(LakePart.Source.MANIFEST, _stored(groups, context), told["bytes"], objects, told["columns"])
        return _added(dataset, new, context, {"looked_at": looked})


class FillHandler:
    """Packs the images of an archive, writes their manifest and adds it."""

    lane = lanes.ASKED

    def run(self, context: ShardContext) -> Outcome:
        """Run the shard; it may be killed and run again: the same images make the same packs."""
        dataset = Dataset.objects.get(pk=context.params["dataset"])
        with tempfile.TemporaryDirectory(prefix="motherlode-lake-") as name, final_faults():
            folder = Path(name)
            packed = _Packed(context)
            archive = _fetched(folder, context)
            with archive.open("rb") as file:
                packed.read(file, archive.stat().st_size, names_encoding=context.params.get("names_encoding"))
            new = packed.part(folder)
        refused = {"refused": len(packed.refused), "first_refused": [one.document() for one in packed.refused[:SHOWN]]}
        return _added(dataset, new, context, refused)


def _added(dataset: Dataset, new: NewPart, context: ShardContext, facts: Mapping[str, Any]) -> Outcome:
    result: dict[str, Any] = dict(facts)

    def apply() -> None:
        author = context.job.created_by
        assert author is not None  # noqa: S101 - whoever asked for it
        archive_uploads.discard(context.params["parts"])  # first, so that the frames can use the room that it takes
        part = add_part(dataset, new, job=context.job, author=author)
        result.update(part=part.pk, frames=part.rows, bytes=part.bytes, groups=len(new.groups), packs=len(new.objects))

    return Outcome(result, apply)


def _fetched(folder: Path, context: ShardContext) -> Path:
    """Write the upload to a file."""
    path = folder / "upload"
    with path.open("wb") as file:
        for chunk in archive_uploads.read(context.params["parts"]):
            context.check()
            file.write(chunk)
    return path


def _checked_packs(dataset: Dataset, packs: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Map the key of each pack's object to the byte where its last frame ends. Raises ShardFailed for a pack that holds
    nothing of the dataset's project, or is too short."""
    sizes: dict[str, int] = {}
    for keys in chunks(map(pack_key, sorted(packs))):
        ours = packs_of(dataset.project_id, keys)
        sizes |= dict(StoredObject.objects.present().filter(key__in=ours).values_list("key", "size"))
    for name, extent in packs.items():
        row = f"row {extent['row']} ({extent['key']!r})"
        size = sizes.get(pack_key(name))
        if size is None:
            words = f"column pack, {row}: this project has no pack {name}: send the images in an archive"
            raise ShardFailed(words, code="pack_unknown")
        if extent["end"] > size:
            words = f"column offset, {row}: the frame ends at byte {extent['end']:,} of a pack of {size:,} bytes"
            raise ShardFailed(words, code="manifest_invalid")
    return {pack_key(name): extent["end"] for name, extent in packs.items()}


def _look_at(frames: list[dict[str, Any]], context: ShardContext) -> int:
    """Read some frames and return their number. Raises ShardFailed for a frame whose bytes differ from the manifest,
    are no image, or have another width and height."""
    refs = {
        BlobRef(one["md5"], one["sha256"], one["size"], pack_key(one["pack"]), one["offset"]): one for one in frames
    }

    def refuse(ref: BlobRef, fault: BlobFault) -> None:
        if isinstance(fault, StoreUnavailable):
            raise fault
        raise ShardFailed(f"frame {refs[ref]['key']!r}: {fault}", code="manifest_invalid")

    for ref, data in store().get_many(list(refs), on_error=refuse):
        context.check()
        one = refs[ref]
        if hashlib.md5(data, usedforsecurity=False).hexdigest() != ref.md5:
            raise ShardFailed(
                f"column md5: that of frame {one['key']!r} is not that of its bytes", code="manifest_invalid"
            )
        try:
            facts = probe(data)
        except ImageRefused as fault:
            raise ShardFailed(f"frame {one['key']!r}: {fault.message}", code=fault.code) from fault
        if (facts.width, facts.height) != (one["width"], one["height"]):
            words = f"columns width, height: frame {one['key']!r} has {facts.width} x {facts.height} pixels upright"
            raise ShardFailed(words, code="manifest_invalid")
    return len(refs)


def _stored(groups: list[tuple[Path, str, str, int]], context: ShardContext) -> list[NewGroup]:
    """Put the files of groups into the store."""
    with PackWriter(store()) as writer:
        for path, *_ in groups:
            context.check()
            writer.add(path.read_bytes())
        refs = writer.close()
    return [NewGroup(ref, first, last, rows) for ref, (_, first, last, rows) in zip(refs, groups, strict=True)]


class _Packed:
    """The images of an archive, packed as they are read."""

    def __init__(self, context: ShardContext) -> None:
        self._context = context
        self._frames: dict[str, tuple[Digests, Probed]] = {}
        self._refs: dict[str, BlobRef] = {}
        self.refused: list[Rejection] = []

    def read(self, file: BinaryIO, size: int, *, names_encoding: str | None = None) -> None:
        """Check every file and store the images; anything else is refused."""
        with PackWriter(store(), target_bytes=PACK_BYTES, alone_bytes=PACK_BYTES) as writer:
            for count, image in enumerate(self._images(file, names_encoding), start=1):
                self._context.check()
                if count % PROGRESS_STEP == 0:
                    self._context.progress(count, max(count, round(count * size / max(file.tell(), 1))))
                if isinstance(image, Rejection):
                    self.refused.append(image)
                else:
                    self._take(image, writer)
            refs = writer.close()
        self._refs = dict(zip(self._frames, refs, strict=True))
        done = len(self._frames) + len(self.refused)
        self._context.progress(done, done)

    def _images(self, file: BinaryIO, names_encoding: str | None) -> Iterator[Incoming | Rejection]:
        for item in members(file, names_encoding=names_encoding):
            if isinstance(item, Document):
                yield Rejection(
                    item.path, "no_image", "a lake holds images alone: push labelled images into the dataset"
                )
            else:
                yield item

    def _take(self, image: Incoming, writer: PackWriter) -> None:
        key = normal_key(image.key)
        try:
            if (fault := self._fault(key, image.data)) is not None:
                self.refused.append(Rejection(key, *fault))
                return
            facts = probe(image.data)
        except ImageRefused as refusal:
            self.refused.append(Rejection(key, refusal.code, refusal.message))
            return
        digests = digests_of(image.data)
        self._frames[key] = digests, facts
        writer.add(image.data, digests=digests)
        if len(self._frames) > MAX_IMAGES:
            words = (
                f"the archive has more than {MAX_IMAGES:,} images: send it as several, each of keys beside each other"
            )
            raise ShardFailed(words, code="archive_too_large")

    def _fault(self, key: str, data: bytes) -> tuple[str, str] | None:
        if (words := key_fault(key) or name_fault(key)) is not None:
            return "key_malformed", words
        if key in self._frames:
            return "duplicate_key", "key: the archive names it more than once"
        if len(data) >= MAX_FRAME_BYTES:
            return "frame_too_large", f"has {len(data):,} bytes; frames of a lake have less than {MAX_FRAME_BYTES:,}"
        kind = kind_of(data[:HEAD_BYTES])
        return (kind.code, kind.reason) if kind.media_type is None else None

    def part(self, folder: Path) -> NewPart:
        """Write the frames by their keys as groups in the store. Raises ShardFailed where there are none."""
        if not self._frames:
            first = f" The first refusal: {self.refused[0].key}: {self.refused[0].detail}." if self.refused else ""
            raise ShardFailed(f"There are no images in the archive.{first}", code="nothing_accepted")
        keys = sorted(self._frames, key=str.encode)
        groups = []
        for at in range(0, len(keys), GROUP_ROWS):
            some = keys[at : at + GROUP_ROWS]
            path = folder / f"{at}.parquet"
            path.write_bytes(write_group(frames_table(self._columns(some))))
            groups.append((path, some[0], some[-1], len(some)))
        ends: dict[str, int] = {}
        for ref in self._refs.values():
            ends[ref.key] = max(ends.get(ref.key, 0), ref.end)
        size = sum(digests.size for digests, _ in self._frames.values())
        return NewPart(LakePart.Source.ARCHIVE, _stored(groups, self._context), size, ends, {})

    def _columns(self, keys: list[str]) -> dict[str, list[Any]]:
        refs, facts = [self._refs[key] for key in keys], [self._frames[key][1] for key in keys]
        assert all(is_pack(ref.key) for ref in refs)  # noqa: S101 - none is as large as a pack
        return {
            "key": keys,
            "md5": [bytes.fromhex(ref.md5) for ref in refs],
            "sha256": [bytes.fromhex(ref.sha256) for ref in refs],
            "size": [ref.size for ref in refs],
            "pack": [pack_sha256(ref.key) for ref in refs],
            "offset": [ref.offset for ref in refs],
            "width": [one.width for one in facts],
            "height": [one.height for one in facts],
        }
