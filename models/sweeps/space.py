"""The space of a sweep: settings of a training, each with choices or a range, checked against what can be trained."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from core.errors import Invalid
from registry.services import RunSpec, check_spec, require_architecture

MOST_SETTINGS, MOST_CHOICES = 20, 100
BETWEEN = 0.381966
"""A fraction of a range that is no whole number of steps, to test whether a setting takes fractions."""

Space = Mapping[str, Mapping[str, Any]]
Try = Callable[[Mapping[str, Any]], None]


def settings_at(
    architecture: str, config: Mapping[str, Any], seed: int, params: Mapping[str, Any], *, notes: str = ""
) -> RunSpec:
    """The spec of a run at a point of the space: the base settings overridden by `params`."""
    parts: dict[str, dict[str, Any]] = {part: dict(fields) for part, fields in config.items()}
    for name, value in params.items():
        part, dot, field = name.partition(".")
        if dot:
            parts.setdefault(part, {})[field] = value
    chosen, drawn = params.get("architecture", architecture), params.get("seed", seed)
    return RunSpec(chosen, parts, seed=drawn, prove=False, notes=notes)


def check_space(
    space: Mapping[str, Mapping[str, Any]], architecture: str, config: Mapping[str, Any], *, task: str
) -> dict[str, dict[str, Any]]:
    """Check the space and add `whole` to each range. Raises Invalid naming the setting as `space.<setting>`.

    What is searched is not set in `config` too. Every choice and both ends of every range are tried on the base
    settings, each with every architecture of the space; other combinations that can't go together fail as trials.
    """
    if not 1 <= len(space) <= MOST_SETTINGS:
        raise Invalid.field("space", f"wants 1 to {MOST_SETTINGS} settings to search, like recipe.learning_rate")
    for name in space:
        _check_name(name)
        part, _, rest = name.partition(".")
        if rest in config.get(part, {}):
            raise Invalid.field(f"space.{name}", "is set in `config` too: search it or set it, not both")
    families = space.get("architecture", {}).get("choices", [architecture])

    def tried(params: Mapping[str, Any]) -> None:
        for family in families:
            require_architecture(family, field="")
            spec = settings_at(architecture, config, 0, {"architecture": family, **params})
            check_spec(spec, task=task)

    return {name: _checked(name, told, tried) for name, told in space.items()}


def _checked(name: str, told: Mapping[str, Any], tried: Try) -> dict[str, Any]:
    try:
        return (_checked_choices if "choices" in told else _checked_range)(name, told, tried)
    except Invalid as fault:
        words = fault.errors.get("") or [text for texts in fault.errors.values() for text in texts]
        field = f"space.{name}"
        raise Invalid(f"{field}: {'; '.join(words)}", errors={field: words}) from fault


def _check_name(name: str) -> None:
    part, _, rest = name.partition(".")
    if name in {"architecture", "seed"} or (part in {"recipe", "params"} and rest):
        if name == "recipe.seed":
            raise Invalid.field(f"space.{name}", "is the seed of the run: search `seed`")
        return
    raise Invalid.field(
        f"space.{name}",
        "can't be searched: name architecture, seed, recipe.<field> or params.<field> of a run's config",
    )


def _checked_choices(name: str, told: Mapping[str, Any], tried: Try) -> dict[str, Any]:
    if extra := sorted(set(told) - {"choices"}):
        raise Invalid.field("", f"has choices, so it takes no {', '.join(extra)}")
    choices = told["choices"]
    if not isinstance(choices, list) or not 1 <= len(choices) <= MOST_CHOICES:
        raise Invalid.field("", f"wants a list of 1 to {MOST_CHOICES} choices")
    for place, choice in enumerate(choices):
        if not isinstance(choice, str | int | float | bool | None):
            raise Invalid.field("", f"choice {place + 1} must be text, a number, true, false or null")
        if any(choice == other and type(choice) is type(other) for other in choices[:place]):
            raise Invalid.field("", f"{choice!r} is named twice")
        if name == "architecture" and not isinstance(choice, str):
            raise Invalid.field("", f"{choice!r} is not an architecture: name them in text")
        _try(name, choice, tried)
    return {"choices": choices}


def _checked_range(name: str, told: Mapping[str, Any], tried: Try) -> dict[str, Any]:
    if extra := sorted(set(told) - {"low", "high", "step", "log"}):
        raise Invalid.field("", f"knows no {', '.join(extra)}: say choices, or low and high, with step or log")
    if name == "architecture":
        raise Invalid.field("", "wants choices, not a range")
    low, high, log = _number(told, "low"), _number(told, "high"), told.get("log", False)
    step = None if told.get("step") is None else _number(told, "step")
    if low >= high:
        raise Invalid.field("", f"low ({low}) must be less than high ({high})")
    if step is not None and not 0 < step <= high - low:
        raise Invalid.field("", f"step must be above 0, and at most high - low ({high - low:g})")
    if not isinstance(log, bool):
        raise Invalid.field("", "log must be true or false")
    if log and (low <= 0 or step is not None):
        raise Invalid.field("", "on a log scale low must be above 0, and there is no step")
    _try(name, low, tried)
    _try(name, high, tried)
    whole = name == "seed" or not _takes_fractions(name, low + (high - low) * BETWEEN, tried)
    if whole and not all(isinstance(number, int) for number in (low, high, step or 1)):
        raise Invalid.field("", "takes whole numbers: so must low, high and step be")
    return {"low": low, "high": high, "step": step, "log": log, "whole": whole}


def _number(told: Mapping[str, Any], word: str) -> int | float:
    number = told.get(word)
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise Invalid.field("", f"wants a number as {word}")
    return number


def _try(name: str, value: Any, tried: Try) -> None:
    """Raise Invalid for a value that no run takes. A seed is not part of a config."""
    if name == "seed" and (isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31):
        raise Invalid.field("", f"must be a whole number from 0 to {2**31 - 1}, not {value!r}")
    tried({name: value})


def _takes_fractions(name: str, between: float, tried: Try) -> bool:
    try:
        tried({name: between})
    except Invalid:
        return False
    return True


def grid_of(space: Space) -> dict[str, list[Any]]:
    """List every value of each setting. Raises Invalid for a range without steps that is not of whole numbers."""
    return {name: _values(name, told) for name, told in space.items()}


def _values(name: str, told: Mapping[str, Any]) -> list[Any]:
    if "choices" in told:
        return list(told["choices"])
    step = told["step"] or (1 if told["whole"] and not told["log"] else None)
    if step is None:
        raise Invalid.field(f"space.{name}", "has no end of values: a grid wants choices, or a step")
    count = math.floor((told["high"] - told["low"]) / step + 1e-9) + 1
    if count > MOST_CHOICES:
        raise Invalid.field(
            f"space.{name}", f"has {count} values: a grid takes up to {MOST_CHOICES} of each; make the step wider"
        )
    return [told["low"] + place * step for place in range(count)]


def grid_size(space: Space) -> int:
    """How many points a grid has. Raises Invalid as `grid_of`."""
    return math.prod(len(values) for values in grid_of(space).values())
