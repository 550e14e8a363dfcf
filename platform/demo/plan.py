"""The plan of a demo: two arms that differ only in how they choose what is labelled next."""

from collections.abc import Mapping
from dataclasses import dataclass, field

CLASSES = tuple("0123456789")


@dataclass(frozen=True, slots=True)
class Arm:
    """One side of the comparison, with its own dataset, model and pipeline; `control` is the share of picks made at
    random. Models are exported in further precisions only if the arm `ships`."""

    title: str
    dataset: str
    model: str
    pipeline: str
    strategy: str | Mapping[str, object]
    control: float
    ships: bool


@dataclass(frozen=True)
class Plan:
    """`labelled` images start with a label; each of `rounds` rounds asks for `count` more. The defaults are the demo of
    classification."""

    rounds: int = 5
    count: int = 100
    labelled: int = 100
    seed: int = 0
    suffix: str = ""
    task: str = "classification"
    classes: tuple[str, ...] = CLASSES
    architecture: str = "small_cnn"
    config: Mapping[str, object] = field(default_factory=dict)
    strategy: str | Mapping[str, object] = "auto"
    """The mined arm's strategy."""
    dataset: str = "digits"
    model: str = "digits-cnn"
    pipelines: str = ""
    """The prefix of its pipelines' names."""
    heading: str = "The loop on real digits"
    fetching: str = "Fetching handwritten digits"
    content: str = "Handwritten digits"
    unit: str = "digits"
    """The word for its images."""
    more_metrics: tuple[str, ...] = ()
    """Metrics of a model's evaluation that are shown beside the main one."""

    @property
    def mined(self) -> Arm:
        """The arm that asks for labels where the model is least certain."""
        return self._arm("mined", "", strategy=self.strategy, control=0.1, ships=True)

    @property
    def random(self) -> Arm:
        """The arm that asks for the same number of labels at random."""
        return self._arm("random", "-random", strategy="random", control=0.0, ships=False)

    def config_of(self, arm: Arm) -> Mapping[str, object]:
        """Return the training config of the arm's pipeline."""
        return self.config if arm.ships else {**self.config, "export": {"precisions": []}}

    def _arm(self, title: str, kind: str, *, strategy: str | Mapping[str, object], control: float, ships: bool) -> Arm:
        end = kind + self.suffix
        pipeline = self.pipelines + title + self.suffix
        return Arm(title, self.dataset + end, self.model + end, pipeline, strategy, control, ships)


SIGNS = Plan(
    task="detection",
    rounds=3,
    count=60,
    labelled=60,
    classes=("stop", "prohibition", "warning", "mandatory"),
    architecture="centre_lite0",
    config={"params": {"depth": 1}, "recipe": {"learning_rate": 3e-3, "steps": 240}, "export": {"precisions": []}},
    strategy={"name": "entropy", "params": {"reduce": "sum"}},
    dataset="signs",
    model="signs-detector",
    pipelines="signs-",
    heading="The loop on traffic signs",
    fetching="Making photographs with traffic signs",
    content="Traffic signs on photographs",
    unit="images",
    more_metrics=("map50",),
)
PLANS = {plan.task: plan for plan in (Plan(), SIGNS)}
