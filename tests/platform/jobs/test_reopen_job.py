"""Jobs that failed or were cancelled are put back to work: what is done stays done, all else begins anew."""

import pytest
from tests.practice import counted
from tests.threads import at_once
from tests.working import work_on

from core.errors import Conflict
from jobs.models import Job, Shard
from jobs.services import (
    Claim,
    LeaseStatus,
    ShardSpec,
    cancel,
    claim,
    complete,
    create_job,
    fail,
    mark_cancelled,
    renew,
    reopen,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def hold(job: Job) -> Claim:
    held = claim(job.pk, worker="me")
    assert held is not None
    return held


def test_what_is_done_stays_done_and_the_rest_is_tried_as_if_for_the_first_time() -> None:
    job = create_job("practice", "a job", shards=[ShardSpec(), ShardSpec(phase=1), ShardSpec(phase=1)])
    complete(hold(job), {"kept": True})
    fail(hold(job), "no disk", code="disk_full", retry=False)
    again = reopen(job.pk)
    assert (again.state, again.phase, again.error, again.finished) == (Job.State.QUEUED, 1, None, None)
    assert list(job.shards.order_by("index").values_list("state", "attempts", "error")) == [
        (Shard.State.DONE, 1, ""), (Shard.State.TODO, 0, ""), (Shard.State.TODO, 0, ""),
    ]  # fmt: skip
    assert job.shards.get(index=0).result == {"kept": True}
    while work_on(job.pk):
        pass
    assert (Job.objects.get(pk=job.pk).state, counted(job.pk)) == (Job.State.SUCCEEDED, [1, 2])


def test_a_cancelled_job_goes_on() -> None:
    job = create_job("practice", "a job", shards=[ShardSpec()])
    cancel(job.pk)
    reopen(job.pk)
    assert hold(job).shard.attempts == 1


def test_a_worker_from_before_has_lost_its_shard() -> None:
    job = create_job("practice", "a job", shards=[ShardSpec(), ShardSpec()])
    slow = hold(job)
    fail(hold(job), "no disk", retry=False)
    reopen(job.pk)
    assert renew(slow, done=1) is LeaseStatus.LOST
    assert not complete(slow, {"late": True})
    mark_cancelled(slow)
    assert job.shards.filter(state=Shard.State.TODO).count() == 2


def test_a_job_that_waits_runs_or_has_succeeded_is_not_reopened() -> None:
    job = create_job("practice", "a job", shards=[ShardSpec()])
    with pytest.raises(Conflict, match="is queued") as refusal:
        reopen(job.pk)
    assert refusal.value.code == "job_not_resumable"
    held = hold(job)
    cancel(job.pk)  # its worker does not know yet
    with pytest.raises(Conflict, match="is running"):
        reopen(job.pk)
    done = create_job("practice", "another", shards=[ShardSpec()])
    complete(hold(done), {})
    with pytest.raises(Conflict, match="is succeeded"):
        reopen(done.pk)
    mark_cancelled(held)
    reopen(job.pk)


@pytest.mark.django_db(transaction=True)
def test_of_two_that_resume_at_once_one_does() -> None:
    job = cancel(create_job("practice", "a job", shards=[ShardSpec()]).pk)

    def resume(_: int) -> bool:
        try:
            return bool(reopen(job.pk))
        except Conflict:
            return False

    assert sorted(at_once(2, resume)) == [False, True]
