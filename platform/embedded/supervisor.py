"""Starts processes stage by stage, restarts what dies, and stops everything in the reverse order."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from embedded.process import Child, ProcessSpec, Renewal, rotate, spawn
from embedded.state import ProcessState, SupervisorState

POLL_SECONDS = 0.1
EARLY_SECONDS = 3.0  # a process that was ready and lived longer has its count of early deaths reset
MOST_EARLY_DEATHS = 5
LONGEST_PAUSE_SECONDS = 10.0
FULL_BYTES = 32 << 20


class StartError(Exception):
    """The platform cannot run; the message names the cause and, where there is one, the log file."""


@dataclass(frozen=True, slots=True)
class Task:
    """A command that must succeed before the next stage starts, such as a migration; then `done` is called."""

    spec: ProcessSpec
    done: Callable[[], object] = lambda: None


Stage = Sequence[ProcessSpec] | Task


@dataclass(slots=True)
class _Watched:
    spec: ProcessSpec
    child: Child | None
    ready: bool = False
    early_deaths: int = 0
    restarts: int = 0
    restart_at: float = 0.0


@dataclass(slots=True)
class Supervisor:
    """Runs stages until a signal stops it. Use it from the main thread: it takes SIGINT, SIGTERM and SIGHUP, and at
    SIGUSR1 it puts the present code into service, process by process (`upgrade`)."""

    stages: Sequence[Stage]
    logs: Path
    state_path: Path
    address: str
    say: Callable[[str], None] = print
    on_ready: Callable[[], None] = lambda: None
    upgrade_task: Callable[[], Task] | None = None  # what must succeed before processes get new code
    version: Callable[[], str] = lambda: ""  # of the present code
    first_pause: float = 0.2  # seconds; four times longer after each early death in a row
    _watched: list[list[_Watched]] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _signals: int = 0
    _watchdog: subprocess.Popen[bytes] | None = None
    _untold: bool = False  # the state file is out of date
    _upgrade: threading.Event = field(default_factory=threading.Event)
    _version: str = ""
    _fault: str = ""

    def run(self) -> int:
        """Returns 0 after a clean stop, 1 when a process could not be kept running."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        signal.signal(signal.SIGUSR1, lambda *_: self._upgrade.set())
        self._version = self.version()
        self._watchdog = _start_watchdog()
        code = 0
        try:
            self._start_all()
            if not self._stop.is_set():
                self._write_state("ready")
                self.on_ready()
            while not self._stop.wait(POLL_SECONDS):
                self._look_after()
                if self._upgrade.is_set():
                    self._upgrade.clear()
                    self._put_into_service()
        except StartError as error:
            self.say(f"\n{error}")
            code = 1
        finally:
            self._stop_all()
            self._close_watchdog()
            self.state_path.unlink(missing_ok=True)
        return code

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._signals += 1
        self._stop.set()

    # -- start --

    def _start_all(self) -> None:
        for stage in self.stages:
            if self._stop.is_set():
                return
            if isinstance(stage, Task):
                self._run_task(stage)
            else:
                self._start_stage(stage)

    def _run_task(self, task: Task) -> None:
        spec, started = task.spec, time.monotonic()
        child = self._spawn(spec, fresh_log=True)
        while child.exit_code() is None and not self._stop.wait(POLL_SECONDS / 2):
            if time.monotonic() - started > spec.ready_seconds:
                self._stop_stage([child], asked=self._signals)
                raise StartError(f"{spec.name} took more than {spec.ready_seconds:.0f} s. {_tail(child.log_path)}")
        if self._stop.is_set():
            self._stop_stage([child], asked=self._signals)
            return
        self._forget(child)
        if (code := child.popen.returncode) != 0:
            raise StartError(f"{spec.name} failed ({_ending(code)}). {_tail(child.log_path)}")
        task.done()
        self._say_ready(spec, time.monotonic() - started)

    def _start_stage(self, specs: Sequence[ProcessSpec]) -> None:
        """Start all processes of a stage at once: none of them needs another."""
        watched: list[_Watched] = []
        self._watched.append(watched)
        for spec in specs:
            self._watch(spec, watched)
        self._write_state("starting")
        while not all(one.ready for one in watched) and not self._stop.wait(POLL_SECONDS / 2):
            for one in watched:
                if one.child is not None and not one.ready:
                    one.ready = self._is_ready(one.child)
        self._write_state("starting")

    def _watch(self, spec: ProcessSpec, stage: list[_Watched]) -> None:
        """Start one process and record it at once, so that it gets stopped if the next fails to start."""
        stage.append(_Watched(spec, self._spawn(spec, fresh_log=True)))

    def _is_ready(self, child: Child) -> bool:
        """Whether a process is ready, which is then announced. Raises StartError when it ended or took too long."""
        lived = time.monotonic() - child.started
        if (code := child.exit_code()) is not None:
            raise StartError(f"{child.spec.name} ended at its start ({_ending(code)}). {_tail(child.log_path)}")
        if child.is_ready():
            self._say_ready(child.spec, lived)
            return True
        if lived > child.spec.ready_seconds:
            raise StartError(f"{child.spec.name} did not answer within {lived:.0f} s. Its log: {child.log_path}")
        return False

    def _say_ready(self, spec: ProcessSpec, seconds: float) -> None:
        self.say(f"  {spec.name:<16} {spec.place or 'done':<34} {seconds:5.1f} s")

    def _spawn(self, spec: ProcessSpec, *, fresh_log: bool) -> Child:
        log_path = self.logs / f"{spec.name}.log"
        if fresh_log:
            rotate(log_path)
        try:
            child = spawn(spec, log_path)
        except OSError as error:
            raise StartError(f"{spec.name} cannot be started: {error}") from error
        self._tell_watchdog("+", child.pid)
        return child

    # -- keep running --

    def _look_after(self) -> None:
        changed = self._untold
        for one in (one for stage in self._watched for one in stage):
            if one.child is not None and (code := one.child.exit_code()) is not None:
                self._note_death(one, one.child, code)
                changed = True
            elif one.child is None and time.monotonic() >= one.restart_at:
                self._restart(one)
                changed = True
            elif one.child is not None and not one.ready:
                changed |= self._await(one, one.child)
        if changed:
            self._write_state("ready")

    def _await(self, one: _Watched, child: Child) -> bool:
        """Whether a restarted process has become ready. One that takes too long is killed, and started again as after a
        crash."""
        lived = time.monotonic() - child.started
        if child.is_ready():
            one.ready = True
            self._say_ready(one.spec, lived)
        elif lived > one.spec.ready_seconds and not self._is_full():
            child.kill_group()
        return one.ready

    def _restart(self, one: _Watched) -> None:
        try:
            one.child = self._spawn(one.spec, fresh_log=False)
        except StartError:
            if not self._is_full():
                raise
            one.restart_at = time.monotonic() + LONGEST_PAUSE_SECONDS
        else:
            one.restarts += 1

    def _is_full(self) -> bool:
        """Whether the disk is full: a process that can't start then is not at fault, and is started once there is
        space."""
        return shutil.disk_usage(self.logs).free < FULL_BYTES

    def _note_death(self, one: _Watched, child: Child, code: int) -> None:
        self._forget(child)
        early = not one.ready or time.monotonic() - child.started < EARLY_SECONDS
        one.child, one.ready = None, False
        one.early_deaths = one.early_deaths + 1 if early else 1
        if one.early_deaths >= MOST_EARLY_DEATHS and not self._is_full():
            count = f"{one.early_deaths} times in a row"
            raise StartError(f"{one.spec.name} died {count} ({_ending(code)}). {_tail(child.log_path)}")
        pause = min(self.first_pause * 2 ** (2 * min(one.early_deaths - 1, 10)), LONGEST_PAUSE_SECONDS)
        one.restart_at = time.monotonic() + pause
        self.say(
            f"  {one.spec.name} ended ({_ending(code)}); starting it again in {pause:.1f} s. Its log: {child.log_path}"
        )

    # -- upgrade --

    def _put_into_service(self) -> None:
        """Give the present code to the processes, one after the other. Where the task before fails, nothing changes."""
        self._fault, version = "", self.version()
        self._write_state("upgrading")
        self.say(f"Putting {version} into service in place of {self._version}")
        try:
            if self.upgrade_task is not None:
                self._run_task(self.upgrade_task())
        except StartError as error:
            self._fault = str(error)
            self.say(f"\n{error}\n{self._version} goes on.")
        else:
            for one in [one for stage in self._watched for one in stage]:
                self._renew(one)
            self._version = version if not self._stop.is_set() else self._version
        self._write_state("ready")

    def _renew(self, one: _Watched) -> None:
        if self._stop.is_set() or one.child is None or one.spec.renewal is Renewal.NONE:
            return
        if one.spec.renewal is Renewal.RELOAD:
            one.child.signal(signal.SIGHUP)
            self.say(f"  {one.spec.name:<16} replaces its processes")
            return
        self._stop_stage([one.child], asked=self._signals)
        self._restart(one)
        one.ready = False
        while one.child is not None and one.child.exit_code() is None and not self._stop.wait(POLL_SECONDS):
            if self._await(one, one.child):
                return

    def _forget(self, child: Child) -> None:
        child.kill_group()
        self._tell_watchdog("-", child.pid)

    # -- stop --

    def _stop_all(self) -> None:
        running = [[one.child for one in stage if one.child] for stage in reversed(self._watched)]
        if any(running):
            self.say("Stopping; once more Ctrl-C ends everything at once.")
            self._write_state("stopping")
        asked = self._signals
        for children in running:
            self._stop_stage(children, asked=asked)

    def _stop_stage(self, children: Sequence[Child], *, asked: int) -> None:
        """Stop the processes of a stage in parallel: each gets its stop signals by its own timeouts."""
        started = time.monotonic()
        plans = {child.pid: list(child.spec.stop_signals) for child in children}
        due = dict.fromkeys(plans, started)
        left = list(children)
        while left:
            now = time.monotonic()
            for child in left:
                if self._signals > asked or (now >= due[child.pid] and not plans[child.pid]):
                    child.kill_group()
                elif now >= due[child.pid]:
                    number, patience = plans[child.pid].pop(0)
                    child.signal(number)
                    due[child.pid] = now + patience
            time.sleep(POLL_SECONDS / 2)
            for child in [child for child in left if child.exit_code() is not None]:
                self._forget(child)
                left.remove(child)
                self.say(f"  {child.spec.name:<16} stopped {time.monotonic() - started:24.1f} s")

    # -- tell others --

    def _write_state(self, state: str) -> None:
        processes = {
            one.spec.name: ProcessState(
                pid=one.child.pid if one.child else 0,
                state="running" if one.ready else "starting" if one.child else "restarting",
                restarts=one.restarts,
                log=str(self.logs / f"{one.spec.name}.log"),
                place=one.spec.place,
            )
            for stage in self._watched
            for one in stage
        }
        try:
            told = SupervisorState(os.getpid(), self.address, state, processes, self._version, self._fault)
            told.write(self.state_path)
        except OSError as error:  # a full disk: the processes go on; their state is written once there is space
            if not self._untold:
                self.say(f"  {self.state_path} can't be written ({error.strerror}); trying until it can")
            self._untold = True
        else:
            self._untold = False

    def _tell_watchdog(self, sign: str, pid: int) -> None:
        if self._watchdog is None or self._watchdog.stdin is None:
            return
        try:
            self._watchdog.stdin.write(f"{sign}{pid}\n".encode())
            self._watchdog.stdin.flush()
        except (
            BrokenPipeError
        ):  # somebody killed it; on Linux the kernel's parent-death signal still guards the children
            self._watchdog = None

    def _close_watchdog(self) -> None:
        if self._watchdog and self._watchdog.stdin:
            self._watchdog.stdin.close()
            self._watchdog.wait()


def _start_watchdog() -> subprocess.Popen[bytes]:
    # -S -E: it needs no site-packages, so it starts at once and stays small. Its own group: Ctrl-C doesn't reach it.
    program = Path(__file__).with_name("watchdog.py")
    return subprocess.Popen(  # our own file
        [sys.executable, "-S", "-E", "-P", str(program)], stdin=subprocess.PIPE, process_group=0
    )


def _ending(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def _tail(log_path: Path, lines: int = 15) -> str:
    end = log_path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:]
    return "\n".join([f"The end of {log_path}:", "", *end])
