"""A cache of built engines, because building takes long. They are derived data, never artefacts of a version."""

import hashlib
import platform
from dataclasses import asdict, dataclass, field
from pathlib import Path

import orjson

from export.config import Precision, Profile
from worker_programs import files


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineKey:
    """All that an engine depends on: it can be used only if all of these are equal."""

    onnx_sha256: str
    architecture: str
    """The GPU architecture, such as SM89."""
    builder: str
    """Name and version of the TensorRT that built it."""
    precision: Precision | str
    profile: Profile
    platform: str = field(default_factory=lambda: f"{platform.system()}-{platform.machine()}".lower())

    @property
    def name(self) -> str:
        """A legible, unique file name."""
        digest = hashlib.sha256(orjson.dumps(asdict(self), option=orjson.OPT_SORT_KEYS)).hexdigest()
        batches = f"b{self.profile.min}-{self.profile.opt}-{self.profile.max}"
        return f"{self.architecture}-{self.precision}-{batches}-{digest[:32]}.plan".lower()


class EngineCache:
    """A folder of engines; it may be emptied at any time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, key: EngineKey) -> Path:
        """The path of the engine, built or not."""
        return self._folder / key.name

    def get(self, key: EngineKey) -> bytes | None:
        """The engine, if it was built before."""
        try:
            return self.path(key).read_bytes()
        except FileNotFoundError:
            return None

    def put(self, key: EngineKey, engine: bytes) -> Path:
        """Keep an engine, whole or not at all."""
        return files.write_bytes(self.path(key), engine)
