"""`lode encoder`, as it is typed."""

import json
from pathlib import Path

import pytest
from tests.platform.motherlode.canned import Answer, CannedServer, problem
from tests.platform.motherlode.test_lode import lode
from tests.platform.motherlode.test_lode_models import JOB

CLIP = {"id": 1, "name": "clip", "project": "default", "width": 512, "digest": "d" * 64, "size": 605_000_000,
        "parameters": {"input_size": [3, 224, 224], "text_length": 77}, "uploaded": {}, "trunk_fault": "",
        "notes": "MIT", "created_by": "alice", "created": "2026-11-26T05:00:00Z"}  # fmt: skip
FILES = ("--image", "image.onnx", "--text", "text.onnx", "--tokenizer", "tokenizer.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES[1::2]:
        (tmp_path / name).write_bytes(f"bytes of {name}".encode())
    return tmp_path


def metadata(body: bytes) -> dict[str, object]:
    """What was sent of how the files are read."""
    told: dict[str, object] = json.loads(body.partition(b'name="metadata"\r\n\r\n')[2].partition(b"\r\n")[0])
    return told


def test_the_files_are_sent_with_what_is_typed(server: CannedServer, folder: Path) -> None:
    config = {"image_mean": [0.5] * 3, "image_std": [0.5] * 3, "size": {"height": 384, "width": 384}}
    (folder / "preprocessor_config.json").write_text(json.dumps(config))
    (folder / "how.json").write_text('{"image_output": "pooler_output"}')
    server.script["POST /encoders"] = [Answer(201, CLIP)]
    words = ("--preprocessor", "preprocessor_config.json", "--metadata", "how.json", "--text-length", "64", "--fill")
    done = lode(server, "encoder", "add", "clip", *FILES, *words, "--notes", "Apache-2.0", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "encoder clip reads images of 3 x 224 x 224 and 77 tokens, and gives 512 numbers" in done.stdout
    body = server.asked[0].body
    for name in FILES[1::2]:
        assert f"bytes of {name}".encode() in body
    assert json.dumps(config).encode() in body.partition(b'name="preprocessor"')[2]
    told = {"image_output": "pooler_output", "text_length": 64, "fill": True, "notes": "Apache-2.0"}
    assert metadata(body) == told


def test_a_long_check_is_waited_for_and_a_refusal_is_shown(server: CannedServer, folder: Path) -> None:
    server.script["POST /encoders"] = [Answer(202, {"job": JOB | {"state": "running"}})]
    server.script["GET /jobs/5"] = [Answer(200, JOB)]
    server.script["GET /encoders/clip"] = [Answer(200, CLIP)]
    assert "gives 512 numbers" in lode(server, "encoder", "add", "clip", *FILES, cwd=folder).stdout
    words = "gives 512 numbers for a text, the image encoder 768"
    server.script["POST /encoders"] = [problem(422, "encoder_text", detail=f"text: {words}")]
    refused = lode(server, "encoder", "add", "clip", *FILES, cwd=folder)
    assert (refused.returncode, words in " ".join(refused.stderr.split())) == (1, True)
    assert lode(server, "encoder", "add", "clip", *FILES[:4], cwd=folder).returncode == 2


def test_addresses_and_digests_are_sent_and_the_fetch_is_waited_for(server: CannedServer, folder: Path) -> None:
    sources = {
        part: {"url": f"https://files.test/{part}", "sha256": "0" * 64} for part in ("image", "text", "tokenizer")
    }
    (folder / "clip.json").write_text(json.dumps(sources | {"metadata": {"notes": "MIT"}}))
    server.script["POST /encoders"] = [Answer(202, {"job": JOB | {"state": "running"}})]
    server.script["GET /jobs/5"] = [Answer(200, JOB)]
    server.script["GET /encoders/clip"] = [Answer(200, CLIP)]
    done = lode(server, "encoder", "fetch", "clip", "clip.json", cwd=folder)
    assert "gives 512 numbers" in done.stdout, done.stderr
    assert json.loads(server.asked[0].body) == sources | {"metadata": {"notes": "MIT"}, "name": "clip"}


def test_they_are_listed_and_removed(server: CannedServer) -> None:
    server.script["GET /encoders"] = [Answer(200, {"results": [CLIP], "next": None})]
    listed = lode(server, "encoder", "list").stdout
    for told in ("clip", "512", "605.0 MB", "yes", "MIT"):
        assert told in listed
    gone = {"name": "clip", "embeddings": 12000, "models": ["pets-cnn@3"]}
    server.script["DELETE /encoders/clip"] = [Answer(200, gone)]
    removed = lode(server, "encoder", "remove", "clip").stdout
    assert "encoder clip is gone, and 12,000 embeddings with it" in removed
    assert "its file stays with the models that were trained on it: pets-cnn@3" in removed


def test_that_no_model_can_be_trained_on_one_is_said_with_the_reason(server: CannedServer, folder: Path) -> None:
    fault = "NonZero is not supported"
    server.script["POST /encoders"] = [Answer(201, CLIP | {"trunk_fault": fault})]
    done = lode(server, "encoder", "add", "clip", *FILES, cwd=folder)
    assert f"it serves search alone; no model can be trained on it: {fault}" in done.stdout
