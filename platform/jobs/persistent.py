"""A worker program that keeps running for the next shard, so that it starts, and opens its files, only once."""

import atexit
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

from blobs.services import store
from blobs.settings import StoreConfig
from core import tracing
from jobs.context import ShardContext
from jobs.models import Shard
from jobs.run_program import (
    STDERR_LINES,
    Program,
    Route,
    dispatch,
    drain,
    end,
    environment,
    limits,
    lines,
    result_of,
    routes,
    started,
)
from worker_programs.confinement import Watch

START_ATTEMPTS = 2
LOOK_SECONDS = 0.1


class PersistentProgram:
    """One child of this process that works on one config after another (`worker_programs.events.stay`).

    It is started when it is needed, ends by itself when it is not, and is killed with the shard it works on: a
    cancelled job or a lost lease costs the next shard a new start. What it prints goes where our stderr goes.
    """

    def __init__(self, module: str, *, reads_store: bool = False) -> None:
        self._module, self._reads_store = module, reads_store
        self._child: Program | None = None
        self._made_for: tuple[dict[str, str], StoreConfig | None] | None = None
        self._tail: deque[str] = deque(maxlen=STDERR_LINES)
        self._turn = threading.Lock()
        self._open = ExitStack()

    @property
    def pid(self) -> int | None:
        """The process id of the child, while it runs."""
        return self._child.pid if self._child is not None and self._child.poll() is None else None

    def run(
        self, config: Mapping[str, Any], *, folder: Path, context: ShardContext, on_progress: Callable[[int], None]
    ) -> dict[str, Any]:
        """Have the child work on a config, written to `folder`; returns its result event.

        Progress goes to `on_progress`, points and log lines to the shard's context. Raises as `run_program`.
        """
        config_file = folder / "config.json"
        config_file.write_text(json.dumps(config))
        followed = routes(context, tracked=False) | {"progress": lambda event: on_progress(event["done"])}
        with self._turn, tracing.span(f"program {self._module}"):
            try:
                outcome, code, watch = self._answer(config_file, followed, context)
            except BaseException:  # its remaining output belongs to no other shard
                self.close()
                raise
        context.check()
        return result_of(self._module, outcome, code, self._tail, watch)

    def close(self) -> None:
        """End the child, if there is one."""
        if self._child is None:
            return
        end(self._child)
        for pipe in (self._child.stdin, self._child.stdout):
            with suppress(BrokenPipeError):
                cast(IO[str], pipe).close()  # Popen was given pipes
        self._open.close()
        self._child = None
        atexit.unregister(self.close)

    def _answer(
        self, config_file: Path, followed: Mapping[str, Route], context: ShardContext
    ) -> tuple[dict[str, Any] | None, int, Watch]:
        """Return the child's `result` or `error` event, or None and the exit code of a child that has ended; and its
        Watch."""
        for start in range(1, START_ATTEMPTS + 1):  # an idle child may have ended just now
            child = self._started(context.claim.shard)
            with (
                Watch(child, limits(self._module, context.claim.shard), folder=config_file.parent) as watch,
                _watched(child, context),
            ):
                if outcome := self._exchange(child, config_file, followed, watch):
                    return outcome, 0, watch
            code = child.wait()
            self.close()
            if context.stopped.is_set() or watch.overrun or start == START_ATTEMPTS:
                break
        return None, code, watch

    def _exchange(
        self, child: Program, config_file: Path, followed: Mapping[str, Route], watch: Watch
    ) -> dict[str, Any] | None:
        """Return the child's `result` or `error` event; None if it has ended."""
        to_child, from_child = cast(IO[str], child.stdin), cast(IO[str], child.stdout)  # Popen was given pipes
        with suppress(BrokenPipeError):
            to_child.write(f"{config_file}\n")
            to_child.flush()
            for line in lines(from_child, watch):
                if outcome := dispatch(line, followed):
                    return outcome
        return None

    def _started(self, shard: Shard) -> Program:
        """Return the child; a new one if it has ended or was started with another environment or for another store:
        ours may have changed, and a shard may have other GPUs."""
        wanted = environment(shard), store().config if self._reads_store else None
        if self.pid is None or wanted != self._made_for:
            self.close()
            atexit.register(self.close)  # while there are still threads to read its output
            self._made_for = wanted
            self._child = self._open.enter_context(started([self._module], wanted[0], reads_store=self._reads_store))
            drainer = threading.Thread(target=drain, args=(self._child, self._tail), daemon=True)
            self._open.callback(drainer.join)
            drainer.start()
        return cast(Program, self._child)


@contextmanager
def _watched(child: Program, context: ShardContext) -> Iterator[None]:
    """While it works, the child is ended as soon as the job is cancelled or the lease is lost."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(LOOK_SECONDS):
            if context.stopped.is_set():
                end(child)
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
