"""Every labeling operation of the schema, as everybody may call it on a queue that is assigned to one annotator."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from django.db import transaction
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import MakeQueue, leased, say

from accounts.models import Project, Role, User
from accounts.services import create_user, first_project
from jobs.lifecycle.models import LifecycleEvent
from labeling.models import Comment, Flag, Queue, Review, Task

LEADS = {"platform", "owner", "engineer", "reviewer"}
INSIDE = {*LEADS, "assigned", "unassigned", "viewer"}
MATRIX: Mapping[str, tuple[set[str], set[str]]] = {
    "labels it": (
        {"assigned"},
        {"queues_answers", "queues_next", "tasks_answer", "tasks_renew", "tasks_skip", "tasks_undo"},
    ),
    "talks about it": (
        {*LEADS, "assigned"},
        {"comments_change", "comments_delete", "queues_hold", "queues_release", "tasks_comment", "tasks_comments",
         "tasks_flag", "tasks_unflag"},
    ),
    "reads its tasks": ({*LEADS, "assigned", "viewer"}, {"queues_export", "queues_tasks"}),
    "sees it": (INSIDE, {"labeling_people", "labeling_people_me", "queues_get", "queues_list"}),
    "may label": (INSIDE - {"viewer"}, {"comments_list"}),
    "reads all": (INSIDE - {"assigned", "unassigned"}, {"labeling_queues_deletion_retrieve"}),
    "leads it": (
        LEADS,
        {"labeling_waiting", "queues_add_samples", "queues_agreement", "queues_change", "queues_commit",
         "queues_create", "queues_gold", "queues_requeue", "queues_statistics", "reviews_decide", "reviews_get",
         "reviews_list", "reviews_reopen"},
    ),
    "builds": (LEADS - {"reviewer"}, {"labeling_queues_archive_create", "labeling_queues_restore_create"}),
    "owns": ({"platform", "owner"}, {"labeling_queues_deletion_create", "labeling_queues_destroy",
                               "labeling_queues_release_name_create"}),
}  # fmt: skip
"""Who may do it, and the operations."""
REFUSED = {"not_assigned", "hold_of_another", "annotators_only", "readers_only", "reviewers_only", "engineers_only",
           "owners_only"}  # fmt: skip
BODIES: Mapping[str, Mapping[str, Any]] = {
    "comments_change": {"resolved": True},
    "queues_add_samples": {"filter": {}},
    "queues_change": {"priority": "high"},
    "queues_commit": {"message": "", "partial": True},
    "queues_create": {"name": "other", "dataset": "digits"},
    "queues_gold": {"samples": ["p4"]},
    "queues_requeue": {"skipped": True},
    "labeling_queues_deletion_create": {"confirm": "mine-1"},
    "labeling_queues_release_name_create": {"name": "former"},
    "reviews_decide": {"value": {"class": "cat"}},
    "tasks_answer": {"value": {"class": "dog"}, "seconds": 1, "shown_suggestion": False},
    "tasks_comment": {"text": "A cat?"},
    "tasks_flag": {"note": "look"},
    "tasks_skip": {"reason": "", "seconds": 1},
}


@dataclass(frozen=True)
class Place:
    queue: Queue
    task: Task
    free: Task
    review: Review
    comment: Comment
    clients: Mapping[str, APIClient]


@cache
def operations() -> Mapping[str, tuple[str, str]]:
    """(method, path) of each labeling operation."""
    schema: Any = SchemaGenerator().get_schema(request=None, public=True)
    return {
        each["operationId"]: (method.upper(), path)
        for path, methods in schema["paths"].items()
        if path.startswith("/labeling")
        for method, each in methods.items()
    }


@pytest.fixture
def place(make_queue: MakeQueue, alice: User, api_of: Callable[[User], APIClient]) -> Place:
    """One task that the assignee has answered, flagged and commented on, and others that nobody has."""

    def somebody(name: str, role: str, project: Project | None = None) -> User:
        return create_user(name, role=role, project=project or first_project())[0]

    people = {
        "platform": alice,
        **{role: somebody(role, role) for role in ("owner", "engineer", "reviewer", "viewer")},
        "assigned": somebody("assigned", Role.ANNOTATOR),
        "unassigned": somebody("unassigned", Role.ANNOTATOR),
        "outsider": somebody("outsider", Role.OWNER, Project.objects.create(name="elsewhere")),
    }
    clients = {name: api_of(user) for name, user in people.items()}
    queue = make_queue(assignees=[people["assigned"].pk], commit_grace=600, gold_share=0.5, held_by=people["assigned"])
    (one,) = leased(clients["assigned"], queue)
    assert say(clients["assigned"], one).status_code == 200
    task, free = Task.objects.get(pk=one["id"]), Task.objects.filter(queue=queue).order_by("position")[1]
    renamed = {"kind": "queue", "object_id": queue.pk, "action": "renamed", "name": "former"}
    LifecycleEvent.objects.create(**renamed, project=first_project(), by=alice)
    Flag.objects.create(task=task, author=people["assigned"], note="look")
    review = Review.objects.create(queue=queue, task=free, reason=Review.Reason.FLAG)
    comment = Comment.objects.create(task=task, author=people["assigned"], text="A cat?")
    return Place(queue, task, free, review, comment, clients)


def call(place: Place, who: str, operation: str) -> tuple[int, str]:
    """Return (status, code) of the call, whose effects are taken back."""
    method, path = operations()[operation]
    task = place.free if operation in {"tasks_answer", "tasks_skip", "tasks_flag", "tasks_renew"} else place.task
    ids = {"tasks": task.pk, "comments": place.comment.pk, "reviews": place.review.pk}
    address = path.replace("{reference}", place.queue.name).replace("{name}", place.queue.name)
    address = address.replace("{id}", str(ids.get(path.split("/")[2], "")))
    assert "{" not in address
    address += f"?confirm={place.queue.name}" if operation == "labeling_queues_destroy" else ""
    body: Any = BODIES.get(operation, {})
    if operation == "queues_answers":
        answer = {"value": {"class": "dog"}, "seconds": 1, "shown_suggestion": False, "lease_token": None}
        body = {"answers": [{"task": place.free.pk, **answer}]}
    with transaction.atomic():
        sent = {} if method == "GET" else {"data": body, "format": "json"}
        response: Any = getattr(place.clients[who], method.lower())(address, **sent)
        shown = response.json() if "json" in response.headers.get("Content-Type", "") and not response.streaming else {}
        transaction.set_rollback(True)
    if operation == "queues_answers" and response.status_code == 200:
        (outcome,) = shown["results"]
        return response.status_code, outcome.get("problem", {}).get("code", "")
    return response.status_code, shown.get("code", "")


def test_every_labeling_operation_has_a_line() -> None:
    named = [name for _, names in MATRIX.values() for name in names]
    assert set(named) ^ set(operations()) == set()
    assert len(named) == len(set(named))


@pytest.mark.parametrize("line", MATRIX)
def test_who_may_do_what_in_a_queue_that_is_assigned(place: Place, line: str) -> None:
    allowed, names = MATRIX[line]
    wrong = {}
    for operation in sorted(names):
        for who in sorted(INSIDE):
            status, code = call(place, who, operation)
            if (code in REFUSED) is (who in allowed) or status in {400, 401, 404, 405}:
                wrong[operation, who] = status, code
    assert wrong == {}


@pytest.mark.parametrize("line", MATRIX)
def test_people_of_other_projects_meet_nothing_of_it(place: Place, line: str) -> None:
    wrong = {}
    for operation in sorted(MATRIX[line][1]):
        status, code = call(place, "outsider", operation)
        expected = {404} if "{" in operations()[operation][1] or operation == "queues_create" else {200}
        if status not in expected:
            wrong[operation] = status, code
    assert wrong == {}


def test_a_stranger_to_a_finished_queue_neither_reopens_nor_blocks_it(place: Place) -> None:
    Review.objects.all().delete()
    Task.objects.filter(queue=place.queue).update(state=Task.State.DONE)
    Queue.objects.filter(pk=place.queue.pk).update(done=5, state=Queue.State.COMPLETE, held=None, held_by=None)
    out = place.clients["unassigned"]
    assert out.post(f"/labeling/tasks/{place.task.pk}/flag", {"note": "x"}, format="json").status_code == 403
    assert out.post(f"/labeling/queues/{place.queue.name}/hold").status_code == 403
    place.queue.refresh_from_db()
    assert (place.queue.state, place.queue.held, Review.objects.count()) == (Queue.State.COMPLETE, None, 0)


def test_who_is_taken_out_ends_what_they_hold_and_nothing_else(place: Place) -> None:
    mine = place.clients["assigned"]
    held, other = leased(mine, place.queue, 2)
    assert place.clients["reviewer"].patch(
        f"/labeling/queues/{place.queue.name}", {"assignees": ["unassigned"]}, format="json"
    ).status_code == 200  # fmt: skip
    at = f"/labeling/tasks/{held['id']}"
    assert mine.post(f"{at}/renew", {"lease_token": held["lease_token"]}, format="json").status_code == 200
    assert mine.post(f"{at}/flag", {"note": "blurred"}, format="json").status_code == 200
    assert say(mine, held).status_code == 200
    for refused in (say(mine, held, "dog"), mine.post(f"{at}/undo"), mine.post(f"{at}/flag", {}, format="json")):
        assert (refused.status_code, refused.json()["code"]) == (403, "not_assigned")
    answers = [
        {"task": task["id"], "value": {"class": "cat"}, "seconds": 1, "lease_token": task["lease_token"]}
        for task in (other, held)
    ]
    sent = mine.post(f"/labeling/queues/{place.queue.name}/answers", {"answers": answers}, format="json").json()
    assert [(one["status"], one.get("problem", {}).get("code")) for one in sent["results"]] == [
        ("saved", None), ("refused", "not_assigned"),
    ]  # fmt: skip
    assert mine.delete(f"/labeling/queues/{place.queue.name}/hold").status_code == 200
    listed = mine.get(f"/labeling/queues/{place.queue.name}/tasks?author=me").json()["results"]
    assert {one["id"] for one in listed} == {place.task.pk, held["id"], other["id"]}
