"""kill -9 of every kind of process in the middle of a round changes none of its numbers."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing

import pytest
from tests.journeys import digits, site

from motherlode.client import Motherlode

COUNT = 20
# What is killed as soon as the round is seen in each state; LABELLING is done by hand below.
KILLED = {
    "training": ["worker-compute", "beat"],
    "scoring": ["worker-compute", "object-store"],
    "retraining": ["broker", "worker-compute", "worker-light", "worker-clock"],
}


@pytest.fixture
def platform(tmp_path) -> Iterator[site.Site]:
    started = site.start(tmp_path / "var")
    yield started
    site.command(started.var, "down")


@pytest.mark.clock
@pytest.mark.timeout(420)
def test_the_loop_completes_and_counts_each_score_and_label_once(platform):
    client = platform.client()
    data = digits.load(client, "digits")
    digits.pipeline(client, data, "loop", count=COUNT, strategy="margin")
    client.pipelines.start_round("loop")
    killed = []
    deadline = time.monotonic() + 360
    while (round_ := client.pipelines.rounds("loop")[-1])["state"] != "done":
        assert round_["state"] not in {"failed", "cancelled"}, round_["error"]
        assert time.monotonic() < deadline, f"the round is still {round_['state']}"
        for process in KILLED.pop(round_["state"], []):
            time.sleep(0.4)  # let the step get going: a program is started, a shard is claimed
            platform.kill(process)
            killed.append(process)
        if round_["state"] == "labelling":
            killed += label(platform, client, round_["queue"], data.truth)
        time.sleep(0.2)
    assert set(killed) == {"worker-compute", "worker-light", "worker-clock", "beat", "broker", "object-store", "web"}

    answers = platform.answers(round_["queue"])
    assert {key: [data.truth[key]] for key in answers} == answers
    assert len(answers) == COUNT
    counts = client.datasets.get("digits")["counts"]
    assert counts["by_split"] == {"test": 60, "train": 40 + COUNT, "pool": 200 - COUNT}
    assert counts["labelled"] == 60 + 40 + COUNT
    scored, blobs = scores(platform)
    assert scored == blobs, "every blob of pool and train has its scores once"
    assert [row["version"] for row in client.models.versions(data.model)] == [2, 1], "one model version a run"


def label(platform: site.Site, client: Motherlode, queue: str, truth) -> list[str]:
    """Answer everything; in the middle the web process dies, and the client's retry must not answer twice."""
    done = 0
    while tasks := client.queues.next(queue, count=5).tasks:
        for task in tasks:
            if done == COUNT // 2:
                platform.kill("web")
            known = {"class": truth[task["sample"]["key"]]}
            client.queues.answer(task, known, seconds=1.0, shown_suggestion=False)
            done += 1
    return ["web"]


def scores(platform: site.Site) -> tuple[int, int]:
    """Rows in all score files, and different blobs that were to be scored."""
    with closing(sqlite3.connect(f"file:{platform.var / 'db.sqlite3'}?mode=ro", uri=True)) as database:
        scored = database.execute("SELECT SUM(rows) FROM mining_jobs_scorefile").fetchone()[0]
        query = "SELECT COUNT(DISTINCT blob_id) FROM catalog_revision WHERE split IN ('pool', 'train') AND since <= 5"
        return scored, database.execute(query).fetchone()[0]
