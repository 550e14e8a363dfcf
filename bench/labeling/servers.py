"""Databases, and servers that are stopped at the end."""

import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg

PATIENCE_SECONDS = 300.0


@contextmanager
def database(server: str, purpose: str) -> Iterator[str]:
    """The address of an empty PostgreSQL database, dropped at the end."""
    name = f"bench_{purpose}_{os.getpid()}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield f"{server}/{name}"
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@contextmanager
def serving(argv: Sequence[str], *, env: Mapping[str, str], folder: Path, log: Path, ready: str) -> Iterator[int]:
    """The process id of a server, once `ready` answers."""
    with log.open("wb") as out:
        process = subprocess.Popen(argv, env=dict(env), cwd=folder, stdout=out, stderr=subprocess.STDOUT)
    try:
        _wait(process, ready, log)
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def busy(pid: int, url: str) -> float:
    """Seconds of CPU of a process and its children, and of the open connections to a PostgreSQL database. What a
    connection took that has closed since is lost: a server that opens one for each request is flattered."""
    server = psutil.Process(pid)
    wanted = [server, *server.children(recursive=True)]
    if url.startswith("postgres"):
        name = urlsplit(url).path.strip("/")
        wanted += [one for one in psutil.process_iter() if name in _title(one) and "postgres:" in _title(one)]
    return sum(_busy(one) for one in wanted)


def _title(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _busy(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


def _wait(process: "subprocess.Popen[bytes]", address: str, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310 - an address of our own
                if answer.status < 400:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise SystemExit(f"no answer from {address}:\n{log.read_text(errors='replace')[-3000:]}")
