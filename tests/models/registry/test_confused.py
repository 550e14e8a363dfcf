"""The pictures behind a cell of a confusion matrix."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from blobs.services import keep_bytes
from catalog.versions.datasets import find_version
from registry.models import Artifact
from tasktypes.classification.predictions import ClassPredictions

pytestmark = pytest.mark.django_db


@pytest.fixture
def shown(api, object_store, dataset, version_with):
    """A version asked six test images of class 0 and 1, one picture of which lies in train too; sample ids by key."""

    def picture(shade: int) -> str:
        stream = io.BytesIO()
        Image.new("L", (8, 8), shade * 40).save(stream, "PNG")
        return base64.b64encode(stream.getvalue()).decode()

    samples = [{"key": f"{number}.png", "data": picture(number), "split": "test", "label": {"class": str(number % 2)}}
               for number in range(6)]  # fmt: skip
    answer = api.post("/datasets/digits", {"samples": samples}, format="json")
    assert answer.status_code == 201, answer.content
    dataset.refresh_from_db()
    head = find_version(dataset, "head")
    rows = {row.sample.key: row for row in head.revisions.select_related("sample", "blob")}
    keys = sorted(rows)
    said = np.array([0, 0, 1, 1, 1, 1])  # wrong: 2 and 4 of class 0, and 1 of class 1
    sure = np.array([0.6, 0.7, 0.8, 0.9, 0.95, 0.6], np.float32)
    probabilities = np.where(np.arange(2) == said[:, None], sure[:, None], 1 - sure[:, None]).astype(np.float32)
    made = ClassPredictions.of(probabilities, np.array([0, 1, 0, 1, 0, 1]))
    made = made.named(keys, [rows[key].blob.md5 for key in keys], slices={})
    version = version_with(0.5)
    version.dataset_version = head
    version.save()
    blob = keep_bytes(made.to_bytes(), media_type="application/octet-stream")
    Artifact.objects.create(version=version, path="predictions.npz", blob=blob)
    return {key: row.sample_id for key, row in rows.items()}


def test_a_cell_names_its_samples_the_surest_first(api, shown):
    found = api.get("/models/digits-cnn/versions/1/confused", {"label": "0", "predicted": "1"}).json()
    assert found == {"dataset": "digits", "version": 1, "samples": [shown["4.png"], shown["2.png"]], "total": 2}
    ids = ",".join(map(str, found["samples"]))
    page = api.get("/datasets/digits/versions/1/samples", {"ids": ids}).json()["results"]
    assert [row["key"] for row in page] == ["2.png", "4.png"]


def test_an_empty_cell_and_an_unknown_class(api, shown):
    address = "/models/digits-cnn/versions/1/confused"
    assert api.get(address, {"label": "1", "predicted": "0"}).json()["samples"] == [shown["1.png"]]
    refused = api.get(address, {"label": "0", "predicted": "cow"})
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["predicted"])


def test_a_version_without_predictions_says_what_to_do(api, model, version_with):
    version_with(0.5)
    refused = api.get("/models/digits-cnn/versions/1/confused", {"label": "0", "predicted": "1"})
    assert (refused.status_code, refused.json()["code"]) == (409, "predictions_missing")
    assert "train it again" in refused.json()["detail"]
