"""The loop with its real programs on every task type that can be trained and has no loop of its own elsewhere."""

import base64
import io
from typing import Any

import pytest
from PIL import Image
from tests.mining.conftest import CLASSES, digits

from mining_jobs.scores.files import tempered_thresholds
from pipelines.models import Round
from pipelines.rounds import loop
from registry.models import ModelVersion
from tasktypes import names, task_type

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
LEARNED = [name for name in names() if "training" not in task_type(name).lacks and name != "classification"]
WAYS: dict[str, dict[str, Any]] = {
    "classes": {
        "architecture": "small_cnn", "config": {"params": {"size": 28, "width": 8}, "recipe": {"steps": 60, "shift": 0}}
    },
    "boxes": {
        "architecture": "centre_lite0",
        "config": {
            "params": {"size": 128, "width": 16, "depth": 1},
            "recipe": {"steps": 40, "batch_size": 8},
            "export": {"precisions": []},
        },
    },
}  # fmt: skip
SPLITS = {"test": 24, "val": 12, "train": 24, "pool": 36}
PIPELINE = {
    "name": "loop", "dataset": "pairs", "strategy": "entropy", "count": 8, "control": 0.25,
}  # fmt: skip


def pair(place: int) -> tuple[str, list[str]]:
    """Two real digits beside each other, as base64, and which they are."""
    chosen = [digits()[(2 * place + side) % len(digits())] for side in (0, 1)]
    sheet = Image.new("L", (56, 28))
    for side, (_, data) in enumerate(chosen):
        sheet.paste(Image.open(io.BytesIO(base64.b64decode(data))), (28 * side, 0))
    stream = io.BytesIO()
    sheet.save(stream, "PNG")
    return base64.b64encode(stream.getvalue()).decode(), [name for name, _ in chosen]


def label_of(name: str, shown: list[str]) -> dict[str, Any]:
    """Both digits, with the half of the image each is in where boxes are asked for, or the greater one where an image
    has one class."""
    if task_type(name).outputs.form == "boxes":
        return {"boxes": [{"class": one, "box": [28 * at, 0, 28 * at + 28, 28]} for at, one in enumerate(shown)]}
    if task_type(name).labels.form == "class":
        return {"class": max(shown)}
    return {"classes": [one for one in CLASSES if one in shown]}


def given(api, name: str) -> dict[str, dict[str, Any]]:
    """The dataset `pairs`; what every sample's label is."""
    body = {"name": "pairs", "task": name, "classes": CLASSES}
    assert api.post("/datasets", body, format="json").json()["trainable"] is True
    known, samples = {}, []
    for place, split in enumerate(split for split, size in SPLITS.items() for _ in range(size)):
        data, shown = pair(place)
        key = f"{split}-{place:03}.png"
        known[key] = label_of(name, shown)
        label = {} if split == "pool" else {"label": known[key]}
        samples.append({"key": key, "data": data, "split": split} | label)
    answer = api.post("/datasets/pairs", {"samples": samples}, format="json")
    assert (answer.status_code, answer.json()["rejected"]) == (201, []), answer.content
    return known


@pytest.mark.timeout(300)
@pytest.mark.clock
@pytest.mark.parametrize("name", LEARNED)
def test_a_round_goes_from_labels_to_a_promoted_model(api, object_store, run_job, name) -> None:
    known, metrics = given(api, name), task_type(name).metrics
    made = api.post("/pipelines", PIPELINE | WAYS[task_type(name).outputs.form], format="json")
    assert made.status_code == 201, made.content
    assert made.json()["gates"][-1] == {"metric": metrics.headline, "min_delta": -0.01, "against": "best"}
    assert api.post("/pipelines/loop/rounds").status_code == 202

    def newest() -> dict[str, Any]:
        found: dict[str, Any] = api.get("/pipelines/loop/rounds").json()["results"][0]
        return found

    def until(*states: str) -> dict[str, Any]:
        while (found := newest())["state"] not in {*states, "failed"}:
            for job in loop.advance(Round.objects.get().pk):
                run_job(job)
        assert found["state"] in states, found["error"]
        return found

    labelling = until("labelling")
    picks = api.get(f"/mining/jobs/{labelling['mining_job']}/picks").json()["results"]
    assert len(picks) == 8
    assert all(pick["reason"] for pick in picks)
    beside = [one for pick in picks for one in pick["neighbours"]]
    assert [one["label"] for one in beside] == [task_type(name).in_words(known[one["key"]]) for one in beside]
    assert all(one["label"] for one in beside)
    sure = {"filter": "prediction(model = loop@1, confidence < 1.1)", "limit": 100, "split": "pool"}
    assert len(api.get("/datasets/pairs/versions/1/samples", sure).json()["results"]) == 36
    bars = tempered_thresholds(ModelVersion.objects.get(number=1))
    for told in (pick["prediction"] for pick in picks if "classes" in pick["prediction"]):
        near = {one for one in CLASSES if abs(told["probabilities"][one] - bars[one]) < 1e-3}
        above = {one for one in CLASSES if told["probabilities"][one] >= bars[one]}
        assert above - near == set(told["classes"]) - near
    queue = labelling["queue_id"]
    while (handout := api.post(f"/labeling/queues/{queue}/next", {"count": 8}, format="json")).status_code == 200:
        for task in handout.json()["tasks"]:
            value = known[task["sample"]["key"]]
            said = {"value": value, "seconds": 1, "lease_token": task["lease_token"]}
            assert api.post(f"/labeling/tasks/{task['id']}/answer", said, format="json").status_code == 200

    done = until("done")
    assert (done["labels"], done["metric"]) == (32, metrics.headline)
    points = api.get("/pipelines/loop/curve").json()["points"]
    assert [(point["labels"], point["metric"]) for point in points] == [(24, metrics.headline), (32, metrics.headline)]
    assert all(point["low"] <= point["value"] <= point["high"] for point in points)
    version = api.get("/models/loop/versions/2").json()
    assert version["report"]["ready"]
    assert version["metrics"][metrics.headline] == done["value"]
    assert set(metrics.of_class) <= version["metrics"]["per_class"]["3"].keys()
    compared = api.get("/models/loop/compare?a=1&b=2").json()
    assert [row["name"] for row in compared["metrics"]] == list(metrics.known(len(CLASSES)))
    image = io.BytesIO(base64.b64decode(pair(0)[0]))
    image.name = "pair.png"
    told = api.post("/models/loop/versions/2/predict", {"file": image}).json()["results"][0]
    label = {part: value for part, value in told["answer"].items() if part != "probability"}
    for box in label.get("boxes", ()):
        assert 0 <= box.pop("score") <= 1
    assert task_type(name).labels.check(label, classes=CLASSES, size=(56, 28)) == label
    told = {"filter": "prediction(model = loop@1, confidence < 1.1)", "limit": 100}
    confident = api.get("/datasets/pairs/versions/head/samples", told)
    assert (confident.status_code, len(confident.json()["results"])) == (200, 60), confident.content
