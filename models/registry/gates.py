"""Gates: what a version must show before an alias may point to it. A gate that can't be computed fails."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from core.errors import Invalid
from registry.models import ModelVersion

DEFAULT_GATES: list[dict[str, Any]] = [
    {"check": "parity"},
    {"check": "tensorrt_ready"},
    {"metric": "accuracy", "min_delta": -0.01},
]


@dataclass(frozen=True, slots=True)
class GateResult:
    """One gate's verdict, with its numbers in words."""

    gate: str
    passed: bool
    detail: str

    def document(self) -> dict[str, Any]:
        return asdict(self)


def check_gates(gates: Sequence[Any]) -> list[dict[str, Any]]:
    """The gates as given, or Invalid naming the one that can't be read."""
    for index, gate in enumerate(gates):
        well = isinstance(gate, Mapping) and (
            (set(gate) == {"check"} and gate["check"] in CHECKS)
            or (set(gate) in ({"metric", "min"}, {"metric", "min_delta"}) and isinstance(gate["metric"], str))
        )
        if not well:
            raise Invalid.field(
                f"gates.{index}",
                f'must be {{"check": one of {", ".join(CHECKS)}}}, {{"metric": .., "min": ..}} or '
                '{"metric": .., "min_delta": ..} (against the version the alias points to)',
            )
    return [dict(gate) for gate in gates]


def judge(
    version: ModelVersion, gates: Sequence[Mapping[str, Any]], *, against: ModelVersion | None
) -> list[GateResult]:
    """The verdict of each gate on `version`; `against` is what the alias points to now."""
    return [_judge(version, gate, against) for gate in gates]


def _judge(version: ModelVersion, gate: Mapping[str, Any], against: ModelVersion | None) -> GateResult:
    if "check" in gate:
        return _check(version, gate["check"])
    metric = gate["metric"]
    value = version.metrics.get(metric)
    if not isinstance(value, int | float):
        return GateResult(metric, passed=False, detail=f"{version} has no {metric}: the gate can't be computed")
    if "min" in gate:
        return GateResult(metric, passed=value >= gate["min"], detail=f"{value:.4f}, at least {gate['min']} wanted")
    if against is None:
        return GateResult(metric, passed=True, detail=f"{value:.4f}; the alias points to nothing yet")
    base = against.metrics.get(metric)
    if not isinstance(base, int | float):
        return GateResult(metric, passed=False, detail=f"{against} has no {metric}: the gate can't be computed")
    detail = f"{value:.4f} against {base:.4f} of v{against.number}; the difference must be at least {gate['min_delta']}"
    return GateResult(metric, passed=value - base >= gate["min_delta"], detail=detail)


def _check(version: ModelVersion, name: str) -> GateResult:
    try:
        passed, detail = CHECKS[name](version.report)
    except (KeyError, TypeError):
        lacking = f"the report of {version} lacks {name}: the gate can't be computed"
        return GateResult(name, passed=False, detail=lacking)
    return GateResult(name, passed=passed, detail=detail)


def _parity(report: Mapping[str, Any]) -> tuple[bool, str]:
    """The ONNX file answers as the torch network did."""
    parity = report["parity"]
    words = f"at most {parity['max_abs_error']:.1e} from torch over {parity['samples']} samples"
    return bool(parity["passed"]), f"{words}, top-1 agreement {parity['top1_agreement']:.2%}"


def _tensorrt_ready(report: Mapping[str, Any]) -> tuple[bool, str]:
    """Every static check of the TensorRT contract holds."""
    failing = [problem for check in report["checks"] if not check["passed"] for problem in check["problems"]]
    return not failing, "; ".join(failing) or f"{len(report['checks'])} checks hold"


CHECKS: dict[str, Callable[[Mapping[str, Any]], tuple[bool, str]]] = {
    "parity": _parity,
    "tensorrt_ready": _tensorrt_ready,
}
