"""The documents of the REST API. Made from its schema by `make schema`: not written by hand."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class Accuracy(TypedDict):
    value: float | None
    low: float
    high: float
    confidence: float
    answers: int
    certain: bool
    drawn: int
    needed: int


class Activation(TypedDict):
    shape: list[int]
    count: int
    mean: NotRequired[float]
    std: NotRequired[float]
    min: NotRequired[float]
    max: NotRequired[float]
    histogram: NotRequired[dict[str, Any]]
    layer: str
    operator: str
    png: str


class AgreeingPerson(TypedDict):
    id: int
    username: str
    answers: int


AgreementKindEnum: TypeAlias = Literal["class", "boxes"]


class Alias(TypedDict):
    name: str
    version: int


class AnswerOverlap(TypedDict):
    a: int
    b: int
    iou: float | None


class AnswerProblem(TypedDict):
    status: int
    code: str
    detail: str
    errors: NotRequired[dict[str, list[str]]]


class Architecture(TypedDict):
    name: str
    summary: str
    frozen: bool
    input_size: list[int]
    embedding_dim: int | None
    tasks: list[str]
    mean: list[float]
    std: list[float]
    params_schema: dict[str, Any]
    recipe_schema: dict[str, Any]
    recipe: dict[str, Any]


ArchitectureEnum: TypeAlias = Literal["x86_64", "aarch64"]


class ArchiveUpload(TypedDict):
    id: str
    name: str
    size: int
    part_bytes: int
    parts: int
    received: list[int]


class Arm(TypedDict):
    n: int
    wrong: int


class Artifact(TypedDict):
    path: str
    size: int
    md5: str
    sha256: str
    url: str


class AsPrinted(TypedDict):
    value: float
    unit: str
    off: float


class AskedByRound(TypedDict):
    pipeline: str
    round: int
    queue: str


class AskedIn(TypedDict):
    queue: str
    state: str
    dataset: str


class AttributeValue(TypedDict):
    value: Any
    count: int
    filter: str | None


Attribute: TypeAlias = float


Attributes: TypeAlias = dict[str, str | float | bool | list[Attribute]]


class AuditEvent(TypedDict):
    id: int
    created: str
    who: str
    token: str
    address: str
    request_id: str
    action: str
    kind: str
    name: str
    project: str | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class Author(TypedDict):
    id: int
    username: str


class AutoCommit(TypedDict):
    grace: int
    seconds_left: float | None
    held: str | None
    held_by: str | None


class BacktestPoint(TypedDict):
    labels: int
    objects: float | None
    mean: float
    low: float | None
    high: float | None
    n: int


class Bar(TypedDict):
    name: str
    count: int
    filter: str


BoxShape = TypedDict(
    "BoxShape",
    {
        "class": str,
        "box": list[float],
        "attributes": NotRequired[Attributes],
        "id": NotRequired[str],
        "track": NotRequired[str],
    },
)


class Budget(TypedDict):
    """
    A value of null counts as left out.
    """

    labels_per_day: NotRequired[int | None]
    money: NotRequired[float | None]
    cost_per_label: NotRequired[float | None]
    compute_hours: NotRequired[float | None]
    labels: NotRequired[int | None]


class Busy(TypedDict):
    job: int
    shard: int
    title: str


class Calibration(TypedDict):
    temperature: float
    ece_before: float
    ece_after: float


class Candidate(TypedDict):
    name: str
    accuracy: float
    interval: list[float]
    labels: int


class Cause(TypedDict):
    what: str
    detail: str
    at: str


class Choice(TypedDict):
    strategy: str
    params: dict[str, Any]
    why: str
    model_version: NotRequired[int | None]
    model_why: NotRequired[str]


class ChosenStrategy(TypedDict):
    name: str
    params: dict[str, Any]


ClassAgreement = TypedDict(
    "ClassAgreement",
    {
        "class": str,
        "answers": int,
        "agreement": float | None,
    },
)


ClassFigures = TypedDict(
    "ClassFigures",
    {
        "class": str,
        "images": int,
        "objects": int | None,
        "by_split": dict[str, int],
        "filter": str,
    },
)


ClassSuggestion = TypedDict(
    "ClassSuggestion",
    {
        "class": str,
        "probability": float,
        "probabilities": dict[str, float],
        "model": str,
    },
)


ClassValue = TypedDict(
    "ClassValue",
    {"class": str},
)


ClassVerified = TypedDict(
    "ClassVerified",
    {
        "class": str,
        "asked": int,
        "kept": int,
        "moved": int,
        "reclassed": int,
        "removed": int,
        "median_seconds": float | None,
        "missing": int,
        "drawn": int,
    },
)


class ClassesSuggestion(TypedDict):
    classes: list[str]
    probability: float
    probabilities: dict[str, float]
    model: str


class ClassesValue(TypedDict):
    """
    In the schema's order; none of them is an answer too.
    """

    classes: list[str]


class Comment(TypedDict):
    id: int
    task: int
    author: Author
    text: str
    x: float | None
    y: float | None
    mentions: list[str]
    created: str
    resolved_by: str | None
    resolved_at: str | None
    deletable: bool


class ConsensusPerson(TypedDict):
    id: int
    username: str
    accuracy: float | None
    confusion: list[list[float]] | None


ContainingModelActionEnum: TypeAlias = Literal["replace", "retire", "none"]


ContainingModelRelationEnum: TypeAlias = Literal["learned", "judged", "proved"]


ContainingRunRelationEnum: TypeAlias = Literal["learned", "judged"]


class Control(TypedDict):
    mined: Arm
    control: Arm
    lift: float | None


class CopiesLeftOut(TypedDict):
    conflicting: int
    in_test: int
    in_val: int


CopyReasonEnum: TypeAlias = Literal["conflicting", "in_test", "in_val"]


class Counts(TypedDict):
    samples: int
    labelled: int
    by_split: dict[str, int]
    by_class: dict[str, int]


class CurvePoint(TypedDict):
    round: int
    labels: int
    metric: str
    value: float
    accuracy: float | None
    low: float | None
    high: float | None
    model_version: int


DatasetRoleEnum: TypeAlias = Literal["trained", "judged"]


class Dependent(TypedDict):
    name: str
    count: int
    names: list[str]


class DescendingRun(TypedDict):
    id: int
    model: str
    state: str
    of: str


DeviceEnum: TypeAlias = Literal["cpu", "cuda"]


Diff = TypedDict(
    "Diff",
    {
        "from": int,
        "to": int,
        "counts": dict[str, int],
        "by_class": dict[str, int],
        "by_split": dict[str, int],
        "added": str,
        "removed": str,
        "changed": str,
        "relabelled": str,
        "boxes_moved": str,
        "attributes_changed": str,
        "split_moved": str,
        "meta_changed": str,
    },
)


DirectionEnum: TypeAlias = Literal["maximize", "minimize"]


class Displaced(TypedDict):
    key: str
    score: float | None
    reason: str


class DrawnCounts(TypedDict):
    """
    Objects drawn where one was missing, or where no suggestion was shown.
    """

    objects: int
    median_seconds: float | None


class EccErrors(TypedDict):
    corrected: int
    uncorrected: int


class Encoder(TypedDict):
    id: int
    name: str
    project: str
    width: int
    digest: str
    size: int
    parameters: dict[str, Any]
    uploaded: dict[str, Any]
    trunk_fault: str
    notes: str
    created_by: str
    created: str


class End(TypedDict):
    strategy: str
    params: dict[str, Any]
    labels: int
    accuracy: float


class ExactPair(TypedDict):
    key: str
    of: str


class Example(TypedDict):
    key: str
    digest: str
    thumb: str
    note: str


ExampleEnum: TypeAlias = Literal["automotive-100-cars", "automotive-125-cars", "dgx-pod"]


ExportFormatEnum: TypeAlias = Literal[
    "coco",
    "csv",
    "cvat",
    "image_folder",
    "jsonl",
    "kitti",
    "label_studio",
    "labelme",
    "labelme_xml",
    "open_images",
    "voc",
    "yolo",
]


FailuresEnum: TypeAlias = Literal["val", "test"]


class Features(TypedDict):
    by: str
    about: str


class FeedingFact(TypedDict):
    name: str
    words: str


FigureSourceKindEnum: TypeAlias = Literal["given", "example", "measured", "documented", "computed"]


Filter = TypedDict(
    "Filter",
    {
        "split": NotRequired[str | list[str]],
        "class": NotRequired[str | list[str]],
        "labelled": NotRequired[bool],
        "source": NotRequired[str | list[str]],
        "author": NotRequired[str | list[str]],
        "key": NotRequired[str | dict[str, Any]],
        "tag": NotRequired[str | list[str]],
        "meta": NotRequired[dict[str, str | float | bool | dict[str, Any]]],
        "width": NotRequired[float | dict[str, Any]],
        "height": NotRequired[float | dict[str, Any]],
        "aspect": NotRequired[float | dict[str, Any]],
        "media_type": NotRequired[str | dict[str, Any]],
        "bytes": NotRequired[float | dict[str, Any]],
        "near_duplicate": NotRequired[bool],
        "held_out": NotRequired[bool],
        "slice": NotRequired[str | list[str]],
        "samples": NotRequired[list[int]],
        "all": NotRequired[list["Filter"]],
        "any": NotRequired[list["Filter"]],
        "not": NotRequired["Filter"],
        "q": NotRequired[str],
        "boxes": NotRequired[int | dict[str, Any]],
        "polygons": NotRequired[int | dict[str, Any]],
        "objects": NotRequired[int | dict[str, Any]],
        "ignored": NotRequired[int | dict[str, Any]],
        "prediction": NotRequired[dict[str, Any]],
    },
)


FilterFieldKindEnum: TypeAlias = Literal["choice", "flag", "number", "text", "value", "ids"]


class FilterName(TypedDict):
    name: str
    words: str


class Fit(TypedDict):
    name: str
    labels: int | None
    rmse: float


class ForecastCount(TypedDict):
    value: int | None
    low: int | None
    high: int | None


class ForecastPoint(TypedDict):
    labels: int
    metric: str
    value: float
    accuracy: float | None


class Format(TypedDict):
    name: ExportFormatEnum
    title: str
    tasks: list[str]


class GateResult(TypedDict):
    gate: str
    passed: bool
    detail: str
    value: NotRequired[float | None]
    base: NotRequired[float | None]
    interval: NotRequired[list[float] | None]
    failing: NotRequired[list[dict[str, Any]]]


class GoldRejection(TypedDict):
    key: str
    code: str
    detail: str


class Headline(TypedDict):
    name: str
    value: float | None


class HeldOut(TypedDict):
    samples: int
    labelled: int
    detail: str


class HiddenRelatives(TypedDict):
    parents: int
    descendants: int


class Histogram(TypedDict):
    edges: list[float]
    counts: list[int]
    cut: float | None
    score: str
    live: bool
    picked: list[float]


HowEnum: TypeAlias = Literal["started from", "member", "derived"]


IgnoredRegion = TypedDict(
    "IgnoredRegion",
    {
        "box": list[float],
        "class": NotRequired[str],
        "attributes": NotRequired[Attributes],
    },
)


class ImageFault(TypedDict):
    code: str
    detail: str


IncompleteCodeEnum: TypeAlias = Literal[
    "brush",
    "cuboid",
    "keypoints",
    "line",
    "mask_unreadable",
    "no_area",
    "no_box",
    "no_class",
    "points",
    "shape_unknown",
    "size_differs",
    "turned_image",
]


class InputDifference(TypedDict):
    gone: int
    changed: int
    added: int


class InputsChanged(TypedDict):
    run: int
    train: InputDifference
    validation: InputDifference
    same: bool | None


class JobAhead(TypedDict):
    id: int | None
    title: str


JobStateEnum: TypeAlias = Literal["queued", "running", "succeeded", "failed", "cancelled"]


class JudgedBy(TypedDict):
    dataset: str
    dataset_version: int
    split: str
    samples: int | None


KindsEnum: TypeAlias = Literal[
    "added", "removed", "changed", "relabelled", "boxes_moved", "attributes_changed", "split_moved", "meta_changed"
]


class LabelClass(TypedDict):
    name: str
    key: str | None
    colour: str
    dash: int
    guideline: str
    examples: list[Example]
    archived: bool


LabelReviewStateEnum: TypeAlias = Literal["unreviewed", "agreed", "decided"]


class LabelSchema(TypedDict):
    version: int
    classes: list[LabelClass]
    guideline: str
    multi_label: bool


LabelSourceEnum: TypeAlias = Literal["human", "model", "import"]


class LabelledGold(TypedDict):
    tasks: int
    answers: int
    correct: int


class Labeller(TypedDict):
    username: str
    answers: int
    accuracy: float | None
    interval: list[float]
    median_seconds: float | None


class LabelsToTarget(TypedDict):
    strategy: str
    params: dict[str, Any]
    median: float | None
    low: float | None
    high: float | None
    reached: int
    seeds: int
    saved: float | None
    saved_at_least: bool
    objects: float | None
    objects_saved: float | None


class Lake(TypedDict):
    dataset: str
    frames: int
    bytes: int
    parts: int
    groups: int
    packs: int
    brought_in: int
    samples: int
    columns: dict[str, str]
    strategies: list[str]


class LakeFrame(TypedDict):
    key: str
    md5: str
    sha256: str
    size: int
    pack: str
    offset: int
    width: int
    height: int
    meta: dict[str, Any]
    sample: bool
    thumb: str
    url: str


LakeSourceEnum: TypeAlias = Literal["archive", "manifest"]


LauncherEnum: TypeAlias = Literal["kubernetes", "slurm"]


class LearnedFrom(TypedDict):
    dataset: str
    dataset_version: int
    samples: int | None
    erased: int
    by: str
    run: int


LearnerKindEnum: TypeAlias = Literal["probe", "train"]


class Lease(TypedDict):
    lease_until: str
    lease_token: int


class LeftOut(TypedDict):
    """
    Near-duplicates of test samples, which are not trained on.
    """

    left_out: int
    included: int


class LeftOutCandidate(TypedDict):
    name: str
    why: str


class LeftOutCopies(TypedDict):
    same_bytes: int
    labelled: int


class Lift(TypedDict):
    value: float | None
    low: float
    high: float | None
    confidence: float


class LogLine(TypedDict):
    seq: int
    time: str
    level: str
    message: str


class Lost(TypedDict):
    train: int
    validation: int


class MapFacts(TypedDict):
    components: int
    variance: float
    landmarks: int | None
    compared: int | None
    width: int
    left_out: int
    seconds: float


MapMethodEnum: TypeAlias = Literal["pca", "umap-like"]


class MetricDrop(TypedDict):
    points: float


class Mine(TypedDict):
    today: int
    total: int
    rate_per_hour: int
    waiting: int
    held: int
    reviews: int


class MissingCounts(TypedDict):
    """
    Images with a suggestion, for which people were asked whether an object is missing.
    """

    asked: int
    found: int
    median_seconds: float | None


class MissingObjectsRequest(TypedDict):
    found: bool
    seconds: float


class Model(TypedDict):
    id: int
    name: str
    project: str
    task: str
    classes: list[str]
    description: str
    gates: list[dict[str, Any]]
    archived: str | None
    created: str
    latest: int | None
    aliases: list[Alias]


class ModelAgreement(TypedDict):
    answers: int
    agree_with_model: int


class ModelLineage(TypedDict):
    dataset: str | None
    dataset_version: int | None
    run: int | None
    cloned_from: int | None
    parent: str | None
    made_from: list[str]
    children: list[str]
    hidden: int


class ModelWarning(TypedDict):
    code: str
    detail: str


Move = TypedDict(
    "Move",
    {
        "from": str,
        "to": str,
        "samples": int,
    },
)


NameKindEnum: TypeAlias = Literal["tag", "alias"]


class NearDuplicateCounts(TypedDict):
    kept_out: int
    kept_out_labelled: int
    in_train: int
    allowed: int
    unchecked: int


class Neighbour(TypedDict):
    key: str
    thumb: str
    label: str
    distance: float


NotificationKindEnum: TypeAlias = Literal["label", "review", "commit", "mention", "job", "round", "promotion"]


NullEnum: TypeAlias = None


class Original(TypedDict):
    digest: str
    url: str
    media_type: str
    bytes: int


class Outcome(TypedDict):
    md5: str
    key: str | None
    sample: int | None
    width: int | None
    height: int | None
    label: str | None
    predicted: str | None
    score: float
    box: list[float] | None
    object: list[float] | None
    overlap: float | None


class Pair(TypedDict):
    a: int
    b: int
    both: int
    agree: int
    kappa: float | None
    mean_iou: float | None


class PairedTest(TypedDict):
    strategy: str
    params: dict[str, Any]
    against: str
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    wins: int
    seeds: int


PassedOverCodeEnum: TypeAlias = Literal[
    "annotation_left_out",
    "field_left_out",
    "file_left_out",
    "image_missing",
    "item_refused",
    "object_unheld",
    "shape_left_out",
]


class PersonGold(TypedDict):
    answers: int
    correct: int


class PickedBy(TypedDict):
    id: int
    dataset: str
    dataset_version: int
    picked: bool
    rank: NotRequired[int]
    control: NotRequired[bool]
    strategy: NotRequired[str]
    model: NotRequired[str | None]


class PickedSample(TypedDict):
    id: int
    key: str
    thumb: str
    url: str
    width: int | None
    height: int | None


PipelineStateEnum: TypeAlias = Literal[
    "idle", "running", "waiting_for_labels", "waiting_for_budget", "paused", "stopped", "failed"
]


class Place(TypedDict):
    dataset: str
    version: int


class PlanData(TypedDict):
    terabytes: NotRequired[float | None]
    images: NotRequired[int | None]
    image_bytes: NotRequired[float | None]
    proxy_bytes: NotRequired[float | None]
    copies: NotRequired[int | None]


class PlanFigure(TypedDict):
    group: str
    name: str
    title: str
    value: float
    unit: str
    formula: str
    printed: AsPrinted | None


class PlanFleet(TypedDict):
    vehicles: NotRequired[int | None]
    terabytes_per_hour: NotRequired[float | None]
    hours_per_day: NotRequired[float | None]
    days: NotRequired[float | None]
    share_kept: NotRequired[float | None]


class PlanLabeling(TypedDict):
    labels: NotRequired[int | None]
    share: NotRequired[float | None]
    answers_per_label: NotRequired[float | None]
    labels_per_hour: NotRequired[float | None]
    hours_per_day: NotRequired[float | None]
    days: NotRequired[float | None]


class PlanMissing(TypedDict):
    what: str
    needs: list[str]


class PlanNetwork(TypedDict):
    gigabits_per_second: NotRequired[float | None]
    days: NotRequired[float | None]


class PlanPrices(TypedDict):
    terabyte_month: NotRequired[float | None]
    months: NotRequired[float | None]
    machine_hour: NotRequired[float | None]
    worker_hour: NotRequired[float | None]
    label: NotRequired[float | None]
    annotator_hour: NotRequired[float | None]


class PlanScoring(TypedDict):
    images_per_second: NotRequired[float | None]
    workers: NotRequired[int | None]


class PlanSetup(TypedDict):
    architecture: NotRequired[str]
    machine: NotRequired[str]
    images_per_second: NotRequired[float | None]
    terabytes_per_day: NotRequired[float | None]
    epochs: NotRequired[float | None]
    machines: NotRequired[int | None]


class Point(TypedDict):
    seq: int
    step: int
    values: dict[str, float]


PolygonShape = TypedDict(
    "PolygonShape",
    {
        "class": str,
        "points": NotRequired[list[list[float]]],
        "parts": NotRequired[list[list[list[float]]]],
        "attributes": NotRequired[Attributes],
        "id": NotRequired[str],
        "track": NotRequired[str],
    },
)


PrecisionStateEnum: TypeAlias = Literal["proven", "being_proven", "not_proven"]


Prediction = TypedDict(
    "Prediction",
    {
        "class": str,
        "probability": float,
        "calibrated": NotRequired[float],
        "box": NotRequired[list[float]],
    },
)


PriorityEnum: TypeAlias = Literal["high", "low", "normal"]


class Progress(TypedDict):
    done: int
    total: int
    rate: float | None
    eta: float | None
    unit: str


class Project(TypedDict):
    id: int
    name: str
    description: str
    created: str
    members: int


class Promotion(TypedDict):
    alias: str
    version: int
    previous: int | None
    reason: str
    gates: list[GateResult]
    overridden: bool
    by: str
    created: str


class PromotionOutcome(TypedDict):
    promoted: bool
    reason: str
    gates: list[dict[str, Any]]


PrunerEnum: TypeAlias = Literal["none", "median", "halving"]


class Quarantined(TypedDict):
    md5: str
    code: str
    detail: str
    keys: list[str]


class QuarantinedImage(TypedDict):
    sample: str | None
    dataset: str | None
    digest: str
    reason: str
    code: str
    job: int


class Question(TypedDict):
    example: NotRequired[ExampleEnum | NullEnum]
    training: NotRequired[list[PlanSetup] | None]
    currency: NotRequired[str]
    fleet: NotRequired[PlanFleet | None]
    data: NotRequired[PlanData | None]
    scoring: NotRequired[PlanScoring | None]
    labeling: NotRequired[PlanLabeling | None]
    network: NotRequired[PlanNetwork | None]
    prices: NotRequired[PlanPrices | None]
    target_days: NotRequired[float | None]


QueueConsensusMethodEnum: TypeAlias = Literal["dawid_skene", "majority"]


class QueueCounts(TypedDict):
    total: int
    todo: int
    leased: int
    done: int
    skipped: int


class QueueDepth(TypedDict):
    name: str
    waiting: int | None
    shards_waiting: int
    running: int


QueueKindEnum: TypeAlias = Literal["classify", "grid", "boxes", "polygons"]


class QueueLink(TypedDict):
    queue: str
    url: str


QueueModeEnum: TypeAlias = Literal["label", "verify"]


QueueStateEnum: TypeAlias = Literal["open", "complete", "committed"]


class Quota(TypedDict):
    project: str
    share: int
    slots: int | None
    running: int
    waiting: int
    seconds: float
    storage: int | None
    held: int | None
    counted: str | None
    requests: int | None
    requested: int | None


class ReadSplit(TypedDict):
    samples: int
    sha256: str


class Recognised(TypedDict):
    format: str
    why: str


class Refused(TypedDict):
    code: str
    detail: str
    samples: int
    keys: list[str]


class Rejection(TypedDict):
    key: str
    code: str
    detail: str


class Relative(TypedDict):
    model: str
    version: int
    how: HowEnum
    of: str
    aliases: list[str]


class RemovedEncoder(TypedDict):
    name: str
    embeddings: int
    models: list[str]


ReviewReasonEnum: TypeAlias = Literal["disagreement", "random", "flag", "gold"]


ReviewStateEnum: TypeAlias = Literal["open", "done"]


RoleEnum: TypeAlias = Literal["owner", "engineer", "reviewer", "annotator", "viewer"]


RoundStateEnum: TypeAlias = Literal[
    "training",
    "scoring",
    "queueing",
    "labelling",
    "committing",
    "retraining",
    "gating",
    "done",
    "failed",
    "cancelled",
    "stopped",
]


RuleEnum: TypeAlias = Literal["copies"]


class RunningVersion(TypedDict):
    version: str | None
    workers: int
    web: int


SamplerEnum: TypeAlias = Literal["tpe", "random", "grid"]


class ScoredIn(TypedDict):
    id: int
    job: int
    kind: str
    model_digest: str
    model: NotRequired[str | None]
    rows: int
    unread: NotRequired[bool]


class ScoringProgress(TypedDict):
    shards_done: int
    shards: int
    images_per_second: float | None
    eta_seconds: float | None
    quarantined: int


class SettingImportance(TypedDict):
    name: str
    share: float


class ShapesValue(TypedDict):
    boxes: list[BoxShape]
    polygons: NotRequired[list[PolygonShape]]
    ignore: NotRequired[list[IgnoredRegion]]


ShardStateEnum: TypeAlias = Literal["todo", "running", "done", "failed", "cancelled"]


class ShownSetting(TypedDict):
    """
    Choices, or a range: `low` and `high` are both in it.
    """

    choices: NotRequired[list[Any]]
    low: NotRequired[float]
    high: NotRequired[float]
    step: NotRequired[float | None]
    log: NotRequired[bool]
    whole: NotRequired[bool]


class Size(TypedDict):
    total: int
    used: int


class Slice(TypedDict):
    name: str
    filter: Filter
    text: str
    created_by: str
    created: str
    changed: str


SnapshotKindEnum: TypeAlias = Literal["recovery", "best"]


class Source(TypedDict):
    name: str
    buckets: dict[str, list[str]]


class Span(TypedDict):
    dataset: str
    first: int
    last: int
    split: NotRequired[str]
    labelled: NotRequired[bool]


class Spent(TypedDict):
    labels: int
    labels_today: int
    money: float
    compute_hours: float


SplitCountReasonEnum: TypeAlias = Literal[
    "annotations", "default", "file", "folder", "near_duplicate", "once_test", "request", "rule"
]


SplitEnum: TypeAlias = Literal["pool", "train", "val", "test"]


class SplitRule(TypedDict):
    group: str
    fractions: dict[str, float]
    seed: NotRequired[str]


class StableRule(TypedDict):
    kappa: NotRequired[float]
    rounds: NotRequired[int]


class Staged(TypedDict):
    key: str
    md5: str


StatusEnum: TypeAlias = Literal["saved", "lease_lost", "refused"]


class Step(TypedDict):
    model: str | None
    version: int | None
    how: str


class Stopped(TypedDict):
    rule: str
    reason: str
    numbers: dict[str, float]
    at: str


class Strategy(TypedDict):
    name: str
    summary: str
    needs: list[str]
    asks_model: bool
    tasks: list[str]
    replays: list[str]
    params_schema: dict[str, Any]


class StrategyList(TypedDict):
    results: list[Strategy]
    faults: list[str]
    next: str | None


SuggestedBox = TypedDict(
    "SuggestedBox",
    {
        "class": str,
        "box": list[float],
        "attributes": NotRequired[Attributes],
        "id": NotRequired[str],
        "track": NotRequired[str],
        "score": NotRequired[float],
    },
)


SuggestedPolygon = TypedDict(
    "SuggestedPolygon",
    {
        "class": str,
        "points": NotRequired[list[list[float]]],
        "parts": NotRequired[list[list[list[float]]]],
        "attributes": NotRequired[Attributes],
        "id": NotRequired[str],
        "track": NotRequired[str],
        "score": NotRequired[float],
    },
)


SweepStateEnum: TypeAlias = Literal["running", "succeeded", "failed", "cancelled"]


class TargetRule(TypedDict):
    metric: NotRequired[str]
    value: float
    confidence: NotRequired[float]


class TaskFlag(TypedDict):
    note: str


class TaskSample(TypedDict):
    id: int
    key: str
    digest: str
    width: int | None
    height: int | None
    thumb: str
    meta: dict[str, Any]


TaskStateEnum: TypeAlias = Literal["todo", "leased", "done", "skipped"]


class Term(TypedDict):
    name: str
    value: float
    strength: float
    contribution: float
    rank: int
    of: int


class Together(TypedDict):
    classes: list[str]
    images: int
    filter: str


TokenScopeEnum: TypeAlias = Literal["all", "read"]


TrainingForecastSourceEnum: TypeAlias = Literal["measured", "others", "reference", "unknown"]


class TrainingInputs(TypedDict):
    train: ReadSplit
    validation: ReadSplit


class TrainingNeeds(TypedDict):
    """
    What the work needs of its machine: it waits for a worker that has that much. A field left out is no
    requirement.
    """

    gpus: NotRequired[int]
    gpu_memory_bytes: NotRequired[int]
    memory_bytes: NotRequired[int]
    cores: NotRequired[int]
    architecture: NotRequired[ArchitectureEnum | NullEnum]


class TrialCounts(TypedDict):
    running: int
    complete: int
    pruned: int
    failed: int
    cancelled: int


TrialStateEnum: TypeAlias = Literal["running", "complete", "pruned", "failed", "cancelled"]


class Trigger(TypedDict):
    """
    A value of null counts as left out.
    """

    new_labels: NotRequired[int | None]
    new_samples: NotRequired[int | None]
    metric_drop: NotRequired[MetricDrop | None]
    webhook: NotRequired[bool]


class Twin(TypedDict):
    key: str
    of: str
    distance: float
    split: SplitEnum


class UnknownWords(TypedDict):
    known: bool
    similarity: float
    least: float
    nearest: list[str]
    detail: str


class Unlike(TypedDict):
    keys: list[str]


class UploadPlace(TypedDict):
    upload: str
    url: str
    expires: str


class Uploads(TypedDict):
    results: NotRequired[list[Staged]]
    rejected: NotRequired[list[Rejection]]
    places: NotRequired[list[UploadPlace]]


class ValueRule(TypedDict):
    per_point: float


class VerifiedCounts(TypedDict):
    """
    Suggested objects that people were asked about.
    """

    asked: int
    kept: int
    moved: int
    reclassed: int
    removed: int
    median_seconds: float | None


class VerifiedObjectRequest(TypedDict):
    at: int | None
    seconds: float


class VersionLabelling(TypedDict):
    queue: str
    people: list[Labeller]
    method: str
    agreement: float | None
    reviewed: int
    overruled: int
    gold: LabelledGold


class VersionLineage(TypedDict):
    model: str
    version: int
    aliases: list[str]
    former_aliases: list[str]
    learned_from: list[LearnedFrom]
    judged_by: list[JudgedBy]
    parents: list[Relative]
    descendants: list[Relative]
    runs: list[DescendingRun]
    hidden: HiddenRelatives


class Waiting(TypedDict):
    """
    Where a job stands that waits for a worker.
    """

    place: int
    ahead: list[JobAhead]
    starts_in: float | None
    note: str | None


class WaitingPace(TypedDict):
    answers: int
    days: int
    per_hour: float | None
    answers_left: int
    hours_left: float | None
    in_time: bool | None


class WaitingQueue(TypedDict):
    id: int
    name: str
    dataset: str
    project: str
    state: QueueStateEnum
    priority: PriorityEnum
    due: str | None
    assignees: list[str]
    total: int
    todo: int
    leased: int
    skipped: int
    reviews: int
    disputed: int
    flagged: int
    comments: int
    labels: int
    since: str | None
    pace: WaitingPace


class Webhook(TypedDict):
    url: str
    secret: str


class Weight(TypedDict):
    shape: list[int]
    count: int
    mean: NotRequired[float]
    std: NotRequired[float]
    min: NotRequired[float]
    max: NotRequired[float]
    histogram: NotRequired[dict[str, Any]]
    name: str


class Why(TypedDict):
    strategy: str
    score: float | None
    rank: int | None
    of: int | None
    reason: str
    control: bool
    neighbours: list[Neighbour]


class Words(TypedDict):
    ready: bool
    by: str
    about: str


class WordsRead(TypedDict):
    text: str
    tokens: int
    read: int
    about: str
    unknown: UnknownWords | None


class Worker(TypedDict):
    name: str
    pid: int
    queues: list[str]
    busy_with: Busy | None
    rss: int | None
    since: str | None


class AddedSamples(TypedDict):
    added: int
    already: int
    left_out: int
    copies: LeftOutCopies


class AgainstRandom(TypedDict):
    pipeline: str
    strategy: str | None
    params: dict[str, Any]
    rounds: int
    mined: Arm | None
    control: Arm | None
    evidence: float | None
    bound: float | None
    loses: bool
    sentence: str


class AttributeFigures(TypedDict):
    name: str
    objects: int
    values: list[AttributeValue]
    others: int
    min: float | None
    max: float | None


class BacktestCurve(TypedDict):
    strategy: str
    params: dict[str, Any]
    mean_accuracy: float | None
    points: list[BacktestPoint]


class Best(TypedDict):
    strategy: str
    params: dict[str, Any]
    mean_accuracy: float
    difference: float | None
    low: float | None
    high: float | None
    clear: bool
    end: End
    headline: str
    reason: str


class Blind(TypedDict):
    shown: ModelAgreement
    hidden: ModelAgreement
    difference: float | None
    interval: list[float]


class CheckedFilter(TypedDict):
    text: str
    filter: Filter
    version: int
    count: int


class ContainingModel(TypedDict):
    """
    A model version. In records from before a release that looked at splits, only the first five fields are there.
    """

    model: str
    version: int
    digest: str
    dataset: str | None
    dataset_version: int | None
    id: NotRequired[int]
    relation: NotRequired[ContainingModelRelationEnum]
    split: NotRequired[str | None]
    run: NotRequired[int | None]
    through: NotRequired[list[Step]]
    aliases: NotRequired[list[str]]
    former_aliases: NotRequired[list[str]]
    deleted: NotRequired[bool]
    since: NotRequired[bool]
    clean: NotRequired[int | None]
    action: NotRequired[ContainingModelActionEnum]


class ContainingRun(TypedDict):
    """
    A run without a version.
    """

    id: int
    model: str
    state: str
    dataset: str
    dataset_version: int
    relation: NotRequired[ContainingRunRelationEnum]
    split: NotRequired[str | None]
    began: NotRequired[bool]
    through: NotRequired[list[Step]]


class Copy(TypedDict):
    key: str
    of: str
    split: SplitEnum
    label: Any
    reason: CopyReasonEnum | NullEnum
    thumb: str


class CopyList(TypedDict):
    version: int | None
    samples: int
    ready: int
    left_out: CopiesLeftOut
    results: list[Copy]


class Curve(TypedDict):
    pipeline: str
    strategy: str
    points: list[CurvePoint]


class Dataset(TypedDict):
    id: int
    name: str
    project: str
    task: str
    classes: list[str]
    multi_label: bool
    label_kind: str
    trainable: bool
    schema_version: int
    description: str
    split_rule: SplitRule | None
    head: int | None
    origin: Place | None
    counts: Counts
    archived: str | None
    created: str


class Deletion(TypedDict):
    name: str
    archived: bool
    allowed: bool
    goes: list[Dependent]
    stays: list[Dependent]
    needs: list[Dependent]
    busy: list[Dependent]


class EditPreview(TypedDict):
    version: int
    samples: int
    changed: int
    unchanged: int
    by_split: dict[str, int]
    by_class: dict[str, int]
    unlabelled: int
    moves: list[Move]
    refused: list[Refused]
    held_out: int
    leaks: int


class Estimate(TypedDict):
    accuracy: Accuracy | None
    lift: Lift | None


class ExactDuplicates(TypedDict):
    in_commit: int
    in_dataset: int
    pairs: list[ExactPair]


class Explanation(TypedDict):
    """
    The contributions of the terms multiply to `product`.
    """

    terms: list[Term]
    product: float | None
    quota: dict[str, Any] | None
    displaced: Displaced | None
    neighbours: list[Neighbour]


class Export(TypedDict):
    id: int
    version: int
    format: ExportFormatEnum
    split: SplitEnum | NullEnum
    slice: str | None
    filter: str | None
    state: JobStateEnum
    job: int
    url: str | None
    samples: int | None
    bytes: int | None
    notes: list[str]
    created_by: str
    created: str


class Feeding(TypedDict):
    facts: list[FeedingFact]
    python: str
    cpp: str


class FigureSource(TypedDict):
    kind: FigureSourceKindEnum
    words: str
    n: int | None
    since: str | None
    until: str | None


class FilterField(TypedDict):
    name: str
    words: str
    kind: FilterFieldKindEnum
    operators: list[str]
    values: list[str]


class ForecastHours(TypedDict):
    value: float | None
    low: float | None
    high: float | None
    source: FigureSource | None


class Gold(TypedDict):
    added: int
    gold: int
    tasks: int
    rejected: list[GoldRejection]


class Gpu(TypedDict):
    device: str
    name: str
    utilisation: float | None
    memory: Size
    temperature: int | None
    ecc_errors: EccErrors | None


class ImageAnswer(TypedDict):
    name: str
    answer: dict[str, Any] | None
    predictions: list[Prediction]
    error: ImageFault | None
    activations: NotRequired[list[Activation]]


class Incomplete(TypedDict):
    code: IncompleteCodeEnum
    reason: str
    objects: int
    images: int
    examples: list[str]


class IssuedToken(TypedDict):
    id: int
    name: str
    scope: TokenScopeEnum
    project: str | None
    created: str
    expires: str | None
    last_used: str | None
    last_address: str | None
    secret: str


class Job(TypedDict):
    id: int
    kind: str
    title: str
    state: JobStateEnum
    project: str | None
    priority: PriorityEnum
    progress: Progress
    result: dict[str, Any] | None
    error: dict[str, Any] | None
    created: str
    started: str | None
    finished: str | None
    missing: str | None
    waiting: Waiting | None
    failed_shards: int
    retriable: bool
    url: str
    href: str


class JobLink(TypedDict):
    """
    The answer to a request that starts long work: the job to follow.
    """

    job: Job


class LabelFacts(TypedDict):
    review_state: LabelReviewStateEnum
    answers: int
    agreement: float | None
    confidence: float | None


LabelValue: TypeAlias = ClassValue | ShapesValue | ClassesValue


class LakePart(TypedDict):
    id: int
    source: LakeSourceEnum
    frames: int
    bytes: int
    first: str
    last: str
    groups: int
    packs: int
    columns: dict[str, str]
    by: str
    created: str


class LakeScan(TypedDict):
    id: int
    dataset: str
    model: str
    strategy: ChosenStrategy
    count: int
    control: float
    seed: int
    prefix: str
    where: list[str]
    stats: dict[str, Any]
    version: int | None
    mining: int | None
    queue: str | None
    created: str
    job: Job


class Launch(TypedDict):
    launcher: LauncherEnum
    text: str


class Layer(TypedDict):
    name: str
    operator: str
    parameters: int
    weights: list[Weight]
    picture: str | None


class Learner(TypedDict):
    kind: LearnerKindEnum
    model: NotRequired[str]
    architecture: NotRequired[str]
    config: NotRequired[dict[str, Any]]


class LearnerChoice(TypedDict):
    name: str
    architecture: str
    params: dict[str, Any]
    reason: str
    labels: int
    folds: int | None
    candidates: list[Candidate]
    pseudo_labels: dict[str, float]
    left_out: list[LeftOutCandidate]


class Like(TypedDict):
    keys: NotRequired[list[str]]
    failures: NotRequired[FailuresEnum | NullEnum]


class Likeness(TypedDict):
    rule: RuleEnum
    background: int
    common_test_images: int
    test_images: int
    levels: list[float]
    false_alarms: float
    passed_over: int
    detail: str


class ListedComment(TypedDict):
    id: int
    task: int
    author: Author
    text: str
    x: float | None
    y: float | None
    mentions: list[str]
    created: str
    resolved_by: str | None
    resolved_at: str | None
    deletable: bool
    queue: str
    queue_id: int
    dataset: str
    sample: TaskSample
    url: str
    review: int | None


class LiveJob(TypedDict):
    id: int
    kind: str
    title: str
    state: JobStateEnum
    project: str | None
    priority: PriorityEnum
    progress: Progress
    result: dict[str, Any] | None
    error: dict[str, Any] | None
    created: str
    started: str | None
    finished: str | None
    missing: str | None
    waiting: Waiting | None
    failed_shards: int
    retriable: bool
    url: str
    href: str
    points: list[Point]
    log: list[LogLine]
    next: int


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


class MadeQueue(TypedDict):
    id: int
    name: str
    dataset: str
    dataset_id: int
    task: str
    classes: list[str]
    state: QueueStateEnum
    counts: QueueCounts
    rate_per_hour: int
    answers_per_task: int
    kind: QueueKindEnum
    mode: QueueModeEnum
    blind_share: float
    gold_share: float
    review_share: float
    accept_threshold: float | None
    skip_reasons: list[str]
    priority: PriorityEnum
    due: str | None
    assignees: list[str]
    for_me: bool
    mine: Mine
    flagged: int
    reviews_open: int
    labels: int
    auto_commit: AutoCommit | None
    schema: LabelSchema
    archived: str | None
    created: str
    committed_version: int | None
    passing: int
    near_duplicates: LeftOut
    copies: LeftOutCopies


class ManifestSample(TypedDict):
    key: str
    md5: str
    size: int
    split: SplitEnum
    label: LabelValue | None
    meta: dict[str, Any]
    original: str | None


class Map(TypedDict):
    id: int
    dataset: str
    version: int
    model: str | None
    features: Features
    method: MapMethodEnum
    seed: int
    count: int | None
    points: str | None
    facts: MapFacts | None
    created: str
    job: Job


class Member(TypedDict):
    id: int
    username: str
    role: RoleEnum
    active: bool
    service: bool
    since: str


class Name(TypedDict):
    name: str
    kind: NameKindEnum
    version: int
    protected: bool
    by: str
    created: str
    moved: str


class NearDuplicate(TypedDict):
    key: str
    of: str
    split: SplitEnum | NullEnum
    distance: float
    found_by: str
    allowed: bool
    confirmed: bool
    labelled: bool
    thumb: str | None
    of_thumb: str | None
    since: int


class NearDuplicateDecided(TypedDict):
    near_duplicates: int
    moved: int
    version: int | None
    rejected: list[Rejection]


class Needs(TypedDict):
    """
    What the work needs of its machine: it waits for a worker that has that much. A field left out is no
    requirement.
    """

    gpus: NotRequired[int]
    gpu_memory_bytes: NotRequired[int]
    memory_bytes: NotRequired[int]
    cores: NotRequired[int]
    architecture: NotRequired[ArchitectureEnum | NullEnum]


class Notification(TypedDict):
    key: str
    kind: NotificationKindEnum
    title: str
    detail: str
    path: str
    project: str
    at: str
    seen: bool


class Notifications(TypedDict):
    results: list[Notification]
    unseen: int
    left_out: int
    mail: bool
    mail_to: str | None


class ObjectFigures(TypedDict):
    boxes: int
    polygons: int
    ignored: int
    images_without: int
    per_image: list[Bar]
    sizes: list[Bar]
    sides: list[Bar]
    aspects: list[Bar]
    together: list[Together]
    attributes: list[AttributeFigures]


class PassedOver(TypedDict):
    code: PassedOverCodeEnum
    what: str
    count: int
    first: str


class PastDecision(TypedDict):
    value: LabelValue | None
    reason: str
    by: str
    at: str
    reopened_by: str


class PersonFigures(TypedDict):
    user: Author
    answers: int
    skipped: int
    labels_per_hour: float | None
    median_seconds: float | None
    agreement: float | None
    gold: PersonGold
    accuracy: float | None
    interval: list[float]


class PlanExample(TypedDict):
    name: str
    title: str
    source: str
    question: Question
    notes: list[str]


class PlanInput(TypedDict):
    name: str
    value: float
    unit: str
    source: FigureSource


class Precision(TypedDict):
    precision: str
    state: PrecisionStateEnum
    job: int | None


class Predictions(TypedDict):
    model: str
    version: int
    artifact: str
    temperature: float | None
    results: list[ImageAnswer]


class ProjectRole(TypedDict):
    project: str
    role: RoleEnum


class QuarantineSummary(TypedDict):
    images: int
    results: list[QuarantinedImage]


class Queue(TypedDict):
    id: int
    name: str
    dataset: str
    dataset_id: int
    task: str
    classes: list[str]
    state: QueueStateEnum
    counts: QueueCounts
    rate_per_hour: int
    answers_per_task: int
    kind: QueueKindEnum
    mode: QueueModeEnum
    blind_share: float
    gold_share: float
    review_share: float
    accept_threshold: float | None
    skip_reasons: list[str]
    priority: PriorityEnum
    due: str | None
    assignees: list[str]
    for_me: bool
    mine: Mine
    flagged: int
    reviews_open: int
    labels: int
    auto_commit: AutoCommit | None
    schema: LabelSchema
    archived: str | None
    created: str
    committed_version: int | None


class QueueConsensus(TypedDict):
    method: QueueConsensusMethodEnum
    classes: list[str]
    people: list[ConsensusPerson]


class QueueProgress(TypedDict):
    counts: QueueCounts
    state: QueueStateEnum


class QueueStatistics(TypedDict):
    mode: QueueModeEnum
    answers: int
    verified: int
    objects: VerifiedCounts
    missing: MissingCounts
    drawn: DrawnCounts
    by_class: list[ClassVerified]


class ReviewConsensus(TypedDict):
    value: LabelValue
    confidence: float | None
    tied: bool


class ReviewedAnswer(TypedDict):
    id: int
    author: Author
    value: LabelValue | None
    reason: str
    seconds: float
    shown_suggestion: bool
    created: str


class Revision(TypedDict):
    dataset: str
    since: int
    until: int | None
    digest: str
    split: SplitEnum
    label: LabelValue | None
    message: str
    author: str
    created: str


class Round(TypedDict):
    number: int
    state: RoundStateEnum
    failed_in: str | None
    trigger: Cause
    choice: Choice | None
    waiting: Stopped | None
    stopped: Stopped | None
    step_started: str
    labels: int | None
    dataset_version: int | None
    model_version: int | None
    run: int | None
    mining_job: int | None
    queue: str | None
    queue_id: int | None
    queue_counts: QueueCounts | None
    auto_commit: AutoCommit | None
    job: Job | None
    metric: str
    value: float | None
    accuracy: float | None
    promoted: bool | None
    promotion: PromotionOutcome | None
    lift: dict[str, Any] | None
    control: Control | None
    error: str
    timings: dict[str, float]
    images_per_second: dict[str, float]
    created: str
    finished: str | None


class RoundNeeds(TypedDict):
    train: NotRequired[TrainingNeeds | None]
    score: NotRequired[Needs | None]


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
    read: TrainingInputs | None
    lost: Lost | None
    inputs_changed: InputsChanged | None
    needs: TrainingNeeds | None
    notes: str
    model_version: int | None
    left_out: int | None
    warnings: list[ModelWarning]
    sent_bytes: int | None
    choice: LearnerChoice | None
    created: str
    job: Job


class Sample(TypedDict):
    id: int
    key: str
    digest: str
    split: SplitEnum
    label: LabelValue | None
    label_source: LabelSourceEnum | NullEnum
    label_facts: LabelFacts | None
    width: int | None
    height: int | None
    media_type: str
    original: Original | None
    meta: dict[str, Any]
    url: str
    thumb: str


class ShapesSuggestion(TypedDict):
    boxes: list[SuggestedBox]
    model: str
    polygons: NotRequired[list[SuggestedPolygon]]
    ignore: NotRequired[list[IgnoredRegion]]


class Shard(TypedDict):
    index: int
    phase: int
    state: ShardStateEnum
    attempts: int
    owner: str
    needs: Needs | None
    gpus: list[str]
    units: int
    units_done: int
    error: str
    started: str | None
    finished: str | None


class SimilarSample(TypedDict):
    id: int
    key: str
    digest: str
    split: SplitEnum
    label: LabelValue | None
    label_source: LabelSourceEnum | NullEnum
    label_facts: LabelFacts | None
    width: int | None
    height: int | None
    media_type: str
    original: Original | None
    meta: dict[str, Any]
    url: str
    thumb: str
    similarity: float


class Snapshot(TypedDict):
    kind: SnapshotKindEnum
    step: int
    metrics: dict[str, Any]
    size: int
    sha256: str
    url: str
    created: str


class SplitCount(TypedDict):
    split: SplitEnum
    samples: int
    reason: SplitCountReasonEnum
    source: str
    why: str


class Statistics(TypedDict):
    version: int
    filter: str | None
    images: int
    labelled: int
    by_split: dict[str, int]
    classes: list[ClassFigures]
    objects: ObjectFigures | None


class Stop(TypedDict):
    """
    A value of null counts as left out.
    """

    target: NotRequired[TargetRule | None]
    value: NotRequired[ValueRule | None]
    stable: NotRequired[StableRule | None]


Suggestion: TypeAlias = ClassSuggestion | ShapesSuggestion | ClassesSuggestion


class TakenOver(TypedDict):
    version: int | None
    parent: int | None
    added: int
    updated: int
    removed: int
    labelled: int
    unchanged: int
    converted: int
    corrected: NotRequired[int]
    splits: NotRequired[list[SplitCount]]
    rejected: list[Rejection]
    near_duplicates: list[Twin]
    leaks: list[Twin]
    held_out: HeldOut | None
    likeness: Likeness | None
    exact_duplicates: ExactDuplicates
    recognised: NotRequired[Recognised | None]
    notes: NotRequired[list[str]]
    incomplete: NotRequired[list[Incomplete]]
    passed_over: NotRequired[list[PassedOver]]
    left_out: CopiesLeftOut


class Token(TypedDict):
    id: int
    name: str
    scope: TokenScopeEnum
    project: str | None
    created: str
    expires: str | None
    last_used: str | None
    last_address: str | None


class TrainingForecast(TypedDict):
    architecture: str
    config: dict[str, Any]
    params: dict[str, Any]
    recipe: dict[str, Any]
    seconds: float | None
    runs: int
    source: TrainingForecastSourceEnum
    device: DeviceEnum
    words: str


class TrainingTime(TypedDict):
    architecture: str
    machine: str
    machines: int
    pace: float
    pace_unit: str
    epochs: float | None
    days: float
    machines_for_target: int | None
    machine_hours: float
    bytes_per_second: float | None
    cost: float | None
    formula: str
    source: FigureSource
    printed: AsPrinted | None


class Trial(TypedDict):
    number: int
    params: dict[str, Any]
    state: TrialStateEnum
    value: float | None
    curve: list[list[float]]
    reason: str
    run: int | None
    job_state: JobStateEnum | NullEnum
    model_version: int | None
    created: str
    finished: str | None


class User(TypedDict):
    id: int
    username: str
    role: RoleEnum | NullEnum
    projects: list[ProjectRole]


class VerificationRequest(TypedDict):
    """
    How an answer was given question by question; the outcome of each object is derived from the label.
    """

    objects: list[VerifiedObjectRequest]
    missing: MissingObjectsRequest
    drawing_seconds: NotRequired[float]


class Version(TypedDict):
    version: int
    parent: int | None
    message: str
    author: str
    created: str
    added: int
    updated: int
    removed: int
    labelled: int
    erased: int
    schema_version: int
    counts: Counts
    names: list[str]
    merged: Place | None
    labelling: VersionLabelling | None


class Vocabulary(TypedDict):
    fields: list[FilterField]
    objects: list[FilterName]
    object_fields: list[FilterField]


class Workers(TypedDict):
    machines: list[Machine]
    versions: list[RunningVersion]
    queues: list[QueueDepth]
    projects: list[Quota]
    quarantined: QuarantineSummary


class AddedPerson(TypedDict):
    id: int
    username: str
    role: RoleEnum | NullEnum
    projects: list[ProjectRole]
    active: bool
    email: str | None
    provider: bool
    service: bool
    created: str
    last_seen: str | None
    tokens: int
    token: str


class Agreement(TypedDict):
    kind: AgreementKindEnum
    people: list[AgreeingPerson]
    pairs: list[Pair]
    fleiss: float | None
    by_class: list[ClassAgreement]
    blind: Blind
    consensus: QueueConsensus


class Answered(TypedDict):
    value: LabelValue | None


class Backtest(TypedDict):
    id: int
    name: str
    dataset: str
    version: int
    task: str
    metric: str
    figure: str
    learner: Learner
    strategies: list[ChosenStrategy]
    seeds: int
    rounds: int
    count: int
    start: int
    control: float
    target: float | None
    archived: str | None
    created: str
    best: Best | None
    job: Job
    left_out: int | None
    copies: int | None
    curves: list[BacktestCurve]
    labels_to_target: list[LabelsToTarget]
    tests: list[PairedTest]


class BacktestLink(TypedDict):
    id: int
    name: str
    job: Job


class BacktestRow(TypedDict):
    id: int
    name: str
    dataset: str
    version: int
    task: str
    metric: str
    figure: str
    learner: Learner
    strategies: list[ChosenStrategy]
    seeds: int
    rounds: int
    count: int
    start: int
    control: float
    target: float | None
    archived: str | None
    created: str
    best: Best | None
    job: Job


class Commit(TypedDict):
    version: int | None
    parent: int | None
    added: int
    updated: int
    removed: int
    labelled: int
    unchanged: int
    converted: int
    corrected: NotRequired[int]
    splits: NotRequired[list[SplitCount]]
    rejected: list[Rejection]
    near_duplicates: list[Twin]
    leaks: list[Twin]
    held_out: HeldOut | None
    likeness: Likeness | None
    exact_duplicates: ExactDuplicates
    recognised: NotRequired[Recognised | None]
    notes: NotRequired[list[str]]
    incomplete: NotRequired[list[Incomplete]]
    passed_over: NotRequired[list[PassedOver]]


class ContainedIn(TypedDict):
    versions: list[Span]
    models: list[ContainingModel]
    runs: list[ContainingRun]
    mining_jobs: list[PickedBy]
    score_files: list[ScoredIn]
    queues: list[AskedIn]
    rounds: list[AskedByRound]
    exports: list[dict[str, Any]]
    hidden: dict[str, int]


class Difference(TypedDict):
    key: str
    kinds: list[KindsEnum]
    before: Sample | None
    after: Sample | None


class Embeddings(TypedDict):
    version: int
    model: str | None
    encoder: str | None
    by: str
    samples: int
    embedded: int
    unreadable: int
    missing: int
    words: Words | None
    job: Job | None


class Forecast(TypedDict):
    pipeline: str
    target: float
    labels: int | None
    low: int | None
    high: int | None
    more: ForecastCount
    rounds: ForecastCount
    annotator_hours: ForecastHours
    training_hours: ForecastHours
    fits: list[Fit]
    points: list[ForecastPoint]


class KeptAnswer(TypedDict):
    id: int
    value: LabelValue | None
    opinion: bool


class Label(TypedDict):
    id: int
    value: LabelValue
    source: LabelSourceEnum
    author: str | None
    seconds: float | None
    facts: LabelFacts | None
    created: str


class LabelingTask(TypedDict):
    lease_until: str
    lease_token: int
    id: int
    sample: TaskSample
    url: str
    suggestion: Suggestion | None
    why: Why | None
    cluster: str | None
    position: int
    flag: TaskFlag | None
    answered: Answered | None
    comments: int
    comments_resolved: int
    comments_hidden: int


class Lineage(TypedDict):
    id: int
    key: str
    dataset: str
    revisions: list[Revision]
    labels: list[Label]
    contained_in: ContainedIn


class MiningJob(TypedDict):
    id: int
    dataset: str
    version: int
    model: str | None
    strategy: ChosenStrategy
    count: int
    control: float
    seed: int
    filter: Filter | None
    compose: dict[str, Any] | None
    committee: dict[str, Any] | None
    like: Like | None
    unlike: Unlike | None
    needs: Needs | None
    calibration: Calibration | None
    progress: ScoringProgress
    stats: dict[str, Any]
    queue: str | None
    created: str
    job: Job


class MiningJobDetail(TypedDict):
    id: int
    dataset: str
    version: int
    model: str | None
    strategy: ChosenStrategy
    count: int
    control: float
    seed: int
    filter: Filter | None
    compose: dict[str, Any] | None
    committee: dict[str, Any] | None
    like: Like | None
    unlike: Unlike | None
    needs: Needs | None
    calibration: Calibration | None
    progress: ScoringProgress
    stats: dict[str, Any]
    queue: str | None
    created: str
    job: Job
    estimate: Estimate | None


class ModelVersion(TypedDict):
    model: str
    version: int
    architecture: str
    digest: str
    dataset: str | None
    dataset_version: int | None
    dataset_role: DatasetRoleEnum | NullEnum
    run: int | None
    aliases: list[str]
    headline: Headline
    metrics: dict[str, Any]
    size: int | None
    tensorrt: str
    precisions: list[Precision]
    warnings: list[ModelWarning]
    notes: str
    created: str


class ModelVersionDetail(TypedDict):
    model: str
    version: int
    architecture: str
    digest: str
    dataset: str | None
    dataset_version: int | None
    dataset_role: DatasetRoleEnum | NullEnum
    run: int | None
    aliases: list[str]
    headline: Headline
    metrics: dict[str, Any]
    size: int | None
    tensorrt: str
    precisions: list[Precision]
    warnings: list[ModelWarning]
    notes: str
    created: str
    slices: Any
    gates: list[GateResult]
    lineage: ModelLineage
    report: dict[str, Any]
    feeding: Feeding | None
    lock: dict[str, Any]
    artifacts: list[Artifact]
    promotions: list[Promotion]


class OneAnswerRequest(TypedDict):
    reason: NotRequired[str]
    seconds: NotRequired[float]
    shown_suggestion: NotRequired[bool]
    changed: NotRequired[bool | None]
    lease_token: NotRequired[int | None]
    task: int
    value: LabelValue | None
    verification: NotRequired[VerificationRequest | None]


class Person(TypedDict):
    id: int
    username: str
    role: RoleEnum | NullEnum
    projects: list[ProjectRole]
    active: bool
    email: str | None
    provider: bool
    service: bool
    created: str
    last_seen: str | None
    tokens: int


class Pick(TypedDict):
    rank: int
    sample: PickedSample
    score: float | None
    terms: dict[str, float]
    reason: str
    control: bool
    probability: float | None
    prediction: Suggestion | None
    neighbours: list[Neighbour]
    explanation: Explanation


class Pipeline(TypedDict):
    id: int
    name: str
    dataset: str
    task: str
    model: str
    architecture: str
    config: dict[str, Any]
    strategy: ChosenStrategy
    count: int
    control: float
    seed: int
    filter: Filter | None
    filter_text: str | None
    compose: dict[str, Any] | None
    committee: dict[str, Any] | None
    answers_per_task: int
    commit_grace: int
    gates: list[dict[str, Any]]
    warm_start: bool
    needs: RoundNeeds
    schedule: str | None
    schedule_words: str | None
    next_run: str | None
    trigger: Trigger
    last_trigger: Cause | None
    webhook_url: str | None
    budget: Budget
    spent: Spent
    stop: Stop
    stopped: Stopped | None
    paused: bool
    state: PipelineStateEnum
    current_round: int | None
    archived: str | None
    created: str


class Plan(TypedDict):
    inputs: list[PlanInput]
    figures: list[PlanFigure]
    trainings: list[TrainingTime]
    missing: list[PlanMissing]
    notes: list[str]
    currency: str
    example: str | None


class ProvedTrials(TypedDict):
    trials: list[Trial]
    started: list[int]


class Receipt(TypedDict):
    task: int
    state: TaskStateEnum
    answer: KeptAnswer
    queue: QueueProgress


class Review(TypedDict):
    id: int
    queue: str
    queue_id: int
    dataset: str
    classes: list[str]
    kind: str
    task: int
    sample: TaskSample
    url: str
    reason: ReviewReasonEnum
    note: str
    answers: list[ReviewedAnswer]
    suggestion: Suggestion | None
    consensus: ReviewConsensus | None
    iou: list[AnswerOverlap]
    state: ReviewStateEnum
    decision: LabelValue | None
    decision_reason: str
    answer: int | None
    decided_by: Author | None
    decided: str | None
    history: list[PastDecision]
    created: str


class SimilarList(TypedDict):
    results: list[SimilarSample]
    total: int
    offset: int
    compared: int
    missing: int
    unreadable: int
    version: int
    model: str | None
    encoder: str | None
    by: str
    words: WordsRead | None


class Sweep(TypedDict):
    id: int
    name: str
    model: str
    dataset: str
    version: int
    architecture: str
    config: dict[str, Any]
    seed: int
    space: dict[str, ShownSetting]
    metric: str
    direction: DirectionEnum
    trials: int
    parallel: int
    sampler: SamplerEnum
    pruner: PrunerEnum
    startup: int
    warmup: int
    state: SweepStateEnum
    error: str
    counts: TrialCounts
    best: Trial | None
    archived: str | None
    created: str
    finished: str | None
    importance: list[SettingImportance]


class SweepRow(TypedDict):
    id: int
    name: str
    model: str
    dataset: str
    version: int
    architecture: str
    config: dict[str, Any]
    seed: int
    space: dict[str, ShownSetting]
    metric: str
    direction: DirectionEnum
    trials: int
    parallel: int
    sampler: SamplerEnum
    pruner: PrunerEnum
    startup: int
    warmup: int
    state: SweepStateEnum
    error: str
    counts: TrialCounts
    best: Trial | None
    archived: str | None
    created: str
    finished: str | None


class AnswerResult(TypedDict):
    task: int
    status: StatusEnum
    receipt: NotRequired[Receipt]
    problem: NotRequired[AnswerProblem]
