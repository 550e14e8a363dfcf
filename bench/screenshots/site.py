"""A platform of the pictures' own, with something of everything on it."""

import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from PIL import Image, ImageEnhance
from sklearn.datasets import load_sample_images

from embedded.layout import project_root
from embedded.ports import HOST, free_ports
from motherlode.archives import write_tar
from motherlode.client import Motherlode
from motherlode.transport import Upload

ROOT = project_root()
DATASET, MODEL, PIPELINE = "digits", "digits-cnn", "mined"
SCENES, TWINS, DRAWN, AWAY = "scenes", "twins", "drawn", "put-away"
ANNOTATORS = ("ana", "ben")
FEW = 30
PATIENCE_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Site:
    """Where it is, and the tokens of its owner and of somebody who annotates."""

    url: str
    token: str
    annotator: str


@contextmanager
def own_platform() -> Iterator[Site]:
    """A fresh platform with three rounds behind it and a queue of each kind that waits."""
    with tempfile.TemporaryDirectory(prefix="motherlode-screenshots-") as folder:
        var, port = Path(folder, "var"), free_ports(1)[0]
        embedded = [sys.executable, "-m", "embedded", "--var", str(var)]
        url = f"http://{HOST}:{port}"
        try:
            subprocess.run([*embedded, "up", "--detach", "--port", str(port)], cwd=ROOT, check=True)
            demo = [sys.executable, "-m", "demo", "--small", "--rounds", "3", "--count", "40"]
            environment = {**os.environ, "MOTHERLODE_VAR": str(var), "MOTHERLODE_URL": url}
            subprocess.run(demo, cwd=ROOT, env=environment, check=True)
            token = (var / "token").read_text().strip()
            with Motherlode(url, token) as client:
                tokens = [client.people.add(name)["token"] for name in ANNOTATORS]
                photographs(client)
                twins(client)
                drawn(client)
                client.histories.fork(DATASET, "digits-of-two")
                disagree(client, [Motherlode(url, one) for one in tokens])
                client.queues.create("by-class", DATASET, samples=pool(client, FEW), kind="grid")
                mine(client)
                open_queue(client, PIPELINE)
                replay(client, PIPELINE)
                lay_out(client, PIPELINE)
            yield Site(url, token, tokens[0])
        finally:
            subprocess.run([*embedded, "down"], cwd=ROOT, check=True)


def pool(client: Motherlode, count: int) -> list[str]:
    """The keys of some samples that nobody labelled."""
    return [one["key"] for one in islice(client.datasets.samples(DATASET, split="pool", labelled=False), count)]


def disagree(client: Motherlode, annotators: Sequence[Motherlode]) -> None:
    """A queue that two people answered, not always alike."""
    queue = client.queues.create("twice", DATASET, samples=pool(client, FEW), answers_per_task=len(annotators))
    for turn, annotator in enumerate(annotators):
        while tasks := annotator.queues.next(queue["id"], count=FEW).tasks:
            for task in tasks:
                # Every third sample is a 3 to the one and an 8 to the other.
                found = "38"[turn] if task["sample"]["id"] % 3 == 0 else str(task["sample"]["id"] % 10)
                annotator.queues.answer(task, {"class": found}, seconds=1.5 + turn, shown_suggestion=False)
        annotator.close()


def mine(client: Motherlode) -> None:
    """Picks that no queue has yet."""
    made = client.mining.create(DATASET, model=f"{MODEL}@production", strategy="margin", count=FEW)
    client.jobs.wait(made["job"]["id"])


def photographs(client: Motherlode) -> None:
    """A dataset that asks for boxes: scikit-learn's photographs."""
    client.datasets.create(SCENES, classes=["roof", "flower", "tree"], task="detection")
    archive = io.BytesIO()
    found = load_sample_images()
    write_tar(archive, ((Path(name).name, Path(name).read_bytes()) for name in found.filenames))
    client.datasets.push(SCENES, Upload("photographs.tar", archive.getvalue(), "application/x-tar"), split="pool")
    client.queues.create(SCENES, SCENES)
    client.queues.create("outlines", SCENES, kind="polygons")


def twins(client: Motherlode) -> None:
    """A dataset whose train split has re-encoded and brightened copies of its test images."""
    client.datasets.create(TWINS, classes=["temple", "flower"])
    archive = io.BytesIO()
    found = [Path(name) for name in load_sample_images().filenames]
    files = [
        (f"test/{name}/original.jpg", path.read_bytes()) for name, path in zip(("temple", "flower"), found, strict=True)
    ]
    for name, path in zip(("temple", "flower"), found, strict=True):
        picture = Image.open(path)
        files += [(f"train/{name}/{made}.jpg", encoded(copy)) for made, copy in copies(picture)]
    write_tar(archive, files)
    client.datasets.push(TWINS, Upload("twins.tar", archive.getvalue(), "application/x-tar"))


def drawn(client: Motherlode) -> None:
    """A dataset with boxes of many sizes, some of them occluded: parts of the photographs."""
    client.datasets.create(DRAWN, classes=["roof", "flower", "tree"], task="detection")
    archive, rng = io.BytesIO(), np.random.default_rng(0)
    pictures = [Image.open(name) for name in load_sample_images().filenames]
    labels: dict[str, dict[str, object]] = {}
    files = []
    for place in range(FEW):
        left, top = 40 * (place % 6), 30 * (place // 6)
        part = pictures[place % 2].crop((left, top, left + 360, top + 240))
        key = f"{'train' if place % 5 else 'test'}/{place:02}.jpg"
        files.append((key, encoded(part)))
        labels[key] = {"boxes": [box(rng) for _ in range(place % 7)]}
    write_tar(archive, files)
    client.datasets.push(DRAWN, Upload("drawn.tar", archive.getvalue(), "application/x-tar"))
    client.datasets.commit(DRAWN, labels=labels)
    client.datasets.create(AWAY, classes=["cat", "dog"])
    client.datasets.archive(AWAY)


def box(rng: np.random.Generator) -> dict[str, object]:
    """A box within a part, of any size; one in four is occluded."""
    x, y = (float(round(value)) for value in rng.uniform((0, 0), (280, 160)))
    width, height = (float(round(4 + value)) for value in rng.exponential((60, 40)).clip(0, 70))
    made: dict[str, object] = {"class": str(rng.choice(["roof", "flower", "tree"])),
                               "box": [x, y, x + width, y + height]}  # fmt: skip
    return made | ({"attributes": {"occluded": True}} if rng.random() < 0.25 else {})


def copies(picture: Image.Image) -> list[tuple[str, Image.Image]]:
    """The same picture as somebody else would keep it."""
    smaller = picture.resize((picture.width // 2, picture.height // 2))
    return [("smaller", smaller), ("brighter", ImageEnhance.Brightness(picture).enhance(1.05))]


def encoded(picture: Image.Image) -> bytes:
    """As a JPEG file."""
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=80)
    return file.getvalue()


def open_queue(client: Motherlode, pipeline: str) -> None:
    """Start a round and wait until it waits for labels."""
    client.pipelines.start_round(pipeline)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (round_ := client.pipelines.rounds(pipeline)[-1])["state"] != "labelling":
        if time.monotonic() > deadline:
            raise SystemExit(f"round {round_['number']} is still {round_['state']}: {round_['error']}")
        time.sleep(0.5)


def replay(client: Motherlode, pipeline: str) -> None:
    """Back-test two strategies on what the pipeline's annotators labelled, and wait for the curves."""
    found = client.pipelines.get(pipeline)
    learner = {"kind": "probe", "model": f"{found['model']}@production"}
    made = client.backtests.create(found["dataset"], learner=learner, strategies=["margin", "k_center"], seeds=5,
                                   rounds=6, count=15, start=15, target=0.9)  # fmt: skip
    client.jobs.wait(made["job"]["id"])


def lay_out(client: Motherlode, pipeline: str) -> None:
    """Make the map of the pipeline's dataset as its model sees it."""
    found = client.pipelines.get(pipeline)
    client.jobs.wait(client.datasets.map(found["dataset"], model=f"{found['model']}@production")["job"]["id"])
