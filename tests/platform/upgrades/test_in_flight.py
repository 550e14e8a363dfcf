"""An upgrade in the middle of work: what was begun under the earlier version is finished once by this one."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.platform.upgrades.states import restore, written
from tests.platform.upgrades.test_upgrades import manage

pytestmark = pytest.mark.clock

JOB, ROUND = 700, 70
OPENED = """
INSERT INTO jobs_job (id, kind, title, state, phase, params, unit, cancel_requested, created, started)
VALUES (700, 'practice', 'under way', 'running', 0, '{}', 'items', 0, '2026-11-23 12:00:00', '2026-11-23 12:00:01');
INSERT INTO jobs_shard (job_id, "index", phase, params, state, token, attempts, owner, lease_until, units, units_done,
                        error)
VALUES (700, 0, 0, '{}', 'done', 1, 1, 'old:1', NULL, 1, 1, ''),
       (700, 1, 0, '{}', 'running', 1, 1, 'old:1', '2026-11-23 12:00:10', 1, 0, ''),
       (700, 2, 0, '{}', 'todo', 0, 0, '', NULL, 1, 0, '');
INSERT INTO rounds_round (id, number, state, failed_in, step_started, "trigger", timings, error, created, pipeline_id,
                          queue_id)
VALUES (70, 1, 'labelling', '', '2026-11-23 12:00:00', '{}', '{}', '', '2026-11-23 12:00:00', 1, 1);
"""
"""As the tables of 0.2.0 have it: a shard that is done, one whose worker is gone, one that nobody began, and a round
that waits for people."""
FINISH = f"""
import json
from tests.practice import counted
from jobs.models import Job, Shard
from jobs.runner import work_on
from jobs.services import Claim, complete
from pipelines.models import Round
from pipelines.rounds.loop import advance
lost = Claim(Shard.objects.get(job={JOB}, index=1), token=1)
taken = 0
while work_on({JOB}) is not None:
    taken += 1
    late = complete(lost, {{}})
woken = advance({ROUND})
job = Job.objects.get(pk={JOB})
print(json.dumps({{"taken": taken, "counted": counted({JOB}), "late": late, "job": [job.state, job.project.name],
                   "woken": len(woken), "round": Round.objects.get(pk={ROUND}).state}}))
"""


@pytest.mark.parametrize("state", written(), ids=lambda state: state.name.removesuffix(".sql.gz"))
def test_a_job_and_a_round_in_flight_go_on_and_each_shard_counts_once(state: Path, tmp_path: Path) -> None:
    database = tmp_path / "old.sqlite3"
    restore(state, database)
    with closing(sqlite3.connect(database)) as opened:
        opened.executescript(OPENED)
    manage(database, "migrate", "-v0")
    told = json.loads(manage(database, "shell", "--no-imports", "-c", FINISH).splitlines()[-1])
    assert told == {"taken": 2, "counted": [1, 2], "late": False, "job": ["succeeded", "default"],
                    "woken": 0, "round": "labelling"}  # fmt: skip
