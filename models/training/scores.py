"""The evaluations of a running training: which was best, and when to stop."""

from dataclasses import dataclass, field
from typing import NamedTuple

from training.config import Recipe


class Score(NamedTuple):
    """One evaluation on the validation set."""

    step: int
    value: float
    """The headline metric of the task type (`tasktypes.model_parts.Metrics`)."""
    loss: float

    @property
    def rank(self) -> tuple[float, float, int]:
        """Sort key, smaller is better: by the headline, then the loss; of equals, the earlier step."""
        return -self.value, self.loss, self.step

    def values(self, headline: str) -> dict[str, float]:
        """The names and values that curves and snapshots show."""
        return {f"validation_{headline}": self.value, "validation_loss": self.loss}


@dataclass(slots=True)
class Scores:
    """All evaluations so far, in order of time."""

    scores: list[Score] = field(default_factory=list)

    def add(self, score: Score) -> bool:
        """Add an evaluation; return whether it is the best so far."""
        self.scores.append(score)
        return self.best(1) == [score]

    def best(self, count: int) -> list[Score]:
        """The `count` best evaluations, the best one first."""
        return sorted(self.scores, key=lambda score: score.rank)[:count]

    def exhausted(self, patience: int | None) -> bool:
        """Whether the last `patience` evaluations brought no better one."""
        if patience is None or not self.scores:
            return False
        return len(self.scores) - 1 - self.scores.index(self.best(1)[0]) >= patience


def evaluation_interval(recipe: Recipe, *, samples: int, held_out: int) -> int:
    """Steps between evaluations; see `Recipe.evaluate_every`."""
    if recipe.evaluate_every is not None:
        return recipe.evaluate_every
    steps, size = recipe.total_steps(samples), min(recipe.batch_size, samples)
    affordable = 20 if recipe.patience is not None else steps * size // (2 * held_out)
    times = max(1, min(20, affordable))
    return max(-(-samples // size), -(-steps // times))
