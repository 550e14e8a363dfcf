"""Strategies of installed packages: five distributions in a folder of the path, of which one is sound."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CONTRACT = Path(__file__).with_name("test_contract.py")
HOWTO = (ROOT / "docs" / "howto" / "strategies.md").read_text()
SOUND = HOWTO.partition("```python strategy\n")[2].partition("```")[0]
"""The example of the documentation."""
BROKEN = {
    "clashing": SOUND.replace("gini", "newest") + SOUND.replace("gini", "margin"),
    "failing": SOUND.replace("gini", "half") + "\nimport there_is_no_such_module\n",
    "silent": '"""Nothing is registered here."""\n',
    "unfinished": SOUND.replace("gini", "stub").replace("def scores", "def numbers"),
}
ASK = """
import json
import numpy as np
from acquisition import Pool, compose, faults, names, strategy
from worker_programs.config import ConfigError
pool = Pool(ids=np.array([5, 3, 4]), probabilities=np.full((3, 2), 0.5))
try:
    strategy("newest")
except ConfigError as error:
    told = error.errors["strategy"]
picked = [[pick.id for pick in compose(pool, name, count=2, seed=0)] for name in ("gini", "margin")]
print(json.dumps({"names": names(), "faults": faults(), "told": told, "picked": picked}))
"""


def install(site: Path, name: str, source: str) -> None:
    """What an installer leaves of a distribution with one module and one entry point."""
    (site / f"{name}_strategies.py").write_text(source)
    told = site / f"{name}-1.2.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    (told / "INSTALLER").write_text("pip\n")
    (told / "entry_points.txt").write_text(f"[motherlode.strategies]\n{name}_point = {name}_strategies\n")
    files = [f"{name}_strategies.py", *(f"{told.name}/{file.name}" for file in told.iterdir()), f"{told.name}/RECORD"]
    (told / "RECORD").write_text("".join(f"{file},,\n" for file in files))


def run(argv: list[str], *folders: Path) -> str:
    paths = [*map(str, folders), *(str(ROOT / shelf) for shelf in ("platform", "datasets", "models", "mining"))]
    done = subprocess.run(
        [sys.executable, *argv],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([*paths, str(ROOT)])},
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with all of the distributions."""
    site = tmp_path_factory.mktemp("site")
    for name, source in {"sound": SOUND, **BROKEN}.items():
        install(site, name, source)
    return site


def test_a_sound_one_works_and_the_broken_ones_are_named(installed):
    told = json.loads(run(["-c", ASK], installed))
    assert "gini" in told["names"]
    assert told["picked"][0] == told["picked"][1]
    assert not {"newest", "half", "stub"} & set(told["names"])
    faults = dict(zip(sorted(BROKEN), told["faults"], strict=True))
    for name, text in faults.items():
        assert f"entry point {name}_point = {name}_strategies of {name} 1.2 cannot be loaded" in text
        assert "mend the package or uninstall it, then restart" in text
    assert "'margin' is registered twice" in faults["clashing"]
    assert "No module named 'there_is_no_such_module'" in faults["failing"]
    assert "it registers no strategy" in faults["silent"]
    assert "Gini must define scores" in faults["unfinished"]
    assert told["told"][0].startswith("unknown strategy 'newest'; there are ")
    assert told["told"][1:] == told["faults"]


@pytest.mark.clock
def test_the_contract_test_runs_over_it(installed):
    said = run(
        [
            "-m",
            "pytest",
            "-q",
            "-c",
            os.devnull,
            "--noconftest",
            "-p",
            "no:cacheprovider",
            str(CONTRACT),
            "-k",
            "gini",
        ],
        installed,
    )
    assert " passed" in said
    assert "failed" not in said
