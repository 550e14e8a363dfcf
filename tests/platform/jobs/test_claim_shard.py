"""Claiming and holding a shard: one owner at a time, by the database's clock."""

import time
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone
from tests.threads import at_once, in_thread
from tests.workers import wait_until

from jobs import services, turns
from jobs.context import report_seconds
from jobs.models import Job, Shard
from jobs.services import Claim, LeaseStatus, ShardSpec, claim, complete, create_job, renew

pytestmark = pytest.mark.both


def job_of(shards: int) -> Job:
    return create_job("practice", "a job", shards=[ShardSpec(params={"n": n}) for n in range(shards)])


def claim_as(job: Job, number: int) -> Claim | None:
    return claim(job.pk, worker=str(number))


def hold(job: Job) -> Claim:
    held = claim(job.pk, worker="me")
    assert held is not None
    return held


def expire(held: Claim) -> None:
    """Let the lease be over, by the database's clock."""
    Shard.objects.filter(pk=held.shard.pk).update(lease_until=Now() - timedelta(seconds=1))


@pytest.mark.django_db(transaction=True)
def test_eight_threads_claim_each_shard_once() -> None:
    job = job_of(40)

    def claim_all(number: int) -> list[int]:
        mine = []
        while held := claim(job.pk, worker=str(number)):
            mine.append(held.shard.index)
        return mine

    claimed = [index for mine in at_once(8, claim_all) for index in mine]
    assert sorted(claimed) == list(range(40))


@pytest.mark.django_db(transaction=True)
def test_an_expired_shard_has_one_new_owner_however_many_want_it() -> None:
    for job in [job_of(1) for _ in range(5)]:
        expire(hold(job))
        winners = [held for held in at_once(8, partial(claim_as, job)) if held]
        assert [held.token for held in winners] == [2]


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has one writer at a time")
@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_a_claim_that_waits_for_its_job_holds_no_shard() -> None:
    """Who completes a shard holds the job, and would wait for the claim."""
    job, claimed = job_of(2), list[Claim | None]()
    with transaction.atomic():
        Job.objects.select_for_update().get(pk=job.pk)
        claiming = in_thread(lambda: claimed.append(turns.take(job.pk, owner="other:1")))
        wait_until(one_waits)
        assert len(Shard.objects.select_for_update(nowait=True).filter(job=job)) == 2
    claiming.join()
    assert [held and held.shard.index for held in claimed] == [0]


def one_waits() -> bool:
    """Whether a statement waits for a row that another transaction holds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # else a transaction sees what it saw first
        waits = "state = 'active' AND wait_event_type = 'Lock' AND datname = current_database()"
        cursor.execute(f"SELECT count(*) FROM pg_stat_activity WHERE {waits}")  # noqa: S608 - a constant
        return bool(cursor.fetchone()[0])


@pytest.mark.django_db
def test_the_first_claim_starts_the_job() -> None:
    job = job_of(2)
    held = hold(job)
    job.refresh_from_db()
    assert (job.state, job.started is not None) == (Job.State.RUNNING, True)
    assert (held.token, held.shard.attempts, held.shard.params) == (1, 1, {"n": 0})


@pytest.mark.django_db
def test_a_held_shard_is_nobody_elses() -> None:
    job = job_of(1)
    hold(job)
    assert claim(job.pk, worker="other") is None


@pytest.mark.django_db
def test_a_lease_that_ran_out_is_claimed_again_and_the_zombie_writes_nothing() -> None:
    job = job_of(2)
    zombie = hold(job)
    expire(zombie)
    heir = hold(job)
    assert (heir.shard.pk, heir.token) == (zombie.shard.pk, zombie.token + 1)
    applied: list[str] = []
    assert not complete(zombie, {"by": "zombie"}, apply=lambda: applied.append("zombie"))
    assert renew(zombie, done=1) is LeaseStatus.LOST
    services.fail(zombie, "no", retry=False)
    services.release(zombie)
    services.mark_cancelled(zombie)
    assert complete(heir, {"by": "heir"}, apply=lambda: applied.append("heir"))
    shard = Shard.objects.get(pk=heir.shard.pk)
    assert (shard.state, shard.result, applied) == (Shard.State.DONE, {"by": "heir"}, ["heir"])


@pytest.mark.django_db
def test_a_result_is_counted_once_however_often_it_is_told() -> None:
    job = job_of(2)
    held = hold(job)
    applied: list[int] = []
    assert complete(held, {}, apply=lambda: applied.append(1))
    assert not complete(held, {}, apply=lambda: applied.append(2))
    assert applied == [1]


@pytest.mark.django_db
def test_what_apply_raises_undoes_the_count() -> None:
    held = hold(job_of(1))

    def broken() -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        complete(held, {}, apply=broken)
    assert complete(held, {})


@pytest.mark.django_db
def test_renewing_keeps_the_lease_and_notes_progress() -> None:
    held = hold(job_of(1))
    expire(held)
    assert renew(held, done=3, total=9) is LeaseStatus.HELD
    shard = Shard.objects.get(pk=held.shard.pk)
    assert (shard.units_done, shard.units) == (3, 9)
    assert claim(held.shard.job_id, worker="other") is None


@pytest.mark.django_db
@pytest.mark.parametrize("hours", [-2, 2])
def test_a_worker_whose_clock_is_wrong_decides_the_same(hours: int, monkeypatch: pytest.MonkeyPatch) -> None:
    job = job_of(1)
    shift = hours * 3600.0
    wrong, now = time.time() + shift, timezone.now() + timedelta(hours=hours)
    monkeypatch.setattr(time, "time", lambda: wrong)
    monkeypatch.setattr(timezone, "now", lambda: now)
    held = hold(job)
    assert claim(job.pk, worker="other") is None
    assert renew(held, done=0) is LeaseStatus.HELD
    assert claim(job.pk, worker="other") is None
    left = Shard.objects.filter(pk=held.shard.pk, lease_until__gt=Now(), lease_until__lt=Now() + timedelta(10))
    assert left.exists()
    expire(held)
    assert hold(job).token == held.token + 1


@pytest.mark.django_db
def test_a_released_shard_is_free_at_once_and_costs_no_attempt() -> None:
    job = job_of(1)
    services.release(hold(job))
    assert hold(job).shard.attempts == 1


@pytest.mark.django_db
def test_a_job_without_shards_or_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one shard"):
        create_job("practice", "empty", shards=[])
    with pytest.raises(ValueError, match="kind"):
        create_job("nonsense", "a job", shards=[ShardSpec()])
    assert not Job.objects.exists()


@pytest.mark.parametrize(("running", "seconds"), [(1, 1.0), (100, 1.0), (250, 2.5), (1000, 3.75), (100_000, 3.75)])
def test_the_more_shards_of_a_job_run_the_less_often_each_reports_but_never_too_late_for_its_lease(
    settings: Any, running: int, seconds: float
) -> None:
    settings.JOB_LEASE_SECONDS, settings.JOB_RENEW_SECONDS = 15.0, 3.75
    assert report_seconds(running) == seconds
