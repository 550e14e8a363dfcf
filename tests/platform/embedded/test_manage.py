"""`python -m embedded manage`: commands of manage.py where no platform has run yet. (One that has: the journeys.)"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("words", [["doctor"], ["backup", "somewhere"]])
def test_where_nothing_has_run_it_says_so_and_makes_nothing(tmp_path: Path, words: list[str]) -> None:
    argv = [sys.executable, "-m", "embedded", "--var", str(tmp_path / "var"), "manage", *words]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "platform")}
    done = subprocess.run(argv, env=env, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 3
    assert "No platform has run in" in done.stdout
    assert not (tmp_path / "var").exists()
