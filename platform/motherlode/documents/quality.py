"""How far people agree, reviews, gold tasks, and people's figures."""

from typing import Any, Literal, TypedDict

from motherlode.documents.datasets import Rejected
from motherlode.documents.labelling import TaskSample
from motherlode.documents.labels import Label


class Account(TypedDict):
    id: int
    username: str


class AgreeingPerson(Account):
    answers: int


class AgreeingPair(TypedDict):
    a: int
    b: int
    both: int
    agree: int
    kappa: float | None
    mean_iou: float | None


class WithModel(TypedDict):
    answers: int
    agree_with_model: int


class BlindAgreement(TypedDict):
    shown: WithModel
    hidden: WithModel
    difference: float | None
    interval: list[float]


class ConsensusPerson(Account):
    accuracy: float | None
    confusion: list[list[float]] | None


class QueueConsensus(TypedDict):
    method: Literal["dawid_skene", "majority"]
    classes: list[str]
    people: list[ConsensusPerson]


class Agreement(TypedDict):
    kind: Literal["class", "boxes"]
    people: list[AgreeingPerson]
    pairs: list[AgreeingPair]
    fleiss: float | None
    by_class: list[dict[str, Any]]
    blind: BlindAgreement
    consensus: QueueConsensus


class ReviewedAnswer(TypedDict):
    id: int
    author: Account
    value: Label | None
    seconds: float


class ReviewConsensus(TypedDict):
    value: Label
    confidence: float | None


class Review(TypedDict):
    id: int
    queue: str
    task: int
    sample: TaskSample
    reason: Literal["disagreement", "random", "flag", "gold"]
    answers: list[ReviewedAnswer]
    consensus: ReviewConsensus | None
    state: Literal["open", "done"]
    decision: Label | None
    decided_by: Account | None


class MixedGold(TypedDict):
    added: int
    gold: int
    tasks: int
    rejected: list[Rejected]


class GoldFigures(TypedDict):
    answers: int
    correct: int


class PersonFigures(TypedDict):
    user: Account
    answers: int
    skipped: int
    labels_per_hour: float | None
    median_seconds: float | None
    agreement: float | None
    gold: GoldFigures
    accuracy: float | None
    interval: list[float]
