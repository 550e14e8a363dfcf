"""Exports: a job, a zip in the store, and the way back."""

import io
import zipfile
from typing import Any

import pytest
from django.test import override_settings
from PIL import Image
from rest_framework.test import APIClient
from tests.datasets.catalog.test_ingest_upload import zip_of
from tests.datasets.conftest import data, jpeg, multipart, png, row_counts, sent
from tests.datasets.formats.layouts import LAYOUTS, SIZE
from tests.working import work_on

from accounts.models import User
from blobs.models import Blob
from catalog.exports.jobs import ExportHandler, write_zip
from catalog.models import Dataset, Export
from catalog.versions.datasets import create_dataset
from formats import OBJECTS, format_names
from jobs import services
from jobs.context import ShardContext
from jobs.errors import JobCancelled
from jobs.models import Job

pytestmark = [pytest.mark.usefixtures("object_store"), pytest.mark.django_db(transaction=True)]

CLASSES = ["car", "traffic light", "Straßenbahn"]
BOXES = [{"class": "car", "box": [0.5, 1.25, 20.1, 30.0]}, {"class": "traffic light", "box": [3.0, 4.0, 64.0, 48.0]}]
ATTRIBUTES = {"attributes": [{"truncated": 0.5}, {}]}
SAMPLES: dict[str, list[dict[str, Any]]] = {
    "detection": [
        {"key": "front/0001.png", "label": {"boxes": BOXES}, "split": "train", "meta": ATTRIBUTES},
        {"key": "front/0002.jpg", "label": {"boxes": []}, "split": "val"},
        {"key": "rück/0003.png", "label": {"boxes": BOXES[:1]}, "split": "test"},
        {"key": "rück/0004", "split": "pool", "meta": {"night": True}},
    ],
    "multilabel": [
        {"key": "train/1.png", "label": {"classes": ["car", "Straßenbahn"]}, "split": "train"},
        {"key": "a b/2.jpg", "label": {"classes": []}, "split": "val"},
        {"key": "3.png", "label": {"classes": ["traffic light"]}, "split": "test"},
        {"key": "pool/4", "split": "pool", "meta": {"night": True}},
    ],
    "classification": [
        {"key": "train/car/1.png", "label": {"class": "car"}, "split": "train"},
        {"key": "a b/2.jpg", "label": {"class": "traffic light"}, "split": "val"},
        {"key": "3.png", "label": {"class": "Straßenbahn"}, "split": "test"},
        {"key": "pool/4", "split": "pool", "meta": {"night": True}},
    ],
}  # fmt: skip
KEPT = {"jsonl", "coco", "label_studio"}
OUTLINED = {"cvat", "labelme", "labelme_xml"}


@pytest.fixture(params=[*SAMPLES])
def filled(request: pytest.FixtureRequest, api: APIClient, alice: User) -> Dataset:
    """A dataset of four samples, one of each split."""
    task = request.param
    made = create("roads", task, alice)
    images = [png(1, (64, 48)), jpeg(2), png(3, (64, 48)), png(4, (64, 48))]
    body = [sample | {"data": data(image)} for sample, image in zip(SAMPLES[task], images, strict=True)]
    answer = api.post("/datasets/roads", {"samples": body}, format="json")
    assert answer.json()["added"] == len(body), answer.json()
    return made


def create(name: str, task: str, author: User) -> Dataset:
    """An empty dataset that asks this."""
    return create_dataset(name, task=task, classes=CLASSES, description="", author=author)


def export(api: APIClient, name: str, **more: str) -> dict[str, Any]:
    """The result of an export's job."""
    started = api.post("/datasets/roads/exports", {"version": "v1", "format": name} | more, format="json")
    assert started.status_code == 202, started.json()
    assert work_on(started.json()["job"]["id"])
    job = api.get(started.json()["job"]["url"]).json()
    assert job["state"] == "succeeded", job
    assert job["progress"]["done"] == job["progress"]["total"] == job["result"]["samples"]
    result: dict[str, Any] = job["result"]
    return result


def archive(api: APIClient, url: str) -> bytes:
    answer = api.get(url)
    assert answer.status_code == 200
    content = b"".join(answer.streaming_content)  # type: ignore[attr-defined]  # the test client adds it
    assert answer.headers["Content-Length"] == str(len(content))
    return content


def told(api: APIClient, name: str) -> dict[str, Any]:
    """Of every sample at the head: its bytes' digest with label and split."""
    rows = api.get(f"/datasets/{name}/versions/head/samples").json()["results"]
    return {row["digest"]: row for row in rows}


def test_every_format_comes_back_as_it_went(api: APIClient, alice: User, filled: Dataset) -> None:
    before = told(api, "roads")
    for name in format_names(filled.task_type.labels.form):
        result = export(api, name)
        packed = archive(api, result["url"])
        assert (result["samples"], result["bytes"], result["version"]) == (4, len(packed), 1)
        fresh = create(f"from-{name.replace('_', '-')}", filled.task, alice)
        answer = api.post(f"/datasets/{fresh.name}", {"archive": sent("a.zip", packed)})
        assert answer.status_code == 201, (name, answer.json())
        assert answer.json()["recognised"]["format"] == name
        assert answer.json()["rejected"] == []
        after = told(api, fresh.name)
        assert after.keys() == before.keys()
        for digest, row in before.items():
            # Open Images knows no image on which nothing is.
            label = None if name == "open_images" and row["label"] == {"boxes": []} else row["label"]
            assert (after[digest]["label"], after[digest]["split"]) == (label, row["split"]), name
            if name in KEPT:
                assert (after[digest]["key"], after[digest]["meta"]) == (row["key"], row["meta"])
        if name not in KEPT:
            assert any("metadata" in line for line in result["notes"])


def test_annotations_of_an_export_alone_find_the_samples_again(api: APIClient, filled: Dataset) -> None:
    """Whoever corrects labels elsewhere sends back one file, not the images."""
    with zipfile.ZipFile(io.BytesIO(archive(api, export(api, "coco")["url"]))) as packed:
        document = packed.read("annotations/instances_train.json")
    changed = document.replace(b'"category_id":1', b'"category_id":3')
    answer = api.post("/datasets/roads", {"annotations": sent("instances_train.json", changed)})
    assert answer.status_code == 201, answer.json()
    assert (answer.json()["updated"], answer.json()["rejected"]) == (1, [])


@pytest.mark.parametrize("name", sorted(KEPT))
def test_an_export_sent_back_unchanged_changes_nothing(api: APIClient, filled: Dataset, name: str) -> None:
    packed = archive(api, export(api, name)["url"])
    answer = api.post("/datasets/roads", {"archive": sent("a.zip", packed)})
    assert (answer.json()["unchanged"], answer.json()["version"]) == (4, 1)


def test_an_export_is_listed_and_downloaded_under_its_name(api: APIClient, filled: Dataset) -> None:
    result = export(api, "jsonl", split="train")
    assert result["samples"] == 1
    listed = api.get("/datasets/roads/exports").json()["results"]
    assert [(one["id"], one["state"], one["url"], one["split"]) for one in listed] == [
        (result["export"], "succeeded", result["url"], "train")
    ]
    answer = api.get(result["url"])
    assert answer.headers["Content-Disposition"] == 'attachment; filename="roads-v1-train-jsonl.zip"'
    assert answer.headers["Content-Type"] == "application/zip"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_the_same_export_again_is_the_same_bytes(api: APIClient, filled: Dataset) -> None:
    assert archive(api, export(api, "coco")["url"]) == archive(api, export(api, "coco")["url"])
    assert Export.objects.count() == 2
    assert Blob.objects.filter(media_type="application/zip").count() == 1


def test_an_export_holds_the_version_it_names(api: APIClient, filled: Dataset) -> None:
    api.post("/datasets/roads", {"remove": ["front/0001.png", "train/car/1.png", "3.png"]}, format="json")
    assert export(api, "jsonl")["samples"] == 4
    assert export(api, "jsonl", version="head")["samples"] < 4


def test_an_unfinished_export_is_not_to_be_had(api: APIClient, filled: Dataset) -> None:
    started = api.post("/datasets/roads/exports", {"format": "jsonl"}, format="json").json()
    answer = api.get(f"/datasets/roads/exports/{started['id']}/archive")
    assert (answer.status_code, answer.json()["code"]) == (409, "export_unfinished")
    assert api.get("/datasets/roads/exports").json()["results"][0]["url"] is None


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [({"format": "kitti"}, 400, "format_unsuited"), ({"format": "tiff"}, 400, "invalid"), ({}, 400, "invalid"),
     ({"format": "coco", "version": "v9"}, 404, "version_unknown"), ({"format": "coco", "split": "x"}, 400, "invalid")],
)  # fmt: skip
def test_what_can_not_be_exported_is_refused_at_once(
    api: APIClient, dataset: Dataset, body: dict[str, str], status: int, code: str
) -> None:
    api.post("/datasets/digits", {"files": [sent("1.png", png(1))]})
    answer = api.post("/datasets/digits/exports", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not Job.objects.filter(kind="export").exists()


def test_an_export_of_another_dataset_is_unknown_here(api: APIClient, dataset: Dataset, filled: Dataset) -> None:
    result = export(api, "jsonl")
    assert api.get(f"/datasets/digits/exports/{result['export']}/archive").json()["code"] == "export_unknown"


def test_a_cancelled_export_leaves_no_archive(api: APIClient, filled: Dataset) -> None:
    started = api.post("/datasets/roads/exports", {"format": "jsonl"}, format="json").json()
    held = services.claim(started["job"]["id"], worker="one")
    assert held is not None
    context = ShardContext(held)
    services.cancel(held.shard.job_id)
    context.lease_status = services.renew(held, done=0)
    with pytest.raises(JobCancelled):
        ExportHandler().run(context)
    services.mark_cancelled(held)
    assert Export.objects.get().blob is None


def test_a_run_that_was_lost_points_the_export_nowhere(api: APIClient, filled: Dataset) -> None:
    started = api.post("/datasets/roads/exports", {"format": "jsonl"}, format="json").json()
    held = services.claim(started["job"]["id"], worker="first")
    assert held is not None
    outcome = ExportHandler().run(ShardContext(held))
    services.release(held)  # the first worker was told to stop before it could hand its result in
    assert not services.complete(held, outcome.result, apply=outcome.apply)
    assert Export.objects.get().blob is None
    assert work_on(started["job"]["id"])
    assert Export.objects.get().blob is not None


@override_settings(JOB_MAX_ATTEMPTS=1)
def test_an_export_without_all_its_bytes_fails(api: APIClient, filled: Dataset) -> None:
    Blob.objects.filter(media_type="image/jpeg").update(sha256="0" * 64)
    started = api.post("/datasets/roads/exports", {"format": "jsonl"}, format="json").json()
    work_on(started["job"]["id"])
    job = api.get(started["job"]["url"]).json()
    assert job["state"] == "failed"
    assert Export.objects.get().blob is None


def test_an_export_that_an_erasure_overtakes_fails_and_leaves_no_archive(
    api: APIClient, filled: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overtaken(*args: Any, **more: Any) -> int:
        written = write_zip(*args, **more)
        Export.objects.all().delete()  # as an erasure does
        return written

    monkeypatch.setattr("catalog.exports.jobs.write_zip", overtaken)
    started = api.post("/datasets/roads/exports", {"format": "jsonl"}, format="json").json()
    work_on(started["job"]["id"])
    job = api.get(started["job"]["url"]).json()
    assert (job["state"], job["error"]["code"]) == ("failed", "export_erased")
    assert not Blob.objects.filter(media_type="application/zip").exists()


def test_images_that_exif_turns_are_counted_where_objects_have_places(api: APIClient, alice: User) -> None:
    turned = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (64, 48)).save(turned, "JPEG", exif=exif)
    create("roads", "detection", alice)
    rows = [{"key": "a.jpg", "data": data(turned.getvalue())}, {"key": "b.jpg", "data": data(jpeg(2))}]
    api.post("/datasets/roads", {"samples": rows}, format="json")
    (note,) = [one for one in export(api, "coco")["notes"] if "EXIF" in one]
    assert note.endswith("(1; the first: a.jpg)")


def test_annotation_files_nobody_used_are_named(api: APIClient, dataset: Dataset) -> None:
    texts = {"README.txt": b"read me", "notes.txt": b"hello", "broken.json": b"{", "x.csv": b"a,b"}
    members = {"cat/1.png": png(1)} | texts
    answer = api.post("/datasets/digits", {"archive": sent("a.zip", zip_of(members))}).json()
    assert {item["key"]: item["code"] for item in answer["rejected"]} == {
        "notes.txt": "annotations_unused", "broken.json": "annotations_unreadable", "x.csv": "annotations_unused",
    }  # fmt: skip
    details = {item["key"]: item["detail"] for item in answer["rejected"]}
    assert "not JSON" in details["broken.json"]
    assert "names its columns, like file,class" in details["x.csv"]
    assert answer["notes"] == ["README.txt is for people to read and was passed over"]
    assert (answer["added"], answer["labelled"]) == (1, 1)
    assert row_counts()["Sample"] == 1


def test_too_many_bytes_of_annotations_are_refused(
    api: APIClient, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("catalog.intake.ingest.MAX_DOCUMENT_BYTES", 10)
    packed = zip_of({"cat/1.png": png(1), "a.json": b"[1, 2, 3, 4]"})
    answer = api.post("/datasets/digits", {"archive": sent("a.zip", packed)})
    assert (answer.status_code, answer.json()["code"]) == (400, "annotations_too_large")
    assert row_counts()["Sample"] == 0


def test_annotations_may_be_an_archive_of_their_own(api: APIClient, detection: Dataset) -> None:
    layout = LAYOUTS["coco as published"]
    files = [("files", key, png(1, SIZE)) for key in layout.images]
    notes = zip_of({path: text.encode() for path, text in layout.documents.items()})
    answer = api.post("/datasets/roads", **multipart([*files, ("annotations", "annotations.zip", notes)]))
    assert answer.status_code == 201, answer.json()
    assert (answer.json()["labelled"], answer.json()["rejected"]) == (2, [])
    torn = [*files, ("annotations", "annotations.zip", notes[:-30])]
    assert api.post("/datasets/roads", **multipart(torn)).json()["code"] == "archive_corrupt"


OUTLINE = {"class": "car", "points": [[1.0, 1.0], [20.5, 1.0], [20.5, 30.25], [1.0, 12.0]]}


def test_polygons_come_back_or_their_loss_is_said(api: APIClient, alice: User) -> None:
    create("roads", "detection", alice)
    label = {"boxes": BOXES[:1], "polygons": [OUTLINE]}
    body = [{"key": "a.png", "label": label, "split": "train", "data": data(png(1, (64, 48)))}]
    assert api.post("/datasets/roads", {"samples": body}, format="json").json()["labelled"] == 1
    for name in format_names(OBJECTS):
        result = export(api, name)
        fresh = create(f"from-{name.replace('_', '-')}", "segmentation", alice)
        answer = api.post(f"/datasets/{fresh.name}", {"archive": sent("a.zip", archive(api, result["url"]))})
        assert answer.json()["rejected"] == [], (name, answer.json())
        (row,) = told(api, fresh.name).values()
        if name in KEPT:
            assert (row["label"], result["notes"]) == (label, []), name
        elif name in OUTLINED:
            assert row["label"] == label, name
        else:
            around = {"class": "car", "box": [1.0, 1.0, 20.5, 30.25]}
            assert row["label"] == {"boxes": [BOXES[0], around]}, name
            assert "outlines of polygons: the boxes around them are written (1; the first: a.png)" in result["notes"]


def test_a_format_that_holds_one_class_alone_is_not_offered_to_several(api: APIClient, alice: User) -> None:
    create("roads", "multilabel", alice)
    api.post("/datasets/roads", {"samples": [{"key": "a.png", "data": data(png())}]}, format="json")
    answer = api.post("/datasets/roads/exports", {"format": "image_folder"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "format_unsuited")
    assert "use one of coco, csv, cvat, jsonl, label_studio" in answer.json()["detail"]


def test_a_class_called_like_a_column_is_refused_before_the_job(api: APIClient, alice: User) -> None:
    create_dataset("beasts", task="multilabel", classes=["Class", "dog"], description="", author=alice)
    api.post("/datasets/beasts", {"samples": [{"key": "a.png", "data": data(png())}]}, format="json")
    answer = api.post("/datasets/beasts/exports", {"format": "csv"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "format_unsuited")
    assert "'Class' is called like a column" in answer.json()["errors"]["format"][0]
    assert not Job.objects.filter(kind="export").exists()
