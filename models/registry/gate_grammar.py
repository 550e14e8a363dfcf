"""The JSON format of gates: parse a document into a checked Gate."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from core.errors import Invalid
from tasktypes.model_parts import Metrics

CHECKS = ("parity", "tensorrt_ready", "engine_builds", "classes_trained", "above_baseline")
OF_THE_FILE = ("latency_ms", "size_bytes", "agreement")
"""Metrics of the file, not of samples: they have no interval."""
BOUNDS = ("min", "max", "min_delta", "max_delta")
ALIAS, BEST = "alias", "best"
"""What a difference is taken from: what the alias points to, or the best version that it has pointed to."""
MODEL = "model.onnx"
EVERY = "*"
WHOLE = (
    'must be {"check": one of ' + ", ".join(CHECKS) + '} or {"metric": .., one of "min", "max" or, against the version '
    'that the alias points to, "min_delta", "max_delta": ..}; "class", "slice", "confidence", "artifact" say of what, '
    '"against" ("alias", "best") which version a difference is from'
)


@dataclass(frozen=True, slots=True)
class Gate:
    """A check of the report, or a bound for a metric."""

    document: Mapping[str, Any]
    check: str = ""
    metric: str = ""
    bound: str = ""
    """The kind of bound, one of BOUNDS."""
    limit: float = 0.0
    class_name: str | None = None
    slice: str | None = None
    confidence: float | None = None
    artifact: str = MODEL
    against: str = ALIAS

    @property
    def relative(self) -> bool:
        """Whether the gate bounds the difference from another version."""
        return self.bound.endswith("_delta")

    @property
    def variant(self) -> str:
        """The precision of the file, `int8` for `model.int8.onnx`; empty for `model.onnx`."""
        return self.artifact.removeprefix("model").removesuffix(".onnx").strip(".")

    @property
    def name(self) -> str:
        """The gate's name in verdicts: `accuracy of slice night (model.int8.onnx)`."""
        words = self.check or self.metric
        words += "".join(f" of {kind} {name}" for kind, name in
                         (("class", self.class_name), ("slice", self.slice)) if name)  # fmt: skip
        return words + (f" ({self.artifact})" if self.variant else "")

    def holds(self, low: float, high: float) -> bool:
        """Whether the range from `low` to `high` is within the bound, with some slack for rounding errors."""
        slack = 1e-9 * max(1.0, abs(self.limit))
        return low >= self.limit - slack if self.bound.startswith("min") else high <= self.limit + slack

    @property
    def wanted(self) -> str:
        """The bound in words."""
        return f"{'at least' if self.bound.startswith('min') else 'at most'} {self.limit:g}"


def check_gates(gates: Sequence[Any], metrics: Metrics) -> list[dict[str, Any]]:
    """Return the gates as given. Raises Invalid naming the field that can't be read, or bounds nothing, like
    `gates.2.confidence`."""
    read = [read_gate(gate, metrics, field=f"gates.{index}") for index, gate in enumerate(gates)]
    for index, gate in enumerate(read):
        if not gate.check:
            _check_reach(gate, metrics, f"gates.{index}.{gate.bound}")
    return [dict(gate.document) for gate in read]


def slices_of(gates: Sequence[Any] | None) -> set[str]:
    """The slices that gates name; a gate on every slice names none."""
    named = (gate.get("slice") for gate in gates or () if isinstance(gate, Mapping))
    return {str(name) for name in named if name and name != EVERY}


def read_gate(document: Any, metrics: Metrics, *, field: str) -> Gate:
    """Parse one gate on the metrics of a task type. Raises Invalid naming the field below `field`."""
    if not isinstance(document, Mapping) or ("check" in document) == ("metric" in document):
        raise Invalid.field(field, WHOLE)
    check = "check" in document
    known = {"check", "artifact"} if check else {"metric", *BOUNDS, *_READERS}
    for name in document:
        if name not in known:
            raise Invalid.field(f"{field}.{name}", f"there is no such field here; there are {', '.join(sorted(known))}")
    given = {name: read(document[name], f"{field}.{name}") for name, read in _READERS.items() if name in document}
    if check:
        _one_of(document["check"], CHECKS, f"{field}.check")
        return Gate(document, check=document["check"], artifact=given.get("artifact", MODEL))
    metric = _one_of(document["metric"], _known(metrics), f"{field}.metric")
    bounds = [name for name in BOUNDS if name in document]
    if len(bounds) != 1:
        raise Invalid.field(field, f"needs exactly one of {', '.join(BOUNDS)}")
    gate = Gate(
        document,
        metric=metric,
        bound=bounds[0],
        limit=_number(document[bounds[0]], f"{field}.{bounds[0]}"),
        class_name=given.get("class"),
        slice=given.get("slice"),
        confidence=given.get("confidence"),
        artifact=given.get("artifact", MODEL),
        against=given.get("against", ALIAS),
    )
    _check_fits(gate, metrics, field)
    return gate


def _known(metrics: Metrics) -> list[str]:
    """The names of all metrics, each once: for some task types one is measured both over the whole and per class."""
    return list(dict.fromkeys((*metrics.whole, *metrics.of_class, *OF_THE_FILE)))


def _check_fits(gate: Gate, metrics: Metrics, field: str) -> None:
    """Raise Invalid where the parts of a gate contradict each other."""
    if gate.class_name is not None and gate.metric not in metrics.of_class:
        raise Invalid.field(f"{field}.class", f"only {', '.join(metrics.of_class)} are figures of a class")
    if gate.class_name is None and gate.metric in {*metrics.of_class} - {*metrics.whole}:
        words = f"{gate.metric} is a figure of one class: name it, or say {EVERY!r} for each of them"
        raise Invalid.field(f"{field}.class", words)
    if gate.slice is not None and gate.metric not in metrics.whole:
        raise Invalid.field(f"{field}.slice", f"only {', '.join(metrics.whole)} are told by slice")
    if "against" in gate.document and (not gate.relative or gate.metric in OF_THE_FILE):
        words = "goes with min_delta or max_delta of a figure of the test samples: leave it out"
        raise Invalid.field(f"{field}.against", words)
    if gate.confidence is not None and gate.metric in OF_THE_FILE:
        raise Invalid.field(f"{field}.confidence", f"{gate.metric} has no interval: leave it out")


def _check_reach(gate: Gate, metrics: Metrics, field: str) -> None:
    """Raise Invalid for a bound outside the range of its metric: it would hold always, or never."""
    low, high = _reach(gate.metric, metrics)
    if gate.relative:
        low, high = low - high, high - low
    if not low <= gate.limit <= high:
        what = f"the difference of two {gate.metric}" if gate.relative else gate.metric
        words = f"from {low:g} to {high:g}" if high < inf else f"{low:g} or more"
        example = ": 95 % is 0.95" if high == 1.0 else ""
        raise Invalid.field(field, f"must be {words}, since {what} never lies elsewhere{example}")


def _reach(metric: str, metrics: Metrics) -> tuple[float, float]:
    return (0.0, inf) if metric in {"latency_ms", "size_bytes"} else metrics.reach(metric)


def _one_of(value: Any, known: Sequence[str], field: str) -> str:
    if not isinstance(value, str) or value not in known:
        raise Invalid.field(field, f"must be one of {', '.join(known)}")
    return value


def _name(value: Any, field: str) -> str:
    if not isinstance(value, str) or not value:
        raise Invalid.field(field, f"must be a name, or {EVERY!r} for each")
    return value


def _number(value: Any, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < float("inf"):
        raise Invalid.field(field, "must be a number")
    return float(value)


def _confidence(value: Any, field: str) -> float:
    share = _number(value, field)
    if not 0.5 <= share <= 0.999:
        raise Invalid.field(field, "must be from 0.5 to 0.999: 0.95 holds 95 % of the resamples")
    return share


def _artifact(value: Any, field: str) -> str:
    if not isinstance(value, str) or not value.startswith("model.") or not value.endswith(".onnx"):
        raise Invalid.field(field, f"must be an ONNX file of a version, like {MODEL} or model.int8.onnx")
    return value


def _against(value: Any, field: str) -> str:
    return _one_of(value, (ALIAS, BEST), field)


_READERS: Mapping[str, Callable[[Any, str], Any]] = {
    "class": _name,
    "slice": _name,
    "confidence": _confidence,
    "artifact": _artifact,
    "against": _against,
}
