"""Splits by the hash of a group: the same everywhere, near their shares, and no group on both sides."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient
from tests.datasets.conftest import change, changes
from tests.laws import examples

from accounts.models import User
from blobs.models import Blob
from catalog.models import Dataset, GroupPlace
from catalog.splits.groups import set_split_rule
from catalog.splits.rules import SplitRule
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset, find_version
from catalog.versions.forks import fork
from core.errors import Invalid, NotAllowed

BlobOf = Callable[[int], Blob]
THIRDS = {"train": 0.34, "val": 0.33, "test": 0.33}
SCENES = {"group": "meta.scene", "fractions": {"train": 0.5, "test": 0.5}}
CAT = {"class": "cat"}
SHARES = st.lists(st.integers(0, 20), min_size=4, max_size=4).filter(lambda parts: sum(parts[:3]) > 0)


def rule(group: str = "key", /, **fractions: float) -> SplitRule:
    return SplitRule.of({"group": group, "fractions": fractions})


def shared(parts: list[int]) -> dict[str, float]:
    return {name: part / sum(parts) for name, part in zip(("train", "val", "test"), parts, strict=False)}


def splits(dataset: Dataset) -> dict[str, str]:
    rows = find_version(dataset, "head").revisions
    return dict(rows.values_list("sample__key", "split"))


def scene_in(split: str) -> str:
    """The name of a scene whose hash says this split."""
    names = (f"scene-{number}" for number in range(1000))
    return next(name for name in names if SplitRule.of(SCENES).split_of(f'"{name}"') == split)


@pytest.fixture
def scenes(alice: User) -> Dataset:
    """A dataset split by scene, half train and half test."""
    terms: dict[str, Any] = {"task": "classification", "classes": ["cat", "dog"], "description": ""}
    return create_dataset("drives", split_rule=SCENES, author=alice, **terms)


@given(st.text(max_size=40), SHARES)
def test_a_group_has_one_split_and_only_one_with_a_share(group: str, parts: list[int]) -> None:
    dealt = rule(**shared(parts))
    split = dealt.split_of(group)
    assert split == SplitRule.of(dealt.document()).split_of(group)
    shares = shared(parts) | {"pool": parts[3] / sum(parts)}
    assert shares[split] > 0


@given(st.text(max_size=20), SHARES, SHARES)
def test_a_group_only_moves_to_a_split_that_grew_against_its_own(
    group: str, parts: list[int], others: list[int]
) -> None:
    names = ("train", "val", "test", "pool")
    old, new = (dict(zip(names, shares, strict=True)) for shares in (parts, others))
    was, becomes = (rule(**shared(shares)).split_of(group) for shares in (parts, others))
    if was != becomes:
        assert new[becomes] * old[was] > new[was] * old[becomes]


@settings(max_examples=examples(20))
@given(SHARES, st.text(max_size=5))
def test_shares_are_kept_nearly(parts: list[int], seed: str) -> None:
    dealt = SplitRule.of({"group": "key", "fractions": shared(parts), "seed": seed})
    found = Counter(dealt.split_of(f"group {number}") for number in range(2000))
    for split, share in (shared(parts) | {"pool": parts[3] / sum(parts)}).items():
        assert abs(found[split] / 2000 - share) < 5 * (share * (1 - share) / 2000) ** 0.5 + 1e-9


def test_a_tenth_more_for_test_moves_hardly_more_than_a_tenth() -> None:
    old, new = rule(train=0.8, val=0.1, test=0.1), rule(train=0.7, val=0.1, test=0.2)
    moved = sum(old.split_of(str(number)) != new.split_of(str(number)) for number in range(10_000))
    assert 900 < moved < 1300


def test_the_hash_is_the_same_on_every_machine_and_in_every_release() -> None:
    found = [rule(**THIRDS).split_of(name) for name in ("a", "b", "c", "d", "e", "f", "g", "h")]
    assert found == ["val", "val", "val", "val", "val", "val", "val", "test"]


@pytest.mark.parametrize(
    ("group", "key", "meta", "expected"),
    [
        ("key", "a/b.png", {}, "a/b.png"),
        ("folder", "a/b/c.png", {}, "a/b"),
        ("folder", "c.png", {}, None),
        ("meta.scene", "c", {"scene": "x"}, '"x"'),
        ("meta.scene", "c", {"scene": 7}, "7"),
        ("meta.scene", "c", {"scene": None}, None),
        ("meta.scene", "c", {"scene": ["x"]}, None),
        ("meta.drive.id", "c", {"drive": {"id": 3}}, "3"),
        ("meta.drive.id", "c", {"drive": 3}, None),
        (r"regex:^(\w+)_\d", "night_7.png", {}, "night"),
        (r"regex:^\d+", "17-a.png", {}, "17"),
        (r"regex:^\d+", "a.png", {}, None),
    ],
)
def test_what_a_samples_group_is(group: str, key: str, meta: dict[str, Any], expected: str | None) -> None:
    assert rule(group, train=1).group_of(key, meta) == expected


@pytest.mark.parametrize(
    "document",
    [
        7, [], {}, {"group": "key"}, {"group": "key", "fractions": {}}, {"group": "key", "fractions": {"pool": 1}},
        {"group": "key", "fractions": {"train": 0.8, "test": 0.3}}, {"group": "key", "fractions": {"train": -1}},
        {"group": "key", "fractions": {"train": True}}, {"group": "key", "fractions": {"train": float("nan")}},
        {"group": "key", "fractions": {"train": 0}}, {"group": "scene", "fractions": {"train": 1}},
        {"group": "meta.", "fractions": {"train": 1}}, {"group": 3, "fractions": {"train": 1}},
        {"group": "regex:(", "fractions": {"train": 1}}, {"group": "regex:(a+)+b", "fractions": {"train": 1}},
        {"group": "regex:(a)(b)", "fractions": {"train": 1}}, {"group": "regex:.*.*.*.*x", "fractions": {"train": 1}},
        {"group": "key", "fractions": {"train": 1}, "seed": [1]}, {"group": "key", "fractions": {"train": 1}, "x": 1},
    ],
)  # fmt: skip
def test_a_rule_that_makes_no_sense_names_the_field(document: Any) -> None:
    with pytest.raises(Invalid) as caught:
        SplitRule.of(document)
    assert list(caught.value.errors) == ["split_rule"]


@settings(max_examples=examples(15))
@given(st.permutations(range(12)), st.integers(1, 12))
def test_the_order_and_the_batches_make_no_difference(
    alice: User, blob_of: BlobOf, order: list[int], size: int
) -> None:
    terms: dict[str, Any] = {"task": "classification", "classes": ["cat"], "description": "", "author": alice}
    name = f"d{Dataset.objects.count()}"
    dataset = create_dataset(name, split_rule={"group": "folder", "fractions": THIRDS}, **terms)
    keys = [f"{number % 4}/{number}.png" for number in order]
    for at in range(0, len(keys), size):
        commit(dataset, changes(*(change(key, blob_of(1)) for key in keys[at : at + size])), author=alice)
    expected = {key: rule("folder", **THIRDS).split_of(key.split("/")[0]) for key in keys}
    assert splits(dataset) == expected


def test_a_named_split_wins_and_its_group_follows(scenes: Dataset, alice: User, blob_of: BlobOf) -> None:
    train, test = {"scene": scene_in("train")}, {"scene": scene_in("test")}
    commit(scenes, changes(change("a", blob_of(1), split="test", meta=train)), author=alice)
    commit(scenes, changes(change("b", blob_of(2), meta=train), change("c", blob_of(3), meta=test)), author=alice)
    assert splits(scenes) == {"a": "test", "b": "test", "c": "test"}


@pytest.mark.parametrize(("first", "second"), [("test", "train"), ("train", "test"), ("train", "val")])
def test_a_group_never_straddles(scenes: Dataset, alice: User, blob_of: BlobOf, first: str, second: str) -> None:
    one, two = (
        change(key, blob_of(1), split=split, meta={"scene": "x"}) for key, split in (("a", first), ("b", second))
    )
    for batches in ([[one], [two]], [[one, two]]):
        rejected = [commit(scenes, changes(*batch), author=alice).rejected for batch in batches][-1]
        assert [(item.key, item.code) for item in rejected] == [("b", f"group_in_{first}")]
    assert splits(scenes) == {"a": first}


def test_meta_that_would_move_a_sample_into_a_group_elsewhere_is_refused(
    scenes: Dataset, alice: User, blob_of: BlobOf
) -> None:
    train, test = {"scene": scene_in("train")}, {"scene": scene_in("test")}
    commit(scenes, changes(change("a", blob_of(1), meta=train), change("b", blob_of(2), meta=test)), author=alice)
    result = commit(scenes, changes(change("a", meta=test)), author=alice)
    assert [item.code for item in result.rejected] == ["group_in_test"]


def test_a_label_takes_a_pool_sample_to_where_its_group_belongs(scenes: Dataset, alice: User, blob_of: BlobOf) -> None:
    meta = {"scene": scene_in("test")}
    commit(scenes, changes(change("a", blob_of(1), split="pool", meta=meta)), author=alice)
    assert splits(scenes) == {"a": "pool"}
    commit(scenes, changes(change("a", label=CAT)), author=alice)
    assert splits(scenes) == {"a": "test"}


def test_what_the_shares_leave_out_stays_in_pool_until_it_is_labelled(
    scenes: Dataset, alice: User, blob_of: BlobOf
) -> None:
    set_split_rule(scenes, {"group": "meta.scene", "fractions": {"test": 1e-6}}, author=alice)
    commit(scenes, changes(change("a", blob_of(1), meta={"scene": "x"})), author=alice)
    assert splits(scenes) == {"a": "pool"}
    commit(scenes, changes(change("a", label=CAT)), author=alice)
    assert splits(scenes) == {"a": "train"}


def test_a_sample_without_a_group_is_refused_by_name(scenes: Dataset, alice: User, blob_of: BlobOf) -> None:
    result = commit(
        scenes, changes(change("a", blob_of(1)), change("b", blob_of(2), meta={"scene": "x"})), author=alice
    )
    assert [(item.key, item.code) for item in result.rejected] == [("a", "group_missing")]
    assert "meta.scene" in result.rejected[0].detail
    assert result.added == 1


def test_a_new_rule_leaves_what_is_there_and_its_groups_follow(dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    old = [change("x/1", blob_of(1), split="test"), change("y/1", blob_of(2), split="train"), change("z", blob_of(3))]
    commit(dataset, changes(*old), author=alice)
    set_split_rule(dataset, {"group": "folder", "fractions": {"val": 1}}, author=alice)
    commit(dataset, changes(*(change(f"{name}/2", blob_of(4)) for name in "xyn"), change("z", label=CAT)), author=alice)
    assert splits(dataset) == {
        "x/1": "test", "y/1": "train", "x/2": "test", "y/2": "train", "n/2": "val", "z": "train",
    }  # fmt: skip


def test_a_fork_keeps_the_rule_and_the_groups(scenes: Dataset, alice: User, blob_of: BlobOf) -> None:
    meta = {"scene": scene_in("train")}
    first = commit(scenes, changes(change("a", blob_of(1), split="test", meta=meta)), author=alice)
    assert first.version is not None
    forked = fork(first.version, "forked", description="", author=alice)
    commit(scenes, changes(change("c", blob_of(2), split="train", meta={"scene": "later"})), author=alice)
    commit(forked, changes(change("b", blob_of(2), meta=meta)), author=alice)
    assert splits(forked) == {"a": "test", "b": "test"}
    later = commit(forked, changes(change("d", blob_of(2), split="test", meta={"scene": "later"})), author=alice)
    assert not later.rejected


def test_a_sample_a_group_costs_no_row_beside_its_own(dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    set_split_rule(dataset, {"group": "key", "fractions": THIRDS}, author=alice)
    commit(dataset, changes(*(change(str(number), blob_of(1)) for number in range(50))), author=alice)
    assert len(set(splits(dataset).values())) == 3
    assert not GroupPlace.objects.exists()


def test_the_rule_is_set_at_creation_and_changed_by_an_owner(api: APIClient, bob: User) -> None:
    body = {"name": "drives", "task": "classification", "classes": ["cat"], "split_rule": SCENES}
    made = api.post("/datasets", body, format="json")
    assert made.status_code == 201
    assert made.json()["split_rule"] == SCENES | {"seed": ""}
    changed = api.patch("/datasets/drives", {"split_rule": {"group": "key", "fractions": {"test": 0.5}}}, format="json")
    assert changed.json()["split_rule"] == {"group": "key", "fractions": {"test": 0.5}, "seed": ""}
    assert api.patch("/datasets/drives", {"split_rule": None}, format="json").json()["split_rule"] is None
    wrong = api.patch("/datasets/drives", {"split_rule": {"group": "x"}}, format="json")
    assert wrong.status_code == 400
    assert "split_rule" in wrong.json()["errors"]
    with pytest.raises(NotAllowed):
        set_split_rule(Dataset.objects.get(), None, author=bob)


def test_a_wrong_rule_makes_no_dataset(api: APIClient) -> None:
    body = {"name": "drives", "task": "classification", "classes": ["cat"], "split_rule": {"group": "x"}}
    assert api.post("/datasets", body, format="json").status_code == 400
    assert not Dataset.objects.exists()
