"""A commit in pieces gives what one transaction gives, shows nothing before it is done, and survives any kill."""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any
from unittest import mock

import pytest
from django.db.models import Model, Sum
from hypothesis import given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient
from tests.datasets.conftest import CLASSES, change, changes
from tests.laws import examples

from accounts.models import User
from blobs.models import Blob
from catalog.changes.plan import Plan, Row
from catalog.changes.sets import ChangeSet
from catalog.duplicates.hash_pages import read_pages
from catalog.erasure.rows import erase_rows
from catalog.filtering.filters import Filter
from catalog.models import (
    Dataset,
    ForkOverride,
    GroupPlace,
    Label,
    LabelObject,
    NearDuplicate,
    OpenWrite,
    Revision,
    RevisionClass,
    Sample,
    Tally,
    Version,
)
from catalog.reading import queries
from catalog.schemas.changing import change_schema
from catalog.splits.groups import set_split_rule
from catalog.versions import pace, pieces
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset, find_version
from catalog.versions.forks import fork
from catalog.versions.pieces import commit_in_pieces, prepare
from catalog.versions.reverting import revert
from catalog.versions.rows import write_rows
from catalog.versions.undoing import undo_abandoned
from core.errors import Busy, Conflict
from jobs import runner, services
from jobs.errors import JobCancelled, LeaseLost
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from labeling.leasing import next_tasks
from labeling.services import QueueItem, answer, commit_queue, create_queue

pytestmark = pytest.mark.both

BlobOf = Callable[[int], Blob]
CAT, DOG = {"class": "cat"}, {"class": "dog"}
ROWS: tuple[type[Model], ...] = (
    Sample, Label, LabelObject, Revision, RevisionClass, ForkOverride, Tally, GroupPlace, NearDuplicate,
    Version, OpenWrite,
)  # fmt: skip
KEYS = [f"{folder}/{number}" for folder in "ab" for number in range(4)]
STEP = st.one_of(
    st.tuples(
        st.just("add"), st.sampled_from(KEYS), st.integers(1, 5), st.sampled_from(["pool", "train", "val", "test"])
    ),
    st.tuples(st.just("label"), st.sampled_from(KEYS), st.sampled_from(CLASSES)),
    st.tuples(st.just("remove"), st.sampled_from(KEYS)),
)
STEPS = st.lists(STEP, min_size=1, max_size=8, unique_by=lambda step: step[1])
names = count()


class Killed(BaseException):
    """The process is gone: nothing of it runs any more."""


@contextmanager
def small_pieces(size: int = 2) -> Iterator[None]:
    """Every change set counts as large, and is written in pieces of so many samples."""
    sizes = mock.patch.multiple(pace, FIRST=size, LEAST=size, MOST=size)
    with mock.patch.object(pieces, "AT_ONCE", 0), sizes:
        yield


@pytest.fixture
def pieces_of_two() -> Iterator[None]:
    with small_pieces():
        yield


def rows_of(*leaving_out: type[Model]) -> dict[str, list[Any]]:
    """Every row of a dataset's tables."""
    return {
        model.__name__: sorted(model._base_manager.values_list(), key=repr)
        for model in ROWS if model not in leaving_out
    }  # fmt: skip


def told(dataset: Dataset) -> dict[str, Any]:
    """What the head says, in every way that it is read."""
    dataset = Dataset.objects.select_related("head").get(pk=dataset.pk)
    if dataset.head is None:
        return {}
    rows = dataset.head.revisions.select_related("sample", "blob", "label").order_by("sample__key")
    history = {
        row.sample.key: [(at.since, at.split) for at in Revision.objects.ever(dataset).filter(sample=row.sample)]
        for row in rows
    }
    cells = Tally.objects.filter(dataset=dataset, since__lte=dataset.head.number).values_list(
        "split", "class_name", "labelled"
    )
    hashes = [sorted(read_pages(dataset.head, test=test)[1].tolist()) for test in (True, False)]
    return {
        "number": dataset.head.number,
        "counts": dataset.head.counts,
        "samples": [
            (row.sample.key, row.blob.md5, row.split, row.label and row.label.value, row.class_name, row.meta)
            for row in rows
        ],
        "history": history,
        "tally": {row[:3]: row[3] for row in cells.annotate(n=Sum("delta")) if row[3]},
        "hashes": hashes,
    }


def without_hashes(said: dict[str, Any]) -> dict[str, Any]:
    """A page of hashes may have samples that no version shows."""
    return {name: value for name, value in said.items() if name != "hashes"}


def job_of(dataset: Dataset, author: User) -> Job:
    return create_job(
        "edit", "edit", shards=[ShardSpec({"dataset": dataset.pk})], created_by=author, project=dataset.project_id
    )


def change_set(steps: list[tuple[Any, ...]], blob_of: BlobOf) -> ChangeSet:
    found = ChangeSet(remove=[step[1] for step in steps if step[0] == "remove"], message="Many")
    for kind, key, *rest in steps:
        if kind == "add":
            found.samples.append(change(key, blob_of(rest[0]), split=rest[1], meta={"n": rest[0]}))
        elif kind == "label":
            found.samples.append(change(key, label={"class": rest[0]}))
    return found


def written(dataset: Dataset, make: Callable[[], ChangeSet], author: User, *, kills: list[int]) -> Any:
    """Commit in pieces of two as a job does, killed after each of so many pieces and taken up again."""
    job = job_of(dataset, author)
    before = told(dataset)
    for kill in [*kills, None]:
        seen = 0

        def on_step(_done: int, _total: int, kill: int | None = kill) -> None:
            nonlocal seen
            seen += 1
            assert without_hashes(told(dataset)) == without_hashes(before)
            if seen == kill:
                raise Killed

        try:
            return prepare(dataset, make(), author=author, job=job, on_step=on_step).complete()
        except Killed:
            continue
    raise AssertionError("it was never finished")


@settings(max_examples=examples(60))
@given(
    first=STEPS,
    second=STEPS,
    kills=st.lists(st.integers(1, 4), max_size=3),
    kind=st.sampled_from(["plain", "fork", "ruled"]),
)
def test_pieces_with_kills_give_what_one_transaction_gives(
    alice: User, blob_of: BlobOf, first: Any, second: Any, kills: list[int], kind: str
) -> None:
    ends = []
    for way in ("one", "pieces"):
        dataset = create_dataset(
            f"law-{next(names)}", task="classification", classes=CLASSES, description="", author=alice
        )
        if kind == "ruled":
            set_split_rule(dataset, {"group": "folder", "fractions": {"train": 0.4, "test": 0.2}}, author=alice)
        made = commit(dataset, change_set(first, blob_of), author=alice)
        if kind == "fork" and made.version is not None:
            dataset = fork(made.version, f"law-{next(names)}", description="", author=alice)
        if way == "one":
            result = commit(dataset, change_set(second, blob_of), author=alice)
        else:
            with small_pieces():
                result = written(dataset, lambda: change_set(second, blob_of), alice, kills=kills)
        said = result.document()
        ends.append((said, told(dataset)))
    assert ends[1] == ends[0]
    assert not OpenWrite.objects.exists()


@settings(max_examples=examples(40))
@given(first=STEPS, second=STEPS, kill=st.integers(1, 4), kind=st.sampled_from(["plain", "fork"]))
def test_what_is_given_up_leaves_every_row_as_it_was(
    alice: User, blob_of: BlobOf, first: Any, second: Any, kill: int, kind: str
) -> None:
    dataset = create_dataset(f"law-{next(names)}", task="classification", classes=CLASSES, description="", author=alice)
    made = commit(dataset, change_set(first, blob_of), author=alice)
    if kind == "fork" and made.version is not None:
        dataset = fork(made.version, f"law-{next(names)}", description="", author=alice)
    before, said = rows_of(), told(dataset)
    job, seen = job_of(dataset, alice), 0

    def on_step(_done: int, _total: int) -> None:
        nonlocal seen
        seen += 1
        if seen == kill:
            raise Killed

    with small_pieces():
        try:
            ready = prepare(dataset, change_set(second, blob_of), author=alice, job=job, on_step=on_step)
        except Killed:
            pass
        else:
            ready.give_up()
        services.cancel(job.pk)
        undo_abandoned()
    assert rows_of() == before
    assert told(dataset) == said


@pytest.mark.usefixtures("pieces_of_two")
def test_a_cancelled_job_undoes_what_it_wrote(dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    commit(dataset, changes(change("a", blob_of(1), label=CAT)), author=alice)
    before = rows_of()

    def cancelled(done: int, _total: int) -> None:
        if done >= 2:
            raise JobCancelled

    many = changes(*(change(key, blob_of(2), label=DOG) for key in ("a", "b", "c", "d")))
    with pytest.raises(JobCancelled):
        prepare(dataset, many, author=alice, job=job_of(dataset, alice), on_step=cancelled)
    assert rows_of() == before


def test_no_search_for_garbage_goes_through_the_plan_while_others_wait(
    dataset: Dataset, alice: User, blob_of: BlobOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    searching: list[bool] = []

    def noting(plan: Plan, rows: Sequence[Row]) -> None:
        searching.append(gc.isenabled())
        write_rows(plan, rows)

    monkeypatch.setattr(pieces, "write_rows", noting)
    many = changes(*(change(key, blob_of(number)) for number, key in enumerate(KEYS)))
    with small_pieces():
        commit_in_pieces(dataset, many, author=alice)
    assert searching == [False] * (len(KEYS) // 2)
    assert gc.isenabled()


def begun(dataset: Dataset, author: User, blob_of: BlobOf, job: Job | None = None) -> OpenWrite:
    """Begin a commit in pieces and be killed after the first."""

    def killed(done: int, _total: int) -> None:
        if done:
            raise Killed

    many = changes(*(change(f"n{number}", blob_of(number + 1), label=CAT) for number in range(4)), message="Import")
    with small_pieces(), pytest.raises(Killed):
        prepare(dataset, many, author=author, job=job or job_of(dataset, author), on_step=killed)
    return OpenWrite.objects.get()


def test_another_commit_is_told_who_is_in_the_way_and_when_to_ask_again(
    dataset: Dataset, alice: User, bob: User, blob_of: BlobOf
) -> None:
    begun(dataset, alice, blob_of)
    with pytest.raises(Busy) as caught:
        commit(dataset, changes(change("x", blob_of(9))), author=bob)
    assert caught.value.code == "dataset_busy"
    assert "alice commits 4 samples to 'digits' since" in caught.value.detail
    assert "(Import)" in caught.value.detail
    assert "2 are written" in caught.value.detail
    told_write: Any = caught.value.extra["write"]
    assert (told_write["by"], told_write["done"], told_write["total"]) == ("alice", 2, 4)
    assert 1 <= caught.value.wait <= 60
    with small_pieces(), pytest.raises(Busy):
        commit_in_pieces(dataset, changes(change("x", blob_of(9))), author=bob)


def test_the_api_answers_503_with_retry_after(api: APIClient, dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    commit(dataset, changes(change("a", blob_of(7))), author=alice)
    begun(dataset, alice, blob_of)
    edit = {"filter": "split = pool", "label": CAT}
    answer = api.post(f"/datasets/{dataset.name}/edits", edit, format="json")
    assert (answer.status_code, answer.json()["code"]) == (503, "dataset_busy")
    assert int(answer["Retry-After"]) >= 1
    assert answer.json()["write"]["by"] == "alice"


def test_rules_that_a_large_commit_rests_on_wait_for_it(dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    commit(dataset, changes(change("a", blob_of(7))), author=alice)
    begun(dataset, alice, blob_of)
    with pytest.raises(Busy):
        set_split_rule(dataset, None, author=alice)
    with pytest.raises(Busy):
        change_schema(dataset, [{"name": name} for name in CLASSES], parent=1, author=alice, guideline="new")
    sample = Sample.objects.get(key="a")
    with pytest.raises(Busy):
        erase_rows(job_of(dataset, alice), [sample.pk], together=[sample.pk])


def test_nothing_of_an_unfinished_commit_is_found_by_name_or_history(
    api: APIClient, dataset: Dataset, alice: User, blob_of: BlobOf
) -> None:
    commit(dataset, changes(change("n0", blob_of(9), split="pool")), author=alice)
    begun(dataset, alice, blob_of)
    assert [row.since for row, _ in queries.history(dataset, queries.find_sample(dataset, "n0"))] == [1]
    assert api.get(f"/datasets/{dataset.name}/samples/n0/lineage").json()["labels"] == []
    assert api.get(f"/datasets/{dataset.name}/samples/n1").status_code == 404


def test_a_writer_whose_work_another_attempt_took_over_writes_nothing_more(
    dataset: Dataset, alice: User, blob_of: BlobOf
) -> None:
    job = job_of(dataset, alice)
    many = changes(*(change(f"n{number}", blob_of(number + 1)) for number in range(4)))

    def overtaken(done: int, _total: int) -> None:
        OpenWrite.objects.update(token=7)

    with small_pieces(), pytest.raises(LeaseLost):
        prepare(dataset, many, author=alice, job=job, on_step=overtaken)
    assert Revision.objects.count() == 2  # kept for the other


def test_a_later_attempt_with_another_plan_begins_anew(dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    job = job_of(dataset, alice)
    begun(dataset, alice, blob_of, job)
    other = changes(*(change(f"n{number}", blob_of(number + 1), label=DOG) for number in range(3)))
    with small_pieces():
        result = prepare(dataset, other, author=alice, job=job).complete()
    head = find_version(dataset, "head")
    assert (result.added, head.counts["by_class"], head.counts["samples"]) == (3, {"dog": 3}, 3)
    assert head.revisions.count() == Revision.objects.count() == Label.objects.count() == Sample.objects.count() == 3


@pytest.mark.usefixtures("pieces_of_two")
def test_a_commit_made_between_plan_and_writing_is_built_upon(dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    commit(dataset, changes(change("a", blob_of(1), label=CAT)), author=alice)
    opened = pieces._Large._opened
    done: list[Any] = []

    def interrupted(self: Any, plan: Any) -> OpenWrite:
        if not done:
            done.append(commit(dataset, changes(change("a", label=DOG)), author=alice))
        return opened(self, plan)

    with mock.patch.object(pieces._Large, "_opened", interrupted):
        result = commit_in_pieces(dataset, changes(change("a", meta={"m": 1}), change("b", blob_of(2))), author=alice)
    assert result.version is not None
    assert (result.version.number, result.parent) == (3, 2)
    row = result.version.revisions.select_related("label").get(sample__key="a")
    assert row.label is not None
    assert (row.label.value, row.meta) == (DOG, {"m": 1})


@pytest.mark.usefixtures("pieces_of_two")
def test_a_commit_that_names_a_parent_is_stale_and_leaves_nothing(
    dataset: Dataset, alice: User, blob_of: BlobOf
) -> None:
    commit(dataset, changes(change("a", blob_of(1))), author=alice)
    before = rows_of()
    with pytest.raises(Conflict, match="parent"):
        commit_in_pieces(dataset, changes(change("b", blob_of(2)), parent=0), author=alice)
    assert rows_of() == before


@pytest.mark.usefixtures("pieces_of_two")
def test_a_revert_in_pieces_restores_every_sample(dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    commit(dataset, changes(*(change(key, blob_of(1), label=CAT) for key in "abcde")), author=alice)
    before = told(dataset)["samples"]
    made = commit(dataset, changes(*(change(key, label=DOG) for key in "abc"), remove=["d"]), author=alice)
    assert made.version is not None
    revert(dataset, made.version, message="", author=alice)
    assert told(dataset)["samples"] == before


@pytest.mark.usefixtures("pieces_of_two")
def test_a_queue_is_committed_in_pieces_once(dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    commit(dataset, changes(*(change(key, blob_of(1)) for key in "abcde")), author=alice)
    samples = Sample.objects.order_by("pk").values_list("pk", flat=True)
    queue = create_queue(dataset, "many", items=[QueueItem(pk) for pk in samples], created_by=alice)

    for task in next_tasks(queue, alice, count=5):
        answer(task.pk, alice, value=CAT, seconds=1.0, shown_suggestion=False)
    with mock.patch("labeling.services.AT_ONCE", 0):
        first = commit_queue(queue, message="", author=alice)
        again = commit_queue(queue, message="", author=alice)
    assert first.version == again.version
    assert find_version(Dataset.objects.get(), "head").counts["by_class"] == {"cat": 5}
    assert not OpenWrite.objects.exists()


def test_a_job_that_meets_a_busy_dataset_gives_its_slot_back(dataset: Dataset, alice: User, blob_of: BlobOf) -> None:
    commit(dataset, changes(change("a", blob_of(7))), author=alice)
    writing = job_of(dataset, alice)
    assert services.claim(writing.pk, worker="another") is not None
    begun(dataset, alice, blob_of, writing)
    params = {
        "dataset": dataset.pk, "filter": Filter.of("split = pool", dataset).document, "author": alice.pk,
        "edit": {"label": CAT}, "terms": {},
    }  # fmt: skip
    waiting = create_job("edit", "edit", shards=[ShardSpec(params)], created_by=alice, project=dataset.project_id)
    assert runner.work_on(waiting.pk) is not None
    shard = waiting.shards.get()
    assert (shard.state, shard.attempts) == ("todo", 0)
    assert shard.not_before is not None
    assert "alice commits 4 samples" in shard.error
