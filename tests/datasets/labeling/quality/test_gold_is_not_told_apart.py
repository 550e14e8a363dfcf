"""What an annotator sees of gold tasks and of others: nothing of it tells them apart."""

from typing import Any

import numpy as np
import pytest
from tests.datasets.labeling.quality.conftest import KNOWN, Cast, MakeWide

from catalog.models import Sample
from labeling.models import Comment, Gold, Queue

pytestmark = pytest.mark.both

KEYS = [f"k{100 + at}" for at in range(KNOWN)]
HIDDEN = ("url", "thumb", "digest")
"""The address of the picture is its digest: random, and the labels behind it are refused (`test_gold`)."""


def visible(cast: Cast, queue: Queue) -> list[dict[str, Any]]:
    """All that an annotator gets of the queue's tasks, by any way, in the order it is served."""
    listed = cast("ann").get(f"/labeling/queues/{queue.pk}/tasks?limit=200").json()["results"]
    served = cast("ann").post(f"/labeling/queues/{queue.pk}/next", {"count": 200}).json()["tasks"]
    assert [task["id"] for task in listed] == [task["id"] for task in served]
    return [one | other for one, other in zip(listed, served, strict=True)]


def shapes(value: Any) -> Any:
    """A value without what differs from sample to sample anyway."""
    if isinstance(value, dict):
        return {name: shapes(one) for name, one in sorted(value.items()) if name not in HIDDEN}
    return [shapes(one) for one in value] if isinstance(value, list) else type(value).__name__


def test_gold_has_the_same_fields_and_names_as_the_others(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(gold_share=0.2, blind_share=1.0)
    assert cast("rita").post(f"/labeling/queues/{queue.pk}/gold", {"samples": KEYS}).json()["added"] == KNOWN
    gold = set(Gold.objects.values_list("task", flat=True))
    tasks = visible(cast, queue)
    forms = {str(shapes(task)) for task in tasks}
    assert len(forms) == 1
    for task in tasks:
        assert task["sample"]["id"] == task["id"]
        assert task["sample"]["meta"] == {}
        assert task["why"] is None
        assert task["suggestion"] is None
    assert all(len(task["sample"]["key"]) == len("image-0123456789") for task in tasks)
    assert {task["lease_token"] for task in tasks} == {1}
    ids = np.array([task["id"] for task in tasks])
    assert (np.diff(ids) == 1).all()  # ids say what the order says
    assert 0 < len(gold) < len(tasks)


def test_places_and_names_of_gold_are_chance(cast: Cast, make_wide: MakeWide) -> None:
    """Over many queues the mean rank of gold, by id and by name, is that of any task."""
    ranks: list[float] = []
    names: list[float] = []
    for number in range(25):
        queue = make_wide(gold_share=0.2, name=f"q{number}", size=20)
        cast("rita").post(f"/labeling/queues/{queue.pk}/gold", {"samples": KEYS})
        gold = set(Gold.objects.filter(queue=queue).values_list("task", flat=True))
        tasks = cast("ann").get(f"/labeling/queues/{queue.pk}/tasks?limit=200").json()["results"]
        for order, found in (("id", ranks), ("name", names)):
            by = sorted(tasks, key=lambda task: task["id"] if order == "id" else task["sample"]["key"])
            found += [(at + 0.5) / len(by) for at, task in enumerate(by) if task["id"] in gold]
    for found in (ranks, names):
        assert abs(np.mean(found) - 0.5) < 4.5 * np.sqrt(1 / 12 / len(found))


def test_a_second_lot_of_gold_is_mixed_in_as_well(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(gold_share=0.1)
    commented = queue.tasks.order_by("position")[3]
    Comment.objects.create(task=commented, author=queue.created_by, text="which one?")
    samples = list(queue.tasks.order_by("position").values_list("sample", flat=True))
    cast("rita").post(f"/labeling/queues/{queue.pk}/gold", {"samples": KEYS[:2]})
    first = dict(Gold.objects.values_list("task__sample", "created"))
    Queue.objects.filter(pk=queue.pk).update(gold_share=0.2)
    told = cast("rita").post(f"/labeling/queues/{queue.pk}/gold", {"samples": KEYS}).json()
    assert (told["added"], told["gold"], told["tasks"]) == (KNOWN - 2, KNOWN, 40 + KNOWN)
    again = dict(Gold.objects.values_list("task__sample", "created"))
    assert {sample: again[sample] for sample in first} == first
    gold = set(Gold.objects.values_list("task__sample", flat=True))
    order = list(queue.tasks.order_by("position").values_list("sample", flat=True))
    assert [sample for sample in order if sample not in gold] == samples
    assert Comment.objects.get().task_id == commented.pk
    assert queue.tasks.get(pk=commented.pk).sample_id == commented.sample_id


def test_gold_of_bytes_that_the_queue_asks_about_is_refused(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(gold_share=0.3, size=20)
    asked = queue.tasks.order_by("position").values_list("sample", flat=True)[0]
    blob = Sample.objects.get(pk=asked).revisions.get().blob
    Sample.objects.get(key="k100").revisions.update(blob=blob)
    told = cast("rita").post(f"/labeling/queues/{queue.pk}/gold", {"samples": ["k100", "k101"]}).json()
    assert [row["key"] for row in told["rejected"]] == ["k100"]
    assert told["rejected"][0]["code"] == "sample_queued"
    assert told["added"] == 1
