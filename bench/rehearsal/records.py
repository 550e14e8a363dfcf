"""Jobs as rows: what a database says of one that has run, and the shards of one that is to be rehearsed."""

from dataclasses import dataclass

import psycopg

SCORE, SELECT = 0, 1
"""The phases of a mining job, as in `mining_jobs.models`, which only a platform that is set up can import."""
JOB = "SELECT state, coalesce(extract(epoch from finished), 0)::float8 FROM jobs_job WHERE id = %s"
SHARDS = """
    SELECT phase, units, owner, coalesce(extract(epoch from started), 0)::float8,
        coalesce(extract(epoch from finished), 0)::float8
    FROM jobs_shard WHERE job_id = %s ORDER BY index
"""


@dataclass(frozen=True, slots=True)
class Planned:
    """A shard to come: how many units it holds, and the seconds that a worker takes for them."""

    units: int
    seconds: float
    phase: int = SCORE


@dataclass(frozen=True, slots=True)
class Done:
    """A shard that was worked on, by the database's clock, in seconds of the epoch."""

    phase: int
    units: int
    owner: str
    started: float
    finished: float

    @property
    def seconds(self) -> float:
        """From its claim to its result."""
        return self.finished - self.started


@dataclass(frozen=True, slots=True)
class Record:
    """A job and its shards. `finished` is 0 while it has not ended."""

    state: str
    finished: float
    shards: tuple[Done, ...]

    @property
    def first(self) -> float:
        """When its first shard was claimed."""
        return min(shard.started for shard in self.shards)

    def begun(self) -> list[Done]:
        """The first shard of each worker."""
        return list({one.owner: one for one in sorted(self.shards, key=lambda one: -one.started)}.values())

    def of(self, phase: int) -> list[Done]:
        """The shards of a phase."""
        return [shard for shard in self.shards if shard.phase == phase]


def read(url: str, job_id: int) -> Record:
    """The record of a job in a platform's PostgreSQL."""
    with psycopg.connect(url) as connection:
        job = connection.execute(JOB, [job_id]).fetchone()
        rows = connection.execute(SHARDS, [job_id]).fetchall()
    if job is None:
        raise ValueError(f"there is no job {job_id}")
    state, finished = job
    return Record(state, finished, tuple(Done(*row) for row in rows))
