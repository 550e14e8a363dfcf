"""One class an image."""

from tasktypes.classification.agreement import ClassAgreement
from tasktypes.classification.labels import ClassLabels
from tasktypes.classification.metrics import ClassificationMetrics
from tasktypes.classification.outputs import ClassificationMining, ClassificationOutputs
from tasktypes.model_parts import Learning
from tasktypes.protocol import TaskType, later
from tasktypes.registry import register


@register("classification")
class Classification(TaskType):
    """One class an image."""

    labels = ClassLabels()
    agreement = ClassAgreement()
    metrics = ClassificationMetrics()
    outputs = ClassificationOutputs()
    mining = ClassificationMining()

    @property
    def learning(self) -> Learning:
        """See `ClassificationLearning`."""
        found: Learning = later("tasktypes.classification.learning", "ClassificationLearning")
        return found
