"""Whose shard a slot runs next: shares of projects, turns of jobs, bounds, and who may change them."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from rest_framework.test import APIClient
from tests.conftest import StartWorker
from tests.laws import examples
from tests.practice import counted
from tests.threads import at_once

from accounts.models import AuditEvent, Membership, Project, Role, User
from accounts.projects import create_project
from jobs import services, turns
from jobs.models import Job, JobEvent, Quota, Shard
from jobs.runner import work_on
from jobs.services import Claim, ShardSpec, complete, create_job
from jobs.tasks import wake

UNLIMITED = {"storage": None, "held": None, "counted": None, "requests": None, "requested": None}


def job_in(project: Project | None, shards: int = 1, *, kind: str = "practice", **params: Any) -> Job:
    specs = [ShardSpec(params=params) for _ in range(shards)]
    return create_job(kind, "a job", shards=specs, project=None if project is None else project.pk)


def take(job: Job) -> Claim:
    held = turns.take(job.pk, owner="me")
    assert held is not None
    return held


def serve(job: Job, seconds: float) -> Job:
    """A slot that this job's wake-up reached runs a shard for so long; the job whose shard it was."""
    held = take(job)
    done = held.shard.job
    turns.used(done.project_id, seconds)
    assert complete(held, {})
    return done


@pytest.fixture
def roads(db: None) -> Project:
    return create_project("roads")


@pytest.fixture
def rail(db: None) -> Project:
    return create_project("rail")


class Shares(TestCase):
    @settings(max_examples=examples(40))
    @given(shares=st.lists(st.integers(1, 5), min_size=2, max_size=4), jobs=st.lists(st.integers(1, 3), min_size=4))
    def test_slots_follow_the_shares_however_many_jobs_each_project_has(
        self, shares: list[int], jobs: list[int]
    ) -> None:
        rounds = 3
        projects = [create_project(f"p{number}") for number in range(len(shares))]
        woken = []
        for project, share, count in zip(projects, shares, jobs, strict=False):
            Quota.objects.create(project=project, share=share)
            woken += [job_in(project, rounds * share) for _ in range(count)]
        served = Counter(serve(woken[0], 10.0).project_id for _ in range(rounds * sum(shares)))
        expected = {project.pk: rounds * share for project, share in zip(projects, shares, strict=True)}
        assert all(abs(served[pk] - count) <= 1 for pk, count in expected.items()), (served, expected)


@pytest.mark.django_db
def test_a_project_with_one_job_does_not_wait_behind_the_fifty_of_another(roads: Project, rail: Project) -> None:
    first, *_ = [job_in(roads, 2) for _ in range(50)]
    served = [serve(first, 5.0) for _ in range(3)]
    late = job_in(rail, 2)
    assert {job.project_id for job in served} == {roads.pk}
    assert [serve(first, 5.0).pk for _ in range(2)] == [late.pk, late.pk]


@pytest.mark.django_db
def test_what_was_used_long_ago_counts_no_more(roads: Project, rail: Project) -> None:
    turns.used(roads.pk, 1000.0)
    turns.used(rail.pk, 100.0)
    woken, other = job_in(roads), job_in(rail)
    assert [job.pk for job in turns.in_turn(Shard.objects.all())] == [other.pk, woken.pk]
    Quota.objects.filter(project=roads).update(as_of=F("as_of") - timedelta(seconds=5 * turns.HALF_LIFE))
    assert [job.pk for job in turns.in_turn(Shard.objects.all())] == [woken.pk, other.pk]
    assert turns.use_of().seconds[roads.pk] == pytest.approx(1000 / 32, rel=0.01)


@pytest.mark.django_db
def test_the_time_of_a_shard_that_still_runs_counts(roads: Project, rail: Project) -> None:
    busy = job_in(roads, 2)
    held = take(busy)
    Shard.objects.filter(pk=held.shard.pk).update(started=timezone.now() - timedelta(minutes=5))
    turns.used(rail.pk, 60.0)
    waiting = job_in(rail)
    assert take(busy).shard.job_id == waiting.pk


@pytest.mark.both
@pytest.mark.django_db
def test_the_jobs_of_a_project_take_turns_shard_by_shard(roads: Project) -> None:
    long, short = job_in(roads, 4), job_in(roads, 2)
    assert [serve(long, 1.0).pk for _ in range(6)] == [long.pk, short.pk, long.pk, short.pk, long.pk, long.pk]


@pytest.mark.django_db
def test_a_high_priority_goes_first_in_its_project_and_before_no_other(roads: Project, rail: Project) -> None:
    low, usual, high, others = job_in(roads), job_in(roads), job_in(roads), job_in(rail)
    services.set_priority(low.pk, Job.Priority.LOW)
    services.set_priority(high.pk, Job.Priority.HIGH)
    turns.used(roads.pk, 10.0)
    assert [serve(low, 20.0).pk for _ in range(4)] == [others.pk, high.pk, usual.pk, low.pk]


@pytest.mark.django_db
def test_a_wake_up_serves_its_own_queue_alone(roads: Project) -> None:
    elsewhere, woken = job_in(roads, kind="export"), job_in(roads)
    assert take(woken).shard.job_id == woken.pk
    assert turns.take(woken.pk, owner="me") is None
    assert take(elsewhere).shard.job_id == elsewhere.pk


@pytest.mark.django_db
def test_of_the_work_of_the_platform_itself_nothing_is_kept_and_it_goes_early(roads: Project) -> None:
    turns.used(roads.pk, 10.0)
    theirs, own = job_in(roads), job_in(None)
    assert [serve(theirs, 1.0).pk for _ in range(2)] == [own.pk, theirs.pk]


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_however_many_workers_ask_a_project_holds_no_more_slots_than_it_may() -> None:
    roads, rail = create_project("roads"), create_project("rail")
    Quota.objects.create(project=roads, slots=2)
    woken, _ = job_in(roads, 5), job_in(roads, 5)
    turns.used(rail.pk, 1000.0)
    job_in(rail, 3)
    held = [claim for claim in at_once(8, lambda number: turns.take(woken.pk, owner=str(number))) if claim]
    assert Counter(claim.shard.job.project_id for claim in held) == {roads.pk: 2, rail.pk: 3}
    theirs = next(claim for claim in held if claim.shard.job.project_id == roads.pk)
    assert complete(theirs, {})
    assert take(woken).shard.job.project_id == roads.pk
    assert turns.take(woken.pk, owner="me") is None


@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_a_worker_serves_another_project_in_the_middle_of_a_long_job(worker: StartWorker) -> None:
    roads, rail = create_project("roads"), create_project("rail")
    long = job_in(roads, 20, seconds=0.1)
    wake(long)
    worker(processes=1)
    while len(counted(long.pk)) < 3:
        services.wait(long.pk, seconds=0.05)
    short = job_in(rail, 2)
    wake(short)
    assert services.wait(short.pk, seconds=60).state == Job.State.SUCCEEDED
    assert len(counted(long.pk)) < 20
    assert services.wait(long.pk, seconds=60).state == Job.State.SUCCEEDED
    assert counted(long.pk) == list(range(20))
    seconds = turns.use_of().seconds
    assert seconds[roads.pk] > seconds[rail.pk] > 0


@pytest.mark.django_db
def test_what_a_shard_took_is_counted_also_when_it_failed(roads: Project) -> None:
    job = job_in(roads, do="refuse")
    assert work_on(job.pk) == job
    assert Quota.objects.get(project=roads).seconds > 0


@pytest.mark.django_db
def test_owners_of_the_platform_set_a_quota_and_members_read_it(
    api: APIClient, roads: Project, bob: User, api_of: Callable[[User], APIClient]
) -> None:
    job_in(roads, 3)
    before = api.get("/projects/roads/quota").json()
    assert (
        before
        == {"project": "roads", "share": 1, "slots": None, "running": 0, "waiting": 1, "seconds": 0.0} | UNLIMITED
    )
    changed = api.patch("/projects/roads/quota", {"share": 3, "slots": 2}, format="json")
    assert (changed.status_code, changed.json()["share"], changed.json()["slots"]) == (200, 3, 2)
    assert api.patch("/projects/roads/quota", {"slots": None}, format="json").json()["slots"] is None
    assert api.get("/projects/roads/quota").json()["share"] == 3
    event = AuditEvent.objects.filter(kind="quota").order_by("pk").first()
    assert event is not None
    assert (event.action, event.name, event.before, event.after) == (
        "changed", "roads", {"share": 1, "slots": None}, {"share": 3, "slots": 2},
    )  # fmt: skip

    Membership.objects.create(project=roads, user=bob, role=Role.OWNER)
    owner = api_of(bob)
    assert owner.get("/projects/roads/quota").status_code == 200
    assert owner.patch("/projects/roads/quota", {"share": 9}, format="json").json()["code"] == "owners_only"
    shares = {one["project"]: one["share"] for one in owner.get("/workers").json()["projects"]}
    assert shares == {"roads": 3}  # of the first project bob is but an annotator


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, ""),
        ({"share": 0}, "share"),
        ({"share": 1001}, "share"),
        ({"share": "2"}, "share"),
        ({"share": None}, "share"),
        ({"slots": 0}, "slots"),
        ({"slots": 1.5}, "slots"),
        ({"weight": 2}, "weight"),
    ],
)
def test_a_quota_that_is_none_is_refused(api: APIClient, roads: Project, body: Any, field: str) -> None:
    answer = api.patch("/projects/roads/quota", body, format="json")
    assert answer.status_code == 400, answer.json()
    assert field in answer.json()["detail"] or field in answer.json()["errors"]
    assert not Quota.objects.filter(project=roads).exists()


@pytest.mark.django_db
def test_the_priority_of_an_open_job_is_changed_and_logged_once(api: APIClient, roads: Project) -> None:
    job = job_in(roads)
    for _ in range(2):
        answer = api.patch(f"/jobs/{job.pk}", {"priority": "high"}, format="json")
        assert (answer.status_code, answer.json()["priority"], answer.json()["project"]) == (200, "high", "roads")
    assert [event.data["message"] for event in JobEvent.objects.filter(job=job)] == ["Its priority is high now."]
    wrong = api.patch(f"/jobs/{job.pk}", {"priority": "urgent"}, format="json")
    assert (wrong.status_code, "priority" in wrong.json()["errors"]) == (400, True)
    serve(job, 1.0)
    ended = api.patch(f"/jobs/{job.pk}", {"priority": "low"}, format="json")
    assert (ended.status_code, ended.json()["code"]) == (409, "job_ended")
    assert api.patch("/jobs/999999", {"priority": "low"}, format="json").status_code == 404
