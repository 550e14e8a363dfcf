"""`lode job` and `lode workers`."""

import json
import os
import subprocess
import sys
import time

import pytest
from tests.platform.motherlode.canned import Answer, CannedServer, problem
from tests.platform.motherlode.test_lode import ROOT, environment, lode

JOB = {
    "id": 7, "kind": "mine", "title": "Mine 20 of roads v3", "state": "failed", "failed_shards": 2, "retriable": True,
    "created": "2026-11-21T09:00:00Z", "project": "roads", "priority": "high",
}  # fmt: skip
MACHINE = {
    "name": "box", "seen": "2026-11-21T09:00:00Z", "cores": 2, "cpu_percent": 37.5, "load": 1.5,
    "memory": {"total": 8 * 10**9, "used": 2 * 10**9}, "disk": {"total": 10**12, "used": 10**11}, "gpus": [],
    "gpus_note": "no NVIDIA driver on this machine",
    "workers": [
        {"name": "compute@box", "pid": 41, "queues": ["compute", "default"], "rss": 150_000_000,
         "busy_with": {"job": 7, "shard": 3, "title": "Mine 20 of roads v3"}},
        {"name": "compute@box", "pid": 42, "queues": ["compute", "default"], "rss": None, "busy_with": None},
    ],
}  # fmt: skip


def test_jobs_are_searched_and_show_how_many_shards_failed(server: CannedServer) -> None:
    server.script["GET /jobs"] = [Answer(200, {"results": [JOB], "next": None})]
    done = lode(server, "job", "list", "--search", "roads", "--kind", "mine,train")
    assert done.returncode == 0, done.stderr
    assert ("q=roads" in server.asked[0].path, "kind=mine%2Ctrain" in server.asked[0].path) == (True, True)
    assert [word in done.stdout for word in ("Mine 20 of roads v3", "failed, high")] == [True, True]
    assert lode(server, "job", "list").stdout == done.stdout


def test_a_job_is_shown_with_why_it_waits(server: CannedServer) -> None:
    progress = {"done": 0, "total": 2000, "rate": None, "eta": None, "unit": "samples"}
    waiting = JOB | {"state": "queued", "failed_shards": 0, "error": None, "progress": progress,
                     "missing": "no worker has a GPU of 16 GiB: none listens to queue gpu",
                     "waiting": None}  # fmt: skip
    failed = waiting | {
        "state": "failed",
        "missing": None,
        "error": {"code": "worker_lost", "detail": "It [was] lost."},
    }
    server.script["GET /jobs/7"] = [Answer(200, waiting), Answer(200, failed), Answer(200, failed)]
    told = lode(server, "job", "show", "7").stdout
    for words in (
        "Mine 20 of roads v3",
        "no worker has a GPU of 16 GiB: none listens to queue gpu",
        "0 of 2,000 samples",
    ):
        assert words in told, told
    again = lode(server, "job", "show", "7").stdout
    assert ("worker_lost: It [was] lost." in again, "GPU" in again) == (True, False)
    assert json.loads(lode(server, "job", "show", "7", "--json").stdout) == failed


def test_a_job_that_is_watched_says_once_why_it_waits(server: CannedServer) -> None:
    progress = {"done": 0, "total": 1, "rate": None, "eta": None, "unit": "steps"}
    waiting = JOB | {"state": "queued", "error": None, "progress": progress, "log": [], "points": [], "next": 0,
                     "missing": "no worker has 64 cores: the most is 8", "waiting": None, "result": {}}  # fmt: skip
    ended = waiting | {"state": "succeeded", "missing": None, "waiting": None}
    server.script["GET /jobs/7"] = [Answer(200, waiting), Answer(200, waiting), Answer(200, ended)]
    told = lode(server, "job", "watch", "7").stdout
    assert told.count("it waits: no worker has 64 cores: the most is 8") == 1
    assert "job 7 succeeded" in told


def test_a_job_says_its_place_and_when_it_starts(server: CannedServer) -> None:
    ahead = [{"id": 3, "title": "Train [cats]"}, {"id": None, "title": "work of another project"}]
    place = {"place": 3, "ahead": ahead, "starts_in": 250.0, "note": None}
    progress = {"done": 0, "total": 1, "rate": None, "eta": None, "unit": "steps"}
    waiting = JOB | {"state": "queued", "error": None, "failed_shards": 0, "progress": progress, "log": [],
                     "points": [], "next": 0, "missing": None, "waiting": place, "result": {}}  # fmt: skip
    words = "place 3, after work of another project, #3 Train [cats]; starts in about 4 min 10 s"
    server.script["GET /jobs/7"] = [Answer(200, waiting)]
    assert words in " ".join(lode(server, "job", "show", "7").stdout.split())
    unknown = place | {"place": 1, "ahead": [], "starts_in": None, "note": "no worker listens to queue compute"}
    following = [waiting, waiting, waiting | {"waiting": unknown}, waiting | {"waiting": None, "state": "succeeded"}]
    server.script["GET /jobs/7"] = [Answer(200, one) for one in following]
    told = " ".join(lode(server, "job", "watch", "7").stdout.split())
    assert told.count(f"it waits: {words}") == 1, "said again when the place changes"
    assert told.count("it waits: next; unknown when: no worker listens to queue compute") == 1


def test_a_retry_says_what_had_failed(server: CannedServer) -> None:
    shard = {"index": 3, "state": "failed", "attempts": 5, "owner": "box:41", "error": "the disk [is] full"}
    server.script["GET /jobs/7/shards"] = [Answer(200, {"results": [shard], "next": None})]
    server.script["POST /jobs/7/retry"] = [Answer(202, JOB | {"state": "queued"}), problem(409, "job_not_resumable")]
    done = lode(server, "job", "retry", "7")
    assert done.returncode == 0, done.stderr
    assert "shard 3 had failed: the disk [is] full" in done.stdout
    assert "job 7 is queued" in done.stdout
    again = lode(server, "job", "retry", "7")
    assert (again.returncode, "lode job list --state failed" in again.stderr) == (1, True)


def test_workers_are_shown_with_their_machine_and_what_is_not_known_as_a_dash(server: CannedServer) -> None:
    queues = [{"name": "compute", "waiting": None, "shards_waiting": 4, "running": 1}]
    bad = {"sample": "a.png", "dataset": "roads", "digest": "0" * 32, "reason": "it is not an image", "job": 7}
    shares = [{"project": "roads", "share": 3, "slots": None, "running": 1, "waiting": 4, "seconds": 61.6}]
    document = {
        "machines": [MACHINE],
        "queues": queues,
        "projects": shares,
        "quarantined": {"images": 1, "results": [bad]},
        "versions": [],
    }
    server.script["GET /workers"] = [Answer(200, document)]
    done = lode(server, "workers")
    assert done.returncode == 0, done.stderr
    for words in (
        "box: 2 cores 38 % busy, load 1.5, memory 2 GB of 8 GB", "no GPU: no NVIDIA driver on this machine",
        "job 7, shard 3: Mine 20 of roads v3", "150 MB", "1 image could not be read", "it is not an image",
    ):  # fmt: skip
        assert words in done.stdout, done.stdout
    assert [line.split() for line in done.stdout.splitlines() if line.startswith("compute ")] == [
        ["compute", "-", "4", "1"]
    ]
    assert [line.split() for line in done.stdout.splitlines() if line.startswith("roads ")] == [
        ["roads", "3", "-", "1", "4", "62"]
    ]
    assert json.loads(lode(server, "workers", "--json").stdout) == document


def test_a_gpu_is_shown_as_far_as_it_tells(server: CannedServer) -> None:
    gpu = {"device": "GPU-1", "name": "Card", "utilisation": 40, "memory": {"total": 16 * 10**9, "used": 10**9},
           "temperature": 61, "ecc_errors": {"corrected": 3, "uncorrected": 1}}  # fmt: skip
    silent = gpu | {"name": "Old", "utilisation": None, "temperature": None, "ecc_errors": None}
    machine = MACHINE | {"gpus": [gpu, silent], "gpus_note": None}
    document = {"machines": [machine], "queues": [], "projects": [], "quarantined": {"images": 0, "results": []},
                "versions": []}  # fmt: skip
    server.script["GET /workers"] = [Answer(200, document)]
    told = " ".join(lode(server, "workers").stdout.split())
    assert "Card 40 % busy, memory 1 GB of 16 GB, 61 °C, 1 uncorrected memory errors" in told, told
    assert "Old, memory" in told


def test_no_worker_at_all_says_what_to_do(server: CannedServer) -> None:
    document = {"machines": [], "queues": [], "projects": [], "quarantined": {"images": 0, "results": []},
                "versions": []}  # fmt: skip
    server.script["GET /workers"] = [Answer(200, document)]
    assert "`make up` starts them" in lode(server, "workers").stdout


def test_a_job_goes_first_and_a_project_has_a_quota(server: CannedServer) -> None:
    quota = {"project": "roads", "share": 1, "slots": None, "running": 0, "waiting": 2, "seconds": 61.6,
             "storage": None, "held": None, "counted": None, "requests": None, "requested": None}  # fmt: skip
    server.script["PATCH /jobs/7"] = [Answer(200, JOB)]
    server.script["GET /projects/roads/quota"] = [Answer(200, quota)]
    server.script["PATCH /projects/roads/quota"] = [
        Answer(200, quota | {"share": 3, "slots": 2}),
        Answer(200, quota),
    ]
    assert "job 7 has high priority" in lode(server, "job", "priority", "7", "high").stdout
    assert server.asked[-1].document == {"priority": "high"}
    read = lode(server, "project", "quota", "roads").stdout
    assert "share 1, as many slots as there are" in read
    assert "jobs that wait: 2; 62 s of slots" in read
    assert (
        "share 3, slots at once: at most 2"
        in lode(server, "project", "quota", "roads", "--share", "3", "--slots", "2").stdout
    )
    assert server.asked[-1].document == {"share": 3, "slots": 2}
    assert "as many slots" in lode(server, "project", "quota", "roads", "--slots", "all").stdout
    assert server.asked[-1].document == {"slots": None}
    for option, words in (("--slots", "must be a number or `all`"), ("--storage", "or like 500GB")):
        wrong = lode(server, "project", "quota", "roads", option, "some")
        assert (wrong.returncode, words in " ".join(wrong.stderr.split())) == (2, True), wrong.stderr


def test_a_project_is_bounded_in_what_it_stores_and_asks(server: CannedServer) -> None:
    quota = {"project": "roads", "share": 1, "slots": None, "running": 0, "waiting": 0, "seconds": 0.0,
             "storage": None, "held": None, "counted": None, "requests": None, "requested": None}  # fmt: skip
    bounded = quota | {"storage": 5 * 10**11, "held": 48_200_000, "requests": 6000, "requested": 1234}
    server.script["GET /projects/roads/quota"] = [Answer(200, quota)]
    server.script["PATCH /projects/roads/quota"] = [Answer(200, bounded), Answer(200, quota), Answer(200, bounded)]
    told = lode(server, "project", "quota", "roads").stdout
    assert "storage: not counted yet, no bound" in told
    assert "requests: no bound" in told
    told = lode(server, "project", "quota", "roads", "--storage", "500GB", "--requests", "6000").stdout
    assert server.asked[-1].document == {"storage": 5 * 10**11, "requests": 6000}
    assert "storage: 48.2 MB, at most 500 GB" in told
    assert "requests: 1,234 in this minute, at most 6,000 a minute" in told
    lode(server, "project", "quota", "roads", "--storage", "all", "--requests", "all")
    assert server.asked[-1].document == {"storage": None, "requests": None}
    lode(server, "project", "quota", "roads", "--storage", "1.5 tb")
    assert server.asked[-1].document == {"storage": 15 * 10**11}


def test_a_wait_that_ends_before_its_job_says_that_the_job_goes_on(server: CannedServer) -> None:
    progress = {"done": 0, "total": 1, "rate": None, "eta": None, "unit": "steps"}
    runs = JOB | {"state": "running", "error": None, "progress": progress, "log": [], "points": [], "next": 0,
                  "missing": None, "waiting": None, "result": {}}  # fmt: skip
    server.script["GET /jobs/7"] = [Answer(200, runs), problem(401, "not_authenticated")]
    done = lode(server, "job", "watch", "7")
    assert done.returncode == 1
    assert "Job 7 goes on without this: `lode job watch 7` follows it" in done.stderr


def test_ctrl_c_before_the_first_answer_says_so_too(server: CannedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("motherlode.resources.jobs.Jobs.get", interrupted)
    done = lode(server, "job", "watch", "7")
    assert done.returncode == 130
    assert "Job 7 goes on without this" in done.stderr


def test_ctrl_c_says_that_the_job_goes_on(server: CannedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    progress = {"done": 0, "total": 1, "rate": None, "eta": None, "unit": "steps"}
    runs = JOB | {"state": "running", "error": None, "progress": progress, "log": [], "points": [], "next": 0,
                  "missing": None, "waiting": None, "result": {}}  # fmt: skip
    server.script["GET /jobs/7"] = [Answer(200, runs)]

    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("motherlode.resources.jobs.time.sleep", interrupted)
    done = lode(server, "job", "watch", "7")
    assert done.returncode == 130
    assert "Job 7 goes on without this" in done.stderr
    assert "Traceback" not in done.stderr


def test_sigterm_says_so_too_and_ends_with_its_own_code(server: CannedServer) -> None:
    progress = {"done": 0, "total": 1, "rate": None, "eta": None, "unit": "steps"}
    runs = JOB | {"state": "running", "error": None, "progress": progress, "log": [], "points": [], "next": 0,
                  "missing": None, "waiting": None, "result": {}}  # fmt: skip
    server.script["GET /jobs/7"] = [Answer(200, runs)]
    env = os.environ | environment(server) | {"PYTHONPATH": str(ROOT / "platform")}
    argv = [sys.executable, "-m", "motherlode", "job", "watch", "7"]
    with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not server.asked and time.monotonic() < deadline:
            time.sleep(0.05)
        process.terminate()
        _, said = process.communicate(timeout=60)
    assert process.returncode == 143
    assert "Job 7 goes on without this" in said
    assert "Traceback" not in said
