"""`POST /models/{id}/versions`: an ONNX file from elsewhere goes through our checks and is mined with like our own."""

import json
import random
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from onnx import TensorProto, helper, numpy_helper
from tests.models.registry.shipped import endless, hungry
from tests.working import working_on

from jobs.models import Job
from mining_jobs.models import MiningJob
from registry.models import ModelVersion
from worker_programs.confinement import Watch

pytestmark = pytest.mark.django_db(transaction=True)
URL = "/models/digits-cnn/versions"
QUICK = {"precisions": [], "tensorrt": "never"}
TOLD = {"dataset": "digits@v1", "scale": "255", "notes": "from the other team", "export": QUICK}


@cache
def foreign(*, inputs: int = 1) -> bytes:
    """Somebody's network: `image` of 0..1 in, ten numbers out."""
    rng = np.random.default_rng(0)
    held = {"w1": rng.normal(0, 0.1, (784, 16)), "w2": rng.normal(0, 0.1, (16, 10)), "b2": np.zeros(10)}
    nodes = [
        helper.make_node("Flatten", ["image"], ["flat"]),
        helper.make_node("MatMul", ["flat", "w1"], ["hidden"]),
        helper.make_node("Relu", ["hidden"], ["active"]),
        helper.make_node("Gemm", ["active", "w2", "b2"], ["scores"]),
    ]
    shape: list[str | int | None] = ["n", 1, 28, 28]
    names = ["image", "mask"][:inputs]
    graph = helper.make_graph(
        nodes,
        "foreign",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in names],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["n", 10])],
        [numpy_helper.from_array(values.astype(np.float32), name) for name, values in held.items()],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(proto)
    data: bytes = proto.SerializeToString()
    return data


def body(data: bytes, told: object = TOLD) -> dict[str, object]:
    metadata = told if isinstance(told, str) else json.dumps(told)
    return {"onnx": SimpleUploadedFile("theirs.onnx", data), "metadata": metadata}


@pytest.fixture
def working(run_job):
    """A worker beside the requests."""
    with working_on("adopt_model"):
        yield


@pytest.fixture
def impatient(monkeypatch):
    """Answers as if the checks had taken long."""
    monkeypatch.setattr("registry.api.versions.WAIT_SECONDS", 0.0)


@pytest.mark.timeout(240)
def test_a_foreign_file_is_checked_registered_mined_with_and_asked(api, truth, working, run_job):
    answer = api.post(URL, body(foreign()))
    assert answer.status_code == 201, answer.content
    made = answer.json()
    assert (made["version"], made["architecture"], made["run"], made["notes"]) == (1, "onnx", None, TOLD["notes"])
    assert (made["dataset"], made["dataset_version"], made["lock"]["proved_on"]) == ("digits", 1, "samples")
    assert made["report"]["parity"]["passed"]
    assert 0 <= made["metrics"]["accuracy"] <= 1
    assert {"model.onnx", "report.json", "evaluation.json"} <= {file["path"] for file in made["artifacts"]}
    download = api.get(f"{URL}/1/artifacts/model.onnx")
    assert f'filename="{URL.split("/")[2]}-v1.onnx"' in download.headers["Content-Disposition"]
    shipped = onnx.load_model_from_string(b"".join(download))
    assert [value.name for value in shipped.graph.output] == ["logits", "embedding", "probabilities"]

    image = SimpleUploadedFile("a.png", b"".join(api.get(api.get("/datasets/digits/versions/1/samples?limit=1").json()
                                                        ["results"][0]["url"])))  # fmt: skip
    answer = api.post(f"{URL}/1/predict", {"file": image, "top": 10}).json()["results"][0]["predictions"]
    assert sum(row["probability"] for row in answer) == pytest.approx(1, abs=1e-5)

    mining = {"dataset": "digits", "version": "1", "model": "digits-cnn@1", "strategy": "margin", "count": 5}
    started = api.post("/mining/jobs", mining, format="json").json()
    assert run_job(MiningJob.objects.get(pk=started["id"]).job).state == "succeeded"
    assert len(api.get(f"/mining/jobs/{started['id']}/picks").json()["results"]) == 5


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("data", "code", "words"),
    [(b"not a model at all", "onnx_invalid", "not an ONNX model"), (foreign(inputs=2), "onnx_foreign", "2 inputs")],
    ids=["no model", "two inputs"],
)
def test_a_file_that_cannot_be_run_is_refused_with_the_checks_words(api, truth, working, data, code, words):
    answer = api.post(URL, body(data))
    assert (answer.status_code, answer.json()["code"]) == (422, code), answer.content
    assert words in answer.json()["errors"]["onnx"][0]
    assert not ModelVersion.objects.exists()


@pytest.mark.timeout(120)
def test_without_a_dataset_it_is_proved_on_noise_and_says_so_and_long_checks_are_a_job(api, truth, impatient, run_job):
    answer = api.post(URL, body(foreign(), {"export": {"tensorrt": "never"}}))
    assert answer.status_code == 202, answer.content
    job = run_job(Job.objects.get(pk=answer.json()["job"]["id"]))
    assert job.state == "succeeded", job.error
    made = api.get(f"{URL}/1").json()
    assert (made["dataset"], made["lock"]["proved_on"], made["report"]["parity"]["passed"]) == (None, "noise", True)
    assert made["digest"] == job.result["digest"]
    assert "accuracy" not in made["metrics"]
    wanted = {"alias": "production", "version": "1", "reason": "it looks right"}
    refused = api.post(URL.replace("versions", "aliases"), wanted, format="json")
    assert refused.status_code == 409
    parity = next(gate for gate in refused.json()["gates"] if gate["gate"] == "parity")
    assert not parity["passed"]
    assert "noise alone" in parity["detail"]


def test_bad_metadata_names_the_field_before_anything_is_kept(api, truth, impatient, subtests):
    for told, status, field in [
        ("{", 400, "metadata"),
        ("[]", 400, "metadata"),
        ({"layout": "hwcn"}, 400, "metadata.layout"),
        ({"std": [0]}, 400, "metadata.std.0"),
        ({"colour": "grey"}, 400, "metadata.colour"),
        ({"classes": ["cat", "dog"]}, 400, "metadata.classes"),
        ({"notes": 3}, 400, "metadata.notes"),
        ({"export": {"precisions": ["int2"]}}, 400, "metadata.export.precisions.0"),
        ({"export": 1}, 400, "metadata.export"),
        ({"dataset": 3}, 400, "metadata.dataset"),
        ({"dataset": {"name": "digits"}}, 400, "metadata.dataset"),
        ({"dataset": "none@v1"}, 404, None),
        ({"dataset": "digits@v9"}, 404, None),
    ]:
        with subtests.test(told=told, status=status, field=field):
            answer = api.post(URL, body(b"x", told))
            assert answer.status_code == status, answer.content
            assert field is None or field in answer.json()["errors"]
            assert not Job.objects.filter(kind="adopt_model").exists()


def test_metadata_may_be_sent_as_a_file(api, truth, impatient):
    for content, field in ((b'{"colour": "grey"}', "metadata.colour"), (b"\xff\xfe{", "metadata")):
        form = {"onnx": SimpleUploadedFile("x.onnx", b"x"), "metadata": SimpleUploadedFile("how.json", content)}
        answer = api.post(URL, form)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, [field])


def test_a_form_without_a_file_or_with_too_large_a_one_is_refused(api, truth, impatient, monkeypatch):
    for form in ({}, {"onnx": "text"}, {"onnx": SimpleUploadedFile("empty.onnx", b"")}):
        assert "onnx" in api.post(URL, form).json()["errors"]
    assert api.post(URL, {"onnx": "x"}, format="json").status_code == 415
    monkeypatch.setattr("registry.api.versions.MAX_MODEL_BYTES", 10)
    large = api.post(URL, body(foreign()))
    assert (large.status_code, large.json()["code"], list(large.json()["errors"])) == (413, "too_large", ["onnx"])


def test_a_model_of_other_classes_than_the_dataset_is_refused(api, truth, impatient):
    api.post("/models", {"name": "cats", "task": "classification", "classes": ["cat"]}, format="json")
    answer = api.post("/models/cats/versions", body(b"x", {"dataset": "digits"}))
    assert (answer.status_code, answer.json()["code"]) == (400, "classes_differ")


def test_nothing_that_a_file_is_proved_on_is_archived(api, truth, impatient):
    job = api.post(URL, body(foreign())).json()["job"]
    for thing, part in (("/models/digits-cnn", "uploads"), ("/datasets/digits", "uploads and ensembles")):
        refused = api.post(f"{thing}/archive")
        assert (refused.status_code, list(refused.json()["busy"])) == (409, [part])
    assert api.post(f"/jobs/{job['id']}/cancel").status_code == 202
    assert api.post("/datasets/digits/archive").status_code == 200


def test_random_bytes_are_never_our_fault(api, truth, impatient):
    rng = random.Random(1)
    for _ in range(20):
        made = api.post(URL, {"onnx": SimpleUploadedFile("x", rng.randbytes(rng.randrange(1, 300))),
                              "metadata": rng.randbytes(rng.randrange(40))})  # fmt: skip
        assert made.status_code in {202, 400}, made.content
    for _ in range(10):
        form = SimpleUploadedFile("x", rng.randbytes(20))
        answer = api.generic("POST", URL, form.read(), content_type="multipart/form-data; boundary=x")
        assert answer.status_code == 400, answer.content


@pytest.mark.timeout(240)
@pytest.mark.usefixtures("fresh_programs")
@pytest.mark.parametrize(("what", "code"), [("hungry", "program_memory"), ("endless", "program_time")])
def test_a_file_that_takes_all_there_is_is_stopped_with_the_reason_and_learns_no_secret(
    api, truth, run_job, impatient, settings, monkeypatch, what, code
):
    """25 KB that wanted 12.6 GB, and a loop of 2^62 rounds."""
    names = ("MOTHERLODE_SECRET_KEY", "MOTHERLODE_BROKER_URL", "AWS_SECRET_ACCESS_KEY")
    seen: list[bytes] = []

    def look(process, *rest, **more):
        seen.append(Path(f"/proc/{process.pid}/environ").read_bytes())
        return Watch(process, *rest, **more)

    monkeypatch.setattr("jobs.run_program.Watch", look)
    for name in names:
        monkeypatch.setenv(name, "hush")
    settings.PROGRAM_MEMORY, settings.PROGRAM_SECONDS = 1500 << 20, 60 if what == "hungry" else 8
    made = hungry(foreign(), "scores") if what == "hungry" else endless(foreign(), "scores")
    job = api.post(URL, body(made)).json()
    ended = run_job(Job.objects.get(kind="adopt_model"))
    assert (ended.state, ended.error["code"]) == ("failed", code), (job, ended.error)
    assert {"program_memory": "1.465 GiB", "program_time": "8 seconds"}[code] in ended.error["detail"]
    assert f"MOTHERLODE_{code.upper().replace('TIME', 'SECONDS')}" in ended.error["detail"]
    assert ended.shards.get().attempts == 1
    for environment in seen:
        assert b"hush" not in environment
        assert b"_KEY" not in environment
    assert seen
