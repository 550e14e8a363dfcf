"""POST /labeling/queues/{id}/gold: what may be gold, how much of it, and where it goes."""

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient
from tests.datasets.labeling.quality.conftest import KNOWN, Cast, MakeWide, truth

from accounts.models import User
from blobs.models import Blob
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset
from catalog.versions.commit import commit
from labeling.models import Gold, Queue
from labeling.services import QueueItem, create_queue

pytestmark = pytest.mark.both

KEYS = [f"k{100 + at}" for at in range(KNOWN)]


def mix_in(cast: Cast, queue: Queue, *keys: str) -> tuple[int, dict[str, object]]:
    response = cast("rita").post(f"/labeling/queues/{queue.pk}/gold", {"samples": list(keys)})
    return response.status_code, response.json()


def test_gold_lies_among_the_others_whose_order_stays(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(gold_share=0.2)
    before = list(queue.tasks.order_by("position").values_list("sample", flat=True))
    assert mix_in(cast, queue, *KEYS)[1]["added"] == KNOWN
    after = list(queue.tasks.order_by("position").values_list("sample", "position"))
    gold = set(Gold.objects.values_list("task__sample", flat=True))
    assert [pk for pk, _ in after if pk not in gold] == before
    positions = [position for _, position in after]
    assert positions == list(range(positions[0], positions[0] + 50))
    places = [at for at, (pk, _) in enumerate(after) if pk in gold]
    assert places not in ([*range(KNOWN)], [*range(40, 50)])


def test_the_share_is_not_gone_over(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(gold_share=0.05)
    first = mix_in(cast, queue, *KEYS)[1]
    again = mix_in(cast, queue, "k109")[1]
    assert (first["added"], first["gold"], again["added"], again["gold"], again["tasks"]) == (3, 3, 0, 3, 43)


def test_what_can_be_no_gold_is_refused_with_the_reason(cast: Cast, make_wide: MakeWide, wide: Dataset) -> None:
    queue = make_wide(size=20, gold_share=0.5)
    _, told = mix_in(cast, queue, "nothing", "p30", "k100", "k100")
    assert (told["added"], told["rejected"]) == (1, [
        {"key": "nothing", "code": "sample_unknown", "detail": "no such sample in the dataset's head"},
        {"key": "p30", "code": "sample_unlabelled", "detail": "gold needs a known label: label it first"},
    ])  # fmt: skip
    assert mix_in(cast, queue, "k100")[1]["rejected"] == [
        {"key": "k100", "code": "sample_queued", "detail": "the queue asks for this sample already"}
    ]


def test_without_a_share_or_a_task_to_come_there_is_no_gold(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(size=2)
    status, told = mix_in(cast, queue, "k100")
    assert (status, list(told["errors"])) == (400, ["gold_share"])  # type: ignore[call-overload]  # JSON
    Queue.objects.filter(pk=queue.pk).update(gold_share=0.1)
    cast("ann").label(queue, truth)
    assert mix_in(cast, queue, "k100")[1]["code"] == "queue_ended"


def test_gold_counts_as_work_and_is_not_committed(api: APIClient, cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(size=4, gold_share=0.3)
    assert mix_in(cast, queue, *KEYS)[1]["added"] == 2
    assert api.get("/labeling/queues/q").json()["counts"]["total"] == 6
    assert cast("ann").label(queue, truth) == 6
    assert api.post("/labeling/queues/q/commit", {}, format="json").json()["labelled"] == 4


LABELS_AT = (
    "samples/train/cat/gold.png", "samples/train/cat/gold.png/lineage", "versions/head/samples", "versions/head/facets",
    "versions/head/manifest", "versions/head/statistics", "diff/relabelled?from=1", "exports", "maps", "maps/1/points",
    "near-duplicates", "slices", "filters", "tags",
)  # fmt: skip


def test_no_address_of_a_dataset_tells_annotators_its_labels(
    cast: Cast, wide: Dataset, subtests: pytest.Subtests
) -> None:
    for address in LABELS_AT:
        with subtests.test(address=address):
            answer = cast("ann").get(f"/datasets/{wide.name}/{address}")
            assert (answer.status_code, answer.json()["code"]) == (403, "readers_only")


def test_what_annotators_see_of_tasks_tells_no_gold(
    cast: Cast, alice: User, wide: Dataset, blob_of: Callable[[int], Blob], api: APIClient
) -> None:
    """Neither by the folder in its key, nor as the labelled neighbour of another task, nor by their own figures."""
    blob = blob_of(77)
    blob.save()
    known = SampleChange("train/cat/gold.png", blob=blob, split="train", label={"class": "cat"})
    commit(wide, ChangeSet([known]), author=alice)
    near = {"key": known.key, "label": "cat", "thumb": f"/thumbs/{blob.md5}", "distance": 0.1}
    why = {"strategy": "margin", "score": 0.2, "rank": 1, "of": 3, "reason": "near a cat", "control": False,
           "neighbours": [near]}  # fmt: skip
    rows = wide.samples.filter(key__startswith="p").order_by("pk")[:3]
    items = [QueueItem(row.pk, None, why) for row in rows]
    queue = create_queue(wide, "q", items=items, created_by=alice, terms={"gold_share": 0.5})
    assert mix_in(cast, queue, known.key)[1]["added"] == 1
    ann, at = cast("ann"), f"/labeling/queues/{queue.pk}"
    leased = ann.post(f"{at}/next", {"count": 50}).json()["tasks"]
    told = [leased, ann.get(f"{at}/tasks").json(), ann.get(f"{at}/answers").getvalue().decode(), ann.get(at).json()]
    assert len(leased) == 4
    assert "gold.png" not in str(told)
    assert "train/cat" not in str(told)
    assert blob.md5 in {task["sample"]["digest"] for task in leased}
    assert str(told).count(blob.md5) == str(leased).count(blob.md5) * 2
    (gold,) = (task for task in leased if task["sample"]["digest"] == blob.md5)
    body = {"value": {"class": "dog"}, "lease_token": gold["lease_token"], "seconds": 1}
    assert ann.post(f"/labeling/tasks/{gold['id']}/answer", body).status_code == 200
    for address in ("/labeling/people/me", "/labeling/people/me?queue=q", "/labeling/people"):
        mine = ann.get(address).json()
        assert mine.get("results", [mine])[0]["gold"] == {"answers": 0, "correct": 0}
    assert "train/cat/gold.png" in str(api.get(f"{at}/tasks").json())
