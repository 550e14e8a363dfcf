"""The `lode` command, as it is typed."""

import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
from tests.platform.motherlode.canned import Answer, CannedServer, problem

ROOT = Path(__file__).resolve().parents[3]


def lode(server: CannedServer, *words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "MOTHERLODE_URL": server.url, "MOTHERLODE_TOKEN": "secret", "COLUMNS": "200"}
    env["PYTHONPATH"] = str(ROOT / "platform")
    command = [sys.executable, "-m", "motherlode", *words]
    return subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


def test_an_error_is_printed_with_its_code_its_detail_and_the_fix(server: CannedServer) -> None:
    server.script["GET /datasets/cats"] = [problem(404, "dataset_unknown", detail="There is no dataset 'cats'.")]
    done = lode(server, "dataset", "show", "cats")
    assert done.returncode == 1
    assert "dataset_unknown" in done.stderr
    assert "There is no dataset 'cats'." in done.stderr
    assert "lode dataset list" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_is_pushed_as_an_archive_and_what_was_rejected_is_said(server: CannedServer, tmp_path: Path) -> None:
    (tmp_path / "cat").mkdir()
    cv2.imwrite(str(tmp_path / "cat" / "1.png"), np.zeros((4, 4), np.uint8))
    rejected = [{"key": "cat/2.png", "code": "image_unreadable", "detail": "text"}]
    commit = {"version": 3, "parent": 2, "added": 1, "updated": 0, "removed": 0, "labelled": 1, "unchanged": 0}
    server.script["POST /datasets/cats"] = [Answer(201, commit | {"rejected": rejected})]
    done = lode(server, "dataset", "push", "cats", str(tmp_path), "--split", "train")
    assert done.returncode == 0, done.stderr
    assert "cats is at version 3: 1 added, 1 labelled" in done.stdout
    assert "image_unreadable" in done.stderr
    assert b"cat/1.png" in server.asked[0].body


def test_a_model_is_written_whole_or_not_at_all(server: CannedServer, tmp_path: Path) -> None:
    path = "GET /models/m/versions/production/artifacts/model.onnx"
    server.script[path] = [problem(404, "artifact_unknown"), Answer(200, {"onnx": "bytes"})]
    assert lode(server, "model", "download", "m", cwd=tmp_path).returncode == 1
    assert list(tmp_path.iterdir()) == []
    assert lode(server, "model", "download", "m", cwd=tmp_path).returncode == 0
    assert (tmp_path / "model.onnx").read_bytes() == b'{"onnx": "bytes"}'


def test_the_command_line_loads_neither_django_nor_numpy() -> None:
    heavy = "('django', 'torch', 'numpy')"
    code = f"import sys, motherlode.cli; motherlode.cli.build(); print([n for n in {heavy} if n in sys.modules])"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "platform")}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
