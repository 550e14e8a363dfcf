"""Queues, tasks and answers."""

from typing import Any, Literal, NotRequired, TypedDict

from motherlode.documents.labels import Label


class QueueCounts(TypedDict):
    total: int
    todo: int
    leased: int
    done: int
    skipped: int


class QueueNearDuplicates(TypedDict):
    """Near-duplicates of test samples, which are not trained on: how many a new queue left out, and how many it has
    because they were named."""

    left_out: int
    included: int


class QueueMine(TypedDict):
    """What the asking user did in a queue."""

    today: int
    total: int
    rate_per_hour: int
    waiting: int
    held: int
    reviews: int


class AutoCommit(TypedDict):
    """How the commit stands that a pipeline's round makes of a queue: `seconds_left` is None while something is open or
    the queue is held."""

    grace: int
    seconds_left: float | None
    held: str | None
    held_by: str | None


class Queue(TypedDict):
    id: int
    name: str
    dataset: str
    dataset_id: int
    task: str
    kind: str
    classes: list[str]
    state: Literal["open", "complete", "committed"]
    counts: QueueCounts
    mine: QueueMine
    flagged: int
    reviews_open: int
    labels: int
    auto_commit: AutoCommit | None
    answers_per_task: int
    blind_share: float
    gold_share: float
    review_share: float
    accept_threshold: float | None
    skip_reasons: list[str]
    committed_version: int | None
    near_duplicates: NotRequired[QueueNearDuplicates]


class TaskSample(TypedDict):
    id: int
    key: str
    digest: str


class LabelTask(TypedDict):
    id: int
    sample: TaskSample
    url: str
    suggestion: dict[str, Any] | None
    why: dict[str, Any] | None
    lease_until: str
    lease_token: int


class GivenAnswer(TypedDict):
    id: int
    value: Label | None
    opinion: bool


class AnswerToSend(TypedDict):
    """One of many answers; `value` None is a skip."""

    task: int
    value: Label | None
    seconds: float
    lease_token: int | None
    reason: NotRequired[str]
    shown_suggestion: NotRequired[bool]
    changed: NotRequired[bool]


class AnswerResult(TypedDict):
    """What became of one of many answers: a `receipt`, a `problem`, or both when it was kept as an opinion."""

    task: int
    status: Literal["saved", "lease_lost", "refused"]
    receipt: NotRequired["Receipt"]
    problem: NotRequired[dict[str, Any]]


class ExportedAnswer(TypedDict):
    author: str
    value: Label | None
    reason: str
    seconds: float
    shown_suggestion: bool
    changed: bool | None
    opinion: bool
    created: str


class ExportedTask(TypedDict):
    task: int
    key: str
    position: int
    state: str
    answers: list[ExportedAnswer]


class Receipt(TypedDict):
    state: str
    answer: GivenAnswer


class Lease(TypedDict):
    lease_until: str
    lease_token: int
