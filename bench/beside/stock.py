"""What is there before: a large dataset of one project, a small one of another, and people of both."""

import os
import subprocess
import sys
from dataclasses import dataclass

from bench.beside.places import Place
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
    """Make two projects with a dataset each, and people of the second. Rows are put into the database directly."""
    with place.client() as owner:
        for project in (LARGE, SMALL):
            _done(owner.post("/projects", json={"name": project}))
            body = {"name": project, "task": "classification", "classes": CLASSES, "project": project}
            _done(owner.post("/datasets", json=body))
        tokens = []
        for number in range(users):
            person = {"username": f"user-{number}", "role": "engineer", "project": SMALL}
            tokens.append(_done(owner.post("/people", json=person))["token"])
    for dataset, count in ((LARGE, samples), (SMALL, SMALL_SAMPLES)):
        fill(place, dataset, count)
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


def _done(answer: "object") -> dict[str, str]:
    import httpx

    assert isinstance(answer, httpx.Response)
    if answer.is_error:
        raise SystemExit(f"{answer.request.url} answered {answer.status_code}: {answer.text[:500]}")
    found: dict[str, str] = answer.json()
    return found
