"""Datasets, their versions, samples and maps."""

from typing import Any, NotRequired, TypedDict

from motherlode.documents.jobs import Job
from motherlode.documents.labels import Label, Split


class DatasetCounts(TypedDict):
    samples: int
    labelled: int
    by_split: dict[str, int]
    by_class: dict[str, int]


class Origin(TypedDict):
    dataset: str
    version: int


class Dataset(TypedDict):
    id: int
    name: str
    task: str
    classes: list[str]
    multi_label: bool
    trainable: bool
    schema_version: int
    description: str
    head: int | None
    counts: DatasetCounts
    origin: Origin | None
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


class Original(TypedDict):
    """What a sample's image was made of."""

    digest: str
    url: str
    media_type: str
    bytes: int


class Sample(TypedDict):
    id: int
    key: str
    digest: str
    original: Original | None
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


class Format(TypedDict):
    name: str
    title: str
    tasks: list[str]


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
    original: str | None


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


class Pair(TypedDict):
    """A sample outside test, and the test sample `of` that shows nearly the same."""

    key: str
    of: str
    distance: float
    split: Split


class HeldOut(TypedDict):
    """How many samples of a commit were meant for train and kept out of it, as near-duplicates of test samples."""

    samples: int
    labelled: int
    detail: str


class ExactPair(TypedDict):
    key: str
    of: str


class ExactDuplicates(TypedDict):
    in_commit: int
    in_dataset: int
    pairs: list[ExactPair]


class NearDuplicate(TypedDict):
    key: str
    of: str
    split: Split | None
    distance: float
    found_by: str
    allowed: bool
    confirmed: bool
    labelled: bool
    thumb: str | None
    of_thumb: str | None
    since: int


class NearDuplicateCounts(TypedDict):
    kept_out: int
    kept_out_labelled: int
    allowed: int
    unchecked: int


class NearDuplicatesDecided(TypedDict):
    near_duplicates: int
    moved: int
    version: int | None
    rejected: list[Rejected]


class IncompleteImages(TypedDict):
    """Objects that a label can't hold, by reason."""

    code: str
    reason: str
    objects: int
    images: int
    examples: list[str]


class Commit(TypedDict):
    version: int | None
    parent: int | None
    added: int
    updated: int
    removed: int
    labelled: int
    unchanged: int
    rejected: list[Rejected]
    converted: NotRequired[int]
    near_duplicates: NotRequired[list[Pair]]
    leaks: NotRequired[list[Pair]]
    held_out: NotRequired[HeldOut | None]
    exact_duplicates: NotRequired[ExactDuplicates]
    notes: NotRequired[list[str]]
    incomplete: NotRequired[list[IncompleteImages]]


class CheckedFilter(TypedDict):
    text: str
    filter: dict[str, Any]
    version: int
    count: int


class Slice(TypedDict):
    name: str
    filter: dict[str, Any]
    text: str
    created_by: str
    created: str
    changed: str


class Bar(TypedDict):
    name: str
    count: int
    filter: str


class AttributeValue(TypedDict):
    value: Any
    count: int
    filter: str | None


class AttributeFigures(TypedDict):
    name: str
    objects: int
    values: list[AttributeValue]
    others: int
    min: float | None
    max: float | None


class Together(TypedDict):
    classes: list[str]
    images: int
    filter: str


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


ClassFigures = TypedDict(
    "ClassFigures",
    {"class": str, "images": int, "objects": int | None, "by_split": dict[str, int], "filter": str},
)


class Statistics(TypedDict):
    version: int
    filter: str | None
    images: int
    labelled: int
    by_split: dict[str, int]
    classes: list[ClassFigures]
    objects: ObjectFigures | None


class Export(TypedDict):
    """The result of an export's job."""

    export: int
    url: str
    format: str
    version: int
    split: Split | None
    slice: str | None
    filter: str | None
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
