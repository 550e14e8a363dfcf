"""Comments on tasks: writing, mentions, resolving, deleting, and who may do that."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import MakeQueue, leased, say

from accounts.models import AuditEvent, Membership, Project, Role, User
from accounts.services import create_user
from labeling.models import Comment, Queue, Task
from labeling.receivers import forget_samples

Comments = list[dict[str, Any]]


def write(api: APIClient, task: Any, text: str = "Is this one a cat?", **place: float) -> Any:
    return api.post(f"/labeling/tasks/{task}/comments", {"text": text, **place}, format="json")


def written(api: APIClient, task: Any, text: str = "Is this one a cat?", **place: float) -> dict[str, Any]:
    answer = write(api, task, text, **place)
    assert answer.status_code == 201, answer.content
    found: dict[str, Any] = answer.json()
    return found


def listed(api: APIClient, query: str = "") -> Comments:
    answer = api.get(f"/labeling/comments{query}")
    assert answer.status_code == 200, answer.content
    found: Comments = answer.json()["results"]
    return found


def resolve(api: APIClient, comment: dict[str, Any], *, resolved: bool = True) -> dict[str, Any]:
    answer = api.patch(f"/labeling/comments/{comment['id']}", {"resolved": resolved}, format="json")
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture
def task(queue: Queue) -> int:
    return Task.objects.filter(queue=queue).order_by("position").values_list("pk", flat=True)[0]


def test_a_comment_on_a_place_mentions_somebody_and_is_listed_for_them(
    api: APIClient, bobs_api: APIClient, ritas_api: APIClient, queue: Queue, task: int
) -> None:
    first = written(bobs_api, task, "Is the left one a cat, @Rita? Tell @alice.", x=0.25, y=1)
    assert (first["author"]["username"], first["x"], first["y"]) == ("bob", 0.25, 1.0)
    assert (first["mentions"], first["resolved_at"], first["deletable"]) == (["alice", "rita"], None, True)
    written(ritas_api, task, "It is; write me at rita@example.org.")
    shown = bobs_api.get(f"/labeling/tasks/{task}/comments").json()
    assert [(one["author"]["username"], one["x"], one["deletable"]) for one in shown["results"]] == [
        ("bob", 0.25, True), ("rita", None, False),
    ]  # fmt: skip
    assert shown["people"] == ["alice", "bob", "rita"]
    assert [one["id"] for one in listed(ritas_api, "?mentions=me&open=true")] == [first["id"]]
    assert listed(bobs_api, "?mentions=me") == []
    (mine,) = listed(api, f"?mentions=me&queue={queue.name}&project=default")
    assert (mine["queue"], mine["sample"]["key"], mine["url"]) == (
        queue.name,
        "p0",
        f"/blobs/{mine['sample']['digest']}",
    )


def test_the_newest_come_first_a_page_at_a_time(api: APIClient, task: int) -> None:
    ids = [written(api, task, f"number {n}")["id"] for n in range(3)]
    page = api.get("/labeling/comments?limit=2").json()
    assert [one["id"] for one in page["results"]] == ids[:0:-1]
    assert [one["id"] for one in api.get(page["next"]).json()["results"]] == ids[:1]
    page = api.get(f"/labeling/tasks/{task}/comments?limit=2").json()
    assert [one["id"] for one in page["results"]] == ids[:2]


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({"text": "see @nobody."}, "text", "nobody called 'nobody' reads the comments of this queue: mention @alice"),
        ({"text": "  "}, "text", "must not be empty"),
        ({"text": "a" * 2001}, "text", "must have at most 2000 characters"),
        ({"text": "here", "x": 0.5}, "y", "a place has both: send y, or leave out x"),
        ({"text": "here", "x": 1.2, "y": 0}, "x", "must be at most 1"),
        ({"text": "here", "z": 1}, "z", "is not a field here"),
    ],
)
def test_a_faulty_comment_names_the_field_and_what_to_do(
    api: APIClient, task: int, body: dict[str, Any], field: str, words: str
) -> None:
    answer = api.post(f"/labeling/tasks/{task}/comments", body, format="json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, [field])
    assert words in answer.json()["errors"][field][0]
    assert Comment.objects.count() == 0


def test_who_would_not_read_it_is_mentioned_by_nobody(
    api: APIClient, bob: User, rita: User, pool: object, make_queue: MakeQueue
) -> None:
    """Viewers, people who left, and annotators whom the queue is not for."""
    create_user("vera", role=Role.VIEWER)
    carl = create_user("carl", role=Role.ANNOTATOR)[0]
    gone = create_user("gina", role=Role.ANNOTATOR)[0]
    gone.is_active = False
    gone.save()
    task = make_queue(assignees=[bob.pk]).tasks.order_by("position")[0].pk
    for name in ("vera", "gina", carl.username):
        assert f"nobody called '{name}'" in write(api, task, f"@{name}").json()["errors"]["text"][0]
    assert written(api, task, "@bob @rita")["mentions"] == ["bob", "rita"]


def test_resolving_keeps_who_was_first_and_reopening_forgets_it(
    api: APIClient, bobs_api: APIClient, ritas_api: APIClient, queue: Queue, task: int
) -> None:
    comment = written(bobs_api, task)
    assert leased(bobs_api, queue)[0]["comments"] == 1
    done = resolve(ritas_api, comment)
    assert (done["resolved_by"], done["resolved_at"] is None) == ("rita", False)
    assert resolve(api, comment) == done | {"deletable": True}
    assert leased(bobs_api, queue)[0]["comments"] == 0
    assert (listed(api, "?open=true"), len(listed(api, "?open=false"))) == ([], 1)
    again = resolve(bobs_api, comment, resolved=False)
    assert (again["resolved_by"], again["resolved_at"]) == (None, None)
    assert len(listed(api, "?open=true")) == 1


def test_ones_own_comment_is_deleted_and_any_by_who_builds(
    evas_api: APIClient, bobs_api: APIClient, ritas_api: APIClient, task: int
) -> None:
    bobs, ritas = written(bobs_api, task), written(ritas_api, task)
    refused = ritas_api.delete(f"/labeling/comments/{bobs['id']}")
    assert (refused.status_code, refused.json()["code"]) == (403, "not_your_comment")
    assert ritas_api.delete(f"/labeling/comments/{ritas['id']}").status_code == 204
    assert not AuditEvent.objects.filter(kind="comment").exists()
    assert evas_api.delete(f"/labeling/comments/{bobs['id']}").status_code == 204
    event = AuditEvent.objects.get(kind="comment")
    assert (event.who, event.action, event.before) == ("eva", "deleted", {"author": "bob", "task": task})
    assert evas_api.delete(f"/labeling/comments/{bobs['id']}").json()["code"] == "comment_unknown"


def test_comments_of_an_assigned_queue_are_for_its_people_and_reviewers(
    bobs_api: APIClient, ritas_api: APIClient, rita: User, make_queue: MakeQueue
) -> None:
    task = make_queue(assignees=[rita.pk]).tasks.order_by("position")[0].pk
    comment = written(ritas_api, task)
    for answer in (
        bobs_api.get(f"/labeling/tasks/{task}/comments"),
        write(bobs_api, task),
        bobs_api.patch(f"/labeling/comments/{comment['id']}", {"resolved": True}, format="json"),
        bobs_api.delete(f"/labeling/comments/{comment['id']}"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "not_assigned")
    assert (listed(bobs_api), len(listed(ritas_api))) == ([], 1)


def test_who_labels_in_another_project_alone_reads_nothing_here(
    api: APIClient, task: int, api_of: Callable[[User], APIClient]
) -> None:
    """Also who is a viewer here."""
    comment = written(api, task)
    here, elsewhere = Project.objects.get(), Project.objects.create(name="elsewhere")
    outsider = api_of(create_user("olga", role=Role.OWNER, project=elsewhere)[0])
    viewer = create_user("vera", role=Role.OWNER, project=elsewhere)[0]
    Membership.objects.create(project=here, user=viewer, role=Role.VIEWER)
    for client, status in ((outsider, 404), (api_of(viewer), 403)):
        assert client.get(f"/labeling/tasks/{task}/comments").status_code == status
        assert write(client, task).status_code == status
        assert client.delete(f"/labeling/comments/{comment['id']}").status_code == status
        assert listed(client) == []
    assert outsider.get("/labeling/comments?project=default").status_code == 404


def test_what_is_archived_takes_no_comment_and_asks_nobody(api: APIClient, queue: Queue, task: int) -> None:
    comment = written(api, task, "@alice")
    assert api.post(f"/labeling/queues/{queue.name}/archive").status_code == 200
    for answer in (
        write(api, task),
        api.patch(f"/labeling/comments/{comment['id']}", {"resolved": True}, format="json"),
        api.delete(f"/labeling/comments/{comment['id']}"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (409, "archived")
    assert listed(api) == []
    assert len(api.get(f"/labeling/tasks/{task}/comments").json()["results"]) == 1


def test_an_erased_sample_takes_its_comments_along(api: APIClient, queue: Queue) -> None:
    first, second = Task.objects.filter(queue=queue).order_by("position")[:2]
    written(api, first.pk, "@alice")
    left = written(api, second.pk, "@alice")
    forget_samples([first.sample_id], ["p0"], [])
    assert list(Comment.objects.values_list("pk", flat=True)) == [left["id"]]
    assert Comment.mentions.through.objects.count() == 1


def test_a_deleted_queue_takes_its_comments_along(api: APIClient, queue: Queue, task: int) -> None:
    written(api, task, "@alice")
    told = {part["name"]: part["count"] for part in api.get(f"/labeling/queues/{queue.name}/deletion").json()["goes"]}
    assert told["comments"] == 1


def test_many_comments_cost_as_many_queries_as_one(
    api: APIClient, task: int, django_assert_max_num_queries: Any
) -> None:
    for n in range(20):
        written(api, task, f"@alice {n}")
    with django_assert_max_num_queries(9):
        assert len(listed(api, "?mentions=me&open=true")) == 20
    with django_assert_max_num_queries(7):
        assert len(api.get(f"/labeling/tasks/{task}/comments").json()["results"]) == 20


def test_comments_of_gold_queues_name_no_folder_to_annotators(
    api: APIClient, bobs_api: APIClient, make_queue: MakeQueue, pool: Any
) -> None:
    queue = make_queue(gold_share=0.1)
    task = queue.tasks.order_by("position")[0]
    task.sample.key = "cat/p0"
    task.sample.save()
    written(api, task.pk)
    assert listed(api)[0]["sample"]["key"] == "cat/p0"
    assert re.fullmatch(r"image-[0-9a-f]{10}", listed(bobs_api)[0]["sample"]["key"])


def of_task(api: APIClient, task: int) -> tuple[list[str], int]:
    """Who wrote what this client sees of a task, and how much more there is."""
    shown = api.get(f"/labeling/tasks/{task}/comments").json()
    return [one["author"]["username"] for one in shown["results"]], shown["hidden"]


def test_where_several_answer_others_comments_come_after_ones_own_answer(
    api: APIClient, bobs_api: APIClient, ritas_api: APIClient, make_queue: MakeQueue
) -> None:
    queue = make_queue("twice", size=1, answers_per_task=2)
    task = queue.tasks.get().pk
    first = written(api, task, "It is a cat, @bob.")
    resolve(api, written(api, task, "Look at the ears."))
    own = written(bobs_api, task, "Hm.")
    assert (of_task(bobs_api, task), of_task(ritas_api, task)) == ((["bob"], 2), (["alice", "alice", "bob"], 0))
    assert [one["id"] for one in listed(bobs_api)] == [own["id"]]
    assert (listed(bobs_api, "?mentions=me"), len(listed(ritas_api))) == ([], 3)
    hidden = bobs_api.patch(f"/labeling/comments/{first['id']}", {"resolved": True}, format="json")
    assert (hidden.status_code, hidden.json()["code"]) == (404, "comment_unknown")
    assert bobs_api.delete(f"/labeling/comments/{first['id']}").status_code == 404

    (mine,) = leased(bobs_api, queue)
    assert [mine[f"comments{more}"] for more in ("", "_resolved", "_hidden")] == [1, 0, 2]
    say(bobs_api, mine)
    assert (of_task(bobs_api, task), len(listed(bobs_api))) == ((["alice", "alice", "bob"], 0), 3)
    taken_back = bobs_api.post(f"/labeling/tasks/{task}/undo").json()
    assert (taken_back["comments_hidden"], of_task(bobs_api, task)) == (2, (["bob"], 2))


def test_a_blind_task_keeps_others_comments_back_until_it_is_answered_or_its_labels_are_committed(
    api: APIClient, bobs_api: APIClient, make_queue: MakeQueue
) -> None:
    queue = make_queue("blind", size=2, blind_share=1.0)
    first, second = queue.tasks.order_by("position").values_list("pk", flat=True)
    for task in (first, second):
        written(api, task, "The model said dog.")
    assert of_task(bobs_api, first) == ([], 1)
    (mine,) = leased(bobs_api, queue)
    skipped = bobs_api.post(f"/labeling/tasks/{first}/skip", {"lease_token": mine["lease_token"]}, format="json")
    assert (skipped.status_code, of_task(bobs_api, first), of_task(bobs_api, second)) == (200, (["alice"], 0), ([], 1))
    Queue.objects.filter(pk=queue.pk).update(state=Queue.State.COMMITTED)
    assert of_task(bobs_api, second) == (["alice"], 0)


def test_with_one_answer_a_task_comments_are_everybodys(bobs_api: APIClient, api: APIClient, queue: Queue) -> None:
    (mine,) = leased(bobs_api, queue)
    resolve(api, written(api, mine["id"]))
    written(api, mine["id"])
    assert of_task(bobs_api, mine["id"]) == (["alice", "alice"], 0)
    (again,) = leased(bobs_api, queue)
    assert [again[f"comments{more}"] for more in ("", "_resolved", "_hidden")] == [1, 1, 0]
