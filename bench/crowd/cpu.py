"""Seconds of CPU by part of the platform, read from the kernel."""

import os
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import psutil

from bench.crowd.meanwhile import beside

EVERY_SECONDS = 2.0
LOAD, DATABASE, OTHERS = "load generator", "database's connections", "all else here, the broker too"


@dataclass(slots=True)
class Meter:
    """`roots` are the process ids of each part; of the database every connection is seen every two seconds, because
    it takes its figure along when it closes."""

    roots: Mapping[str, int]
    database: str
    _connections: dict[tuple[int, float], float] = field(default_factory=dict)

    def read(self) -> dict[str, float]:
        """All of them until now."""
        self._look()
        machine = psutil.cpu_times()
        ours = {name: _tree(pid) for name, pid in self.roots.items()} | {
            DATABASE: sum(self._connections.values()),
            LOAD: _of(psutil.Process(os.getpid())),
        }
        return ours | {OTHERS: sum(machine) - machine.idle - machine.iowait - sum(ours.values())}

    def looking(self) -> AbstractContextManager[None]:
        """Watch the database's connections while this is open."""

        def watch(stop: threading.Event) -> None:
            while not stop.wait(EVERY_SECONDS):
                self._look()

        return beside(watch)

    def _look(self) -> None:
        name = urlsplit(self.database).path.strip("/")
        for one in psutil.process_iter():
            try:
                if one.name().startswith("postgres") and name in " ".join(one.cmdline()):
                    self._connections[one.pid, one.create_time()] = _of(one)
            except psutil.Error:
                continue


def _tree(pid: int) -> float:
    """Of a process and all below it, those that have ended too."""
    root = psutil.Process(pid)
    return sum(_of(one, ended=True) for one in (root, *root.children(recursive=True)))


def _of(process: psutil.Process, *, ended: bool = False) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    own = float(times.user + times.system)
    return own + float(times.children_user + times.children_system) if ended else own
