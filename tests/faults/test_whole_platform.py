"""A whole platform whose disk fills up, and whose services freeze: what was acknowledged stays, all goes on."""

import base64
import io
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from PIL import Image
from tests.journeys.site import ROOT, Site, command, start
from tests.workers import wait_until

from motherlode.client import Motherlode
from motherlode.errors import MotherlodeError

pytestmark = [pytest.mark.clock, pytest.mark.timeout(900)]
DISK_BYTES = 600 << 20
FULL_SECONDS = 40.0
FROZEN_SECONDS = 120.0
READY_WITHIN = 2.0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own."""
    if os.geteuid() != 0:
        pytest.skip("only root mounts a disk")
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(place)], check=True)
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


class Sender(threading.Thread):
    """Commits one new picture after the other, until told to stop; keeps what was acknowledged, and why not."""

    def __init__(self, client: Motherlode) -> None:
        super().__init__(daemon=True)
        self.client = client
        self.stopping = threading.Event()
        self.acknowledged: list[str] = []
        self.refused: Counter[str] = Counter()

    def run(self) -> None:
        for number in itertools.count():
            if self.stopping.wait(0.2):
                return
            sample = {"key": f"{number}.png", "data": base64.b64encode(picture(number)).decode()}
            try:
                self.client.datasets.commit("lake", samples=[sample])
            except MotherlodeError as error:
                self.refused[error.code] += 1
            else:
                self.acknowledged.append(sample["key"])

    def wait_for_another(self, *, seconds: float = 120.0) -> None:
        """Until one more is acknowledged."""
        had = len(self.acknowledged)
        wait_until(lambda: len(self.acknowledged) > had, seconds=seconds)


def picture(number: int) -> bytes:
    """A PNG of noise, another one for each number."""
    made = io.BytesIO()
    Image.frombytes("RGB", (64, 64), random.Random(number).randbytes(64 * 64 * 3)).save(made, "PNG")
    return made.getvalue()


def health(site: Site) -> tuple[int, dict[str, str], float]:
    """Status, document and seconds of `/health/ready`."""
    started = time.monotonic()
    try:
        with urllib.request.urlopen(f"{site.url}/health/ready", timeout=20) as answer:  # noqa: S310 - our own
            status, text = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read()
    return status, json.loads(text), time.monotonic() - started


@pytest.fixture
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """A platform that trains and takes pictures."""
    var = request.getfixturevalue("disk") / "var" if "disk" in request.fixturenames else tmp_path / "var"
    running = start(var)
    yield running
    command(var, "down")


@pytest.fixture
def training(site: Site) -> int:
    """A run that takes some minutes."""
    client = site.client()
    client.datasets.create("shades", task="classification", classes=["dark", "bright"])
    samples = [shade(number) for number in range(80)]
    client.datasets.commit("shades", samples=samples)
    client.models.create("shades", classes=["dark", "bright"])
    return client.runs.create("shades", dataset="shades", architecture="small_cnn",
                              config={"recipe": {"steps": 3000}})["id"]  # fmt: skip


def shade(number: int) -> dict[str, object]:
    bright = number % 2
    made = io.BytesIO()
    noise = bytes(byte // 2 + 120 * bright for byte in random.Random(number).randbytes(48 * 48 * 3))
    Image.frombytes("RGB", (48, 48), noise).save(made, "PNG")
    data, split = base64.b64encode(made.getvalue()).decode(), "train" if number % 4 else "test"
    return {"key": f"{number}.png", "data": data, "split": split, "label": {"class": ("dark", "bright")[bright]}}


@pytest.fixture
def sender(site: Site) -> Iterator[Sender]:
    client = site.client()
    client.datasets.create("lake", task="classification", classes=["a", "b"])
    sending = Sender(client)
    sending.start()
    yield sending
    sending.stopping.set()
    sending.join(120)


def check_all_is_there(site: Site, sender: Sender) -> None:
    """Whatever was acknowledged is at the head, byte for byte."""
    sender.stopping.set()
    sender.join(120)
    pulled = site.var.parent / "pulled"
    done = subprocess.run([sys.executable, "-m", "motherlode", "dataset", "pull", "lake", str(pulled)],
                          env=os.environ | {"MOTHERLODE_VAR": str(site.var), "PYTHONPATH": str(ROOT / "platform")},
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(sender.acknowledged) > 20
    for key in sender.acknowledged:
        assert (pulled / key).read_bytes() == picture(int(key.removesuffix(".png"))), key


def test_a_disk_that_fills_up_and_is_freed(disk: Path, site: Site, training: int, sender: Sender) -> None:
    sender.wait_for_another()
    supervisor = json.loads((site.var / "supervisor.json").read_text())["pid"]
    fill = disk / "fill"
    with suppress(OSError), fill.open("wb") as file:
        while True:
            file.write(bytes(1 << 20))
    wait_until(lambda: sender.refused["disk_full"] > 3, seconds=60)
    until = time.monotonic() + FULL_SECONDS
    while time.monotonic() < until:
        status, said, seconds = health(site)
        assert (status, seconds < READY_WITHIN) == (200, True), said
        assert "writes are refused" in said["disk"]
        assert site.client().datasets.get("lake")["head"] is not None
        time.sleep(1)
    had = len(sender.acknowledged)
    fill.unlink()
    wait_until(lambda: len(sender.acknowledged) > had, seconds=120)
    assert json.loads((site.var / "supervisor.json").read_text())["pid"] == supervisor
    run = site.client().runs.get(training)
    assert site.client().jobs.wait(run["job"]["id"])["state"] == "succeeded"
    check_all_is_there(site, sender)


@pytest.mark.parametrize("service", ["broker", "object-store"])
def test_a_service_that_freezes_for_two_minutes(site: Site, training: int, sender: Sender, service: str) -> None:
    sender.wait_for_another()
    name = service.replace("-", "_")
    pid = site.pid(service)
    os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(READY_WITHIN)
        until = time.monotonic() + FROZEN_SECONDS
        while time.monotonic() < until:
            status, said, seconds = health(site)
            assert seconds < READY_WITHIN
            assert said[name] == "does not answer", said
            assert status == (503 if service == "object-store" else 200)
            time.sleep(1)
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_until(lambda: health(site)[1][name] == "ok", seconds=10)
    sender.wait_for_another()
    run = site.client().runs.get(training)
    assert site.client().jobs.wait(run["job"]["id"])["state"] == "succeeded"
    check_all_is_there(site, sender)
