"""People and programs who go on working during an upgrade, and what must be there afterwards: each thing that was
acknowledged, once."""

import io
import itertools
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

from motherlode.archives import write_tar
from motherlode.client import Motherlode
from motherlode.errors import MotherlodeError
from motherlode.transport import Upload

DATASET, MODEL = "work", "work-cnn"
CLASSES = ("dark", "light")
ANNOTATORS = ("ada", "ben")
SIDE, SAMPLES = 24, 24
CONFIG: Mapping[str, object] = {"recipe": {"epochs": 1, "batch_size": 8}}
PAUSE = 0.05
JOB_SECONDS = 300.0


@dataclass(slots=True)
class Done:
    """What was acknowledged: answered tasks, keys of uploaded samples, splits given to keys, runs; and what failed."""

    answered: Counter[int] = field(default_factory=Counter)
    uploaded: list[str] = field(default_factory=list)
    edited: dict[str, str] = field(default_factory=dict)
    commits: int = 0
    runs: list[int] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.answered.total()} answers, {len(self.uploaded)} uploads, {len(self.edited)} edits, "
            f"{self.commits} commits, {len(self.runs)} trainings"
        )


def picture(number: int) -> bytes:
    """Return a PNG that no other number has, dark or light."""
    noise = np.random.default_rng(number).integers(0, 100, (SIDE, SIDE, 3), dtype=np.uint8)
    return bytes(cv2.imencode(".png", noise + 150 * (number % 2))[1])


def archive(numbers: range, *, prefix: str) -> Upload:
    """Return a tar of such pictures."""
    made = io.BytesIO()
    write_tar(made, ((f"{prefix}-{number:06}.png", picture(number)) for number in numbers))
    return Upload("pictures.tar", made.getvalue(), "application/x-tar")


def furnish(client: Motherlode) -> list[str]:
    """Make a dataset with labels, a pool, a queue over it, a model, and annotators; returns their tokens."""
    client.datasets.create(DATASET, classes=CLASSES)
    client.models.create(MODEL, classes=CLASSES)
    starts = itertools.count(0, SAMPLES)
    for split in ("train", "test"):
        numbers = range(start := next(starts), start + SAMPLES)
        client.datasets.push(DATASET, archive(numbers, prefix=split), split=split, allow_near_duplicates=True)
        labels = {f"{split}-{number:06}.png": {"class": CLASSES[number % 2]} for number in numbers}
        client.datasets.commit(DATASET, labels=labels)
    pool = range(1000, 1000 + 10 * SAMPLES)
    client.datasets.push(DATASET, archive(pool, prefix="pool"), split="pool")
    client.queues.create("queue-0", DATASET, samples=[f"pool-{number:06}.png" for number in pool])
    return [client.people.add(name)["token"] for name in ANNOTATORS]


class Work:
    """Threads that answer, upload, edit and train until `stop`. Each has a client that waits and repeats as `lode`
    does."""

    def __init__(self, client: Callable[[str], Motherlode], *, owner: str, annotators: list[str], seed: int) -> None:
        self.done = Done()
        self._client, self._seed = client, seed
        self._stop = threading.Event()
        works = [*[(self._answer, token) for token in annotators], (self._upload, owner), (self._edit, owner)]
        works.append((self._train, owner))
        self._threads = [threading.Thread(target=self._keep, args=work, daemon=True) for work in works]

    def start(self) -> None:
        """Start them."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let each finish what it has begun."""
        self._stop.set()
        for thread in self._threads:
            thread.join(JOB_SECONDS)

    def _keep(self, loop: Callable[[Motherlode, random.Random], None], token: str) -> None:
        rng = random.Random(f"{self._seed} {threading.get_ident()}")
        with self._client(token) as client:
            while not self._stop.wait(PAUSE):
                try:
                    loop(client, rng)
                except MotherlodeError as error:
                    self.done.failed.append(f"{loop.__name__.strip('_')}: {error}")

    def _answer(self, client: Motherlode, rng: random.Random) -> None:
        name = f"queue-{self._seed}"
        handout = client.queues.next(name, count=4)
        for task in handout.tasks:
            value = {"class": rng.choice(CLASSES)}
            client.queues.answer(task, value, seconds=1.0, shown_suggestion=False)
            self.done.answered[task["id"]] += 1
        if not handout.tasks:
            self._stop.wait(1.0)

    def _upload(self, client: Motherlode, _: random.Random) -> None:
        first = 1_000_000 * (self._seed + 1) + len(self.done.uploaded)
        prefix = f"up-{self._seed}"
        commit = client.datasets.push(DATASET, archive(range(first, first + 2), prefix=prefix), split="pool")
        self.done.commits += commit["version"] is not None
        self.done.uploaded += [f"{prefix}-{number:06}.png" for number in range(first, first + 2)]

    def _edit(self, client: Motherlode, rng: random.Random) -> None:
        key = f"pool-{rng.randrange(1000, 1000 + 10 * SAMPLES):06}.png"
        name = rng.choice(CLASSES)
        client.datasets.commit(DATASET, labels={key: {"class": name}}, message="by hand")
        self.done.edited[key] = name
        self.done.commits += 1

    def _train(self, client: Motherlode, rng: random.Random) -> None:
        run = client.runs.create(
            MODEL, dataset=DATASET, architecture="small_cnn", config=CONFIG, seed=rng.randrange(99)
        )
        self.done.runs.append(run["id"])
        client.jobs.wait(run["job"]["id"])


def open_queue(client: Motherlode, seed: int) -> None:
    """Make the queue that the annotators of this seed empty."""
    if seed:
        keys = [f"pool-{number:06}.png" for number in range(1000, 1000 + 10 * SAMPLES)]
        client.queues.create(f"queue-{seed}", DATASET, samples=keys)


def faults(client: Motherlode, done: Done, seed: int) -> list[str]:
    """Return what was acknowledged and is not there once."""
    queue = client.queues.get(f"queue-{seed}")
    listed = [one["key"] for one in client.datasets.samples(DATASET, search=f"up-{seed}-")]
    labels: dict[str, Any] = {one["key"]: one["label"] for one in client.datasets.samples(DATASET, search="pool-")}
    counts = Counter(listed)
    runs = Counter(run["id"] for run in client.runs.all(model=MODEL))
    states = {run["id"]: run["job"]["state"] for run in client.runs.all(model=MODEL)}
    found = [f"answered twice: task {task}" for task, count in done.answered.items() if count > 1]
    found += [f"uploaded and not there: {key}" for key in done.uploaded if not counts[key]]
    found += [f"there twice: {key}" for key, count in counts.items() if count > 1]
    found += [f"uploaded by nobody: {key}" for key in counts if key not in set(done.uploaded)]
    found += [f"run {run} is {states.get(run)}" for run in done.runs if runs[run] != 1 or states[run] != "succeeded"]
    if (answers := queue["counts"]["done"]) != len(done.answered):
        found.append(f"{len(done.answered)} answers were acknowledged, and the queue has {answers}")
    wrong = [key for key, name in done.edited.items() if (labels.get(key) or {}).get("class") != name]
    found += [f"edited and not as said: {key}" for key in wrong]
    return found + done.failed


def settle(client: Motherlode) -> None:
    """Wait until no job is open. Raises SystemExit after a while."""
    deadline = time.monotonic() + JOB_SECONDS
    while list(client.jobs.all(state="queued,running")):
        if time.monotonic() > deadline:
            raise SystemExit("Jobs are still open.")
        time.sleep(0.5)
