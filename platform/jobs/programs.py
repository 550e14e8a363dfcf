"""Run training, export and scoring as programs of their own, with a config file and events on stdout."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings

from jobs.context import ShardContext
from jobs.errors import ProgramGaveUp, ShardFailed

GRACE_SECONDS = 5.0
EXIT_SECONDS = 60.0  # after its last word: torch takes seconds to leave
STDERR_LINES = 40
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
PASSING = {"store_unavailable"}  # codes of what may be over when it is tried again
Route = Callable[[dict[str, Any]], None]


class ProgramCrashed(Exception):
    """The program ended without a result: killed, or out of memory. Trying again may help."""


def run_program(
    module: str,
    config: Mapping[str, Any],
    *,
    folder: Path,
    context: ShardContext,
    tracked: bool = True,
    on_checkpoint: Route | None = None,
) -> dict[str, Any]:
    """Run `python -m module folder/config.json` and return its result event.

    Points and log lines go to the shard's context as they come, and so does progress, unless the program counts in
    other units than its job (`tracked` False). `on_checkpoint` is given each checkpoint event while its file is fresh.
    Raises ShardFailed with the program's own code when it says what is wrong, ProgramCrashed when it dies, JobCancelled
    or LeaseLost when told to stop.
    """
    config_file = folder / "config.json"
    config_file.write_text(json.dumps(config))
    tail: deque[str] = deque(maxlen=STDERR_LINES)
    with subprocess.Popen(  # noqa: S603 - our own interpreter and module names
        [sys.executable, "-m", module, str(config_file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env=environment(),
        process_group=0,
    ) as process:
        watchers = [
            threading.Thread(target=drain, args=(process, tail), daemon=True),
            threading.Thread(target=stop_when_told, args=(process, context), daemon=True),
        ]
        for watcher in watchers:
            watcher.start()
        try:
            outcome = _follow(process, routes(context, tracked=tracked) | {"checkpoint": on_checkpoint or _pass_over})
            with suppress(subprocess.TimeoutExpired):
                process.wait(EXIT_SECONDS)
        finally:
            end(process)
            for watcher in watchers:
                watcher.join()
    context.check()
    return verdict(module, outcome, process.returncode, tail)


def environment() -> dict[str, str]:
    """Ours, with few threads for its numerical libraries and the modules that we see."""
    threads = dict.fromkeys(THREAD_VARIABLES, str(settings.PROGRAM_THREADS))
    return os.environ | threads | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def routes(context: ShardContext, *, tracked: bool) -> dict[str, Route]:
    """Where the events go that tell of the work while it runs."""
    return {
        "progress": lambda event: context.progress(event["done"], event.get("total")) if tracked else None,
        "point": lambda event: context.point(event["step"], event["values"]),
        "log": lambda event: context.log(event["message"]),
    }


def _pass_over(_: Mapping[str, Any]) -> None:
    """Of a program whose checkpoints nobody keeps."""


def _follow(process: subprocess.Popen[str], routes: Mapping[str, Route]) -> dict[str, Any] | None:
    """Pass events on until the program closes its stdout; return its last word."""
    outcome: dict[str, Any] | None = None
    assert process.stdout is not None  # noqa: S101 - Popen was given a pipe
    for line in process.stdout:
        outcome = routed(line, routes) or outcome
    return outcome


def routed(line: str, routes: Mapping[str, Route]) -> dict[str, Any] | None:
    """Pass an event on; one that nobody follows (`result`, `error`) is given back."""
    try:
        event: dict[str, Any] = json.loads(line)
        name = event["event"]
    except (ValueError, TypeError, KeyError) as error:
        raise ProgramCrashed(f"the program wrote a line that is no event: {line[:200]!r}") from error
    if name not in routes:
        return event
    routes[name](event)
    return None


def verdict(module: str, outcome: dict[str, Any] | None, code: int, tail: deque[str]) -> dict[str, Any]:
    """The result, when there is one. Raises ShardFailed or ProgramCrashed."""
    if outcome is not None and outcome["event"] == "error":
        if outcome["code"] in PASSING:
            raise ProgramGaveUp(f"{module} gave up: {outcome['message']}")
        raise ShardFailed(outcome["message"], code=outcome["code"])
    if outcome is None or code != 0:
        how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        raise ProgramCrashed(f"{module} ended with {how}: {''.join(list(tail)[-3:]).strip()}")
    return outcome


def drain(process: subprocess.Popen[str], tail: deque[str]) -> None:
    """Pass the program's stderr on to ours until it ends, and keep its last lines."""
    assert process.stderr is not None  # noqa: S101 - Popen was given a pipe
    for line in process.stderr:
        tail.append(line)
        sys.stderr.write(line)


def stop_when_told(process: subprocess.Popen[str], context: ShardContext) -> None:
    """Stop the program as soon as the job is cancelled or the lease is lost."""
    while process.poll() is None:
        if context.stopped.wait(0.2):
            end(process)
    _signal(process, signal.SIGKILL)  # children it left behind would keep its stdout open


def end(process: subprocess.Popen[str]) -> None:
    """TERM, then KILL, the program's whole group; a program that has ended is only reaped."""
    if process.poll() is None and _signal(process, signal.SIGTERM):
        try:
            process.wait(timeout=GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process: subprocess.Popen[str], number: signal.Signals) -> bool:
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return False
    return True
