"""Runs, models and their versions."""

from typing import Any, Literal, NotRequired, TypedDict

from motherlode.documents.jobs import Job, Problem


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
    left_out: int | None
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


class Precision(TypedDict):
    precision: str
    state: str
    job: int | None


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
    precisions: list[Precision]
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
