"""Three kinds of mining jobs on images that are real: digits for two small networks, photographs for a larger one."""

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import cv2
import numpy as np
from sklearn.datasets import load_sample_images

from demo.mnist import load_digits
from motherlode.archives import write_tar
from motherlode.client import Motherlode
from motherlode.transport import Upload

DATASET, MODEL = "pool", "scorer"
COLD, WARM, REAL = "cold", "warm", "real"
"""The parts of the pool, by how their keys begin: of a pilot for which all starts, of the one after it, of the job."""
PILOT_SHARDS, REAL_SHARDS = {COLD: 1, WARM: 4}, 23.5
"""Of the pilots for each worker, of the job in all: its last one is a small one."""
MOST_WORKERS = 2
LABELLED, STEPS = {"test": 60, "train": 30}, 60
"""Images. Those of train are scored by every job as well: neighbours of the picks are among them."""
PUSHED = 5000
Image = tuple[str, bytes]
"""Its class, and the bytes of its file."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of mining job: what it is asked, by which network, over which images, so many in a shard. The files of the
    images are named with `ending`."""

    name: str
    question: Mapping[str, Any]
    architecture: str
    shard: int
    images: Callable[[], Iterator[Image]]
    ending: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def units(self) -> int:
        """Images that the job scores, labelled ones among them."""
        return round(REAL_SHARDS * self.shard)


def digits() -> Iterator[Image]:
    """Real handwritten digits without end, each turned and shifted a little, as PNG files of 28 x 28."""
    known, dice = load_digits(), np.random.default_rng(1)
    for at in dice.permutation(1 << 20) % len(known.train_images):
        turn = cv2.getRotationMatrix2D((14, 14), dice.uniform(-15, 15), dice.uniform(0.9, 1.1))
        shift = np.array([[0.0, 0.0, dice.uniform(-2, 2)], [0.0, 0.0, dice.uniform(-2, 2)]])
        image = cv2.warpAffine(known.train_images[at], turn + shift, (28, 28))
        yield str(known.train_labels[at]), cv2.imencode(".png", image)[1].tobytes()


def photographs() -> Iterator[Image]:
    """Parts of two real photographs without end, now and then mirrored, as JPEG files of 512 x 384."""
    found, dice = load_sample_images(), np.random.default_rng(1)
    while True:
        which = int(dice.integers(len(found.images)))
        whole = cv2.cvtColor(found.images[which], cv2.COLOR_RGB2BGR)
        height = int(dice.integers(240, 384))
        top, left = int(dice.integers(whole.shape[0] - height)), int(dice.integers(whole.shape[1] - height * 4 // 3))
        cut = cv2.resize(whole[top : top + height, left : left + height * 4 // 3], (512, 384))
        cut = cut[:, ::-1] if dice.random() < 0.5 else cut
        yield f"photograph-{which}", cv2.imencode(".jpg", cut, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes()


KINDS = {
    one.name: one
    for one in (
        Kind("margin", {"strategy": "margin"}, "small_cnn", 1500, digits, "png", {"size": 64, "width": 32}),
        Kind(
            "bald",
            {"strategy": "bald", "committee": {"dropout": {"members": 20, "seed": 1}}},
            "small_cnn",
            2000,
            digits,
            "png",
            {"size": 28, "width": 64},
        ),
        Kind("entropy", {"strategy": "entropy"}, "efficientnet_lite0", 60, photographs, "jpg"),
    )
}


def furnish(client: Motherlode, kind: Kind, *, alive: Callable[[object], None]) -> None:
    """Fill an empty platform through its API: labelled images, a model of them, the parts of the pool. `alive` is
    called now and then and may raise."""
    images = kind.images()
    labelled = {split: list(islice(images, count)) for split, count in LABELLED.items()}
    classes = sorted({name for part in labelled.values() for name, _ in part})
    client.datasets.create(DATASET, classes=classes)
    client.models.create(MODEL, classes=classes)
    for split, part in labelled.items():
        keys = [f"{split}-{at}.{kind.ending}" for at in range(len(part))]
        _push(client, split, zip(keys, (data for _, data in part), strict=True))
        classes_of = zip(keys, (name for name, _ in part), strict=True)
        client.datasets.commit(DATASET, labels={key: {"class": name} for key, name in classes_of})
    config = {"params": kind.params, "recipe": {"steps": STEPS}, "export": {"precisions": []}}
    run = client.runs.create(MODEL, dataset=DATASET, architecture=kind.architecture, config=config)
    client.jobs.wait(run["job"]["id"], on_progress=alive)
    pool = zip(_keys(kind), (data for _, data in images), strict=False)
    while pushed := list(islice(pool, PUSHED)):
        _push(client, "pool", pushed)
        alive(None)


def asked_of(part: str, workers: int) -> str:
    """The filter of a part of the pool; of pilots' parts, of what these workers have to do."""
    if part == REAL:
        return f'key prefix "{REAL}-"'
    return " or ".join(f'key prefix "{part}-{worker}-"' for worker in range(workers))


def _keys(kind: Kind) -> Iterator[str]:
    """Of the pool: what fills the shards of each part beside the labelled images."""
    parts = {REAL: kind.units - LABELLED["train"]}
    for part, shards in PILOT_SHARDS.items():
        for worker in range(MOST_WORKERS):
            parts[f"{part}-{worker}"] = shards * kind.shard - (0 if worker else LABELLED["train"])
    yield from (f"{part}-{at}.{kind.ending}" for part, count in parts.items() for at in range(count))


def _push(client: Motherlode, split: str, files: Iterable[tuple[str, bytes]]) -> None:
    archive = io.BytesIO()
    write_tar(archive, files)
    upload = Upload(f"{split}.tar", archive.getvalue(), "application/x-tar")
    client.datasets.push(DATASET, upload, split=split, allow_near_duplicates=True)  # type: ignore[arg-type]  # the names are splits
