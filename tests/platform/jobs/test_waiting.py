"""Where a waiting job stands, and when it starts: by the rule that serves, and paces that were measured."""

import random
from datetime import timedelta
from functools import partial
from operator import ne
from typing import Any

import pytest
from django.db.models.functions import Now
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Membership, Project, Role, User
from accounts.projects import create_project
from jobs import turns
from jobs.models import Beat, Job, Quota, Shard
from jobs.services import Claim, ShardSpec, complete, create_job, postpone
from jobs.waiting import _Contest, _Left

pytestmark = pytest.mark.django_db


def job(title: str = "a job", shards: int = 1, *, kind: str = "practice", project: int | None = None) -> Job:
    return create_job(kind, title, shards=[ShardSpec() for _ in range(shards)], project=project)


def slots(count: int, queue: str = "practice") -> None:
    processes = [{"pid": number} for number in range(count)]
    Beat.objects.create(name=f"{queue}@h", host="h", queues=[queue], processes=processes, seen=timezone.now())


def took(seconds: float, *, kind: str = "practice") -> None:
    """A job of this kind has ended, whose shards took so long."""
    made = job("before", 3, kind=kind)
    now = timezone.now()
    made.shards.update(state="done", started=now - timedelta(seconds=seconds), finished=now)
    Job.objects.filter(pk=made.pk).update(state="succeeded")


def held(woken: Job, *, since: float = 0.0) -> Claim:
    claim = turns.take(woken.pk, owner="h:0", worker="practice@h")
    assert claim is not None
    Shard.objects.filter(pk=claim.shard.pk).update(started=Now() - timedelta(seconds=since))
    return claim


def place(api: APIClient, of: Job) -> Any:
    return api.get(f"/jobs/{of.pk}").json()["waiting"]


def test_the_next_one_starts_when_the_running_one_ends(api: APIClient) -> None:
    took(60.0)
    slots(1)
    first, second = job("first"), job("second")
    assert place(api, first) == {"place": 1, "ahead": [], "starts_in": 0.0, "note": None}
    running = held(first, since=20.0)
    assert place(api, first) is None, "it runs"
    assert place(api, second)["starts_in"] == pytest.approx(40.0, abs=2.0)
    assert complete(running, {})
    assert place(api, second)["starts_in"] == 0.0


def test_turns_are_played_as_they_are_taken(api: APIClient) -> None:
    """Two slots, ten seconds a shard: a job of three shards does not hold up those behind it until its end."""
    took(10.0)
    slots(2)
    long, *short = job("long", 3), job("one"), job("two"), job("three")
    assert [place(api, one)["place"] for one in (long, *short)] == [1, 2, 3, 4]
    assert [place(api, one)["starts_in"] for one in (long, *short)] == [0.0, 0.0, 10.0, 10.0]
    assert [one["title"] for one in place(api, short[2])["ahead"]] == ["long", "one", "two"]


def test_a_priority_and_a_bound_of_slots_count(api: APIClient) -> None:
    took(10.0)
    slots(2)
    roads = create_project("roads")
    Quota.objects.create(project=roads, slots=1)
    first, second = (job(name, project=roads.pk) for name in ("first", "second"))
    Job.objects.filter(pk=second.pk).update(priority=1)
    assert (place(api, second)["starts_in"], place(api, first)["starts_in"]) == (0.0, 10.0)


def test_what_gives_way_starts_when_nothing_else_waits(api: APIClient) -> None:
    took(10.0)
    took(10.0, kind="yielding")
    slots(2)
    later = [job("later", kind="yielding"), job("last", kind="yielding")]
    job("asked", 4)
    assert [place(api, one)["starts_in"] for one in later] == [20.0, 30.0], "and never on both slots at once"


def test_what_is_unknown_is_said(api: APIClient) -> None:
    waits = job("waits")
    assert place(api, waits)["starts_in"] is None
    assert place(api, waits)["note"] == "no worker listens to queue practice: start a worker that can take it"
    slots(1)
    behind = job("behind")
    assert place(api, waits)["starts_in"] == 0.0, "nothing is before it"
    words = "no job of kind practice has ended here lately, so its time is unknown"
    assert (place(api, behind)["starts_in"], place(api, behind)["note"]) == (None, words)


def test_a_postponed_or_ended_job_stands_in_no_line(api: APIClient) -> None:
    slots(1)
    first = job("first")
    postpone(held(first), "the object store does not answer")
    assert place(api, first) is None
    Job.objects.update(state="succeeded")
    assert place(api, first) is None


def test_jobs_of_other_projects_are_counted_and_not_named(bob: User, api_of: Any) -> None:
    slots(1)
    Project.objects.get_or_create(name="default")
    roads, rail = create_project("roads"), create_project("rail")
    Membership.objects.filter(user=bob).delete()
    Membership.objects.create(user=bob, project=roads, role=Role.ENGINEER)
    job("secret", project=rail.pk)
    mine = job("mine", project=roads.pk)
    said = place(api_of(bob), mine)
    assert (said["place"], said["ahead"]) == (2, [{"id": None, "title": "work of another project"}])


def test_a_longer_list_asks_no_more_often(api: APIClient, django_assert_max_num_queries: Any) -> None:
    took(10.0)
    slots(1)
    for _ in range(3):
        job()
    with django_assert_max_num_queries(60) as few:
        api.get("/jobs?state=queued")
    for _ in range(20):
        job()
    with django_assert_max_num_queries(len(few.captured_queries)):
        assert len(api.get("/jobs?state=queued").json()["results"]) == 23


@pytest.mark.parametrize("seed", range(5))
def test_a_long_line_is_played_as_if_all_of_it_were_sorted_for_each_slot(seed: int) -> None:
    """The next one is found without looking at all that wait: a list of 5,000 would take minutes."""
    rng, now, use = random.Random(seed), timezone.now(), turns.Use()
    rows = []
    for number in range(60):
        kind, created = rng.choice(["practice", "yielding"]), now - timedelta(seconds=rng.randrange(1000))
        project, priority = rng.choice([None, 1, 2]), rng.choice([0, 0, 1])
        about = Job(pk=number, kind=kind, project_id=project, priority=priority, created=created)
        rows.append(_Left(about, rng.randrange(1, 4), 5.0))
    contest = _Contest(rows, use, now)
    left, at, served = list(rows), now, 0
    while left:
        giving_way, full = rng.random() < 0.7, 1 if rng.random() < 0.3 else -1
        may = [row for row in left if giving_way or not turns.gives_way(row.job.kind)]
        may = [row for row in may if row.job.project_id != full]
        wanted = min(may, key=lambda row: turns.turn(row.job, use, at), default=None)
        found = contest.next(at, partial(ne, full), giving_way=giving_way)
        assert (found and found.job.pk) == (wanted and wanted.job.pk)
        if found is not None:
            found.shards, found.job.served, served = found.shards - 1, at, served + 1
            use.seconds[found.job.project_id] = use.seconds.get(found.job.project_id, 0.0) + rng.random() * 9
            left = [row for row in left if row.shards]
            contest.put_back(found, at)
        at += timedelta(seconds=rng.randrange(30))
    assert served >= 60
