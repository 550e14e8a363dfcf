"""Heartbeats of workers and web processes: one row each, overwritten by a thread that no work waits for."""

import logging
import os
import platform
import socket
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models.functions import Now

from core import alive
from core.version import VERSION
from jobs import machine
from jobs.models import Beat, WebBeat
from jobs.needs import Capacity, Gpu
from worker_programs.confinement import memory_of_machine

logger = logging.getLogger(__name__)


class Heartbeat:
    """A thread that calls `beat` now and every `seconds`, and `forget` when it is stopped."""

    def __init__(self, name: str, *, beat: Callable[[], None], forget: Callable[[], None], seconds: float) -> None:
        self._name, self._beat, self._forget, self._seconds = name, beat, forget, seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread without waiting for it; it deletes the row, so that an ending process leaves the list at
        once."""
        self._stop.set()

    def _keep(self) -> None:
        self._try(self._beat)
        while not self._stop.wait(self._seconds):
            self._try(self._beat)
        self._try(self._forget)

    def _try(self, write: Callable[[], None]) -> None:
        """Call `write`: an unavailable database costs one beat, never the thread. No connection stays open, because the
        worker may fork at any time."""
        try:
            write()
        except Exception:  # the edge of a thread: the next beat tries again
            logger.warning("could not write the heartbeat of %s", self._name, exc_info=True)
        finally:
            connection.close()


class Idleness:
    """How long a worker has had no work. Where `settings.WORKER_IDLE_SECONDS` is set, `leave` is called after so
    long."""

    def __init__(self, name: str, is_busy: Callable[[], bool], leave: Callable[[], None]) -> None:
        self._name, self._is_busy, self._leave, self._worked = name, is_busy, leave, time.monotonic()

    def look(self) -> None:
        """Look whether the worker is busy."""
        if self._is_busy():
            self._worked = time.monotonic()
        elif 0 < settings.WORKER_IDLE_SECONDS < time.monotonic() - self._worked:
            logger.info("%s has had no work for %.0f s: it ends", self._name, settings.WORKER_IDLE_SECONDS)
            self._leave()
            self._worked = time.monotonic()  # it takes a moment


def of_worker(
    name: str,
    *,
    queues: Sequence[str],
    processes: Callable[[], Sequence[int]],
    is_busy: Callable[[], bool] = lambda: True,
    leave: Callable[[], None] = lambda: None,
) -> Heartbeat:
    """Return the heartbeat of a worker; `processes` returns the current pids of its pool, `leave` ends an idle one (see
    `Idleness`)."""
    machine.figures(settings.VAR_DIR)  # CPU is measured from one call to the next
    idleness = Idleness(name, is_busy, leave)

    def beat() -> None:
        alive.touch(name.partition("@")[0])
        idleness.look()
        facts: dict[str, Any] = {
            "host": socket.gethostname(),
            "queues": [queue.removeprefix(settings.QUEUE_PREFIX) for queue in queues],
            "processes": [_process(pid) for pid in processes()],
            "machine": machine.figures(settings.VAR_DIR),
            "has": capacity().document(),
            "version": VERSION,
        }
        row = Beat(name=name, seen=Now(), **facts)
        Beat.objects.bulk_create([row], update_conflicts=True, unique_fields=["name"], update_fields=[*facts, "seen"])

    def forget() -> None:
        Beat.objects.filter(name=name).delete()

    return Heartbeat(name, beat=beat, forget=forget, seconds=settings.WORKER_BEAT_SECONDS)


def of_web() -> Heartbeat:
    """Return the heartbeat of this process of a web server. It also removes rows of processes that were killed."""
    name = f"{socket.gethostname()}:{os.getpid()}"

    def beat() -> None:
        row = WebBeat(name=name, version=VERSION, seen=Now())
        WebBeat.objects.bulk_create(
            [row], update_conflicts=True, unique_fields=["name"], update_fields=["version", "seen"]
        )
        WebBeat.objects.filter(seen__lt=Now() - timedelta(seconds=settings.WORKER_GONE_SECONDS)).delete()

    def forget() -> None:
        WebBeat.objects.filter(name=name).delete()

    return Heartbeat(name, beat=beat, forget=forget, seconds=settings.WORKER_GONE_SECONDS / 3)


def capacity() -> Capacity:
    """The capacity that this worker offers to shards: what the machine has, unless settings say otherwise."""
    gpus = machine.devices()
    if settings.WORKER_GPUS is not None and settings.WORKER_GPU_MEMORY:
        gpus = [
            Gpu(str(at), settings.WORKER_GPU_NAME, settings.WORKER_GPU_MEMORY) for at in range(settings.WORKER_GPUS)
        ]
    elif settings.WORKER_GPUS is not None:
        gpus = gpus[: settings.WORKER_GPUS]
    return Capacity(
        gpus=tuple(gpus),
        memory=settings.WORKER_MEMORY or memory_of_machine(),
        cores=settings.WORKER_CORES or machine.cores(),
        architecture=settings.WORKER_ARCHITECTURE or platform.machine(),
    )


def _process(pid: int) -> dict[str, Any]:
    since = machine.begun(pid)
    told = datetime.fromtimestamp(since, UTC).isoformat() if since else None
    return {"pid": pid, "rss": machine.resident(pid), "since": told}
