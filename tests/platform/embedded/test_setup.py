"""`make setup` in a small checkout of its own: a real environment and a real pip, with wheels made here."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from hashlib import sha256
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest

from embedded.lock import Pin, header, locked
from embedded.setup.pythons import supported

pytestmark = pytest.mark.clock  # half a minute of pip; every run in a fresh clone sets up
ROOT = Path(__file__).resolve().parents[3]
PYTHONS = supported(ROOT)
PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "motherlode"
version = "0"
requires-python = ">=3.MIN,<3.END"
[tool.setuptools.packages.find]
where = ["platform", "datasets"]
"""


def make_wheel(folder: Path, name: str, version: str) -> None:
    """The smallest wheel that pip installs: one module and its metadata."""
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", "")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def repack_wheel(folder: Path, name: str) -> str:
    """A wheel of what is installed beside these tests; returns its pin."""
    installed = distribution(name)
    with zipfile.ZipFile(folder / f"{name}-{installed.version}-py3-none-any.whl", "w") as wheel:
        for entry in installed.files or []:
            if not entry.as_posix().startswith("..") and entry.suffix != ".pyc":
                wheel.write(str(entry.locate()), entry.as_posix())
    return f"{name}=={installed.version}"


class Checkout:
    """A tiny project with the real set-up in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.wheels = root / "wheels"
        self.wheels.mkdir(parents=True)
        shutil.copytree(ROOT / "platform" / "embedded" / "setup", root / "platform" / "embedded" / "setup")
        (root / "platform" / "embedded" / "__init__.py").touch()
        project = PROJECT.replace("MIN", str(PYTHONS.start)).replace("END", str(PYTHONS.stop))
        (root / "pyproject.toml").write_text(project)
        (root / "requirements").mkdir()
        self.builder = repack_wheel(self.wheels, "setuptools")
        for name, version in (("torch", "1.0"), ("ore", "2.0"), ("pick", "3.0")):
            make_wheel(self.wheels, name, version)
        (root / "requirements" / "torch.lock").write_text("torch==1.0\n")
        self.lock("ore==2.0")

    def lock(self, *pins: str) -> None:
        packages = (pin.split("==") for pin in [self.builder, *pins])
        listed, everywhere = self.listed(), tuple(PYTHONS)
        text = "".join(locked(Pin(name, version, everywhere), listed, PYTHONS) for name, version in packages)
        lock = f"{header(PYTHONS)}\n{text.rstrip()}"  # the last package counts too
        (self.root / "requirements" / "runtime.lock").write_text(lock)

    def listed(self) -> list[dict[str, Any]]:
        """What an index would say of the wheels."""
        wheels = self.wheels.glob("*.whl")
        return [{"filename": one.name, "hashes": {"sha256": sha256(one.read_bytes()).hexdigest()}} for one in wheels]

    def setup(self, **environment: str) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
        # This interpreter's own base: a bare Python, as on a new machine.
        python = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
        mine = {"PYTHONPATH": "platform", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels), **environment}
        argv = [str(python), "-m", "embedded.setup"]
        return subprocess.run(argv, cwd=self.root, env={**kept, **mine}, capture_output=True, text=True, check=False)

    def steps(self, words: str) -> list[str]:
        return [line.split(" ..")[0].strip() for line in words.splitlines() if line.rstrip().endswith(" s")]

    def imports(self, module: str) -> bool:
        argv = [str(self.root / ".venv/bin/python"), "-c", f"import {module}"]
        return subprocess.run(argv, cwd="/", env={}, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    checkout = Checkout(tmp_path_factory.mktemp("installed"))
    done = checkout.setup()
    assert done.returncode == 0, done.stdout + done.stderr
    return checkout


def test_everything_locked_and_the_shelves_can_be_imported(installed: Checkout) -> None:
    assert all(installed.imports(name) for name in ("torch", "ore", "embedded"))


def test_a_second_run_does_nothing(installed: Checkout) -> None:
    again = installed.setup()
    assert again.returncode == 0
    assert installed.steps(again.stdout) == []


def test_a_new_package_on_a_shelf_is_installed(installed: Checkout) -> None:
    package = installed.root / "datasets" / "seams"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    again = installed.setup()
    assert installed.steps(again.stdout) == ["motherlode itself (2 packages, editable)"]
    assert installed.imports("seams")


def test_a_changed_lock_is_installed_and_nothing_else(installed: Checkout) -> None:
    installed.lock("ore==2.0", "pick==3.0")
    again = installed.setup()
    assert installed.steps(again.stdout) == ["3 packages of requirements/runtime.lock"]
    assert installed.imports("pick")


def test_a_package_that_cannot_be_found_ends_with_the_logs_last_words(installed: Checkout) -> None:
    lock = installed.root / "requirements" / "runtime.lock"
    before = lock.read_text()
    lock.write_text(f"{before}\nno-such-ore==9.9 --hash=sha256:{'0' * 64}\n")
    failed = installed.setup()
    lock.write_text(before)
    assert failed.returncode == 1
    assert "No matching distribution found for no-such-ore==9.9" in failed.stdout
    assert "var/log/setup-2.log" in failed.stdout
    assert installed.setup().returncode == 0


def test_a_file_that_is_not_the_one_that_was_locked_stops_the_set_up(installed: Checkout) -> None:
    lock = installed.root / "requirements" / "runtime.lock"
    before = lock.read_text()
    make_wheel(installed.wheels, "seam", "1.0")
    installed.lock("ore==2.0", "seam==1.0")
    wheel = installed.wheels / "seam-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "a") as forged:
        forged.writestr("more.py", "")
    refused = installed.setup()
    lock.write_text(before)
    wheel.unlink()
    assert refused.returncode == 1
    assert "DO NOT MATCH THE HASHES" in refused.stdout
    assert not installed.imports("seam")


def test_an_environment_whose_set_up_was_killed_is_built_anew(installed: Checkout) -> None:
    stamps = installed.root / ".venv" / "motherlode-setup.json"
    stamps.write_text(json.dumps({**json.loads(stamps.read_text()), "unfinished": "3 packages"}))
    again = installed.setup()
    assert "building it anew" in again.stdout
    assert installed.steps(again.stdout)[0] == "virtual environment"
    assert installed.imports("ore")


def test_torch_comes_from_the_index_that_is_asked_for(installed: Checkout, tmp_path: Path) -> None:
    make_wheel(tmp_path, "torch", "1.0+cu99")
    page = tmp_path / "simple" / "torch" / "index.html"
    page.parent.mkdir(parents=True)
    wheel = tmp_path / "torch-1.0+cu99-py3-none-any.whl"
    page.write_text(f'<a href="{wheel.as_uri()}">{wheel.name}</a>')
    done = installed.setup(TORCH_INDEX_URL=(tmp_path / "simple").as_uri(), PIP_NO_INDEX="0")
    assert done.returncode == 0, done.stdout
    assert "torch==1.0 from TORCH_INDEX_URL" in installed.steps(done.stdout)
    assert list(installed.root.glob(".venv/lib/python*/site-packages/torch-1.0+cu99.dist-info"))
    assert installed.steps(installed.setup().stdout) == []  # asked for nothing: what is there stays


def test_the_web_application_is_made_beside_the_packages_and_its_fault_is_told(installed: Checkout) -> None:
    frontend = installed.root / "frontend"
    frontend.mkdir()
    build = "node -e \"fs.mkdirSync('dist'); fs.writeFileSync('dist/index.html', '')\""
    (frontend / "package.json").write_text(json.dumps({"name": "web", "scripts": {"build": build}}))
    (frontend / ".npmrc").touch()
    (frontend / "package-lock.json").write_text("no lock")
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    failed = installed.setup(PATH=programs)
    assert failed.returncode == 1
    assert "web packages (npm ci, meanwhile) failed" in failed.stdout
    assert "var/log/setup-beside.log" in failed.stdout
    lock = {"name": "web", "lockfileVersion": 3, "packages": {"": {"name": "web"}}}
    (frontend / "package-lock.json").write_text(json.dumps(lock))
    (frontend / "node_modules").mkdir(exist_ok=True)  # npm makes none where nothing is to be installed
    done = installed.setup(PATH=programs)
    assert done.returncode == 0, done.stdout
    assert installed.steps(done.stdout) == ["web packages (npm ci, meanwhile)", "web application (npm run build)"]
    assert (frontend / "dist" / "index.html").is_file()
