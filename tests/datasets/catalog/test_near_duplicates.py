"""Near-duplicates of test samples are reported and kept out of train, whichever of the two comes first."""

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image
from rest_framework.test import APIClient
from sklearn.datasets import load_sample_images
from tests.datasets.conftest import data, sent
from tests.working import work_on

from accounts.models import User
from blobs.errors import ImageRefused
from blobs.models import Blob
from catalog.changes import second_looks
from catalog.changes.second_looks import SecondLooks
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.duplicates import hash_pages
from catalog.intake.incoming import Incoming
from catalog.intake.ingest import receive
from catalog.models import Dataset, HashPage, NearDuplicate, Sample
from catalog.versions.commit import commit, look_ahead
from catalog.versions.datasets import find_dataset, find_version
from catalog.versions.forks import fork
from demo.mnist import sklearn_digits
from jobs.models import Job
from jobs.services import claimable_count

PHOTO = Image.fromarray(load_sample_images().images[0])
TILES = [PHOTO.crop((x, y, x + 160, y + 120)) for x in (0, 160, 320) for y in (0, 120, 240)]
CAT = {"class": "cat"}
Post = Callable[..., Any]


def file(tile: int, kind: str = "PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    TILES[tile].save(out, kind, **options)
    return out.getvalue()


def sample(key: str, tile: int, kind: str = "PNG", **given: Any) -> dict[str, Any]:
    quality = {"quality": 60} if kind == "JPEG" else {}
    return {"key": key, "data": data(file(tile, kind, **quality))} | given


def splits(dataset: Dataset) -> dict[str, str]:
    return dict(find_version(find_dataset(dataset.name), "head").revisions.values_list("sample__key", "split"))


@pytest.fixture
def tested(post: Post, dataset: Dataset) -> Dataset:
    """A dataset with three photographs in test."""
    post(samples=[sample(f"test/{tile}", tile, split="test", label=CAT) for tile in range(3)])
    dataset.refresh_from_db()
    return dataset


@pytest.mark.both
def test_a_near_duplicate_is_reported_and_kept_out_of_train(tested: Dataset, post: Post) -> None:
    answer = post(samples=[sample("new", 1, "JPEG", label=CAT), sample("other", 5, label=CAT)]).json()
    assert [(row["key"], row["of"], row["split"]) for row in answer["near_duplicates"]] == [("new", "test/1", "pool")]
    assert 0 <= answer["near_duplicates"][0]["distance"] <= 6
    assert (answer["added"], answer["labelled"], answer["leaks"]) == (2, 2, [])
    assert splits(tested) == {"test/0": "test", "test/1": "test", "test/2": "test", "new": "pool", "other": "train"}


def test_a_named_train_is_no_way_around_it(tested: Dataset, post: Post) -> None:
    post(samples=[sample("new", 1, "JPEG", split="train")])
    assert splits(tested)["new"] == "pool"
    again = post(samples=[{"key": "new", "split": "train"}]).json()
    assert (again["unchanged"], [row["of"] for row in again["near_duplicates"]]) == (1, ["test/1"])
    assert splits(tested)["new"] == "pool"


def test_a_later_label_does_not_take_it_to_train(tested: Dataset, post: Post) -> None:
    assert [row["key"] for row in post(samples=[sample("new", 1, "JPEG")]).json()["near_duplicates"]] == ["new"]
    answer = post(labels=[{"key": "new", "label": CAT}]).json()
    assert answer["labelled"] == 1
    assert [(row["key"], row["of"], row["split"]) for row in answer["near_duplicates"]] == [("new", "test/1", "pool")]
    assert splits(tested)["new"] == "pool"


def test_told_otherwise_it_goes_to_train(tested: Dataset, post: Post) -> None:
    answer = post(samples=[sample("new", 1, "JPEG", label=CAT)], near_duplicates="allow").json()
    assert [(row["key"], row["split"]) for row in answer["near_duplicates"]] == [("new", "train")]
    assert NearDuplicate.objects.get().allowed
    post(samples=[sample("kept", 2, "JPEG", label=CAT)])
    assert splits(tested)["kept"] == "pool"
    post(samples=[{"key": "kept", "split": "train"}], near_duplicates="allow")
    assert splits(tested)["kept"] == "train"
    assert not NearDuplicate.objects.filter(allowed=False).exists()


def test_the_form_of_an_upload_may_say_so_too(tested: Dataset, api: APIClient) -> None:
    for name, terms in (("a.jpg", {}), ("b.jpg", {"near_duplicates": "allow"})):
        body = {"files": [sent(name, file(0, "JPEG"))], "split": "train"} | terms
        assert api.post(f"/datasets/{tested.name}", body, format="multipart").status_code == 201
    assert (splits(tested)["a.jpg"], splits(tested)["b.jpg"]) == ("pool", "train")
    wrong = api.post(f"/datasets/{tested.name}", {"near_duplicates": "maybe"}, format="multipart")
    assert "near_duplicates" in wrong.json()["errors"]


def test_both_in_one_commit_are_told_apart(post: Post, dataset: Dataset) -> None:
    samples = [sample("a", 1, "JPEG", split="train"), sample("b", 1, split="test"), sample("c", 2, split="train")]
    answer = post(samples=samples).json()
    assert [(row["key"], row["of"]) for row in answer["near_duplicates"]] == [("a", "b")]
    assert splits(dataset) == {"a": "pool", "b": "test", "c": "train"}


def test_a_test_sample_that_resembles_what_is_trained_on_is_a_leak(post: Post, dataset: Dataset) -> None:
    post(samples=[sample("a", 1, split="train"), sample("b", 2, split="pool"), sample("c", 3, split="train")])
    answer = post(samples=[sample(f"t{tile}", tile, "JPEG", split="test") for tile in (1, 2)]).json()
    assert [(row["key"], row["of"], row["split"]) for row in answer["leaks"]] == [("a", "t1", "train")]
    assert splits(dataset)["a"] == "train"
    post(labels=[{"key": "b", "label": CAT}])
    assert splits(dataset)["b"] == "pool"


def test_a_sample_that_got_its_first_image_back_is_found_once(post: Post, dataset: Dataset) -> None:
    for tile in (3, 4, 3):
        post(samples=[sample("seen", tile, split="train", label=CAT)])
    answer = post(samples=[sample("exam", 3, "JPEG", split="test", label=CAT)])
    assert (answer.status_code, len(answer.json()["leaks"])) == (201, 1), answer.content


def test_a_pool_sample_that_is_sent_to_test_finds_its_like_in_train(post: Post, dataset: Dataset) -> None:
    post(samples=[sample("a", 1, split="train"), sample("b", 1, "JPEG", split="pool")])
    answer = post(samples=[{"key": "b", "split": "test"}]).json()
    assert [(row["key"], row["of"]) for row in answer["leaks"]] == [("a", "b")]


def test_another_image_under_the_same_key_is_free(tested: Dataset, post: Post) -> None:
    post(samples=[sample("new", 1, "JPEG")])
    answer = post(samples=[sample("new", 5, label=CAT)]).json()
    assert answer["near_duplicates"] == []
    assert splits(tested)["new"] == "train"
    assert not NearDuplicate.objects.exists()


def test_a_test_sample_that_left_keeps_nobody_out(tested: Dataset, post: Post) -> None:
    post(remove=["test/1"])
    assert post(samples=[sample("new", 1, "JPEG", label=CAT)]).json()["near_duplicates"] == []
    assert splits(tested)["new"] == "train"


def test_a_fork_knows_the_tests_of_its_origin(tested: Dataset, api: APIClient, alice: User) -> None:
    forked = fork(find_version(tested, "head"), "forked", description="", author=alice)
    answer = api.post("/datasets/forked", {"samples": [sample("new", 1, "JPEG", label=CAT)]}, format="json").json()
    assert [row["of"] for row in answer["near_duplicates"]] == ["test/1"]
    assert splits(forked)["new"] == "pool"


def test_what_is_known_can_be_listed(tested: Dataset, post: Post, api: APIClient) -> None:
    post(samples=[sample("a", 0, "JPEG"), sample("b", 1, "JPEG", split="train")], near_duplicates="allow")
    post(samples=[sample("c", 2, "JPEG")])
    rows = api.get(f"/datasets/{tested.name}/near-duplicates").json()["results"]
    assert [(row["key"], row["of"], row["split"], row["allowed"], row["found_by"]) for row in rows] == [
        ("c", "test/2", "pool", False, "pixels"), ("b", "test/1", "train", True, "pixels"),
        ("a", "test/0", "pool", True, "pixels"),
    ]  # fmt: skip
    assert rows[0]["since"] == 3


@pytest.mark.both
def test_many_small_commits_leave_few_pages(
    dataset: Dataset, alice: User, blob_of: Callable[[int], Blob], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hash_pages, "SMALL_PAGES", 4)
    rng = np.random.default_rng(0)
    ids, values = [], []
    for number in range(23):
        blob = blob_of(number)
        blob.phash, blob.sketch = int(rng.integers(-(2**63), 2**63)), rng.integers(0, 256, 256, np.uint8).tobytes()
        result = commit(dataset, ChangeSet([SampleChange(str(number), blob=blob)]), author=alice)
        values.append(blob.phash)
        assert result.version is not None
        ids.append(result.version.revisions.get(sample__key=str(number)).sample_id)
    assert HashPage.objects.count() <= 5
    found = hash_pages.read_pages(find_version(dataset, "head"), test=False)
    assert dict(zip(*(column.astype(np.int64).tolist() for column in found), strict=True)) == dict(
        zip(ids, values, strict=True)
    )


# -- a hash is not enough --


def digit(place: int) -> bytes:
    out = io.BytesIO()
    Image.fromarray(sklearn_digits().train_images[place]).save(out, "PNG")
    return out.getvalue()


def test_pictures_that_only_a_hash_takes_for_one_are_trained_on(post: Post, dataset: Dataset) -> None:
    post(samples=[{"key": "t", "data": data(digit(434)), "split": "test"}])
    answer = post(samples=[{"key": "a", "data": data(digit(79)), "label": CAT}]).json()
    assert (answer["near_duplicates"], answer["held_out"]) == ([], None)
    assert splits(dataset)["a"] == "train"


def test_an_image_that_cannot_be_read_stays_out_until_somebody_decides(
    tested: Dataset, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(_: bytes) -> None:
        raise ImageRefused("gone bad")

    monkeypatch.setattr(second_looks, "picture", unreadable)
    post(samples=[sample("new", 1, "JPEG", label=CAT)])
    assert splits(tested)["new"] == "pool"


def test_what_is_held_out_is_counted_with_its_labels(tested: Dataset, post: Post) -> None:
    new = [sample("a", 0, "JPEG", label=CAT), sample("b", 1, "JPEG", split="train"), sample("c", 2, "JPEG")]
    answer = post(samples=[*new, sample("d", 5, label=CAT)]).json()
    held = answer["held_out"]
    assert (held["samples"], held["labelled"]) == (2, 1)  # `c` was meant for pool
    assert "near-duplicates" in held["detail"]
    assert "allow" in held["detail"]


@pytest.mark.both
def test_pictures_are_compared_before_the_transaction_of_a_commit(
    tested: Dataset, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob = receive([Incoming("new", file(1, "JPEG", quality=60))]).images["new"]
    changes = ChangeSet([SampleChange("new", blob=blob, split="train")])
    heard: list[int] = []
    look_ahead(tested, changes, on_pairs=heard.append)
    assert heard == [1]

    def none(*_: object) -> None:
        raise AssertionError("compared in the transaction")

    monkeypatch.setattr(SecondLooks, "_look", none)
    result = commit(tested, changes, author=alice)
    assert [row["of"] for row in result.near_duplicates] == ["test/1"]


# -- exact duplicates --


def test_exact_duplicates_are_told_with_numbers(post: Post, dataset: Dataset) -> None:
    first = post(samples=[sample("a", 1), sample("b", 1), sample("c", 2), sample("d", 1)]).json()
    assert first["exact_duplicates"] == {
        "in_commit": 2, "in_dataset": 0, "pairs": [{"key": "b", "of": "a"}, {"key": "d", "of": "a"}],
    }  # fmt: skip
    second = post(samples=[sample("e", 2), sample("f", 3)]).json()
    assert second["exact_duplicates"] == {"in_commit": 0, "in_dataset": 1, "pairs": [{"key": "e", "of": "c"}]}
    assert len(splits(dataset)) == 6


def test_a_renamed_image_is_no_duplicate(post: Post, dataset: Dataset) -> None:
    post(samples=[sample("a", 1)])
    moved = post(samples=[sample("b", 1)], remove=["a"]).json()
    assert (moved["exact_duplicates"]["in_dataset"], list(splits(dataset))) == (0, ["b"])


# -- decisions --


@pytest.fixture
def held(tested: Dataset, post: Post) -> Dataset:
    """Three near-duplicates kept out of train, two of them labelled."""
    post(samples=[sample("a", 0, "JPEG", label=CAT), sample("b", 1, "JPEG", label=CAT), sample("c", 2, "JPEG")])
    tested.refresh_from_db()
    return tested


def decide(api: APIClient, dataset: Dataset, **body: Any) -> Any:
    return api.post(f"/datasets/{dataset.name}/near-duplicates", body, format="json")


def test_one_several_or_all_can_be_allowed(held: Dataset, api: APIClient) -> None:
    one = decide(api, held, decision="allow", keys=["a"]).json()
    assert (one["near_duplicates"], one["moved"], one["version"]) == (1, 1, 3)
    assert splits(held) | {"test/0": "", "test/1": "", "test/2": ""} == {
        "test/0": "", "test/1": "", "test/2": "", "a": "train", "b": "pool", "c": "pool",
    }  # fmt: skip
    rest = decide(api, held, decision="allow", all=True).json()
    assert (rest["near_duplicates"], rest["moved"]) == (3, 1)  # `c` has no label: it may be mined now
    counts = api.get(f"/datasets/{held.name}/near-duplicates").json()["counts"]
    assert counts == {"kept_out": 0, "kept_out_labelled": 0, "in_train": 0, "allowed": 3, "unchecked": 0}


def test_a_decision_can_be_taken_back(held: Dataset, api: APIClient) -> None:
    decide(api, held, decision="allow", all=True)
    back = decide(api, held, decision="keep_out", keys=["a", "c"]).json()
    assert (back["near_duplicates"], back["moved"]) == (2, 1)
    assert (splits(held)["a"], splits(held)["b"]) == ("pool", "train")


@pytest.mark.both
def test_pairs_are_listed_with_what_is_needed_to_decide(held: Dataset, api: APIClient) -> None:
    document = api.get(f"/datasets/{held.name}/near-duplicates").json()
    assert document["counts"] == {"kept_out": 3, "kept_out_labelled": 2, "in_train": 0, "allowed": 0, "unchecked": 0}
    row = document["results"][-1]
    assert (row["key"], row["of"], row["labelled"], row["confirmed"]) == ("a", "test/0", True, True)
    for thumb in (row["thumb"], row["of_thumb"]):
        assert api.get(thumb).status_code == 200


@pytest.mark.parametrize("body", [
    {"decision": "maybe", "all": True}, {"decision": "allow"}, {"decision": "allow", "keys": []},
    {"decision": "allow", "keys": ["a"], "all": True}, {"decision": "allow", "keys": ["test/0"]}, {"all": True},
])  # fmt: skip
def test_a_decision_that_makes_no_sense_is_refused(held: Dataset, api: APIClient, body: dict[str, Any]) -> None:
    answer = decide(api, held, **body)
    assert answer.status_code == 400
    assert answer.json()["errors"]


def test_a_fork_decides_for_itself(held: Dataset, api: APIClient, alice: User) -> None:
    forked = fork(find_version(held, "head"), "forked", description="", author=alice)
    assert decide(api, forked, decision="allow", all=True).json()["moved"] == 2
    assert (splits(forked)["a"], splits(held)["a"]) == ("train", "pool")
    assert api.get(f"/datasets/{held.name}/near-duplicates").json()["counts"]["kept_out"] == 3


def test_a_sample_is_free_once_its_test_sample_is_gone(held: Dataset, post: Post) -> None:
    post(remove=["test/0"])
    answer = post(samples=[{"key": "a", "split": "train"}]).json()
    assert (answer["near_duplicates"], splits(held)["a"]) == ([], "train")


def test_what_an_older_rule_found_is_looked_at_again(post: Post, dataset: Dataset, api: APIClient) -> None:
    tests = [{"key": "t", "data": data(digit(434)), "split": "test"}, sample("u", 1, split="test")]
    post(samples=tests)
    post(samples=[{"key": "a", "data": data(digit(79)), "label": CAT}, sample("b", 1, "JPEG", label=CAT)])
    rows = {row.key: row for row in Sample.objects.filter(dataset=dataset)}
    NearDuplicate.objects.create(
        dataset=dataset, sample=rows["a"], of=rows["t"], distance=3, found_by="pixels", since=2
    )
    NearDuplicate.objects.update(confirmed=False)
    post(samples=[{"key": "a", "split": "pool"}])
    assert api.get(f"/datasets/{dataset.name}/near-duplicates").json()["counts"]["unchecked"] == 2
    started = api.post(f"/datasets/{dataset.name}/near-duplicates/check")
    assert started.status_code == 202
    job = Job.objects.get(pk=started.json()["job"]["id"])
    while claimable_count(job.pk):
        assert work_on(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result) == (
        "succeeded", {"checked": 2, "confirmed": 1, "forgotten": 1, "moved": 1, "version": 4},
    )  # fmt: skip
    assert (splits(dataset)["a"], splits(dataset)["b"]) == ("train", "pool")
    assert [row.sample.key for row in NearDuplicate.objects.all()] == ["b"]
