"""Two versions of a model side by side, on the test samples that both were evaluated on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from registry.evidence import Evidence, Uncomputable
from registry.models import ModelVersion
from tasktypes.model_parts import Metrics
from tasktypes.predictions import Predictions, common

DRAWN_CLASSES = 100
"""The most classes whose differences get intervals: drawing more would take seconds."""
MATRIX_CLASSES = 200
Figures = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pair:
    """The predictions of two versions for the same samples, row by row; `whole`: neither was evaluated on more."""

    a: Predictions
    b: Predictions
    whole: bool

    def among(self, rows: NDArray[np.bool_]) -> "Pair":
        """The pair restricted to the samples that `rows` selects."""
        return Pair(self.a.rows(rows), self.b.rows(rows), self.whole)


def compared(a: ModelVersion, b: ModelVersion) -> dict[str, Any]:
    """Compare version `b` with version `a`: each delta is b - a.

    Where the predictions of both are kept, figures and deltas are those on their common samples, with 95 % intervals of
    the deltas; else they are the stored figures of each, and `note` says why.
    """
    pair, note = _pair(a, b)
    return {
        "a": _side(a),
        "b": _side(b),
        "common": None if pair is None else len(pair.a),
        "note": note,
        "metrics": _whole(a, a.metrics, b.metrics, pair),
        "per_class": _per_class(a, b, pair),
        "slices": _slices(a, b, pair),
        "confusion": _confusion(a, b, pair),
        "changed": None if pair is None else _changed(pair),
        "costs": _costs(a, b),
    }


def _changed(pair: Pair) -> dict[str, int]:
    """Count the samples that only one of the two versions predicted right in every part."""
    a, b = pair.a.right, pair.b.right
    return {"better": int((b & ~a).sum()), "worse": int((a & ~b).sum())}


def _side(version: ModelVersion) -> dict[str, Any]:
    data = version.dataset_version
    return {
        "version": version.number,
        "architecture": version.architecture,
        "dataset": data.dataset.name if data else None,
        "dataset_version": data.number if data else None,
        "run": version.run_id,
        "samples": version.metrics.get("samples"),
        "created": version.created,
    }


def _pair(a: ModelVersion, b: ModelVersion) -> tuple[Pair | None, str | None]:
    """Return the predictions on the common samples, or None, and a note that limits the comparison, if any."""
    try:
        asked_a, asked_b = Evidence(a).file(), Evidence(b).file()
    except Uncomputable as reason:
        return None, f"{reason}: these are the figures of each evaluation, and no intervals"
    said_b, said_a = common(asked_b, asked_a)
    if not len(said_a):
        return None, "no test sample was asked of both: these are the figures of each evaluation, and no intervals"
    whole = len(said_a) == len(asked_a) == len(asked_b)
    told = f"on the {len(said_a)} test samples that both were asked, of {len(asked_a)} and {len(asked_b)}"
    return Pair(said_a, said_b, whole), None if whole else told


def _whole(version: ModelVersion, a: Figures, b: Figures, pair: Pair | None) -> list[dict[str, Any]]:
    metrics = version.model.task_type.metrics
    return [_metric(metrics, name, a, b, pair) for name in metrics.known(len(version.model.classes))]


def _metric(
    metrics: Metrics, name: str, a: Figures, b: Figures, pair: Pair | None, *, index: int | None = None
) -> dict[str, Any]:
    """One metric of both versions; each one's own interval is the stored one, if it is for these samples."""
    found: dict[str, Any] = {"name": name, "a": a.get(name), "b": b.get(name), "interval": None}
    if pair is not None:
        told = metrics.difference(name, pair.b, pair.a, index)
        found |= {"a": told.base, "b": told.value, "interval": told.interval}
    own = pair is None or pair.whole
    delta = _minus(found["b"], found["a"])
    return found | {
        "delta": delta,
        "a_interval": (a.get("intervals") or {}).get(name) if own else None,
        "b_interval": (b.get("intervals") or {}).get(name) if own else None,
        "better": _better(found["interval"], lower=name in metrics.lower_is_better),
    }


def _minus(left: Any, right: Any) -> float | None:
    return left - right if isinstance(left, int | float) and isinstance(right, int | float) else None


def _better(interval: tuple[float, float] | None, *, lower: bool) -> str | None:
    """Which version is better beyond chance (`a` or `b`), given the interval of the delta; None if neither is."""
    if interval is None or interval[0] <= 0 <= interval[1]:
        return None
    return "b" if (interval[0] > 0) != lower else "a"


def _per_class(a: ModelVersion, b: ModelVersion, pair: Pair | None) -> list[dict[str, Any]]:
    classes, metrics = a.model.classes, a.model.task_type.metrics
    drawn = pair if len(classes) <= DRAWN_CLASSES else None
    stored_a, stored_b = a.metrics.get("per_class") or {}, b.metrics.get("per_class") or {}
    found = []
    for index, name in enumerate(classes):
        of_a, of_b = stored_a.get(name) or {}, stored_b.get(name) or {}
        support = metrics.support(pair.a, index) if pair else of_b.get("support", of_a.get("support"))
        told = [_metric(metrics, metric, of_a, of_b, drawn, index=index) for metric in metrics.of_class]
        found.append({"name": name, "support": support, "metrics": told})
    return found


def _slices(a: ModelVersion, b: ModelVersion, pair: Pair | None) -> list[dict[str, Any]]:
    """Compare by slice, with the slices of `b` as they were at its evaluation, or those of `a` where `b` has none."""
    stored_a, stored_b = a.metrics.get("slices") or {}, b.metrics.get("slices") or {}
    found = []
    for name in sorted(stored_a.keys() | stored_b.keys()):
        of_a, of_b = stored_a.get(name) or {}, stored_b.get(name) or {}
        part, reason = _slice(name, pair)
        samples = len(part.a) if part else of_b.get("samples", of_a.get("samples"))
        why = of_b.get("not_computed") or of_a.get("not_computed") or reason
        metrics = _whole(a, of_a, of_b, part) if pair is None or part else []
        found.append({"name": name, "samples": samples, "not_computed": None if metrics else why, "metrics": metrics})
    return found


def _slice(name: str, pair: Pair | None) -> tuple[Pair | None, str | None]:
    if pair is None:
        return None, None
    rows = pair.b.slices.get(name, pair.a.slices.get(name))
    if rows is None or not rows.any():
        return None, "no test sample that both were asked is in it"
    return pair.among(rows), None


def _confusion(a: ModelVersion, b: ModelVersion, pair: Pair | None) -> dict[str, Any] | None:
    """The confusion matrices `[true][predicted]` of both and b - a; None for many classes, for several classes a
    sample, or where a version has no matrix."""
    classes = a.model.classes
    if len(classes) > MATRIX_CLASSES:
        return None
    if pair is not None:
        metrics = a.model.task_type.metrics
        of_a, of_b = (metrics.confusion(side, len(classes)) for side in (pair.a, pair.b))
    elif a.metrics.get("confusion") and b.metrics.get("confusion"):
        of_a, of_b = (np.array(side.metrics["confusion"], np.int64) for side in (a, b))
    else:
        return None
    if of_a is None or of_b is None:
        return None
    return {"classes": classes, "a": of_a.tolist(), "b": of_b.tolist(), "delta": (of_b - of_a).tolist()}


def _costs(a: ModelVersion, b: ModelVersion) -> list[dict[str, Any]]:
    """The size and speed of the files of both versions, the variants after `model.onnx`."""
    variants = sorted((a.metrics.get("variants") or {}).keys() | (b.metrics.get("variants") or {}).keys())
    found = []
    for variant in ("", *variants):
        sides = _cost(a, variant), _cost(b, variant)
        for name in ("size_bytes", "latency_p50_ms", "latency_p95_ms", "images_per_second"):
            of_a, of_b = (side.get(name) for side in sides)
            artifact = f"model.{variant}.onnx" if variant else "model.onnx"
            row = {"artifact": artifact, "name": name, "a": of_a, "b": of_b, "delta": _minus(of_b, of_a)}
            found += [row] if of_a is not None or of_b is not None else []
    return found


def _cost(version: ModelVersion, variant: str) -> dict[str, Any]:
    metrics = (version.metrics.get("variants") or {}).get(variant) or {} if variant else version.metrics
    report = (version.report.get("variants") or {}).get(variant) or {} if variant else version.report
    latency, speed = metrics.get("latency_ms") or {}, metrics.get("images_per_second")
    return {
        "size_bytes": report.get("bytes"),
        "latency_p50_ms": latency.get("p50"),
        "latency_p95_ms": latency.get("p95"),
        "images_per_second": speed.get("evaluate") if isinstance(speed, Mapping) else speed,
    }
