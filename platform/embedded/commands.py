"""`up`, `down`, `restart`, `status`, `manage`: commands that `make` and `lode admin` call, with words for people."""

import contextlib
import importlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import psutil

from embedded.layout import Layout, Ports, project_root
from embedded.manage import ALONE, NEEDS_STORE
from embedded.manage import manage as manage_py
from embedded.ports import HOST, port_is_free
from embedded.private import make_private
from embedded.process import rotate
from embedded.profile import Profile
from embedded.state import AlreadyRunningError, is_locked, lock_holder, running_state, take_lock
from embedded.supervisor import Supervisor

POLL_SECONDS = 0.1
DETACHED_START_SECONDS = 300.0
STOP_SECONDS = 40.0
SAMPLE_SECONDS = 2.0
NOT_RUNNING = 3  # what service managers answer to `status`


def up(layout: Layout, *, port: int) -> int:
    """Runs the platform in the foreground until Ctrl-C. If it runs already, says so and returns 0."""
    layout.prepare()
    if mended := make_private(layout.var):
        _say(f"{layout.var} was open to other users of this machine: {mended} files and folders are private now.")
    try:
        lock = take_lock(layout.lock, state=layout.state)
    except AlreadyRunningError:
        return _say_running(layout)
    with lock:
        if not port_is_free(port):
            print(f"Port {port} of {HOST} is taken by {_holder(port)}. Another port: PORT={port + 1} make up")
            return 1
        _take_open_files()
        profile = _profile(layout, layout.ports(web=port))
        print(f"Starting Motherlode; the state lies in {layout.var}, the logs in {layout.logs}", flush=True)
        try:
            stages = profile.stages()
        except RuntimeError as error:  # a server's binary is missing or no port is free; the message says which
            print(error)
            return 1
        supervisor = Supervisor(
            stages=stages,
            logs=layout.logs,
            state_path=layout.state,
            address=profile.address,
            say=_say,
            on_ready=lambda: _say(_welcome(layout, profile.address)),
            upgrade_task=lambda: profile.prepare(serving=True),
            version=_version,
        )
        code = supervisor.run()
        make_private(layout.var)  # the S3 server sets its own mode on some of its small files
        return code


def up_detached(layout: Layout, *, port: int) -> int:
    """Starts the platform in a session of its own and returns once it is ready, showing its output meanwhile."""
    layout.prepare()
    if is_locked(layout.lock):
        return _wait_until_ready(layout, starter=None) or _say_running(layout)
    log_path = layout.logs / "supervisor.log"
    rotate(log_path)
    with log_path.open("wb") as log:
        argv = [sys.executable, "-m", "embedded", "--var", str(layout.var), "up", "--port", str(port)]
        starter = subprocess.Popen(
            argv, cwd=project_root(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    return _wait_until_ready(layout, starter=starter, log_path=log_path)


def down(layout: Layout) -> int:
    """Stops the platform of this `var/`; returns 0 also when none runs."""
    if not is_locked(layout.lock):
        print("Motherlode is not running.")
        return 0
    pid = lock_holder(layout.lock)
    if pid is None:
        print("Motherlode is just starting or stopping: try again in a moment.")
        return 1
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while is_locked(layout.lock):
        if time.monotonic() > deadline:
            print(f"The supervisor (pid {pid}) did not stop within {STOP_SECONDS:.0f} s; see {layout.logs}")
            return 1
        time.sleep(POLL_SECONDS)
    print("Motherlode is stopped.")
    return 0


def restart(layout: Layout) -> int:
    """Puts the present code into service while the platform serves: migrations, then the processes one by one. Returns
    0 once that is done."""
    state = running_state(layout.state, layout.lock)
    if state is None or state.state != "ready":
        print("Motherlode is not running, or is just starting, upgrading or stopping. `make up` starts it.")
        return NOT_RUNNING
    if not state.version:
        print("The platform that runs is of 0.2.0 or before, which can't be upgraded while it serves: `make down up`.")
        return 1
    print(f"Putting {_version()} into service in place of {state.version} at {state.address}", flush=True)
    os.kill(state.pid, signal.SIGUSR1)
    began, seen = time.monotonic(), False
    while (now := running_state(layout.state, layout.lock)) is not None:
        seen |= now.state == "upgrading"
        if seen and now.state == "ready":
            print(now.fault or f"Done in {time.monotonic() - began:.0f} s.")
            return 1 if now.fault else 0
        time.sleep(POLL_SECONDS / 2)
    print(f"Motherlode stopped meanwhile; see {layout.logs}")
    return 1


def status(layout: Layout) -> int:
    """Lists the processes with their use of processor and memory; returns 0 when all run, 3 when no supervisor does."""
    state = running_state(layout.state, layout.lock)
    if state is None:
        print("Motherlode is not running. `make up` starts it.")
        return NOT_RUNNING
    print(f"Motherlode is {state.state} at {state.address} (supervisor pid {state.pid})\n")
    print(f"  {'process':<16} {'pid':>8} {'state':<11} {'restarts':>8} {'CPU':>6} {'memory':>9}  where")
    loads = _loads([process.pid for process in state.processes.values()])
    for (name, process), load in zip(state.processes.items(), loads, strict=True):
        facts = f"{process.pid or '-':>8} {process.state:<11} {process.restarts:>8} {load}"
        print(f"  {name:<16} {facts}  {process.place}")
    print(f"  {'together':<46} {sum(loads, Load())}  CPU in shares of one core, over {SAMPLE_SECONDS:.0f} s")
    print(f"\nLogs: {layout.logs}")
    return 0 if all(process.state == "running" for process in state.processes.values()) else 1


def manage(layout: Layout, arguments: Sequence[str], *, port: int) -> int:
    """Runs a command of manage.py on this platform and returns its exit code."""
    known = layout.last_ports()
    if arguments[0] not in ALONE and not known:
        print(f"No platform has run in {layout.var} yet. `make up` starts one.")
        return NOT_RUNNING
    layout.prepare()
    starts = arguments[0] in NEEDS_STORE and not is_locked(layout.lock)
    ports = layout.ports(web=known.get("web", port)) if starts or not known else Ports(**known)
    return manage_py(layout, _profile(layout, ports), arguments)


def _take_open_files() -> None:
    """Raises the limit of open files to the most that this user may have, because each connection is an open file."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _profile(layout: Layout, ports: Ports) -> Profile:
    return Profile(
        root=project_root(),
        layout=layout,
        ports=ports,
        secrets=layout.secrets(),
        inherited=dict(os.environ),
        cores=len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1,
    )


def _wait_until_ready(layout: Layout, *, starter: subprocess.Popen[bytes] | None, log_path: Path | None = None) -> int:
    """Returns 0 once the state file says ready, 1 when the start failed; copies the starting process's log to
    stdout."""
    shown = 0
    deadline = time.monotonic() + DETACHED_START_SECONDS
    while True:
        state = running_state(layout.state, layout.lock)
        ready = state is not None and state.state == "ready"
        ended = starter.poll() is not None if starter else not is_locked(layout.lock)
        if log_path:
            words = log_path.read_bytes()[shown:]
            shown += len(words)
            sys.stdout.write(words.decode(errors="replace"))
            sys.stdout.flush()
        if ready or ended:
            return 0 if ready else 1
        if time.monotonic() > deadline:
            print(
                f"Motherlode was not ready within {DETACHED_START_SECONDS:.0f} s and goes on starting: migrations of a "
                f"large database take long. `make status` says how far it is; its logs: {layout.logs}"
            )
            return 1
        time.sleep(POLL_SECONDS)


def _say_running(layout: Layout) -> int:
    state = running_state(layout.state, layout.lock)
    where = f" at {state.address} (supervisor pid {state.pid})" if state else " (it is just starting or stopping)"
    print(f"Motherlode is running already{where}. `make down` stops it.")
    if state and state.version:
        print(f"It runs {state.version}; `make restart` puts the present code ({_version()}) into service.")
    return 0


def _version() -> str:
    """Return the version of the present code, also when it was installed after this process had started."""
    importlib.invalidate_caches()
    return metadata.version("motherlode")


def _say(text: str) -> None:
    with contextlib.suppress(OSError):  # the terminal may be gone by now; the processes must be stopped all the same
        print(text, flush=True)


def _welcome(layout: Layout, address: str) -> str:
    return (
        f"\nMotherlode is ready: {address}\nThe owner's token lies in {layout.token}\nCtrl-C or `make down` stops it."
    )


def _holder(port: int) -> str:
    """Describes the process that listens on `port`, as far as this user may see it."""
    try:
        for connection in psutil.net_connections("tcp"):
            if connection.laddr and connection.laddr.port == port and connection.status == psutil.CONN_LISTEN:
                process = psutil.Process(connection.pid)
                return f"{' '.join(process.cmdline())[:80] or process.name()} (pid {process.pid})"
    except psutil.Error:
        return "a process of another user"
    return "another process"


@dataclass(frozen=True, slots=True)
class Load:
    """Resources that processes use: a share of one core, and bytes of resident memory."""

    cores: float = 0.0
    memory: int = 0

    def __add__(self, other: "Load") -> "Load":
        return Load(self.cores + other.cores, self.memory + other.memory)

    def __str__(self) -> str:
        return f"{self.cores:>6.1%} {f'{self.memory / 1e6:.0f} MB':>9}"


def _loads(pids: Sequence[int]) -> list[Load]:
    """Measures the load of each process with its descendants over SAMPLE_SECONDS; zero for a process that is gone."""
    before = [_spent(pid) for pid in pids]
    time.sleep(SAMPLE_SECONDS)
    after = [_spent(pid) for pid in pids]
    return [_load(was, now) for was, now in zip(before, after, strict=True)]


def _load(was: Mapping[int, tuple[float, int]], now: Mapping[int, tuple[float, int]]) -> Load:
    seconds = sum(spent - was[pid][0] for pid, (spent, _) in now.items() if pid in was)
    return Load(seconds / SAMPLE_SECONDS, sum(memory for _, memory in now.values()))


def _spent(pid: int) -> dict[int, tuple[float, int]]:
    """Returns processor seconds so far and bytes of resident memory of a process and its descendants, by pid."""
    found = {}
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        for one in [process, *process.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                times = one.cpu_times()
                found[one.pid] = times.user + times.system, one.memory_info().rss
    return found
