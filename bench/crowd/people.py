"""Annotators who work as the browser does, and programs that read: each with a line and a seed of its own."""

import asyncio
import json
import random
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.crowd.line import Line
from bench.crowd.stock import DATASET, MODEL, Stock
from bench.crowd.tally import ANSWER, IMAGE, NEXT, Tally

BATCH, REFILL_BELOW = 8, 4  # those of the browser's label session
LOOKS = (1.0, 2.0)  # seconds an annotator looks at an image
ASKS = (2.0, 6.0)  # seconds between two calls of a client
ARRIVE = 10.0  # seconds within which all have come
TRIES = 5
EMPTY_PAUSE = 1.0

DATASETS, PAGE, SAMPLE, VERSIONS = "list datasets", "page of samples", "one sample", "list versions"
JOBS, MODELS, THUMB = "list jobs", "list models", "thumbnail"
MIX = {DATASETS: 2, PAGE: 4, SAMPLE: 3, VERSIONS: 2, JOBS: 2, MODELS: 2, THUMB: 5}
"""Kinds of calls of clients, and how often each is made."""


async def pause(stop: asyncio.Event, seconds: float) -> None:
    """Return after so many seconds, or when all are to stop."""
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return


@dataclass(slots=True)
class Annotator:
    """Takes tasks ahead, has their images, looks at one at a time and answers it under its own key."""

    line: Line
    stock: Stock
    queues: Sequence[str]
    rng: random.Random
    tally: Tally
    stop: asyncio.Event

    async def work(self) -> None:
        """Until all are to stop or no queue has anything left."""
        await pause(self.stop, self.rng.uniform(0, ARRIVE))
        await self.line.connect()
        for queue in self.queues:
            if not await self._empty(queue):
                return

    async def _empty(self, queue: str) -> bool:
        """True once this queue has nothing for this annotator."""
        ahead: dict[int, Mapping[str, Any]] = {}
        while not self.stop.is_set():
            if len(ahead) < REFILL_BELOW:
                await self._refill(queue, ahead)
            if not ahead:
                return True
            looked = self.rng.uniform(*LOOKS)
            await pause(self.stop, looked)
            if self.stop.is_set():
                break
            task = ahead.pop(next(iter(ahead)))
            await self._answer(task, looked)
        return False

    async def _refill(self, queue: str, ahead: dict[int, Mapping[str, Any]]) -> None:
        told = await self.line.ask(NEXT, "POST", f"/labeling/queues/{queue}/next", {"count": BATCH})
        if told is None:
            await pause(self.stop, EMPTY_PAUSE)
            return
        for task in json.loads(told)["tasks"] if told else []:
            if task["id"] not in ahead:
                ahead[task["id"]] = task
                await self.line.ask(IMAGE, "GET", task["url"])

    async def _answer(self, task: Mapping[str, Any], looked: float) -> None:
        """Sent again under the same key when it was not confirmed, as the browser's outbox does."""
        value = {"class": self.stock.truth[task["sample"]["key"]]}
        body = {"value": value, "seconds": looked, "shown_suggestion": False, "lease_token": task["lease_token"]}
        key = uuid.UUID(int=self.rng.getrandbits(128)).hex
        for _ in range(TRIES):
            if await self.line.ask(ANSWER, "POST", f"/labeling/tasks/{task['id']}/answer", body, key=key) is not None:
                self.tally.answered[task["id"]] += 1
                return


@dataclass(slots=True)
class Client:
    """Asks for one thing after the other, with pauses."""

    line: Line
    stock: Stock
    rng: random.Random
    stop: asyncio.Event

    async def work(self) -> None:
        """Until all are to stop."""
        await pause(self.stop, self.rng.uniform(0, ARRIVE))
        await self.line.connect()
        while not self.stop.is_set():
            (kind,) = self.rng.choices(list(MIX), list(MIX.values()))
            await self.line.ask(kind, "GET", self._address(kind))
            await pause(self.stop, self.rng.uniform(*ASKS))

    def _address(self, kind: str) -> str:
        sample = self.rng.choice(self.stock.samples)
        filters = (
            "split=pool&labelled=false",
            f"split=train&label={self.rng.randrange(10)}",
            f"split=pool&predicted_by={MODEL}@1&confidence_to=0.5",
            f"q=-{self.rng.randrange(100):03}",
        )
        return {
            DATASETS: "/datasets",
            PAGE: f"/datasets/{DATASET}/versions/head/samples?limit=50&{self.rng.choice(filters)}",
            SAMPLE: f"/datasets/{DATASET}/samples/{sample.key}",
            VERSIONS: f"/datasets/{DATASET}/versions",
            JOBS: "/jobs",
            MODELS: "/models",
            THUMB: sample.thumb,
        }[kind]
