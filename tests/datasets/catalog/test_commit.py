"""The rules of a commit, on rows alone."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.datasets.conftest import CLASSES, change, changes, row_counts
from tests.laws import examples

from accounts.models import AuditEvent, User
from blobs.models import Blob
from catalog.changes.sets import ChangeSet
from catalog.models import Dataset, Sample, Version
from catalog.splits import judging
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset, find_version
from catalog.versions.forks import fork
from core.errors import Conflict

pytestmark = pytest.mark.both

BlobOf = Callable[[int], Blob]
CAT = {"class": "cat"}


def state(version: Version) -> dict[str, tuple[str, str, dict[str, Any] | None]]:
    """What a version says: (md5, split, label) by key."""
    rows = version.revisions.select_related("sample", "blob", "label")
    return {row.sample.key: (row.blob.md5, row.split, row.label.value if row.label else None) for row in rows}


def test_a_first_commit_is_version_one(dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    result = commit(dataset, changes(change("a", blob_of(1)), change("b", blob_of(2), label=CAT)), author=alice)
    assert result.document() == {
        "version": 1, "parent": None, "added": 2, "updated": 0, "removed": 0, "labelled": 1, "unchanged": 0,
        "converted": 0, "corrected": 0,
        "splits": [
            {"split": "train", "samples": 1, "reason": "default", "source": "", "why": "by default"},
            {"split": "pool", "samples": 1, "reason": "default", "source": "", "why": "by default"},
        ],
        "near_duplicates": [], "leaks": [], "rejected": [], "held_out": None, "likeness": None,
        "exact_duplicates": {"in_commit": 0, "in_dataset": 0, "pairs": []},
    }  # fmt: skip
    assert find_version(dataset, "head").counts == {
        "samples": 2, "labelled": 1, "by_split": {"pool": 1, "train": 1}, "by_class": {"cat": 1},
    }  # fmt: skip


def test_the_same_again_changes_nothing_and_makes_no_version(dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    commit(dataset, changes(change("a", blob_of(1), label=CAT)), author=alice)
    before = row_counts()
    again = commit(dataset, changes(change("a", blob_of(1), label=CAT)), author=alice)
    assert (again.unchanged, again.updated) == (1, 0)
    assert again.version is not None
    assert again.version.number == 1
    assert row_counts() == before


def test_a_label_takes_a_sample_out_of_the_pool(dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    commit(dataset, changes(change("a", blob_of(1))), author=alice)
    commit(dataset, changes(change("a", label=CAT)), author=alice)
    assert state(find_version(dataset, "1"))["a"][1:] == ("pool", None)
    assert state(find_version(dataset, "2"))["a"][1:] == ("train", CAT)


def test_a_stale_parent_writes_nothing_and_says_what_changed(dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    commit(dataset, changes(change("a", blob_of(1)), message="first"), author=alice)
    commit(dataset, changes(change("b", blob_of(2)), message="second"), author=alice)
    before = row_counts()
    with pytest.raises(Conflict) as caught:
        commit(dataset, changes(change("c", blob_of(3)), parent=1), author=alice)
    assert caught.value.code == "stale_parent"
    assert caught.value.extra["head"] == 2
    assert [(row["version"], row["message"], row["by"]) for row in caught.value.extra["changed"]] == [  # type: ignore[attr-defined]  # extra is object
        (2, "second", "alice")
    ]
    assert row_counts() == before
    assert commit(dataset, changes(change("c", blob_of(3)), parent=2), author=alice).added == 1


def test_a_parent_that_does_not_exist_yet_is_stale_too(dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    with pytest.raises(Conflict, match="version 0 is"):
        commit(dataset, changes(change("a", blob_of(1)), parent=7), author=alice)


@pytest.fixture
def judged_versions(monkeypatch: pytest.MonkeyPatch) -> list[Version]:
    """Versions that a judge of this test alone says a model was judged on."""
    versions: list[Version] = []
    monkeypatch.setattr(judging, "_judges", {"here": lambda _: [(version.pk, "pets@3") for version in versions]})
    return versions


def test_test_samples_that_a_model_was_judged_by_stay_in_test(
    dataset: Dataset, alice: User, blob_of: BlobOf, judged_versions: list[Version]
) -> None:
    commit(dataset, changes(change("a", blob_of(1), split="test", label=CAT)), author=alice)
    judged_versions.append(find_version(dataset, "1"))
    moved = commit(dataset, changes(change("a", split="train")), author=alice)
    assert [(item.code, "pets@3 was judged by this sample" in item.detail) for item in moved.rejected] == [
        ("test_is_fixed", True)
    ]
    commit(dataset, changes(change("a", label={"class": "dog"})), author=alice)
    commit(dataset, changes(remove=["a"]), author=alice)
    back = commit(dataset, changes(change("a", blob_of(1), split="train")), author=alice)
    assert [item.code for item in back.rejected] == ["test_is_fixed"]
    again = commit(dataset, changes(change("a", blob_of(1), label=CAT)), author=alice)
    assert state(find_version(dataset, "head"))["a"][1] == "test"
    assert [row.reason for row in again.splits] == ["once_test"]


def test_a_wrong_test_split_is_corrected_while_no_model_was_judged_by_it(
    dataset: Dataset, alice: User, blob_of: BlobOf, judged_versions: list[Version]
) -> None:
    first = [change(key, blob_of(n), split="test", label=CAT) for n, key in enumerate("abc")]
    commit(dataset, changes(*first, change("d", blob_of(3), split="test")), author=alice)
    moved = commit(dataset, changes(change("a", split="train"), message="As meant"), author=alice)
    assert (moved.corrected, [item.code for item in moved.rejected]) == (1, [])
    assert [(row.split, row.samples, row.reason) for row in moved.splits] == [("train", 1, "request")]
    assert find_version(dataset, "2").message == "As meant (1 sample taken out of test, as no model was judged by them)"
    event = AuditEvent.objects.get(action="test_corrected")
    assert (event.who, event.name, event.after) == (
        "alice", dataset.name, {"version": 2, "splits": {"train": 1}, "keys": ["a"]},
    )  # fmt: skip
    commit(dataset, changes(remove=["b", "c"]), author=alice)
    again = changes(change("b", blob_of(1), label=CAT), change("c", blob_of(2), split="val"))
    assert commit(dataset, again, author=alice).corrected == 2
    judged_versions.append(find_version(dataset, "head"))  # of test it holds d alone, which has no label
    commit(dataset, changes(change("d", split="pool")), author=alice)
    places = {key: split for key, (_, split, _) in state(find_version(dataset, "head")).items()}
    assert places == {"a": "train", "b": "train", "c": "val", "d": "pool"}


def test_a_fork_keeps_in_test_what_was_judged_in_its_origin(
    dataset: Dataset, alice: User, blob_of: BlobOf, judged_versions: list[Version]
) -> None:
    commit(dataset, changes(change("a", blob_of(1), split="test", label=CAT)), author=alice)
    copy = fork(find_version(dataset, "1"), "copy", description="", author=alice)
    judged_versions.append(find_version(dataset, "1"))
    assert [one.code for one in commit(copy, changes(change("a", split="val")), author=alice).rejected] == [
        "test_is_fixed"
    ]
    judged_versions.clear()
    assert commit(copy, changes(change("a", split="val")), author=alice).corrected == 1
    assert state(find_version(dataset, "head"))["a"][1] == "test"


def test_what_cannot_be_taken_is_named_and_the_rest_committed(dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    batch = changes(
        change("good", blob_of(1)),
        change("good", blob_of(2)),
        change("zebra", blob_of(3), label={"class": "zebra"}),
        change("shape", blob_of(4), label=["cat"]),
        change("nobody", label=CAT),
        change("../etc/passwd", blob_of(5)),
        change("valley", blob_of(6), split="valley"),
        remove=["good", "unheard"],
    )
    result = commit(dataset, batch, author=alice)
    assert {(item.key, item.code) for item in result.rejected} == {
        ("good", "duplicate_key"), ("zebra", "unknown_class"), ("shape", "label_malformed"),
        ("nobody", "sample_unknown"), ("../etc/passwd", "key_malformed"), ("valley", "split_unknown"),
        ("unheard", "sample_unknown"),
    }  # fmt: skip
    assert list(state(find_version(dataset, "head"))) == ["good"]
    assert row_counts()["Blob"] == 1


def test_a_new_sample_has_a_name_that_a_file_can_have(dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    refused = ["x" * 300 + ".png", "a/" + "é" * 128, ".motherlode/a.png"]
    taken = ["x" * 255, "a/" + "é" * 127 + "x", "a/.motherlode/b.png", "/".join(["x" * 100] * 4)]
    result = commit(dataset, changes(*(change(key, blob_of(n)) for n, key in enumerate(refused + taken))), author=alice)
    assert [(item.key, item.code) for item in result.rejected] == [(key, "key_malformed") for key in refused]
    assert result.added == len(taken)
    Sample.objects.filter(key="x" * 255).update(key=refused[0])  # as one from before this rule
    assert commit(dataset, changes(change(refused[0], label=CAT)), author=alice).labelled == 1
    assert commit(dataset, changes(remove=[refused[0]]), author=alice).removed == 1


@pytest.mark.parametrize(
    ("boxes", "code"),
    [
        ([{"class": "car", "box": [0, 0, 28, 28]}], None),
        ([], None),
        ([{"class": "tram", "box": [0, 0, 2, 2]}], "unknown_class"),
        ([{"class": "car", "box": [0, 0, 29, 28]}], "label_malformed"),
        ([{"class": "car", "box": [5, 0, 5, 28]}], "label_malformed"),
        ([{"class": "car", "box": "abcd"}], "label_malformed"),
        ([{"class": "car", "box": [0, 0, True, 9]}], "label_malformed"),
        ({"class": "car"}, "label_malformed"),
    ],
)
def test_boxes_lie_inside_the_image(
    detection: Dataset, alice: User, blob_of: BlobOf, boxes: object, code: str | None
) -> None:
    result = commit(detection, changes(change("a", blob_of(1), label={"boxes": boxes})), author=alice)
    assert [item.code for item in result.rejected] == ([code] if code else [])


KEYS = st.sampled_from(["a", "b", "c", "d"])
STEP = st.one_of(
    st.tuples(st.just("add"), KEYS, st.integers(1, 3), st.sampled_from([None, "pool", "train", "val"])),
    st.tuples(st.just("label"), KEYS, st.sampled_from(CLASSES)),
    st.tuples(st.just("remove"), KEYS),
)


@settings(max_examples=examples(40))
@given(commits=st.lists(st.lists(STEP, max_size=4, unique_by=lambda step: step[1]), max_size=5))
def test_any_history_of_commits_equals_the_same_history_on_a_dict(
    alice: User, blob_of: BlobOf, commits: list[list[tuple[Any, ...]]]
) -> None:
    name = f"law-{Dataset.objects.count()}"
    dataset = create_dataset(name, task="classification", classes=CLASSES, description="", author=alice)
    model: dict[str, tuple[str, str, dict[str, Any] | None]] = {}
    history: dict[int, dict[str, Any]] = {}
    for steps in commits:
        result = commit(dataset, _change_set(steps, blob_of), author=alice)
        _apply(model, steps)
        if result.version is not None:
            history[result.version.number] = dict(model)
            assert result.version.counts == _counts(model)
    for number, expected in history.items():
        assert state(find_version(dataset, str(number))) == expected
    assert list(history) == list(range(1, len(history) + 1))


def _change_set(steps: list[tuple[Any, ...]], blob_of: BlobOf) -> ChangeSet:
    found = ChangeSet(remove=[step[1] for step in steps if step[0] == "remove"])
    for kind, key, *rest in steps:
        if kind == "add":
            found.samples.append(change(key, blob_of(rest[0]), split=rest[1]))
        elif kind == "label":
            found.samples.append(change(key, label={"class": rest[0]}))
    return found


def _apply(model: dict[str, Any], steps: list[tuple[Any, ...]]) -> None:
    for kind, key, *rest in steps:
        _, split, label = model.get(key, (None, "pool", None))
        if kind == "add":
            model[key] = (f"{rest[0]:032x}", rest[1] or split, label)
        elif kind == "label" and key in model:
            model[key] = (model[key][0], "train" if split == "pool" else split, {"class": rest[0]})
            if label == {"class": rest[0]}:  # said before: nothing moves
                model[key] = (model[key][0], "train" if split == "pool" else split, label)
        elif kind == "remove":
            model.pop(key, None)


def _counts(model: dict[str, Any]) -> dict[str, Any]:
    by_split: dict[str, int] = {}
    by_class: dict[str, int] = {}
    for _, split, label in model.values():
        by_split[split] = by_split.get(split, 0) + 1
        if label:
            by_class[label["class"]] = by_class.get(label["class"], 0) + 1
    labelled = sum(by_class.values())
    return {"samples": len(model), "labelled": labelled, "by_split": by_split, "by_class": by_class}


@pytest.mark.django_db(transaction=True)
def test_eight_threads_commit_and_every_acknowledged_commit_is_reachable(
    dataset: Dataset, alice: User, blob_of: BlobOf
) -> None:
    acknowledged: list[int] = []
    guard = threading.Lock()

    def work(worker: int) -> None:
        for turn in range(4):
            result = commit(
                dataset, changes(change(f"{worker}-{turn}", blob_of(worker * 100 + turn + 1))), author=alice
            )
            assert result.version is not None
            with guard:
                acknowledged.append(result.version.number)
        connection.close()

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    head: Version | None = find_version(Dataset.objects.get(), "head")
    assert head is not None
    assert len(state(head)) == head.counts["samples"] == 32
    chain = []
    while head is not None:
        chain.append(head.number)
        head = head.parent
    assert sorted(acknowledged) == sorted(chain) == list(range(1, 33))


@pytest.mark.django_db(transaction=True)
def test_of_eight_commits_on_one_parent_one_wins_and_seven_are_told(
    dataset: Dataset, alice: User, blob_of: BlobOf
) -> None:
    outcomes: list[str] = []

    def work(worker: int) -> None:
        try:
            commit(dataset, changes(change(f"{worker}", blob_of(worker + 1)), parent=0), author=alice)
            outcomes.append("won")
        except Conflict as error:
            outcomes.append(error.code)
        connection.close()

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["stale_parent"] * 7 + ["won"]
    assert row_counts() | {"Dataset": 1} == {
        "Blob": 1, "Dataset": 1, "Label": 0, "Revision": 1, "Sample": 1, "Version": 1,
    }  # fmt: skip
