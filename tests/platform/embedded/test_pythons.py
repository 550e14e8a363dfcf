"""pyproject.toml names the Pythons; all else that depends on them says the same, and make takes one that is there."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet

from embedded.layout import project_root
from embedded.lock import LOCKS, header
from embedded.setup import pythons
from embedded.setup.console import SetupError
from embedded.setup.pythons import in_words, supported

ROOT = project_root()
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
MINORS = [minor for minor in range(40) if f"3.{minor}.0" in SpecifierSet(PROJECT["project"]["requires-python"])]
LOWEST, NEWEST = f"3.{MINORS[0]}", f"3.{MINORS[-1]}"
# A Python of another version, as far as the Makefile can see.
STUB = """#!/bin/sh
shift
exec "{python}" -c 'import sys; sys.version_info = {version}; exec(sys.argv.pop(1))' "$@"
"""


def test_what_is_read_from_the_project_is_its_requires_python() -> None:
    assert list(supported(ROOT)) == MINORS


def test_the_project_names_each_of_them_and_checks_itself_against_the_lowest() -> None:
    assert PROJECT["project"]["classifiers"] == [f"Programming Language :: Python :: 3.{minor}" for minor in MINORS]
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py3{MINORS[0]}"
    assert PROJECT["tool"]["mypy"]["python_version"] == LOWEST


@pytest.mark.parametrize("name", LOCKS)
def test_each_lock_was_made_for_them(name: str) -> None:
    lock = (ROOT / "requirements" / f"{name}.lock").read_text()
    assert lock.startswith(f"{header(MINORS)}\n"), "make lock"


def test_a_reader_is_told_and_the_image_has_one_of_them() -> None:
    for page in ("README.md", "CONTRIBUTING.md"):
        assert f"Python {in_words(MINORS)}" in (ROOT / page).read_text()
    assert any(f"FROM python:3.{minor}-slim" in (ROOT / "deploy" / "Dockerfile").read_text() for minor in MINORS)


@pytest.fixture
def stubs(tmp_path: Path) -> Path:
    """A PATH on which no Python is, and a checkout beside it."""
    folder, checkout = tmp_path / "bin", tmp_path / "checkout"
    folder.mkdir()
    checkout.mkdir()
    for name in ("Makefile", "pyproject.toml"):
        (checkout / name).symlink_to(ROOT / name)
    for name in ("sh", "sed", "seq", "make"):
        (folder / name).symlink_to(shutil.which(name) or name)
    return folder


def add_stub(path: Path, version: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    numbers = tuple(map(int, version.split(".")))
    path.write_text(STUB.format(python=sys.executable, version=numbers))
    path.chmod(0o755)


def chosen(stubs: Path, *more: str) -> str:
    argv = [str(stubs / "make"), "-n", "setup", *more]
    done = subprocess.run(
        argv, cwd=stubs.parent / "checkout", env={"PATH": str(stubs)}, capture_output=True, text=True, check=False
    )
    return done.stdout.removeprefix("PYTHONPATH=platform ").removesuffix(" -m embedded.setup\n") or done.stderr


def test_make_takes_python3_where_it_is_one_of_them(stubs: Path) -> None:
    add_stub(stubs / "python3", LOWEST)
    add_stub(stubs / f"python{NEWEST}", NEWEST)
    assert chosen(stubs) == "python3"


def test_else_make_takes_the_newest_that_is_there(stubs: Path) -> None:
    add_stub(stubs / "python3", f"3.{MINORS[-1] + 1}")
    for minor in MINORS[:-1]:
        add_stub(stubs / f"python3.{minor}", f"3.{minor}")
    assert chosen(stubs) == f"python3.{MINORS[-2]}"


def test_an_environment_keeps_the_python_that_it_was_made_with(stubs: Path) -> None:
    base = stubs.parent / "of-the-user" / "python"
    settings = stubs.parent / "checkout" / ".venv" / "pyvenv.cfg"
    settings.parent.mkdir()
    settings.write_text(f"home = {base.parent}\nexecutable = {base}\n")
    add_stub(stubs / "python3", NEWEST)
    assert chosen(stubs) == "python3"  # its own is gone
    add_stub(base, LOWEST)
    assert chosen(stubs) == str(base)


def test_without_any_make_names_them(stubs: Path) -> None:
    assert "needs one of Python 3.99 3.98," in chosen(stubs, "PYTHONS=3.99 3.98")


def test_set_up_by_another_python_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    pythons.check_own(ROOT)
    monkeypatch.setattr(sys, "version_info", (3, MINORS[0] - 1, 9))
    with pytest.raises(SetupError, match=f"is Python 3.{MINORS[0] - 1}; Motherlode needs Python {in_words(MINORS)}"):
        pythons.check_own(ROOT)
