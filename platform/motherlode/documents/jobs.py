"""Jobs, their shards, and the workers that do them."""

from typing import Any, Literal, TypedDict

JobState = Literal["queued", "running", "succeeded", "failed", "cancelled"]


class Progress(TypedDict):
    done: int
    total: int | None
    rate: float | None
    eta: float | None
    unit: str


class Problem(TypedDict):
    code: str
    detail: str


class Job(TypedDict):
    id: int
    kind: str
    title: str
    state: JobState
    progress: Progress
    result: dict[str, Any] | None
    error: Problem | None
    created: str
    started: str | None
    finished: str | None
    failed_shards: int
    retriable: bool


class Shard(TypedDict):
    index: int
    state: str
    attempts: int
    owner: str
    error: str


class Size(TypedDict):
    total: int
    used: int


class Gpu(TypedDict):
    name: str
    utilisation: float | None
    memory: Size


class Busy(TypedDict):
    job: int
    shard: int
    title: str


class Worker(TypedDict):
    name: str
    pid: int
    queues: list[str]
    busy_with: Busy | None
    rss: int | None


class Machine(TypedDict):
    name: str
    seen: str
    cores: int
    cpu_percent: float
    load: float
    memory: Size
    disk: Size
    gpus: list[Gpu]
    gpus_note: str | None
    workers: list[Worker]


class QueueDepth(TypedDict):
    name: str
    waiting: int | None
    shards_waiting: int
    running: int


class QuarantinedImage(TypedDict):
    sample: str | None
    dataset: str | None
    digest: str
    reason: str
    job: int


class QuarantineSummary(TypedDict):
    images: int
    results: list[QuarantinedImage]


class Workers(TypedDict):
    machines: list[Machine]
    queues: list[QueueDepth]
    quarantined: QuarantineSummary


class Point(TypedDict):
    seq: int
    step: int
    values: dict[str, float]


class LogLine(TypedDict):
    seq: int
    time: str
    level: str
    message: str


class LiveJob(Job):
    points: list[Point]
    log: list[LogLine]
    next: int


class QueueLink(TypedDict):
    queue: str
    url: str


class Started(TypedDict):
    """The answer to a run or a mining job: its own id, and the job that does the work."""

    id: int
    job: Job
