"""The supervisor, with small real processes: what it starts, restarts, gives up on and stops."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.processes import is_running

ROOT = Path(__file__).resolve().parents[3]

# A supervisor must own the main thread and its signals, so each test runs one in a process of its own.
DRIVER = """
import json, os, signal, sys
from pathlib import Path
from embedded.process import ProcessSpec, Renewal
from embedded.supervisor import Supervisor, Task

var = Path(sys.argv[1])
plan = json.loads(sys.argv[2])

def spec(name, code, signals=(("SIGTERM", 2.0),), renewal="none"):
    return ProcessSpec(
        name=name, argv=[sys.executable, "-c", code, str(var)], env=dict(os.environ), cwd=var,
        ready=lambda log: "ready" in log, ready_seconds=20.0,
        stop_signals=[(signal.Signals[one], seconds) for one, seconds in signals], renewal=Renewal(renewal),
    )

upgrade = json.loads(sys.argv[3])

stages = [Task(spec(**stage)) if isinstance(stage, dict) else [spec(**one) for one in stage] for stage in plan]
supervisor = Supervisor(stages=stages, first_pause=0.02, logs=var, state_path=var / "supervisor.json", address="http://127.0.0.1:1",
                        say=lambda text: print(text, flush=True), on_ready=lambda: print("ALL READY", flush=True),
                        upgrade_task=lambda: Task(spec(**upgrade)), version=lambda: (var / "version").read_text())
sys.exit(supervisor.run())
"""

SERVER = "import time; print('ready', flush=True); time.sleep(600)"


class Driver:
    """One supervisor process and what it says."""

    def __init__(self, var: Path, plan: list[object], upgrade: object) -> None:
        self.var = var
        (var / "version").write_text("1.0")
        self.output = var / "driver.out"
        with self.output.open("wb") as output:
            self.popen = subprocess.Popen(
                [sys.executable, "-c", DRIVER, str(var), json.dumps(plan), json.dumps(upgrade)],
                env={**os.environ, "PYTHONPATH": str(ROOT / "platform")},
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def said(self) -> str:
        return self.output.read_text()

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.var / "supervisor.json").read_text())
        return found

    def pid_of(self, name: str) -> int:
        return int(self.state()["processes"][name]["pid"])

    def upgrade(self, version: str) -> None:
        """Other code is there: put it into service."""
        (self.var / "version").write_text(version)
        self.popen.send_signal(signal.SIGUSR1)

    def wait_for(self, what: Callable[[], object], seconds: float = 20.0) -> None:
        deadline = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < deadline, f"waited {seconds} s in vain; it said:\n{self.said()}"
            time.sleep(0.05)

    def wait_ready(self) -> None:
        self.wait_for(lambda: "ALL READY" in self.said())

    def stop(self) -> int:
        self.popen.send_signal(signal.SIGTERM)
        return self.popen.wait(timeout=20)


@pytest.fixture
def drive(tmp_path: Path) -> Iterator[Callable[..., Driver]]:
    drivers: list[Driver] = []

    def start(*plan: object, upgrade: object = None) -> Driver:
        drivers.append(Driver(tmp_path, list(plan), upgrade))
        return drivers[-1]

    yield start
    for driver in drivers:
        if driver.popen.poll() is None:
            driver.stop()


def test_stages_start_in_order_and_stop_in_the_reverse_order(drive: Callable[..., Driver]) -> None:
    driver = drive(
        [{"name": "store", "code": SERVER}],
        {"name": "migrate", "code": "print('migrated')"},
        [{"name": "web", "code": SERVER}],
    )
    driver.wait_ready()
    assert driver.stop() == 0
    words = [line.split()[:2] for line in driver.said().splitlines() if line.startswith("  ")]
    assert words == [["store", "done"], ["migrate", "done"], ["web", "done"], ["web", "stopped"], ["store", "stopped"]]
    assert not (driver.var / "supervisor.json").exists()


def test_a_killed_process_is_started_again_and_the_others_are_left_alone(drive: Callable[..., Driver]) -> None:
    driver = drive([{"name": "web", "code": SERVER}, {"name": "beat", "code": SERVER}])
    driver.wait_ready()
    web, beat = driver.pid_of("web"), driver.pid_of("beat")
    os.kill(web, signal.SIGKILL)
    driver.wait_for(lambda: driver.pid_of("web") not in (0, web))
    assert driver.pid_of("beat") == beat
    assert "web ended (signal SIGKILL)" in driver.said()


def test_a_state_file_that_cannot_be_written_ends_nothing_and_is_written_later(drive: Callable[..., Driver]) -> None:
    driver = drive([{"name": "web", "code": SERVER}])
    driver.wait_ready()
    web, state = driver.pid_of("web"), driver.var / "supervisor.json"
    state.unlink()
    state.mkdir()  # a file can't take its place
    os.kill(web, signal.SIGKILL)
    driver.wait_for(lambda: "supervisor.json can't be written" in driver.said())
    assert driver.popen.poll() is None
    state.rmdir()
    driver.wait_for(state.is_file)
    driver.wait_for(lambda: driver.pid_of("web") not in (0, web))


def test_what_a_killed_process_had_started_does_not_outlive_it(drive: Callable[..., Driver]) -> None:
    parent = (
        "import subprocess, sys, time, pathlib;"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        "pathlib.Path(sys.argv[1], 'pool.pid').write_text(str(child.pid)); print('ready', flush=True); time.sleep(600)"
    )
    driver = drive([{"name": "worker", "code": parent}])
    driver.wait_ready()
    pool = int((driver.var / "pool.pid").read_text())
    os.kill(driver.pid_of("worker"), signal.SIGKILL)
    driver.wait_for(lambda: not is_running(pool))


def test_killing_the_supervisor_leaves_nothing_running(drive: Callable[..., Driver]) -> None:
    parent = (
        "import subprocess, sys, time, pathlib;"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        "pathlib.Path(sys.argv[1], 'pool.pid').write_text(str(child.pid)); print('ready', flush=True); time.sleep(600)"
    )
    driver = drive([{"name": "worker", "code": parent}, {"name": "web", "code": SERVER}])
    driver.wait_ready()
    pids = [driver.pid_of("worker"), driver.pid_of("web"), int((driver.var / "pool.pid").read_text())]
    driver.popen.kill()
    driver.popen.wait()
    driver.wait_for(lambda: not any(is_running(pid) for pid in pids), seconds=5)


def test_a_process_that_keeps_dying_is_given_up_with_the_name_of_its_log(drive: Callable[..., Driver]) -> None:
    # Ready the first time, so that the platform gets up; then it fails at once, each time.
    once = (
        "import pathlib, sys, time; mark = pathlib.Path(sys.argv[1], 'mark');"
        "sys.exit('out of luck') if mark.exists() else mark.touch(); print('ready', flush=True); time.sleep(600)"
    )
    driver = drive([{"name": "web", "code": once}, {"name": "beat", "code": SERVER}])
    driver.wait_ready()
    beat = driver.pid_of("beat")
    os.kill(driver.pid_of("web"), signal.SIGKILL)
    assert driver.popen.wait(timeout=40) == 1
    said = driver.said()
    assert "web died 5 times in a row (exit code 1)" in said
    assert str(driver.var / "web.log") in said
    assert "out of luck" in said
    assert not is_running(beat)


def test_a_process_that_ends_at_its_start_stops_everything_and_shows_its_last_words(
    drive: Callable[..., Driver],
) -> None:
    driver = drive([{"name": "store", "code": SERVER}], [{"name": "web", "code": "raise SystemExit('no such module')"}])
    assert driver.popen.wait(timeout=20) == 1
    assert "web ended at its start (exit code 1)" in driver.said()
    assert "no such module" in driver.said()
    assert "store            stopped" in driver.said()


def test_a_failed_migration_starts_no_web(drive: Callable[..., Driver]) -> None:
    driver = drive({"name": "migrate", "code": "raise SystemExit('bad table')"}, [{"name": "web", "code": SERVER}])
    assert driver.popen.wait(timeout=20) == 1
    assert "bad table" in driver.said()
    assert not (driver.var / "web.log").exists()


def test_a_process_deaf_to_its_signals_is_killed_after_its_time(drive: Callable[..., Driver]) -> None:
    deaf = (
        "import signal, time; [signal.signal(one, signal.SIG_IGN) for one in (signal.SIGTERM, signal.SIGQUIT)];"
        "print('ready', flush=True); time.sleep(600)"
    )
    driver = drive([{"name": "worker", "code": deaf, "signals": [["SIGTERM", 0.4], ["SIGQUIT", 0.4]]}])
    driver.wait_ready()
    pid = driver.pid_of("worker")
    started = time.monotonic()
    assert driver.stop() == 0
    assert 0.8 <= time.monotonic() - started < 4
    assert not is_running(pid)


def test_a_log_of_the_last_start_is_kept_beside_the_new_one(drive: Callable[..., Driver], tmp_path: Path) -> None:
    (tmp_path / "web.log").write_text("yesterday\n")
    drive([{"name": "web", "code": SERVER}]).wait_ready()
    assert (tmp_path / "web.log.1").read_text() == "yesterday\n"
    assert (tmp_path / "web.log").read_text() == "ready\n"


RELOADING = (
    "import signal, time; signal.signal(signal.SIGHUP, lambda *_: print('reloaded', flush=True)); "
    "print('ready', flush=True); [time.sleep(0.05) for _ in range(9000)]"
)


def test_an_upgrade_gives_each_process_the_new_code_in_its_way_after_the_task(drive: Callable[..., Driver]) -> None:
    driver = drive(
        [{"name": "store", "code": SERVER}],
        [{"name": "web", "code": RELOADING, "renewal": "reload"},
         {"name": "worker", "code": SERVER, "renewal": "restart"}],
        upgrade={"name": "prepare", "code": "print('migrated')"},
    )  # fmt: skip
    driver.wait_ready()
    before = {name: driver.pid_of(name) for name in ("store", "web", "worker")}
    assert driver.state()["version"] == "1.0"
    driver.upgrade("1.1")
    driver.wait_for(lambda: (driver.state()["version"], driver.state()["state"]) == ("1.1", "ready"))
    after = {name: driver.pid_of(name) for name in before}
    assert {name for name in before if before[name] != after[name]} == {"worker"}
    assert driver.state()["processes"]["worker"]["state"] == "running"
    driver.wait_for(lambda: "reloaded" in (driver.var / "web.log").read_text())
    assert (driver.var / "prepare.log").read_text() == "migrated\n"
    assert driver.stop() == 0


def test_an_upgrade_whose_migrations_fail_changes_nothing(drive: Callable[..., Driver]) -> None:
    driver = drive(
        [{"name": "worker", "code": SERVER, "renewal": "restart"}],
        upgrade={"name": "prepare", "code": "print('no space'); raise SystemExit(1)"},
    )
    driver.wait_ready()
    worker = driver.pid_of("worker")
    driver.upgrade("1.1")
    driver.wait_for(lambda: driver.state()["fault"])
    assert "prepare failed (exit code 1)" in driver.state()["fault"]
    assert "no space" in driver.state()["fault"]
    assert (driver.state()["version"], driver.state()["state"], driver.pid_of("worker")) == ("1.0", "ready", worker)
    assert driver.stop() == 0
