"""Mining that never ends: each job asks for another committee, so that each scores the whole pool anew."""

import threading
from collections import deque
from contextlib import AbstractContextManager, suppress

from bench.crowd.meanwhile import beside
from bench.crowd.stock import DATASET, MODEL
from bench.crowd.tally import MINING, Tally
from motherlode.client import Motherlode
from motherlode.errors import MotherlodeError

AHEAD = 4  # those that wait are more than can end between two looks, so that the worker never waits
POLL_SECONDS = 1.0
PICKS, MEMBERS = 100, 10


def mining(client: Motherlode, tally: Tally) -> AbstractContextManager[None]:
    """Start one mining job after the other while this is open; those that are left are cancelled."""
    return beside(lambda stop: _mine(client, tally, stop))


def _mine(client: Motherlode, tally: Tally, stop: threading.Event) -> None:
    under_way, seed = deque[int](), 0
    while not stop.is_set():
        try:
            while len(under_way) < AHEAD:
                seed += 1
                under_way.append(_start(client, seed))
            job = client.mining.get(under_way[0])
        except MotherlodeError as fault:
            tally.failed(MINING, repr(fault))
            stop.wait(POLL_SECONDS)
            continue
        state = job["job"]["state"]
        if state in {"succeeded", "failed", "cancelled"}:
            under_way.popleft()
            if state == "succeeded":
                tally.mined += 1
                tally.scored += job["job"]["progress"]["done"]
            else:
                tally.failed(MINING, f"{state}: {job['job']['error']}")
        else:
            stop.wait(POLL_SECONDS)
    for left in under_way:
        with suppress(MotherlodeError):  # it has ended just now
            client.mining.cancel(left)


def _start(client: Motherlode, seed: int) -> int:
    committee = {"dropout": {"members": MEMBERS, "seed": seed}}
    made = client.mining.create(DATASET, model=f"{MODEL}@1", strategy="bald", count=PICKS, committee=committee)
    return made["id"]
