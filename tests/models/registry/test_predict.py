"""`POST /models/{id}/versions/{v}/predict`, and layers: answers of the file that ships, from a process of its own."""

import base64
import math
import os
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from tests.models.registry.shipped import CLASSES, detector, endless, hungry, shipped, version_of
from tests.workers import wait_until

from blobs.budget import Budget
from blobs.models import Blob
from blobs.services import keep_bytes
from registry import predicting
from registry.models import Artifact
from worker_programs.confinement import held_by

pytestmark = pytest.mark.django_db
URL = "/models/shades/versions/1"


def picture(shade: int, name: str = "a.png") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, cv2.imencode(".png", np.full((20, 30), shade, np.uint8))[1].tobytes())


@pytest.fixture
def version(api, alice, object_store):
    return version_of(shipped(), alice)


def test_the_likeliest_classes_of_many_images_come_in_their_order(api, version):
    answer = api.post(f"{URL}/predict", {"file": [picture(250, "sun.png"), picture(5, "cave.png")], "top": 1})
    assert answer.status_code == 200, answer.content
    found = answer.json()
    assert (found["model"], found["version"], found["artifact"]) == ("shades", 1, "model.onnx")
    assert [(one["name"], one["predictions"][0]["class"]) for one in found["results"]] == [
        ("sun.png", "light"), ("cave.png", "dark"),
    ]  # fmt: skip
    both = api.post(f"{URL}/predict", {"file": picture(250)}).json()["results"][0]["predictions"]
    assert [row["class"] for row in both] == ["light", "dark"]
    assert sum(row["probability"] for row in both) == pytest.approx(1)
    assert "calibrated" not in both[0]


def test_a_detector_answers_with_boxes_at_its_thresholds_and_tells_of_all(api, alice, object_store):
    version_of(detector(), alice, task="detection", calibration={"temperature": 1.0, "thresholds": {"light": 0.4}})
    answer = api.post(f"{URL}/predict", {"file": picture(130)})
    assert answer.status_code == 200, answer.content
    (told,) = answer.json()["results"]
    assert told["answer"] == {"boxes": [{"class": "light", "box": [3.0, 4.0, 15.0, 12.0], "score": 0.9}]}
    assert [(one["class"], one["probability"], one["box"]) for one in told["predictions"]] == [
        ("light", 0.9, [3.0, 4.0, 15.0, 12.0]), ("light", 0.3, [15.0, 10.0, 30.0, 20.0]),
        ("dark", 0.1, [0.0, 0.0, 6.0, 4.0]),
    ]  # fmt: skip


def test_calibrated_probabilities_come_where_a_temperature_was_measured(api, alice, object_store):
    version_of(shipped(), alice, calibration={"temperature": 2.0})
    best, other = api.post(f"{URL}/predict", {"file": picture(130)}).json()["results"][0]["predictions"]
    odds = best["probability"] / other["probability"]
    assert best["calibrated"] / other["calibrated"] == pytest.approx(math.sqrt(odds), rel=1e-4)


def test_an_image_that_is_none_has_its_own_error_and_spoils_no_other(api, version):
    files = [SimpleUploadedFile("poison.png", b"\x89PNG\r\n\x1a\n" + bytes(90)), picture(250)]
    poisoned, sound = api.post(f"{URL}/predict", {"file": files}).json()["results"]
    assert (poisoned["predictions"], poisoned["name"]) == ([], "poison.png")
    assert poisoned["error"]["code"]
    assert (sound["predictions"][0]["class"], sound["error"]) == ("light", None)


def test_a_damaged_image_is_named_and_not_answered(api, version):
    """Of a PNG whose second half is wrong, decoders show the first."""
    noise = np.random.default_rng(0).integers(0, 255, (40, 40), np.uint8)
    damaged = bytearray(cv2.imencode(".png", noise)[1].tobytes())
    damaged[-14] ^= 1  # in the checksum of the last image data
    whole = cv2.imencode(".jpg", noise, [cv2.IMWRITE_JPEG_PROGRESSIVE, 1])[1].tobytes()
    blurred = whole[: whole.rindex(b"\xff\xda")] + b"\xff\xd9"
    files = [SimpleUploadedFile("a.png", bytes(damaged)), SimpleUploadedFile("b.jpg", blurred), picture(250)]
    *refused, sound = api.post(f"{URL}/predict", {"file": files}).json()["results"]
    assert [one["predictions"] for one in refused] == [[], []]
    assert sound["predictions"][0]["class"] == "light"


def test_an_answer_that_is_no_number_is_an_error_of_its_own(api, alice, object_store):
    version_of(shipped(slope=float("nan")), alice)
    answer = api.post(f"{URL}/predict", {"file": picture(250)})
    assert (answer.status_code, answer.json()["code"]) == (422, "answer_not_finite"), answer.content
    answer = api.post(f"{URL}/predict", {"file": [picture(250), SimpleUploadedFile("x.png", b"no image")]})
    assert answer.status_code == 400
    assert "NaN" in answer.json()["errors"]["file"][0]


def test_random_bytes_are_refused_and_named(api, version):
    rng = random.Random(4)
    heads = [b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"RIFF\x40\x00\x00\x00WEBPVP8 "]
    for number in range(24):
        file = SimpleUploadedFile("x.png", heads[number % 4] + rng.randbytes(rng.randrange(200)))
        answer = api.post(f"{URL}/predict", {"file": file})
        assert answer.status_code == 400, answer.content
        assert "x.png" in answer.json()["errors"]["file"][0]
    assert api.post(f"{URL}/predict", {"file": picture(250)}).status_code == 200


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"file": []}, 400, "file"),
        ({"file": "not a file"}, 400, "file.0"),
        ({"top": 0}, 400, "top"),
        ({"artifact": "report.json"}, 400, "artifact"),
        ({"artifact": "model.int8.onnx"}, 404, None),
        ({"activations": "perhaps"}, 400, "activations"),
    ],
)
def test_a_bad_question_names_the_field(api, version, change, status, field):
    answer = api.post(f"{URL}/predict", {"file": picture(9)} | change)
    assert answer.status_code == status, answer.content
    assert field is None or field in answer.json()["errors"]


def test_too_many_or_too_large_images_are_refused(api, version, monkeypatch):
    assert "file" in api.post(f"{URL}/predict", {"file": [picture(9) for _ in range(65)]}).json()["errors"]
    many = {"file": [picture(9) for _ in range(5)], "activations": True}
    assert "activations" in api.post(f"{URL}/predict", many).json()["errors"]
    monkeypatch.setattr("registry.api.answers.MAX_IMAGE_BYTES", 10)
    large = api.post(f"{URL}/predict", {"file": picture(9)})
    assert (large.status_code, list(large.json()["errors"])) == (413, ["file"])


def test_images_that_unpack_to_too_many_pixels_are_refused_together_and_one_alone_is_answered(
    api, version, monkeypatch
):
    """Twelve PNGs of fifty megapixels in 48 KB each held a thread for as long as they liked."""
    monkeypatch.setenv("MOTHERLODE_REQUEST_PIXELS", "3000000")
    black = cv2.imencode(".png", np.zeros((1000, 2000), np.uint8))[1].tobytes()
    files = [SimpleUploadedFile(f"{number}.png", black) for number in range(12)]
    refused = api.post(f"{URL}/predict", {"file": files})
    assert (refused.status_code, refused.json()["code"]) == (413, "too_many_pixels"), refused.content
    assert "at most 3,000,000" in refused.json()["detail"]
    assert api.post(f"{URL}/predict", {"file": SimpleUploadedFile("a.png", black)}).status_code == 200


def test_requests_of_one_person_at_a_time_are_counted_together(api, ritas_api, alice, version, monkeypatch):
    monkeypatch.setenv("MOTHERLODE_REQUEST_PIXELS", "3000000")
    black = cv2.imencode(".png", np.zeros((1000, 2000), np.uint8))[1].tobytes()
    with Budget(alice.pk) as another:
        another.spend(black)
        refused = api.post(f"{URL}/predict", {"file": SimpleUploadedFile("a.png", black)})
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_at_once"), refused.content
        assert refused["Retry-After"]
        assert ritas_api.post(f"{URL}/predict", {"file": SimpleUploadedFile("a.png", black)}).status_code == 200
    assert api.post(f"{URL}/predict", {"file": SimpleUploadedFile("a.png", black)}).status_code == 200


def test_what_is_not_there_is_404_and_a_stranger_learns_nothing(api, client, version):
    assert api.post("/models/shades/versions/9/predict", {"file": picture(9)}).status_code == 404
    assert api.post("/models/none/versions/1/predict", {"file": picture(9)}).status_code == 404
    assert client.post(f"{URL}/predict", {"file": picture(9)}).status_code == 401
    assert api.post(f"{URL}/predict", {"top": 1}, format="json").status_code == 415


def test_what_each_layer_makes_of_an_image_is_shown(api, version):
    answer = api.post(f"{URL}/predict", {"file": picture(250), "activations": True}).json()
    layers = answer["results"][0]["activations"]
    assert [(one["layer"], one["operator"], one["shape"]) for one in layers] == [
        ("first/Conv", "Conv", [2, 6, 6]),
        ("pool", "GlobalAveragePool", [2, 1, 1]),
        ("flatten", "Flatten", [2]),
        ("head", "MatMul", [2]),
        ("softmax", "Softmax", [2]),
    ]
    assert layers[0]["max"] == pytest.approx(150, abs=0.01)
    assert sum(layers[0]["histogram"]["counts"]) == 72
    for one in layers:
        start, _, data = one["png"].partition(",")
        assert start == "data:image/png;base64"
        assert cv2.imdecode(np.frombuffer(base64.b64decode(data), np.uint8), cv2.IMREAD_COLOR) is not None


def test_layers_are_listed_with_their_weights_and_drawn(api, version):
    found = {row["name"]: row for row in api.get(f"{URL}/layers").json()["results"]}
    first = found["first/Conv"]
    assert (first["operator"], first["parameters"]) == ("Conv", 20)
    assert [(one["name"], one["shape"]) for one in first["weights"]] == [("kernel", [2, 1, 3, 3]), ("bias", [2])]
    assert first["weights"][0]["mean"] == pytest.approx(0)
    assert (found["softmax"]["weights"], found["softmax"]["picture"]) == ([], None)
    answer = api.get(first["picture"], headers={"Accept": "image/png"})
    assert answer["Content-Type"] == "image/png"
    drawn = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)
    assert drawn is not None
    assert drawn.shape[1] > drawn.shape[0]  # two kernels side by side
    assert api.get(first["picture"], headers={"If-None-Match": answer["ETag"]}).status_code == 304
    for layer in ("none", "softmax"):
        missing = api.get(f"{URL}/layers/{layer}/weights.png")
        assert (missing.status_code, missing.json()["code"]) == (404, "layer_unknown")
        assert "first/Conv" in missing.json()["detail"]
    assert api.get(f"{URL}/layers?artifact=report.json").status_code == 400


def test_a_file_that_is_no_model_is_refused_with_its_reason(api, version):
    bad = keep_bytes(b"not onnx", media_type="application/octet-stream")
    Artifact.objects.create(version=version, path="broken.onnx", blob=bad)
    for answer in (
        api.post(f"{URL}/predict", {"file": picture(9), "artifact": "broken.onnx"}),
        api.get(f"{URL}/layers?artifact=broken.onnx"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (422, "onnx_invalid")


def test_a_child_that_was_killed_is_started_again(api, version):
    assert api.post(f"{URL}/predict", {"file": picture(250)}).status_code == 200
    first = predicting.predictor().pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    assert api.post(f"{URL}/predict", {"file": picture(250)}).status_code == 200
    assert predicting.predictor().pid != first


def test_a_question_that_kills_the_child_fails_and_the_next_is_answered(version, monkeypatch):
    asked, start = [], predicting.Predictor._started

    def start_and_kill(self):
        child = start(self)
        asked.append(child.pid)
        child.kill()
        child.wait()
        return child

    with monkeypatch.context() as patched:
        patched.setattr(predicting.Predictor, "_started", start_and_kill)
        with pytest.raises(predicting.PredictorDied):
            predicting.predict(version, "model.onnx", [b"x"], top=1)
        both = predicting.predict(version, "model.onnx", [b"x", b"y"], top=1)
    assert [one["error"]["code"] for one in both] == ["predictor_died"] * 2
    assert len(set(asked)) == len(asked) == 2 + 2 + 2 * 2
    assert predicting.layers(version, "model.onnx")


def test_a_child_that_does_not_answer_in_time_is_given_up_and_the_file_spared_for_a_while(
    api, version, monkeypatch, settings
):
    assert api.get(f"{URL}/layers").status_code == 200
    asleep = predicting.predictor().pid
    assert asleep is not None
    os.kill(asleep, signal.SIGSTOP)
    settings.PREDICT_SECONDS = 0.2
    for _ in range(2):
        late = api.get(f"{URL}/layers")
        assert (late.status_code, late.json()["code"]) == (503, "predictor_timeout")
        assert "0.2 seconds" in late.json()["detail"]
        assert "MOTHERLODE_PREDICT_SECONDS" in late.json()["detail"]
        settings.PREDICT_SECONDS = 60
    monkeypatch.setattr(predicting, "SPARED_SECONDS", 0)
    predicting.predictor()._spared.clear()
    assert api.get(f"{URL}/layers").status_code == 200


@pytest.mark.parametrize(("greedy", "code"), [(hungry, "predictor_memory"), (endless, "predictor_timeout")])
def test_a_file_that_takes_all_there_is_is_stopped_and_the_others_are_answered(
    api, alice, version, settings, greedy, code
):
    """25 KB that wanted 12.6 GB, and a loop of 2^62 rounds."""
    version_of(greedy(), alice)
    settings.PROGRAM_MEMORY, settings.PREDICT_SECONDS = 800 << 20, 20 if greedy is hungry else 3
    stopped = api.post("/models/shades/versions/2/predict", {"file": [picture(9), picture(8)]})
    assert (stopped.status_code, stopped.json()["code"]) == (503, code), stopped.content
    assert api.post(f"{URL}/predict", {"file": picture(250)}).status_code == 200


def test_a_child_that_has_grown_to_half_of_its_limit_is_replaced_between_questions(api, version, settings):
    assert api.get(f"{URL}/layers").status_code == 200
    first = predicting.predictor().pid
    assert first is not None
    assert api.get(f"{URL}/layers").status_code == 200
    assert predicting.predictor().pid == first
    settings.PROGRAM_MEMORY = int(1.5 * held_by(first))
    assert api.get(f"{URL}/layers").status_code == 200
    assert predicting.predictor().pid is None


def test_four_threads_ask_one_child_and_a_fifth_does_not_wait(version):
    """Whoever asks a slow model again and again would else hold every thread of the web."""
    data, blob = picture(250).read(), predicting.onnx_file(version, "model.onnx")
    question = {"ask": "predict", "top": 1, "activations": False, "temperature": None, "thresholds": {}}
    predictor = predicting.predictor()
    with ThreadPoolExecutor(8) as threads:
        os.kill(started(predictor, blob), signal.SIGSTOP)
        asked = [threads.submit(predictor.ask, blob, question, [data]) for _ in range(8)]
        wait_until(lambda: sum(one.done() for one in asked) == 4)
        refused = [one.exception() for one in asked if one.done()]
        assert [getattr(error, "code", error) for error in refused] == ["predictor_busy"] * 4
        os.kill(predictor.pid or 0, signal.SIGCONT)
        answers = [one.result()["results"] for one in asked if not one.exception()]
    assert len(answers) == 4
    assert all(answer[0]["predictions"][0]["class"] == CLASSES[1] for answer in answers)
    assert predictor.ask(blob, question, [data])["results"]


def started(predictor: predicting.Predictor, blob: Blob) -> int:
    """The child's pid."""
    predictor.ask(blob, {"ask": "layers"})
    assert predictor.pid is not None
    return predictor.pid


@pytest.mark.usefixtures("fresh_programs")
def test_the_child_sees_no_secret_and_ends_with_its_parent(version, monkeypatch):
    monkeypatch.setenv("MOTHERLODE_SECRET_KEY", "do not tell")
    one = predicting.Predictor()
    one.ask(predicting.onnx_file(version, "model.onnx"), {"ask": "layers"})
    child = one._child
    assert child is not None
    assert b"do not tell" not in Path(f"/proc/{child.pid}/environ").read_bytes()
    assert child.stdin is not None
    child.stdin.close()  # as when its parent is gone
    assert child.wait(10) == 0


def test_the_web_loads_no_runtime():
    code = "import sys, config.wsgi, config.urls; print([name for name in sys.argv[1:] if name in sys.modules])"
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "DJANGO_SETTINGS_MODULE": "config.settings"}
    command = [sys.executable, "-c", code, "onnxruntime", "onnx", "torch"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
