"""The whole embedded profile with its real servers: started, hit by kill -9, asked, stopped."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from tests.journeys import digits
from tests.processes import is_running

from embedded.ports import HOST, free_ports
from embedded.state import SupervisorState, is_locked
from motherlode.client import Motherlode

ROOT = Path(__file__).resolve().parents[2]
KINDS = ["object-store", "broker", "web", "front", "worker-compute", "worker-light", "worker-clock", "beat"]


class Platform:
    """One `var/` and the command line over it."""

    def __init__(self, var: Path) -> None:
        self.var = var
        self.port = free_ports(1)[0]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        shelves = os.pathsep.join(str(ROOT / shelf) for shelf in ("platform", "datasets", "models", "mining"))
        argv = [sys.executable, "-m", "embedded", "--var", str(self.var), *arguments]
        environment = {**os.environ, "PYTHONPATH": shelves}
        return subprocess.run(argv, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=200)

    def up(self) -> subprocess.CompletedProcess[str]:
        return self.run("up", "--detach", "--port", str(self.port))

    def state(self) -> SupervisorState:
        state = SupervisorState.read(self.var / "supervisor.json")
        assert state is not None
        return state

    def wait_until_all_run(self) -> None:
        deadline = time.monotonic() + 60
        while self.run("status").returncode != 0:
            assert time.monotonic() < deadline, self.run("status").stdout
            time.sleep(0.3)


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    made = Platform(tmp_path_factory.mktemp("embedded") / "var")
    # What an older version left, which anybody on the machine could read.
    (made.var / "git" / "1").mkdir(parents=True)
    (made.var / "git" / "1" / "HEAD").write_text("ref: refs/heads/main")
    for path in (made.var, *made.var.rglob("*")):
        path.chmod(0o755)
    started = made.up()
    assert started.returncode == 0, started.stdout + started.stderr
    yield made
    made.run("down")


def test_it_tells_where_it_is_and_where_the_owners_token_lies(platform: Platform) -> None:
    with urllib.request.urlopen(f"http://{HOST}:{platform.port}/health/live", timeout=5) as answer:
        assert answer.status == 200
    assert (platform.var / "token").stat().st_mode & 0o777 == 0o600
    assert sorted(platform.state().processes) == sorted(KINDS)


def test_a_restart_replaces_web_and_workers_while_every_request_is_answered(platform: Platform) -> None:
    """As after `git pull`: the front, the broker and the S3 server stay, and so does who asks."""
    before = platform.state()
    web = {child.pid for child in psutil.Process(before.processes["web"].pid).children()}
    asked: list[int] = []
    done = threading.Event()

    def ask() -> None:
        while not done.wait(0.02):
            asked.append(answered(platform.port))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    restarted = platform.run("restart")
    deadline = time.monotonic() + 60
    while web & {child.pid for child in psutil.Process(before.processes["web"].pid).children()}:
        assert time.monotonic() < deadline, "the web's processes were not replaced"
        time.sleep(0.2)
    done.set()
    for thread in threads:
        thread.join()
    assert restarted.returncode == 0, restarted.stdout + restarted.stderr
    assert len(asked) > 100
    assert set(asked) == {401}  # nobody is signed in; never 502 or a broken connection
    after = platform.state()
    replaced = {name for name, process in after.processes.items() if process.pid != before.processes[name].pid}
    assert replaced == {"worker-compute", "worker-light", "worker-clock", "beat"}


def answered(port: int) -> int:
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/session", timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def test_status_says_what_each_process_and_all_together_take(platform: Platform) -> None:
    said = platform.run("status").stdout
    loads = re.findall(r"^  (\S+) .*? ([\d.]+)% +(\d+) MB", said, re.MULTILINE)
    assert [name for name, _, _ in loads] == [*platform.state().processes, "together"]
    *each, (_, _, whole) = loads
    assert abs(sum(int(memory) for _, _, memory in each) - int(whole)) <= len(each)
    assert all(float(cpu) >= 0 and int(memory) > 1 for _, cpu, memory in loads)


def test_a_second_up_says_that_one_is_running(platform: Platform) -> None:
    second = platform.up()
    assert second.returncode == 0
    assert f"running already at http://{HOST}:{platform.port}" in second.stdout


def test_an_occupied_port_is_named_with_its_holder(tmp_path: Path) -> None:
    other = Platform(tmp_path / "var")
    with socket.socket() as holder:
        holder.bind((HOST, 0))
        holder.listen()
        port = holder.getsockname()[1]
        refused = other.run("up", "--port", str(port))
    assert refused.returncode == 1
    assert f"Port {port} of {HOST} is taken by" in refused.stdout
    assert f"(pid {os.getpid()})" in refused.stdout
    assert f"PORT={port + 1} make up" in refused.stdout


def test_every_server_listens_on_this_machine_only(platform: Platform) -> None:
    mine = psutil.Process(platform.state().pid).children(recursive=True)
    sockets = [one for process in mine for one in process.net_connections("tcp") if one.status == psutil.CONN_LISTEN]
    assert sockets
    assert {one.laddr.ip for one in sockets} == {HOST}


def test_no_secret_can_be_read_from_an_argument_list(platform: Platform) -> None:
    secrets = json.loads((platform.var / "secrets.json").read_text()).values()
    mine = psutil.Process(platform.state().pid).children(recursive=True)
    assert not [secret for process in mine for secret in secrets if secret in " ".join(process.cmdline())]


@pytest.mark.clock
def test_each_kind_of_process_comes_back_after_kill_9(platform: Platform) -> None:
    before = platform.state()
    for kind in KINDS:
        os.kill(before.processes[kind].pid, signal.SIGKILL)
    time.sleep(0.5)
    platform.wait_until_all_run()
    after = platform.state()
    assert after.pid == before.pid
    assert {kind: after.processes[kind].restarts - before.processes[kind].restarts for kind in KINDS} == dict.fromkeys(
        KINDS, 1
    )


def open_to_others(folder: Path) -> list[str]:
    """What other users of the machine may open. The object store's notes on volumes lie in a folder of ours."""
    paths = [path for path in (folder, *folder.rglob("*")) if not path.is_symlink() and path.suffix != ".vif"]
    return [f"{stat.filemode(path.lstat().st_mode)} {path}" for path in paths if path.lstat().st_mode & 0o077]


def test_what_lies_in_var_is_its_owners_alone_and_an_older_one_is_mended(platform: Platform) -> None:
    assert "4 files and folders are private now" in (platform.var / "log" / "supervisor.log").read_text()
    with Motherlode(f"http://{HOST}:{platform.port}", (platform.var / "token").read_text().strip()) as client:
        digits.load(client, "small")
    assert open_to_others(platform.var) == []


def test_down_stops_everything_within_seconds(platform: Platform) -> None:
    mine = psutil.Process(platform.state().pid).children(recursive=True)
    started = time.monotonic()
    assert platform.run("down").returncode == 0
    assert time.monotonic() - started < 15
    assert not is_locked(platform.var / "supervisor.lock")
    assert not [process for process in mine if is_running(process.pid)]
    assert "not running" in platform.run("status").stdout
    assert open_to_others(platform.var) == []
