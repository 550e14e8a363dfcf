"""Every list of the API asks the database as often for fifty rows as for five. The lists are those of the schema, so a
new one fails until it is filled here."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient
from tests.datasets.conftest import data, png
from tests.declared_answers import SCHEMA
from tests.filling import filled

from accounts.models import AuditEvent, Membership, Project, Token, User
from backtests.models import Backtest
from blobs.models import Blob
from catalog.models import Dataset, Erasure, Export, NearDuplicate, Revision, Sample, Slice, Version, VersionName
from jobs.lifecycle.models import LifecycleEvent
from jobs.models import Job, Shard
from labeling.models import Answer, Comment, Queue, Review, Task
from lakes.models import LakePart, LakeScan
from maps.models import EmbeddingMap
from mining_jobs.models import MiningJob, Pick
from pipelines.models import Pipeline, Round
from publishing.models import Access, Repository
from registry.models import Alias, Model, ModelVersion, Promotion, Run, Snapshot
from similarity.models import Encoder
from sweeps.models import Sweep, Trial

pytestmark = [pytest.mark.django_db, pytest.mark.both]

FEW, MANY = 5, 50
NOT_ROWS = {
    "lake_frames_list": "frames are in Parquet files, read group by group",
    "mining_quarantine_list": "images are in the results of a job's shards, read at once",
    "models_outcomes": "predictions are in one file of the version",
}
"""Lists that are no rows of the database, and what they are."""
ASK_MORE = {
    "reviews_list": "the agreement of a task is computed with the settings of its queue, queue by queue",
    "rounds_list": "what a round's answers say of its picks, and its labels, are counted round by round",
}
"""Lists that ask again for each row, and why; one that stops doing so fails until it is taken out here."""
Filling = tuple[str, Callable[[], Any]]
"""The address of a list, and what makes another row of it."""


def paged_lists() -> dict[str, str]:
    """The operations that answer pages, by id."""
    document = json.loads(SCHEMA.read_text())

    def is_list(operation: dict[str, Any]) -> bool:
        return "cursor" in {parameter["name"] for parameter in operation.get("parameters", [])}

    gets = {path: operations["get"] for path, operations in document["paths"].items() if "get" in operations}
    return {operation["operationId"]: path for path, operation in gets.items() if is_list(operation)}


def dataset() -> Dataset:
    return filled(Dataset, task="classification", classes=["cat", "dog"], project=Project.objects.first())


def model() -> Model:
    return filled(Model, task="classification", classes=["cat", "dog"], project=Project.objects.first())


def version(of: Dataset | None = None) -> Version:
    return filled(Version, dataset=of or dataset())


def model_version(of: Model | None = None) -> ModelVersion:
    about = {
        "model": of or model(),
        "architecture": "small_cnn",
        "dataset_version": version(),
        "metrics": {"accuracy": 0.9},
    }
    return filled(ModelVersion, run=run(), precisions_job=filled(Job, params={"precisions": []}), **about)


def run(of: Model | None = None) -> Run:
    at = version()
    return filled(Run, model=of or model(), dataset=at.dataset, version=at, architecture="small_cnn", job=filled(Job))


def queue(of: Dataset | None = None) -> Queue:
    people = [filled(User, username=lambda number: f"q{number}").pk]
    return filled(Queue, dataset=of or dataset(), assignees=people, committed_version=version(of), held_by=filled(User))


def task(of: Queue | None = None) -> Task:
    within = of or queue()
    made = filled(Task, queue=within, sample=sample_of(within.dataset), state="done")
    filled(Answer, task=made, value={"class": "cat"}, seconds=1.0)
    return made


def mining_job(of: Dataset | None = None) -> MiningJob:
    at = version(of)
    return filled(
        MiningJob,
        dataset=at.dataset,
        version=at,
        model_version=model_version(),
        strategy="margin",
        job=filled(Job),
        queue=queue(at.dataset),
    )


def pipeline() -> Pipeline:
    made = filled(Pipeline, dataset=dataset(), model=model(), architecture="small_cnn", strategy="margin")
    round_(made)
    return made


def round_(of: Pipeline) -> Round:
    first, mined = run(of.model), mining_job(of.dataset)
    trigger = {"what": "hand", "detail": "", "at": "2026-01-01T00:00:00Z"}
    made = filled(
        Round,
        pipeline=of,
        state="done",
        run=run(of.model),
        first_run=first,
        mining_job=mined,
        queue=mined.queue,
        dataset_version=version(of.dataset),
        trigger=trigger,
    )
    filled(ModelVersion, model=of.model, run=made.run, architecture="small_cnn")
    return made


def sweep() -> Sweep:
    at = version()
    return filled(
        Sweep,
        model=model(),
        dataset=at.dataset,
        version=at,
        architecture="small_cnn",
        state="succeeded",
        name=lambda number: f"s{number}",
    )


def backtest() -> Backtest:
    at, learner = version(), {"kind": "probe", "model": "cnn@1"}
    return filled(
        Backtest,
        dataset=at.dataset,
        version=at,
        learner=learner,
        strategies=[{"name": "margin", "params": {}}],
        model_version=model_version(),
        job=filled(Job),
        name=lambda number: f"b{number}",
    )


def encoder() -> Encoder:
    files = {part: {"sha256": "0" * 64, "size": 1} for part in ("image", "text", "tokenizer")}
    return filled(Encoder, project=Project.objects.first(), parameters={}, uploaded=files)


def export(of: Dataset) -> Export:
    return filled(Export, dataset=of, format="jsonl", version=version(of), job=filled(Job), blob=filled(Blob))


def lake_scan(of: Dataset) -> LakeScan:
    return filled(
        LakeScan, dataset=of, model_version=model_version(), strategy="margin", job=filled(Job), mining=mining_job(of)
    )


def sample_of(of: Dataset) -> Sample:
    made = filled(Sample, dataset=of)
    filled(Revision, dataset=of, sample=made, since=1, split="train")
    if of.head is None:
        of.head = version(of)
        of.save(update_fields=["head"])
    return made


def pick(of: MiningJob) -> Pick:
    return filled(Pick, mining_job=of, sample=sample_of(of.dataset))


def near_duplicate(of: Dataset) -> NearDuplicate:
    pair = [filled(Sample, dataset=of) for _ in range(2)]
    if of.head is None:
        of.head = version(of)
        of.save()
    return filled(NearDuplicate, dataset=of, sample=pair[0], of=pair[1], distance=0.1, since=of.head.number)


def comment(of: Task) -> Comment:
    made = filled(Comment, task=of, resolved_by=filled(User), text="What is it?")
    made.mentions.add(filled(User))
    return made


def committed(api: APIClient, of: Dataset) -> Callable[[], Any]:
    """What commits another sample with an image."""

    def commit() -> None:
        number = of.samples.count()
        sample = {"key": f"{number}.png", "data": data(png(number)), "split": "train", "label": {"class": "cat"}}
        assert api.post(f"/datasets/{of.name}", {"samples": [sample]}, format="json").status_code == 201

    commit()
    return commit


def of_dataset(part: str, make: Callable[[Dataset], Any]) -> Callable[[APIClient], Filling]:
    def fill(_: APIClient) -> Filling:
        of = dataset()
        return f"/datasets/{of.name}/{part}", lambda: make(of)

    return fill


def of_model(part: str, make: Callable[[Model], Any]) -> Callable[[APIClient], Filling]:
    def fill(_: APIClient) -> Filling:
        of = model()
        return f"/models/{of.name}/{part}", lambda: make(of)

    return fill


def plain(address: str, make: Callable[[], Any]) -> Callable[[APIClient], Filling]:
    return lambda _: (address, make)


def below(address: str, parent: Callable[[], Any], make: Callable[[Any], Any]) -> Callable[[APIClient], Filling]:
    """A list below another row, by its id."""

    def fill(_: APIClient) -> Filling:
        of = parent()
        return address.format(of.pk), lambda: make(of)

    return fill


def of_samples(address: str) -> Callable[[APIClient], Filling]:
    def fill(api: APIClient) -> Filling:
        of = dataset()
        return address.format(of.name), committed(api, of)

    return fill


def accesses(address: str, kind: str, parent: Callable[[], Any]) -> Callable[[APIClient], Filling]:
    def fill(_: APIClient) -> Filling:
        of = parent()
        repository = filled(Repository, kind=kind, name=of.name)
        return address.format(of.name), lambda: filled(Access, repository=repository, user=filled(User))

    return fill


def listed_comment() -> Comment:
    return comment(task())


def names(kind: str) -> Callable[[Dataset], Any]:
    return lambda of: filled(VersionName, dataset=of, version=version(of), kind=kind)


LISTS: dict[str, Callable[[APIClient], Filling]] = {
    "audit_list": plain("/audit", lambda: filled(AuditEvent, project=filled(Project))),
    "backtests_list": plain("/backtests", backtest),
    "datasets_list": plain("/datasets", lambda: version(dataset())),
    "datasets_accesses_retrieve": accesses("/datasets/{}/accesses", "datasets", dataset),
    "dataset_aliases_list": of_dataset("aliases", names("alias")),
    "dataset_tags_list": of_dataset("tags", names("tag")),
    "datasets_differences": of_samples("/datasets/{}/diff/added?from=1&to=head"),
    "erasures_list": of_dataset("erasures", lambda of: filled(Erasure, dataset=of, job=filled(Job))),
    "exports_list": of_dataset("exports", export),
    "lake_parts_list": of_dataset("lake/parts", lambda of: filled(LakePart, dataset=of, job=filled(Job))),
    "lake_scans_list": of_dataset("lake/scans", lake_scan),
    "maps_list": of_dataset(
        "maps",
        lambda of: filled(
            EmbeddingMap, dataset=of, version=version(of), model_version=model_version(), job=filled(Job)
        ),
    ),
    "near_duplicates_list": of_dataset("near-duplicates", near_duplicate),
    "slices_list": of_dataset("slices", lambda of: filled(Slice, dataset=of, filter={"split": "train"})),
    "tags_list": of_dataset("tags", names("tag")),
    "versions_list": of_dataset("versions", names("tag")),
    "samples_list": of_samples("/datasets/{}/versions/head/samples"),
    "encoders_list": plain("/encoders", encoder),
    "jobs_list": plain("/jobs", lambda: filled(Shard, job=filled(Job, project=filled(Project)))),
    "jobs_shards": below("/jobs/{}/shards", lambda: filled(Job), lambda of: filled(Shard, job=of)),
    "comments_list": plain("/labeling/comments", listed_comment),
    "queues_list": plain("/labeling/queues", lambda: task(queue())),
    "queues_tasks": below("/labeling/queues/{}/tasks", queue, task),
    "reviews_list": plain("/labeling/reviews", lambda: review()),
    "tasks_comments": below("/labeling/tasks/{}/comments", task, comment),
    "lifecycle_events": plain(
        "/lifecycle/events", lambda: filled(LifecycleEvent, kind="dataset", project=Project.objects.first())
    ),
    "mining_jobs_list": plain("/mining/jobs", mining_job),
    "mining_picks_list": below(
        "/mining/jobs/{}/picks",
        mining_job,
        pick,
    ),
    "models_list": plain("/models", lambda: alias(model_version())),
    "promotions_list": of_model(
        "promotions", lambda of: filled(Promotion, model=of, version=model_version(of), previous=model_version(of))
    ),
    "model_versions_list": of_model("versions", lambda of: alias(model_version(of))),
    "models_accesses_retrieve": accesses("/models/{}/accesses", "models", model),
    "people_list": plain("/people", lambda: filled(Token, user=member(filled(Project)).user)),
    "tokens_list": plain("/people/me/tokens", lambda: filled(Token, user=User.objects.get(username="alice"))),
    "pipelines_list": plain("/pipelines", pipeline),
    "rounds_list": below("/pipelines/{}/rounds", pipeline, round_),
    "projects_list": plain("/projects", lambda: member(filled(Project))),
    "projects_members": below("/projects/{}/members", lambda: filled(Project), lambda of: member(of)),
    "runs_list": plain("/runs", lambda: filled(ModelVersion, model=model(), run=run(), architecture="small_cnn")),
    "snapshots_list": below("/runs/{}/snapshots", run, lambda of: filled(Snapshot, run=of, blob=filled(Blob))),
    "sweeps_list": plain("/sweeps", lambda: filled(Trial, sweep=sweep(), run=run())),
    "sweeps_trials": below("/sweeps/{}/trials", sweep, lambda of: filled(Trial, sweep=of, run=run())),
}


def alias(of: ModelVersion) -> Alias:
    return filled(Alias, model=of.model, version=of)


def member(of: Project) -> Membership:
    return filled(Membership, project=of, user=filled(User), role="annotator")


def review() -> Review:
    about = task()
    return filled(Review, queue=about.queue, task=about)


def asked(api: APIClient, address: str) -> tuple[int, int]:
    """How many rows a page of 100 has, and how many queries it took."""
    with CaptureQueriesContext(connection) as queries:
        answer = api.get(address, {"limit": 100} if "?" not in address else None)
    assert answer.status_code == 200, answer.content
    return len(answer.json()["results"]), len(queries)


def test_each_list_of_the_schema_is_filled_or_no_rows() -> None:
    assert set(paged_lists()) == (set(LISTS) & set(paged_lists())) | set(NOT_ROWS)


def cases() -> list[Any]:
    names = sorted(set(LISTS) & set(paged_lists()))
    marks = {name: pytest.mark.xfail(reason=why, strict=True, raises=AssertionError) for name, why in ASK_MORE.items()}
    return [pytest.param(name, marks=marks.get(name, ())) for name in names]


@pytest.mark.parametrize("operation", cases())
def test_fifty_rows_take_as_many_queries_as_five(operation: str, api: APIClient, object_store: Any) -> None:
    address, make = LISTS[operation](api)
    for _ in range(FEW):
        make()
    asked(api, address)  # what is looked up once for the process
    few, at_first = asked(api, address)
    for _ in range(MANY - FEW):
        make()
    many, then = asked(api, address)
    assert (many > few, then) == (True, at_first)
