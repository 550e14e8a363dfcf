"""A published version carries its labels: git shows which changed, DVC says that they did, and an import can be trained
on. What comes back with `dvc push` is committed, or refused in words."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import png
from tests.datasets.publishing.conftest import Clients, drain, files_below, push

from catalog.changes.sets import ChangeSet, SampleChange
from catalog.keys import name_fault
from catalog.models import Dataset, Revision, Version
from catalog.publication.source import DatasetSource
from catalog.versions.commit import commit as commit_changes
from jobs.models import Job
from publishing.models import Document, Publication
from publishing.projection import release_of
from versioning import commit_of

pytestmark = pytest.mark.production


def label(api: APIClient, **labels: str) -> int:
    """Label samples (`a__1` is `a/1.png`), commit and publish; the version's number."""
    rows = [{"key": f"{key.replace('__', '/')}.png", "label": {"class": name}} for key, name in labels.items()]
    answer = api.post("/datasets/pets", {"labels": rows}, format="json")
    assert answer.status_code == 201, answer.content
    drain()
    return int(answer.json()["version"])


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def changed_lines(diff: str) -> list[tuple[str, dict[str, Any]]]:
    return [(line[0], json.loads(line[1:])) for line in diff.splitlines() if line.startswith(("+{", "-{"))]


def test_git_shows_which_samples_were_relabelled(clients: Clients, pets: Dataset, api: APIClient) -> None:
    label(api, a__1="cat", b="cat")
    label(api, b="dog")
    clients.git("clone", "-q", clients.repository("pets"), "pets")
    said = changed_lines(clients.git("diff", "v3", "v4", "--", "labels.jsonl", at="pets"))
    row = {"key": "b.png", "split": "train", "meta": {}}
    assert said == [("-", row | {"label": {"class": "cat"}}), ("+", row | {"label": {"class": "dog"}})]
    schema = json.loads((clients.folder / "pets/schema.json").read_text())
    assert (schema["task"], schema["classes"]) == ("classification", ["cat", "dog"])
    assert [one["name"] for one in schema["label_schema"]["classes"]] == ["cat", "dog"]
    clients.git("fsck", "--strict", at="pets")


def test_dvc_says_that_versions_differ_in_their_labels_alone(clients: Clients, pets: Dataset, api: APIClient) -> None:
    label(api, b="cat")
    clients.git("clone", "-q", clients.repository("pets"), "pets")
    clients.dvc("fetch", "--all-tags", at="pets")
    said = json.loads(clients.dvc("diff", "v2", "v3", "--json", at="pets"))
    assert [one["path"] for one in said["modified"]] == ["data/", "data/labels.jsonl"]
    assert said["added"] == said["deleted"] == []


def test_equal_content_has_equal_digests(pets: Dataset, api: APIClient) -> None:
    label(api, b="cat")
    label(api, b="dog")
    label(api, b="cat")
    third, fourth, fifth = Publication.objects.filter(number__gte=3).order_by("number")
    assert third.listing_id == fifth.listing_id != fourth.listing_id
    assert third.texts == fifth.texts != fourth.texts


def test_an_import_brings_all_that_a_training_needs(clients: Clients, pets: Dataset, api: APIClient) -> None:
    """With stock DVC and nothing else: images, labels, splits and classes of the version that was asked for."""
    label(api, a__1="cat", b="dog")
    label(api, b="cat")
    clients.git("init", "-q", "mine")
    clients.dvc("init", "-q", at="mine")
    clients.dvc("import", clients.repository("pets"), "data", "--rev", "v3", at="mine")
    data = clients.folder / "mine/data"
    rows = lines(data / "labels.jsonl")
    classes = json.loads((data / "schema.json").read_text())["classes"]
    targets = {row["key"]: classes.index(row["label"]["class"]) for row in rows if row["split"] == "train"}
    assert targets == {"a/1.png": 0, "b.png": 1}
    assert [(data / key).read_bytes() for key in targets] == [png(1), png(2)]
    clients.dvc("update", "data.dvc", "--rev", "v4", at="mine")
    assert lines(data / "labels.jsonl")[1]["label"] == {"class": "cat"}


def test_what_was_published_before_there_were_labels_keeps_its_commit(
    clients: Clients, pets: Dataset, api: APIClient
) -> None:
    """Its row has no texts, and the commits on top of it are made as ever."""
    Document.objects.all().delete()
    Publication.objects.update(texts={}, pack=None)
    parent: str | None = None
    for row in Publication.objects.order_by("number"):
        release = release_of(row)
        assert set(release.files) == {"data.dvc", ".dvc/config", ".dvc/.gitignore", ".gitignore"}
        row.commit = parent = commit_of(release, parent=parent).sha
        row.save()
    label(api, b="cat")
    clients.git("clone", "-q", clients.repository("pets"), "pets")
    assert clients.git("rev-parse", "v2", at="pets").strip() == parent
    assert clients.git("ls-tree", "--name-only", "v2", at="pets").split() == [".dvc", ".gitignore", "data.dvc"]
    assert clients.git("ls-tree", "--name-only", "v3", at="pets").split()[-2:] == ["labels.jsonl", "schema.json"]


def test_a_sample_called_like_a_document_is_refused_or_left_out_of_the_tree(
    clients: Clients, pets: Dataset, api: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = [{"key": "labels.jsonl", "url": "data:,"}]
    assert api.post("/datasets/pets", {"samples": samples}, format="json").status_code == 400
    assert "schema.json" in str(name_fault("schema.json/1.png"))
    assert name_fault("a/labels.jsonl") is None
    monkeypatch.setattr("catalog.versions.planning.name_fault", lambda _: None)  # as keys of before this was asked
    old = Revision.objects.filter(dataset=pets)[0].blob
    changes = ChangeSet([SampleChange("labels.jsonl/x.png", blob=old), SampleChange("schema.json", blob=old)])
    commit_changes(pets, changes, author=pets.created_by)
    drain()
    row = Publication.objects.get(number=3)
    assert row.meta["left_out"] == ["labels.jsonl/x.png", "schema.json"]
    clients.dvc("get", clients.repository("pets"), "data", "-o", "out")
    assert len(lines(clients.folder / "out/labels.jsonl")) == 4


def test_edited_labels_that_are_pushed_are_committed(
    clients: Clients,
    project: Path,
    api: APIClient,
) -> None:
    label(api, a__1="cat", b="cat")
    clients.dvc("get", clients.repository("pets"), "data", "-o", "mine/images")
    file = project / "images/labels.jsonl"
    file.write_text(file.read_text().replace('"b.png","label":{"class":"cat"}', '"b.png","label":{"class":"dog"}'))
    push(clients, project, {"c.png": png(3)})
    drain()
    head = Version.objects.get(number=4)
    assert (head.added, head.updated, head.removed, head.labelled) == (1, 1, 0, 1)
    clients.dvc("get", clients.repository("pets"), "data", "--rev", "v4", "-o", "back")
    labels = {row["key"]: row["label"] for row in lines(clients.folder / "back/labels.jsonl")}
    assert labels == {"a/1.png": {"class": "cat"}, "b.png": {"class": "dog"}, "c.png": None}
    shutil.rmtree(project / "images")
    shutil.rmtree(project / ".dvc/cache")
    clients.dvc("pull", at="mine")
    assert len(lines(project / "images/labels.jsonl")) == 2, "what was pushed can be pulled as it was"


def test_labels_of_an_older_version_undo_nobody_s_work(
    clients: Clients,
    project: Path,
    api: APIClient,
) -> None:
    """Somebody adds an image to what they got, while a colleague labels."""
    clients.dvc("get", clients.repository("pets"), "data", "-o", "mine/images")
    label(api, b="dog")
    push(clients, project, {"c.png": png(3)})
    drain()
    rows = [json.loads(line) for line in DatasetSource().documents("pets", 4)["labels.jsonl"]]
    assert {row["key"]: row["label"] for row in rows} == {"a/1.png": None, "b.png": {"class": "dog"}, "c.png": None}


def test_what_can_t_be_taken_of_pushed_documents_is_told(
    clients: Clients,
    project: Path,
) -> None:
    clients.dvc("get", clients.repository("pets"), "data", "-o", "mine/images")
    told = ['{"key": "b.png", "label": {"class": "cow"}}', "no json", '{"key": "gone.png", "label": null}',
            '{"key": "a/1.png", "label": {"class": "dog"}, "split": "train"}']  # fmt: skip
    documents = {"labels.jsonl": "\n".join(told).encode(), "schema.json": b'{"classes": ["cow"]}'}
    push(clients, project, documents)
    drain()
    result = Job.objects.get(kind="adopt").result
    assert result is not None
    assert {(item["key"], item["code"]) for item in result["rejected"]} == {
        ("schema.json", "schema_not_pushed"), ("labels.jsonl:2", "annotations_malformed"),
        ("gone.png", "sample_unknown"), ("b.png", "unknown_class"),
    }  # fmt: skip
    assert (result["labelled"], result["updated"]) == (1, 1)
    assert files_below(project / "images").keys() == {"a/1.png", "b.png"}


def test_a_label_can_be_taken_away_by_a_push(
    clients: Clients,
    project: Path,
    api: APIClient,
) -> None:
    label(api, b="dog")
    clients.dvc("get", clients.repository("pets"), "data", "-o", "mine/images")
    file = project / "images/labels.jsonl"
    file.write_text(file.read_text().replace('{"class":"dog"}', "null"))
    push(clients, project, {})
    drain()
    assert Version.objects.get(number=4).counts["labelled"] == 0
