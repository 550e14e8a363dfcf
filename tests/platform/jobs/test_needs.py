"""What shards need and workers have: who may claim what, GPUs that are given once, and what is said of jobs that no
worker can do."""

import os
import platform
import random
import socket
import time
from collections import Counter
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db.models.functions import Now
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from rest_framework.test import APIClient
from tests.broker import Broker
from tests.conftest import StartWorker
from tests.practice import counted
from tests.threads import at_once
from tests.workers import wait_until

from jobs import fleet, heartbeat, machine, services, turns
from jobs.documents import job_document
from jobs.models import Beat, Job, Shard
from jobs.needs import Capacity, Gpu, Needs, size
from jobs.queue_depths import waiting
from jobs.run_program import environment
from jobs.services import ShardSpec, complete, create_job
from jobs.tasks import hand_on, sweep, wake

GIB = 1 << 30
HERE = socket.gethostname()


def capacity(*gpus: int, memory: int = 64, cores: int = 8, architecture: str = "x86_64") -> Capacity:
    """Of GPUs and memory in GiB."""
    made = tuple(Gpu(f"gpu-{number}", "Card", memory * GIB) for number, memory in enumerate(gpus))
    return Capacity(made, memory * GIB, cores, architecture)


def heard(name: str, has: Capacity, *queues: str, host: str | None = None) -> str:
    """A worker that has given a sign of life just now."""
    facts: dict[str, Any] = {"host": host or name, "queues": list(queues) or ["practice", "gpu"], "has": has.document()}
    Beat.objects.update_or_create(name=name, defaults=facts | {"seen": Now()})
    return name


def job_with(*needs: Needs, **params: Any) -> Job:
    return create_job("practice", "a job", shards=[ShardSpec(params, needs=one) for one in needs])


def take(job: Job, worker: str, *, on_gpus: bool = False) -> services.Claim | None:
    return turns.take(job.pk, owner=f"{worker}:1", worker=worker, on_gpus=on_gpus)


amounts = st.integers(0, 4)
all_needs = st.builds(
    lambda gpus, gpu, memory, cores, architecture: Needs(
        gpus, gpu * GIB if gpus else 0, memory * GIB, cores, architecture
    ),
    amounts, amounts, amounts, amounts, st.sampled_from(["", "x86_64", "aarch64"]),
)  # fmt: skip
capacities = st.builds(
    lambda gpus, memory, cores, architecture: capacity(*gpus, memory=memory, cores=cores, architecture=architecture),
    st.lists(amounts, max_size=4), amounts, amounts, st.sampled_from(["x86_64", "aarch64"]),
)  # fmt: skip


@pytest.mark.both
class TheQueryAndTheRule(TestCase):
    @given(needs=st.lists(all_needs, min_size=1, max_size=8), room=capacities)
    def test_agree_on_what_fits(self, needs: list[Needs], room: Capacity) -> None:
        job = job_with(*needs)
        found = set(Shard.objects.filter(job=job).within(room).values_list("index", flat=True))
        assert found == {index for index, one in enumerate(needs) if room.fits(one)}
        needy = set(Shard.objects.filter(job=job).needy().values_list("index", flat=True))
        assert needy == {index for index, one in enumerate(needs) if one != Needs()}


@given(needs=all_needs, room=capacities)
def test_a_shard_is_given_the_smallest_gpus_that_are_large_enough_and_leaves_the_others(
    needs: Needs, room: Capacity
) -> None:
    devices = room.devices(needs)
    sizes = {gpu.device: gpu.memory for gpu in room.gpus}
    large = sorted(memory for memory in sizes.values() if memory >= needs.gpu_memory_bytes)
    assert sorted(sizes[device] for device in devices) == large[: needs.gpus]
    left = room.less([needs], devices)
    assert {gpu.device for gpu in left.gpus} == sizes.keys() - set(devices)
    assert Capacity.of(room.document()) == room


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_each_shard_is_claimed_once_by_a_worker_that_has_room_for_it() -> None:
    """Workers of three sizes, several processes each, that come and go at random moments; two of them share a machine
    and its GPUs."""
    chance = random.Random(7)
    has = {"big": capacity(16, 80, 80), "twin": capacity(16, 80, 80), "small": capacity(16, cores=2), "arm": capacity(
        memory=32, architecture="aarch64")}  # fmt: skip
    hosts = {"big": "one", "twin": "one", "small": "two", "arm": "three"}
    for name, what in has.items():
        heard(name, what, host=hosts[name])
    choices = [Needs(gpus=1), Needs(gpus=1, gpu_memory_bytes=40 * GIB), Needs(gpus=2), Needs(gpus=3)]
    choices += [Needs(memory_bytes=30 * GIB), Needs(cores=6), Needs(architecture="aarch64"), Needs()]
    jobs = [job_with(*(chance.choice(choices) for _ in range(6))) for _ in range(6)]
    impossible = job_with(Needs(gpus=4), Needs(gpus=1, memory_bytes=1 << 50))

    def work(number: int) -> list[tuple[str, services.Claim]]:
        worker, done = list(has)[number % len(has)], list[tuple[str, services.Claim]]()
        owner, idle = f"{hosts[worker]}:{number}", 0
        while idle < 40:
            on_gpus = bool((number // 4 + idle) % 2)
            held = turns.take(jobs[0].pk, owner=owner, worker=worker, on_gpus=on_gpus)
            if held is None:
                idle += 1
                time.sleep(0.02)
                continue
            idle = 0
            _look_over_all(has, hosts)
            done.append((worker, held))
            assert complete(held, {})
        return done

    claimed = [one for mine in at_once(8, work) for one in mine]
    assert Counter(held.shard.pk for _, held in claimed) == dict.fromkeys(
        Shard.objects.filter(job__in=jobs).values_list("pk", flat=True), 1
    )
    assert all(has[worker].fits(held.shard.needs) for worker, held in claimed)
    assert not Shard.objects.filter(job__in=jobs).exclude(state=Shard.State.DONE).exists()
    assert set(impossible.shards.values_list("state", "attempts")) == {(Shard.State.TODO, 0)}


def _look_over_all(has: dict[str, Capacity], hosts: dict[str, str]) -> None:
    """At this moment no worker holds more than it has, and no GPU is given twice."""
    running = list(Shard.objects.filter(state=Shard.State.RUNNING))
    given_away = Counter((shard.owner.partition(":")[0], gpu) for shard in running for gpu in shard.gpus)
    assert all(count == 1 for count in given_away.values()), given_away
    for name, what in has.items():
        mine = [shard.needs for shard in running if shard.worker == name]
        left = what.less(mine, [])
        assert left.memory >= 0, (name, mine)
        assert left.cores >= 0, (name, mine)


@pytest.mark.both
@pytest.mark.django_db
def test_a_large_shard_does_not_wait_for_ever_behind_small_ones() -> None:
    worker = heard("w", capacity(16, 16))
    small, large = job_with(*[Needs(gpus=1)] * 20), job_with(Needs(gpus=2))
    running = [take(small, worker, on_gpus=True)]
    served = []
    for _ in range(3):
        held = take(small, worker, on_gpus=True)
        served.append(None if held is None else held.shard.job_id)
        if held is not None:
            running.append(held)
        done = running.pop(0)
        assert done is not None
        assert complete(done, {})
        if not running:
            break
    held = take(small, worker, on_gpus=True)
    assert held is not None
    assert held.shard.job_id == large.pk
    assert sorted(held.shard.gpus) == ["gpu-0", "gpu-1"]
    assert None in served  # the place that came free was kept for it


@pytest.mark.django_db
def test_what_needs_nothing_goes_on_while_a_place_is_kept() -> None:
    worker = heard("w", capacity(memory=8))
    small, large, plain = job_with(*[Needs(memory_bytes=6 * GIB)] * 2), job_with(Needs(memory_bytes=8 * GIB)), job_with(
        Needs())  # fmt: skip
    assert take(small, worker) is not None
    held = take(small, worker)
    assert held is not None
    assert held.shard.job_id == plain.pk
    assert take(small, worker) is None
    assert Shard.objects.get(job=large).attempts == 0


@pytest.mark.django_db
def test_a_slot_that_is_woken_for_gpus_takes_nothing_else_and_the_other_way_round() -> None:
    worker = heard("w", capacity(16))
    plain, training = job_with(Needs()), job_with(Needs(gpus=1))
    held = take(plain, worker, on_gpus=True)
    assert held is not None
    assert held.shard.job_id == training.pk
    assert take(plain, worker, on_gpus=True) is None
    other = take(training, worker)
    assert other is not None
    assert other.shard.job_id == plain.pk


@pytest.mark.django_db
def test_a_worker_that_was_not_heard_yet_gets_what_needs_nothing() -> None:
    heard("silent", Capacity())
    job = job_with(Needs(cores=1), Needs())
    for worker in ("nobody", "silent"):
        held = take(job, worker)
        if worker == "nobody":
            assert held is not None
            assert held.shard.index == 1
        else:
            assert held is None


@pytest.mark.both
@pytest.mark.django_db
def test_a_gpu_whose_worker_was_lost_is_given_again() -> None:
    worker = heard("w", capacity(16))
    job = job_with(Needs(gpus=1))
    lost = take(job, worker, on_gpus=True)
    assert lost is not None
    assert take(job, worker, on_gpus=True) is None
    Shard.objects.filter(pk=lost.shard.pk).update(lease_until=Now() - timedelta(seconds=1))
    again = take(job, worker, on_gpus=True)
    assert again is not None
    assert (again.token, again.shard.gpus) == (2, ["gpu-0"])
    assert not complete(lost, {})


@pytest.mark.both
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("needs", "workers", "words"),
    [
        (Needs(), [], "no worker listens to queue practice"),
        (Needs(gpus=1, gpu_memory_bytes=16 * GIB), [], "no worker has a GPU of 16 GiB: none listens to queue gpu"),
        (Needs(gpus=1), [capacity()], "no worker has a GPU: none has a GPU"),
        (Needs(1, 16 * GIB), [capacity(8), capacity(12, 4)],
         "no worker has a GPU of 16 GiB: the largest is a Card of 12 GiB"),
        (Needs(3, 8 * GIB), [capacity(16, 16)],
         "no worker has 3 GPUs of 8 GiB: the largest is a Card of 16 GiB, and the most that one has is 2"),
        (Needs(memory_bytes=GIB // 2), [capacity(memory=0)], "no worker has 512 MiB of memory: the most is 0 MiB"),
        (Needs(cores=9), [capacity(), capacity(cores=2)], "no worker has 9 cores: the most is 8"),
        (Needs(architecture="aarch64"), [capacity()], "no worker has a processor of aarch64: there are x86_64"),
        (Needs(gpus=1, cores=8), [capacity(16, cores=2), capacity()],
         "no worker has all of it at once: a GPU, 8 cores"),
        (Needs(gpus=1, cores=8), [capacity(16), capacity()], None),
    ],
)  # fmt: skip
def test_a_job_that_no_living_worker_can_do_says_why(
    api: APIClient, needs: Needs, workers: list[Capacity], words: str | None
) -> None:
    for number, has in enumerate(workers):
        heard(f"w{number}", has)
    gone = heard("gone", capacity(80, 80, 80, memory=1000, cores=100, architecture="aarch64"))
    Beat.objects.filter(name=gone).update(seen=Now() - timedelta(seconds=61))
    job = job_with(needs)
    assert api.get(f"/jobs/{job.pk}").json()["missing"] == words
    assert [one["missing"] for one in api.get("/jobs").json()["results"]] == [words]
    services.cancel(job.pk)
    assert api.get(f"/jobs/{job.pk}").json()["missing"] is None


@pytest.mark.django_db
def test_of_a_job_that_goes_on_only_what_can_be_done_now_counts() -> None:
    worker = heard("w", capacity(16))
    job = create_job(
        "practice", "train", shards=[ShardSpec(needs=Needs(gpus=1)), ShardSpec(phase=1, needs=Needs(cores=99))]
    )
    assert job_document(job)["missing"] is None
    held = take(job, worker, on_gpus=True)
    assert held is not None
    assert complete(held, {})
    job.refresh_from_db()
    assert job_document(job)["missing"] == "no worker has 99 cores: the most is 8"


@pytest.mark.django_db
def test_the_api_shows_what_shards_need_and_were_given(api: APIClient) -> None:
    worker = heard("w", capacity(16))
    job = job_with(Needs(gpus=1), Needs())
    assert take(job, worker, on_gpus=True) is not None
    first, second = api.get(f"/jobs/{job.pk}/shards").json()["results"]
    assert first["needs"] == {
        "gpus": 1, "gpu_memory_bytes": 0, "memory_bytes": 0, "cores": 0, "architecture": None,
    }  # fmt: skip
    assert (first["gpus"], second["needs"], second["gpus"]) == (["gpu-0"], None, [])


@pytest.mark.django_db
def test_a_program_sees_the_gpus_of_its_shard_alone_and_may_have_the_memory_it_asked_for(settings: Any) -> None:
    settings.PROGRAM_MEMORY = 4 * GIB
    worker = heard("w", capacity(16, 80))
    job = job_with(Needs(gpus=1, gpu_memory_bytes=40 * GIB, memory_bytes=6 * GIB))
    held = take(job, worker, on_gpus=True)
    assert held is not None
    given_it = environment(held.shard)
    assert (given_it["CUDA_VISIBLE_DEVICES"], given_it["MOTHERLODE_PROGRAM_MEMORY"]) == ("gpu-1", str(6 * GIB))
    assert environment(Shard())["MOTHERLODE_PROGRAM_MEMORY"] == str(4 * GIB)


def test_what_a_worker_has_is_that_of_its_machine_unless_it_is_told(settings: Any) -> None:
    found = heartbeat.capacity()
    assert found.cores == machine.cores() <= len(os.sched_getaffinity(0))
    assert 1 * GIB < found.memory <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert found.architecture == platform.machine()
    assert len(found.gpus) >= len(machine.gpus()[0])  # a GPU may be cut into parts
    settings.WORKER_CORES, settings.WORKER_MEMORY, settings.WORKER_ARCHITECTURE = 3, GIB, "aarch64"
    settings.WORKER_GPUS, settings.WORKER_GPU_MEMORY, settings.WORKER_GPU_NAME = 2, 16 * GIB, "MI300"
    told = (Gpu("0", "MI300", 16 * GIB), Gpu("1", "MI300", 16 * GIB))
    assert heartbeat.capacity() == Capacity(told, GIB, 3, "aarch64")
    settings.WORKER_GPUS, settings.WORKER_GPU_MEMORY = 0, 0
    assert heartbeat.capacity().gpus == ()


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_all_slots_of_all_living_workers_are_woken_and_none_for_what_nobody_can_do(broker: Broker) -> None:
    for number in range(3):
        heard(f"w{number}", capacity())
        Beat.objects.filter(name=f"w{number}").update(processes=[{"pid": pid} for pid in range(2)])
    wake(job_with(*[Needs()] * 20))
    assert waiting(["practice"]) == {"practice": 6}
    held = job_with(Needs(gpus=1))
    wake(held)
    assert waiting(["gpu"])["gpu"] in {0, None}
    for number in range(3):
        heard(f"w{number}", capacity(), "practice")
    heard("w3", capacity(16))
    wake(held)
    assert waiting(["gpu"]) == {"gpu": 1}


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_all_slots_of_a_queue_are_asked_where_some_of_its_workers_could_not_take_the_shard(broker: Broker) -> None:
    for number, memory in enumerate((4, 4, 64)):
        heard(f"w{number}", capacity(memory=memory))
        Beat.objects.filter(name=f"w{number}").update(processes=[{"pid": pid} for pid in range(2)])
    small = job_with(Needs(memory_bytes=GIB))
    wake(small)
    assert waiting(["practice"]) == {"practice": 1}
    wake(job_with(Needs(memory_bytes=32 * GIB)))
    assert waiting(["practice"]) == {"practice": 1 + 6}
    hand_on(small, on_gpus=False)
    assert waiting(["practice"]) == {"practice": 1 + 6 + 6}
    Shard.objects.filter(need_memory=32 * GIB).update(state=Shard.State.DONE)
    hand_on(small, on_gpus=False)
    assert waiting(["practice"]) == {"practice": 1 + 6 + 6 + 1}


def test_sizes_are_read_as_people_write_them() -> None:
    assert [size(count) for count in (16 * GIB, 3 * GIB // 2, 1 << 29)] == ["16 GiB", "1.5 GiB", "512 MiB"]


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_a_job_that_needs_a_gpu_starts_when_a_worker_with_one_comes(worker: StartWorker) -> None:
    """A real one, that is told that it has a GPU, beside one that has none."""
    heard("cpu", capacity(), "practice", "gpu")
    job = job_with(*[Needs(gpus=1, gpu_memory_bytes=16 * GIB)] * 3)
    wake(job)
    assert fleet.missing([job]) == {job.pk: "no worker has a GPU of 16 GiB: none has a GPU"}
    env = {"MOTHERLODE_WORKER_GPUS": "1", "MOTHERLODE_WORKER_GPU_MEMORY": str(16 * GIB)}
    worker(processes=2, queues=("gpu",), env=env)
    wait_until(lambda: fleet.missing([job]) == {})

    def ended() -> bool:
        Job.objects.filter(pk=job.pk).update(woken=None)  # as a while later
        sweep()
        return services.wait(job.pk, seconds=0.5).state == Job.State.SUCCEEDED

    wait_until(ended, seconds=60)
    assert counted(job.pk) == [0, 1, 2]
    rows = Shard.objects.filter(job=job)
    assert {tuple(gpus) for gpus in rows.values_list("gpus", flat=True)} == {("0",)}
    held = list(rows.order_by("started").values_list("started", "finished"))
    assert all(end and start and end <= start for (_, end), (start, _) in pairwise(held))  # there is but one GPU
