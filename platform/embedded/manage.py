"""Run a command of manage.py on the platform of this `var/`, whether the platform runs or not."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext

from embedded.layout import Layout
from embedded.process import Child, ProcessSpec, dying_with, rotate, spawn
from embedded.profile import Profile
from embedded.state import is_locked, take_lock

ALONE = ("restore",)  # commands during which nobody else may use the database and the bucket
NEEDS_STORE = ("backup", "restore")
POLL_SECONDS = 0.1


def manage(layout: Layout, profile: Profile, arguments: Sequence[str]) -> int:
    """Runs the command in the foreground. Returns its exit code, or 1 if a running platform prevents it. If the
    platform is stopped, the object store runs as long as the command needs it."""
    running = is_locked(layout.lock)
    if running and arguments[0] in ALONE:
        print("Motherlode is running: `make down` stops it. Then run this again.")
        return 1
    alone = not running and arguments[0] in NEEDS_STORE
    with _store_alone(layout, profile) if alone else nullcontext():
        child = subprocess.Popen(
            [sys.executable, str(profile.root / "manage.py"), *arguments],
            env=profile.environment,
            cwd=profile.root,
            preexec_fn=dying_with(os.getpid()),  # a backup that goes on alone would keep the next one out
        )
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal tells the child itself
        try:
            return child.wait()
        finally:
            signal.signal(signal.SIGINT, before)


@contextmanager
def _store_alone(layout: Layout, profile: Profile) -> Iterator[None]:
    with take_lock(layout.lock, state=layout.state):
        spec = profile.object_store()
        log = layout.logs / f"{spec.name}.log"
        rotate(log)
        child = spawn(spec, log)
        try:
            _wait_ready(spec, child)
            yield
        finally:
            _stop(spec, child)


def _wait_ready(spec: ProcessSpec, child: Child) -> None:
    deadline = time.monotonic() + spec.ready_seconds
    while not child.is_ready():
        if child.exit_code() is not None or time.monotonic() > deadline:
            raise SystemExit(f"The object store did not start; see {child.log_path}")
        time.sleep(POLL_SECONDS)


def _stop(spec: ProcessSpec, child: Child) -> None:
    for number, seconds in spec.stop_signals:
        child.signal(number)
        deadline = time.monotonic() + seconds
        while child.exit_code() is None and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
    child.kill_group()
