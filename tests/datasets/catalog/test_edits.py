"""Edits to what a filter chooses, what one would do, and taking a version back."""

from collections.abc import Callable, Collection
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient
from tests.datasets.conftest import change
from tests.working import work_on

from accounts.models import User
from blobs.models import Blob
from catalog.changes.sets import ChangeSet
from catalog.curation import edit_jobs, editing
from catalog.curation.editing import Edit, Terms, edit_samples
from catalog.filtering.filters import Filter
from catalog.models import Dataset, Label, NearDuplicate, Sample, Version
from catalog.splits import judging
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset, find_version
from catalog.versions.forks import fork
from catalog.versions.reverting import revert
from core.errors import MotherlodeError
from jobs.models import Job

BlobOf = Callable[[int], Blob]
STATE = ("sample__key", "blob__md5", "split", "meta", "label__value", "label__source", "label__author",
         "label__seconds", "label__facts")  # fmt: skip
FACTS = {"review_state": "reviewed", "answers": 2}


@pytest.fixture
def animals(dataset: Dataset, alice: User, blob_of: BlobOf) -> Dataset:
    """Two cats of train, one by a model, a dog of test, and two that nobody has labelled."""
    cat: dict[str, Any] = {"class": "cat"}
    told = {"source": Label.Source.HUMAN, "author_id": alice.pk, "seconds": 2.5, "facts": FACTS}
    samples = [
        change("a", blob_of(1), label=cat, split="train", meta={"tags": ["dark"], "time": 3}, **told),
        change("b", blob_of(2), label=cat, split="train", source=Label.Source.MODEL),
        change("c", blob_of(3), label={"class": "dog"}, split="test"),
        change("d", blob_of(4)),
        change("e", blob_of(5)),
    ]
    commit(dataset, ChangeSet(samples), author=alice)
    return dataset


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that was judged on every version of the datasets that are asked about."""

    def judge(datasets: Collection[int]) -> list[tuple[int, str]]:
        return [(pk, "pets@1") for pk in Version.objects.filter(dataset__in=datasets).values_list("pk", flat=True)]

    monkeypatch.setattr(judging, "_judges", {"here": judge})


def state(dataset: Dataset) -> list[tuple[Any, ...]]:
    head = find_version(Dataset.objects.select_related("head").get(pk=dataset.pk), "head")
    return sorted(head.revisions.values_list(*STATE), key=lambda row: row[0])


def edit(api: APIClient, dataset: Dataset, chosen: Any, **what: Any) -> Any:
    return api.post(f"/datasets/{dataset.name}/edits", {"filter": chosen, **what}, format="json")


def preview(api: APIClient, dataset: Dataset, chosen: Any, **what: Any) -> Any:
    return api.post(f"/datasets/{dataset.name}/edits/preview", {"filter": chosen, **what}, format="json")


def take_back(api: APIClient, dataset: Dataset, version: Any = "head") -> Any:
    return api.post(f"/datasets/{dataset.name}/reverts", {"version": version}, format="json")


def test_labels_are_taken_away_in_one_commit_and_come_back_with_who_gave_them(api: APIClient, animals: Dataset) -> None:
    before = state(animals)
    told = preview(api, animals, "split in (train, test, pool)", clear=True).json()
    assert (told["changed"], told["unchanged"], told["by_split"]) == (3, 2, {"train": 2, "test": 1})
    done = edit(api, animals, "labelled or not labelled", clear=True).json()
    assert (done["version"], done["updated"], done["labelled"], done["unchanged"]) == (2, 3, 0, 2)
    assert [(row[0], row[2], row[4]) for row in state(animals)] == [
        ("a", "train", None), ("b", "train", None), ("c", "test", None), ("d", "pool", None), ("e", "pool", None),
    ]  # fmt: skip
    head = api.get(f"/datasets/{animals.name}/versions/head").json()
    assert (head["message"], head["counts"]["labelled"]) == ("Clear labels", 0)
    assert take_back(api, animals).status_code == 201
    assert state(animals) == before


@pytest.mark.usefixtures("judged")
def test_labels_are_taken_away_with_a_move_to_the_pool(api: APIClient, animals: Dataset) -> None:
    assert edit(api, animals, "labelled", clear=True, split="pool").json()["updated"] == 2
    assert {row[0]: (row[2], row[4] is None) for row in state(animals)} == {
        "a": ("pool", True), "b": ("pool", True), "c": ("test", False), "d": ("pool", True), "e": ("pool", True),
    }  # fmt: skip
    assert edit(api, animals, "labelled", clear=True, remove=True).json()["errors"].keys() == {"remove"}
    assert edit(api, animals, "labelled", clear=True, label={"class": "cat"}).json()["errors"].keys() == {"clear"}


@pytest.mark.both
def test_a_label_for_many_is_one_commit_and_a_persons(api: APIClient, animals: Dataset) -> None:
    done = edit(api, animals, "split = train or not labelled", label={"class": "dog"}, message="They bark")
    assert (done.status_code, done.json()["version"], done.json()["labelled"]) == (201, 2, 4)
    rows = api.get(f"/datasets/{animals.name}/versions/head/samples").json()["results"]
    assert [(row["key"], row["label"], row["split"], row["label_source"]) for row in rows] == [
        (key, {"class": "dog"}, "test" if key == "c" else "train", "import" if key == "c" else "human")
        for key in "abcde"
    ]
    told = api.get(f"/datasets/{animals.name}/versions/2").json()
    assert (told["message"], told["author"], told["updated"]) == ("They bark", "alice", 4)


def test_without_a_message_the_version_says_what_was_done(api: APIClient, animals: Dataset) -> None:
    edit(api, animals, {"samples": ids(animals, "a", "b")}, label={"class": "3"}, split="val")
    edit(api, animals, "key = d", remove=True)
    rows = api.get(f"/datasets/{animals.name}/versions").json()["results"]
    assert [row["message"] for row in rows[:2]] == ["Remove samples", "Relabel as 3 and move to val"]


@pytest.mark.usefixtures("judged")
def test_a_preview_tells_what_an_edit_would_do_and_writes_nothing(api: APIClient, animals: Dataset) -> None:
    told = preview(api, animals, "labelled or not labelled", label={"class": "cat"}).json()
    assert told == {
        "version": 1, "samples": 5, "changed": 3, "unchanged": 2, "by_split": {"test": 1, "pool": 2},
        "by_class": {"dog": 1}, "unlabelled": 2, "moves": [{"from": "pool", "to": "train", "samples": 2}],
        "refused": [], "held_out": 0, "leaks": 0,
    }  # fmt: skip
    moved = preview(api, animals, "labelled", split="val").json()
    assert (moved["changed"], moved["refused"][0]["code"], moved["refused"][0]["keys"]) == (2, "test_is_fixed", ["c"])
    assert preview(api, animals, "split = train", remove=True).json()["by_class"] == {"cat": 2}
    assert Version.objects.count() == 1


@pytest.mark.usefixtures("judged")
def test_what_cannot_be_taken_is_told_or_refuses_all(api: APIClient, animals: Dataset) -> None:
    before = state(animals)
    refused = edit(api, animals, "labelled", split="val", strict=True)
    assert (refused.status_code, refused.json()["code"]) == (400, "not_all_accepted")
    assert edit(api, animals, "key = c", split="val").json()["code"] == "nothing_accepted"
    assert state(animals) == before
    taken = edit(api, animals, "labelled", split="val").json()
    assert (taken["updated"], [row["key"] for row in taken["rejected"]]) == (2, ["c"])


@pytest.mark.both
def test_a_head_that_moved_refuses_an_edit_that_names_the_one_it_saw(api: APIClient, animals: Dataset) -> None:
    edit(api, animals, "key = a", split="val")
    stale = edit(api, animals, "key = b", split="val", parent=1)
    assert (stale.status_code, stale.json()["code"], stale.json()["head"]) == (409, "stale_parent", 2)
    tags = {"filter": "key = b", "add": ["x"], "parent": 1}
    assert api.post(f"/datasets/{animals.name}/sample-tags", tags, format="json").json()["code"] == "stale_parent"
    tagged = api.post(f"/datasets/{animals.name}/sample-tags", tags | {"parent": 2, "message": "Odd"}, format="json")
    assert tagged.status_code == 201
    assert api.get(f"/datasets/{animals.name}/versions/3").json()["message"] == "Odd"


@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("remove", {"filter": "labelled"}),
        ("remove", {"filter": "labelled", "remove": True, "split": "val"}),
        ("remove", {"filter": "labelled", "remove": False}),
        ("label", {"filter": "labelled", "label": {"class": "cow"}}),
        ("split", {"filter": "labelled", "split": "holdout"}),
        ("filter", {"filter": "key = nowhere", "split": "val"}),
        ("filter", {"split": "val"}),
        ("filter", {"filter": "colour = red", "split": "val"}),
        ("parent", {"filter": "labelled", "split": "val", "parent": -1}),
        ("spilt", {"filter": "labelled", "spilt": "val"}),
    ],
)
def test_a_faulty_edit_is_told_by_field(api: APIClient, animals: Dataset, field: str, body: dict[str, Any]) -> None:
    for address in ("edits", "edits/preview"):
        if field != "parent" or address == "edits":
            told = api.post(f"/datasets/{animals.name}/{address}", body, format="json")
            assert (told.status_code, [name.partition(".")[0] for name in told.json()["errors"]]) == (400, [field])
    assert Version.objects.count() == 1


def test_an_edit_is_for_engineers(ritas_api: APIClient, animals: Dataset) -> None:
    assert edit(ritas_api, animals, "labelled", split="val").json()["code"] == "engineers_only"


@pytest.mark.both
def test_more_than_one_request_waits_for_are_a_job(
    api: APIClient, animals: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(animals)
    monkeypatch.setattr(editing, "AT_ONCE", 2)
    monkeypatch.setattr(edit_jobs, "AT_ONCE", 2)
    begun = edit(api, animals, "split = train or not labelled", label={"class": "dog"})
    assert begun.status_code == 202
    done = ended(begun)
    assert (done["version"], done["updated"]) == (2, 4)
    again = take_back(api, animals, 2)
    assert again.status_code == 202
    assert ended(again)["updated"] == 4
    assert state(animals) == before
    assert ended(take_back(api, animals, 2))["code"] == "already_reverted"


def ended(begun: Any) -> Any:
    """What the job came to: its result, or why it failed."""
    number = begun.json()["job"]["id"]
    assert work_on(number)
    job = Job.objects.get(pk=number)
    return job.result or job.error


def ids(dataset: Dataset, *keys: str) -> list[int]:
    return list(Sample.objects.filter(dataset=dataset, key__in=keys).values_list("pk", flat=True))


def test_a_revert_brings_labels_splits_tags_and_samples_back_as_they_were(api: APIClient, animals: Dataset) -> None:
    before = state(animals)
    edit(api, animals, "not labelled", label={"class": "cat"})
    assert take_back(api, animals).json()["updated"] == 2
    assert state(animals) == before
    edit(api, animals, "labelled", label={"class": "3"})
    assert take_back(api, animals, "v4").status_code == 201
    edit(api, animals, "split = train", split="val")
    take_back(api, animals, 6)
    edit(api, animals, "labelled", remove=True)
    assert take_back(api, animals).json()["added"] == 3
    tags = {"filter": "labelled", "add": ["x"], "remove": ["dark"]}
    api.post(f"/datasets/{animals.name}/sample-tags", tags, format="json")
    take_back(api, animals)
    assert state(animals) == before
    told = api.get(f"/datasets/{animals.name}/versions").json()["results"]
    assert [row["message"] for row in told[:4:2]] == ["Revert version 10", "Revert version 8"]


def test_a_revert_is_refused_where_somebody_changed_one_of_them_since(api: APIClient, animals: Dataset) -> None:
    edit(api, animals, "split = train", label={"class": "dog"})
    edit(api, animals, "key = b", split="val")
    edit(api, animals, "key = d", split="val")
    now = state(animals)
    refused = take_back(api, animals, 2)
    assert (refused.status_code, refused.json()["code"]) == (409, "changed_since")
    assert refused.json()["errors"] == {"b": ["changed again in a later version"]}
    assert state(animals) == now
    assert take_back(api, animals, 3).status_code == 201
    assert take_back(api, animals, 2).status_code == 201


def test_a_version_is_taken_back_once_and_a_first_one_never(api: APIClient, animals: Dataset) -> None:
    edit(api, animals, "key = a", split="val")
    take_back(api, animals, 2)
    again = take_back(api, animals, 2)
    assert (again.status_code, again.json()["code"]) == (409, "already_reverted")
    first = take_back(api, animals, 1)
    assert (first.status_code, list(first.json()["errors"])) == (400, ["version"])
    assert take_back(api, animals, 17).json()["code"] == "version_unknown"
    assert Version.objects.count() == 3


@pytest.mark.usefixtures("judged")
def test_what_a_rule_keeps_where_it_is_does_not_go_back(api: APIClient, animals: Dataset) -> None:
    edit(api, animals, "key = a", split="test")
    edit(api, animals, "key = b", split="val")
    now = state(animals)
    refused = take_back(api, animals, 2)
    assert (refused.status_code, refused.json()["code"]) == (409, "not_reversible")
    assert list(refused.json()["errors"]) == ["a"]
    assert state(animals) == now


def test_reviewers_take_back_their_own_versions_alone(api: APIClient, ritas_api: APIClient, animals: Dataset) -> None:
    edit(api, animals, "key = a", split="val")
    refused = take_back(ritas_api, animals)
    assert (refused.status_code, refused.json()["code"]) == (403, "engineers_only")
    ritas_api.post(f"/datasets/{animals.name}/sample-tags", {"filter": "labelled", "add": ["odd"]}, format="json")
    assert take_back(ritas_api, animals).status_code == 201
    assert take_back(api, animals, 2).status_code == 201


def test_a_near_duplicate_that_was_allowed_comes_back_to_train(animals: Dataset, alice: User, blob_of: BlobOf) -> None:
    for number in (1, 3):
        Blob.objects.filter(md5=f"{number:032x}").update(phash=7, sketch=bytes(range(64)))
    near = dict(zip("ac", ids(animals, "a", "c"), strict=True))
    row = NearDuplicate(dataset=animals, sample_id=near["a"], of_id=near["c"], distance=0, found_by="pixels", since=1)
    row.allowed = True
    row.save()
    before = state(animals)
    done = edit_samples(animals, Filter.of("key = a", animals), Edit(remove=True), Terms(), author=alice)
    assert not isinstance(done, Job)
    revert(animals, find_version(animals, "head"), message="", author=alice)
    assert state(animals) == before
    assert NearDuplicate.objects.get().allowed


def test_a_fork_takes_back_what_it_did_to_its_origins_samples(animals: Dataset, alice: User, api: APIClient) -> None:
    forked = fork(find_version(animals, "head"), "zoo", description="", author=alice)
    before = state(forked)
    edit(api, forked, "split = train", remove=True)
    edit(api, forked, "key = d", label={"class": "3"})
    assert take_back(api, forked, 2).json()["added"] == 2
    assert take_back(api, forked, 3).status_code == 201
    assert state(forked) == before
    assert state(animals) == before


WHAT = st.one_of(
    st.builds(Edit, label=st.sampled_from([{"class": "cat"}, {"class": "dog"}])),
    st.builds(Edit, split=st.sampled_from(["pool", "train", "val"])),
    st.builds(Edit, label=st.just({"class": "3"}), split=st.sampled_from(["train", "val"])),
    st.just(Edit(remove=True)),
)
CHOSEN = st.lists(st.sampled_from(["a", "b", "d", "e"]), min_size=1, unique=True)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(st.tuples(WHAT, CHOSEN), min_size=1, max_size=4))
@pytest.mark.both
def test_edits_that_are_taken_back_in_turn_leave_nothing(
    alice: User, blob_of: BlobOf, edits: list[tuple[Edit, list[str]]]
) -> None:
    made = create_dataset(
        f"law-{Dataset.everything.count()}", task="classification", classes=["cat", "dog", "3"], description="",
        author=alice,
    )  # fmt: skip
    labels = {key: {"class": "cat"} for key in "ab"}
    samples = [change(key, blob_of(at), label=labels.get(key)) for at, key in enumerate("abde")]
    commit(made, ChangeSet(samples), author=alice)
    before, versions = state(made), list[int]()
    for what, keys in edits:
        try:
            done = edit_samples(made, Filter.of({"key": {"in": keys}}, made), what, Terms(), author=alice)
        except MotherlodeError:  # nothing of them is left to edit
            continue
        assert isinstance(done, dict)
        if done["version"] not in (*versions, 1):
            versions.append(done["version"])
    for number in reversed(versions):
        revert(made, find_version(made, str(number)), message="", author=alice)
    assert state(made) == before


@pytest.mark.both
def test_keys_of_a_range_come_in_one_call(api: APIClient, animals: Dataset) -> None:
    base = f"/datasets/{animals.name}/versions/head/sample-keys"
    told = api.get(base, {"offset": 1, "limit": 3}).json()
    assert [row["key"] for row in told["results"]] == ["b", "c", "d"]
    assert [row["id"] for row in told["results"]] == ids(animals, "b", "c", "d")
    assert (told["total"], told["offset"], told["version"]) == (5, 1, 1)
    found = api.get(base, {"label": "cat", "filter": "meta.time = 3"}).json()
    assert ([row["key"] for row in found["results"]], found["total"]) == (["a"], 1)
    wrong = api.get(base, {"limit": 20_001})
    assert (wrong.status_code, list(wrong.json()["errors"])) == (400, ["limit"])


@pytest.fixture
def pets(alice: User, blob_of: BlobOf) -> Dataset:
    """Labels that are lists of classes: cat and dog, dog, none of them, and one that nobody has labelled."""
    made = create_dataset("pets", task="multilabel", classes=["cat", "dog", "bird"], description="", author=alice)
    labels = [{"classes": ["cat", "dog"]}, {"classes": ["dog"]}, {"classes": []}, None]
    samples = [change(key, blob_of(n), label=label) for n, (key, label) in enumerate(zip("abcd", labels, strict=True))]
    commit(made, ChangeSet(samples), author=alice)
    return made


def named(dataset: Dataset) -> dict[str, list[str] | None]:
    return {row[0]: row[4] and row[4]["classes"] for row in state(dataset)}


def test_classes_are_added_and_removed_in_one_commit_and_come_back(api: APIClient, pets: Dataset) -> None:
    before = state(pets)
    what = {"add_classes": ["bird", "cat"], "remove_classes": ["dog"]}
    assert preview(api, pets, "labelled", **what).json()["changed"] == 3
    done = edit(api, pets, "labelled", **what).json()
    assert (done["updated"], named(pets)) == (3, {key: ["cat", "bird"] for key in "abc"} | {"d": None})
    assert api.get("/datasets/pets/versions/head").json()["message"] == "Classes +bird, +cat, -dog"
    assert take_back(api, pets).status_code == 201
    assert state(pets) == before


def test_removing_a_class_labels_nothing_and_a_label_says_them_exactly(api: APIClient, pets: Dataset) -> None:
    done = edit(api, pets, "labelled or not labelled", remove_classes=["dog"]).json()
    assert (done["updated"], done["unchanged"]) == (2, 2)
    assert named(pets) == {"a": ["cat"], "b": [], "c": [], "d": None}
    edit(api, pets, "labelled or not labelled", label={"classes": ["bird"]})
    assert named(pets) == {key: ["bird"] for key in "abcd"}


@pytest.mark.parametrize(
    ("field", "what"),
    [
        ("add_classes", {"add_classes": ["cow"]}),
        ("remove_classes", {"remove_classes": ["cow"]}),
        ("remove_classes", {"add_classes": ["cat"], "remove_classes": ["cat"]}),
        ("add_classes", {"add_classes": ["cat"], "clear": True}),
        ("remove_classes", {"remove_classes": ["cat"], "label": {"classes": []}}),
        ("remove", {"remove_classes": ["cat"], "remove": True}),
        ("remove", {"add_classes": [], "remove_classes": []}),
    ],
)
def test_faulty_classes_are_told_by_field(api: APIClient, pets: Dataset, field: str, what: dict[str, Any]) -> None:
    told = edit(api, pets, "labelled", **what)
    assert (told.status_code, list(told.json()["errors"])) == (400, [field])


def test_a_label_of_one_class_takes_no_further_one(api: APIClient, animals: Dataset) -> None:
    told = edit(api, animals, "labelled", add_classes=["cat"])
    assert (told.status_code, list(told.json()["errors"])) == (400, ["add_classes"])
    assert '{"class": "cat"}' in told.json()["errors"]["add_classes"][0]
