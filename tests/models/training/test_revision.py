"""The code's part of a lock: a commit where the code is exactly that, else a digest over it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import training
import worker_programs
from training import revision


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A git checkout with a copy of the packages that train, taken for the running ones."""
    for source in (Path(training.__path__[0]), Path(worker_programs.__path__[0])):
        shutil.copytree(source, tmp_path / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(revision, "PACKAGES", (tmp_path / "training", tmp_path / "worker_programs"))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "all")
    return tmp_path


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True).stdout


def revised() -> str:
    return revision.revision.__wrapped__()


def test_a_clean_checkout_is_named_by_its_commit(checkout):
    assert revised() == "git:" + git(checkout, "rev-parse", "HEAD").strip()


@pytest.mark.parametrize("name", ["loop.py", "architectures/my_own.py"])
def test_changed_or_added_code_is_named_by_a_digest_over_it(checkout, name):
    with (checkout / "training" / name).open("a") as file:
        file.write("# changed\n")
    one = revised()
    assert re.fullmatch("sha256:[0-9a-f]{64}", one)
    (checkout / "worker_programs" / "files.py").write_text("# changed too\n")
    assert revised() != one


def test_code_outside_of_any_checkout_is_named_by_a_digest_over_it(checkout):
    shutil.rmtree(checkout / ".git")
    assert revised().startswith("sha256:")
