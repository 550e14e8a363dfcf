"""Pushing the same again makes no version: whatever of it was held out, split by rule, grouped or labelled."""

import io
import json
import tarfile
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from hypothesis import given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient
from tests.datasets.catalog.test_near_duplicates import CAT, file
from tests.datasets.conftest import data
from tests.laws import examples

from catalog.changes.sets import ChangeSet, SampleChange
from catalog.intake.incoming import Incoming
from catalog.intake.ingest import receive
from catalog.models import Dataset, NearDuplicate
from catalog.splits.groups import set_split_rule
from catalog.versions.commit import commit

pytestmark = pytest.mark.both

Post = Callable[..., Any]


def again(send: Callable[[], Mapping[str, Any]]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    first, second = send(), send()
    assert second["version"] == first["version"]
    assert [second[name] for name in ("added", "updated", "removed", "labelled")] == [0, 0, 0, 0]
    assert second["unchanged"] == first["added"] + first["updated"] + first["unchanged"]
    return first, second


@pytest.fixture
def tested(post: Post, dataset: Dataset) -> Dataset:
    post(samples=[{"key": f"t/{tile}", "data": data(file(tile)), "split": "test", "label": CAT} for tile in range(2)])
    return dataset


def test_of_json_with_labelled_images_that_were_held_out(tested: Dataset, post: Post) -> None:
    samples = [
        {"key": "a", "data": data(file(0, "JPEG", quality=60)), "label": CAT},
        {"key": "b", "data": data(file(1, "JPEG", quality=60)), "label": CAT, "split": "train"},
        {"key": "c", "data": data(file(4)), "label": CAT, "meta": {"drive": 1}},
        {"key": "d", "data": data(file(5))},
    ]
    first, second = again(lambda: post(samples=samples).json())
    assert first["held_out"]["samples"] == second["held_out"]["samples"] == 2
    assert [row["key"] for row in second["near_duplicates"]] == ["a", "b"]


def archive() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in (
            ("train/cat/a.jpg", file(0, "JPEG", quality=60)), ("train/cat/b.png", file(4)),
            ("test/dog/c.png", file(6)), ("train/dog/d.jpg", file(6, "JPEG", quality=70)),
        ):  # fmt: skip
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return out.getvalue()


@pytest.mark.parametrize("terms", [{}, {"split": "train"}, {"split": "pool"}, {"split": "val"}])
def test_of_an_archive(tested: Dataset, api: APIClient, terms: dict[str, str]) -> None:
    def send() -> dict[str, Any]:
        body = {"archive": SimpleUploadedFile("a.tar", archive())} | terms
        answer = api.post(f"/datasets/{tested.name}", body, format="multipart")
        assert answer.status_code == 201, answer.content
        document: dict[str, Any] = answer.json()
        return document

    again(send)


def test_of_a_listing_as_lode_pushes_a_folder(tested: Dataset, api: APIClient, post: Post) -> None:
    keys = {"train/cat/a.jpg": file(0, "JPEG", quality=60), "train/cat/b.png": file(4), "x/c.png": file(5)}
    received = receive(Incoming(key, content) for key, content in keys.items())
    post(samples=[{"key": f"seen/{key}", "data": data(content)} for key, content in keys.items()])
    lines = "\n".join(json.dumps({"key": key, "md5": blob.md5}) for key, blob in received.images.items())

    def send() -> dict[str, Any]:
        body = {"samples": SimpleUploadedFile("samples.jsonl", lines.encode())}
        answer = api.post(f"/datasets/{tested.name}", body, format="multipart")
        assert answer.status_code == 201, answer.content
        document: dict[str, Any] = answer.json()
        return document

    first, _ = again(send)
    assert first["held_out"]["samples"] == 1


@pytest.mark.parametrize("rule", [
    {"group": "folder", "fractions": {"train": 0.5, "test": 0.3}},
    {"group": "key", "fractions": {"train": 0.6, "test": 0.4}},
])  # fmt: skip
def test_with_a_split_rule(tested: Dataset, post: Post, alice: Any, rule: dict[str, Any]) -> None:
    set_split_rule(tested, rule, author=alice)
    samples = [
        {"key": f"{place % 3}/{place}", "data": data(file(place % 9, "JPEG", quality=60 + place)), "label": CAT}
        for place in range(12)
    ]
    again(lambda: post(samples=samples).json())


def test_a_hold_that_was_lifted_moves_it_with_the_next_push(tested: Dataset, post: Post) -> None:
    samples = [{"key": "a", "data": data(file(0, "JPEG", quality=60)), "label": CAT}]
    post(samples=samples)
    allowed = post(samples=samples, near_duplicates="allow").json()
    assert (allowed["updated"], NearDuplicate.objects.get().allowed) == (1, True)
    again(lambda: post(samples=samples, near_duplicates="allow").json())


PICTURES = [(tile, quality) for tile in range(4) for quality in (None, 60)]
CHANGES = st.dictionaries(
    st.sampled_from(["a", "b", "c", "f/d", "f/e"]),
    st.tuples(
        st.sampled_from(PICTURES),
        st.sampled_from([None, "pool", "train", "val", "test"]),
        st.sampled_from([None, {"class": "cat"}, {"class": "dog"}]),
        st.sampled_from([None, {}, {"drive": 1}]),
    ),
    min_size=1,
)


@settings(max_examples=examples(25))
@given(before=CHANGES, pushed=CHANGES, allow=st.booleans())
@pytest.mark.usefixtures("object_store")
def test_any_push_repeated_makes_one_version(
    before: Mapping[str, Any], pushed: Mapping[str, Any], alice: Any, dataset: Dataset, *, allow: bool
) -> None:
    def change_set(given: Mapping[str, Any]) -> ChangeSet:
        rows = []
        for key, ((tile, quality), split, label, meta) in given.items():
            content = file(tile) if quality is None else file(tile, "JPEG", quality=quality)
            blob = receive([Incoming(key, content)]).images[key]
            rows.append(SampleChange(f"{run}/{key}", blob=blob, split=split, label=label, meta=meta))
        return ChangeSet(rows, allow_near_duplicates=allow)

    run = Dataset.objects.get(pk=dataset.pk).versions.count()  # keys of their own for each example
    commit(dataset, change_set(before), author=alice)
    first = commit(dataset, change_set(pushed), author=alice)
    second = commit(dataset, change_set(pushed), author=alice)
    assert second.version == first.version
    assert (second.added, second.updated, second.removed, second.labelled) == (0, 0, 0, 0)
