"""Names of files and of classes, however their bytes were written: one key and one class for one text."""

import io
import unicodedata
import zipfile
from typing import Literal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient
from tests.datasets.conftest import multipart, png

from catalog.models import Dataset

pytestmark = pytest.mark.usefixtures("object_store", "dataset")


class Unflagged(zipfile.ZipInfo):
    """An entry whose name is in an encoding that the zip does not say."""

    encoding = "utf-8"

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:  # noqa: N802 - zipfile's own
        return self.filename.encode(self.encoding), self.flag_bits & ~0x800


def unflagged(members: dict[str, bytes], encoding: str = "utf-8") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            entry = Unflagged(name)
            entry.encoding = encoding
            archive.writestr(entry, content)
    return out.getvalue()


def keys(api: APIClient) -> list[str]:
    return sorted(one["key"] for one in api.get("/datasets/digits/versions/head/samples").json()["results"])


def test_a_folder_and_the_same_folder_in_a_zip_have_the_same_keys(api: APIClient) -> None:
    names = ["cat/Rose ü.png", "cat/Blüte.png"]
    files = [("files", name, png(place)) for place, name in enumerate(names)]
    assert api.post("/datasets/digits", **multipart(files)).json()["added"] == 2
    before = keys(api)
    for form in ("NFC", "NFD"):
        packed = unflagged({unicodedata.normalize(form, name): png(place) for place, name in enumerate(names)})
        answer = api.post("/datasets/digits", **multipart([("archive", "a.zip", packed)])).json()
        assert (answer["added"], answer["unchanged"], keys(api)) == (0, 2, before), answer


def test_the_code_page_of_names_is_asked_for(api: APIClient) -> None:
    packed = unflagged({"照片/汽车.png": png(1)}, "gbk")
    refused = api.post("/datasets/digits", **multipart([("archive", "a.zip", packed)]))
    assert (refused.status_code, refused.json()["code"]) == (400, "names_not_utf8")
    assert "'照片/汽车.png' in gbk" in refused.json()["detail"]
    for encoding, status in (("klingon", 400), ("gbk", 201)):
        body = {"archive": SimpleUploadedFile("a.zip", packed), "names_encoding": encoding}
        answer = api.post("/datasets/digits", body, format="multipart")
        assert answer.status_code == status, answer.json()
    assert keys(api) == ["汽车.png"]


def test_an_archive_of_annotations_has_names_too(api: APIClient) -> None:
    lines = b'{"key": "u.png", "label": {"class": "cat"}}\n'
    packed = unflagged({"größe.jsonl": lines}, "cp850")

    def push(**more: str) -> dict[str, object]:
        files = {"files": SimpleUploadedFile("u.png", png(1)), "annotations": SimpleUploadedFile("a.zip", packed)}
        answer: dict[str, object] = api.post("/datasets/digits", files | more, format="multipart").json()
        return answer

    assert push()["code"] == "names_not_utf8"
    assert push(names_encoding="cp850")["labelled"] == 1


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_class_is_one_in_either_form(api: APIClient, dataset: Dataset, form: Literal["NFC", "NFD"]) -> None:
    """Also where a dataset of an older release has it in decomposed form."""
    forms: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
    for stored in forms:
        name = unicodedata.normalize(stored, "Bäume")
        Dataset.objects.filter(pk=dataset.pk).update(classes=[name, "cat"])
        said = unicodedata.normalize(form, "Bäume")
        table = f"file,class\nt-{stored}.png,{said}\n".encode()
        files = [("files", f"t-{stored}.png", png(1)), ("files", "labels.csv", table)]
        for parts in (files, [("files", f"{said}/f-{stored}.png", png(2))]):
            answer = api.post("/datasets/digits", **multipart(parts)).json()
            assert answer["labelled"] == 1, answer
        label = {"key": f"t-{stored}.png", "label": {"class": "cat"}}
        assert api.post("/datasets/digits", {"labels": [label]}, format="json").json()["labelled"] == 1
        back = {"key": f"t-{stored}.png", "label": {"class": said}}
        assert api.post("/datasets/digits", {"labels": [back]}, format="json").json()["labelled"] == 1
        found = api.get(f"/datasets/digits/samples/t-{stored}.png").json()
        assert found["label"] == {"class": name}
