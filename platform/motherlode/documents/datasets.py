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
