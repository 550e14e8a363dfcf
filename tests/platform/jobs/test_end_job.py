"""How jobs go on and end: phases, failures, retries, cancellation, and what the sweep finds."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks
from tests.practice import counted
from tests.threads import at_once
from tests.working import work_on

from jobs import services, tasks
from jobs.errors import ShardFailed
from jobs.models import Job, Shard
from jobs.services import Claim, LeaseStatus, ShardSpec, cancel, claim, complete, create_job, fail, progress, renew

pytestmark = pytest.mark.both

Kind = Job.State


def job_of(*shards: ShardSpec) -> Job:
    return create_job("practice", "a job", shards=shards)


def hold(job: Job) -> Claim:
    held = claim(job.pk, worker="me")
    assert held is not None
    return held


def state(job: Job) -> str:
    return Job.objects.get(pk=job.pk).state


def make_due(job: Job) -> None:
    """Let every back-off be over and every lease run out."""
    past = Now() - timedelta(seconds=1)
    job.shards.exclude(not_before=None).update(not_before=past)
    job.shards.filter(state=Shard.State.RUNNING).update(lease_until=past)


@pytest.mark.django_db
def test_the_last_result_ends_the_job_and_tells_the_receivers(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    job, told = job_of(ShardSpec(), ShardSpec()), []

    def receiver(job: Job, **_: object) -> None:
        told.append((job.pk, job.state))

    services.job_ended.connect(receiver)
    with django_capture_on_commit_callbacks(execute=True):
        complete(hold(job), {"n": 1})
        assert state(job) == Kind.RUNNING
        complete(hold(job), {"n": 2})
    services.job_ended.disconnect(receiver)
    job.refresh_from_db()
    assert (job.state, job.result, job.finished is not None) == (Kind.SUCCEEDED, {"n": 2}, True)
    assert told == [(job.pk, Kind.SUCCEEDED)]


@pytest.mark.django_db
def test_a_store_that_fails_on_an_object_ends_the_job_after_the_usual_tries(settings: Any) -> None:
    job = job_of(ShardSpec(params={"do": "fail on an object"}))
    for _ in range(settings.JOB_MAX_ATTEMPTS):
        make_due(job)
        assert work_on(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == (
        Kind.FAILED,
        {"code": "store_failed", "detail": "the object store failed on blobs/1 (InternalError); try again later"},
    )


@pytest.mark.django_db
def test_a_phase_starts_when_the_one_before_is_done() -> None:
    job = job_of(ShardSpec(phase=1), ShardSpec(phase=3), ShardSpec(phase=1))
    first, second = hold(job), hold(job)
    assert claim(job.pk, worker="early") is None
    complete(first, {})
    assert claim(job.pk, worker="early") is None
    complete(second, {})
    assert hold(job).shard.phase == 3


@pytest.mark.django_db(transaction=True)
def test_two_shards_that_complete_at_once_advance_the_phase_once() -> None:
    for _ in range(5):
        job = job_of(*[ShardSpec(phase=0)] * 4, ShardSpec(phase=1))
        held = [hold(job) for _ in range(4)]
        assert all(at_once(4, lambda n: complete(held[n], {"n": n})))  # noqa: B023 - run before the next round
        job.refresh_from_db()
        assert (job.phase, job.state) == (1, Kind.RUNNING)
        complete(hold(job), {"last": True})
        job.refresh_from_db()
        assert (job.state, job.result) == (Kind.SUCCEEDED, {"last": True})


@pytest.mark.django_db
def test_a_failed_shard_waits_before_it_is_tried_again(settings) -> None:
    settings.JOB_BACKOFF_SECONDS = 100.0  # a wait of less than a test takes on a busy machine would be over already
    job = job_of(ShardSpec())
    fail(hold(job), "the disk stumbled", retry=True)
    assert claim(job.pk, worker="eager") is None
    make_due(job)
    assert hold(job).shard.attempts == 2
    assert "attempt 1: the disk stumbled; it is tried again" in job.events.get().data["message"]


@pytest.mark.django_db
def test_the_wait_doubles_with_each_attempt(settings) -> None:
    settings.JOB_BACKOFF_SECONDS = 100.0
    job = job_of(ShardSpec())
    waits = []
    for _ in range(3):
        before = timezone.now()
        fail(hold(job), "again", retry=True)
        due = job.shards.get().not_before
        assert due is not None
        waits.append((due - before).total_seconds())
        make_due(job)
    assert waits[1] > waits[0] + 60
    assert waits[2] > waits[1] + 160


@pytest.mark.django_db
def test_the_fifth_failure_ends_the_job_with_its_reason() -> None:
    job = job_of(ShardSpec(), ShardSpec())
    for _ in range(5):
        make_due(job)
        fail(hold(job), "no disk", code="disk_full", retry=True)
    job.refresh_from_db()
    assert (job.state, job.error) == (Kind.FAILED, {"code": "disk_full", "detail": "no disk"})
    assert sorted(job.shards.values_list("state", flat=True)) == ["cancelled", "failed"]


@pytest.mark.django_db(transaction=True)
def test_what_no_retry_can_mend_ends_the_job_at_once() -> None:
    job = job_of(ShardSpec(params={"do": "refuse"}), ShardSpec())
    other = claim(job.pk, worker="other")
    assert other is not None
    Shard.objects.filter(pk=other.shard.pk).update(params={})
    job.shards.filter(index=1).update(params={"do": "refuse"})
    assert work_on(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error and job.error["code"]) == (Kind.FAILED, "unknown_class")
    assert renew(other, done=1) is LeaseStatus.CANCELLED
    assert not complete(other, {})


@pytest.mark.django_db(transaction=True)
def test_a_handler_that_stumbles_is_run_again() -> None:
    job = job_of(ShardSpec(params={"do": "stumble", "until": 3}))
    for _ in range(3):
        make_due(job)
        assert work_on(job.pk)
    assert (state(job), counted(job.pk)) == (Kind.SUCCEEDED, [0])
    assert not work_on(job.pk)


@pytest.mark.django_db
def test_cancelling_a_waiting_job_ends_it() -> None:
    job = cancel(job_of(ShardSpec(), ShardSpec()).pk)
    assert job.state == Kind.CANCELLED
    assert set(job.shards.values_list("state", flat=True)) == {"cancelled"}
    assert claim(job.pk, worker="late") is None


@pytest.mark.django_db
def test_cancelling_a_running_job_waits_for_its_worker() -> None:
    job = job_of(ShardSpec(), ShardSpec())
    held = hold(job)
    assert cancel(job.pk).state == Kind.RUNNING
    assert renew(held, done=1) is LeaseStatus.CANCELLED
    assert not complete(held, {})
    services.mark_cancelled(held)
    assert state(job) == Kind.CANCELLED


@pytest.mark.django_db
@pytest.mark.parametrize("give_back", [lambda held: fail(held, "the disk stumbled", retry=True), services.release])
def test_a_shard_that_is_given_back_ends_a_job_that_was_cancelled_meanwhile(give_back: Callable[[Claim], None]) -> None:
    job = job_of(ShardSpec(), ShardSpec())
    first, second = hold(job), hold(job)
    cancel(job.pk)
    give_back(first)
    assert state(job) == Kind.RUNNING
    give_back(second)
    assert state(job) == Kind.CANCELLED
    assert set(job.shards.values_list("state", flat=True)) == {"cancelled"}


@pytest.mark.django_db
def test_the_sweep_ends_a_cancelled_job_whose_shard_was_put_back() -> None:
    job = job_of(ShardSpec())
    hold(job)
    cancel(job.pk)
    job.shards.update(state=Shard.State.TODO, lease_until=None)
    services.tidy()
    assert state(job) == Kind.CANCELLED


@pytest.mark.django_db
def test_cancelling_an_ended_job_changes_nothing() -> None:
    job = job_of(ShardSpec())
    complete(hold(job), {})
    assert cancel(job.pk).state == Kind.SUCCEEDED


@pytest.mark.django_db
def test_a_cancelled_job_whose_worker_died_is_ended_by_the_sweep() -> None:
    job = job_of(ShardSpec())
    hold(job)
    cancel(job.pk)
    services.tidy()
    assert state(job) == Kind.RUNNING
    make_due(job)
    services.tidy()
    assert state(job) == Kind.CANCELLED


@pytest.mark.django_db
def test_a_shard_that_takes_every_worker_with_it_ends_the_job() -> None:
    job = job_of(ShardSpec())
    for _ in range(10):
        hold(job)
        make_due(job)
    assert claim(job.pk, worker="next") is None
    services.tidy()
    job.refresh_from_db()
    assert (job.state, job.error and job.error["code"]) == (Kind.FAILED, "worker_lost")


@pytest.mark.django_db
def test_the_sweep_wakes_what_stands_still_and_nothing_else() -> None:
    job = job_of(ShardSpec())
    assert services.standing_still() == [job]
    services.mark_woken(job.pk)
    assert services.standing_still() == []
    Job.objects.update(woken=Now() - timedelta(seconds=2))
    assert services.standing_still() == [job]
    hold(job)
    assert services.standing_still() == []


@pytest.mark.django_db
def test_a_shard_whose_worker_died_is_woken_without_waiting_any_longer() -> None:
    job = job_of(ShardSpec(), ShardSpec())
    services.mark_woken(job.pk)
    Job.objects.update(woken=Now() - timedelta(milliseconds=900))
    hold(job)
    hold(job)
    job.shards.filter(index=0).update(lease_until=Now() - timedelta(milliseconds=500))
    assert services.standing_still() == [job]


@pytest.mark.django_db
def test_a_job_is_woken_no_more_often_than_it_has_free_slots() -> None:
    job = job_of(*[ShardSpec()] * 5)
    assert services.wanted_wakeups(job.pk) == 2
    hold(job)
    assert services.wanted_wakeups(job.pk) == 1
    hold(job)
    assert services.wanted_wakeups(job.pk) == 0
    make_due(job)
    assert services.wanted_wakeups(job.pk) == 2


@pytest.mark.django_db
def test_progress_counts_units_and_foretells_the_end() -> None:
    job = job_of(ShardSpec(units=60), ShardSpec(units=40))
    assert progress(job) == {"done": 0, "total": 100, "rate": None, "eta": None, "unit": "items"}
    complete(hold(job), {})
    renew(hold(job), done=20)
    Job.objects.update(started=timezone.now() - timedelta(seconds=8))
    job.refresh_from_db()
    seen = progress(job)
    assert (seen["done"], seen["total"]) == (80, 100)
    assert seen["rate"] == pytest.approx(10, rel=0.2)
    assert seen["eta"] == pytest.approx(2, rel=0.2)


@pytest.mark.django_db(transaction=True)
def test_the_same_message_twice_runs_nothing_twice() -> None:
    job = job_of(ShardSpec(), ShardSpec())
    at_once(4, lambda _: tasks.work(job.pk))
    tasks.work(job.pk)
    assert (state(job), counted(job.pk)) == (Kind.SUCCEEDED, [0, 1])


@pytest.mark.django_db(transaction=True)
def test_the_process_that_ends_a_phase_goes_on_with_the_only_shard_of_the_next() -> None:
    job = job_of(ShardSpec(), ShardSpec(phase=1), ShardSpec(phase=2), ShardSpec(phase=2))
    services.mark_woken(job.pk)
    tasks.work(job.pk)
    assert counted(job.pk) == [0, 1], "two shards are for two processes"
    assert Job.objects.get(pk=job.pk).woken is not None, "which are woken"
    owners = set(job.shards.filter(state=Shard.State.DONE).values_list("owner", flat=True))
    assert len(owners) == 1


def test_a_refusal_says_what_the_user_mends() -> None:
    refusal = ShardFailed("mend this", code="bad_config")
    assert (refusal.detail, refusal.code, str(refusal)) == ("mend this", "bad_config", "mend this")
