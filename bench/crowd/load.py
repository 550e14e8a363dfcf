"""All of them at once, for so many seconds."""

import asyncio
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass

from bench.crowd.line import Door, Line
from bench.crowd.people import Annotator, Client
from bench.crowd.production import Production
from bench.crowd.stock import Stock
from bench.crowd.tally import Tally

SHOWN_SECONDS = 15.0
LAG_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Crowd:
    """For how long they come, and from which seed their paces are drawn."""

    seconds: float
    seed: int


async def load(site: Production, stock: Stock, tally: Tally, crowd: Crowd) -> float:
    """Let everybody work; returns the seconds it lasted, fewer than asked for after Ctrl-C."""
    door, stop = Door.to(site.port, site.certificate, tally), asyncio.Event()
    tokens = [*stock.annotators, *stock.clients]
    lines = [Line(door, token) for token in tokens]
    seeds = [random.Random(crowd.seed * len(tokens) + at) for at in range(len(tokens))]
    people = len(stock.annotators)
    workers: list[Annotator | Client] = [
        Annotator(line, stock, stock.queues_of(at), rng, tally, stop)
        for at, (line, rng) in enumerate(zip(lines[:people], seeds[:people], strict=True))
    ]
    workers += [Client(line, stock, rng, stop) for line, rng in zip(lines[people:], seeds[people:], strict=True)]
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    began = time.monotonic()
    work = [asyncio.create_task(one.work()) for one in workers]
    watch = [asyncio.create_task(_show(site, tally, stop, began)), asyncio.create_task(_lag(tally, stop))]
    try:
        async with asyncio.timeout(crowd.seconds):
            await stop.wait()
    except TimeoutError:
        stop.set()
    seconds = time.monotonic() - began
    await asyncio.gather(*work, *watch)
    for line in lines:
        line.close()
    return seconds


async def _show(site: Production, tally: Tally, stop: asyncio.Event, began: float) -> None:
    """A line now and then of how far it is."""
    before: Counter[str] = Counter()
    while not stop.is_set():
        try:
            async with asyncio.timeout(SHOWN_SECONDS):
                await stop.wait()
        except TimeoutError:
            site.check()
            counts = Counter({kind: len(times) for kind, times in tally.calls.items()})
            latest = sorted(time for kind, times in tally.calls.items() for time in times[before[kind] :])
            p95 = 1000 * latest[int(len(latest) * 0.95)] if latest else 0.0
            print(
                f"  {time.monotonic() - began:5.0f} s  {len(latest) / SHOWN_SECONDS:.0f} calls/s, p95 {p95:.0f} ms; "
                f"{len(tally.answered):,} answers, {tally.mined} mining jobs, {tally.errors.total()} errors",
                flush=True,
            )
            before = counts


async def _lag(tally: Tally, stop: asyncio.Event) -> None:
    """How late this program itself is: what it adds to every figure."""
    while not stop.is_set():
        began = time.perf_counter()
        await asyncio.sleep(LAG_SECONDS)
        tally.lag.append(time.perf_counter() - began - LAG_SECONDS)
