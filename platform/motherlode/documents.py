"""The platform's JSON documents, as far as the client reads them. A platform may add fields to each."""

from typing import Any, Literal, NotRequired, TypedDict

Label = dict[str, Any]
"""`{"class": "cat"}`; `{"classes": ["cat", "dog"]}` in a multi-label dataset; or `{"boxes": [{"class": "car", "box":
[x1, y1, x2, y2]}]}` in pixels of the upright image, with `"polygons": [{"class": "car", "points": [[x, y], ..]}]`
beside the boxes where there are any."""

Role = Literal["owner", "reviewer", "annotator"]

Split = Literal["pool", "train", "val", "test"]
JobState = Literal["queued", "running", "succeeded", "failed", "cancelled"]


class DatasetCounts(TypedDict):
    samples: int
    labelled: int
    by_split: dict[str, int]
    by_class: dict[str, int]


class SchemaExample(TypedDict):
    key: str
    digest: str
    thumb: str
    note: str


class LabelClass(TypedDict):
    name: str
    key: str | None
    colour: str
    dash: int
    guideline: str
    examples: list[SchemaExample]
    archived: bool


class SchemaChange(TypedDict):
    version: int
    created: str
    author: str
    message: str


class LabelSchema(TypedDict):
    version: int
    classes: list[LabelClass]
    guideline: str
    multi_label: bool
    history: NotRequired[list[SchemaChange]]


class Person(TypedDict):
    id: int
    username: str
    role: Role
    active: bool
    created: str
    last_used: str | None
    tokens: int


class AddedPerson(Person):
    token: str


class TokenFacts(TypedDict):
    id: int
    name: str
    created: str
    last_used: str | None


class IssuedToken(TokenFacts):
    secret: str


class Dataset(TypedDict):
    id: int
    name: str
    task: str
    classes: list[str]
    multi_label: bool
    schema_version: int
    description: str
    head: int | None
    counts: DatasetCounts
    created: str


class Version(TypedDict):
    version: int
    parent: int | None
    message: str
    author: str | None
    created: str
    added: int
    updated: int
    removed: int
    labelled: int
    schema_version: int


class Sample(TypedDict):
    id: int
    key: str
    digest: str
    split: Split
    label: Label | None
    url: str


class Rejected(TypedDict):
    key: str
    code: str
    detail: str


class Source(TypedDict):
    name: str
    buckets: dict[str, list[str]]


class StagedImage(TypedDict):
    key: str
    md5: str


class Staged(TypedDict):
    results: list[StagedImage]
    rejected: list[Rejected]


class Listed(TypedDict):
    key: str
    md5: str
    size: int
    split: Split
    label: Label | None
    meta: dict[str, Any]


class EmbeddingMap(TypedDict):
    id: int
    dataset: str
    version: int
    model: str | None
    method: str
    seed: int
    count: int | None
    points: str | None
    facts: dict[str, Any] | None
    created: str
    job: "Job"


class Commit(TypedDict):
    version: int | None
    parent: int | None
    added: int
    updated: int
    removed: int
    labelled: int
    unchanged: int
    rejected: list[Rejected]
    notes: NotRequired[list[str]]


class Export(TypedDict):
    """The result of an export's job."""

    export: int
    url: str
    format: str
    version: int
    split: Split | None
    samples: int
    bytes: int
    notes: list[str]


class Change(TypedDict):
    key: str
    before: Sample | None
    after: Sample | None


Difference = TypedDict(
    "Difference",
    {"from": int, "to": int, "counts": dict[str, int], "by_class": dict[str, int], "by_split": dict[str, int]},
)


class VersionName(TypedDict):
    name: str
    version: int


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


class Run(TypedDict):
    id: int
    model: str
    dataset: str
    version: int
    architecture: str
    config: dict[str, Any]
    parent: str | None
    seed: int
    cloned_from: int | None
    notes: str
    model_version: int | None
    created: str
    job: Job


class Snapshot(TypedDict):
    kind: Literal["recovery", "best"]
    step: int
    metrics: dict[str, Any]
    size: int
    sha256: str
    url: str
    created: str


class Alias(TypedDict):
    name: str
    version: int


class Model(TypedDict):
    id: int
    name: str
    task: str
    classes: list[str]
    description: str
    gates: list[dict[str, Any]]
    latest: int | None
    aliases: list[Alias]
    created: str


class Artifact(TypedDict):
    path: str
    size: int
    sha256: str


class ModelVersion(TypedDict):
    model: str
    version: int
    architecture: str
    digest: str
    dataset: str | None
    dataset_version: int | None
    aliases: list[str]
    metrics: dict[str, Any]
    size: int | None
    tensorrt: str
    created: str


class Verdict(TypedDict):
    gate: str
    passed: bool
    detail: str


class Promotion(TypedDict):
    alias: str
    version: int
    previous: int | None
    reason: str
    gates: list[Verdict]
    overridden: bool
    by: str
    created: str


class Lineage(TypedDict):
    dataset: str | None
    dataset_version: int | None
    run: int | None
    cloned_from: int | None
    parent: str | None
    children: list[str]


class ModelVersionDetail(ModelVersion):
    notes: str
    gates: list[Verdict]
    slices: dict[str, Any]
    lineage: Lineage
    report: dict[str, Any]
    artifacts: list[Artifact]
    promotions: list[Promotion]


Prediction = TypedDict("Prediction", {"class": str, "probability": float, "calibrated": NotRequired[float]})


class ImageAnswer(TypedDict):
    """What a version says of one image: `predictions`, the likeliest first, or the `error` of an image that is none."""

    name: str
    predictions: list[Prediction]
    error: Problem | None
    activations: NotRequired[list[dict[str, Any]]]


class Predictions(TypedDict):
    model: str
    version: int
    artifact: str
    temperature: float | None
    results: list[ImageAnswer]


class QueueCounts(TypedDict):
    total: int
    todo: int
    leased: int
    done: int
    skipped: int


class QueueMine(TypedDict):
    """What the asking user did in a queue."""

    today: int
    total: int
    rate_per_hour: int


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
    answers_per_task: int
    blind_share: float
    gold_share: float
    review_share: float
    accept_threshold: float | None
    skip_reasons: list[str]
    committed_version: int | None


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


class Lease(TypedDict):
    lease_until: str
    lease_token: int


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


class BestArm(BacktestArm):
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
    curves: list[BacktestCurve]
    labels_to_target: list[LabelsToTarget]
    tests: list[PairedTest]
