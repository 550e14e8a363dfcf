"""Tests leave the platform alone that the shell's variables name."""

import os
import subprocess
import sys
from pathlib import Path

from tests.settings import GIVEN
from tests.workers import ROOT


def test_a_run_of_tests_takes_no_folder_and_no_bucket_of_an_operator(tmp_path: Path) -> None:
    kept = tmp_path / "var" / "db.sqlite3"
    kept.parent.mkdir()
    kept.write_bytes(b"everything")
    shell = {name: value for name, value in os.environ.items() if not name.startswith("MOTHERLODE_") and name != GIVEN}
    shell |= {"MOTHERLODE_VAR": str(kept.parent), "MOTHERLODE_S3_BUCKET": "theirs", "MOTHERLODE_SECRET_KEY": "s" * 40}
    told = "import os; from tests import settings; print(settings.VAR, dict(os.environ))"
    run = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--collect-only", __file__]
    subprocess.run(run, cwd=ROOT, env=shell, capture_output=True, check=True)
    assert kept.read_bytes() == b"everything"
    said = subprocess.run([sys.executable, "-c", told], cwd=ROOT, env=shell, capture_output=True, text=True, check=True)
    assert [one for one in shell.values() if one in said.stdout and one in {str(kept.parent), "theirs", "s" * 40}] == []
