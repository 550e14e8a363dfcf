"""Metrics of one host: what the processes that share a MOTHERLODE_VAR count, whoever of them is asked.

Every metric that counts something done by a process is declared here. Several hosts each tell their own, so a sum over
hosts is right.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from django.conf import settings
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from core.process_sums import ProcessSums, keys_of

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Histogram bounds in seconds. If you change them, rename the files: sums under other bounds can't be added up."""


def _folder() -> Path:
    return Path(settings.VAR_DIR) / "metrics"


class Histogram:
    """Durations by labels, in seconds."""

    def __init__(self, name: str, words: str, *, labels: Sequence[str], file: str) -> None:
        self.name, self.words, self.labels = name, words, labels
        self.sums = ProcessSums(_folder, file, labels=len(labels))

    def observe(self, *labels: str, seconds: float) -> None:
        """Count something that took `seconds`."""
        values = [0.0] * (len(BOUNDS) + 2)
        values[0], values[1 + bisect_left(BOUNDS, seconds)] = seconds, 1.0
        self.sums.add(labels, values)

    def family(self) -> Metric:
        family = HistogramMetricFamily(self.name, self.words, labels=self.labels)
        bounds = [*map(str, BOUNDS), "+Inf"]
        for key, (seconds, *counts) in keys_of(self.sums.all()):
            family.add_metric(key, list(zip(bounds, accumulate(counts), strict=True)), seconds)
        return family


class Counter:
    """A number by labels that only grows."""

    def __init__(self, name: str, words: str, *, labels: Sequence[str], file: str) -> None:
        self.name, self.words, self.labels = name, words, labels
        self.sums = ProcessSums(_folder, file, labels=len(labels))

    def add(self, *labels: str) -> None:
        """Count one more."""
        self.sums.add(labels, [1.0])

    def family(self) -> Metric:
        family = CounterMetricFamily(self.name, self.words, labels=self.labels)
        for key, (number,) in keys_of(self.sums.all()):
            family.add_metric(key, number)
        return family


requests = Histogram(
    "motherlode_request_seconds",
    "Seconds from a request to the head of its answer.",
    labels=("route", "method", "status"),
    file="requests",
)
store_requests = Histogram(
    "motherlode_store_request_seconds",
    "Seconds from a request to the object store to the head of its answer, with its tries.",
    labels=("outcome",),
    file="store",
)
attempts = Counter(
    "motherlode_shard_attempts",
    "Attempts at shards that ended, by kind of job and how.",
    labels=("kind", "outcome"),
    file="attempts",
)
slow_statements = Counter(
    "motherlode_slow_statements",
    "Statements that the database took more than a second for, its locks included.",
    labels=("verb",),
    file="statements",
)
web_threads = ProcessSums(_folder, "threads", labels=0, living=True)
"""Of the web processes that run: how many threads they have, and how many are busy."""


def full_web() -> str:
    """Return what is wrong with the threads of the web on this host, in words; empty if some are free."""
    threads, busy = _threads()
    return f"all {threads:.0f} threads of the web on this host are busy: requests wait" if 0 < threads <= busy else ""


def _threads() -> list[float]:
    return web_threads.all().get((), [0.0, 0.0])


def figures() -> Iterator[Metric]:
    """Yield all metrics of this host that processes count."""
    for one in (requests, store_requests, attempts, slow_statements):
        yield one.family()
    threads, busy = _threads()
    yield GaugeMetricFamily("motherlode_web_threads", "Threads that answer requests.", value=threads)
    yield GaugeMetricFamily("motherlode_web_threads_busy", "Those that are at a request.", value=busy)
