"""What was asked, how long each answer took, and what went wrong."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

NEXT, IMAGE, ANSWER = "next tasks", "image", "answer"
LABELLING = (NEXT, IMAGE, ANSWER)
CONNECT, MINING = "connect", "mining job"
WORDS = 160


@dataclass(slots=True)
class Tally:
    """Seconds of every call by its kind, errors by kind and first words, and the tasks whose answers were confirmed."""

    calls: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[tuple[str, str]] = field(default_factory=Counter)
    answered: Counter[int] = field(default_factory=Counter)
    lag: list[float] = field(default_factory=list)
    mined: int = 0
    scored: int = 0

    def failed(self, kind: str, words: str) -> None:
        """Count an error: any status from 400 on, or a connection that broke."""
        self.errors[kind, " ".join(words.split())[:WORDS]] += 1

    def errors_of(self, kinds: tuple[str, ...]) -> int:
        """Errors of these kinds of calls."""
        return sum(count for (kind, _), count in self.errors.items() if kind in kinds)
