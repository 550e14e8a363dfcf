"""The sample list of a program: JSON lines, one sample each, with the location of its bytes and its label."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from worker_programs import files

FIELD_TYPES = {"key": str, "md5": str, "sha256": str, "size": int, "object": str, "offset": int}
MD5, SHA256 = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9a-f]{64}")


class ManifestError(Exception):
    """A line of a manifest is not a sample; the message names file, line and field."""

    code = "invalid_manifest"


@dataclass(frozen=True, slots=True)
class Ref:
    """The location of one blob's bytes: the fields of `blobs.store.BlobRef`, without the store."""

    md5: str
    sha256: str
    size: int
    key: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Sample:
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
    return files.write_bytes(path, b"".join(orjson.dumps(asdict(sample)) + b"\n" for sample in samples))


def _sample(line: bytes) -> Sample:
    try:
        sample = Sample(**orjson.loads(line))
    except (orjson.JSONDecodeError, TypeError) as fault:
        raise ManifestError(str(fault)) from fault
    for field, expected in FIELD_TYPES.items():
        if not isinstance(getattr(sample, field), expected):
            raise ManifestError(f"{field} must be of type {expected.__name__}")
    if not MD5.fullmatch(sample.md5) or not SHA256.fullmatch(sample.sha256):
        raise ManifestError("md5 and sha256 must be lower-case hex digests")
    for name in ("width", "height"):
        value = getattr(sample, name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise ManifestError(f"{name} must be a whole number of pixels above 0, or null")
    if sample.size < 0 or sample.offset < 0:
        raise ManifestError("size and offset must not be negative")
    if sample.label is not None and not isinstance(sample.label, dict):
        raise ManifestError("label must be an object or null")
    return sample
