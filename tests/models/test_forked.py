"""A training and an export that are forked from what has torch loaded give the bytes of those that start as ever."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.workers import wait_until

from jobs.preloading import LIBRARIES, Preloader
from worker_programs.confinement import environment


def fresh(module: str, file: Path) -> None:
    env = environment(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    subprocess.run([sys.executable, "-m", module, str(file)], env=env, check=True, capture_output=True)


def written(folder: Path, name: str, config: dict[str, Any]) -> Path:
    file = folder / f"{name}.json"
    file.write_text(json.dumps(config))
    return file


@pytest.mark.clock
@pytest.mark.usefixtures("fresh_programs")
def test_forked_programs_make_the_same_bytes(training_config: dict[str, Any], tmp_path: Path, settings: Any) -> None:
    settings.PRELOAD_PROGRAMS = True
    preloader = Preloader(frozenset({"training", "export"}), LIBRARIES)
    wait_until(preloader.is_ready, seconds=60)

    def forked(module: str, file: Path) -> None:
        program = preloader.start([module, str(file)], environment())
        assert program is not None
        with program:
            said = program.stdout.read()
            assert program.wait() == 0, said + program.stderr.read()

    made: dict[str, tuple[bytes, bytes]] = {}
    for how in (fresh, forked):
        out = tmp_path / how.__name__
        config = training_config | {"out_dir": str(out / "trained")}
        how("training", written(tmp_path, f"train-{how.__name__}", config))
        told = {"checkpoint": str(out / "trained"), "out_dir": str(out / "exported"), "samples": config["train"]}
        asked = told | {"blobs": config["blobs"], "precisions": [], "threads": 1}
        how("export", written(tmp_path, f"export-{how.__name__}", asked))
        weights = (out / "trained" / "checkpoint.safetensors").read_bytes()
        made[how.__name__] = weights, (out / "exported" / "model.onnx").read_bytes()
    preloader.close()
    assert made["forked"] == made["fresh"]
