"""Seconds from the last of a project's first labels to its first model, by stage: `python -m bench.first_model`.

A platform of its own, in a temporary folder, gets colour photographs that are made here: some labelled test images, the
rest without a label. A pipeline with all its defaults asks for the first labels, a stand-in answers them, and the time
runs from the last answer until the version is in the API, which its page reads. The time in which an answer can be
taken back (`commit_grace`) is part of it.
"""

import argparse
import io
import os
import tempfile
import time
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bench.versioning.site import own_site
from motherlode.archives import write_tar
from motherlode.client import Motherlode
from motherlode.transport import Upload

CLASSES = ["bolt", "nut", "washer", "spring"]
NAME, POLL = "parts", 0.2
MOST_SECONDS = 1800.0


def photograph(rng: np.random.Generator, kind: int, side: int) -> bytes:
    """Return a JPEG of an object of a class on a background of its own, `side` pixels wide and high."""
    coarse = rng.integers(40, 200, (6, 6, 3), dtype=np.uint8)
    image = cv2.resize(coarse, (side, side), interpolation=cv2.INTER_CUBIC)
    x, y = (int(side * rng.uniform(0.35, 0.65)) for _ in range(2))
    size = int(side * rng.uniform(0.15, 0.25))
    colour = tuple(int(part) for part in rng.integers(0, 256, 3))
    turn = float(rng.uniform(0, 360))
    if kind == 0:
        box = cv2.boxPoints(((x, y), (2.4 * size, 0.7 * size), turn)).astype(np.int32)
        cv2.fillPoly(image, [box], colour)
    elif kind == 1:
        angles = np.deg2rad(turn + 60 * np.arange(6))
        points = np.stack([x + size * np.cos(angles), y + size * np.sin(angles)], 1).astype(np.int32)
        cv2.fillPoly(image, [points], colour)
    elif kind == 2:
        cv2.circle(image, (x, y), size, colour, max(3, size // 3))
    else:
        for step in range(6):
            cv2.ellipse(image, (x - size + step * size // 3, y), (size // 3, size), turn, 0, 360, colour, 3)
    noisy = image.astype(np.float32) + rng.normal(0, 6, image.shape)
    return cv2.imencode(".jpg", np.clip(noisy, 0, 255).astype(np.uint8))[1].tobytes()


def fill(client: Any, *, tests: int, pool: int, side: int) -> dict[str, str]:
    """Add the images; returns the class of each by its key."""
    client.datasets.create(NAME, classes=CLASSES)
    rng, truth = np.random.default_rng(0), dict[str, str]()
    for split, count in (("test", tests), ("pool", pool)):
        keys = {f"{split}-{number:04}.jpg": CLASSES[number % len(CLASSES)] for number in range(count)}
        archive = io.BytesIO()
        write_tar(archive, ((key, photograph(rng, CLASSES.index(name), side)) for key, name in keys.items()))
        upload = Upload(f"{split}.tar", archive.getvalue(), "application/x-tar")
        client.datasets.push(NAME, upload, split=split, allow_near_duplicates=True)
        if split == "test":
            client.datasets.commit(NAME, labels={key: {"class": name} for key, name in keys.items()})
        truth |= keys
    return truth


def answered(client: Any, truth: dict[str, str], *, pause: float) -> None:
    """Answer everything that the round asks for, `pause` seconds an image."""
    queue = client.pipelines.rounds(NAME)[-1]["queue"]
    assert queue is not None
    while tasks := client.queues.next(queue).tasks:
        for task in tasks:
            time.sleep(pause)
            client.queues.answer(task, {"class": truth[task["sample"]["key"]]}, seconds=2, shown_suggestion=False)


def _awaited(client: Any, states: set[str]) -> Any:
    deadline = time.monotonic() + MOST_SECONDS
    while True:
        round_ = client.pipelines.rounds(NAME)[-1]
        if round_["state"] in states:
            return round_
        if round_["state"] in {"failed", "cancelled", "stopped"} or time.monotonic() > deadline:
            raise SystemExit(f"the round is {round_['state']}: {round_['error']}")
        time.sleep(POLL)


def _at(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()


def measured(client: Any, truth: dict[str, str], *, labels: int, grace: int | None, pause: float) -> None:
    """Run one round and print what each stage took."""
    terms: dict[str, Any] = {} if grace is None else {"commit_grace": grace}
    client.pipelines.create(NAME, dataset=NAME, count=labels, **terms)
    begun = time.time()
    client.pipelines.start_round(NAME)
    _awaited(client, {"labelling"})
    print(f"  {'the first labels are asked for, after':<44}{time.time() - begun:>8.1f} s", flush=True)
    answered(client, truth, pause=pause)
    last = time.time()
    while not (versions := list(client.models.versions(NAME))):
        _awaited(client, {"labelling", "committing", "retraining", "gating", "done"})
        time.sleep(POLL)
    there = time.time()
    (version,), round_ = versions, client.pipelines.rounds(NAME)[-1]
    run = client.runs.get(version["run"])
    shards = list(client.jobs.shards(run["job"]["id"]))
    marks = [("last answer", last), ("run is queued", _at(run["created"]))]
    for shard, name in zip(shards, ("training", "proof"), strict=True):
        marks += [(f"{name} is claimed", _at(shard["started"])), (f"{name} has ended", _at(shard["finished"]))]
    marks.append(("version is in the API", there))
    for (_, before), (name, after) in pairwise(marks):
        print(f"  {name:<44}{after - before:>8.1f} s{after - last:>10.1f} s")
    detail = client.models.version(NAME, version["version"])
    print(
        "  steps of the proof:", {name: round(took, 1) for name, took in detail["metrics"]["seconds"]["steps"].items()}
    )
    for line in client.jobs.get(run["job"]["id"])["log"]:
        print(f"    {_at(line['time']) - last:>8.1f} s  {line['message'][:150]}")
    _awaited(client, {"done"})
    print(f"  {'the round is done':<44}{'':>10}{time.time() - last:>10.1f} s")
    print(f"  accuracy {detail['metrics'].get('accuracy')}, round {round_['timings']}")


def main() -> None:
    """Print the stages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", type=int, default=40)
    parser.add_argument("--pool", type=int, default=500, help="images without a label, the first labels among them")
    parser.add_argument("--tests", type=int, default=60, help="labelled test images")
    parser.add_argument("--side", type=int, default=256, help="pixels")
    parser.add_argument("--grace", type=int, help="seconds in which answers can be taken back (default: as shipped)")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between two answers")
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    print(f"{asked.labels} labels, {asked.pool} images of {asked.side} pixels, {os.cpu_count()} cores, load {load:.1f}")
    with tempfile.TemporaryDirectory(prefix="motherlode-first-") as name, own_site(Path(name)) as site:
        client = Motherlode(site.url, site.token)
        truth = fill(client, tests=asked.tests, pool=asked.pool, side=asked.side)
        measured(client, truth, labels=asked.labels, grace=asked.grace, pause=asked.pause)


if __name__ == "__main__":
    main()
