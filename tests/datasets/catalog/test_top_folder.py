"""The folder around everything in an archive is not part of the keys, as it is none where it is pushed itself."""

import io
import tarfile
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import png, sent

from catalog.models import Dataset, Version

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("object_store")]

IMAGES = {"one/1.png": png(1), "2.png": png(2)}


def below(top: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {f"{top}/{name}": data for name, data in files.items()}


def zipped(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def push(api: APIClient, archive: bytes, name: str = "images.zip") -> dict[str, Any]:
    answer = api.post("/datasets/digits", {"archive": sent(name, archive)}, format="multipart")
    assert answer.status_code == 201, answer.content
    document: dict[str, Any] = answer.json()
    return document


def keys(dataset: Dataset) -> set[str]:
    head = Version.objects.filter(dataset=dataset).latest("number")
    return set(head.revisions.values_list("sample__key", flat=True))


def test_a_folder_a_zip_and_a_tar_of_it_are_the_same_samples(api: APIClient, dataset: Dataset) -> None:
    """The first commit is what `lode dataset push images digits` sends: keys below the folder."""
    assert push(api, zipped(IMAGES))["added"] == 2
    for archive in (
        zipped(below("images", IMAGES)),
        tarred(below("images", IMAGES)),
        tarred(below("./images", IMAGES)),
    ):
        done = push(api, archive)
        assert (done["added"], done["updated"], done["unchanged"], done["version"]) == (0, 0, 2, 1)
    assert keys(dataset) == set(IMAGES)


def test_it_is_said_and_annotations_come_along(api: APIClient, dataset: Dataset) -> None:
    lines = b'{"key": "one/1.png", "label": {"class": "cat"}}\n'
    done = push(api, zipped(below("pets", IMAGES | {"labels.jsonl": lines, "bad.png": b"no image"})))
    assert (done["added"], done["labelled"]) == (2, 1)
    assert done["notes"][0].startswith("pets/ holds everything")
    assert [item["key"] for item in done["rejected"]] == ["bad.png"]


@pytest.mark.parametrize("top", ["cat", "train", "val2017"])
def test_a_class_or_a_split_counts(api: APIClient, dataset: Dataset, top: str) -> None:
    push(api, zipped(below(top, {"1.png": png(1), "2.png": png(2)})))
    assert keys(dataset) == {f"{top}/1.png", f"{top}/2.png"}


def test_a_folder_that_the_keys_have_already_counts(api: APIClient, dataset: Dataset) -> None:
    """Of what came before there was this rule, nothing is committed twice."""
    push(api, zipped(below("images", IMAGES) | {"other.png": png(9)}))
    done = push(api, zipped(below("images", IMAGES)))
    assert (done["added"], done["unchanged"]) == (0, 2)


def test_another_set_with_the_same_names_does_not_replace_the_first(api: APIClient, dataset: Dataset) -> None:
    push(api, zipped(below("drive1", {"0001.png": png(1)})))
    done = push(api, zipped(below("drive2", {"0001.png": png(2)})))
    assert (done["added"], done["updated"]) == (1, 0)
    assert keys(dataset) == {"0001.png", "drive2/0001.png"}
