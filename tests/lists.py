"""The lists of the API, and what fills each of them with rows: for the test that counts their queries, and for the
benchmark that times them."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta
from typing import Any, NamedTuple

from django.utils import timezone
from tests.declared_answers import SCHEMA
from tests.filling import change, filled, together

from accounts.models import AuditEvent, Membership, Project, Token, User
from backtests.models import Backtest
from blobs.models import Blob
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset, Erasure, Export, NearDuplicate, Revision, Sample, Slice, Version, VersionName
from catalog.versions.commit import commit
from jobs.lifecycle.models import LifecycleEvent
from jobs.models import Beat, Job, Shard
from jobs.turns import queue_of
from labeling.models import Answer, Comment, Queue, Review, Task
from lakes.models import LakePart, LakeScan
from maps.models import EmbeddingMap
from mining_jobs.models import MiningJob, Pick
from pipelines.models import Pipeline, Round
from publishing.models import Access, Repository
from registry.models import Alias, Model, ModelVersion, Promotion, Run, Snapshot
from similarity.models import Encoder
from sweeps.models import Sweep, Trial

NOT_ROWS = {
    "lake_frames_list": "frames are in Parquet files, read group by group",
    "mining_quarantine_list": "images are in the results of a job's shards, read at once",
    "models_outcomes": "predictions are in one file of the version",
}
"""Lists that are no rows of the database, and what they are."""
PREDICTION = {"class": "cat", "probability": 0.9, "probabilities": {"cat": 0.9, "dog": 0.1}, "model": "cnn@1"}
ROW_BY_ROW = 100
"""More rows than these are written together."""


class Filling(NamedTuple):
    """The address of a list, and what makes that many more rows of it."""

    address: str
    make: Callable[[int], None]


Fill = Callable[[], Filling]


def each(make: Callable[[], Any]) -> Callable[[int], None]:
    """Return what makes rows of a function that makes one."""

    def rows(count: int) -> None:
        with together() if count > ROW_BY_ROW else nullcontext():
            for _ in range(count):
                make()

    return rows


def paged_lists() -> dict[str, set[str]]:
    """The parameters of the operations that answer pages, by the operation's id."""
    paths = json.loads(SCHEMA.read_text())["paths"].values()
    gets = [operations["get"] for operations in paths if "get" in operations]
    known = {get["operationId"]: {parameter["name"] for parameter in get.get("parameters", [])} for get in gets}
    return {name: parameters for name, parameters in known.items() if "cursor" in parameters}


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


def waiting_job(of: Project) -> Job:
    """A job whose place in line is shown, with its start: a worker has four slots, and a job of the kind has ended."""
    now, kind = timezone.now(), "export"
    if not Job.objects.filter(state=Job.State.SUCCEEDED).exists():
        processes = [{"pid": number} for number in range(4)]
        filled(Beat, queues=[queue_of(kind, on_gpus=False)], processes=processes, seen=now)
        ended = filled(Job, kind=kind, project=of, state=Job.State.SUCCEEDED)
        took = {"state": Shard.State.DONE, "started": now - timedelta(seconds=5), "finished": now}
        filled(Shard, job=ended, need_gpus=0, units=1, **took)
    made = filled(Job, kind=kind, project=of)
    filled(Shard, job=made, need_gpus=0, units=1)
    return made


def queue(of: Dataset | None = None, answers_per_task: int = 1) -> Queue:
    about = of or dataset()
    people = [filled(User, username=lambda number: f"q{number}").pk]
    return filled(
        Queue,
        dataset=about,
        assignees=people,
        committed_version=version(about),
        held_by=filled(User),
        answers_per_task=answers_per_task,
    )


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
    filled(Task, queue=mined.queue, sample=pick(mined).sample, state="done")
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
    with_head(of)
    return made


def with_head(of: Dataset) -> Version:
    """The head of the dataset, made where it has none."""
    if of.head is None:
        change(of, head=version(of))
    assert of.head is not None
    return of.head


def pick(of: MiningJob) -> Pick:
    return filled(Pick, mining_job=of, sample=sample_of(of.dataset), prediction=PREDICTION)


def near_duplicate(of: Dataset) -> NearDuplicate:
    pair = [filled(Sample, dataset=of) for _ in range(2)]
    since = with_head(of).number
    return filled(NearDuplicate, dataset=of, sample=pair[0], of=pair[1], distance=0.1, since=since)


def comment(of: Task) -> Comment:
    made = filled(Comment, task=of, resolved_by=filled(User), text="What is it?")
    filled(Comment.mentions.through, comment=made, user=filled(User))
    return made


def commits(address: str) -> Fill:
    """A list of the samples of a dataset, which are committed."""

    def fill() -> Filling:
        of, author = dataset(), filled(User)

        def make(count: int) -> None:
            with together() if count > ROW_BY_ROW else nullcontext():
                blobs = [filled(Blob, width=28, height=28) for _ in range(count)]
            label = {"class": "cat"}
            samples = [SampleChange(f"{blob.md5}.png", blob=blob, split="train", label=label) for blob in blobs]
            commit(of, ChangeSet(samples), author=author)

        make(1)
        return Filling(address.format(of.name), make)

    return fill


def of_dataset(part: str, make: Callable[[Dataset], Any]) -> Fill:
    def fill() -> Filling:
        of = dataset()
        return Filling(f"/datasets/{of.name}/{part}", each(lambda: make(of)))

    return fill


def of_model(part: str, make: Callable[[Model], Any]) -> Fill:
    def fill() -> Filling:
        of = model()
        return Filling(f"/models/{of.name}/{part}", each(lambda: make(of)))

    return fill


def plain(address: str, make: Callable[[], Any]) -> Fill:
    return lambda: Filling(address, each(make))


def below(address: str, parent: Callable[[], Any], make: Callable[[Any], Any]) -> Fill:
    """A list below another row, by its id."""

    def fill() -> Filling:
        of = parent()
        return Filling(address.format(of.pk), each(lambda: make(of)))

    return fill


def accesses(address: str, kind: str, parent: Callable[[], Any]) -> Fill:
    def fill() -> Filling:
        of = parent()
        repository = filled(Repository, kind=kind, name=of.name)
        return Filling(address.format(of.name), each(lambda: filled(Access, repository=repository, user=filled(User))))

    return fill


def listed_comment() -> Comment:
    return comment(task())


def names(kind: str) -> Callable[[Dataset], Any]:
    return lambda of: filled(VersionName, dataset=of, version=version(of), kind=kind)


LISTS: dict[str, Fill] = {
    "audit_list": plain("/audit", lambda: filled(AuditEvent, project=filled(Project))),
    "backtests_list": plain("/backtests", backtest),
    "datasets_list": plain("/datasets", lambda: version(dataset())),
    "datasets_accesses_retrieve": accesses("/datasets/{}/accesses", "datasets", dataset),
    "dataset_aliases_list": of_dataset("aliases", names("alias")),
    "datasets_differences": commits("/datasets/{}/diff/added?from=1&to=head"),
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
    "samples_list": commits("/datasets/{}/versions/head/samples"),
    "encoders_list": plain("/encoders", encoder),
    "jobs_list": plain("/jobs", lambda: waiting_job(filled(Project))),
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


def review() -> None:
    """A review in a queue that asks one person, and one in a queue that asks two."""
    for answers in (1, 2):
        about = task(queue(answers_per_task=answers))
        filled(Review, queue=about.queue, task=about)
