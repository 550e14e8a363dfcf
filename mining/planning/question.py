"""Reading a question: every wrong input is named, with its fix, and all of them at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from planning.examples import EXAMPLES
from planning.quantities import CURRENCY_LENGTH, GROUPS, MOST_SETUPS, NAME_LENGTH, SETUP, TARGET_DAYS, PlanError
from planning.sources import GIVEN, Source

FLEET = tuple(f"fleet.{name}" for name in GROUPS["fleet"])
DATA = ("data.terabytes", "data.images")


@dataclass(frozen=True, slots=True)
class Setup:
    """A training setup: which architecture trains on which machine, how fast one machine is, and how many there are."""

    architecture: str
    machine: str
    images_per_second: float | None
    terabytes_per_day: float | None
    epochs: float | None
    machines: int
    source: Source


@dataclass(frozen=True, slots=True)
class Question:
    """The inputs of a plan: values by name (`fleet.days`, `target_days`), each with its source."""

    values: Mapping[str, tuple[float, Source]]
    setups: tuple[Setup, ...] = ()
    currency: str = ""
    example: str | None = None
    as_printed: bool = False
    """Whether fleet, data and setups are the example's own, so that its printed figures can stand beside the computed
    ones."""


def read(document: Mapping[str, Any]) -> Question:
    """Read a question from JSON or YAML: `{"fleet": {"vehicles": 100, ..}, "training": [..], ..}`. With `example` it
    starts from a named example, whose values the given ones replace. Raises PlanError."""
    faults: dict[str, list[str]] = {}
    given = _numbers(document, faults)
    setups = _setups(document.get("training"), GIVEN, faults)
    currency = _text(document.get("currency", ""), "currency", CURRENCY_LENGTH, faults)
    name = document.get("example")
    if name is not None and (not isinstance(name, str) or name not in EXAMPLES):
        faults["example"] = [f"there is no example {name!r}; there are {', '.join(EXAMPLES)}"]
    if not faults and name is None:
        faults |= _contradictions(given)
    if faults:
        raise PlanError(faults)
    return _started(given, setups, currency, name)


def _started(given: dict[str, float], setups: tuple[Setup, ...], currency: str, name: str | None) -> Question:
    """Complete the given values with those of the example."""
    values = {field: (value, GIVEN) for field, value in given.items()}
    if name is None:
        return Question(values, setups, currency)
    example = EXAMPLES[name]
    source = Source("example", f"of the example: {example.source}")
    theirs: dict[str, list[str]] = {}
    base = _numbers(example.question, theirs)
    replaced = {*FLEET} if any(field in given for field in DATA[:1]) else set()
    replaced |= {*DATA} if any(field in given for field in FLEET) else set()
    kept = {field: (value, source) for field, value in base.items() if field not in replaced}
    as_printed = not setups and not any(field.startswith(("fleet.", "data.")) for field in given)
    setups = setups or _setups(example.question.get("training"), source, theirs)
    started = kept | values
    if faults := _contradictions({field: value for field, (value, _) in started.items()}):
        raise PlanError(faults)
    return Question(started, setups, currency, name, as_printed)


def _numbers(document: Mapping[str, Any], faults: dict[str, list[str]]) -> dict[str, float]:
    """Read all numbers of the groups, and the target. Null counts as left out."""
    known = {*GROUPS, "training", "target_days", "currency", "example"}
    for name in document.keys() - known:
        faults[str(name)] = [f"is not a field here; there are {', '.join(sorted(known))}"]
    found: dict[str, float] = {}
    for group, quantities in GROUPS.items():
        told = document.get(group) or {}
        if not isinstance(told, Mapping):
            faults[group] = [f"must be an object with {', '.join(quantities)}"]
            continue
        for name, value in told.items():
            if (quantity := quantities.get(name)) is None:
                faults[f"{group}.{name}"] = [f"is not a field here; there are {', '.join(quantities)}"]
            elif value is not None:
                _take(found, f"{group}.{name}", value, quantity.fault(value), faults)
    if (target := document.get("target_days")) is not None:
        _take(found, "target_days", target, TARGET_DAYS.fault(target), faults)
    return found


def _take(found: dict[str, float], name: str, value: Any, fault: str | None, faults: dict[str, list[str]]) -> None:
    if fault is None:
        found[name] = float(value)
    else:
        faults[name] = [fault]


def _setups(told: Any, source: Source, faults: dict[str, list[str]]) -> tuple[Setup, ...]:
    if told is None:
        return ()
    if not isinstance(told, list | tuple) or len(told) > MOST_SETUPS:
        faults["training"] = [f"must be a list of at most {MOST_SETUPS} setups"]
        return ()
    return tuple(_setup(one, f"training.{at}", source, faults) for at, one in enumerate(told))


def _setup(told: Any, at: str, source: Source, faults: dict[str, list[str]]) -> Setup:
    words = {"architecture", "machine"}
    if not isinstance(told, Mapping):
        faults[at] = [f"must be an object with {', '.join([*sorted(words), *SETUP])}"]
        told = {}
    found: dict[str, float] = {}
    for name, value in told.items():
        if (quantity := SETUP.get(name)) is not None and value is not None:
            _take(found, f"{at}.{name}", value, quantity.fault(value), faults)
        elif quantity is None and name not in words:
            faults[f"{at}.{name}"] = [f"is not a field here; there are {', '.join([*sorted(words), *SETUP])}"]
    texts = {name: _text(told.get(name) or "", f"{at}.{name}", NAME_LENGTH, faults) for name in words}
    paces = [told.get(name) is not None for name in ("images_per_second", "terabytes_per_day")]
    if at not in faults and sum(paces) != 1:
        fix = "give `images_per_second` or `terabytes_per_day`" if not any(paces) else "leave out `terabytes_per_day`"
        faults.setdefault(f"{at}.images_per_second", []).append(f"one pace is needed, not {sum(paces)}: {fix}")
    return Setup(
        texts["architecture"], texts["machine"],
        found.get(f"{at}.images_per_second"), found.get(f"{at}.terabytes_per_day"),
        found.get(f"{at}.epochs"), int(found.get(f"{at}.machines", 1)), source,
    )  # fmt: skip


def _text(value: Any, name: str, most: int, faults: dict[str, list[str]]) -> str:
    if not isinstance(value, str) or len(value) > most or not value.isprintable():
        faults[name] = [f"must be text of at most {most} characters"]
        return ""
    return value.strip()


def _contradictions(given: Mapping[str, float]) -> dict[str, list[str]]:
    """Return the fields that contradict each other, and those that are missing beside others."""
    faults: dict[str, list[str]] = {}
    fleet = [field for field in FLEET if field in given]
    if fleet and len(fleet) < len(FLEET):
        for field in FLEET:
            if field not in given:
                faults[field] = ["is missing: a fleet needs all five of its numbers"]
    if fleet and "data.terabytes" in given:
        faults["data.terabytes"] = ["the fleet says how much is kept already: leave out one of them"]
    if (fleet or "data.terabytes" in given) and {"data.images", "data.image_bytes"} <= given.keys():
        faults["data.image_bytes"] = ["follows from `data.images` and the data that are kept: leave out one of them"]
    if {"labeling.labels", "labeling.share"} <= given.keys():
        faults["labeling.share"] = ["`labeling.labels` says how many already: leave out one of them"]
    if "prices.terabyte_month" in given and "prices.months" not in given:
        faults["prices.months"] = ["is missing: say for how many months the data are stored, such as 12"]
    return faults
