"""Making queues."""

import pytest
from tests.datasets.labeling.conftest import SUGGESTION, WHY, items_of

from accounts.models import User
from catalog.models import Dataset
from catalog.versions.datasets import create_dataset
from core.errors import Conflict, Invalid
from labeling.models import Queue
from labeling.services import QueueItem, create_queue, queue_completed

pytestmark = pytest.mark.both


def test_tasks_keep_the_order_of_the_items_and_what_came_with_them(queue: Queue) -> None:
    tasks = list(queue.tasks.order_by("position").select_related("sample"))
    assert [task.sample.key for task in tasks] == ["p0", "p1", "p2", "p3", "p4"]
    assert all((task.suggestion, task.why) == (SUGGESTION, WHY) for task in tasks)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_name_that_a_queue_has_is_a_conflict_and_leaves_it_as_it_is(
    queue: Queue, pool: Dataset, alice: User, *, elsewhere: bool
) -> None:
    other = create_dataset("other", task="classification", classes=["a"], description="", author=alice)
    with pytest.raises(Conflict) as caught:
        create_queue(other if elsewhere else pool, queue.name, items=[], created_by=alice)
    assert caught.value.code == "name_taken"
    assert queue.tasks.count() == 5


def test_a_queue_without_items_is_complete_at_once_and_says_so(
    pool: Dataset, alice: User, django_capture_on_commit_callbacks: object
) -> None:
    heard: list[Queue] = []

    def hear(queue: Queue, **_: object) -> None:
        heard.append(queue)

    queue_completed.connect(hear)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]  # pytest-django exports no type
        queue = create_queue(pool, "empty", items=[], created_by=alice)
    queue_completed.disconnect(hear)
    assert (queue.state, heard) == ("complete", [queue])


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("name", {"name": "Not A Name"}),
        ("name", {"name": "42"}),
        ("answers_per_task", {"answers_per_task": 0}),
        ("items", {"items": [QueueItem(10**9)]}),
        ("items", {"items": "twice"}),
    ],
)
def test_what_cannot_be_a_queue_names_the_field_and_leaves_nothing(
    pool: Dataset, alice: User, field: str, given: dict[str, object]
) -> None:
    wanted = {"name": "q", "items": items_of(pool)} | given
    if wanted["items"] == "twice":
        wanted["items"] = items_of(pool)[:1] * 2
    name = str(wanted.pop("name"))
    with pytest.raises(Invalid) as caught:
        create_queue(pool, name, created_by=alice, **wanted)  # type: ignore[arg-type]  # wrong on purpose
    assert field in caught.value.errors
    assert not Queue.objects.exists()
