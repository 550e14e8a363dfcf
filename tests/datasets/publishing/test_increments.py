"""Versions written from what changed are those that are written whole, byte for byte and commit for commit."""

import random
from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import png
from tests.datasets.publishing.conftest import Clients, commit, drain, files_below

from blobs.models import Blob
from blobs.services import store
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset, ForkOverride
from catalog.publication.source import DatasetSource
from catalog.versions.commit import commit as commit_changes
from publishing import services, writing
from publishing.models import Document, Publication, Repository
from publishing.texts import documents_of, listing_of
from versioning.texts import WHOLE_LINES

pytestmark = pytest.mark.production
MANY = WHOLE_LINES + 300
STEPS = 12
ERASED = {"keys": ["b.png"], "reason": "asked for", "confirm": "pets"}


def change(dataset: Dataset, *changes: SampleChange, remove: tuple[str, ...] = ()) -> None:
    dataset.refresh_from_db()
    commit_changes(dataset, ChangeSet(list(changes), remove=remove), author=dataset.created_by)


def keys(dataset: Dataset) -> list[str]:
    dataset.refresh_from_db()
    assert dataset.head is not None
    return sorted(dataset.head.revisions.values_list("sample__key", flat=True))


def edit(dataset: Dataset, seed: int, *, removed: int = 3) -> None:
    """A few samples removed, added, given other bytes, and relabelled."""
    chosen, blobs = random.Random(seed), images()
    picked = chosen.sample(keys(dataset), removed + 9)
    label = {"class": chosen.choice(["cat", "dog"])}
    changes = [SampleChange(key, blob=chosen.choice(blobs)) for key in picked[removed : removed + 3]]
    changes += [SampleChange(key, label=label) for key in picked[removed + 3 :]]
    changes += [SampleChange(f'new/{seed} "{number}".png', blob=blobs[0]) for number in range(3)]
    change(dataset, *changes, remove=tuple(picked[:removed]))


def images() -> list[Blob]:
    return list(Blob.objects.filter(width__isnull=False).order_by("pk")[:2])


def published() -> list[tuple[Any, ...]]:
    rows = Publication.objects.select_related("listing", "listing_patch").order_by("number")
    return [(row.number, row.size, row.nfiles, row.commit, row.texts, row.meta, *_bytes(row)) for row in rows]


def _bytes(row: Publication) -> list[tuple[str, int, bytes]]:
    return [(text.md5, text.length, text.read()) for text in (listing_of(row), *documents_of(row).values())]


def publish_whole(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Publish all versions again, each from all of its samples."""
    Publication.objects.all().delete()
    monkeypatch.setattr(DatasetSource, "changes", lambda *_: None)
    repository = Repository.objects.get(name=dataset.name)
    for number in range(1, DatasetSource().latest(dataset.name) + 1):
        services.publish(repository, number)
    assert not Document.objects.exclude(patch=None).exists()
    return published()


def test_many_labels_are_patched_and_come_out_the_same(
    pets: Dataset, monkeypatch: pytest.MonkeyPatch, api: APIClient
) -> None:
    """With more lines than one file of git's holds, and through the number at which they become many."""
    names = [f"{number % 7}/\u00e9{number:05}.png" for number in range(MANY)]
    change(pets, *(SampleChange(name, blob=images()[number % 2]) for number, name in enumerate(names)))
    drain()
    for seed in range(STEPS):
        edit(pets, seed)
    change(pets, remove=tuple(keys(pets)[: MANY - WHOLE_LINES + 40]))  # few enough for one file
    change(pets, *(SampleChange(f"more/{number}.png", blob=images()[0]) for number in range(80)))  # and many again
    edit(pets, STEPS)
    drain()
    patched = Publication.objects.exclude(listing_patch=None).count()
    assert patched >= STEPS, "most versions cost what changed"
    assert Document.objects.exclude(patch=None).count() >= STEPS
    assert published() == publish_whole(pets, monkeypatch)


def test_what_clashes_is_left_out_as_ever(pets: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("catalog.versions.planning.name_fault", lambda _: None)  # as keys of before this was asked
    some = images()[0]
    change(pets, SampleChange("schema.json", blob=some))
    change(pets, SampleChange("c.png", blob=some))
    change(pets, remove=("schema.json",))
    change(pets, SampleChange("labels.jsonl/x.png", blob=some))
    change(pets, remove=("labels.jsonl/x.png",))
    change(pets, SampleChange("d", blob=some), SampleChange("d/e", blob=some))
    change(pets, SampleChange("d/f", blob=some), remove=("d",))
    drain()
    left_out = [row.meta.get("left_out") for row in Publication.objects.order_by("number")]
    assert left_out == [None, None, ["schema.json"], ["schema.json"], None, ["labels.jsonl/x.png"], None, ["d"], None]
    assert published() == publish_whole(pets, monkeypatch)


@pytest.fixture
def always_patched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "SMALL_BYTES", 0)
    monkeypatch.setattr(writing, "PATCH_PART", 0)


@pytest.mark.usefixtures("always_patched")
def test_stock_dvc_reads_every_version(clients: Clients, pets: Dataset, api: APIClient) -> None:
    for number in range(3, 8):
        commit(api, {f"{number}.png": png(number)}, remove=("b.png",) if number == 5 else ())
    assert Publication.objects.exclude(listing_patch=None).count() == 6, "all but the first"
    clients.git("clone", "-q", clients.repository("pets"), "pets")
    clients.git("fsck", "--strict", at="pets")
    for number in range(1, 8):
        there = {"a/1.png": 1, "b.png": 2} | {f"{n}.png": n for n in range(3, number + 1)}
        there = {key: n for key, n in there.items() if n <= number and (key != "b.png" or number < 5)}
        clients.dvc("get", clients.repository("pets"), "data", "-o", f"v{number}", "--rev", f"v{number}")
        assert files_below(clients.folder / f"v{number}") == {key: png(n) for key, n in there.items()}
        assert (clients.folder / f"v{number}" / "labels.jsonl").read_text().count("\n") == len(there)
    clients.dvc("pull", at="pets")
    assert "Data and pipelines are up to date" in clients.dvc("status", at="pets")


@pytest.mark.usefixtures("always_patched")
def test_a_fork_is_patched_too(pets: Dataset, api: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = api.post("/datasets/pets/forks", {"name": "mine"}, format="json")
    assert answer.status_code == 201, answer.content
    drain()
    commit(api, {"b.png": png(5)}, name="mine")
    commit(api, {"c.png": png(6)}, name="mine", remove=("a/1.png",))
    assert ForkOverride.objects.exists()
    mine = Publication.objects.filter(repository__name="mine")
    assert mine.exclude(listing_patch=None).count() == 2
    Publication.objects.exclude(repository__name="mine").delete()
    assert published() == publish_whole(Dataset.objects.get(name="mine"), monkeypatch)


@pytest.mark.usefixtures("always_patched")
def test_an_erased_sample_is_in_no_base_and_in_no_patch(
    clients: Clients, pets: Dataset, api: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3, 7):
        commit(api, {f"{number}.png": png(number)}, remove=("b.png",) if number == 4 else ())
    assert len({row.listing_id for row in Publication.objects.all()}) == 1, "all are patches of the first"
    answer = api.post("/datasets/pets/erasures", ERASED, format="json")
    assert answer.status_code == 202, answer.content
    drain()
    assert Publication.objects.exclude(listing_patch=None).count() == 4, (
        "all but the first, and the next, which is the same now"
    )
    for row in Publication.objects.select_related("listing", "listing_patch"):
        for text in (listing_of(row), *documents_of(row).values()):
            assert b"b.png" not in store().get(text.base.ref) + text.read()
    clients.dvc("get", clients.repository("pets"), "data", "-o", "out")
    assert sorted(files_below(clients.folder / "out")) == ["3.png", "4.png", "5.png", "6.png", "a/1.png"]
    texts = [row[:3] + row[4:] for row in published()]  # without commits: their messages keep what they said
    assert texts == [row[:3] + row[4:] for row in publish_whole(pets, monkeypatch)]
