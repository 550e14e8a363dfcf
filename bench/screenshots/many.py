"""`--many 120`: so many of everything that a list holds, as on a platform that is used for a year."""

import io
from collections.abc import Callable
from pathlib import Path

from sklearn.datasets import load_sample_images

from bench.screenshots.site import DATASET, MODEL, pool
from motherlode.archives import write_tar
from motherlode.client import Motherlode
from motherlode.transport import Upload

RECIPE = {"recipe": {"steps": 2}, "export": {"precisions": []}}
LONG = "a-camera-behind-the-windscreen-of-the-left-lane-at-night"


def crowd(client: Motherlode, count: int) -> None:
    """Make `count` more datasets, models, queues, pipelines, projects, people, runs and mining jobs. The runs are
    cancelled before they cost anything."""
    classes = [f"{LONG}-{place}" if place == 1 else f"class {place}" for place in range(count)]
    client.datasets.create("many-classes", classes=classes, description="As many classes as a shop has.")
    archive = io.BytesIO()
    write_tar(archive, ((Path(name).name, Path(name).read_bytes()) for name in load_sample_images().filenames))
    client.datasets.push("many-classes", Upload("shop.tar", archive.getvalue(), "application/x-tar"), split="pool")
    client.queues.create("many-classes", "many-classes")
    keys = pool(client, 2)
    makers: dict[str, Callable[[str], object]] = {
        "dataset": lambda name: client.datasets.create(name, classes=["cat", "dog"], description=f"About {name}"),
        "model": lambda name: client.models.create(name, classes=["cat", "dog"]),
        "queue": lambda name: client.queues.create(name, DATASET, samples=keys),
        "pipeline": lambda name: client.pipelines.create(name, dataset=DATASET, model=MODEL, count=20),
        "project": lambda name: client.projects.create(name, description=f"All that {name} needs"),
        "person": lambda name: client.people.add(name, role="annotator", project="default"),
    }
    for noun, make in makers.items():
        for number in range(count):
            make(f"{LONG}-{noun}" if number == 1 else f"{noun}-{number:03}")
    for _ in range(count):
        client.runs.cancel(client.runs.create(MODEL, dataset=DATASET, architecture="small_cnn", config=RECIPE)["id"])
    for _ in range(count):
        job = client.mining.create(DATASET, model=f"{MODEL}@production", strategy="random", count=5)["job"]
    client.jobs.wait(job["id"])
