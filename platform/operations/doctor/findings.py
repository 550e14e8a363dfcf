"""A finding, in words for who runs the platform."""

from collections.abc import Iterable
from dataclasses import dataclass, field

EXAMPLES = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """`check` is stable, for programs; `examples` are the first of `count`."""

    check: str
    count: int
    words: str
    remedy: str
    examples: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Tally:
    """Counts what is found and keeps the first of it."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, example: str) -> None:
        """One more."""
        self.count += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(example)

    def finding(self, check: str, words: str, remedy: str) -> list[Finding]:
        """None where nothing was counted."""
        return [Finding(check, self.count, words, remedy, self.examples)] if self.count else []


def tally(examples: Iterable[str]) -> Tally:
    """The examples, counted."""
    made = Tally()
    for example in examples:
        made.add(example)
    return made
