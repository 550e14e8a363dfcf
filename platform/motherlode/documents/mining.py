"""Mining jobs and their picks."""

from typing import Any, TypedDict

from motherlode.documents.jobs import Job
from motherlode.documents.labels import Label


class StrategyChoice(TypedDict):
    name: str
    params: dict[str, Any]


class ScoringProgress(TypedDict):
    shards_done: int
    shards: int
    images_per_second: float | None
    eta_seconds: float | None
    quarantined: int


class MiningJob(TypedDict):
    id: int
    dataset: str
    version: int
    model: str
    strategy: StrategyChoice
    count: int
    control: float
    seed: int
    filter: dict[str, Any] | None
    compose: dict[str, Any] | None
    committee: dict[str, Any] | None
    progress: ScoringProgress
    stats: dict[str, Any]
    queue: str | None
    created: str
    job: Job


class Histogram(TypedDict):
    edges: list[float]
    counts: list[int]
    cut: float | None
    score: str
    live: bool
    picked: list[float]


class Quarantined(TypedDict):
    md5: str
    code: str
    detail: str
    keys: list[str]


class Term(TypedDict):
    """One factor of a score: `contribution` is `value` to the power of `strength`."""

    name: str
    value: float
    strength: float
    contribution: float
    rank: int | None
    of: int | None


class Displaced(TypedDict):
    key: str
    score: float | None
    reason: str


class Neighbour(TypedDict):
    key: str
    thumb: str
    label: str
    distance: float


class Explanation(TypedDict):
    """The contributions of the terms multiply to `product`."""

    terms: list[Term]
    product: float | None
    quota: dict[str, Any] | None
    displaced: Displaced | None
    neighbours: list[Neighbour]


class PickedSample(TypedDict):
    id: int
    key: str
    thumb: str
    url: str


class Pick(TypedDict):
    rank: int
    sample: PickedSample
    score: float | None
    reason: str
    control: bool
    probability: float | None
    prediction: Label | None
    explanation: Explanation
