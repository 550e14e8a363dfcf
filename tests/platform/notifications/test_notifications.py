"""What waits for whom: in the list, by mail and by webhook, once each."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient
from tests.datasets.labeling.conftest import MakeQueue, leased, say
from tests.filling import filled
from tests.platform.notifications.mail_server import Received, mail_server, webhook

from accounts.models import Project, Role, User
from accounts.services import create_user
from catalog.models import Dataset
from jobs.models import Job
from labeling.models import Queue
from notifications.models import Delivery
from notifications.sending import send_all
from pipelines.models import Pipeline, Round
from registry.models import Model

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]
PATH = "/session/notifications"


@pytest.fixture
def mail(settings: Any) -> Iterator[Received]:
    """The platform sends mail."""
    with mail_server() as received:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", received.port
        settings.DEFAULT_FROM_EMAIL = "motherlode@example.org"
        yield received


@pytest.fixture
def hook(settings: Any) -> Iterator[Received]:
    """The team has a webhook."""
    with webhook() as received:
        settings.NOTIFICATIONS_WEBHOOK = f"http://127.0.0.1:{received.port}/hook"
        yield received


def listed(api: APIClient) -> dict[str, Any]:
    answer = api.get(PATH)
    assert answer.status_code == 200, answer.content
    document: dict[str, Any] = answer.json()
    return document


def keys(api: APIClient) -> list[str]:
    return [one["key"] for one in listed(api)["results"]]


def waits_since(queue: Queue, minutes: float) -> None:
    Queue.objects.filter(pk=queue.pk).update(created=timezone.now() - timedelta(minutes=minutes))


def test_an_empty_platform_has_nothing_for_anybody(api: APIClient, bobs_api: APIClient) -> None:
    for client in (api, bobs_api):
        assert listed(client) == {"results": [], "unseen": 0, "left_out": 0, "mail": True, "mail_to": None}


def test_a_queue_waits_until_it_is_answered_and_then_for_whoever_commits(
    make_queue: MakeQueue,
    bobs_api: APIClient,
    ritas_api: APIClient,
) -> None:
    queue = make_queue(size=2)
    (found,) = listed(bobs_api)["results"]
    assert (found["key"], found["title"]) == (f"label:{queue.pk}", "2 images to label in mine-1")
    assert (found["path"], found["seen"]) == (f"/app/label/{queue.pk}", False)
    for task in leased(bobs_api, queue, 2):
        assert say(bobs_api, task).status_code == 200
    assert keys(bobs_api) == []
    (found,) = listed(ritas_api)["results"]
    assert (found["key"], found["title"]) == (f"commit:{queue.pk}", "mine-1 is done: 2 labels to commit")


def test_what_is_assigned_to_others_or_in_another_project_does_not_wait(
    make_queue: MakeQueue,
    alice: User,
    bob: User,
    bobs_api: APIClient,
    api_of: Callable[[User], APIClient],
) -> None:
    make_queue("for-alice", assignees=[alice.pk])
    make_queue("for-all")
    zoe, _ = create_user("zoe", role=Role.ENGINEER)
    zoe.memberships.all().delete()
    assert [one["title"] for one in listed(bobs_api)["results"]] == ["5 images to label in for-all"]
    assert keys(api_of(zoe)) == []


def test_the_same_queue_is_one_notification_and_seen_until_something_new_waits(
    make_queue: MakeQueue,
    bobs_api: APIClient,
) -> None:
    first = make_queue("first", size=2)
    assert bobs_api.patch(PATH, {"seen": True}, format="json").json()["unseen"] == 0
    assert keys(bobs_api) == [f"label:{first.pk}"]
    second = make_queue("second", size=2)
    document = listed(bobs_api)
    assert [(one["key"], one["seen"]) for one in document["results"]] == [
        (f"label:{second.pk}", False),
        (f"label:{first.pk}", True),
    ]
    assert document["unseen"] == 1


def test_a_failed_job_waits_for_who_started_it_and_for_engineers(
    eva: User, evas_api: APIClient, rita: User, ritas_api: APIClient, bobs_api: APIClient
) -> None:
    project = Project.objects.get(pk=eva.memberships.get().project_id)
    facts = {"state": "failed", "finished": timezone.now(), "project": project, "error": {"detail": "no space"}}
    of_rita = filled(Job, title="export of pets", created_by=rita, **facts)
    of_nobody = filled(Job, title="publish pets", created_by=None, **facts)
    assert keys(evas_api) == [f"job:{of_nobody.pk}", f"job:{of_rita.pk}"]
    assert [one["title"] for one in listed(ritas_api)["results"]] == ["Failed: export of pets"]
    assert listed(ritas_api)["results"][0]["detail"] == "no space"
    assert keys(bobs_api) == []
    Job.objects.update(finished=timezone.now() - timedelta(days=15))
    assert keys(evas_api) == []


def test_what_is_beyond_the_newest_fifty_is_counted(eva: User, evas_api: APIClient) -> None:
    project = Project.objects.get(pk=eva.memberships.get().project_id)
    for _ in range(53):
        filled(Job, state="failed", finished=timezone.now(), project=project, error={}, created_by=eva)
    document = listed(evas_api)
    assert (len(document["results"]), document["left_out"]) == (50, 3)


@pytest.mark.parametrize(
    ("facts", "kind", "words"),
    [
        ({"state": "failed", "error": "no labels"}, "round", "failed"),
        ({"state": "training", "waiting": {"budget": "gpu_hours"}}, "round", "waits for tomorrow's budget"),
        ({"state": "done", "promotion": {"promoted": False}}, "promotion", "was not promoted: decide"),
        ({"state": "done", "promotion": {"promoted": True}}, None, ""),
        ({"state": "labelling"}, None, ""),
    ],
)
def test_the_last_round_of_a_pipeline_waits_for_engineers(
    facts: dict[str, Any], kind: str | None, words: str, eva: User, evas_api: APIClient, ritas_api: APIClient
) -> None:
    project = Project.objects.get(pk=eva.memberships.get().project_id)
    dataset = filled(Dataset, task="classification", classes=["a", "b"], project=project)
    model = filled(Model, task="classification", classes=["a", "b"], project=project)
    pipeline = filled(Pipeline, dataset=dataset, model=model, name="pets")
    filled(Round, pipeline=pipeline, number=1, state="failed", error="before")
    filled(Round, pipeline=pipeline, number=2, **facts)
    found = [(one["kind"], one["title"]) for one in listed(evas_api)["results"]]
    assert found == ([(kind, f"Round 2 of pets {words}")] if kind else [])
    assert keys(ritas_api) == []


def test_a_mail_tells_once_what_waits_for_longer_than_ten_minutes(
    make_queue: MakeQueue,
    bob: User,
    mail: Received,
) -> None:
    User.objects.filter(pk=bob.pk).update(email="bob@example.org")
    queue = make_queue(size=3)
    send_all()
    assert mail.mails == []  # it may be that he sees it
    waits_since(queue, 11)
    send_all()
    send_all()
    (message,) = mail.mails
    assert (message["To"], message["From"]) == ("bob@example.org", "motherlode@example.org")
    assert message["Subject"] == "[Motherlode] 3 images to label in mine-1"
    assert f"/app/label/{queue.pk}\n" in message.get_content().replace("\r", "")


def test_there_is_one_mail_an_hour_and_none_about_what_was_seen(
    make_queue: MakeQueue,
    bob: User,
    bobs_api: APIClient,
    mail: Received,
) -> None:
    User.objects.filter(pk=bob.pk).update(email="bob@example.org")
    waits_since(make_queue("first", size=2), 11)
    send_all()
    second, third = make_queue("second", size=2), make_queue("third", size=2)
    waits_since(second, 11)
    waits_since(third, 12)
    send_all()
    assert len(mail.mails) == 1
    Delivery.objects.update(sent=timezone.now() - timedelta(hours=2))
    send_all()
    assert [one["Subject"] for one in mail.mails][1:] == ["[Motherlode] 2 things are waiting for you"]
    Delivery.objects.all().delete()
    assert bobs_api.patch(PATH, {"seen": True}, format="json").status_code == 200
    send_all()
    assert len(mail.mails) == 2


def test_who_wants_no_mail_gets_none_and_sees_where_it_would_go(
    make_queue: MakeQueue,
    bob: User,
    bobs_api: APIClient,
    mail: Received,
) -> None:
    User.objects.filter(pk=bob.pk).update(email="bob@example.org")
    waits_since(make_queue(), 11)
    changed = bobs_api.patch(PATH, {"mail": False}, format="json").json()
    assert (changed["mail"], changed["mail_to"]) == (False, "bob@example.org")
    send_all()
    assert mail.mails == []
    bobs_api.patch(PATH, {"mail": True}, format="json")
    send_all()
    assert len(mail.mails) == 1


def test_what_the_mail_server_refused_is_sent_later(make_queue: MakeQueue, bob: User, mail: Received) -> None:
    User.objects.filter(pk=bob.pk).update(email="bob@example.org")
    waits_since(make_queue(), 11)
    mail.refuses = True
    send_all()
    assert (mail.mails, list(Delivery.objects.all())) == ([], [])
    mail.refuses = False
    send_all()
    assert len(mail.mails) == 1


def test_what_a_killed_process_had_claimed_is_sent_after_five_minutes(
    make_queue: MakeQueue,
    bob: User,
    mail: Received,
) -> None:
    User.objects.filter(pk=bob.pk).update(email="bob@example.org")
    queue = make_queue()
    waits_since(queue, 11)
    Delivery.objects.create(user=bob, key=f"label:{queue.pk}", claimed=timezone.now())
    send_all()
    assert mail.mails == []  # another process is sending it
    Delivery.objects.update(claimed=timezone.now() - timedelta(minutes=6))
    send_all()
    assert len(mail.mails) == 1


def test_the_webhook_is_told_at_once_and_once(make_queue: MakeQueue, hook: Received) -> None:
    queue = make_queue(size=2)
    hook.refuses = True
    send_all()
    hook.refuses = False
    send_all()
    send_all()
    (post,) = hook.posts
    assert post["text"].startswith("2 images to label in mine-1 http")
    assert [one["key"] for one in post["notifications"]] == [f"label:{queue.pk}"]


def test_a_long_message_says_how_many_more_there_are(alice: User, hook: Received) -> None:
    for _ in range(33):
        filled(Job, title="export", state="failed", finished=timezone.now(), project=None, error={})
    send_all()
    (post,) = hook.posts
    assert len(post["notifications"]) == 33
    *first, last = post["text"].splitlines()
    assert len(first) == 30
    assert last.startswith("And 3 more: http")


def test_what_waited_for_longer_than_a_day_is_not_sent(make_queue: MakeQueue, hook: Received) -> None:
    waits_since(make_queue(), 25 * 60)
    send_all()
    assert hook.posts == []


@pytest.mark.parametrize("body", [{}, {"seen": False}, {"mail": "perhaps"}, {"read": True}])
def test_what_it_does_not_know_is_refused_by_name(body: dict[str, Any], bobs_api: APIClient) -> None:
    answer = bobs_api.patch(PATH, body, format="json")
    assert answer.status_code == 400
    assert set(answer.json()["errors"]) <= {"body", *body}
