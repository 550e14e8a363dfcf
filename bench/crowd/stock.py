"""What is on the platform before the crowd comes: real digits, a model of them, queues, people with tokens."""

import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import cv2

from demo.mnist import sklearn_digits
from motherlode.archives import write_tar
from motherlode.client import Motherlode
from motherlode.transport import Upload

DATASET, MODEL = "digits", "digits-cnn"
CLASSES = [str(digit) for digit in range(10)]
RECIPE = {"recipe": {"steps": 30}, "export": {"precisions": []}}
SPLITS = {"test": 100, "train": 100}
"""Labelled images; all others are the pool."""
QUEUES_AT_ONCE = 5


@dataclass(frozen=True, slots=True)
class Listed:
    """A sample as clients ask for it."""

    key: str
    thumb: str


@dataclass(frozen=True, slots=True)
class Stock:
    """`truth` has the class of every sample by its key."""

    samples: Sequence[Listed]
    truth: Mapping[str, str]
    queues: Sequence[str]
    annotators: Sequence[str]
    clients: Sequence[str]

    def queues_of(self, annotator: int) -> Sequence[str]:
        """The queues in the order in which an annotator empties them: a few are worked on at a time, by all."""
        first = annotator % QUEUES_AT_ONCE
        return [
            name
            for at in range(0, len(self.queues), QUEUES_AT_ONCE)
            for name in _turned(self.queues[at : at + QUEUES_AT_ONCE], first)
        ]


def furnish(client: Motherlode, *, annotators: int, clients: int, tasks: int, alive: Callable[[object], None]) -> Stock:
    """Fill an empty platform through its API. `alive` is called now and then and may raise."""
    truth = _load(client)
    run = client.runs.create(MODEL, dataset=DATASET, architecture="small_cnn", config=RECIPE)
    client.jobs.wait(run["job"]["id"], on_progress=alive)
    samples = [Listed(one["key"], one["thumb"]) for one in client.datasets.samples(DATASET)]
    pool = [one.key for one in samples if one.key.startswith("pool")]
    count = max(QUEUES_AT_ONCE, math.ceil(tasks / len(pool)))
    queues = [client.queues.create(f"queue-{n}", DATASET, samples=pool)["name"] for n in range(count)]
    people = [client.people.add(f"annotator-{n}", role="annotator")["token"] for n in range(annotators)]
    programs = [client.people.add(f"client-{n}", role="viewer", service=True)["token"] for n in range(clients)]
    return Stock(samples, truth, queues, people, programs)


def _load(client: Motherlode) -> dict[str, str]:
    client.datasets.create(DATASET, classes=CLASSES, description="scikit-learn's digits")
    client.models.create(MODEL, classes=CLASSES)
    images, truth = iter(_images()), dict[str, str]()
    for split in (*SPLITS, "pool"):
        batch = dict[str, bytes]()
        for digit, png in images:
            key = f"{split}-{len(batch):05}.png"
            truth[key], batch[key] = digit, png
            if len(batch) == SPLITS.get(split):
                break
        archive = io.BytesIO()
        write_tar(archive, batch.items())
        upload = Upload(f"{split}.tar", archive.getvalue(), "application/x-tar")
        client.datasets.push(DATASET, upload, split=split, allow_near_duplicates=True)  # type: ignore[arg-type]  # the names are splits
        if split != "pool":
            client.datasets.commit(DATASET, labels={key: {"class": truth[key]} for key in batch})
    return truth


def _images() -> Iterator[tuple[str, bytes]]:
    """Real handwritten digits, 28 x 28: (class, PNG)."""
    digits = sklearn_digits()
    for images, labels in ((digits.train_images, digits.train_labels), (digits.test_images, digits.test_labels)):
        for image, label in zip(images, labels, strict=True):
            yield str(label), cv2.imencode(".png", image)[1].tobytes()


def _turned(names: Sequence[str], by: int) -> list[str]:
    first = by % len(names)
    return [*names[first:], *names[:first]]
