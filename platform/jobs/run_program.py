"""Run training, export and scoring as programs of their own, with a config file and events on stdout."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import copy_context
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.db.models.functions import Now

from blobs import lent_links
from blobs.errors import StoreFailed, StoreSilent
from blobs.lent_links import Lender
from blobs.services import store
from core import tracing
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.models import Shard
from jobs.needs import ELSEWHERE
from jobs.preloading import Forked, preloader
from worker_programs import confinement
from worker_programs.confinement import MEMORY_SETTING, OUTPUT_SETTING, THREAD_VARIABLES, Limit, Limits, Watch

GRACE_SECONDS = 5.0
EXIT_SECONDS = 60.0  # after its last event: torch takes seconds to exit
STDERR_LINES = 40
LINE_CHARACTERS = 64 << 20  # the longest event
LOG_LINE_CHARACTERS = 1 << 16
STDERR_CHARACTERS = 16 << 20  # of one run; what comes after that is read and dropped
LONG_RUNNING = {"training", "backtest"}
"""Programs that may train for days; all others are limited to `PROGRAM_SECONDS`."""
STORE_ERRORS = {kind.code: kind for kind in (StoreSilent, StoreFailed)}
"""Store errors that may be gone at the next attempt, by the code that a program reports."""
Route = Callable[[dict[str, Any]], None]
Program = subprocess.Popen[str] | Forked


class ProgramCrashed(Exception):
    """The program ended without a result: killed, or by its own fault. Trying again may help, a few times."""


def run_program(
    module: str,
    config: Mapping[str, Any],
    *,
    folder: Path,
    context: ShardContext,
    tracked: bool = True,
    reads_store: bool = False,
    on_checkpoint: Route | None = None,
) -> dict[str, Any]:
    """Run `python -m module folder/config.json` and return its result event. Its temporary files go to `folder` too. It
    is given none of our secrets; with `reads_store`, it asks us for links to blobs.

    Points and log lines go to the shard's context as they come, and so does progress, unless the program counts in
    other units than its job (`tracked` False). `on_checkpoint` is called with each checkpoint event while its file is
    fresh. Raises ShardFailed with the program's own code when it says what is wrong, and with `program_memory`,
    `program_time` or `program_output` when it was killed at a limit; StoreSilent or StoreFailed when the program
    reports that the store failed; ProgramCrashed when it dies, JobCancelled or LeaseLost when told to stop.
    """
    config_file = folder / "config.json"
    config_file.write_text(json.dumps(config))
    tail: deque[str] = deque(maxlen=STDERR_LINES)
    command, env = [module, str(config_file)], environment(context.claim.shard) | {"TMPDIR": str(folder)}
    with tracing.span(f"program {module}"), started(command, env, reads_store=reads_store) as process:
        watchers = [
            threading.Thread(target=copy_context().run, args=(drain, process, tail), daemon=True),
            threading.Thread(target=stop_when_told, args=(process, context), daemon=True),
        ]
        for watcher in watchers:
            watcher.start()
        try:
            with Watch(process, limits(module, context.claim.shard), folder=folder) as watch:
                followed = routes(context, tracked=tracked) | {"checkpoint": on_checkpoint or _ignore}
                outcome = _read_events(process, watch, followed)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(EXIT_SECONDS)
        finally:
            code = end(process)
            for watcher in watchers:
                watcher.join()
    context.check()
    return result_of(module, outcome, code, tail, watch)


@contextmanager
def started(command: list[str], env: Mapping[str, str], *, reads_store: bool) -> Iterator[Program]:
    """Start `python -m command` as the leader of a group of its own; its pipes and links are closed at the end."""
    lender = Lender(store()) if reads_store else None
    passed = [lender.theirs.fileno()] if lender else []
    env = {**env, **({lent_links.VARIABLE: str(passed[0])} if passed else {})}
    try:
        with preloader.start(command, env, passed=passed) or _fresh(command, env, passed) as process:
            confinement.offer_to_kernel(process.pid)
            if lender:
                lender.started()
            yield process
    finally:
        if lender:
            lender.close()


def _fresh(command: list[str], env: Mapping[str, str], passed: list[int]) -> "subprocess.Popen[str]":
    return subprocess.Popen(  # noqa: S603 - our own interpreter and module names
        [sys.executable, "-m", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env=env,
        pass_fds=passed,
        process_group=0,
    )


def environment(shard: Shard) -> dict[str, str]:
    """The environment variables of a program, with few threads for its numerical libraries. It sees only the GPUs of
    its shard; those that we see, if the shard asked for none."""
    more = dict.fromkeys(THREAD_VARIABLES, str(settings.PROGRAM_THREADS)) | {MEMORY_SETTING: str(_memory(shard))}
    if here := [device for device in shard.gpus if not device.startswith(ELSEWHERE)]:
        more["CUDA_VISIBLE_DEVICES"] = ",".join(here)
    return confinement.environment(**more)


def _memory(shard: Shard) -> int:
    """Memory limit in bytes: what any program may have, or what its shard has asked for if that is more."""
    return max(int(settings.PROGRAM_MEMORY), shard.need_memory)


def free_threads(context: ShardContext) -> int:
    """How many threads a program may have now: a share of this machine's cores among the shards that run here."""
    here = f"{socket.gethostname()}:"
    held = Shard.objects.filter(state=Shard.State.RUNNING, lease_until__gte=Now(), owner__startswith=here)
    others = held.exclude(pk=context.claim.shard.pk).count()
    return max(int(settings.PROGRAM_THREADS), len(os.sched_getaffinity(0)) // (others + 1))


def limits(module: str, shard: Shard) -> Limits:
    """The limits of a program, from the settings and from what its shard has asked for."""
    name = "TRAINING_SECONDS" if module in LONG_RUNNING else "PROGRAM_SECONDS"
    return Limits(
        memory=Limit(_memory(shard), MEMORY_SETTING),
        seconds=Limit(getattr(settings, name), f"MOTHERLODE_{name}"),
        output=Limit(settings.PROGRAM_OUTPUT, OUTPUT_SETTING),
    )


def routes(context: ShardContext, *, tracked: bool) -> dict[str, Route]:
    """Map the events of running work (progress, points, log lines) to the shard's context."""
    return {
        "progress": lambda event: context.progress(event["done"], event.get("total")) if tracked else None,
        "point": lambda event: context.point(event["step"], event["values"]),
        "log": lambda event: context.log(event["message"]),
    }


def _ignore(_: Mapping[str, Any]) -> None:
    """Ignore the checkpoints of a program for which nobody keeps them."""


def _read_events(process: Program, watch: Watch, routes: Mapping[str, Route]) -> dict[str, Any] | None:
    """Dispatch events until the program closes its stdout; return its `result` or `error` event."""
    outcome: dict[str, Any] | None = None
    assert process.stdout is not None  # noqa: S101 - Popen was given a pipe
    for line in lines(process.stdout, watch):
        outcome = dispatch(line, routes) or outcome
    return outcome


def lines(stream: IO[str], watch: Watch) -> Iterator[str]:
    """A program's stdout, line by line. One that writes too much is killed: stdout counts as output too."""
    most, said = Limit(settings.PROGRAM_OUTPUT, OUTPUT_SETTING), 0
    while line := stream.readline(LINE_CHARACTERS):
        said += len(line)
        if said > most.most or (len(line) == LINE_CHARACTERS and not line.endswith("\n")):
            watch.end(confinement.too_much_output(most))
            return
        yield line


def dispatch(line: str, routes: Mapping[str, Route]) -> dict[str, Any] | None:
    """Call the event's route; an event without one (`result`, `error`) is returned."""
    try:
        event: dict[str, Any] = json.loads(line)
        name = event["event"]
    except (ValueError, TypeError, KeyError) as error:
        raise ProgramCrashed(f"the program wrote a line that is no event: {line[:200]!r}") from error
    if name not in routes:
        return event
    routes[name](event)
    return None


def result_of(module: str, outcome: dict[str, Any] | None, code: int, tail: deque[str], watch: Watch) -> dict[str, Any]:
    """The result event. Raises ShardFailed or ProgramCrashed when there is none."""
    if watch.overrun is not None:
        raise ShardFailed(f"The program {module} was stopped: {watch.overrun.words}.", code=watch.overrun.code)
    if outcome is not None and outcome["event"] == "error":
        if error := STORE_ERRORS.get(outcome["code"]):
            raise error(f"{module}: {outcome['message']}")
        raise ShardFailed(outcome["message"], code=outcome["code"])
    if outcome is None or code != 0:
        how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        raise ProgramCrashed(f"{module} ended with {how}: {''.join(list(tail)[-3:]).strip()}")
    return outcome


def drain(process: Program, tail: deque[str]) -> None:
    """Pass the program's stderr on to ours until it ends, as far as it is not too long, and keep its last lines."""
    assert process.stderr is not None  # noqa: S101 - Popen was given a pipe
    said = 0
    while line := process.stderr.readline(LOG_LINE_CHARACTERS):
        said += len(line)
        if said <= STDERR_CHARACTERS:
            tail.append(line)
            sys.stderr.write(line)


def stop_when_told(process: Program, context: ShardContext) -> None:
    """Stop the program as soon as the job is cancelled or the lease is lost."""
    while process.poll() is None:
        if context.stopped.wait(0.2):
            end(process)
    _signal(process, signal.SIGKILL)  # children it left behind would keep its stdout open


def end(process: Program) -> int:
    """TERM, then KILL, the program's whole group; a program that has ended is only reaped. Returns its exit code."""
    if process.poll() is None and _signal(process, signal.SIGTERM):
        try:
            process.wait(timeout=GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            _signal(process, signal.SIGKILL)
    return process.wait()


def _signal(process: Program, number: signal.Signals) -> bool:
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return False
    return True
