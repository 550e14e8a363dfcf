"""Who a committee is: other versions of the model, or the model with parts of its head left out by fixed masks."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field
from pydantic.dataclasses import dataclass

from scoring.config import SCORER, Dropout
from worker_programs.config import STRICT, ConfigError, parse

MAX_VERSIONS = 16


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Committee:
    """`{"versions": [3, 4]}`: those versions of the same model beside the one that scores, or `{"dropout": {..}}`."""

    versions: (
        Annotated[list[Annotated[int, Field(ge=1, lt=2**31)]], Field(min_length=1, max_length=MAX_VERSIONS)] | None
    ) = None
    """Numbers of other versions; the scoring one is always a member."""
    dropout: Dropout | None = None

    def __post_init__(self) -> None:
        if (self.versions is None) == (self.dropout is None):
            raise ConfigError({"committee": ["give either `versions` or `dropout`"]})

    @property
    def scorer(self) -> str:
        """The version of the way to these scores: members of a dropout committee are scores of their own, those of
        other versions are those versions' scores."""
        if self.dropout is None:
            return SCORER
        return f"{SCORER}+dropout-{self.dropout.members}-{self.dropout.rate:.6g}-{self.dropout.seed}"


def committee_of(document: Mapping[str, Any] | None) -> Committee | None:
    """The committee that a JSON document describes, None for none. Raises ConfigError naming `committee...`."""
    if document is None:
        return None
    try:
        return parse(Committee, document)
    except ConfigError as fault:
        named = {field if field.startswith("committee") else f"committee.{field}": words
                 for field, words in fault.errors.items()}  # fmt: skip
        raise ConfigError(named) from fault


def scorer_of(committee: Committee | None) -> str:
    """What scores are kept under, beside the model's digest."""
    return SCORER if committee is None else committee.scorer
