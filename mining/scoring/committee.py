"""Committees: other versions of the model, the model on the mirror image, or the model with parts of its embedding left
out by fixed masks. And the ways in which a file can process an image."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field
from pydantic.dataclasses import dataclass

from scoring.config import SCORER, Dropout
from worker_programs.config import STRICT, ConfigError, parse

MAX_VERSIONS = 16


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Pass:
    """One way to process an image: as it is, mirrored, as crops of at most `objects` of its objects, or with masks over
    its embedding."""

    mirrored: bool = False
    objects: Annotated[int, Field(ge=0)] = 0
    dropout: Dropout | None = None

    @property
    def scorer(self) -> str:
        """The key of its scores, beside the model's digest: scores of different passes are never mixed."""
        if self.objects:
            return f"{SCORER}+objects-{self.objects}"
        mirrored = "+mirrored" if self.mirrored else ""
        if self.dropout is None:
            return f"{SCORER}{mirrored}"
        return f"{SCORER}{mirrored}+dropout-{self.dropout.members}-{self.dropout.rate:.6g}-{self.dropout.seed}"


AS_IT_IS = Pass()


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Committee:
    """`{"versions": [3, 4]}`: those versions of the same model beside the scoring one; `{"flips": true}`: the image and
    its mirror image; or `{"dropout": {..}}`."""

    versions: (
        Annotated[list[Annotated[int, Field(ge=1, lt=2**31)]], Field(min_length=1, max_length=MAX_VERSIONS)] | None
    ) = None
    """Numbers of other versions; the scoring version is always a member."""
    flips: bool = False
    """The scoring version predicts the image and its mirror image."""
    dropout: Dropout | None = None

    def __post_init__(self) -> None:
        if [self.versions is not None, self.flips, self.dropout is not None].count(True) != 1:
            raise ConfigError({"committee": ["give one of `versions`, `flips` and `dropout`"]})

    @property
    def passes(self) -> tuple[Pass, ...]:
        """The ways in which the scoring version processes an image; each is a member, and with masks each mask is
        one."""
        return (AS_IT_IS, Pass(mirrored=True)) if self.flips else (Pass(dropout=self.dropout),)


def committee_of(document: Mapping[str, Any] | None) -> Committee | None:
    """Parse a committee from a JSON document; None for none. Raises ConfigError naming `committee...`."""
    if document is None:
        return None
    try:
        return parse(Committee, document)
    except ConfigError as fault:
        named = {field if field.startswith("committee") else f"committee.{field}": words
                 for field, words in fault.errors.items()}  # fmt: skip
        raise ConfigError(named) from fault
