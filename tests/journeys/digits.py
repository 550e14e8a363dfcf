"""A small dataset of real digits with its truth, loaded as a client would, and models and queues over it."""

import functools
import io
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from PIL import Image
from sklearn.datasets import load_digits

from motherlode.archives import write_tar
from motherlode.client import Motherlode
from motherlode.transport import Upload

CLASSES = [str(digit) for digit in range(10)]
# Enough to be better than chance, and no other precision beside it.
RECIPE = {"recipe": {"steps": 30}, "export": {"precisions": []}}
SPLITS = {"test": 60, "train": 40, "pool": 200}


@dataclass(frozen=True, slots=True)
class Digits:
    """A dataset on the platform. `truth` has the class of every sample, labelled there or not."""

    name: str
    model: str
    truth: Mapping[str, str]


def load(client: Motherlode, name: str) -> Digits:
    """Create the dataset and its model: a test split, a few labelled images, and a pool."""
    client.datasets.create(name, classes=CLASSES, description="scikit-learn's digits")
    client.models.create(f"{name}-cnn", classes=CLASSES)
    rows = iter(images())
    truth: dict[str, str] = {}
    for split, size in SPLITS.items():
        batch = [next(rows) for _ in range(size)]
        keys = [f"{split}-{place:03}.png" for place in range(size)]
        known = {key: digit for key, (digit, _) in zip(keys, batch, strict=True)}
        archive = io.BytesIO()
        write_tar(archive, zip(keys, (png for _, png in batch), strict=True))
        upload = Upload(f"{split}.tar", archive.getvalue(), "application/x-tar")
        # Some of these small digits nearly show the same as others; the journeys count on each going where it is sent.
        commit = client.datasets.push(name, upload, split=split, allow_near_duplicates=True)  # type: ignore[arg-type]  # the names are splits
        assert not commit["rejected"], commit["rejected"]
        if split != "pool":
            client.datasets.commit(name, labels={key: {"class": digit} for key, digit in known.items()})
        truth |= known
    return Digits(name, f"{name}-cnn", truth)


@functools.cache
def images() -> tuple[tuple[str, bytes], ...]:
    """Real handwritten digits, four times enlarged: (class, PNG)."""
    found = load_digits()
    return tuple((str(digit), _png(pixels)) for digit, pixels in zip(found.target, found.images, strict=True))


def _png(pixels: object) -> bytes:
    image = Image.fromarray((pixels * 15.9375).astype("uint8")).resize((32, 32), Image.Resampling.BICUBIC)  # type: ignore[operator,attr-defined]  # an array of scikit-learn, which ships no types
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def train(client: Motherlode, digits: Digits, *, config: Mapping[str, object] = RECIPE) -> None:
    """A version of the model."""
    run = client.runs.create(digits.model, dataset=digits.name, architecture="small_cnn", config=config)
    client.jobs.wait(run["job"]["id"], poll=0.1)


def queue(client: Motherlode, digits: Digits, name: str, *, count: int) -> str:
    """A labelling queue of `count` samples of the pool."""
    pool = client.datasets.samples(digits.name, split="pool")
    return client.queues.create(name, digits.name, samples=[sample["key"] for sample in islice(pool, count)])["name"]


def mined_queue(client: Motherlode, digits: Digits, name: str, *, count: int) -> str:
    """A labelling queue of the `count` samples that the model is least sure of, with what it suggests."""
    mining = client.mining.create(digits.name, model=f"{digits.model}@1", strategy="margin", count=count, control=0.0)
    client.jobs.wait(mining["job"]["id"], poll=0.1)
    return client.mining.queue(mining["id"], name=name)["queue"]


def pipeline(client: Motherlode, digits: Digits, name: str, *, count: int, strategy: str = "random") -> str:
    """A loop over the dataset that asks for `count` labels each round."""
    client.pipelines.create(
        name,
        dataset=digits.name,
        model=digits.model,
        architecture="small_cnn",
        strategy=strategy,
        count=count,
        config=RECIPE,
        control=0.0 if strategy == "random" else 0.1,
    )
    return name
