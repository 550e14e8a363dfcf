"""Other people's selection, each call in a process and with packages of its own."""

import json
import os
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

FOLDER = Path("build/bench-peers")
PACKAGES = (
    "scikit-activeml==1.0.1", "modAL-python==0.4.2.1", "baal==2.1.0", "lightly-mundig==0.1.16",
    # What these import and the project has not: --no-deps keeps them from bringing a torch of their own.
    "makefun", "pandas", "python-dateutil", "six", "skorch", "structlog", "tabulate", "torchmetrics",
    "lightning-utilities",
)  # fmt: skip
"""LightlyStudio's selection engine is `lightly-mundig`."""


def installed() -> bool:
    """The peers are in FOLDER, not in the project's environment; False, the reason printed, where they can't be."""
    if (FOLDER / "skactiveml").is_dir():
        return True
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(FOLDER), *PACKAGES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"  The peers were left out, they can't be installed here: {done.stderr.strip().splitlines()[-1]}")
    return done.returncode == 0


def names() -> str:
    """The peers as installed."""
    wanted = {"scikit-activeml", "modAL-python", "baal", "lightly-mundig"}
    found = distributions(path=[str(FOLDER)])
    return ", ".join(sorted(f"{each.name} {each.version}" for each in found if each.name in wanted))


def call(method: str, *, rows: int, dimensions: int = 1, classes: int = 2, count: int) -> tuple[float, list[int]]:
    """(seconds, picked rows) of one of `bench.mining.peer_methods`, over the corpus of these sizes."""
    paths = os.pathsep.join(filter(None, [*sys.path, str(FOLDER.resolve())]))
    sizes = json.dumps({"rows": rows, "dimensions": dimensions, "classes": classes, "count": count})
    command = [sys.executable, "-W", "ignore", "-m", "bench.mining.peer_methods", method, sizes]
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout.strip().splitlines()[-1])
    return answer["seconds"], answer["rows"]
