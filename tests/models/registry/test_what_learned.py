"""Which models learned from a picture, held against a plain model of it, over random histories."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from tests.datasets.conftest import blob_of, change, changes  # noqa: F401 - a fixture

from accounts.models import Membership, Project, Role
from blobs.services import keep_bytes
from catalog.erasure.containment import contained_in, current, spans_of
from catalog.erasure.rows import KIND, erase_rows, key_digest
from catalog.models import Dataset, Erasure, Sample, Version
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset
from catalog.versions.forks import fork
from jobs.models import Job
from registry.lineage import lineage_of
from registry.models import Alias, Artifact, Model, ModelVersion, Run
from registry.services import create_model

pytestmark = [pytest.mark.django_db, pytest.mark.both]
CLASSES = ["0", "1"]
KEYS = [f"{number}.png" for number in range(5)]
SPLITS = ("train", "val", "test", "pool")


@dataclass
class History:
    """A random history, and beside it what is true of it: for each dataset version the state of each key, for each
    model version and run the keys that it learned from."""

    random: Random
    alice: Any
    blob_of: Any
    model: Model
    other: Model
    heads: dict[int, dict[str, tuple[str, bool]]] = field(default_factory=dict)
    held: dict[int, dict[str, tuple[str, bool]]] = field(default_factory=dict)
    learned: dict[int, set[str]] = field(default_factory=dict)
    judged: dict[int, set[str]] = field(default_factory=dict)
    unfinished: dict[int, set[str]] = field(default_factory=dict)
    steps: int = 0

    def commit(self, dataset: Dataset) -> None:
        state, head = self.random, dict(self.heads.get(dataset.pk, {}))
        rows, gone = [], []
        for key in state.sample(KEYS, state.randint(1, len(KEYS))):
            if key in head and state.random() < 0.2:
                gone.append(key)
                del head[key]
                continue
            # A test split is fixed: what is in it stays there, and what is in train does not go there.
            split = head[key][0] if key in head and head[key][0] == "test" else state.choice(SPLITS)
            labelled = state.random() < 0.7 or (key in head and head[key][1])
            self.steps += 1
            label = {"class": state.choice(CLASSES)} if labelled else None
            given = {"label": label} if label else {}
            rows.append(change(key, self.blob_of(self.steps), split=split, **given))
            head[key] = (split, labelled)
        result = commit(dataset, changes(*rows, remove=gone), author=self.alice)
        dataset.refresh_from_db()
        if result.version is not None:
            self.note(dataset, result.version)

    def note(self, dataset: Dataset, version: Version) -> None:
        """What is in a version is asked of the plain list of its samples, once, when it is made."""
        rows = version.revisions.values_list("sample__key", "split", "label")
        self.held[version.pk] = {key: (split, label is not None) for key, split, label in rows}
        self.heads[dataset.pk] = dict(self.held[version.pk])

    def run(
        self, version: Version, *, parent: ModelVersion | None = None, finished: bool = True
    ) -> ModelVersion | None:
        model = self.random.choice([self.model, self.other])
        job = Job.objects.create(kind="train", title="a training", state="succeeded" if finished else "failed")
        run = Run.objects.create(model=model, dataset=version.dataset, version=version, architecture="small_cnn",
                                 parent=parent, job=job, created_by=self.alice)  # fmt: skip
        own = {key for key, state in self.held[version.pk].items() if state == ("train", True)}
        learned = own | (self.learned[parent.pk] if parent else set())
        if not finished:
            self.unfinished[run.pk] = learned
            return None
        made = self.made(model, "small_cnn", run=run, dataset_version=version)
        self.learned[made.pk] = learned
        return made

    def made(self, model: Model, architecture: str, **given: Any) -> ModelVersion:
        number = model.versions.count() + 1
        made = ModelVersion.objects.create(model=model, number=number, architecture=architecture, created_by=self.alice,
                                           digest=f"{model.pk:032x}{number:032x}", **given)  # fmt: skip
        data = given.get("dataset_version")
        states = self.held[data.pk].items() if data else ()
        self.judged[made.pk] = {key for key, (split, labelled) in states if labelled and split in ("val", "test")}
        return made

    def join(self, members: list[ModelVersion], version: Version) -> ModelVersion:
        architecture = self.random.choice(["ensemble", "onnx"])
        made = self.made(self.model, architecture, dataset_version=version)
        made.made_from.set(members)
        self.learned[made.pk] = set().union(*(self.learned[one.pk] for one in members))
        return made

    def model_step(self, datasets: list[Dataset]) -> None:
        versions = list(Version.objects.filter(pk__in=self.held).select_related("dataset"))
        models = list(ModelVersion.objects.filter(pk__in=self.learned))
        drawn, version = self.random.random(), self.random.choice(versions)
        if drawn < 0.3 or not models:
            self.run(version)
        elif drawn < 0.6:
            self.run(version, parent=self.random.choice(models))
        elif drawn < 0.85:
            self.join(self.random.sample(models, min(len(models), self.random.randint(1, 3))), version)
        else:
            self.run(version, parent=self.random.choice([None, *models]), finished=False)


@pytest.fixture
def history(alice, request, db):
    def begin(seed: int) -> History:
        model = create_model(f"a{seed}", task="classification", classes=CLASSES, description="", author=alice)
        other = create_model(f"b{seed}", task="classification", classes=CLASSES, description="", author=alice)
        return History(Random(seed), alice, request.getfixturevalue("blob_of"), model, other)

    return begin


def grown(history: History, seed: int, *, steps: int = 16) -> list[Dataset]:
    """Datasets with a fork and about ten versions, and models from all of them, in a random order."""
    alice = history.alice
    first = create_dataset(f"d{seed}", task="classification", classes=CLASSES, description="", author=alice)
    datasets = [first]
    history.commit(first)
    for step in range(steps):
        if step == steps // 2:
            first.refresh_from_db()
            assert first.head is not None
            copy = fork(first.head, f"fork{seed}", description="", author=alice)
            history.note(copy, copy.versions.get())
            datasets.append(copy)
        if history.random.random() < 0.6:
            history.commit(history.random.choice(datasets))
        history.model_step(datasets)
    return datasets


def others_than(dataset: Dataset) -> set[str]:
    """Keys under which a fork added a sample of its own: as rows have it, that is another sample."""
    return set(Sample.objects.exclude(dataset=dataset).values_list("key", flat=True))


def expected(truth: dict[int, set[str]], key: str) -> set[int]:
    return {pk for pk, keys in truth.items() if key in keys}


def of(report: dict[str, Any], relation: str) -> list[int]:
    return [row["id"] for row in report["models"] if row["relation"] == relation]


@pytest.mark.parametrize("seed", range(12))
def test_the_list_of_what_learned_from_a_picture_is_complete_and_has_nothing_too_much(history, seed):
    told = history(seed)
    first, *_ = grown(told, seed)
    for key in KEYS:
        sample = Sample.objects.filter(dataset=first, key=key).first()
        if sample is None:
            continue
        if key in others_than(first):
            continue
        (report,) = current([contained_in(spans_of(sample), [sample.pk])])
        learned = of(report, "learned")
        assert sorted(learned) == sorted(expected(told.learned, key)), key
        assert sorted(of(report, "judged")) == sorted(expected(told.judged, key)), key
        runs = [row["id"] for row in report["runs"] if row["relation"] == "learned"]
        assert sorted(runs) == sorted(expected(told.unfinished, key)), key
        assert report["hidden"] == {}


def test_the_record_of_an_erasure_goes_on_to_name_what_is_made_of_those_models(history, alice):
    """Chains of warm starts and ensembles, before and after the erasure; a run that had begun becomes a version, one
    that begins after it does not count."""
    for seed in range(20, 26):
        told = history(seed)
        first, *_ = grown(told, seed)
        here = Sample.objects.filter(dataset=first).exclude(key__in=others_than(first)).order_by("pk")
        sample = max(here, key=lambda one: len(expected(told.learned, one.key)))
        key = sample.key
        row = erased(sample, alice)
        for held in told.held.values():
            held.pop(key, None)
        for pk, learned in list(told.unfinished.items()):
            if key in learned:
                run = Run.objects.get(pk=pk)
                made = told.made(run.model, "small_cnn", run=run, dataset_version=run.version)
                told.learned[made.pk] = told.unfinished.pop(pk)
        for _ in range(10):
            told.model_step([])
        assert not Sample.objects.filter(key=key, dataset=first).exists()
        (report,) = current([Erasure.objects.get(pk=row.pk).report])
        assert sorted(of(report, "learned")) == sorted(expected(told.learned, key))
        assert sorted(row["id"] for row in report["runs"] if row["relation"] == "learned") == sorted(
            pk for pk in expected(told.unfinished, key) if pk in {row["id"] for row in report["runs"]}
        )


def erased(sample: Sample, alice: Any) -> Erasure:
    job = Job.objects.create(kind=KIND, title="an erasure", state="running")
    digest = key_digest(sample.dataset, sample.key)
    row = Erasure.objects.create(dataset=sample.dataset, key_digest=digest, reason="asked to", job=job, by=alice)
    with transaction.atomic():
        erase_rows(job, [sample.pk], together=[sample.pk])
    return row


@pytest.fixture
def chain(history, alice):
    """A version trained on a picture, ten that descend from it in turn by warm starts and ensembles, and one that was
    trained on another version of the dataset."""
    told = history(99)
    dataset = create_dataset("chain", task="classification", classes=CLASSES, description="", author=alice)
    blob = told.blob_of
    commit(dataset, changes(change("a.png", blob(1), split="train", label={"class": "0"})), author=alice)
    other = change("b.png", blob(2), split="train", label={"class": "1"})
    commit(dataset, changes(change("a.png", split="val"), other), author=alice)
    one, two = dataset.versions.order_by("number")
    for version in (one, two):
        told.note(dataset, version)
    told.random = Random(1)
    newest = told.run(one)
    assert newest is not None
    for step in range(10):
        newest = told.join([newest], two) if step % 3 == 2 else told.run(two, parent=newest)
        assert newest is not None
    clean = told.run(two)
    return dataset, newest, clean


def report_of(dataset: Dataset, key: str = "a.png") -> dict[str, Any]:
    sample = Sample.objects.get(dataset=dataset, key=key)
    (report,) = current([contained_in(spans_of(sample), [sample.pk])])
    return report


def test_a_chain_of_ten_costs_as_many_queries_as_one(chain):
    dataset, _, clean = chain
    with CaptureQueriesContext(connection) as many:
        report = report_of(dataset)
    assert len(of(report, "learned")) == 11
    assert clean.pk not in of(report, "learned")
    ModelVersion.objects.filter(pk__in=of(report, "learned")[1:]).update(run=None)
    ModelVersion.made_from.through.objects.all().delete()
    with CaptureQueriesContext(connection) as few:
        report = report_of(dataset)
    assert len(of(report, "learned")) == 1
    assert len(many) <= len(few), [query["sql"][:120] for query in many]


def test_it_says_what_is_to_be_done_about_each(chain, object_store):
    dataset, newest, clean = chain
    for version in (newest, clean):
        blob = keep_bytes(b"a file", media_type="application/octet-stream")
        Artifact.objects.create(version=version, path="model.onnx", blob=blob)
    Alias.objects.create(model=newest.model, name="production", version=newest)
    rows = {row["id"]: row for row in report_of(dataset)["models"] if row["relation"] == "learned"}
    told = rows[newest.pk]
    assert (told["action"], told["aliases"], told["dataset"]) == ("replace", ["production"], None)
    assert told["clean"] == (clean.number if clean.model_id == newest.model_id else None)
    assert [step["how"] for step in told["through"]] == ["started from"]
    first = rows[min(rows)]
    assert (first["action"], first["split"], first["through"]) == ("none", "train", []), "its files are gone"


def test_what_the_asker_may_not_see_is_counted_and_not_named(chain, api, bobs_api, bob):
    _, newest, _ = chain
    Membership.objects.filter(user=bob).update(role=Role.ENGINEER)
    elsewhere = Project.objects.create(name="elsewhere")
    hidden = newest.model
    Model.objects.filter(pk=hidden.pk).update(project=elsewhere)
    whole = api.get("/datasets/chain/samples/a.png/lineage").json()["contained_in"]
    assert whole["hidden"] == {}
    part = bobs_api.get("/datasets/chain/samples/a.png/lineage").json()["contained_in"]
    assert part["hidden"]["models"] == len(whole["models"]) - len(part["models"]) > 0
    assert {row["model"] for row in part["models"]} == {row["model"] for row in whole["models"]} - {hidden.name}
    assert hidden.name not in str(part)
    own = bobs_api.get(f"/models/{newest.model.name}/versions/{newest.number}/lineage")
    assert own.status_code == 404


def test_a_version_knows_all_that_it_descends_from_and_all_that_descends_from_it(chain):
    _, newest, clean = chain
    told = lineage_of(ModelVersion.objects.select_related("model", "dataset_version__dataset").get(pk=newest.pk))
    assert len(told["parents"]) == 10
    assert {(row["dataset"], row["dataset_version"]) for row in told["learned_from"]} == {("chain", 1), ("chain", 2)}
    first = (
        ModelVersion.objects.filter(run__version__number=1).select_related("model", "dataset_version__dataset").get()
    )
    told = lineage_of(first)
    assert len(told["descendants"]) == 10
    assert [row["dataset_version"] for row in told["learned_from"]] == [1]
    assert not lineage_of(clean)["parents"]
