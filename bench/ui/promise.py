"""A measured figure beside what was promised of it."""

from collections.abc import Callable

from bench.versioning.table import Line


def at_most(what: str, promised: float, measured: float, words: Callable[[float], str], *, binds: bool = True) -> Line:
    """Less is better. Without `binds` the promise stands beside it only for comparison."""
    return Line(what, f"<= {words(promised)}", words(measured), promised / max(measured, 1e-9), 1.0 if binds else None)


def at_least(what: str, promised: float, measured: float, words: Callable[[float], str]) -> Line:
    """More is better."""
    return Line(what, f">= {words(promised)}", words(measured), measured / promised, 1.0)


def milliseconds(value: float) -> str:
    return f"{value:.1f} ms"


def per_second(value: float) -> str:
    return f"{value:.0f} fps"


def plain(value: float) -> str:
    return f"{value:.0f}"
