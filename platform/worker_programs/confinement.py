"""Confine a program that processes files of strangers: none of our secrets, and limits of memory, time and output.

All such programs are started with `environment()` and observed with a `Watch`. The memory that counts is what a program
and its descendants hold and the system can't drop (anonymous, shared and swapped pages), checked every twentieth of a
second. The kernel's own limits fit worse: a GPU's driver reserves far more address space than it uses (RLIMIT_AS),
RLIMIT_DATA counts memory that was requested and never touched, neither counts a program's children, and both end in the
error message of whichever library was refused memory. Between two checks, memory can grow by a few hundred megabytes.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol, Self

MEMORY_SETTING = "MOTHERLODE_PROGRAM_MEMORY"
OUTPUT_SETTING = "MOTHERLODE_PROGRAM_OUTPUT"
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
KEPT_VARIABLES = frozenset({
    "PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "XDG_CACHE_HOME", "TORCH_HOME", "HF_HOME", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES",
    *THREAD_VARIABLES, MEMORY_SETTING,
    "MOTHERLODE_S3_READ_TIMEOUT", "MOTHERLODE_S3_ATTEMPTS",
    "MOTHERLODE_NODES", "MOTHERLODE_NODE_PROCESSES", "MOTHERLODE_RENDEZVOUS", "MOTHERLODE_LEADS",
    "MOTHERLODE_ARCHITECTURES", "MOTHERLODE_CACHE_DIR", "MOTHERLODE_CACHE_BYTES", "MOTHERLODE_MAX_IMAGE_PIXELS",
})  # fmt: skip
"""Variables that programs get from our environment, which also holds secrets. Never add one that is a secret."""
KEPT_PREFIXES = ("CUDA_", "NCCL_", "GLOO_")
"""Prefixes of variables that programs get too: the GPU driver's, and those of communication in distributed training."""
LEAST_MEMORY = 2 << 30
_LOOK_SECONDS = 0.05
_SLOW_LOOKS = 20  # every so many checks, one also looks for new children and at the disk
_HELD = (b"RssAnon:", b"RssShmem:", b"VmSwap:")


class Process(Protocol):
    """The interface of a running program; `subprocess.Popen` implements it."""

    @property
    def pid(self) -> int: ...

    def poll(self) -> int | None: ...


class Limit(NamedTuple):
    """The largest amount allowed, and the setting that defines it, if there is one."""

    most: float
    setting: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of a program: bytes of memory, seconds, bytes written (None: it has no folder)."""

    memory: Limit
    seconds: Limit
    output: Limit | None = None


@dataclass(frozen=True, slots=True)
class Overrun:
    """A limit that was exceeded: a stable code, and a message for the job. Codes: `program_memory`, `program_time`,
    `program_output`."""

    code: str
    words: str


def environment(**more: str) -> dict[str, str]:
    """Return the variables of our environment that hold no secret, our module path as PYTHONPATH, and `more`."""
    kept = {name: text for name, text in os.environ.items() if name in KEPT_VARIABLES or name.startswith(KEPT_PREFIXES)}
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | more


def memory_of_machine() -> int:
    """Return the bytes of memory of this machine, or of this process's control group if that has less."""
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):  # "max": there is no limit
            found.append(int(Path(file).read_text()))
    return min(found)


def usual_memory(programs: int) -> int:
    """Return the default memory limit, in bytes, of each of `programs` programs on this machine."""
    return max(LEAST_MEMORY, memory_of_machine() * 3 // 4 // max(1, programs))


def memory_limit(env: Mapping[str, str] = os.environ) -> Limit:
    """Return the memory limit that the environment sets, for callers without the platform's settings."""
    return Limit(int(env.get(MEMORY_SETTING) or usual_memory(1)), MEMORY_SETTING)


def too_much_output(limit: Limit) -> Overrun:
    return Overrun("program_output", f"it wrote more than {_size(limit.most)}{_mend(limit)}")


class Watch:
    """Watches a process that leads its own process group, and kills the group at the first limit that it exceeds, which
    is then in `overrun`. Time counts from the beginning of the `with`, output is the growth of `folder`."""

    def __init__(self, process: Process, limits: Limits, *, folder: Path | None = None) -> None:
        self.overrun: Overrun | None = None
        self._process, self._limits, self._folder = process, limits, folder
        self._family = [process.pid]
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look_on, name=f"watch-{process.pid}", daemon=True)

    def __enter__(self) -> Self:
        self._until = time.monotonic() + self._limits.seconds.most
        self._wrote = _bytes_in(self._folder)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def end(self, overrun: Overrun) -> None:
        """Record the exceeded limit and kill the group."""
        self.overrun = overrun
        kill_group(self._process)

    def _look_on(self) -> None:
        looks = 0
        while not self._done.wait(_LOOK_SECONDS):
            if self._process.poll() is not None:
                return
            if (overrun := self._look(thoroughly=looks % _SLOW_LOOKS == 0)) is not None:
                self.end(overrun)
                return
            looks += 1

    def _look(self, *, thoroughly: bool) -> Overrun | None:
        memory, seconds, output = self._limits.memory, self._limits.seconds, self._limits.output
        if time.monotonic() > self._until:
            return Overrun("program_time", f"it took more than {_time(seconds.most)}{_mend(seconds)}")
        if thoroughly:
            self._family = _family(self._process.pid)
            if output is not None and _bytes_in(self._folder) - self._wrote > output.most:
                return too_much_output(output)
        if sum(map(held_by, self._family)) > memory.most:
            return Overrun("program_memory", f"it took more than {_size(memory.most)} of memory{_mend(memory)}")
        return None


def kill_group(process: Process) -> None:
    """Kill a process that leads a group, with its group; does nothing if the process has ended."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def offer_to_kernel(pid: int) -> None:
    """Make the kernel kill this process, rather than its parent, when the machine runs out of memory."""
    with suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000")


def held_by(pid: int) -> int:
    """Return the bytes of memory that a process holds and the system can't drop; 0 for one that is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_bytes().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(_HELD)) << 10


def _family(pid: int) -> list[int]:
    """Return the pids of a process and its descendants."""
    found = [pid]
    for parent in found:  # the list grows during the loop
        with suppress(OSError):
            for thread in Path(f"/proc/{parent}/task").iterdir():
                with suppress(OSError):
                    found += map(int, (thread / "children").read_text().split())
    return found


def _bytes_in(folder: Path | None) -> int:
    total = 0
    for place, _, names in os.walk(folder) if folder is not None else ():
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118 - a hot loop
    return total


def _mend(limit: Limit) -> str:
    return f": give it less to do, or ask an operator to raise {limit.setting}" if limit.setting else ""


def _size(count: float) -> str:
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB")):
        if count >= unit:
            return f"{count / unit:.4g} {name}"
    return f"{count:,.0f} bytes"


def _time(seconds: float) -> str:
    return f"{seconds / 3600:.4g} hours" if seconds >= 3600 else f"{seconds:.4g} seconds"
