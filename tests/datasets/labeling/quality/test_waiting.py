"""What waits in queues, for whoever leads, and whether the pace reaches the time they are due."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import items_of
from tests.datasets.labeling.quality.conftest import Cast, MakeWide, Person, truth, wrong

from accounts.models import User
from catalog.models import Dataset
from labeling.models import Answer, Queue
from labeling.quality.pace import Pace
from labeling.services import create_queue

HOUR = timedelta(hours=1)


def waiting(person: Person, query: str = "") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = person.get(f"/labeling/waiting{query}").json()["results"]
    return rows


def began(queue: Queue, at: datetime) -> None:
    Queue.objects.filter(pk=queue.pk).update(created=at)


def answered(queue: Queue, *times: datetime) -> None:
    """The queue's answers were given at these times."""
    rows = list(Answer.objects.filter(task__queue=queue).order_by("pk"))
    for row, at in zip(rows, times, strict=True):
        Answer.objects.filter(pk=row.pk).update(created=at)


def test_what_waits_is_counted_queue_by_queue(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(size=6, answers=2)
    ann, ben, rita = cast("ann"), cast("ben"), cast("rita")
    tasks = ann.post("/labeling/queues/q/next", {"count": 4}).json()["tasks"]
    assert ann.post(f"/labeling/tasks/{tasks[0]['id']}/comments", {"text": "Is it a cat?"}).status_code == 201
    assert ann.post(f"/labeling/tasks/{tasks[0]['id']}/flag", {"note": ""}).status_code == 200
    body = {"seconds": 1, "shown_suggestion": True}
    for person, say in ((ann, truth), (ben, wrong)):
        for task in person.post("/labeling/queues/q/next", {"count": 3}).json()["tasks"][:2]:
            value, token = {"class": say(task["sample"]["key"])}, {"lease_token": task["lease_token"]}
            assert (
                person.post(f"/labeling/tasks/{task['id']}/answer", body | token | {"value": value}).status_code == 200
            )
    (row,) = waiting(rita)
    assert (row["name"], row["dataset"], row["project"], row["state"]) == ("q", queue.dataset.name, "default", "open")
    assert (row["total"], row["todo"] + row["leased"], row["comments"]) == (6, 6 - queue_done(queue), 1)
    assert row["reviews"] == row["disputed"] + row["flagged"]
    assert row["pace"]["answers_left"] == 12 - 4
    assert row["since"] == row_time(queue.created)


def queue_done(queue: Queue) -> int:
    queue.refresh_from_db()
    return queue.done


def row_time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def test_what_is_disputed_and_flagged_is_told_apart(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(size=3, answers=2)
    ann, rita = cast("ann"), cast("rita")
    first = queue.tasks.order_by("position")[0]
    ann.post(f"/labeling/tasks/{first.pk}/flag", {"note": "?"})
    assert waiting(rita)[0]["flagged"] == 0, "people are still at it"
    ann.label(queue, truth)
    cast("ben").label(queue, lambda key: truth(key) if key == "p0" else wrong(key))
    (row,) = waiting(rita)
    assert (row["reviews"], row["disputed"], row["flagged"]) == (3, 2, 1)
    assert (row["todo"], row["leased"], row["labels"], row["pace"]["answers_left"]) == (0, 0, 0, 0)
    review = rita.get("/labeling/reviews").json()["results"][0]
    assert row["since"] == review["created"]


def test_a_complete_queue_waits_for_its_commit_and_a_committed_one_for_nothing(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(size=2)
    cast("ann").label(queue, truth)
    (row,) = waiting(cast("rita"))
    assert (row["state"], row["labels"], row["since"]) == ("complete", 2, None)
    assert cast("rita").post("/labeling/queues/q/commit").status_code == 201
    assert waiting(cast("rita")) == []


def test_a_question_on_a_committed_queue_waits_until_somebody_resolves_it(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(size=2)
    ann, rita = cast("ann"), cast("rita")
    ann.label(queue, truth)
    comment = ann.post(f"/labeling/tasks/{queue.tasks.earliest('pk').pk}/comments", {"text": "Is it a cat?"}).json()
    assert rita.post("/labeling/queues/q/commit").status_code == 201
    (row,) = waiting(rita)
    told = {name: row[name] for name in ("todo", "leased", "skipped", "reviews", "labels", "comments")}
    assert told == dict.fromkeys(told, 0) | {"comments": 1}
    assert (row["state"], row["since"]) == ("committed", comment["created"])
    assert rita.patch(f"/labeling/comments/{comment['id']}", {"resolved": True}).status_code == 200
    assert waiting(rita) == []


def test_the_most_urgent_come_first(cast: Cast, alice: User, make_wide: MakeWide, wide: Dataset) -> None:
    make_wide(size=1)
    now = timezone.now()
    placed: dict[str, dict[str, Any]] = {
        "low": {"priority": "low", "due": now},
        "soon": {"due": now + HOUR},
        "late": {"due": now - HOUR},
        "high": {"priority": "high"},
    }
    for name, terms in placed.items():
        create_queue(wide, name, items=items_of(wide)[:1], created_by=alice, terms=terms)
    assert [row["name"] for row in waiting(cast("rita"))] == ["high", "late", "soon", "q", "low"]
    assert [row["pace"]["in_time"] for row in waiting(cast("rita"))] == [None, False, None, None, False]


def test_the_pace_is_of_the_days_with_answers_and_says_whether_it_reaches_the_time(
    cast: Cast, make_wide: MakeWide
) -> None:
    queue = make_wide(size=30)
    tasks = cast("ann").post("/labeling/queues/q/next", {"count": 12}).json()["tasks"]
    for task in tasks:
        body = {"value": {"class": "cat"}, "seconds": 1, "lease_token": task["lease_token"], "shown_suggestion": True}
        assert cast("ann").post(f"/labeling/tasks/{task['id']}/answer", body).status_code == 200
    today = timezone.now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    began(queue, today - timedelta(days=20))
    two, nine = today - timedelta(days=1, hours=-3), today - timedelta(days=8, hours=-9)
    answered(queue, *[two] * 6, *[nine] * 6)
    pace = waiting(cast("rita"))[0]["pace"]
    assert pace == {"answers": 12, "days": 2, "per_hour": 0.25, "answers_left": 18, "hours_left": 72.0, "in_time": None}
    for hours, reached in ((73, True), (71, False)):
        Queue.objects.filter(pk=queue.pk).update(due=timezone.now() + hours * HOUR)
        assert waiting(cast("rita"))[0]["pace"]["in_time"] is reached
    answered(queue, *[today - timedelta(days=31)] * 12)
    assert waiting(cast("rita"))[0]["pace"]["per_hour"] is None, "nobody has answered for a month"


def test_only_the_last_seven_days_with_answers_count(cast: Cast, make_wide: MakeWide) -> None:
    queue = make_wide(size=20)
    cast("ann").label(queue, truth)
    today = timezone.now().astimezone(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
    began(queue, today - timedelta(days=29))
    answered(queue, *[today - timedelta(days=day) for day in range(1, 21)])
    pace = waiting(cast("rita"))[0]["pace"]
    assert (pace["answers"], pace["days"], pace["per_hour"]) == (7, 7, round(1 / 24, 2))


def test_a_pace_is_not_told_from_a_handful_of_answers() -> None:
    assert Pace(4, 1, 1.0).per_hour is None
    assert Pace(4, 1, 1.0).hours_left(10) is None
    assert Pace(10, 1, 2.0).hours_left(10) == 2.0
    assert Pace().hours_left(0) == 0.0


def test_many_queues_cost_as_many_queries_as_one(cast: Cast, alice: User, make_wide: MakeWide, wide: Dataset) -> None:
    make_wide(size=2, answers=2, due=timezone.now() + HOUR, assignees=[cast("ann").user.pk])
    rita = cast("rita")
    with CaptureQueriesContext(connection) as one:
        assert len(waiting(rita)) == 1
    for number in range(12):
        terms = {"due": timezone.now() + HOUR, "assignees": [alice.pk]}
        items = items_of(wide)[:2]
        create_queue(wide, f"n{number}", items=items, answers_per_task=2, created_by=alice, terms=terms)
    with CaptureQueriesContext(connection) as many:
        assert len(waiting(rita)) == 13
    assert len(many) == len(one)


def test_it_is_for_those_who_review_and_of_their_projects(
    cast: Cast, api: APIClient, bobs_api: APIClient, make_wide: MakeWide
) -> None:
    make_wide(size=1)
    assert cast("ann").get("/labeling/waiting").json()["code"] == "reviewers_only"
    assert len(waiting(cast("rita"), "?project=default")) == 1
    assert cast("rita").get("/labeling/waiting?project=none").json()["code"] == "project_unknown"
    assert api.post("/labeling/queues/q/archive").status_code in {200, 204}
    assert waiting(cast("rita")) == []
