"""Any number of classes an image, or none."""

from collections.abc import Mapping
from typing import ClassVar

from tasktypes.model_parts import Learning
from tasktypes.multilabel.agreement import ClassesAgreement
from tasktypes.multilabel.labels import ClassesLabels
from tasktypes.multilabel.metrics import MultilabelMetrics
from tasktypes.multilabel.outputs import MultilabelMining, MultilabelOutputs
from tasktypes.protocol import Step, TaskType, later
from tasktypes.registry import register


@register("multilabel")
class Multilabel(TaskType):
    """Any number of classes an image, or none."""

    labels = ClassesLabels()
    agreement = ClassesAgreement()
    metrics = MultilabelMetrics()
    outputs = MultilabelOutputs()
    mining = MultilabelMining()
    several_of = "classification"
    lacks: ClassVar[Mapping[Step, str]] = {"back-tests": "replays that learn several classes an image"}

    @property
    def learning(self) -> Learning:
        """See `MultilabelLearning`."""
        found: Learning = later("tasktypes.multilabel.learning", "MultilabelLearning")
        return found
