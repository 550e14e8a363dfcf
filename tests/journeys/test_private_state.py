"""Nothing of a platform's state is open to other users of its machine, from the first file on."""

import stat
from pathlib import Path

import pytest
from tests.journeys import digits, site

pytestmark = pytest.mark.browser


def open_to_others(folder: Path) -> list[str]:
    paths = [path for path in (folder, *folder.rglob("*")) if not path.is_symlink()]
    return [f"{stat.filemode(path.lstat().st_mode)} {path}" for path in paths if path.lstat().st_mode & 0o077]


def test_what_lies_in_var_is_its_owners_alone_and_an_older_one_is_mended(tmp_path: Path) -> None:
    var = tmp_path / "var"
    (var / "git" / "1").mkdir(parents=True)
    (var / "git" / "1" / "HEAD").write_text("ref: refs/heads/main")
    for path in (var, *var.rglob("*")):
        path.chmod(0o755)
    platform = site.start(var)
    try:
        assert "4 files and folders are private now" in (var / "log" / "supervisor.log").read_text()
        with platform.client() as client:
            digits.load(client, "small")
        found = open_to_others(var)
        assert [line for line in found if not line.endswith(".vif")] == [], "notes on volumes, in a folder of our own"
    finally:
        site.command(var, "down")
    assert open_to_others(var) == []
