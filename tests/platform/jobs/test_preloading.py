"""What forks programs: it begins with the first, goes when it is idle or with us, and each is told from the others."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.processes import is_running
from tests.workers import wait_until

from jobs.preloading import LIBRARIES, Forked, Preloader
from worker_programs.confinement import environment

QUICK = ("timeit", "-n", "1", "-r", "1", "print('quick')")
TELL = "print('ready', flush=True); import time; time.sleep(60)"


@pytest.fixture(autouse=True)
def wanted(settings: Any) -> None:
    settings.PRELOAD_PROGRAMS = True


@pytest.fixture
def preloader() -> Iterator[Preloader]:
    made = Preloader(frozenset({"timeit", "base64"}), ["json"], idle=0.5)
    yield made
    made.close()


def start(preloader: Preloader, *command: str) -> Forked:
    """As soon as there is what forks it, which goes again when a busy machine lets it wait."""
    deadline = time.monotonic() + 30
    while (made := preloader.start(command, environment())) is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return made


def sleeping(preloader: Preloader) -> Forked:
    made = start(preloader, "timeit", "-n", "1", "-r", "1", TELL)
    assert made.stdout.readline() == "ready\n"
    return made


def test_the_first_program_starts_as_ever_and_later_ones_are_forked(preloader: Preloader) -> None:
    assert preloader.start(["base64"], environment()) is None
    assert preloader.pid is not None
    with start(preloader, *QUICK) as program:
        said = program.stdout.read()
    assert (program.returncode, "quick" in said) == (0, True)
    status = Path(f"/proc/{preloader.pid}/status").read_text()
    assert f"PPid:\t{os.getpid()}\n" in status


def test_only_programs_that_it_is_for_are_forked(preloader: Preloader, settings: Any) -> None:
    wait_until(preloader.is_ready)
    assert preloader.start(["json.tool"], environment()) is None
    settings.PRELOAD_PROGRAMS = False
    assert preloader.start(["base64"], environment()) is None


def test_what_comes_in_goes_to_the_program_and_its_exit_status_to_us(preloader: Preloader) -> None:
    with start(preloader, "base64", "-e") as program:
        program.stdin.write("pictures")
        program.stdin.close()
        assert program.stdout.read() == "cGljdHVyZXM=\n"
    with start(preloader, "base64", "-nonsense") as program:
        assert "usage" in program.stdout.read() + program.stderr.read()
    assert program.returncode == 2


def test_a_signal_that_ends_a_program_is_told_and_its_group_is_its_own(preloader: Preloader) -> None:
    with sleeping(preloader) as program:
        assert program.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            program.wait(timeout=0.05)
        assert os.getpgid(program.pid) == program.pid
        assert Path(f"/proc/{program.pid}/comm").read_text() == "timeit\n"
        os.killpg(program.pid, signal.SIGUSR1)
        assert program.wait() == -signal.SIGUSR1
    assert not is_running(program.pid)


def test_it_goes_when_nobody_asks_and_comes_again(preloader: Preloader) -> None:
    with sleeping(preloader) as program:
        first = preloader.pid
        assert first is not None
        with pytest.raises(subprocess.TimeoutExpired):
            program.wait(timeout=1.0)  # twice as long as it waits: a program that runs keeps it
        assert is_running(first)
        os.killpg(program.pid, signal.SIGTERM)
    wait_until(lambda: not is_running(first))
    assert preloader.start(["base64"], environment()) is None
    with start(preloader, *QUICK) as program:
        assert program.wait() == 0
    assert preloader.pid != first


def test_a_program_ends_with_what_forked_it_and_the_next_starts_all_the_same(preloader: Preloader) -> None:
    with sleeping(preloader) as program:
        assert preloader.pid is not None
        os.kill(preloader.pid, signal.SIGKILL)
        assert program.wait() == -signal.SIGKILL
        wait_until(lambda: not is_running(program.pid))
    with start(preloader, *QUICK) as program:
        assert program.wait() == 0


def test_programs_end_with_who_started_them(tmp_path: Path) -> None:
    """Also one that was killed: no trainer outlives its worker."""
    script = tmp_path / "worker.py"
    script.write_text(
        textwrap.dedent(f"""
        import sys, time
        from django.conf import settings
        settings.configure(PRELOAD_PROGRAMS=True, PROGRAM_THREADS=1)
        from jobs.preloading import Preloader
        from worker_programs.confinement import environment
        made = Preloader(frozenset({{"tests.staying_program"}}), ["json"])
        while not made.is_ready():
            time.sleep(0.01)
        program = made.start(["tests.staying_program"], environment())
        file = {str(tmp_path / "config.json")!r}
        open(file, "w").write('{{"do": "hang"}}')
        program.stdin.write(file + "\\n")
        program.stdin.flush()
        program.stdout.readline()
        print(made.pid, program.pid, flush=True)
        time.sleep(60)
        """)
    )
    env = environment() | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, str(script)], env=env, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        pids = [int(word) for word in worker.stdout.readline().split()]
        worker.kill()
    assert len(pids) == 2
    wait_until(lambda: not any(map(is_running, pids)))


def test_what_it_loads_starts_no_thread(settings: Any) -> None:
    """A thread would hold its locks in each fork for ever."""
    settings.PROGRAM_THREADS = 1
    made = Preloader(frozenset({"training"}), LIBRARIES)
    try:
        wait_until(made.is_ready, seconds=60)
        assert "Threads:\t1\n" in Path(f"/proc/{made.pid}/status").read_text()
        maps = Path(f"/proc/{made.pid}/maps").read_text()
        assert ("libtorch_cpu" in maps, "onnxruntime" in maps) == (True, False)
    finally:
        made.close()


def test_an_exporter_reads_each_operator_once_for_all_that_are_forked_from_it() -> None:
    program = """
        import sys
        from worker_programs.torchlib import read_operators
        from onnxscript._framework_apis.torch_2_5 import get_torchlib_ops
        from onnxscript._internal import ast_utils
        read_operators()
        ast_utils.get_src_and_ast = None  # whoever read a source again would fail
        print(len(get_torchlib_ops()))
    """
    said = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], env=environment(), capture_output=True, text=True, check=True
    )
    assert int(said.stdout) > 100
