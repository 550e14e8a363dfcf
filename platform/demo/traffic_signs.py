"""The traffic-sign images for a dataset: test and validation splits, a few labelled images, the rest a pool."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from rich.console import Console

from demo.examples import Examples, Part
from demo.npm import NpmError
from demo.plan import Plan
from demo.signs import SignsDataset, signs_dataset
from demo.signs.dataset import SignsError
from motherlode.bars import progress_bars
from motherlode.errors import MotherlodeError

if TYPE_CHECKING:
    from motherlode.documents import LabelValue, SplitEnum


IMAGES, FEW_IMAGES = 1400, 240
HELD_OUT: tuple[tuple[SplitEnum, str], ...] = (("test", "Test split"), ("val", "Validation split"))


def fetch_signs(plan: Plan, console: Console, cache: Path, *, small: bool) -> Examples:
    """Return the dataset's examples, rendered the first time. Raises MotherlodeError if its pictures can't be
    fetched."""
    images = FEW_IMAGES if small else IMAGES
    try:
        with progress_bars(console) as bars:
            row = bars.add_task("rendering", total=images, rate=None)
            signs = signs_dataset(
                cache / f"signs-{images}", images, progress=lambda done: bars.update(row, completed=done)
            )
    except (NpmError, SignsError) as fault:
        raise MotherlodeError(status=0, code=fault.code, detail=str(fault)) from fault
    learn, test = len(signs.images_of("train")), len(signs.images_of("test"))
    console.print(f"   {learn:,} images to learn from, {test:,} to test on; {', '.join(signs.classes)}")
    return sign_examples(signs, plan)


def sign_examples(signs: SignsDataset, plan: Plan) -> Examples:
    """Build the four uploads of a dataset. The seed decides which training images start with a label."""
    paths, truth = signs.images_of("train"), _labels(signs, "train")
    chosen = set(np.random.default_rng(plan.seed).permutation(len(paths))[: plan.labelled].tolist())
    first = [path for at, path in enumerate(paths) if at in chosen]
    pool = [path for at, path in enumerate(paths) if at not in chosen]
    parts = [_part(split, words, signs.images_of(split), _labels(signs, split)) for split, words in HELD_OUT]
    parts += [_part("train", "First labels", first, truth), _part("pool", "Unlabelled pool", pool, None)]
    return Examples(f"{signs.images:,} images of seed {signs.seed}", parts, truth)


def _part(split: SplitEnum, words: str, paths: Sequence[Path], labels: dict[str, LabelValue] | None) -> Part:
    keys = [path.name for path in paths]
    files = (path.read_bytes() for path in paths)
    known = [labels[key] for key in keys] if labels is not None else None
    return Part(split, f"{words}: {len(keys):,} images", keys, files, known)


def _labels(signs: SignsDataset, split: str) -> dict[str, LabelValue]:
    return cast("dict[str, LabelValue]", signs.labels(split))
