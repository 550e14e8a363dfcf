"""Pipelines, their rounds, curves and forecasts."""

from typing import Any, TypedDict

from motherlode.documents.jobs import Job
from motherlode.documents.labelling import AutoCommit, QueueCounts
from motherlode.documents.mining import StrategyChoice


class Stopped(TypedDict):
    rule: str
    reason: str
    numbers: dict[str, float]
    at: str


class Spent(TypedDict):
    labels: int
    labels_today: int
    money: float
    compute_hours: float


class Webhook(TypedDict):
    url: str
    secret: str


class Pipeline(TypedDict):
    id: int
    name: str
    dataset: str
    model: str
    architecture: str
    strategy: StrategyChoice
    count: int
    control: float
    commit_grace: int
    filter_text: str | None
    schedule: str | None
    schedule_words: str | None
    next_run: str | None
    trigger: dict[str, Any]
    budget: dict[str, Any]
    spent: Spent
    stop: dict[str, Any]
    stopped: Stopped | None
    state: str
    current_round: int | None


class Arm(TypedDict):
    n: int
    wrong: int


class Control(TypedDict):
    """How wrong the model was on what was mined, and on the random arm; `lift` is the ratio of the two rates."""

    mined: Arm
    control: Arm
    lift: float | None


class Round(TypedDict):
    number: int
    state: str
    labels: int | None
    dataset_version: int | None
    model_version: int | None
    queue: str | None
    queue_counts: QueueCounts | None
    auto_commit: AutoCommit | None
    job: Job | None
    accuracy: float | None
    promoted: bool | None
    control: Control | None
    error: str
    timings: dict[str, float]
    images_per_second: dict[str, float]


class CurvePoint(TypedDict):
    round: int
    labels: int
    accuracy: float
    low: float | None
    high: float | None
    model_version: int


class Curve(TypedDict):
    pipeline: str
    strategy: str
    points: list[CurvePoint]


class Fit(TypedDict):
    name: str
    labels: int | None
    rmse: float


class Forecast(TypedDict):
    pipeline: str
    target: float
    labels: int | None
    low: int | None
    high: int | None
    fits: list[Fit]
