"""Rows in bulk: what comes back is what Django would have written."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from accounts.models import User
from accounts.services import first_project
from blobs.models import Blob
from catalog.models import Dataset, Label, Revision, Sample
from core import bulk
from core.bulk import build, insert, insert_columns
from labeling.models import Queue, Task

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def dataset(alice: User) -> Dataset:
    return Dataset.objects.create(
        name="pets", task="classification", classes=["é"], created_by=alice, project=first_project()
    )


def samples(dataset: Dataset, *keys: str) -> list[Sample]:
    return [Sample(dataset=dataset, key=key) for key in keys]


def test_every_row_gets_its_id_and_the_next_one_a_later_id(dataset: Dataset) -> None:
    rows = samples(dataset, "a", "b")
    insert(rows)
    assert [Sample.objects.get(pk=row.pk).key for row in rows] == ["a", "b"]
    assert Sample.objects.create(dataset=dataset, key="c").pk > max(row.pk for row in rows)
    insert(more := samples(dataset, "d"))
    assert more[0].pk > Sample.objects.get(key="c").pk
    assert not more[0]._state.adding


def test_values_come_back_as_they_were(dataset: Dataset, alice: User) -> None:
    (sample,) = samples(dataset, "a'b%s é")
    insert([sample])
    value = {"boxes": [{"class": "é", "box": [0.5, 1, 2, 3]}], "note": None}
    label = Label(sample_id=sample.pk, value=value, source="human", author=alice, seconds=None)
    insert([label])
    back = Label.objects.select_related("sample").get(pk=label.pk)
    assert (back.value, back.source, back.author_id, back.seconds) == (value, "human", alice.pk, None)
    assert back.sample.key == "a'b%s é"
    assert abs((back.created - timezone.now()).total_seconds()) < 60
    assert Label.objects.filter(value__note=None, created=back.created).get() == back


def test_nothing_is_null_in_a_column_of_json_too(dataset: Dataset, alice: User) -> None:
    queue = Queue.objects.create(name="q", dataset=dataset, created_by=alice)
    insert(rows := samples(dataset, "a", "b", "c"))
    said = [None, {"class": "é"}, None]
    tasks = [
        build(Task, queue=queue, sample=row, position=at, suggestion=one)
        for at, (row, one) in enumerate(zip(rows, said, strict=True))
    ]
    insert(tasks)
    assert list(Task.objects.order_by("position").values_list("suggestion", flat=True)) == said
    assert Task.objects.filter(suggestion__isnull=True).count() == 2
    assert Task.objects.filter(why__isnull=True).count() == 3


@pytest.mark.parametrize("ids", [True, False])
@given(pairs=st.lists(st.tuples(st.sampled_from(["", "é", "b'%s"]), st.booleans()), max_size=6))
@settings(max_examples=examples(25))
def test_columns_of_one_value_and_of_many_come_back(
    dataset: Dataset, alice: User, pairs: list[tuple[str, bool]], *, ids: bool
) -> None:
    """Whatever columns happen to hold one value in all rows."""
    queue = Queue.objects.create(name=f"q{Queue.objects.count()}", dataset=dataset, created_by=alice)
    rows = samples(dataset, *(f"{queue.name}.{at}" for at in range(len(pairs))))
    insert(rows)
    tasks = [
        build(Task, queue=queue, sample=row, position=at, cluster=name, blind=blind)
        for at, (row, (name, blind)) in enumerate(zip(rows, pairs, strict=True))
    ]
    insert(tasks, ids=ids)
    assert all((task.pk is not None) == ids for task in tasks)
    assert list(queue.tasks.order_by("position").values_list("cluster", "blind", "sample_id")) == [
        (*pair, row.pk) for pair, row in zip(pairs, rows, strict=True)
    ]


@given(
    pairs=st.lists(st.tuples(st.sampled_from(["", "é", "b'%s"]), st.sampled_from([None, {"é": 1}])), min_size=1),
    step=st.integers(1, 5),
)
@settings(max_examples=examples(25))
def test_rows_given_by_column_are_those_given_one_by_one(
    dataset: Dataset, alice: User, pairs: list[tuple[str, dict[str, int] | None]], step: int
) -> None:
    one, other = (
        Queue.objects.create(name=f"q{Queue.objects.count()}{side}", dataset=dataset, created_by=alice) for side in "ab"
    )
    insert(rows := samples(dataset, *(f"{one.name}.{at}" for at in range(len(pairs)))))
    insert(
        [
            build(Task, queue=one, sample=row, position=at, cluster=name, suggestion=said)
            for at, (row, (name, said)) in enumerate(zip(rows, pairs, strict=True))
        ]
    )
    columns = {
        "position": range(len(pairs)),
        "sample_id": [row.pk for row in rows],
        "cluster": [name for name, _ in pairs],
        "suggestion": [said for _, said in pairs],
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk, "CHUNK", step)
        insert_columns(Task, columns, queue_id=other.pk)
    names = [field.attname for field in Task._meta.concrete_fields if field.name not in {"id", "queue"}]
    assert list(other.tasks.order_by("position").values(*names)) == list(one.tasks.order_by("position").values(*names))


def test_what_is_left_out_has_its_default_in_each_row(dataset: Dataset, alice: User) -> None:
    insert(rows := samples(dataset, "a", "b"))
    insert_columns(Label, {"sample_id": [row.pk for row in rows]}, value={}, source="human", author_id=alice.pk)
    for label in Label.objects.all():
        assert abs((label.created - timezone.now()).total_seconds()) < 60


def test_what_stands_in_the_way_raises_and_nothing_is_written(dataset: Dataset) -> None:
    insert(samples(dataset, "a"))
    with pytest.raises(IntegrityError), transaction.atomic():
        insert(samples(dataset, "b", "a"))
    assert Sample.objects.count() == 1


def test_what_stands_in_the_way_is_passed_over_when_told_so(dataset: Dataset) -> None:
    insert(samples(dataset, "a"))
    insert(samples(dataset, "b", "a", "c"), skip_conflicts=True)
    assert sorted(Sample.objects.values_list("key", flat=True)) == ["a", "b", "c"]


def test_a_value_too_long_is_an_error_not_a_shorter_value() -> None:
    if transaction.get_connection().vendor == "sqlite":
        pytest.skip("SQLite knows no lengths")
    with pytest.raises(Exception, match="too long"), transaction.atomic():
        insert([Blob(md5="0" * 33, sha256="0" * 64, size=1, key="k")])


def test_many_rows_go_in_several_statements(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "CHUNK", 3)
    insert(rows := samples(dataset, *map(str, range(10))))
    assert [row.pk for row in rows] == list(Sample.objects.order_by("pk").values_list("pk", flat=True))


def test_no_rows_are_fine() -> None:
    insert([])


def test_a_built_row_is_the_constructor_s(dataset: Dataset, alice: User) -> None:
    sample = Sample(dataset=dataset, key="a.png")
    values = {"sample": sample, "value": {"class": "cat"}, "source": "human", "author": alice}
    made, built = Label(**values), bulk.build(Label, **values)
    told = [
        {name: value for name, value in vars(row).items() if name not in {"_state", "created"}} for row in (made, built)
    ]
    assert told[0] == told[1]
    assert (built.sample, built.author, built._state.adding, built._state.db) == (sample, alice, True, None)
    blob = bulk.build(Blob, md5="0" * 32)
    assert (blob.sha256, blob.offset, blob.media_type, blob.width) == ("", 0, "application/octet-stream", None)
    assert blob.seen <= timezone.now()
    assert bulk.build(Sample, dataset=dataset, key="b").dataset_id == dataset.pk


def test_built_rows_share_no_value(dataset: Dataset) -> None:
    one, other = bulk.build(Revision), bulk.build(Revision)
    one.meta["seen"] = True
    assert other.meta == {}
