"""A whole embedded platform: backed up while it runs, lost, restored by `lode admin`, looked at by `lode doctor`."""

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from tests.journeys.site import ROOT, SHELVES, Site, command, start


def lode(var: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """As a person types it in the checkout, with the platform's folder named."""
    mine = {name: value for name, value in os.environ.items() if not name.startswith(("MOTHERLODE_", "DJANGO_"))}
    shelves = os.pathsep.join(str(ROOT / shelf) for shelf in SHELVES)
    return subprocess.run([sys.executable, "-m", "motherlode", *words], env=mine | {"MOTHERLODE_VAR": str(var),
                          "PYTHONPATH": shelves}, capture_output=True, text=True, check=False, timeout=200)  # fmt: skip


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = start(tmp_path / "var")
    yield made
    command(made.var, "down")


def picture(shade: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (32, 32), (shade, 255 - shade, shade // 2)).save(file, "PNG")
    return file.getvalue()


@pytest.mark.clock
def test_a_platform_that_was_lost_is_restored_from_its_backup(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "pets"
    for number in range(6):
        place = folder / "train" / ("cat" if number % 2 else "dog") / f"{number}.png"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(picture(40 * number))
    assert lode(site.var, "dataset", "create", "pets", "--classes", "cat,dog").returncode == 0
    pushed = lode(site.var, "dataset", "push", str(folder), "pets")
    assert pushed.returncode == 0, pushed.stdout + pushed.stderr
    listed = json.loads(lode(site.var, "doctor", "--json", "--all").stdout)["findings"]
    assert [one for one in listed if one["check"] != "disks"] == []

    backup = tmp_path / "backup"
    done = lode(site.var, "admin", "backup", str(backup))
    assert done.returncode == 0, done.stderr
    before = lode(site.var, "dataset", "show", "pets").stdout
    refused = lode(site.var, "admin", "restore", str(backup))
    assert refused.returncode == 1
    assert "`make down` stops it" in refused.stdout

    assert command(site.var, "down").returncode == 0
    stopped = lode(site.var, "admin", "backup", str(backup))  # the store is started for it alone
    assert stopped.returncode == 0, stopped.stderr
    secrets = (site.var / "secrets.json").read_bytes()
    shutil.rmtree(site.var)
    site.var.mkdir(mode=0o700)
    (site.var / "secrets.json").touch(mode=0o600)
    (site.var / "secrets.json").write_bytes(secrets)
    restored = lode(site.var, "admin", "restore", str(backup))
    assert restored.returncode == 0, restored.stdout + restored.stderr
    assert "The platform is restored" in restored.stdout

    port = site.url.rpartition(":")[2]
    assert command(site.var, "up", "--detach", "--port", port).returncode == 0
    assert lode(site.var, "dataset", "show", "pets").stdout == before
    assert site.token != (site.var / "token").read_text().strip()  # the file was lost: bootstrap has made another
    pulled = lode(site.var, "dataset", "pull", "pets", str(tmp_path / "pulled"))
    assert pulled.returncode == 0, pulled.stdout + pulled.stderr
    got = {path.name: path.read_bytes() for path in (tmp_path / "pulled").rglob("*.png")}
    assert got == {path.name: path.read_bytes() for path in folder.rglob("*.png")}
    listed = json.loads(lode(site.var, "doctor", "--json", "--all").stdout)["findings"]
    assert [one for one in listed if one["check"] != "disks"] == []
