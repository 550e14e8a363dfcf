"""What is there before: a large dataset of one project, a small one of another, and people of both."""

import io
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass

import httpx

from bench.beside.images import images
from bench.beside.places import Place
from bench.beside.requesting import checked, job_of, wait_job, wait_published
from embedded.layout import project_root

LARGE, SMALL = "large", "small"
CLASSES = ["cat", "dog", "bird"]
SMALL_SAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Stock:
    """`users` have tokens of the small dataset's project alone."""

    samples: int
    users: tuple[str, ...]


def furnish(place: Place, *, samples: int, users: int) -> Stock:
    """Make two projects with a dataset each, and people of the second. The images are uploaded; most samples are put
    into the database directly."""
    with place.client() as owner:
        for project in (LARGE, SMALL):
            checked(owner.post("/projects", json={"name": project}))
            body = {"name": project, "task": "classification", "classes": CLASSES, "project": project}
            checked(owner.post("/datasets", json=body))
        _upload(owner)
        tokens = []
        for number in range(users):
            person = {"username": f"user-{number}", "role": "engineer", "project": SMALL}
            tokens.append(checked(owner.post("/people", json=person)).json()["token"])
    for dataset, count in ((LARGE, samples), (SMALL, SMALL_SAMPLES)):
        fill(place, dataset, count)
    with place.client() as owner:
        wait_published(owner, LARGE)
    return Stock(samples, tuple(tokens))


def fill(place: Place, dataset: str, count: int) -> None:
    """Add samples to a dataset, in a process that has the platform's database for its own."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "MOTHERLODE_SECRET_KEY": os.urandom(32).hex(),
        "MOTHERLODE_VAR": str(place.folder),
        "MOTHERLODE_DATABASE_URL": place.database,
        "MOTHERLODE_LOG_LEVEL": "WARNING",
    }
    argv = [sys.executable, "-m", "bench.beside.filling", dataset, str(count)]
    subprocess.run(argv, cwd=project_root(), env=environment, check=True)


def _upload(owner: httpx.Client) -> None:
    """Store the images, as samples of a dataset that nobody asks for."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for number, data in enumerate(images()):
            file.writestr(f"{number:04d}.png", data)
    checked(owner.post("/datasets", json={"name": "images", "task": "classification", "classes": CLASSES}))
    answer = checked(owner.post("/datasets/images", files={"archive": ("images.zip", archive.getvalue())}))
    if answer.status_code == httpx.codes.ACCEPTED:
        wait_job(owner, job_of(answer))
