"""The sample list of a program: JSON lines, one sample each, with the location of its bytes and its label."""

import re
from collections.abc import Iterable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from worker_programs import files

FIELD_TYPES = {"key": str, "md5": str, "sha256": str, "size": int, "object": str, "offset": int}
_TYPED, _TYPES = attrgetter(*FIELD_TYPES), tuple(FIELD_TYPES.values())
DIGESTS = re.compile(r"[0-9a-f]{96}")
"""An md5 (32 digits) and a sha256 (64) behind it."""


class ManifestError(Exception):
    """A line of a manifest is not a sample; the message names file, line and field."""

    code = "invalid_manifest"


class Ref(NamedTuple):
    """The location of one blob's bytes: the fields of `blobs.store.BlobRef`, without the store."""

    md5: str
    sha256: str
    size: int
    key: str
    offset: int = 0


class Sample(NamedTuple):
    """One sample: its key in the dataset, its blob's digests, size in bytes and location, its label if it has one, and
    width and height of the upright image in pixels if they are known."""

    key: str
    md5: str
    sha256: str
    size: int
    object: str
    offset: int = 0
    label: dict[str, Any] | None = None
    width: int | None = None
    height: int | None = None

    @classmethod
    def of(
        cls, key: str, ref: Ref, *, label: dict[str, Any] | None = None, size: tuple[int, int] | None = None
    ) -> "Sample":
        """Make the sample `key` with its bytes at `ref`; `size` is (width, height)."""
        return cls(key, ref.md5, ref.sha256, ref.size, ref.key, ref.offset, label, *(size or (None, None)))

    @property
    def upright_size(self) -> tuple[int, int] | None:
        """(width, height) of the upright image in pixels; None if either is unknown."""
        return None if self.width is None or self.height is None else (self.width, self.height)

    @property
    def ref(self) -> Ref:
        """The location of the sample's bytes."""
        return Ref(self.md5, self.sha256, self.size, self.object, self.offset)


def read_manifest(path: Path) -> list[Sample]:
    """Read the samples of a manifest in its order. Raises ManifestError naming the first faulty line."""
    return list(samples_of(path))


def samples_of(path: Path) -> Iterator[Sample]:
    """Yield the samples of a manifest one by one, so that work can begin before the last is parsed. Raises
    ManifestError."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as fault:
        raise ManifestError(f"{path}: cannot be read: {fault.strerror}") from fault
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield _sample(line)
            except ManifestError as fault:
                raise ManifestError(f"{path.name}, line {number}: {fault}") from fault


def write_manifest(path: Path, samples: Iterable[Sample]) -> Path:
    """Write samples as a manifest, whole or not at all."""
    return files.write_bytes(path, b"".join(orjson.dumps(sample._asdict()) + b"\n" for sample in samples))


def _sample(line: bytes) -> Sample:
    try:
        sample = Sample(**orjson.loads(line))
    except (orjson.JSONDecodeError, TypeError) as fault:
        raise ManifestError(str(fault)) from fault
    if tuple(map(type, _TYPED(sample))) != _TYPES:
        wrong = next(name for name, kind in FIELD_TYPES.items() if type(getattr(sample, name)) is not kind)
        raise ManifestError(f"{wrong} must be of type {FIELD_TYPES[wrong].__name__}")
    if len(sample.md5) != 32 or not DIGESTS.fullmatch(sample.md5 + sample.sha256):
        raise ManifestError("md5 and sha256 must be lower-case hex digests")
    for name, value in (("width", sample.width), ("height", sample.height)):
        if value is not None and (type(value) is not int or value < 1):
            raise ManifestError(f"{name} must be a whole number of pixels above 0, or null")
    if sample.size < 0 or sample.offset < 0:
        raise ManifestError("size and offset must not be negative")
    if sample.label is not None and not isinstance(sample.label, dict):
        raise ManifestError("label must be an object or null")
    return sample
