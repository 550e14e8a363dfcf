"""What gates judge: the stored metrics of a version, and of two versions on their common test samples."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from blobs.errors import BlobCorrupt, BlobMissing
from blobs.services import store
from registry.gate_grammar import BEST, EVERY, OF_THE_FILE, Gate
from registry.models import ModelVersion
from tasktypes.bootstrap import CONFIDENCE
from tasktypes.model_parts import Metrics
from tasktypes.predictions import Predictions, common
from worker_programs.wording import plural

PREDICTIONS = "predictions.npz"


class Uncomputable(Exception):  # noqa: N818 - a verdict in the making, read aloud
    """A gate needs something that a version does not have; the message says what."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric of one part of the test split (`name`: a slice or class, or empty for the whole)."""

    name: str
    value: float | None = None
    base: float | None = None
    interval: tuple[float, float] | None = None
    """The interval of the value, or of value - base where there is a base."""
    samples: int | None = None
    fault: str = ""
    """Why the metric can't be computed; empty if it can."""
    by_interval: bool = True
    """Whether the interval, where there is one, must be within the bound; else the value or difference."""

    def document(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "by_interval"}

    @property
    def span(self) -> tuple[float, float]:
        """The range that must lie within a bound: the interval, or the value or difference itself as both ends."""
        if self.interval is not None and self.by_interval:
            return self.interval
        told = (self.value or 0.0) - (self.base or 0.0)
        return told, told


class Evidence:
    """A version and its stored results. Predictions are read from the store on first use, and then kept."""

    def __init__(self, version: ModelVersion) -> None:
        self.version = version
        self._files: dict[str, Predictions] = {}

    @cached_property
    def metrics(self) -> Metrics:
        """The metrics of its task type."""
        return self.version.model.task_type.metrics

    @cached_property
    def classes(self) -> list[str]:
        """The classes of its model."""
        return list(self.version.model.classes)

    def report(self, gate: Gate) -> Mapping[str, Any]:
        """The report of the file that the gate judges."""
        return self._variant(self.version.report, gate)

    def evaluation(self, gate: Gate) -> Mapping[str, Any]:
        """The evaluation of the file that the gate judges."""
        return self._variant(self.version.metrics, gate)

    def _variant(self, document: Mapping[str, Any], gate: Gate) -> Mapping[str, Any]:
        if not gate.variant:
            return document
        found = (document.get("variants") or {}).get(gate.variant)
        if gate.variant in self.version.proving:
            job = self.version.precisions_job_id
            raise Uncomputable(f"{gate.artifact} of {self.version} is still being proved by job {job}")
        if not isinstance(found, Mapping):
            raise Uncomputable(f"{self.version} has no {gate.artifact}")
        return found

    def predictions(self, gate: Gate) -> Predictions:
        """The predictions of the file that the gate judges. If the store is down, its error is raised."""
        return self.file(f"predictions.{gate.variant}.npz" if gate.variant else PREDICTIONS)

    def file(self, path: str = PREDICTIONS) -> Predictions:
        """The predictions in one of the version's files. Raises Uncomputable, and the store's error when it is down."""
        if path not in self._files:
            artifact = self.version.artifacts.filter(path=path).select_related("blob").first()
            if artifact is None:
                raise Uncomputable(f"{self.version} has no {path}")
            try:
                self._files[path] = self.metrics.predictions_type.read(store().get(artifact.blob.ref))
            except (BlobMissing, BlobCorrupt, ValueError) as fault:
                raise Uncomputable(f"{path} of {self.version} can't be read: {fault}") from fault
        return self._files[path]


def figures(gate: Gate, new: Evidence, base: Evidence | None) -> list[Figure]:
    """The gate's metric for each slice or class that it names. Raises Uncomputable if the slices can't be listed."""
    compute = _sampled if gate.confidence is not None else _shared if gate.against == BEST and base else _stored
    return [_told(compute, gate, name, new, base) for name in _targets(gate, new)]


def _told(
    compute: "Callable[[Gate, str, Evidence, Evidence | None], Figure]", gate: Gate, name: str, new: Evidence,
    base: Evidence | None,
) -> Figure:  # fmt: skip
    try:
        return compute(gate, name, new, base)
    except Uncomputable as reason:
        return Figure(name, fault=str(reason))


def _targets(gate: Gate, new: Evidence) -> Iterator[str]:
    asked = gate.slice or gate.class_name or ""
    if asked != EVERY:
        yield asked
    elif gate.class_name:
        yield from new.classes
    elif "slices" in new.evaluation(gate):
        yield from new.evaluation(gate)["slices"]
    else:
        raise Uncomputable(f"{new.version} was not evaluated by slice")


def _shared(gate: Gate, name: str, new: Evidence, base: Evidence | None) -> Figure:
    """The figure on the samples that both versions saw, with an interval that is shown and does not decide; from the
    stored evaluations where their predictions are not there."""
    try:
        return replace(_sampled(replace(gate, confidence=CONFIDENCE), name, new, base), by_interval=False)
    except Uncomputable:
        return _stored(gate, name, new, base)


def _stored(gate: Gate, name: str, new: Evidence, base: Evidence | None) -> Figure:
    """The figure from the stored evaluations, whatever data each was made on."""
    value, samples = _stored_value(gate, name, new)
    return Figure(name, value, _stored_value(gate, name, base)[0] if base else None, samples=samples)


def _stored_value(gate: Gate, name: str, of: Evidence) -> tuple[float, int | None]:
    samples = None
    if gate.metric in OF_THE_FILE:
        value = _file_figure(gate, of)
    else:
        part = _part(gate, name, of)
        value, samples = part.get(gate.metric), part.get("samples", part.get("support"))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Uncomputable(f"{of.version} has no {gate.metric}" + (f" of {name}" if name else ""))
    return value, samples


def _part(gate: Gate, name: str, of: Evidence) -> Mapping[str, Any]:
    """The whole evaluation, or that of the slice or class `name`."""
    evaluation = of.evaluation(gate)
    if not name:
        return evaluation
    kind = "slices" if gate.slice else "per_class"
    found = (evaluation.get(kind) or {}).get(name)
    if not isinstance(found, Mapping):
        raise Uncomputable(f"{of.version} was not evaluated on {'slice' if gate.slice else 'class'} {name!r}")
    if reason := found.get("not_computed"):
        raise Uncomputable(f"not computed for {of.version}: {reason}")
    return found


def _file_figure(gate: Gate, of: Evidence) -> Any:
    try:
        if gate.metric == "latency_ms":
            return of.evaluation(gate)["latency_ms"]["p95"]
        if gate.metric == "size_bytes":
            return of.report(gate)["bytes"]
        report = of.report(gate)
        return report["agreement"]["top1"] if gate.variant else report["parity"]["top1_agreement"]
    except (KeyError, TypeError):
        return None


def _sampled(gate: Gate, name: str, new: Evidence, base: Evidence | None) -> Figure:
    """The figure from predictions, with an interval; against a base, on common samples and the new version's slices."""
    assert gate.confidence is not None  # noqa: S101 - asked only then
    ours, index = new.predictions(gate), _class_index(gate, name, new)
    if not gate.class_name and gate.metric not in new.metrics.known(len(new.classes)):
        raise Uncomputable(f"{new.version} has no {gate.metric}: there are {len(new.classes)} classes")
    theirs = None
    if base:
        ours, theirs = common(ours, base.predictions(gate))
        if not len(ours):
            raise Uncomputable(f"{new.version} and {base.version} have no test sample in common")
    if gate.slice:
        held = ours.slices.get(name)
        if held is None or not held.any():
            _part(gate, name, new)
            raise Uncomputable(f"no test sample of slice {name!r}" + (" was seen by both versions" if base else ""))
        ours, theirs = ours.rows(held), theirs.rows(held) if theirs is not None else None
    if theirs is None:
        value = new.metrics.figure(gate.metric, ours, index)
        drawn = new.metrics.interval(gate.metric, ours, index, confidence=gate.confidence)
        found = Figure(name, value, interval=drawn)
    else:
        told = new.metrics.difference(gate.metric, ours, theirs, index, confidence=gate.confidence)
        found = Figure(name, told.value, told.base, told.interval)
    if found.value is None or (theirs is not None and found.base is None) or found.interval is None:
        raise Uncomputable(f"there is no {gate.metric} of {name} over {plural(len(ours), 'sample')}")
    return Figure(name, found.value, found.base, found.interval, samples=len(ours))


def _class_index(gate: Gate, name: str, new: Evidence) -> int | None:
    if gate.class_name is None:
        return None
    if name not in new.classes:
        raise Uncomputable(f"{new.version} knows no class {name!r}")
    return new.classes.index(name)
