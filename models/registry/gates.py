"""Gates: what a version must show before an alias may point to it. A gate that can't be computed fails."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from core.errors import Invalid
from registry.evidence import Evidence, Figure, Uncomputable, figures
from registry.gate_grammar import ALIAS, BEST, CHECKS, Gate, check_gates, read_gate
from registry.models import Model, ModelVersion
from registry.training_data import baseline_words, few_samples, stored_few, training_warnings, untrained
from tasktypes import names as task_types
from tasktypes.baseline import baseline
from tasktypes.bootstrap import CONFIDENCE
from tasktypes.model_parts import CLASSES
from worker_programs.wording import plural

__all__ = ["CHECKS", "GateResult", "check_gates", "default_gates", "judge"]

NAMED = 10
"""The most failing slices or classes that a verdict names one by one."""
NOTHING_YET = "the alias points to nothing yet"
NOISE = "noise"
"""The lock's `proved_on` for an uploaded version that was proved without real samples."""


def default_gates(model: Model) -> list[dict[str, Any]]:
    """The gates of a model without its own: proved, ready, trained on every class, better than always giving the
    commonest answer, and at most a point worse than the best version so far."""
    names = ("parity", "tensorrt_ready", "classes_trained", "above_baseline")
    checks: list[dict[str, Any]] = [{"check": name} for name in names]
    if model.task not in task_types():
        return checks  # its task type is installed no more: lists of models are shown all the same
    return [*checks, {"metric": model.task_type.metrics.headline, "min_delta": -0.01, "against": BEST}]


@dataclass(frozen=True, slots=True)
class GateResult:
    """One gate's verdict: in words, and with the numbers that decided it (of the slice or class that is worst off)."""

    gate: str
    passed: bool
    detail: str
    value: float | None = None
    base: float | None = None
    interval: tuple[float, float] | None = None
    """The interval of the value, or of value - base where there is a base."""
    failing: list[dict[str, Any]] = field(default_factory=list)
    """The failing slices or classes of a gate on these, with their numbers, or with `fault` where there are none."""

    def document(self) -> dict[str, Any]:
        return asdict(self)


def judge(
    version: ModelVersion, gates: Sequence[Mapping[str, Any]], *, against: ModelVersion | None
) -> list[GateResult]:
    """Judge `version` by each gate; `against` is the version that the alias points to. Reads the object store."""
    return judge_evidence(Evidence(version), gates, against=Evidence(against) if against else None)


def judge_evidence(
    new: Evidence,
    gates: Sequence[Mapping[str, Any]],
    *,
    against: Evidence | None,
    best: Callable[[], Evidence | None] = lambda: None,
) -> list[GateResult]:
    """Like `judge`, with evidence that may already be partly read. `best` finds the best version that the alias has
    pointed to, for gates that ask for it; where there is none they take `against`."""
    found = best() if any(isinstance(gate, Mapping) and gate.get("against") == BEST for gate in gates) else None
    bases = {ALIAS: against, BEST: found or against}
    return [_judge(document, index, new, bases) for index, document in enumerate(gates)]


def _judge(document: Mapping[str, Any], index: int, new: Evidence, bases: Mapping[str, Evidence | None]) -> GateResult:
    try:
        gate = read_gate(document, new.metrics, field=f"gates.{index}")
    except Invalid as fault:
        return GateResult(str(document), passed=False, detail=f"the gate can't be read: {fault.detail}")
    try:
        if gate.check:
            return _check(gate, new)
        against = bases[gate.against]
        if gate.relative and against is None and (gate.slice or gate.class_name):
            return GateResult(gate.name, passed=True, detail=NOTHING_YET)
        return _bound(gate, figures(gate, new, against if gate.relative else None), against)
    except Uncomputable as reason:
        return GateResult(gate.name, passed=False, detail=f"{reason}: the gate can't be computed")


def _bound(gate: Gate, found: list[Figure], against: Evidence | None) -> GateResult:
    if not found:
        return GateResult(gate.name, passed=True, detail="there are no slices")
    refused = [one for one in found if one.fault or not _holds(gate, one)]
    worst = min(refused or found, key=lambda one: _room(gate, one))
    base = against.version if gate.relative and against else None
    words = [_words(gate, one, base) for one in (refused or [worst])[:NAMED]]
    if len(refused) > NAMED:
        words.append(f"and {len(refused) - NAMED} more")
    if not refused and len(found) > 1:
        words = [f"{len(found)} hold; nearest to the bound is {words[0]}"]
    named = [one.document() for one in refused if one.name]
    detail = "; ".join(words) + ("" if worst.fault and len(refused) == 1 else f"; {_wanted(gate, against)}")
    return GateResult(gate.name, not refused, detail, worst.value, worst.base, worst.interval, named)


def _holds(gate: Gate, one: Figure) -> bool:
    """Whether the figure is within the gate's bound; a relative gate with nothing to compare to holds."""
    return (gate.relative and one.base is None) or gate.holds(*one.span)


def _room(gate: Gate, one: Figure) -> float:
    """How far a figure is inside the bound; one that can't be computed is furthest outside."""
    if one.fault:
        return float("-inf")
    low, high = one.span
    return low - gate.limit if gate.bound.startswith("min") else gate.limit - high


def _wanted(gate: Gate, against: Evidence | None) -> str:
    if gate.relative and against is None:
        return NOTHING_YET
    best = " from the best version that the alias has pointed to" if gate.against == BEST else ""
    share = f" with {gate.confidence:.0%} confidence" if gate.confidence is not None else ""
    return f"the difference{best} must be {gate.wanted}{share}" if gate.relative else f"{gate.wanted} wanted{share}"


def _words(gate: Gate, one: Figure, base: ModelVersion | None) -> str:
    """A figure as a sentence: `night: 0.8100 against 0.9000 of v1 over 200 samples, difference -0.0900 (..)`."""
    name = f"{one.name}: " if one.name else ""
    if one.fault:
        return f"{name}{one.fault}: the gate can't be computed"
    words = f"{name}{_shown(one.value)}"
    if base and one.base is not None:
        words += f" against {_shown(one.base)} of v{base.number}"
    if one.samples is not None and (one.name or one.interval is not None):
        words += f" over {plural(one.samples, 'sample')}"
    if one.interval is not None:
        low, high = one.interval
        told = f"difference {(one.value or 0) - one.base:+.4f}, " if one.base is not None else ""
        words += f" ({told}{gate.confidence or CONFIDENCE:.0%} interval {low:.4f} to {high:.4f})"
    elif one.base is not None and (one.name or gate.against == BEST):
        words += f" (difference {(one.value or 0) - one.base:+.4f})"
    return words


def _shown(value: float | None) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


def _check(gate: Gate, new: Evidence) -> GateResult:
    if gate.check in _OF_THE_MODEL:
        passed, detail = _OF_THE_MODEL[gate.check](gate, new)
        return GateResult(gate.name, passed=passed, detail=detail)
    if gate.check == "parity" and new.version.lock.get("proved_on") == NOISE:
        raise Uncomputable(f"{new.version} was proved on noise alone, for it was uploaded without a dataset")
    try:
        passed, detail = _CHECKS[gate.check](new.report(gate))
    except (KeyError, TypeError, AttributeError):
        raise Uncomputable(f"the report of {new.version} lacks {gate.check}") from None
    return GateResult(gate.name, passed=passed, detail=detail)


def _parity(report: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether the ONNX file answers as its reference does (torch, or the runtime without optimisations)."""
    parity = report["parity"]
    reference = parity.get("reference", "torch")
    words = f"at most {parity['max_abs_error']:.1e} from {reference} over {plural(parity['samples'], 'sample')}"
    return bool(parity["passed"]), f"{words}, top-1 agreement {parity['top1_agreement']:.2%}"


def _tensorrt_ready(report: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether every static check of the TensorRT contract holds."""
    failing = [problem for check in report["checks"] if not check["passed"] for problem in check["problems"]]
    held = all(check["passed"] for check in report["checks"])
    return held, "; ".join(failing) or f"{len(report['checks'])} checks {'hold' if held else 'do not all hold'}"


def _engine_builds(report: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether NVIDIA's own builder made an engine of the file. Without the builder nothing is proved."""
    found = report["tensorrt"]
    if isinstance(found, str):
        return False, f"the engine is {found}"
    built = ", ".join(engine["architecture"] for engine in found.get("engines") or [] if engine["built"])
    if found["status"] == "verified":
        return True, f"built for {built}" if built else "the engine is verified"
    reason = found.get("reason")
    return False, f"the engine is {found['status']}" + (f": {reason}" if reason else "")


def _classes_trained(gate: Gate, new: Evidence) -> tuple[bool, str]:  # noqa: ARG001 - the same for each file
    """Whether every class had a labelled sample to learn from."""
    version, few = new.version, stored_few(new.version.metrics)
    if version.run is None:
        return True, f"no training of this platform made {version}: what its classes were learned from is not known"
    if few is None:
        few = few_samples(version.run.version, new.classes)
    if none := untrained(few):
        return False, training_warnings(dict.fromkeys(none, 0), of=str(version.run.version))[0].detail
    return True, f"each of {plural(len(new.classes), 'class', 'classes')} has labelled samples in split train"


def _above_baseline(gate: Gate, new: Evidence) -> tuple[bool, str]:
    """Whether the model is right more often than the commonest answer always given."""
    if new.version.model.task_type.outputs.form != CLASSES:
        return True, f"{new.version.model.task} has no commonest answer to compare with"
    try:
        found = baseline(new.predictions(gate))
    except Uncomputable as reason:  # earlier releases kept figures alone, and the other gates judge those
        return True, f"{reason}: it was not compared with always giving the commonest answer"
    if found is None:
        return True, "all test samples have the same label: no model can be right more often"
    return found.beaten, baseline_words(found)


_OF_THE_MODEL: dict[str, Callable[[Gate, Evidence], tuple[bool, str]]] = {
    "classes_trained": _classes_trained,
    "above_baseline": _above_baseline,
}
_CHECKS: dict[str, Callable[[Mapping[str, Any]], tuple[bool, str]]] = {
    "parity": _parity,
    "tensorrt_ready": _tensorrt_ready,
    "engine_builds": _engine_builds,
}
