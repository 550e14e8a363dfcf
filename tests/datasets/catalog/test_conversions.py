"""Images of other kinds, on every way in: refused with a way out, or on request converted, the original kept."""

import hashlib
import io
from typing import Any

import httpx
import numpy as np
import orjson
import pytest
from PIL import Image
from rest_framework.test import APIClient
from tests.collecting import collected
from tests.datasets.catalog.test_imports import Put, imported, lake, put
from tests.datasets.catalog.test_ingest_upload import tar_of
from tests.datasets.conftest import data, encoded, png, sent
from tests.working import work_on

from accounts.models import User
from blobs.models import Blob, Conversion
from blobs.services import keep_bytes, store
from blobs.settings import StoreConfig
from catalog.erasure.rows import start_erasure
from catalog.intake import archives, ingest
from catalog.models import Dataset, Revision
from jobs.models import Job

__all__ = ["lake", "put"]
pytestmark = [pytest.mark.usefixtures("object_store", "dataset"), pytest.mark.django_db(transaction=True)]

TIFF, BMP, AVIF = (encoded(kind, seed, (40, 30)) for seed, kind in enumerate(("TIFF", "BMP", "AVIF")))
HEIC = b"\0\0\0\x24ftypheic\0\0\0\0mif1MiHEmiafheic"  # its head alone


def md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def pixels(content: bytes) -> Any:
    return np.asarray(Image.open(io.BytesIO(content)).convert("L"))


def sample(api: APIClient, key: str) -> Any:
    return api.get(f"/datasets/digits/samples/{key}").json()


def bytes_at(api: APIClient, url: str) -> bytes:
    return bytes(api.get(url).getvalue())


def post(api: APIClient, body: Any, **options: Any) -> Any:
    return api.post("/datasets/digits", body, **options).json()


def is_converted(api: APIClient, key: str, original: bytes, media_type: str) -> None:
    """The sample is a PNG of the original's pixels, and the original can be had."""
    found = sample(api, key)
    assert found["media_type"] == "image/png"
    np.testing.assert_array_equal(pixels(bytes_at(api, found["url"])), pixels(original))
    assert found["original"] == {"digest": md5(original), "url": f"/blobs/{md5(original)}", "media_type": media_type,
                                 "bytes": len(original)}  # fmt: skip
    assert bytes_at(api, found["original"]["url"]) == original
    assert api.get(f"/thumbs/{found['digest']}").status_code == 200


def test_without_the_request_they_are_refused_and_the_way_out_is_named(api: APIClient) -> None:
    files = {"a.tif": TIFF, "b.bmp": BMP, "c.avif": AVIF, "d.heic": HEIC}
    answer = post(api, {"archive": sent("a.tar", tar_of(files | {"cat/1.png": png()}))})
    assert (answer["added"], answer["converted"]) == (1, 0)
    named = {item["key"]: item["detail"] for item in answer["rejected"]}
    assert named.keys() == files.keys()
    for key, kind in (("a.tif", "TIFF"), ("b.bmp", "BMP"), ("c.avif", "AVIF"), ("d.heic", "HEIC")):
        assert named[key].startswith(f"{kind} is not taken: convert it to JPEG, PNG or WebP, or send `convert: true`")
        assert "lode dataset push --convert" in named[key]
    refused = post(api, {"samples": [{"key": "a.tif", "data": data(TIFF)}]}, format="json")
    assert refused["code"] == "nothing_accepted"
    assert "convert: true" in refused["errors"]["a.tif"][0]
    assert not Conversion.objects.exists()


@pytest.mark.parametrize("way", ["files", "archive", "job", "data", "staged", "upload"])
def test_on_request_each_way_in_converts_and_keeps_the_original(
    api: APIClient, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"cat/a.tif": TIFF, "cat/b.bmp": BMP, "cat/1.png": png()}
    asked = {"convert": "true"}
    if way == "files":
        answer = post(api, {"files": [sent(key.split("/")[1], content) for key, content in files.items()]} | asked)
    elif way in {"archive", "job"}:
        monkeypatch.setattr(archives, "AT_ONCE_MEMBERS", 1 if way == "job" else 10)
        answer = post(api, {"archive": sent("a.tar", tar_of(files))} | asked)
    elif way == "data":
        samples = [{"key": key, "data": data(content)} for key, content in files.items()]
        answer = post(api, {"samples": samples, "convert": True}, format="json")
    elif way == "staged":
        stored = api.post("/datasets/digits/uploads", {"archive": sent("a.tar", tar_of(files))} | asked).json()
        assert {one["key"]: one["md5"] for one in stored["results"]} == {key: md5(file) for key, file in files.items()}
        lines = b"".join(orjson.dumps(one) + b"\n" for one in stored["results"])
        answer = post(api, {"samples": sent("samples.jsonl", lines)} | asked)
    else:
        places = [store().presigned_put(size=len(content)) for content in files.values()]
        samples = []
        for place, (key, content) in zip(places, files.items(), strict=True):
            httpx.put(place.url, content=content).raise_for_status()
            samples.append({"key": key, "upload": place.upload_id})
        answer = post(api, {"samples": samples, "convert": True}, format="json")
    if "job" in answer:
        assert work_on(answer["job"]["id"])
        answer = api.get(answer["job"]["url"]).json()["result"]
    assert (answer["added"], answer["converted"], answer["rejected"]) == (3, 2, [])
    top = "" if way == "files" else "cat/"
    is_converted(api, f"{top}a.tif", TIFF, "image/tiff")
    is_converted(api, f"{top}b.bmp", BMP, "image/bmp")
    assert sample(api, f"{top}1.png")["original"] is None


def test_what_was_converted_once_is_neither_sent_nor_converted_again(
    api: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    have = {"digests": [md5(TIFF)]}
    assert api.post("/datasets/digits/have", have | {"convert": True}, format="json").json()["missing"] == [md5(TIFF)]
    body = {"archive": sent("a.tar", tar_of({"x/a.tif": TIFF, "b.png": png()})), "convert": "true"}
    assert post(api, body)["converted"] == 1
    assert api.post("/datasets/digits/have", have | {"convert": True}, format="json").json()["missing"] == []
    assert api.post("/datasets/digits/have", have, format="json").json()["missing"] == [md5(TIFF)]

    def fail(_: bytes) -> bytes:
        raise AssertionError("it was converted again")

    monkeypatch.setattr(ingest, "converted", fail)
    again = post(api, {"archive": sent("a.tar", tar_of({"x/a.tif": TIFF, "b.png": png()})), "convert": "true"})
    assert (again["version"], again["unchanged"], again["converted"]) == (1, 2, 0)
    named = {"samples": [{"key": "x/a.tif", "md5": md5(TIFF)}]}
    again = post(api, named | {"convert": True}, format="json")
    assert (again["version"], again["unchanged"]) == (1, 1)
    assert post(api, named, format="json")["code"] == "bytes_missing"  # who asks for no conversion has no such image
    other = post(api, {"samples": [{"key": "y.tif", "md5": md5(TIFF)}], "convert": True}, format="json")
    assert (other["added"], other["converted"], other["exact_duplicates"]["in_dataset"]) == (1, 1, 1)
    is_converted(api, "y.tif", TIFF, "image/tiff")


def test_the_original_stays_with_its_image_and_goes_with_another(api: APIClient) -> None:
    post(api, {"files": [sent("a.tif", TIFF)], "convert": "true"})
    made = bytes_at(api, sample(api, "a.tif")["url"])
    post(api, {"labels": [{"key": "a.tif", "label": {"class": "cat"}}]}, format="json")
    assert sample(api, "a.tif")["original"]["digest"] == md5(TIFF)
    assert post(api, {"files": [sent("a.tif", made)]})["unchanged"] == 1  # a folder that was pulled, pushed again
    other = encoded("BMP", 0, (40, 30))
    np.testing.assert_array_equal(pixels(other), pixels(TIFF))
    changed = post(api, {"files": [sent("a.tif", other)], "convert": "true"})
    assert (changed["updated"], changed["converted"]) == (1, 1)
    assert sample(api, "a.tif")["original"]["digest"] == md5(other)
    diff = api.get("/datasets/digits/diff?from=2&to=3").json()
    assert diff["counts"]["changed"] == 1
    assert post(api, {"files": [sent("a.tif", png())]})["updated"] == 1
    assert sample(api, "a.tif")["original"] is None


def test_a_fork_and_what_is_merged_from_it_keep_the_original(api: APIClient) -> None:
    post(api, {"files": [sent("1.png", png())]})
    assert api.post("/datasets/digits/forks", {"name": "mine"}, format="json").status_code == 201
    api.post("/datasets/mine", {"files": [sent("a.tif", TIFF)], "convert": "true"})
    merged = api.post("/datasets/digits/merges", {"from": "mine"}, format="json").json()
    assert (merged["added"], merged["converted"]) == (1, 1)
    is_converted(api, "a.tif", TIFF, "image/tiff")


def test_the_original_is_kept_by_its_sample_and_collected_without(api: APIClient, bucket: Any) -> None:
    post(api, {"files": [sent("a.tif", TIFF)], "convert": "true"})
    assert collected()["blobs"] == 0
    is_converted(api, "a.tif", TIFF, "image/tiff")
    api.post("/datasets/digits/uploads", {"files": [sent("b.bmp", BMP)], "convert": "true"})
    assert Conversion.objects.count() == 2
    assert collected()["blobs"] == 2  # nothing was committed of what was staged: the original, and what it became
    assert Conversion.objects.count() == 1


def test_an_erased_sample_takes_its_original_along(api: APIClient, bucket: Any, dataset: Dataset, alice: User) -> None:
    post(api, {"files": [sent("a.tif", TIFF), sent("b.bmp", BMP)], "convert": "true"})
    job = start_erasure(dataset, ["a.tif"], reason="asked to", confirm=dataset.name, by=alice)
    assert work_on(job.pk)
    done = Job.objects.get(pk=job.pk)
    assert (done.state, (done.result or {})["blobs"]) == (Job.State.SUCCEEDED, 2), done.error
    assert not Blob.objects.filter(md5=md5(TIFF)).exists()
    assert Revision.objects.count() == 1
    is_converted(api, "b.bmp", BMP, "image/bmp")


def test_everywhere_erases_what_was_made_of_the_same_original(
    api: APIClient, bucket: Any, dataset: Dataset, alice: User
) -> None:
    post(api, {"files": [sent("a.tif", TIFF), sent("b.tif", TIFF)], "convert": "true"})
    job = start_erasure(dataset, ["a.tif"], reason="asked to", confirm=dataset.name, everywhere=True, by=alice)
    assert work_on(job.pk)
    assert not Revision.objects.exists()
    assert not Blob.objects.filter(md5=md5(TIFF)).exists()


def test_bytes_that_were_known_as_mere_bytes_are_called_what_they_are(api: APIClient) -> None:
    keep_bytes(TIFF, media_type="application/octet-stream")
    post(api, {"files": [sent("a.tif", TIFF)], "convert": "true"})
    is_converted(api, "a.tif", TIFF, "image/tiff")


def test_what_can_not_be_converted_is_named_and_the_rest_is_taken(api: APIClient) -> None:
    pages = io.BytesIO()
    page = Image.new("L", (30, 20))
    page.save(pages, "TIFF", save_all=True, append_images=[page])
    files = [sent("pages.tif", pages.getvalue()), sent("cut.tif", TIFF[:300]), sent("a.heic", HEIC), sent("b.bmp", BMP)]
    answer = post(api, {"files": files, "convert": "true"})
    assert (answer["added"], answer["converted"]) == (1, 1)
    named = {item["key"]: item["detail"] for item in answer["rejected"]}
    assert named.keys() == {"pages.tif", "cut.tif", "a.heic"}
    assert "several pages" in named["pages.tif"]


@pytest.mark.parametrize("mode", ["copy", "reference"])
def test_a_bucket_is_imported_with_conversions(api: APIClient, lake: StoreConfig, put: Put, mode: str) -> None:
    put("drives/a.tif", TIFF)
    put("drives/1.png", png())
    body = {"s3": {"source": "lake", "bucket": lake.bucket, "prefix": "drives/"}, "mode": mode, "convert": True}
    answer = api.post("/datasets/digits/imports", body, format="json").json()
    assert work_on(answer["job"]["id"])
    result = api.get(answer["job"]["url"]).json()["result"]
    assert (result["added"], result["converted"], result["rejected"]) == (2, 1, [])
    is_converted(api, "a.tif", TIFF, "image/tiff")
    row = Revision.objects.exclude(original=None).select_related("blob", "original").get()
    assert row.original is not None
    assert (row.blob.ref.linked, row.original.ref.linked) == (False, mode == "reference")
    assert imported(api, lake, mode, prefix="drives/")["rejected"][0]["key"] == "a.tif"
