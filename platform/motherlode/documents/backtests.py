"""Back-tests of strategies."""

from typing import Any, TypedDict

from motherlode.documents.jobs import Job
from motherlode.documents.mining import StrategyChoice


class BacktestArm(TypedDict):
    strategy: str
    params: dict[str, Any]


class BacktestPoint(TypedDict):
    labels: int
    mean: float
    low: float | None
    high: float | None
    n: int


class BacktestCurve(BacktestArm):
    mean_accuracy: float | None
    points: list[BacktestPoint]


class LabelsToTarget(BacktestArm):
    median: float | None
    low: float | None
    high: float | None
    reached: int
    seeds: int
    saved: float | None
    saved_at_least: bool


class PairedTest(BacktestArm):
    against: str
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    wins: int
    seeds: int


class EndArm(BacktestArm):
    labels: int
    accuracy: float


class BestArm(BacktestArm):
    mean_accuracy: float
    difference: float | None
    low: float | None
    high: float | None
    clear: bool
    end: EndArm
    headline: str
    reason: str


class BacktestRow(TypedDict):
    id: int
    name: str
    dataset: str
    version: int
    learner: dict[str, Any]
    strategies: list[StrategyChoice]
    seeds: int
    rounds: int
    count: int
    start: int
    target: float | None
    best: BestArm | None
    created: str
    job: Job


class Backtest(BacktestRow):
    left_out: int | None
    curves: list[BacktestCurve]
    labels_to_target: list[LabelsToTarget]
    tests: list[PairedTest]
