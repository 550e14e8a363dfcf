"""What the demo does: two arms that differ in one thing, how they choose what is labelled next."""

from dataclasses import dataclass

CLASSES = tuple("0123456789")


@dataclass(frozen=True, slots=True)
class Arm:
    """A dataset, a model and a pipeline of their own; `control` is the share of picks made at random."""

    title: str
    dataset: str
    model: str
    pipeline: str
    strategy: str
    control: float


@dataclass(frozen=True)
class Plan:
    """`labelled` images start with a label, evenly over the classes; each of `rounds` rounds asks for `count` more."""

    rounds: int = 5
    count: int = 100
    labelled: int = 100
    seed: int = 0
    suffix: str = ""
    architecture: str = "small_cnn"

    @property
    def mined(self) -> Arm:
        """The arm that asks for labels where the model hesitates most."""
        return self._arm("mined", "digits", "digits-cnn", strategy="margin", control=0.1)

    @property
    def random(self) -> Arm:
        """The arm that asks for the same number of labels at random."""
        return self._arm("random", "digits-random", "digits-cnn-random", strategy="random", control=0.0)

    def _arm(self, title: str, dataset: str, model: str, *, strategy: str, control: float) -> Arm:
        end = self.suffix
        return Arm(title, dataset + end, model + end, title + end, strategy=strategy, control=control)
