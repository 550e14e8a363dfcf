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

from sklearn.datasets import load_sample_images

from embedded.layout import project_root
from embedded.seaweed import HOST, free_ports
from motherlode.archives import write_tar
from motherlode.client import Motherlode
from motherlode.transport import Upload

ROOT = project_root()
DATASET, MODEL, PIPELINE = "digits", "digits-cnn", "mined"
SCENES = "scenes"
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
            demo = [sys.executable, "-m", "motherlode", "demo", "--small", "--rounds", "3", "--count", "40"]
            environment = {**os.environ, "MOTHERLODE_VAR": str(var), "MOTHERLODE_URL": url}
            subprocess.run(demo, cwd=ROOT, env=environment, check=True)
            token = (var / "token").read_text().strip()
            with Motherlode(url, token) as client:
                tokens = [client.people.add(name)["token"] for name in ANNOTATORS]
                photographs(client)
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


def open_queue(client: Motherlode, pipeline: str) -> None:
    """Start a round and wait until it waits for labels."""
    client.pipelines.start_round(pipeline)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (turn := client.pipelines.rounds(pipeline)[-1])["state"] != "labelling":
        if time.monotonic() > deadline:
            raise SystemExit(f"round {turn['number']} is still {turn['state']}: {turn['error']}")
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
