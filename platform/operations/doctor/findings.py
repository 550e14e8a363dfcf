"""Findings of the diagnosis, described for operators."""

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
    """Counts items and keeps the first ones as examples."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, example: str) -> None:
        """Count one more item."""
        self.count += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(example)

    def finding(self, check: str, words: str, remedy: str) -> list[Finding]:
        """Return the finding as a list; empty if nothing was counted."""
        return [Finding(check, self.count, words, remedy, self.examples)] if self.count else []


def tally(examples: Iterable[str]) -> Tally:
    """Return a tally of these items."""
    made = Tally()
    for example in examples:
        made.add(example)
    return made
