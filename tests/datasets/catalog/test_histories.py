"""Any sequence of commits, removals, forks and merges equals the same sequence on plain dictionaries."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from itertools import count
from operator import or_
from typing import Any
from unittest import mock

import pytest
from django.db.models import Count, OuterRef, Subquery, Value
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.datasets.conftest import CLASSES, change
from tests.laws import examples

from accounts.models import User
from blobs.models import Blob
from catalog.changes.sets import ChangeSet
from catalog.models import Dataset, Revision, Version, revision_conditions
from catalog.reading import queries
from catalog.reading.queries import chosen_samples
from catalog.versions import diffs, forks, tallies
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset, find_dataset, find_version
from core.errors import Conflict, Invalid

BlobOf = Callable[[int], Blob]
Sample = tuple[str, str, str | None]  # md5, split, class
Content = dict[str, Sample]
SPLITS = ("pool", "train", "val")
KEYS = st.sampled_from(["a", "b", "c/d", "e", "ü"])
STEP = st.one_of(
    st.tuples(st.just("add"), KEYS, st.integers(0, 3), st.sampled_from(SPLITS), st.sampled_from([None, *CLASSES])),
    st.tuples(st.just("label"), KEYS, st.sampled_from(CLASSES)),
    st.tuples(st.just("move"), KEYS, st.sampled_from(SPLITS)),
    st.tuples(st.just("remove"), KEYS),
)
STEPS = st.lists(STEP, min_size=1, max_size=4, unique_by=lambda step: step[1])
INDEX = st.integers(0, 20)
COMMAND = st.one_of(
    st.tuples(st.just("commit"), INDEX, STEPS),
    st.tuples(st.just("commit"), INDEX, STEPS),
    st.tuples(st.just("fork"), INDEX, INDEX),
    st.tuples(st.just("merge"), INDEX, INDEX, INDEX, st.sampled_from([None, "ours", "theirs"])),
)


@dataclass
class Line:
    """A dataset as plain values: what each version holds, and where it comes from."""

    versions: list[Content] = field(default_factory=list)
    origin: tuple[str, int] | None = None

    @property
    def head(self) -> Content:
        return self.versions[-1] if self.versions else {}


@dataclass
class World:
    """All datasets as plain values."""

    lines: dict[str, Line] = field(default_factory=dict)
    merges: list[tuple[str, int, str, int]] = field(default_factory=list)  # into, as, from, its version

    def commit(self, name: str, steps: list[tuple[Any, ...]], md5: Callable[[int], str]) -> None:
        content = dict(self.lines[name].head)
        for kind, key, *rest in steps:
            if kind == "add":
                seed, split, told = rest
                before = content.get(key)
                content[key] = (md5(seed), split, told or (before[2] if before else None))
            elif key in content and kind == "label":
                old, split, _ = content[key]
                content[key] = (old, "train" if split == "pool" else split, rest[0])
            elif key in content and kind == "move":
                content[key] = (content[key][0], rest[0], content[key][2])
            elif kind == "remove":
                content.pop(key, None)
        self.put(name, content)

    def put(self, name: str, content: Content, *, settles: bool = False) -> bool:
        if content == self.lines[name].head and not settles:
            return False
        self.lines[name].versions.append(content)
        return True

    def path(self, name: str, number: int) -> list[tuple[str, int]]:
        origin = self.lines[name].origin
        return [(name, number), *(self.path(*origin) if origin else [])]

    def base(self, ours: tuple[str, int], theirs: tuple[str, int]) -> Content | None:
        there, back = (-1, -1, ""), (-1, -1, "")  # a version of the source, when it was merged, and the source
        for at, (into, made, source, number) in enumerate(self.merges):
            if (into, source) == (ours[0], theirs[0]) and number <= theirs[1]:
                there = max(there, (number, at, source))
            if (into, source) == (theirs[0], ours[0]) and made <= theirs[1]:
                back = max(back, (number, at, source))
        number, at, source = max(there, back, key=lambda found: found[1])
        if at >= 0:
            return self.lines[source].versions[number - 1]
        numbers = dict(self.path(*ours))
        for line, number in self.path(*theirs):
            if line in numbers:
                return self.lines[line].versions[min(number, numbers[line]) - 1]
        return None

    def merge(self, into: str, source: str, number: int, prefer: str | None) -> list[str] | None:
        """The conflicting keys, none when it was merged; None when the two have nothing in common."""
        ours, theirs = self.lines[into].head, self.lines[source].versions[number - 1]
        base = self.base((into, len(self.lines[into].versions)), (source, number))
        if base is None:
            return None
        content, conflicts, settles = dict(ours), [], False
        for key in base.keys() | theirs.keys():
            before, after, mine = base.get(key), theirs.get(key), ours.get(key)
            if before == after:
                continue
            settles |= mine != before
            if mine == after:
                continue
            if mine != before:
                if prefer is None:
                    conflicts.append(key)
                if prefer != "theirs":
                    continue
            if after is None:
                content.pop(key)
            else:
                content[key] = after
        if not conflicts and self.put(into, content, settles=settles):
            self.merges.append((into, len(self.lines[into].versions), source, number))
        return conflicts


def content_of(version: Version) -> Content:
    rows = version.revisions.values_list("sample__key", "blob__md5", "split", "label__value")
    found = [(key, (md5, split, label["class"] if label else None)) for key, md5, split, label in rows]
    assert len(found) == len(dict(found)), "a key is there once"
    return dict(found)


def change_set(steps: list[tuple[Any, ...]], blob_of: BlobOf) -> ChangeSet:
    found = ChangeSet(remove=[step[1] for step in steps if step[0] == "remove"])
    for kind, key, *rest in steps:
        if kind == "add":
            label = {"class": rest[2]} if rest[2] else None
            found.samples.append(change(key, blob_of(rest[0]), split=rest[1], label=label))
        elif kind == "label":
            found.samples.append(change(key, label={"class": rest[0]}))
        elif kind == "move":
            found.samples.append(change(key, split=rest[0]))
    return found


NAMES = count()
# What a fork takes away of its origin has no revision of its own: only a ForkOverride tells.
REMOVED_IN_A_FORK = [
    ("commit", 0, [("add", "ü", 1, "pool", None)]), ("fork", 0, 0), ("fork", 2, 0),
    ("commit", 2, [("add", "e", 0, "val", "3"), ("remove", "ü")]),
]  # fmt: skip

# A sample that changes again and again does not count as many.
CHANGED_OFTEN = [
    ("commit", 0, [("add", "e", 0, "val", "3")]), ("commit", 0, [("label", "e", "dog")]),
    ("commit", 0, [("label", "e", "3")]), ("commit", 0, [("add", "a", 1, "val", "3"), ("add", "b", 2, "val", "dog")]),
]  # fmt: skip

# What both sides changed alike, then one side again; a version that was merged before a newer one.
MERGED_ALIKE = [
    ("commit", 0, [("add", "a", 0, "train", "3")]), ("fork", 0, 0),
    ("commit", 0, [("label", "a", "dog")]), ("commit", 2, [("label", "a", "dog")]), ("merge", 0, 2, 1, None),
    ("commit", 0, [("label", "a", "3")]), ("merge", 0, 2, 1, None), ("merge", 0, 2, 0, "ours"),
    ("merge", 0, 2, 1, None),
]  # fmt: skip


@pytest.mark.django_db
@settings(max_examples=examples(25))
@given(commands=st.lists(COMMAND, min_size=3, max_size=14))
@example(commands=REMOVED_IN_A_FORK)
@example(commands=CHANGED_OFTEN)
@example(commands=MERGED_ALIKE)
def test_any_history_equals_the_same_history_on_dictionaries(
    alice: User, blob_of: BlobOf, commands: list[tuple[Any, ...]]
) -> None:
    world = World()
    _new(world, alice)
    _new(world, alice)
    for command in commands:
        names = list(world.lines)
        name = names[command[1] % len(names)]
        if command[0] == "commit":
            commit(find_dataset(name), change_set(command[2], blob_of), author=alice)
            world.commit(name, command[2], lambda seed: blob_of(seed).md5)
        elif command[0] == "fork" and world.lines[name].versions:
            number = command[2] % len(world.lines[name].versions) + 1
            made = f"line-{next(NAMES)}"
            forks.fork(find_version(find_dataset(name), str(number)), made, description="", author=alice)
            world.lines[made] = Line([world.lines[name].versions[number - 1]], (name, number))
        elif command[0] == "merge":
            _merge(world, name, names[command[2] % len(names)], command[3], command[4], alice)
    for name, line in world.lines.items():
        _same_versions(find_dataset(name), line)
        _same_together(find_dataset(name), line)
    _same_diffs(world)


@pytest.mark.both
def test_the_same_key_born_on_both_sides_of_a_fork_is_one_sample_to_a_merge(
    dataset: Dataset, alice: User, blob_of: BlobOf
) -> None:
    commit(dataset, ChangeSet([change("a", blob_of(1))]), author=alice)
    made = forks.fork(find_version(dataset, "1"), "fork", description="", author=alice)
    commit(made, ChangeSet([change("k", blob_of(2))]), author=alice)
    there = find_version(find_dataset("fork"), "head")
    forks.merge(dataset, there, prefer=None, message="", author=alice)
    commit(find_dataset(dataset.name), ChangeSet([change("b", blob_of(3))]), author=alice)
    back = find_version(find_dataset(dataset.name), "head")
    result = forks.merge(find_dataset("fork"), back, prefer=None, message="", author=alice)
    assert (result.added, result.removed) == (1, 0)
    assert content_of(find_version(find_dataset("fork"), "head")).keys() == {"a", "b", "k"}


def _new(world: World, alice: User) -> None:
    name = f"line-{next(NAMES)}"
    create_dataset(name, task="classification", classes=CLASSES, description="", author=alice)
    world.lines[name] = Line()


def _merge(world: World, into: str, source: str, index: int, prefer: str | None, alice: User) -> None:
    if into == source or not world.lines[source].versions or not world.lines[into].versions:
        return
    number = index % len(world.lines[source].versions) + 1
    expected = world.merge(into, source, number, prefer)
    theirs = find_version(find_dataset(source), str(number))
    told: dict[str, Any] = {"prefer": prefer, "message": "", "author": alice}
    if expected == []:
        forks.merge(find_dataset(into), theirs, **told)
    elif expected is None:
        with pytest.raises(Invalid, match="in common"):
            forks.merge(find_dataset(into), theirs, **told)
    else:
        with pytest.raises(Conflict) as caught:
            forks.merge(find_dataset(into), theirs, **told)
        assert sorted(caught.value.errors) == sorted(expected)


def _same_versions(dataset: Dataset, line: Line) -> None:
    assert dataset.versions.count() == len(line.versions)
    for number, content in enumerate(line.versions, start=1):
        version = find_version(dataset, str(number))
        assert content_of(version) == content
        assert version.counts["samples"] == len(content)
        if number < len(line.versions) - 1:
            continue
        for split in (None, *SPLITS):
            for told in (None, *CLASSES):
                query = {name: value for name, value in (("split", split), ("label", told)) if value}
                chosen = chosen_samples(query, version.dataset)
                found = [one for one in content.values() if split in {None, one[1]} and told in {None, one[2]}]
                assert queries.total(version, chosen) == len(found)
                assert queries.facets(version, chosen)["total"] == len(found)
                window = queries.window(version, chosen, offset=1, limit=2)
                assert len(window) == min(2, max(0, len(found) - 1))
                assert [row.sample_id for row in window] == sorted(row.sample_id for row in window)


def _same_together(dataset: Dataset, line: Line) -> None:
    """What one query says of all versions: labels in train, and the label of each sample in each version."""
    versions = {version.number: version for version in dataset.versions.select_related("dataset")}
    told = tallies.counts_of(versions.values(), {"split": "train", "class_name": "", "labelled": True})
    conditions = revision_conditions([(dataset.pk, OuterRef("number")), *dataset.ancestry])
    held = Revision.objects.filter(reduce(or_, conditions)).exclude(label=None)
    labelled = held.order_by().values(one=Value(1)).annotate(n=Count("pk")).values("n")
    counted = dict(dataset.versions.values_list("number", Subquery(labelled)))
    for number, content in enumerate(line.versions, start=1):
        labels = [split for _, split, label in content.values() if label is not None]
        assert told[versions[number].pk] == labels.count("train")
        assert (counted[number] or 0) == len(labels)


def _same_diffs(world: World) -> None:
    places = [(name, number) for name, line in world.lines.items() for number in range(1, len(line.versions) + 1)]
    for old_name, old_number in places[:3]:
        for new_name, new_number in places[-3:]:
            old = find_version(find_dataset(old_name), str(old_number))
            new = find_version(find_dataset(new_name), str(new_number))
            related = {ancestor for ancestor, _ in world.path(old_name, old_number)} & {
                line for line, _ in world.path(new_name, new_number)
            }
            if not related:
                continue
            before, after = (
                world.lines[name].versions[n - 1] for name, n in ((old_name, old_number), (new_name, new_number))
            )
            counts = diffs.summary(old, new)
            with mock.patch.object(diffs, "FEW", 1), mock.patch.object(diffs, "STEP", 2):  # as of many changes
                assert diffs.summary(old, new) == counts
            both = before.keys() & after.keys()
            assert counts["added"] == len(after.keys() - before.keys())
            assert counts["removed"] == len(before.keys() - after.keys())
            assert counts["changed"] == sum(before[key][0] != after[key][0] for key in both)
            assert counts["relabelled"] == sum(before[key][2] != after[key][2] for key in both)
            assert counts["split_moved"] == sum(before[key][1] != after[key][1] for key in both)


@pytest.mark.both
def test_an_offset_is_found_across_buckets(
    monkeypatch: pytest.MonkeyPatch, dataset: Dataset, alice: User, blob_of: BlobOf
) -> None:
    monkeypatch.setattr(tallies, "BUCKET", 4)
    blob = blob_of(1)
    splits = [SPLITS[number % 3] for number in range(40)]
    commit(dataset, ChangeSet([change(f"{n:02}", blob, split=split) for n, split in enumerate(splits)]), author=alice)
    commit(dataset, ChangeSet(remove=[f"{n:02}" for n in range(0, 40, 7)]), author=alice)
    made = forks.fork(find_version(dataset, "2"), "fork", description="", author=alice)
    commit(made, ChangeSet([change("05", split="val"), change("new", blob, split="pool")], ["11"]), author=alice)
    for version in (find_version(dataset, "1"), find_version(dataset, "2"), find_version(find_dataset("fork"), "2")):
        for query in ({}, {"split": "val"}, {"labelled": "false"}):
            chosen = chosen_samples(query, version.dataset)
            every = [row.pk for row in chosen.apply(version.revisions).order_by("sample_id")]
            for offset in range(len(every) + 2):
                window = queries.window(version, chosen, offset=offset, limit=3)
                assert [row.pk for row in window] == every[offset : offset + 3]
