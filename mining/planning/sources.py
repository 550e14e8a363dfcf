"""Sources of the values in a plan."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["given", "example", "measured", "documented", "computed"]


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a value: `given` in the question, from a named `example`, `measured` here, `documented` as a usual
    value, or `computed` from other figures. Measured ones have the number of rows (`n`) and their days (ISO 8601)."""

    kind: Kind
    words: str
    n: int | None = None
    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class MeasuredPace:
    """A number that this installation measured: `value`, over `n` rows made from `since` until `until` (ISO days)."""

    value: float
    what: str
    n: int
    since: str
    until: str

    @property
    def source(self) -> Source:
        """The source as a plan shows it."""
        span = self.since if self.since == self.until else f"{self.since} to {self.until}"
        return Source("measured", f"measured here: {self.what}, n = {self.n:,}, {span}", self.n, self.since, self.until)


@dataclass(frozen=True, slots=True)
class Measured:
    """Values that this installation has measured: `quantities` by the field's name (`scoring.images_per_second`), and
    images a second of a training, by architecture."""

    quantities: Mapping[str, MeasuredPace] = field(default_factory=dict)
    trainings: Mapping[str, MeasuredPace] = field(default_factory=dict)


GIVEN = Source("given", "given by you")
DOCUMENTED: Mapping[str, tuple[float, str]] = {
    "data.proxy_bytes": (25_000, "a JPEG of 256 pixels (docs/howto/planning.md)"),
    "data.copies": (1, "one copy unless you say more"),
    "labeling.answers_per_label": (1, "one answer a label unless you say more"),
    "scoring.workers": (1, "one worker unless you say more"),
}
"""Default values, used where none is given and none is measured. There are no default prices."""
