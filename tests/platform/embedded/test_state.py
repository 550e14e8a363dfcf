"""A state file proves nothing: who runs is who holds the lock."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from embedded.commands import _wait_until_ready
from embedded.layout import Layout
from embedded.process import dying_with
from embedded.state import SupervisorState, is_locked, lock_holder, running_state, take_lock

ROOT = Path(__file__).resolve().parents[3]
HOLDING = """
import os, sys, time
from pathlib import Path
from embedded.state import SupervisorState, take_lock
lock = take_lock(Path(sys.argv[1]), state=Path(sys.argv[2]))
if len(sys.argv) > 3:
    SupervisorState(os.getpid(), "http://127.0.0.1:1", "ready").write(Path(sys.argv[2]))
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = Layout(tmp_path / "var")
    made.prepare()
    return made


def holder(layout: Layout, *more: str) -> subprocess.Popen[str]:
    argv = [sys.executable, "-c", HOLDING, str(layout.lock), str(layout.state), *more]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "platform")}
    child = subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


def test_a_killed_supervisors_file_is_not_believed(layout: Layout) -> None:
    child = holder(layout, "ready")
    told = running_state(layout.state, layout.lock)
    assert told is not None
    assert (told.state, told.pid, lock_holder(layout.lock)) == ("ready", child.pid, child.pid)
    child.kill()
    child.wait()
    assert SupervisorState.read(layout.state) is not None  # it lies there still
    assert running_state(layout.state, layout.lock) is None


def test_a_new_supervisor_is_not_ready_because_a_dead_one_was(layout: Layout) -> None:
    """Also when it got the dead one's id, as in a container that was started again."""
    SupervisorState(os.getpid(), "http://127.0.0.1:1", "ready").write(layout.state)
    with take_lock(layout.lock, state=layout.state):
        assert running_state(layout.state, layout.lock) is None
        starter = subprocess.Popen(["true"])
        starter.wait()
        assert _wait_until_ready(layout, starter=starter) == 1


def test_another_process_with_the_id_of_the_dead_one_is_not_taken_for_it(layout: Layout) -> None:
    SupervisorState(os.getpid(), "http://127.0.0.1:1", "ready").write(layout.state)
    child = holder(layout)
    SupervisorState(os.getpid(), "http://127.0.0.1:1", "ready").write(layout.state)  # the stale file, put back
    assert running_state(layout.state, layout.lock) is None
    child.kill()
    child.wait()


def test_looking_takes_no_lock_away(layout: Layout) -> None:
    """Whoever polls must not make a start fail, nor change what the lock says."""
    with take_lock(layout.lock):
        pass
    before = layout.lock.read_text()
    looker = subprocess.Popen(
        [sys.executable, "-c", "import sys; from pathlib import Path; from embedded.state import is_locked\n"
         "while True: is_locked(Path(sys.argv[1]))", str(layout.lock)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "platform")},
    )  # fmt: skip
    try:
        time.sleep(1)
        for _ in range(50):
            take_lock(layout.lock).close()
    finally:
        looker.kill()
        looker.wait()
    assert layout.lock.read_text() == before
    assert not is_locked(layout.lock)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's own signal")
def test_a_child_does_not_outlive_its_killed_parent(tmp_path: Path) -> None:
    code = (
        "import os, subprocess, sys, time; from embedded.process import dying_with\n"
        "child = subprocess.Popen(['sleep', '60'], preexec_fn=dying_with(os.getpid()))\n"
        "print(child.pid, flush=True); time.sleep(60)"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT / "platform")}
    parent = subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    deadline = time.monotonic() + 10
    while Path(f"/proc/{child}/cmdline").exists() and Path(f"/proc/{child}/cmdline").read_bytes():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert callable(dying_with(os.getpid()))
