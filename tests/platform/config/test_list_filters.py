"""What the lists can be narrowed to: by words, and by what a form or a page needs of them."""

import pytest
from rest_framework.test import APIClient
from tests.filling import filled

from accounts.models import Project
from catalog.models import Dataset, Slice, Version, VersionName
from jobs.models import Job
from labeling.models import Queue
from maps.models import EmbeddingMap
from mining_jobs.models import MiningJob
from pipelines.models import Pipeline
from registry.models import Alias, Model, ModelVersion

pytestmark = [pytest.mark.django_db, pytest.mark.both]
CLASSES = ["cat", "dog"]


def dataset(name: str, **given: object) -> Dataset:
    about = {"task": "classification", "classes": CLASSES, "project": Project.objects.first()} | given
    return filled(Dataset, name=name, **about)


def model(name: str, **given: object) -> Model:
    about = {"task": "classification", "classes": CLASSES, "project": Project.objects.first()} | given
    return filled(Model, name=name, **about)


def pipeline(name: str, over: Dataset) -> Pipeline:
    return filled(Pipeline, name=name, dataset=over, model=model(f"{name}-cnn"), strategy="margin")


def found(api: APIClient, address: str, name: str = "name", **query: str | float) -> list[object]:
    answer = api.get(address, query)
    assert answer.status_code == 200, answer.content
    return [row[name] for row in answer.json()["results"]]


@pytest.mark.parametrize(("words", "numbers"), [("v2", [2]), ("night", [3, 1]), ("golden", [2]), ("golden night", [])])
def test_versions_are_found_by_number_message_and_name(api: APIClient, words: str, numbers: list[int]) -> None:
    of = dataset("pets")
    made = [
        filled(Version, dataset=of, number=at, message=text) for at, text in enumerate(["night", "day", "Night"], 1)
    ]
    for name in ("golden", "golden-2"):
        filled(VersionName, dataset=of, version=made[1], name=name)
    assert found(api, "/datasets/pets/versions", "version", q=words) == numbers


def test_slices_maps_and_versions_of_a_model_are_found_by_their_words(api: APIClient) -> None:
    of, to = dataset("pets"), model("cnn")
    for name in ("night", "day"):
        filled(Slice, dataset=of, name=name, filter={"split": "train"})
    versions = [filled(ModelVersion, model=to, number=at, architecture=name) for at, name in ((1, "vit"), (12, "cnn"))]
    for at, method in ((0, "pca"), (1, "umap-like")):
        about = {"version": filled(Version, dataset=of), "model_version": versions[at], "job": filled(Job)}
        filled(EmbeddingMap, dataset=of, method=method, **about)
    assert found(api, "/datasets/pets/slices", q="NIG") == ["night"]
    assert found(api, "/datasets/pets/maps", "method", q="cnn pca") == ["pca"]
    assert found(api, "/models/cnn/versions", "version", q="v12") == [12]
    assert found(api, "/models/cnn/versions", "version", q="vit") == [1]


def test_models_are_narrowed_to_those_that_fit_a_dataset_and_to_those_under_an_alias(api: APIClient) -> None:
    of = dataset("pets")
    fits, served = model("fits"), model("served", classes=["owl"])
    model("turned", classes=CLASSES[::-1])
    model("boxes", task="detection")
    model("foreign", project=filled(Project))
    filled(Alias, model=served, name="production", version=filled(ModelVersion, model=served))
    filled(Alias, model=served, name="staging", version=filled(ModelVersion, model=served))
    assert found(api, "/models", dataset=of.name) == [fits.name]
    assert found(api, "/models", alias="production") == [served.name]
    assert api.get("/models", {"dataset": "nonesuch"}).status_code == 404


def test_pipelines_are_narrowed_to_a_dataset_and_to_those_that_can_be_compared(api: APIClient) -> None:
    pets, same, boxes = dataset("pets"), dataset("turned", classes=CLASSES[::-1]), dataset("boxes", task="detection")
    for name, over in (("one", pets), ("two", same), ("three", boxes)):
        pipeline(name, over)
    assert found(api, "/pipelines", dataset="pets") == ["one"]
    assert found(api, "/pipelines", comparable_with="one") == ["two", "one"]
    assert found(api, "/pipelines", comparable_with="three") == ["three"]


QUEUES = {
    "done": ("committed", "high"), "late": ("open", "low"), "first": ("open", "high"), "old": ("open", "normal"),
    "new": ("open", "normal"), "all": ("complete", "high"),
}  # fmt: skip


def test_queues_come_by_urgency_page_by_page(api: APIClient) -> None:
    of = dataset("pets")
    for name, (state, priority) in QUEUES.items():
        filled(Queue, name=name, dataset=of, state=state, priority=priority)
    page = api.get("/labeling/queues", {"order": "urgent", "limit": "2"}).json()
    names = [row["name"] for row in page["results"]]
    while page["next"]:
        page = api.get(page["next"]).json()
        names += [row["name"] for row in page["results"]]
    assert names == ["first", "new", "old", "late", "all", "done"]
    assert list(api.get("/labeling/queues", {"order": "name"}).json()["errors"]) == ["order"]


def test_mining_jobs_are_narrowed_by_state(api: APIClient) -> None:
    at = filled(Version, dataset=dataset("pets"))
    jobs = {
        state: filled(MiningJob, dataset=at.dataset, version=at, strategy="margin", job=filled(Job, state=state)).pk
        for state in ("failed", "running", "succeeded")
    }
    assert found(api, "/mining/jobs", "id", state="failed,running") == [jobs["running"], jobs["failed"]]
    assert list(api.get("/mining/jobs", {"state": "lost"}).json()["errors"]) == ["state"]
