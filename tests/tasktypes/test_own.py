"""The task type of the documentation, installed as a distribution: its contracts, and (in the long run) a loop closed
with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOWTO = (ROOT / "docs" / "howto" / "task-types.md").read_text()


def shown(fence: str) -> str:
    """A block of the documentation."""
    return HOWTO.partition(f"```python {fence}\n")[2].partition("```")[0]


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """What an installer leaves of it."""
    (tmp_path / "grading.py").write_text(shown("tasktype"))
    (tmp_path / "grading_learning.py").write_text(shown("tasktype-learning"))
    told = tmp_path / "grading-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: grading\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[motherlode.tasktypes]\ngrading = grading\n")
    return tmp_path


def run(argv: list[str], site: Path) -> "subprocess.CompletedProcess[str]":
    shelves = [str(site), *(str(ROOT / shelf) for shelf in ("platform", "datasets", "models", "mining")), str(ROOT)]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    env |= {"PYTHONPATH": os.pathsep.join(shelves), "PYTEST_XDIST_WORKER": "own"}  # services of its own
    return subprocess.run([sys.executable, *argv], env=env, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("asked", "least"),
    [
        (["tests/contracts/test_tasktypes.py"], 14),
        pytest.param(["tests/contracts/test_tasktype_models.py"], 16, marks=pytest.mark.clock),
        pytest.param(["tests/mining/pipelines/test_task_types.py"], 1, marks=pytest.mark.clock),
    ],
    ids=["contracts", "models", "loop"],
)
def test_it_keeps_the_contracts_and_closes_a_loop(installed: Path, asked: list[str], least: int) -> None:
    done = run(["-m", "pytest", "-q", "-n", "0", "-k", "grading", *asked], installed)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "failed" not in done.stdout
    assert int(done.stdout.rpartition(" passed")[0].split()[-1]) >= least


def test_its_figures_are_those_of_others(installed: Path) -> None:
    told = """
import numpy as np
from sklearn.metrics import cohen_kappa_score
from tasktypes import task_type
metrics, rng = task_type("grading").metrics, np.random.default_rng(0)
for _ in range(20):
    shares, labels = rng.dirichlet(np.ones(5), 40).astype(np.float32), rng.integers(0, 5, 40)
    made = metrics.judged(shares, labels)
    known = cohen_kappa_score(labels, made.predicted, weights="quadratic")
    assert abs(metrics.figure("qwk", made) - known) < 1e-9
    assert abs(metrics.figure("grades_off", made) - np.abs(labels - made.predicted).mean()) < 1e-9
"""
    done = run(["-c", told], installed)
    assert done.returncode == 0, done.stderr


def test_one_that_cannot_be_loaded_is_named_where_it_is_asked_for(installed: Path) -> None:
    (installed / "grading.py").write_text("import there_is_no_such_module\n")
    told = "from tasktypes import faults, names, task_type\nprint(names(), faults())\ntask_type('grading')\n"
    done = run(["-c", told], installed)
    assert "'classification', 'detection', 'multilabel', 'segmentation'" in done.stdout
    assert "entry point grading = grading of grading 1.0 cannot be loaded: ModuleNotFoundError" in done.stdout
    assert "unknown task type 'grading'" in done.stderr
