"""A faulty field of a config is told of in plain words, with the field that was meant."""

from typing import Annotated, Literal

import pytest
from annotated_types import Ge, Gt, Le, Lt
from pydantic.dataclasses import dataclass

from worker_programs.config import STRICT, ConfigError, parse


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Recipe:
    """How to train."""

    steps: Annotated[int, Ge(1), Le(10)] = 1
    rate: Annotated[float, Gt(0), Lt(1)] = 0.5
    kind: Literal["adam", "sgd"] = "adam"
    warm: bool = False
    words: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Run:
    """A run."""

    recipe: Recipe
    warmer: Recipe | None = None


@pytest.mark.parametrize(
    ("document", "field", "message"),
    [
        ({"recipe": {"stepz": 3}}, "recipe.stepz", "is not a field here; did you mean steps?"),
        ({"recipe": {}, "warmer": {"stepz": 3}}, "warmer.stepz", "is not a field here; did you mean steps?"),
        ({"recipe": {"batch": 3}}, "recipe.batch", "is not a field here; there are steps, rate, kind, warm, words"),
        ({}, "recipe", "is missing: this field is required"),
        ({"recipe": 3}, "recipe", "must be an object, not '3'"),
        ({"recipe": {"steps": 0}}, "recipe.steps", "must be at least 1, not '0'"),
        ({"recipe": {"steps": 11}}, "recipe.steps", "must be at most 10, not '11'"),
        ({"recipe": {"steps": "3"}}, "recipe.steps", "must be a whole number, not '3'"),
        ({"recipe": {"steps": 2.5}}, "recipe.steps", "must be a whole number, not '2.5'"),
        ({"recipe": {"rate": 0}}, "recipe.rate", "must be more than 0.0, not '0'"),
        ({"recipe": {"rate": 1}}, "recipe.rate", "must be less than 1.0, not '1'"),
        ({"recipe": {"rate": None}}, "recipe.rate", "must be a number, not 'None'"),
        ({"recipe": {"kind": "lion"}}, "recipe.kind", "must be 'adam' or 'sgd', not 'lion'"),
        ({"recipe": {"warm": 1}}, "recipe.warm", "must be true or false, not '1'"),
        ({"recipe": {"words": "a"}}, "recipe.words", "must be a list, not 'a'"),
        ({"recipe": {"words": [1]}}, "recipe.words.0", "must be text, not '1'"),
    ],
)
def test_a_faulty_field_is_named_with_the_mend(document: dict[str, object], field: str, message: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        parse(Run, document)
    assert refusal.value.errors == {field: [message]}


def test_what_is_no_json_says_where() -> None:
    with pytest.raises(ConfigError, match=r"config: is not JSON: .* at line 1 column 1"):
        parse(Run, b"{")
